import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// What lists look like where a terminal has few columns.
@Suite struct NarrowTerminalTests {
  private let home: HostedStore

  init() throws {
    home = try HostedStore(now: "2026-01-10T09:00:00Z", zone: "Europe/Paris")
    try home.create(
      "Letter to Mia at eighteen", "--unlock", "2044-06-15 09:00", "--tag", "family", "--tag",
      "letters", "--text", "x", "--text", "y")
    try home.create("Bet with Tom", "--unlock", "2050", "--text", "x", "--tag", "bets")
  }

  private func lines(_ columns: Int, _ words: String...) throws -> [String] {
    home.columns = columns
    let text = try home.done(words + ["--color", "never"])
    home.columns = nil
    return text.split(separator: "\n").map(String.init)
  }

  @Test(
    arguments: [
      (140, "ID STATE TITLE WHEN DATE CONTENTS TAGS", "15 Jun 2044 09:00 CEST"),
      (120, "ID STATE TITLE WHEN DATE CONTENTS TAGS", "15 Jun 2044 09:00 "),
      (103, "ID STATE TITLE WHEN DATE CONTENTS", "15 Jun 2044 09:00 "),
      (88, "ID STATE TITLE WHEN DATE", "15 Jun 2044 09:00"),
      (80, "ID STATE TITLE WHEN DATE", "15 Jun 2044"),
    ])
  func `details go in their order before a title has fewer than 24 cells`(
    columns: Int, headings: String, date: String
  ) throws {
    let lines = try lines(columns, "list")
    expect(lines[0].split(separator: " ").joined(separator: " "), is: headings)
    expect(lines[1].contains("Letter to Mia at eight"), "\(lines[1])")
    expect(lines[1].contains(date), "\(lines[1])")
    expect(lines.allSatisfy { TextWidth.of($0) <= columns })
  }

  @Test(arguments: [68, 74])
  func `a title is cut before the state goes`(columns: Int) throws {
    let lines = try lines(columns, "list")
    expect(lines[0].split(separator: " ").joined(separator: " "), is: "ID STATE TITLE WHEN DATE")
    expect(lines[1].contains("Letter to M"), "\(lines[1])")
    expect(lines[1].contains("locked"), "\(lines[1])")
    expect(lines.allSatisfy { TextWidth.of($0) <= columns })
  }

  @Test(arguments: [60])
  func `where titles have no room a row is the title and a line beneath it`(columns: Int) throws {
    let lines = try lines(columns, "list")
    expect(lines.count, is: 4)
    expect(lines[0], is: "Letter to Mia at eighteen")
    let beneath = lines[1].split(separator: " ").dropFirst().joined(separator: " ")
    expect(beneath, is: "locked in 18 years 5 months 15 Jun 2044")
  }

  @Test(arguments: [20, 30, 40])
  func `what stands beneath a title goes on where it does not fit, and is not cut`(columns: Int)
    throws
  {
    let lines = try lines(columns, "list")
    expect(lines.allSatisfy { TextWidth.of($0) <= columns })
    for part in ["locked", "1 Jan 2050"] where part.count < columns - 2 {
      expect(lines.contains { $0.contains(part) }, "\(lines)")
    }
  }

