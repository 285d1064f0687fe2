import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// What a person who uses the program each day expects of a name, a list and a line.
@Suite struct EverydayTests {
  private let home: HostedStore

  init() throws {
    // A Sunday.
    home = try HostedStore(now: "2026-11-22T09:00:00Z", zone: "Europe/Paris")
  }

  /// What a person at a terminal of so many columns sees.
  private func lines(_ columns: Int = 80, _ words: String...) throws -> [String] {
    home.columns = columns
    home.inputIsTerminal = true
    defer {
      home.columns = nil
      home.inputIsTerminal = false
    }
    return try home.done(words + ["--color", "never"]).split(separator: "\n").map(String.init)
  }

  // MARK: Names

  @Test func `what was left and who receives it keep their own names`() throws {
    try home.done("item", "add", "Gold ring")
    try home.done("beneficiary", "add", "Mia")
    try home.done("bequeath", "Gold ring", "--to", "Mia")
    try expect(home.json("show", "Gold ring")["kind"], is: "item")
    try expect(home.json("show", "Mia")["kind"], is: "beneficiary")
    try expect(home.json("show", "Gold ring to Mia")["kind"], is: "bequest")
    try expect(home.json("bequest", "show", "Mia")["kind"], is: "bequest")
    try home.done("versions", "Gold ring")
  }

  @Test func `a bequest is offered near people, and a stranger a way to add them`() throws {
    try home.done("item", "add", "Old clock")
    try home.done("beneficiary", "add", "Bob Berg")
    expect(
      try home.refusal(.notFound, "bequeath", "Old clock", "--to", "Bob Berk")
        .contains("did you mean 'Bob Berg'?"))
    expect(
      try home.refusal(.notFound, "bequeath", "Old clock", "--to", "Zoe")
        .contains("beneficiary add"))
  }

  // MARK: Countdowns and statuses of what is no capsule and no event

  private func overduePlants() throws {
    try home.done("item", "add", "Plants")
    try home.done("item", "remind", "Plants", "--every", "1 day")
    try home.done("item", "log", "Plants", "--when", "4 days ago")
  }

  // MARK: Orders

  @Test func `what is due stands as it was due, and a missed deadline is overdue`() throws {
    try overduePlants()
    try home.done("event", "add", "Tax", "--on", "2026-11-01", "--deadline")
    let lines = try lines()
    expect(
      lines.prefix(3).map { $0.split(separator: " ").first.map(String.init) },
      is: ["Due", "Tax", "Plants"])
    expect(lines[1].contains("overdue, 21 days ago") && lines[2].contains("overdue, 3 days ago"))
  }

  // MARK: Lists for programs

  @Test func `no setting changes what a program gets`() throws {
    try home.create("C", "--unlock", "2030", "--notes", "n")
    try home.done("event", "add", "E", "--on", "2030-01-01", "--notes", "n")
    try home.done("item", "add", "I")
    try home.done("item", "log", "I")
    func lists() throws -> [String] {
      try [["list"], ["event", "list"], ["since"]].map { try home.done($0) }
    }
    let before = try lists()
    try home.done("settings", "set", "listDetails", "on")
    try expect(lists(), is: before)
    home.columns = 80
    for words in [["list"], ["event", "list"], ["since"]] {
      let shown = try home.done(words + ["--color", "never"])
      expect(shown.contains("notes n") == (words != ["since"]), "\(shown)")
      expect(try !home.done(words + ["--plain"]).contains("notes"))
    }
  }

  @Test func `at a terminal --plain gives what a pipe gets`() throws {
    try home.create("C", "--unlock", "2030-01-01 10:00")
    try home.done("event", "add", "E", "--on", "2030-01-01")
    try home.done("item", "add", "I")
    for words in [["list"], ["event", "list"], ["item", "list"]] {
      let piped = try home.done(words)
      home.columns = 40
      try expect(home.done(words + ["--plain", "--color", "never"]), is: piped)
      home.columns = nil
    }
  }

  // MARK: Terminals

  @Test func `spans and dates of what comes next are aligned`() throws {
    for (title, on) in [("Short", "2030-01-10 10:00"), ("A longer title", "2044-06-15 10:00")] {
      try home.create(title, "--unlock", on)
    }
    for lines in [try lines(), try lines(80, "next", "--limit", "2")] {
      let rows = lines.filter { $0.contains("in ") }
      expect(rows.count, is: 2)
      let starts = rows.map { $0.range(of: " Jan 2030") ?? $0.range(of: " Jun 2044") }
      let columns = zip(rows, starts).compactMap { row, range in
        range.map { row.distance(from: row.startIndex, to: $0.lowerBound) }
      }
      expect(columns.count == 2 && Set(columns).count == 1, "\(rows)")
    }
  }

