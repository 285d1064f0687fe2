import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// `capsule search`, and which kinds a word at the top level means.
@Suite struct SearchCommandTests {
  private let home: HostedStore

  init() throws { home = try HostedStore(now: "2026-03-10T12:00:00Z") }

  private func titles(_ words: String...) throws -> [String] {
    try require(try home.json(["search"] + words).array).compactMap { $0["title"]?.string }
  }

  // MARK: Words

  @Test func `hits are grouped by kind, with what was found`() throws {
    try home.done(
      "create", "Trip to Rome", "--unlock", "2030-01-01", "--notes", "by train", "--empty")
    try home.done("event", "add", "Trip", "--on", "2026-05-01")
    try home.done("item", "add", "Suitcase", "--description", "for the trip")
    let out = try home.run("search", "TRIP").out
    let lines = out.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    expect(
      lines.filter { !$0.hasPrefix("Trip") && !$0.hasPrefix("Suit") },
      is: [
        "Capsules 1", "Events 1", "Items 1", "description for the trip",
      ])
    try expect(titles("trip"), is: ["Trip to Rome", "Trip", "Suitcase"])
    try expect(titles("trip", "TRAIN"), is: ["Trip to Rome"])
    try expect(titles("trip", "--kind", "event", "--kind", "item"), is: ["Trip", "Suitcase"])
  }

  @Test func `what was found is in colour on a terminal`() throws {
    try home.done("item", "add", "Red boat")
    home.columns = 80
    home.environment["TERM"] = "xterm-256color"
    expect(try home.run("search", "boat").out.contains("\u{1b}[1;4;33mboat\u{1b}[0m"))
  }

  @Test func `machines get the marks, one hit a line`() throws {
    try home.done("item", "add", "Red boat", "--description", "a boat\nof wood")
    let lines = try home.run("search", "boat", "of", "--ndjson").out.split(separator: "\n")
    expect(lines.count, is: 1)
    let hit = try JSON.parse(Array(try require(lines.first).utf8))
    expect(hit["kind"], is: "item")
    expect(hit["titleMarks"], is: [["start": 4, "length": 4]])
    let match = try require(hit["matches"]?.array?.first)
    expect(match["field"], is: "description")
    expect(match["text"], is: "a boat of wood")
    expect(match["marks"], is: [["start": 2, "length": 4], ["start": 7, "length": 2]])
  }

  @Test func `where nothing is found it says so, and ends with 1 where asked to`() throws {
    try home.done("item", "add", "Ring")
    let run = try home.run("search", "nowhere")
    expect(run.code, is: .ok)
    expect(run.err.contains("Nothing that may be read has it."))
    try expect(home.run("search", "nowhere", "--exit-code").code, is: .none)
    try expect(home.json("search", "nowhere"), is: [])
    try expect(home.run("search", "ring", "--exit-code").code, is: .ok)
    try expect(home.run("search", " ").code, is: .usage)
    try expect(home.run("search").code, is: .usage)
  }

  @Test func `what a limit leaves out is counted`() throws {
    for number in 1...4 { try home.done("item", "add", "Ring \(number)") }
    expect(try home.run("search", "ring", "--limit", "3").out.contains("and 1 more"))
    let run = try home.run("search", "ring", "--limit", "3", "--json")
    try expect(run.json().array?.count, is: 3)
    expect(run.err.contains("\"total\":4"))
  }

  @Test func `control characters of a record do not reach the terminal`() throws {
    try home.done("item", "add", "Ring", "--description", "a \u{1b}[31mring\u{7}")
    expect(!(try home.run("search", "ring").out.contains("\u{1b}")))
  }

  // MARK: Inside

  @Test func `what is sealed is found only inside of opened capsules, and kept nowhere`() throws {
    for title in ["Opened", "Unlocked"] {
      try home.done("create", title, "--unlock", "in 1 day", "--text", "about zanzibar")
    }
    home.now = "2026-03-12T12:00:00Z"
    try home.done("open", "Opened")
    try expect(titles("zanzibar"), is: [])
    let hits = try require(try home.json("search", "zanzibar", "--inside").array)
    expect(hits.compactMap { $0["title"]?.string }, is: ["Opened"])
    let match = try require(hits.first?["matches"]?.array?.first)
    expect(match["field"], is: "content")
    expect(match["number"], is: 1)
    try expect(titles("zanzibar", "opened", "--inside"), is: ["Opened"])
    let kept = try ProgramRun(shell: "grep -rl zanzibar '\(home.path)'").result()
    expect(kept.out.isEmpty)
  }

