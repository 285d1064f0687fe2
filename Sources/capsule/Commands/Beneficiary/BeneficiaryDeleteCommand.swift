import CapsuleCore

/// `capsule beneficiary delete`.
enum BeneficiaryDeleteCommand {
  static let references = RepeatableOperand(
    "BENEFICIARY", .reference(.beneficiary), minimum: 1, "An id, the start of one, or a name")

  static let command = Command(
    "beneficiary", "delete", summary: "Move people to the trash",
    discussion: """
      `capsule restore` brings a person back, until `capsule purge` removes the record for good. \
      Somebody to whom something is left goes only with `--with-bequests`, and comes back with the \
      bequests.
      """,
    operands: [references], options: [DeleteCommand.yes, DeleteCommand.withBequests],
    outputs: .json,
    examples: [
      Example("capsule beneficiary delete 'Zoë Martin' --yes", "Move a person to the trash")
    ],
    exitCodes: [.partial, .notFound, .damaged, .busy, .version, .refused]
  ) { invocation, session in
    try DeleteCommand.delete(
      invocation[references], kind: .beneficiary, isConfirmed: invocation[DeleteCommand.yes],
      withBequests: invocation[DeleteCommand.withBequests], session)
  }
}
