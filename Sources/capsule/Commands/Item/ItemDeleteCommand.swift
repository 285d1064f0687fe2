import CapsuleCore

/// `capsule item delete`.
enum ItemDeleteCommand {
  static let references = RepeatableOperand(
    "ITEM", .reference(.item), minimum: 1, "An id, the start of one, or a name")

  static let command = Command(
    "item", "delete", summary: "Move items to the trash, with all they have",
    discussion: """
      The media, the history and the reminder of an item go with it, and come back with \
      `capsule restore`, until `capsule purge` removes it for good. The name is free meanwhile. \
      What is left to somebody goes only with `--with-bequests`, and comes back with its bequests.
      """,
    operands: [references], options: [DeleteCommand.yes, DeleteCommand.withBequests],
    outputs: .json,
    examples: [Example("capsule item delete 'Gold ring' --yes", "Move an item to the trash")],
    exitCodes: [.partial, .notFound, .damaged, .busy, .version, .refused]
  ) { invocation, session in
    try DeleteCommand.delete(
      invocation[references], kind: .item, isConfirmed: invocation[DeleteCommand.yes],
      withBequests: invocation[DeleteCommand.withBequests], session)
  }
}
