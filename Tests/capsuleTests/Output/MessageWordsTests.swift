import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// The words of messages: counts, times, quotes.
@Suite struct MessageWordsTests {
  private let home: HostedStore

  init() throws {
    home = try HostedStore(now: "2026-01-10T09:00:00Z", zone: "Europe/Paris")
  }

  @Test(arguments: [
    (0, "0 contents"), (1, "1 content"), (2, "2 contents"), (1_000, "1000 contents"),
  ])
  func `a count has the form of its noun`(count: Int, text: String) {
    expect(String.counting(count, "content"), is: text)
  }

  @Test(arguments: [(1, "1 entry"), (3, "3 entries")])
  func `a noun that takes more than an s has its own plural`(count: Int, text: String) {
    expect(String.counting(count, "entry", "entries"), is: text)
  }

  /// The sources of the program that have a word, each with its path.
  private func sources(with word: String) throws -> [(path: String, text: String)] {
    let root = URL(filePath: BuiltProgram.packageRoot + "Sources")
    let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
    let found = (files?.allObjects ?? []).compactMap { $0 as? URL }
      .filter { $0.pathExtension == "swift" }
    try require(found.count > 300)
    return try found.map {
      (path: $0.lastPathComponent, text: try String(contentsOf: $0, encoding: .utf8))
    }
    .filter { $0.text.contains(word) }
  }

  @Test func `no message makes a plural of its own`() throws {
    let own = try sources(with: #"== 1 ? "" : "s""#).map(\.path)
    expect(own, is: [])
  }

  @Test func `no message of the program has a time of UTC in it`() throws {
    let own = try sources(with: "rfc3339").filter { source in
      // The descriptions of the library's errors are read by programs in every zone.
      !source.path.hasSuffix("Error+Description.swift")
        && !source.path.hasSuffix("Fault+Description.swift")
        && source.text.split(separator: "\n").contains { line in
          // The comments of key files are for machines of every zone.
          line.contains(#/".*\\\([^)]*rfc3339\)/#) && !line.contains("created: ")
            && !line.contains(#""unlock \("#)
        }
    }
    expect(own.map(\.path), is: [])
  }

  @Test func `what has been so for a time is not said to be so since then`() throws {
    let own = try sources(with: " since").filter { source in
      source.text.split(separator: "\n").contains {
        $0.contains(#/(is|are) (unlocked|locked|over|due) since/#) && !$0.contains("//")
      }
    }
    expect(own.map(\.path), is: [])
  }

  @Test func `a purge of one file speaks of one content file`() throws {
    try home.create("Photo", "--unlock", "2040", try home.write("bytes", as: "photo.bin"))
    try home.done("delete", "Photo", "--yes")
    expect(try home.done("purge", "--yes").contains("Removed 1 content file, "))
  }

  @Test func `a program that took longer than a second took longer than 1 second`() throws {
    try home.create("Now", "--unlock", "in 1 minute", "--text", "x")
    try home.pass(seconds: 60)
    home.process = { _ throws(SystemError) in
      ProcessOutcome(end: .timedOut)
    }
    let run = try home.run("check", "--exec", "sleep 5", "--time-limit", "1")
    expect(run.err.contains("took longer than 1 second for 'Now'"), "\(run.err)")
  }

  @Test func `a refused time of the past is shown on the user's clocks`() throws {
    let text = try home.refusal(.usage, "create", "Late", "--unlock", "2025-11-21", "--text", "x")
    expect(text.contains("it is in the past (Fri 21 Nov 2025 00:00 CET)"), "\(text)")
  }

  @Test func `an opened capsule that takes nothing more says when on the user's clocks`() throws {
    try home.createUnlocked("Old", "--text", "x")
    try home.done("open", "Old")
    let text = try home.refusal(.refused, "add", "Old", "--text", "y")
    expect(text.contains("was opened on Sat 10 Jan 2026 10:00 CET"), "\(text)")
  }

  @Test func `a capsule that was sealed later than now was not sealed in so many years`() throws {
    home.now = "2077-01-10T09:00:00Z"
    try home.createUnlocked("Late", "--text", "x")
    home.now = "2026-01-10T09:00:00Z"
    let run = try home.run("open", "Late")
    expect(!run.err.contains("sealed in") && !run.out.contains("in 51 years"))
    expect(run.err.contains("later than now, on Sun 10 Jan 2077"), "\(run.err)")
  }

  @Test func `a sum of no replacement values is empty, not zero`() throws {
    try home.done("item", "add", "Ring", "--value", "EUR 1200")
    let lines = try home.done("item", "totals").split(separator: "\n")
    expect(lines.allSatisfy { !$0.contains("0.00") || $0.contains("1200.00") })
    expect(lines.first?.hasSuffix("EUR 1200.00\t"), is: true, "\(lines)")
    try expect(home.json("item", "totals")["totals"]?.array?.first?["replacementValue"], is: "0.00")
  }

  @Test func `a state of the command line is written as its other words are`() throws {
    try home.done("item", "add", "Ring")
    try home.done("beneficiary", "add", "Mia")
    try home.done("bequeath", "Ring", "--to", "Mia", "--access", "upon-passing")
    for word in ["not-sent", "notSent"] {
      try expect(home.strings("state", "bequest", "list", "--state", word), is: ["notSent"])
    }
    let text = try home.refusal(.usage, "bequest", "list", "--state", "lost")
    expect(text.contains("not-sent, sent, accepted") && !text.contains("notSent"), "\(text)")
  }

  @Test(arguments: [
    ["event", "add", "A1", "--on", "2027-01-01"], ["item", "add", "A1"],
    ["beneficiary", "add", "A1"], ["create", "A1", "--unlock", "2040", "--text", "x"],
  ])
  func `a title stands in quotes in a sentence`(words: [String]) throws {
    expect(try home.done(words).contains("'A1'"))
  }

  @Test func `an event of this very second is now, and not past`() throws {
    try home.done("event", "add", "A1", "--on", "2026-01-10 10:01", "--alert", "0 minutes before")
    home.now = "2026-01-10T09:01:00Z"
    expect(try home.done("check").hasPrefix("'A1' is now, "))
  }
}