  @Test(arguments: ["list", "event list", "item list", "beneficiary list", "bequest list"])
  func `no line of a list is wider than the terminal, and plain ones are the same on each`(
    list: String
  ) throws {
    try home.done(
      "event", "add", "The day on which Mia was born", "--on", "2026-06-15 10:00", "--notes", "n")
    try home.done(
      "item", "add", "Grandmother's golden ring", "--category", "Jewellery", "--value", "EUR 1200",
      "--location", "In the safe of the bank")
    try home.done(
      "beneficiary", "add", "Mia", "--relationship", "daughter", "--email",
      "mia@a-long-name.example.org", "--phone", "+33 1 23 45 67 89")
    try home.done(
      "bequeath", "Grandmother's golden ring", "--to", "Mia", "--access-after", "2044-06-15")
    let words = list.split(separator: " ").map(String.init)
    var plain: Set<String> = []
    for columns in [20, 30, 47, 60, 72, 80, 100, 132] {
      home.columns = columns
      for line in try home.done(words).split(separator: "\n") {
        let text = line.replacing(/\u{1b}\[[0-9;]*m/, with: "")
        expect(TextWidth.of(String(text)) <= columns, "\(text)")
      }
      plain.insert(try home.done(words + ["--plain", "--color", "never"]))
    }
    expect(plain.count, is: 1)
  }

  @Test func `details that the setting asks for are a line beneath each thing`() throws {
    try home.done("edit", "Bet with Tom", "--notes", "who is first")
    try home.done("settings", "set", "listDetails", "on")
    let lines = try lines(80, "list")
    expect(lines.count, is: 4)
    expect(lines[3], is: "  notes who is first")
  }

  @Test(arguments: [20, 30, 40])
  func `a countdown on a narrow terminal cuts the title, never the time`(columns: Int) throws {
    home.columns = columns
    let line = try home.done("countdown", "Letter to Mia at eighteen", "--once", "--color", "never")
    expect(line.hasSuffix("23:00:00\n"))
    if columns >= 30 { expect(TextWidth.of(String(line.dropLast())) <= columns, "\(line)") }
    expect(line.hasPrefix("in 18 y") == (columns == 20))
  }

  @Test(arguments: [
    ["list"], ["event", "list"], ["item", "list"], ["since"], ["item", "history", "Filter"],
    ["item", "media", "Filter"], ["restore"], ["versions", "Filter"], ["on-this-day"],
  ])
  func `a date is headed DATE and a span WHEN in every list`(words: [String]) throws {
    try home.done("event", "add", "Walk", "--on", "2025-01-10")
    try home.done("item", "add", "Filter")
    try home.done("item", "log", "Filter")
    try home.done("item", "attach", "Filter", try home.write("x", as: "paper.txt"))
    try home.create("Gone", "--unlock", "2040")
    try home.done("delete", "Gone", "--yes")
    home.columns = 200
    let head = try home.done(words + ["--color", "never"]).prefix { $0 != "\n" }
    let headings = Set(head.split(separator: " ").map(String.init))
    expect(!headings.isDisjoint(with: ["DATE", "WHEN"]), "\(headings)")
    let others = ["UNLOCKS", "AGO", "ADDED", "SINCE", "LAST", "WRITTEN", "DELETED"]
    expect(headings.isDisjoint(with: others), "\(headings)")
  }

  @Test(arguments: [40, 60, 80])
  func `a history keeps its values`(columns: Int) throws {
    try home.done("item", "add", "Weight")
    for (day, value) in [("2025-10-01 08:00", "71.5"), ("2025-12-20 09:30", "1234567.25")] {
      try home.done(
        "item", "log", "Weight", "--when", day, "--value", value, "--notes",
        "after the feast at the house of the neighbours")
    }
    let lines = try lines(columns, "item", "history", "Weight")
    for value in ["71.5", "1234567.25"] {
      expect(lines.contains { $0.split(separator: " ").contains { $0 == value } }, "\(lines)")
    }
    // The last one is no row.
    expect(lines.dropLast().allSatisfy { TextWidth.of($0) <= columns })
  }

  @Test(arguments: [24, 36, 48, 60, 100])
  func `totals keep their amounts`(columns: Int) throws {
    for (name, category) in [("Ring", "Jewellery of grandmother"), ("Clock", "")] {
      try home.done(
        "item", "add", name, "--value", "EUR 12345.50", "--replacement-value", "EUR 15000",
        "--category", category)
    }
    let lines = try lines(columns, "item", "totals")
    for amount in ["EUR 24,691.00", "EUR 30,000.00"] {
      expect(lines.contains { $0.contains(amount) }, "\(lines)")
    }
    expect(lines.allSatisfy { TextWidth.of($0) <= columns })
    // Without a line of titles each amount says which it is.
    if columns == 36 { expect(lines.contains { $0.hasSuffix("replacement EUR 30,000.00") }) }
  }

  @Test(arguments: [20, 40])
  func `a search cuts long titles, never the id`(columns: Int) throws {
    let title = "The letter that grandmother wrote in the winter of her eightieth year"
    let id = try home.create(title, "--unlock", "2044", "--text", "x")
    let lines = try lines(columns, "search", "grandmother")
    expect(lines.contains { $0.hasSuffix("…  \(id.prefix(8))") }, "\(lines)")
    expect(lines.allSatisfy { TextWidth.of($0) <= columns })
    expect(try home.done("search", "grandmother").contains(title))
  }

  private static let messages: [[String]] = [
    ["open", "Letter to Mia"], ["open", "Letter"], ["show", "Bet with Tom"], ["opne"],
    ["create", "Walk", "--unlock", "2031-02-30"],
    ["create", "Walk", "--unlock", "2031", "no-file"],
    ["create", "Walk", "--unlock", "2031-06-15 10:00", "--text", "x"], ["edit", "Bet with Tom"],
    ["edit", "Bet with Tom", "--unlock", "2040"], ["add", "Bet with Tom", "--text", "y"],
    ["settings", "set", "maxFileSize", "many"], ["settings", "set", "no-setting", "1"],
    ["item", "add", "Ring"], ["item", "show", "Ring"],
    ["item", "log", "Ring", "--when", "2025-11-01"],
    ["beneficiary", "add", "Mia", "--email", "mia@a-long-name.example.org"], ["show", "Mia"],
    ["bequeath", "Ring", "--to", "Mia", "--access-after", "2044"], ["bequest", "show", "Ring"],
    ["switch", "set", "--every", "30 days", "--contact", "Mia"], ["switch", "show"],
    ["trustees", "list"], ["deliver", "--mail"], ["sync"], ["sync", "status"], ["verify"],
    ["backup", "to-a-place"], ["delete", "Walk", "--yes"], ["restore", "Walk"], ["purge", "Walk"],
    ["draft", "describe", "Ring"], ["store", "protect"],
    ["event", "add", "Walk", "--on", "2027-01-10"],
    ["show", "Walk", "--color", "no"], ["export", "archive"], ["repair"],
  ]

  @Test(arguments: [20, 33, 40, 61, 80])
  func `no line of a message is wider than the terminal unless it is one word`(columns: Int) throws
  {
    home.environment["TZ"] = "Mars/A base with a long name"
    home.environment["NO_COLOR"] = "1"
    for words in Self.messages {
      home.columns = columns
      home.answers = ["n", "n", "n"]
      let run = home.run(words + ["--color", "never"], input: "")
      for text in [run.out, run.err] + run.questions {
        for line in text.split(separator: "\n") {
          let isWord = line.split(separator: " ").count == 1
          expect(isWord || TextWidth.of(String(line)) <= columns, "\(words): \(line)")
        }
      }
    }
  }

  @Test func `a message has the same words on a terminal and elsewhere, there on one line`() throws
  {
    let words = ["edit", "Bet with Tom", "--unlock", "2040"]
    let whole = home.run(words, input: "").err
    home.columns = 30
    let broken = home.run(words + ["--color", "never"], input: "").err
    func split(_ text: String) -> [String] {
      text.split { $0 == " " || $0 == "\n" }.map(String.init)
    }
    expect(split(broken), is: split(whole))
    expect(whole.split(separator: "\n").count, is: 2)
    expect(broken.split(separator: "\n").count > 4)
  }
}
