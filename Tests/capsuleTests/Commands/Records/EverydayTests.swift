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
      expect(lines.contains { $0.contains("long long long") })
    }
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

  @Test func `the width of a sign around digits is a column`() {
    expect(TextWidth.of("\u{600}123"), is: 4)
    expect(TextWidth.of("\u{200d}\u{200b}"), is: 0)
  }

  @Test func `every form in the help of rules is understood`() throws {
    var forms: [String] = []
    // What stands behind a rule is understood with one.
    let body = HelpTopic.repetition.body.components(separatedBy: "Behind the rule")[0]
    for row in body.components(separatedBy: "\n") where row.hasPrefix("  ") {
      let written = String(row.dropFirst(2)).components(separatedBy: "  ")[0]
      forms += written.components(separatedBy: ", ")
    }
    expect(forms.count > 12)
    for form in forms {
      expect(Recurrence(words: form) != nil, "\(form)")
      if !form.hasSuffix("ly") { expect(Recurrence(words: "every \(form)") != nil, "\(form)") }
    }
  }

  @Test func `of a long text that is no date the beginning is said`() throws {
    let text = String(repeating: "x", count: 10_000)
    expect(try home.refusal(.usage, "date", text).utf8.count < 1000)
  }
}