  @Test func `no long title breaks a line of next and agenda`() throws {
    let title = String(repeating: "long ", count: 100)
    try home.done("event", "add", title, "--on", "2026-11-23 10:00")
    for words in [["next"], ["agenda"]] {
      home.columns = 40
      let lines = try home.done(words + ["--color", "never"]).split(separator: "\n")
      home.columns = nil
      expect(lines.allSatisfy { TextWidth.of(String($0)) <= 40 }, "\(lines)")
      expect(lines.contains { $0.contains("long long long long") })
    }
  }

  @Test func `an empty agenda says of which days`() throws {
    try expect(home.run("agenda").err, is: "Nothing until Tue 22 Dec 2026.\n")
    try home.done("event", "add", "Fair", "--on", "tomorrow")
    try expect(
      home.run("agenda", "next month").err,
      is: "Nothing from Tue 1 Dec 2026 to Thu 31 Dec 2026.\n")
    try expect(home.run("agenda", "2026-12-03").err, is: "Nothing on Thu 3 Dec 2026.\n")
  }

  @Test func `what was taken out of a history lies in no cache`() throws {
    try home.done("item", "add", "Filter")
    try home.done("item", "log", "Filter", "--notes", "S3CRET words")
    try home.done("item", "list")
    try home.done("search", "S3CRET")
    try home.done("item", "unlog", "Filter", "--yes")
    let found = try home.files(below: "").filter { name in
      let bytes = try home.bytes(of: name)
      return ["S3CRET", "s3cret"].contains { bytes.contains(run: Array($0.utf8)) }
    }
    expect(found, is: [])
  }

  @Test func `notes of several lines are marked where the first one stands alone`() throws {
    try home.done("item", "add", "Filter")
    try home.done("item", "log", "Filter", "--notes", "one\ntwo")
    expect(try lines(100, "item", "history", "Filter").contains { $0.contains("one …") })
    expect(try home.done("item", "history", "Filter").contains("two"))
  }

  // MARK: Answers

  @Test func `a day that is not today is said not to be`() throws {
    func echo(_ on: String) throws -> String {
      try home.run("event", "add", on, "--on", on).err
    }
    expect(try echo("november 22").contains("in 1 year; the next one, today is written 'today'"))
    expect(try echo("june 15").contains("; the next one"))
    expect(try echo("sunday").contains("today is written 'today'"))
    expect(try !echo("2027-01-01").contains(";"))
  }

  @Test func `where nothing changed nothing else is said`() throws {
    try home.create("C", "--unlock", "2030-01-01", "--text", "x")
    try home.done("event", "add", "E", "--on", "2027-01-01", "--deadline")
    try home.done("event", "done", "E")
    for words in [
      ["edit", "C", "-u", "2030-01-01"], ["edit", "C", "--untag", "nope"], ["event", "done", "E"],
      ["event", "edit", "E", "--title", "E"],
    ] {
      let run = try home.run(words)
      expect(run.code == .ok && run.out.isEmpty && run.err == "Nothing changed.\n", "\(words)")
    }
  }

  @Test func `the sheet of an item says when it is due`() throws {
    try overduePlants()
    expect(
      try home.done("item", "show", "Plants")
        .contains("Thu 19 Nov 2026 10:00 CET, overdue, 3 days ago"))
  }

  @Test func `titles of media stay on a terminal of 80 columns`() throws {
    try home.done("item", "add", "House")
    let file = try home.write("x", as: "deed.txt")
    try home.done("item", "attach", "House", file, "--title", "The deed of the house")
    expect(try lines(80, "item", "media", "House").joined().contains("The deed of the house"))
  }

  @Test func `what people type is completed where it is taken`() throws {
    try home.done("item", "add", "Ring")
    try home.done("beneficiary", "add", "Rita")
    func offered(_ words: String...) throws -> [String] {
      try home.done(["__complete", "--"] + words).split(separator: "\n").dropFirst()
        .map { String($0.prefix { $0 != "\t" }) }
    }
    try expect(offered("show", "Ri"), is: ["Ring", "Rita"])
    try expect(offered("countdown", "Ri"), is: ["Ring"])
  }

  @Test func `the width of a sign around digits is a column`() {
    expect(TextWidth.of("\u{600}123"), is: 4)
    expect(TextWidth.of("\u{200d}\u{200b}"), is: 0)
  }

  // MARK: Refusals

  @Test(
    arguments: [
      ("montly", "did you mean 'monthly'?"), ("every 2 weks", "did you mean 'every 2 weeks'?"),
      ("every tusday", "did you mean 'every tuesday'?"),
      ("biweekly", "did you mean 'fortnightly'?"),
      ("5th friday of the month", "did you mean 'last friday of the month'?"),
      ("30 minutes", "it takes weekly"), ("last day of the month", "it takes weekly"),
    ])
  func `a rule that is not understood is answered with the nearest`(rule: String, hint: String)
    throws
  {
    let err = try home.refusal(.usage, "event", "add", "X", "--on", "tomorrow", "--repeat", rule)
    expect(err.contains(hint) && err.contains("'capsule help repeat' shows all forms"), "\(err)")
    expect(err.utf8.count < 220)
  }

