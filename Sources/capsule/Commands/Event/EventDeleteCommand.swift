import CapsuleCore

/// `capsule event delete`.
enum EventDeleteCommand {
  static let references = Parameter.operands(
    "REF", .reference(.event), minimum: 1, "An id, the start of one, or a title")

  static let command = Command(
    "event", "delete", summary: "Move events to the trash",
    discussion: "`capsule restore` restores an event until `capsule purge` removes it for good.",
    operands: [references], options: [DeleteCommand.yes], outputs: .json,
    examples: [
      Example("capsule event delete 'Book club' --yes", "Delete an event without being asked")
    ],
    exitCodes: [.partial, .notFound, .damaged, .busy, .version, .refused]
  ) { invocation, session in
    try DeleteCommand.delete(
      invocation[references], kind: .event, isConfirmed: invocation[DeleteCommand.yes], session)
  }
}
