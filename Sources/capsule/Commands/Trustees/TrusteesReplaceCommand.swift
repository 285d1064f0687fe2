import CapsuleCore

/// `capsule trustees replace`.
enum TrusteesReplaceCommand {
  static let without = RepeatableOption(
    "without", value: "HOLDER", .text, "Who is to have no share any more, of those before")

  static let command = Command(
    "trustees", "replace", summary: "Give a group another key, to drop a holder",
    discussion: """
      It makes a new identity as `capsule trustees make` does, and the group has that from then on: what \
      is sealed to it later is closed to the old shares. The store keeps who held those.

      Spares of capsules are sealed to the new key where theirs can be had: with enough old shares \
      (`--shares`, `--share`) all that open now; without them, where this is the only group there ever \
      was, those of honor locks. All else is named that the old shares open, or may open: it stays open to \
      them, and so does every copy made before. An estate is to be made anew.
      """,
    operands: [TrusteesShowCommand.reference],
    options: [
      without, TrusteesRenewCommand.holder, TrusteesRenewCommand.threshold,
      TrusteesMakeCommand.output, TrusteesMakeCommand.seal, ShareOptions.shares, ShareOptions.share,
    ], outputs: .json,
    examples: [
      Example(
        "capsule trustees replace family --without 'Dr Okoye' --holder Ann -o pages",
        "Give Dr Okoye's place to Ann")
    ],
    exitCodes: [.notFound, .key, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = try invocation[TrusteesShowCommand.reference]
    var (store, record) = try session.requiredRecord(TrusteeGroup.self, reference, intact: true)
    let group = record.model
    let holders = try holders(invocation, of: group, in: store, session)
    let threshold = try TrusteesMakeCommand.checked(
      threshold: invocation[TrusteesRenewCommand.threshold] ?? group.threshold,
      holders: holders.count)
    let recipients =
      try invocation[TrusteesMakeCommand.seal] ? holders.map { try $0.recipient() } : []
    guard let output = invocation[TrusteesMakeCommand.output] else {
      throw Failure.usage(
        "it is not said where to write the pages", hint: "'--output DIR' says it")
    }
    let folder = try TrusteesMakeCommand.folder(output, session)
    let settings = session.storeSettings(store)
    let former =
      try ShareOptions.isGiven(invocation)
      ? ShareOptions.identity(of: group, invocation, session) : nil
    let identity = try AgeIdentity(
      isPostQuantum: settings.sealsPostQuantum, random: session.host.random)
    let shares = try TrusteeShares(
      of: identity, threshold: threshold, count: holders.count, unlike: group.allIdentifiers,
      random: session.host.random)
    record.model.replaceKey(
      recipient: shares.recipient.description, identifier: shares.identifier,
      threshold: threshold, shares: TrusteesMakeCommand.kept(holders, shares, session),
      at: session.now)
    let pages = try TrusteePages(
      of: record.model, shares, owner: settings.owner, sealedTo: recipients, session)
    let made = try TrusteesMakeCommand.keeping(
      pages, of: record.model, folder, output, in: store, session
    ) {
      try store.update(record, now: session.now).model
    }
    // A protected store seals spares of honor locks anew while its passphrase is held.
    let keys = try session.openedIfGiven(store, nil)
    let spares = keys.renewSpares(
      sealedTo: group.recipient, with: former, to: shares.recipient, now: session.now)
    note(spares.left, spares.renewed, made, session)
    return try TrusteesMakeCommand.answer(
      made, pages, folder, did: "Replaced the key of",
      adding: [
        "openToFormer": members(of: spares.left), "sealedAnew": members(of: spares.renewed),
      ], session)
  }

  private static func members(of capsules: [SealedToTrustees]) -> JSON {
    .array(
      capsules.map {
        .object([
          "id": .string($0.id.description), "title": .string($0.title),
          "way": .string($0.way.rawValue),
        ])
      })
  }

  /// Returns the people who get a share: the holders before, without some, and with others.
  private static func holders(
    _ invocation: Invocation, of group: TrusteeGroup, in store: Store, _ session: Session
  ) throws -> [Holder] {
    let dropped = try invocation[without].map {
      try TrusteesMarkCommands.place(of: $0.trimmed, in: group)
    }
    let kept = group.shares.indices.filter { !dropped.contains($0) }
      .map { Holder(group.shares[$0], in: store) }
    let added = try invocation[TrusteesRenewCommand.holder].map {
      try Holder($0, in: store, session)
    }
    // Without a word on who is to go, those who are named are all.
    let holders = dropped.isEmpty && !added.isEmpty ? added : kept + added
    try Holder.requireDifferent(holders)
    return holders
  }

  /// Says what the old shares still open.
  private static func note(
    _ left: [SealedToTrustees], _ renewed: [SealedToTrustees], _ group: TrusteeGroup,
    _ session: Session
  ) {
    session.console.note(
      "What was sealed before stays open to the old shares: have them destroyed, and make an estate "
        + "anew.")
    if !renewed.isEmpty {
      session.console.note(
        "\(String.counting(renewed.count, "capsule has", "capsules have")) a spare for the new "
          + "shares instead.")
    }
    for capsule in left {
      let words =
        switch capsule.way {
        case .spare:
          "has a spare; for the new ones: capsule edit \(capsule.id) --trustees '\(group.name.quotedForShell)'"
        case .escrow: "has them as an escrow, and keeps them: seal its contents anew"
        case .recipients: "may be sealed to them, which cannot be seen: then seal its contents anew"
        }
      session.console.note("'\(capsule.title, .bold)' \(capsule.id.description) \(words)")
    }
  }
}
