import CapsuleCore

/// `capsule trustees renew`.
enum TrusteesRenewCommand {
  static let threshold = Option(
    "threshold", short: "k", value: "K", .integer(2...TrusteeGroup.mostShares),
    "How many holders must come together; as before where it is not given")
  static let holder = RepeatableOption(
    "holder", value: "HOLDER", .reference(.beneficiary),
    "Who gets a share: a person by id or name, or any other name; those before where none is given")

  static let command = Command(
    "trustees", "renew", summary: "Make new shares of the same key, from enough old ones",
    discussion: """
      The key stays, so nothing has to be sealed anew. It revokes nothing: the old shares still open \
      everything until they are destroyed, and every new page says so. New and old ones do not go \
      together. Against a holder who is to have no share any more, `capsule trustees replace` makes \
      another key.
      """,
    operands: [TrusteesShowCommand.reference],
    options: [
      ShareOptions.share, threshold, holder, TrusteesMakeCommand.output, TrusteesMakeCommand.seal,
    ], outputs: .json,
    examples: [
      Example(
        "capsule trustees renew family -o pages", "Type enough old shares, and make new ones"),
      Example(
        "capsule trustees renew family -k 3 --holder Mia --holder Ben --holder Zoe --holder Ann -o p",
        "Give the key to others"),
    ],
    exitCodes: [.notFound, .key, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = try invocation[TrusteesShowCommand.reference]
    var (store, record) = try session.requiredRecord(TrusteeGroup.self, reference, intact: true)
    let group = record.model
    let words = invocation[holder]
    let holders =
      words.isEmpty
      ? group.shares.map { Holder($0, in: store) }
      : try words.map { try Holder($0, in: store, session) }
    try Holder.requireDifferent(holders)
    let threshold = try TrusteesMakeCommand.checked(
      threshold: invocation[threshold] ?? group.threshold, holders: holders.count)
    let recipients =
      try invocation[TrusteesMakeCommand.seal] ? holders.map { try $0.recipient() } : []
    guard let output = invocation[TrusteesMakeCommand.output] else {
      throw Failure.usage(
        "it is not said where to write the pages", hint: "'--output DIR' says it")
    }
    let folder = try TrusteesMakeCommand.folder(output, session)
    let identity = try ShareOptions.identity(of: group, invocation, session)
    let shares = try TrusteeShares(
      of: identity, threshold: threshold, count: holders.count, unlike: group.allIdentifiers,
      random: session.host.random)
    record.model.renew(
      identifier: shares.identifier, threshold: threshold,
      shares: TrusteesMakeCommand.kept(holders, shares, session))
    let pages = try TrusteePages(
      of: record.model, shares, owner: session.storeSettings(store).owner, sealedTo: recipients,
      session)
    let made = try TrusteesMakeCommand.keeping(
      pages, of: record.model, folder, output, in: store, session
    ) {
      try store.update(record, now: session.now).model
    }
    session.console.note(
      "The old shares still open everything: see that they are destroyed.")
    return try TrusteesMakeCommand.answer(made, pages, folder, did: "Renewed", session)
  }
}
