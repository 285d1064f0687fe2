import CapsuleCore

/// `capsule show`.
enum ShowCommand {
  static let reference = Parameter.operand(
    "REF", .reference(.record), "An id, the start of one, or a title")

  static let command = Command(
    "show", summary: "Show everything about a capsule except its contents",
    discussion: """
      `show` never opens a capsule, locked or not. It lists the kind and the sealed size of each part, \
      and when the part was added.

      If no capsule has the id or title, `show` looks for an event, item, person, bequest or trustee \
      group instead. The page is the same as that of `event show`, `item show` and so on. In JSON, the \
      member `kind` says which kind it is.
      """,
    operands: [reference], outputs: .json,
    examples: [
      Example("capsule show 3f2a", "Show a capsule by the start of its id"),
      Example("capsule show 'To Mia at 18' --json", "Read a capsule's details in a script"),
    ],
    exitCodes: [.notFound, .damaged, .version],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let reference = invocation[reference]
    let store = try session.stores.required(for: reference)
    let found = try session.records.find(
      reference, inTurn: [[.capsule], RecordKind.allCases.filter { $0 != .capsule }], in: store)
    return try session.answers.page(of: found, in: store)
  }
}
