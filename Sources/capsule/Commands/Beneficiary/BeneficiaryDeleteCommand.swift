import CapsuleCore

/// `capsule beneficiary delete`.
enum BeneficiaryDeleteCommand {
  static let references = Parameter.operands(
    "BENEFICIARY", .reference(.beneficiary), minimum: 1, "An id, the start of one, or a name")

  static let command = Command(
    "beneficiary", "delete", summary: "Move people to the trash",
    discussion: """
      `capsule restore` puts a person back, until `capsule purge` removes the record for good. A \
      person who inherits something is deleted only with `--with-bequests`. Those bequests go and \
      come back with the person.
      """,
    operands: [references], options: [DeleteCommand.yes, DeleteCommand.withBequests],
    outputs: .json,
    examples: [
      Example("capsule beneficiary delete Lena --yes", "Move a person to the trash")
    ],
    exitCodes: [.partial, .notFound, .damaged, .busy, .version, .refused]
  ) { invocation, session in
    try DeleteCommand.delete(
      invocation[references], kind: .beneficiary, isConfirmed: invocation[DeleteCommand.yes],
      withBequests: invocation[DeleteCommand.withBequests], session)
  }
}
