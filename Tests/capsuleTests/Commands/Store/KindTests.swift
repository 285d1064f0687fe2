import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// What the commands of every kind do alike; what is particular to a kind is in its transcripts.
@Suite struct KindTests {
  /// A kind, its words on the command line, and the name of the record that ``made(_:)`` makes.
  struct Subject: Sendable, CustomTestStringConvertible {
    let kind: RecordKind
    let noun: [String]
    let name: String
    let making: [[String]]

    var testDescription: String { kind.rawValue }
  }

  static let subjects = [
    Subject(
      kind: .capsule, noun: [], name: "Été",
      making: [["create", "Été", "--unlock", "2040-01-01", "--text", "sun"]]),
    Subject(
      kind: .event, noun: ["event"], name: "Été",
      making: [["event", "add", "Été", "--on", "2040-01-01"]]),
    Subject(kind: .item, noun: ["item"], name: "Été", making: [["item", "add", "Été"]]),
    Subject(
      kind: .beneficiary, noun: ["beneficiary"], name: "Été",
      making: [["beneficiary", "add", "Été"]]),
    Subject(
      kind: .bequest, noun: ["bequest"], name: "Été to Zoé",
      making: [
        ["item", "add", "Été"], ["beneficiary", "add", "Zoé"],
        ["bequeath", "--access", "immediate", "Été", "--to", "Zoé"],
      ]),
    Subject(
      kind: .trustees, noun: ["trustees"], name: "Été",
      making: [
        [
          "trustees", "make", "Été", "--threshold", "2", "--holder", "Mia", "--holder", "Ben",
          "--output", "pages",
        ]
      ]),
  ]

  private func made(_ subject: Subject) throws -> HostedStore {
    let home = try HostedStore()
    for words in subject.making {
      try home.done(words.map { $0 == "pages" ? home.path + "/pages" : $0 })
    }
    return home
  }

  private func ids(_ home: HostedStore, _ subject: Subject, _ more: String...) throws -> [String] {
    try home.json(subject.noun + ["list"] + more).array?.compactMap { $0["id"]?.string } ?? []
  }

  @Test(arguments: subjects)
  func `a record is listed, shown, deleted and restored by whatever means it`(
    _ subject: Subject
  ) throws {
    let home = try made(subject)
    let id = try require(try ids(home, subject).first)
    for word in [id, String(id.prefix(8)), subject.name, subject.name.lowercased()] {
      let shown = try home.json(subject.noun + ["show", word])
      expect(shown["id"], is: .string(id))
      expect(shown["kind"], is: .string(subject.kind.rawValue))
      expect(shown["revision"], is: 1)
      let anywhere = try home.json(["show", id])
      expect(anywhere, is: shown)
    }
    try home.done(subject.noun + ["delete", id, "--yes"])
    expect(try ids(home, subject), is: [])
    _ = try home.refusal(.notFound, subject.noun + ["show", id])
    _ = try home.refusal(.notFound, subject.noun + ["delete", id, "--yes"])
    try home.done(["restore", id])
    expect(try ids(home, subject), is: [id])
  }

  @Test(arguments: subjects)
  func `a list is limited, refused an unknown order, and has a status of its own when empty`(
    _ subject: Subject
  ) throws {
    let home = try made(subject)
    let id = try require(try ids(home, subject).first)
    expect(try ids(home, subject, "--limit", "1"), is: [id])
    _ = try home.refusal(.usage, subject.noun + ["list", "--limit", "0"])
    let lines = try home.done(subject.noun + ["list", "--ndjson"]).split(separator: "\n")
    expect(lines.count, is: 1)
    let plain = try home.done(subject.noun + ["list", "--plain"])
    expect(plain.contains(id))
    try home.done(subject.noun + ["delete", id, "--yes"])
    _ = try home.refusal(.none, subject.noun + ["list", "--exit-code"])
    expect(try home.done(subject.noun + ["list", "--ndjson"]), is: "")
    expect(try home.json(subject.noun + ["list"]), is: .array([]))
  }

  @Test(arguments: subjects)
  func `nothing is deleted without a yes`(_ subject: Subject) throws {
    let home = try made(subject)
    let id = try require(try ids(home, subject).first)
    _ = try home.refusal(.refused, subject.noun + ["delete", id])
    expect(try ids(home, subject), is: [id])
  }
}
