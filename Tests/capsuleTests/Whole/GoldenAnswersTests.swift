import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Stores that were made once by the program of their time, and what it said of them: every later
/// version reads all of it, and says the same of every field.
///
/// A folder of `Golden` has a `store`, the script `make` that made it, and `answers.json`. A new one
/// joins by ``stores``; its answers are written, once, by
/// `CAPSULE_GOLDEN=record swift test --filter GoldenAnswersTests`.
@Suite struct GoldenAnswersTests {
  /// Folders of `Golden`, and how many records and blobs each holds.
  static let stores = [
    Golden(name: "format-1-events-items", records: 17, blobs: 3),
    Golden(name: "format-1-people", records: 14, blobs: 0),
    Golden(name: "format-1-repeats", records: 12, blobs: 0),
    Golden(name: "format-1-one-second", records: 30, blobs: 0),
  ]

  struct Golden: Sendable, CustomTestStringConvertible {
    let name: String
    let records: Int64
    let blobs: Int64

    var path: String { BuiltProgram.packageRoot + "Tests/capsuleTests/Golden/" + name }
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
  private func questions() throws -> [[String]] {
    var questions = [
      ["list"], ["event", "list"], ["event", "list", "--sort", "date"], ["item", "list"],
      ["item", "list", "--sort", "value"], ["item", "totals"], ["item", "categories"], ["since"],
      ["agenda", "--from", "2030-01-15", "--to", "2030-03-15"], ["next", "--limit", "20"],
      ["beneficiary", "list"], ["bequest", "list"], ["passing", "show"], ["status"], ["restore"],
      ["on-this-day"], ["on-this-day", "2027-05-01"],
      ["settings", "list"],
    ]
    let parts = [
      ("event", ["show"]), ("item", ["show", "history", "media", "remind"]),
      ("beneficiary", ["show"]), ("bequest", ["show"]),
    ]
    for (noun, verbs) in parts {
      for id in try require(try home.json(noun, "list").array) {
        for verb in verbs { questions.append([noun, verb, try require(id["id"]?.string)]) }
      }
    }
    return questions
  }

  private static func answers(_ golden: Golden) throws -> [(words: [String], answer: JSON)] {
    let bytes = try POSIXFileSystem().readFile(
      FilePath(golden.path + "/answers.json"), limit: 1 << 24)
    return try require(try JSON.parse(bytes).array).map { entry in
      let words = try require(entry["words"]?.array).compactMap(\.string)
      return (words, try require(entry["answer"]))
    }
  }

  @Test(.enabled(if: isRecording, "it is written once only"), arguments: stores)
  func `what the program of today says is written down`(golden: Golden) throws {
    try copy(golden)
    var entries: [JSON] = []
    for words in try questions() {
      let result = try home.run(words + ["--json"])
      try require(result.code == .ok, "\(words): \(result.err)")
      entries.append([
        "words": .array(words.map { .string($0) }), "answer": try result.json(),
      ])
    }
    let path = FilePath(golden.path + "/answers.json")
    try POSIXFileSystem().withFile(path, .createExclusive(mode: 0o644)) {
      file throws(FileSystemError) in
      try POSIXFileSystem().writeAll(file, JSON.array(entries).encoded(.pretty))
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
    for (words, answer) in answers {
      let result = try home.run(words + ["--json"])
      expect(result.code, is: .ok, "\(words): \(result.err)")
      var now = try result.json()
      // A later version may know more settings; they stand behind the others.
      if words == ["settings", "list"], let old = answer.array, let new = now.array {
        now = .array(Array(new.prefix(old.count)))
      }
      let found = differences(now, from: answer, at: "")
      expect(found.isEmpty, "\(words)")
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
    for (words, answer) in try Self.answers(golden) where words.dropFirst().first == "show" {
      guard let change = changes[words[0]] else { continue }
      let edited = try home.run([words[0], "edit", words[2]] + change + ["--json"])
      expect(edited.code, is: .ok, "\(edited.err)")
      var found = differences(try home.run(words + ["--json"]).json(), from: answer, at: "")
      found.removeAll { difference in
        [".notes", ".description", ".revision", ".updatedAt", ".updatedAtLocal"].contains {
          difference.hasPrefix($0 + " ")
        }
      }
      expect(found.isEmpty, "\(words)")
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