  @Test func `every form in the help of rules is understood`() throws {
    var forms: [String] = []
    for row in HelpTopic.repetition.body.components(separatedBy: "\n") where row.hasPrefix("  ") {
      let written = String(row.dropFirst(2)).components(separatedBy: "  ")[0]
      forms += written.components(separatedBy: ", ")
    }
    expect(forms.count > 12)
    for form in forms {
      expect(Recurrence(words: form) != nil, "\(form)")
      if !form.hasSuffix("ly") { expect(Recurrence(words: "every \(form)") != nil, "\(form)") }
    }
  }

  @Test func `no date is offered that nobody meant`() throws {
    func hint(_ text: String) throws -> String { try home.refusal(.usage, "date", "--", text) }
    expect(try !hint("good friday").contains("noon"))
    expect(try !hint("1e3 days").contains("1y3"))
    expect(try hint("in 3 dayz").contains("did you mean 'in 3 days' (Wed 25 Nov 2026"))
    expect(try hint("-3 days").contains("did you mean '3 days ago'"))
    expect(try hint("sunday 15 june 2027").contains("15 Jun 2027 is a Tuesday"))
  }

  @Test func `of a number that is too long the limit is said`() throws {
    try home.done("item", "add", "I")
    let digits = String(repeating: "9", count: 38)
    expect(
      try home.refusal(.usage, "item", "log", "I", "--value", digits).contains("it takes 27 digits")
    )
  }

  @Test func `of a long text that is no date the beginning is said`() throws {
    let text = String(repeating: "x", count: 10_000)
    expect(try home.refusal(.usage, "date", text).utf8.count < 1000)
  }

  @Test func `an editor is not guessed where there is no terminal`() throws {
    home.environment["TERM"] = "xterm"
    let err = try home.refusal(.usage, "create", "C", "--unlock", "2030", "--edit")
    expect(err.contains("'--edit' needs the terminal") && err.contains("set EDITOR"))
  }

  // MARK: Echoes

  @Test func `a timelock is said to open when its round is published`() throws {
    let words = ["create", "--unlock", "2030-01-01T00:00:01Z", "--text", "x"]
    let told = try home.run(words + ["Bet", "--timelock"]).err
    expect(told.contains("Unlocks Tue 1 Jan 2030 01:00:03 CET (00:00:03Z)"), "\(told)")
    expect(told.contains("; when the timelock's next round is published"), "\(told)")
    try expect(home.strings("unlockAt", "list"), is: ["2030-01-01T00:00:03Z"])
    let edited = try home.run(
      "edit", "Bet", "--unlock", "2030-01-01T00:00:02Z", "--yes")
    expect(edited.err.contains("Unlocks Tue 1 Jan 2030 01:00:03 CET → Tue 1 Jan 2030 01:00:03 CET"))
    let exact = try home.run(words + ["Letter"]).err
    expect(exact.contains("Unlocks Tue 1 Jan 2030 01:00:01 CET (00:00:01Z)"), "\(exact)")
    expect(!exact.contains("round"))
  }

  // MARK: No store

  @Test(
    arguments: [
      (["restore", "x"], "nothing in the trash has the id or title 'x'", "'capsule trash'"),
      (["purge", "x", "-y"], "nothing in the trash has the id or title 'x'", "'capsule trash'"),
      (
        ["bequest", "list", "--to", "x"], "no beneficiary has the id or name 'x'",
        "'capsule beneficiary list'"
      ),
      (
        ["bequest", "list", "--of", "x"], "no item or capsule has the id or title 'x'",
        "'capsule item list'"
      ),
      (["repair", "--accept", "x"], "no record's id begins with 'x'", "'capsule verify'"),
      (["repair", "--forget", "x", "-y"], "no record 'x' is missing", "'capsule verify'"),
    ])
  func `without a store a word means as little as in an empty one`(
    words: [String], message: String, hint: String
  ) throws {
    let without = try home.refusal(.notFound, words)
    expect(without.contains(message) && without.contains(hint), "\(without)")
    try home.create("Letter", "--unlock", "2030", "--text", "x")
    try home.done("delete", "Letter", "-y")
    try home.done("purge", "-y")
    try expect(home.refusal(.notFound, words), is: without)
  }

  @Test func `without a store nothing has a history, and since says so`() throws {
    let answer = try home.run("since")
    expect(answer.out.isEmpty && answer.err.contains("Nothing has a history yet"))
  }
}
