import CapsuleCore

/// `capsule bequest delete`.
enum BequestDeleteCommand {
  static let references = Parameter.operands(
    "REF", .reference(.bequest), minimum: 1,
    "An id, the start of one, or the name of the item, capsule or person")

  static let command = Command(
    "bequest", "delete", summary: "Move bequests to the trash",
    discussion: """
      The item or capsule and the person stay. `capsule restore` puts a bequest back while both \
      exist.
      """,
    operands: [references], options: [DeleteCommand.yes], outputs: .json,
    examples: [
      Example("capsule bequest delete 'Gold ring' --yes", "Delete a bequest")
    ],
    exitCodes: [.partial, .notFound, .damaged, .busy, .version, .refused]
  ) { invocation, session in
    try DeleteCommand.delete(
      invocation[references], kind: .bequest, isConfirmed: invocation[DeleteCommand.yes], session)
  }
}
