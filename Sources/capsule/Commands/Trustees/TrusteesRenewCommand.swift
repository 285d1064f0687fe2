import CapsuleCore

/// `capsule trustees renew`.
enum TrusteesRenewCommand {
  static let threshold = Parameter.option(
    "threshold", short: "k", value: "K", .integer(2...TrusteeGroup.mostShares),
    "How many holders are needed to open something; as before if omitted")
  static let holder = Parameter.options(
    "holder", value: "HOLDER", .reference(.beneficiary),
    "A person who gets a share, by id or name, or any other name; the same holders if omitted")

  static let command = Command(
    "trustees", "renew", summary: "Make new shares of a group's key from enough old ones",
    discussion: """
      The key stays the same, so nothing has to be sealed again. The old shares still open \
      everything until they are destroyed, and every new page says so. New and old shares do not \
      work together.

      To exclude a holder, use `capsule trustees replace`, which makes a new key.
      """,
    operands: [TrusteesShowCommand.reference],
    options: [
      ShareOptions.share, threshold, holder, TrusteesMakeCommand.output, TrusteesMakeCommand.seal,
    ], outputs: .json,
    examples: [
      Example("capsule trustees renew family -o pages", "Make new sheets after one was lost"),
      Example(
        "capsule trustees renew family -k 2 --holder Zoe --holder Lena --holder 'Dr Sato' -o pages",
        "Give the shares to other people"),
    ],
    exitCodes: [.notFound, .key, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = try invocation[TrusteesShowCommand.reference]
    let (store, record) = try session.records.required(
      TrusteeGroup.self, reference, intact: true)
    let terms = try terms(invocation, without: [], of: record.model, in: store, session)
    let folder = try TrusteesMakeCommand.folder(invocation, session)
    let identity = try ShareOptions.identity(of: record.model, invocation, session)
    let handout = try store.renewed(
      record, identity, terms, session.stores.settings(of: store), in: session.zone,
      now: session.now)
    let group = try TrusteesMakeCommand.keep(handout, folder, in: store, session)
    session.console.note("The old shares still open everything: see that they are destroyed.")
    return try TrusteesMakeCommand.answer(
      group, handout.pages, folder, did: "Renewed", session)
  }

  /// Who gets the shares of a group's next set, and how many of them are needed.
  static func terms(
    _ invocation: Invocation, without dropped: [String], of group: TrusteeGroup, in store: Store,
    _ session: Session
  ) throws -> TrusteeTerms {
    let added = try invocation[holder].map { try TrusteeHolder($0, in: store, now: session.now) }
    return try TrusteeTerms(
      holders: group.holders(without: dropped, adding: added, in: store),
      threshold: invocation[threshold] ?? group.threshold,
      sealsPages: invocation[TrusteesMakeCommand.seal])
  }
}
