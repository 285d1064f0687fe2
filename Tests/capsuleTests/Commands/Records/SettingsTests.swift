import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Settings of lists, what they take, and what a shell offers for them.
@Suite struct SettingsTests {
  private let home: HostedStore

  init() throws {
    home = try HostedStore(now: "2026-01-10T09:00:00Z", zone: "Europe/Paris")
  }

  @Test func `the list shows what each setting takes, whole, on a narrow terminal too`() throws {
    home.columns = 60
    let text = try home.done("settings", "list", "--color", "never")
    expect(text.split(separator: "\n").allSatisfy { $0.count <= 60 })
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    expect(words.contains("below each entry: on or off"), "\(text)")
    expect(words.contains("the order of 'list': unlock, created or title"))
    expect(words.contains("lock, size, created, separated by commas"))
    let settings = try require(home.json("settings", "list").array)
    expect(settings.allSatisfy { $0["accepts"] != nil })
    expect(
      Set(settings.compactMap { $0["name"]?.string }),
      is: Set(Setting.all.map(\.key) + MailSetting.all.map(\.name)))
  }

  @Test(arguments: Setting.all)
  func `the default and every word that a setting offers are taken`(key: Setting) {
    expect(key.accepts(key.fallback) || [.owner, .trustees, .currency].contains(key))
    for word in key.choices { expect(key.value(from: word) != nil, "\(word)") }
  }

  @Test func `the words of a sort order are those of its list`() {
    expect(Setting.capsuleSort.choices, is: CapsuleQuery.Order.allCases.map(\.rawValue))
    expect(Setting.eventSort.choices, is: EventQuery.Order.allCases.map(\.rawValue))
    expect(Setting.itemSort.choices, is: ItemQuery.Order.allCases.map(\.rawValue))
    expect(
      Setting.beneficiarySort.choices, is: BeneficiaryQuery.Order.allCases.map(\.rawValue))
    expect(Setting.bequestSort.choices, is: BequestQuery.Order.allCases.map(\.rawValue))
  }

  @Test(arguments: [
    (Setting.capsuleColumns, "list"), (.eventColumns, "event list"), (.itemColumns, "item list"),
    (.beneficiaryColumns, "beneficiary list"), (.bequestColumns, "bequest list"),
  ])
  func `a list has every column that its setting may name, in the order named`(
    key: Setting, list: String
  ) throws {
    try home.create("Letter", "--unlock", "2044", "--text", "x", "--notes", "n", "--tag", "t")
    try home.done("event", "add", "Walk", "--on", "2030-05-01", "--notes", "n")
    try home.done("item", "add", "Ring")
    try home.done("beneficiary", "add", "Mia")
    try home.done("bequeath", "--access", "immediate", "Ring", "--to", "Mia")
    let words = list.split(separator: " ").map(String.init)
    let plain = try home.done(words)
    let names = Array(key.choices.reversed())
    try home.done("settings", "set", key.key, names.joined(separator: ", "))
    home.columns = 300
    let head = try home.done(words + ["--color", "never"]).prefix { $0 != "\n" }
    expect(head.split(separator: " ").map { $0.lowercased() }, is: names)
    // What scripts read is the same whatever is set.
    let tabbed = try home.done(words + ["--plain", "--color", "never"])
    home.columns = nil
    try expect(home.done(words), is: plain)
    expect(tabbed.filter { $0 == "\t" }.count, is: plain.filter { $0 == "\t" }.count)
  }

  @Test(
    arguments: [
      (["VISUAL": "a", "EDITOR": "b", "TERM": "xterm"], "a"),
      (["EDITOR": "b", "TERM": "xterm"], "b"),
      (["TERM": "xterm"], "vi"), (["VISUAL": " ", "TERM": "xterm"], "vi"),
      (["VISUAL": "a", "EDITOR": "b", "TERM": "dumb"], "b"), (["VISUAL": "a"], "a"),
      (["TERM": "dumb"], nil), ([:], nil),
    ] as [([String: String], String?)])
  func `the editor is the one that git would take`(
    variables: [String: String], editor: String?
  ) throws {
    let environment = EnvironmentVariables(variables.map { Array("\($0.key)=\($0.value)".utf8) })
    expect(EditorText.command(environment, hasTerminal: true), is: editor)
  }

  @Test func `a setting that has its default changes nothing, and a program sees none`() throws {
    try home.create("Letter", "--unlock", "2026-02-19 12:00", "--text", "x")
    try home.done("event", "add", "Walk", "--on", "2026-02-19")
    try home.done("item", "add", "Filter")
    try home.done("item", "log", "Filter", "--when", "2025-12-01 10:00")
    try home.done("item", "log", "Filter", "--when", "2025-12-30 12:30")
    let lists = [
      ["list"], ["event", "list"], ["item", "list"], ["since", "--details"], ["next"],
      ["item", "history", "Filter"], ["countdown", "Letter", "--once"], ["show", "Letter"],
    ]
    func answers(columns: Int?) throws -> [String] {
      home.columns = columns
      defer { home.columns = nil }
      return try lists.map { try home.done($0 + ["--color", "never"] + frozen($0)) }
    }
    // The time that a test's clock shows is the same for each command.
    func frozen(_ words: [String]) -> [String] {
      words.first == "countdown" || words.first == "since" ? ["--at", "2026-02-01"] : []
    }
    let (people, programs) = try (answers(columns: 200), answers(columns: nil))
    try home.done("settings", "set", "durationStyle", "subUnits")
    try home.done("settings", "set", "durationUnits", "2")
    try expect(answers(columns: 200), is: people)
    try home.done("settings", "set", "durationStyle", "tenths")
    try expect(answers(columns: nil), is: programs)
    try expect(zip(answers(columns: 200), people).filter { $0 == $1 }.count, is: 0)
  }
}
