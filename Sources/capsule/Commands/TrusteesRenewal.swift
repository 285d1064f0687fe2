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
    operands: [TrusteesKind.kind.reference],
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

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let reference = invocation[TrusteesKind.kind.reference]
    let (store, record) = try session.records.required(
      TrusteeGroup.self, reference, intact: true)
    let terms = try terms(invocation, without: [], of: record.model, in: store, session)
    let folder = try TrusteesMakeCommand.folder(invocation, session)
    let identity = try ShareOptions.identity(of: record.model, invocation, session)
    let handout = try store.trustees.renewed(
      record, identity, terms, session.stores.settings(of: store), in: session.zone,
      now: session.now)
    let group = try TrusteesMakeCommand.keep(handout, folder, in: store, session)
    session.console.note("The old shares still open everything. Make sure that they are destroyed.")
    return TrusteesMakeCommand.answer(
      group, handout.pages, folder, did: "Renewed", in: store, session)
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
      sealsPages: invocation[TrusteesMakeCommand.seal],
      isClassic: invocation.has(TrusteesMakeCommand.classic))
  }
}

/// `capsule trustees replace`.
enum TrusteesReplaceCommand {
  static let without = Parameter.options(
    "without", value: "HOLDER", .text, "A holder who gets no share any more")

  static let command = Command(
    "trustees", "replace", summary: "Give a group a new key, to exclude a holder",
    discussion: """
      The command makes a new key for the group, as `capsule trustees make` does. The old shares \
      cannot open anything that is sealed to the group later. They still open everything that was \
      sealed before, and every copy that was made before.

      Recovery copies of capsules are sealed to the new key:

      - With enough old shares (`--shares`, `--share`): all copies that these shares open.
      - Without old shares: those of honor locks, if the store never had another group.

      The command lists what else the old shares open or may open, also in the trash. Make estate \
      files again. The store keeps who held the old shares.
      """,
    operands: [TrusteesKind.kind.reference],
    options: [
      without, TrusteesRenewCommand.holder, TrusteesRenewCommand.threshold,
      TrusteesMakeCommand.output, TrusteesMakeCommand.seal, TrusteesMakeCommand.classic,
      ShareOptions.shares, ShareOptions.share,
    ], outputs: .json,
    examples: [
      Example(
        "capsule trustees replace family --without 'Dr Okoye' --holder 'Dr Sato' -o pages",
        "Give Dr Okoye's share to Dr Sato")
    ],
    exitCodes: [.notFound, .key, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let reference = invocation[TrusteesKind.kind.reference]
    let (store, record) = try session.records.required(
      TrusteeGroup.self, reference, intact: true)
    let before = record.model
    let terms = try TrusteesRenewCommand.terms(
      invocation, without: invocation[without], of: before, in: store, session)
    let folder = try TrusteesMakeCommand.folder(invocation, session)
    let settings = session.stores.settings(of: store)
    let former =
      try ShareOptions.isGiven(invocation)
      ? ShareOptions.identity(of: before, invocation, session) : nil
    let handout = try store.trustees.withOtherKey(
      record, terms, settings, in: session.zone, now: session.now)
    let group = try TrusteesMakeCommand.keep(handout, folder, in: store, session)
    let trustees = try store.trust.vouched(group)
    // A protected store seals spares of honor locks anew while its passphrase is held.
    let keys = try session.passphrases.openedIfGiven(store, nil)
    let spares = keys.capsules.renewSpares(
      sealedTo: before.recipient, with: former, to: trustees, now: session.now)
    let copy = try keys.protection.renewTrusteesCopy(
      with: former, to: trustees, now: session.now)
    note(spares.left, spares.renewed, group, session)
    note(copy, group, session)
    return TrusteesMakeCommand.answer(
      group, handout.pages, folder, did: "Replaced the key of",
      adding: [
        "openToFormer": members(of: spares.left), "sealedAnew": members(of: spares.renewed),
        "storeCopy": (copy?.rawValue).json,
      ], in: store, session)
  }

  private static func members(of capsules: [SealedToTrustees]) -> JSON {
    .array(
      capsules.map {
        [
          "id": $0.id.json, "title": $0.title.json,
          "way": $0.way.rawValue.json, "isInTrash": $0.isInTrash.json,
        ]
      })
  }

  /// Says what became of the copy of the store's identities.
  private static func note(_ copy: CopyRenewal?, _ group: TrusteeGroup, _ session: Session) {
    switch copy {
    case .renewed?:
      session.console.note("The new shares open this store instead of its passphrase.")
    case .left?:
      session.console.warning(
        "the old shares may still open this store without its passphrase",
        hint: "switch to the new shares: capsule store protect --trustees \(group.name.shellWord)")
    case nil: break
    }
  }

  /// Says what the old shares still open.
  private static func note(
    _ left: [SealedToTrustees], _ renewed: [SealedToTrustees], _ group: TrusteeGroup,
    _ session: Session
  ) {
    session.console.note(
      "The old shares still open what was sealed before. Have them destroyed, and make a new estate "
        + "afterwards.")
    if !renewed.isEmpty {
      session.console.note(
        "\(String.counting(renewed.count, "capsule has", "capsules have")) a recovery copy for the new "
          + "shares instead.")
    }
    for capsule in left {
      let place = capsule.isInTrash ? "is in the trash and " : ""
      let restoring = capsule.isInTrash ? "capsule restore \(capsule.id), and then " : ""
      let words =
        switch capsule.way {
        case .spare:
          "has a recovery copy for the old shares; replace it: \(restoring)capsule edit \(capsule.id) --trustees '\(group.name.quotedForShell)'"
        case .escrow: "has the old shares as an escrow; seal its contents again"
        case .recipients: "may be sealed to the old shares; if so, seal its contents again"
        case .unreadable:
          "cannot be read and may be sealed to the old shares; look for a copy: capsule repair"
        }
      session.console.note(
        "'\(capsule.title, .bold)' \(capsule.id.description) \(place)\(words)")
    }
  }
}
