import CapsuleCore

/// `capsule bequest delete`.
enum BequestDeleteCommand {
  static let references = RepeatableOperand(
    "REF", .reference(.bequest), minimum: 1,
    "An id, the start of one, or the name of what is left or of the person")

  static let command = Command(
    "bequest", "delete", summary: "Move bequests to the trash",
    discussion: """
      The person and the thing stay. `capsule restore` brings a bequest back, as long as both are \
      there.
      """,
    operands: [references], options: [DeleteCommand.yes], outputs: .json,
    examples: [Example("capsule bequest delete 'Gold ring' --yes", "Leave it to nobody")],
    exitCodes: [.partial, .notFound, .damaged, .busy, .version, .refused]
  ) { invocation, session in
    try DeleteCommand.delete(
      invocation[references], kind: .bequest, isConfirmed: invocation[DeleteCommand.yes], session)
  }
}
