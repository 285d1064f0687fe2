import CapsuleCore
import CapsulePlatform
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Stores that were made once by the program of their time, and what it said of them: every later
/// version reads all of it, and says the same of every field.
///
/// A folder of `Golden` has a `store`, the script `make` that made it, and `answers.jsonl`: a command a
/// line, and the JSON that it printed. A new one joins by ``stores``; its answers are written, once, by
/// `CAPSULE_GOLDEN=record swift test --filter GoldenAnswersTests`.
@Suite struct GoldenAnswersTests {
  /// Folders of `Golden`, and how many records and blobs each holds.
  static let stores = [
    Golden(name: "format-1-events-items", records: 17, blobs: 3),
    Golden(name: "format-1-people", records: 14, blobs: 0),
    Golden(name: "format-1-repeats", records: 12, blobs: 0),
    Golden(name: "format-1-one-second", records: 30, blobs: 0),
    Golden(name: "format-1-series", records: 10, blobs: 0),
    Golden(name: "0.1.0", records: 18, blobs: 2),
  ]

  struct Golden: Sendable, CustomTestStringConvertible {
    let name: String
    let records: Int64
    let blobs: Int64

    var path: String { BuiltProgram.packageRoot + "Tests/capsuleTests/Golden/" + name }
    var answersPath: FilePath { FilePath(path + "/answers.jsonl") }
    var testDescription: String { name }
  }

  private static let isRecording = getenv("CAPSULE_GOLDEN") != nil
  private let home: HostedStore

  init() throws { home = try HostedStore(now: "2030-02-28T12:00:00Z") }

  /// The copy that a test works on, without empty directories as a clone leaves it.
  private func copy(_ golden: Golden) throws {
    let data = home.path + "/.local/share"
    let copied = try ProgramRun(
      shell: "mkdir -p '\(data)' && cp -R '\(golden.path)/store' '\(home.store)'"
    ).result()
    try require(copied.end == .exited(0))
  }

  /// All that is asked of a store.
  private func commands() throws -> [String] {
    var commands = [
      "list", "event list", "event list --sort date", "item list", "item list --sort value",
      "item totals", "item categories", "since", "agenda --from 2030-01-15 --to 2030-03-15",
      "next --limit 20", "beneficiary list", "bequest list", "passing show", "status", "restore",
      "on-this-day", "on-this-day 2027-05-01", "settings list",
    ]
    let parts = [
      ("event", ["show"]), ("item", ["show", "history", "media", "remind"]),
      ("beneficiary", ["show"]), ("bequest", ["show"]),
    ]
    for (noun, verbs) in parts {
      for record in try require(try home.json(noun, "list").array) {
        let id = try require(record["id"]?.string)
        commands += verbs.map { "\(noun) \($0) \(id)" }
      }
    }
    return commands
  }

  private func output(of command: String) throws -> JSON {
    let result = try home.run(command.split(separator: " ").map(String.init) + ["--json"])
    try require(result.code == .ok, "\(command): \(result.err)")
    return try result.json()
  }

  private static func answers(_ golden: Golden) throws -> [(command: String, output: JSON)] {
    let bytes = try POSIXFileSystem().readFile(golden.answersPath, limit: 1 << 24)
    return try bytes.split(separator: UInt8(ascii: "\n")).map { line in
      let entry = try JSON.parse(Array(line))
      return (try require(entry["command"]?.string), try require(entry["output"]))
    }
  }

  @Test(.enabled(if: isRecording, "it is written once only"), arguments: stores)
  func `what the program of today says is written down`(golden: Golden) throws {
    try copy(golden)
    var lines: [UInt8] = []
    for command in try commands() {
      let entry: JSON = ["command": .string(command), "output": try output(of: command)]
      lines += entry.encoded(.compact) + [UInt8(ascii: "\n")]
    }
    try POSIXFileSystem().withFile(golden.answersPath, .createExclusive(mode: 0o644)) {
      file throws(Fault) in
      try POSIXFileSystem().writeAll(file, lines)
    }
  }