  @Test func `a text file in an opened capsule is looked through, and its name`() throws {
    let letter = try home.write("Dear Mia, zanzibar", as: "letter.txt")
    try home.done("create", "Letter", letter, "--unlock", "in 1 day")
    home.now = "2026-03-12T12:00:00Z"
    try home.done("open", "Letter", "--output", home.path + "/out")
    try expect(titles("zanzibar", "--inside"), is: ["Letter"])
    try expect(titles("letter.txt", "--inside"), is: ["Letter"])
  }

  @Test func `capsules that need a key are skipped and counted, without a question`() throws {
    try home.done("keygen", "--output", home.path + "/key")
    let recipient = try home.run("keygen", "-y", home.path + "/key").out
      .split(separator: "\n").joined()
    try home.done(
      "create", "Theirs", "--unlock", "in 1 day", "--recipient", recipient, "--text", "zanzibar")
    home.now = "2026-03-12T12:00:00Z"
    try home.done("open", "Theirs", "--identity", home.path + "/key")
    let run = try home.run("search", "zanzibar", "--inside")
    expect(run.code, is: .ok)
    expect(run.err.contains("1 opened capsule needs a key"))
    expect(run.questions.isEmpty)
    try expect(titles("zanzibar", "--inside"), is: [])
  }

  // MARK: Capsules first

  @Test func `a word at the top level means a capsule first`() throws {
    try home.create("Trip", "--unlock", "2030-01-01")
    try home.done("event", "add", "Trip", "--on", "2027-05-01")
    try expect(home.json("show", "Trip")["kind"], is: "capsule")
    try expect(home.json("countdown", "Trip").array?.first?["kind"], is: "capsule")
    try expect(home.json("status", "Trip")["subject"]?["kind"], is: "capsule")
  }

  @Test func `show, status and countdown turn to other kinds where no capsule matches`() throws {
    try home.done("event", "add", "Trip", "--on", "2027-05-01")
    try home.done("item", "add", "Ring")
    try home.done("beneficiary", "add", "Mia")
    try home.done("bequeath", "Ring", "--to", "Mia")
    for (word, kind) in [("Trip", "event"), ("Ring to Mia", "bequest")] {
      try expect(home.json("show", word)["kind"]?.string, is: kind, "\(word)")
    }
    try expect(home.json("countdown", "Trip").array?.first?["kind"], is: "event")
    try expect(home.json("status", "Trip")["subject"]?["kind"], is: "event")
    try expect(home.run("show", "Trip").out, is: home.run("event", "show", "Trip").out)
  }

  @Test(arguments: [
    ("delete", ["--yes"], "capsule event delete Trip"),
    ("edit", ["--notes", "n"], "capsule event edit Trip"),
    ("open", [], "capsule event show Trip"), ("add", ["--text", "t"], "capsule event show Trip"),
  ])
  func `what changes or opens never takes another kind for a capsule, and says where it is`(
    verb: String, options: [String], command: String
  ) throws {
    try home.done("event", "add", "Trip", "--on", "2027-05-01")
    let run = try home.run([verb, "Trip"] + options)
    expect(run.code, is: .notFound)
    expect(run.err.contains(command), "\(run.err)")
    try expect(home.json("event", "list").array?.count, is: 1)
  }

  @Test func `the command in a hint can be pasted into a shell`() throws {
    try home.done("item", "add", "Mia's ring; rm")
    expect(
      try home.run("delete", "Mia's ring; rm", "--yes").err
        .contains("capsule item delete 'Mia'\\''s ring; rm'"))
  }

  @Test func `what no record has is looked for in every text, says the hint`() throws {
    try home.done("item", "add", "Ring")
    let run = try home.run("show", "No such")
    expect(run.code, is: .notFound)
    expect(run.err.contains("capsule search 'No such'"))
  }
}
