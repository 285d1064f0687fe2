import CapsuleCore

/// `capsule item delete`.
enum ItemDeleteCommand {
  static let references = Parameter.operands(
    "ITEM", .reference(.item), minimum: 1, "An id, the start of one, or a name")

  static let command = Command(
    "item", "delete", summary: "Move items to the trash",
    discussion: """
      Attachments, history and reminder go to the trash with the item. `capsule restore` puts them \
      all back, until `capsule purge` removes the item for good. While the item is in the trash, \
      another item can take its name.

      An item that is left to a person is deleted only with `--with-bequests`. Its bequests go and \
      come back with the item.
      """,
    operands: [references], options: [DeleteCommand.yes, DeleteCommand.withBequests],
    outputs: .json,
    examples: [
      Example("capsule item delete 'Gold ring' --yes", "Move an item to the trash")
    ],
    exitCodes: [.partial, .notFound, .damaged, .busy, .version, .refused]
  ) { invocation, session in
    try DeleteCommand.delete(
      invocation[references], kind: .item, isConfirmed: invocation[DeleteCommand.yes],
      withBequests: invocation[DeleteCommand.withBequests], session)
  }
}