  /// What the answer lacks, or has otherwise; members may be added, and none may change.
  private func differences(_ found: JSON, from expected: JSON, at place: String) -> [String] {
    switch (expected, found) {
    case (.object(let old), .object(let new)):
      return old.flatMap { member -> [String] in
        guard let other = new[member.key] else { return ["\(place).\(member.key) is gone"] }
        return differences(other, from: member.value, at: "\(place).\(member.key)")
      }
    case (.array(let old), .array(let new)) where old.count == new.count:
      return zip(old, new).enumerated().flatMap { position, pair in
        differences(pair.1, from: pair.0, at: "\(place)[\(position)]")
      }
    default: return found == expected ? [] : ["\(place) was \(expected), is \(found)"]
    }
  }

  @Test(arguments: stores)
  func `every field of it is what the first program said, and nothing is migrated`(
    golden: Golden
  ) throws {
    try copy(golden)
    let answers = try Self.answers(golden)
    expect(answers.count > 20)
    for (command, answer) in answers {
      var now = try output(of: command)
      // A later version may know more settings; they come after the others.
      if command == "settings list", let old = answer.array, let new = now.array {
        now = .array(Array(new.prefix(old.count)))
      }
      var found = differences(now, from: answer, at: "")
      // The sentences about a setting are for people: they are there, in any words.
      if command == "settings list" {
        found.removeAll { difference in
          [".summary was ", ".accepts was "].contains { difference.contains("]" + $0) }
        }
      }
      expect(found.isEmpty, "\(command)")
    }
    // All that was asked changed no byte.
    let same = try ProgramRun(shell: "diff -r '\(golden.path)/store' '\(home.store)'")
      .result()
    expect(same.end, is: .exited(0), "\(same.out)")
  }

  @Test(arguments: stores)
  func `it is sound, and a change leaves all else as it was`(golden: Golden) throws {
    try copy(golden)
    let verified = try home.run(["verify", "--json"])
    expect(verified.code, is: .ok, "\(verified.err)")
    try expect(verified.json()["problems"], is: [])
    try expect(verified.json()["records"], is: .integer(golden.records))
    try expect(verified.json()["blobs"], is: .integer(golden.blobs))
    let changes = [
      "event": ["--notes", "New"], "item": ["--description", "New"],
      "beneficiary": ["--notes", "New"],
    ]
    for (command, answer) in try Self.answers(golden) {
      let words = command.split(separator: " ").map(String.init)
      guard words.dropFirst().first == "show", let change = changes[words[0]] else { continue }
      let edited = try home.run([words[0], "edit", words[2]] + change + ["--json"])
      expect(edited.code, is: .ok, "\(edited.err)")
      var found = differences(try output(of: command), from: answer, at: "")
      found.removeAll { difference in
        [".notes", ".description", ".revision", ".updatedAt", ".updatedAtLocal"].contains {
          difference.hasPrefix($0 + " ")
        }
      }
      expect(found.isEmpty, "\(command): \(found.prefix(3))")
    }
    let same = try ProgramRun(
      shell: "cd '\(golden.path)/store' && cmp store.json '\(home.store)/store.json' && "
        + "{ test ! -e settings.json || cmp settings.json '\(home.store)/settings.json'; }"
    ).result()
    expect(same.end, is: .exited(0), "\(same.out)")
    try expect(home.run(["verify"]).code, is: .ok)
  }

  @Test func `its images and media come back byte for byte, and from the trash too`() throws {
    let golden = try require(Self.stores.first)
    try copy(golden)
    let png: [UInt8] = [
      0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 3, 0, 0,
      0, 2, 8, 2, 0, 0, 0, 0x12, 0x16, 0xf1, 0x4d,
    ]
    try expect(home.run(["event", "image", "Grüße, 世界 <b>&"]).output, is: png)
    try expect(home.run(["item", "extract", "Gold ring", "1", "-o", "-"]).output, is: png)
    try expect(
      home.run(["item", "extract", "Gold ring", "deed.pdf", "-o", "-"]).out,
      is: "%PDF-1.7\n%of a deed\n")
    try expect(home.run(["restore", "Gone"]).code, is: .ok)
    try expect(home.run(["item", "extract", "Gone", "1", "-o", "-"]).output, is: png)
    try expect(home.run(["restore", "In the trash"]).code, is: .ok)
    try expect(home.run(["event", "image", "In the trash"]).output, is: png)
    try expect(home.run(["verify"]).code, is: .ok)
  }
}
