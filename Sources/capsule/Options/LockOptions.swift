import CapsuleCore

/// The lock that the options of `create` ask for.
enum LockOptions {
  static let trustees = Option(
    "trustees", value: "TRUSTEES", .reference(.trustees),
    "Let enough trustees of this group open it together; with '--timelock' they need not wait")
  static let noTrustees = Flag(
    "no-trustees", "Make no spare for the trustees that the setting `trustees` names")
  static let and = Flag(
    "and", "Ask for the date and the trustees, with '--timelock' and '--trustees'")

  /// Returns the lock that is asked for.
  ///
  /// - Parameter store: the store that has the trustees; `nil` where there is none.
  static func request(
    _ invocation: Invocation, until instant: Instant, in store: Store?, _ settings: StoreSettings,
    _ session: Session
  ) throws -> LockRequest {
    if invocation[noTrustees], invocation.has(trustees) {
      throw UsageProblem.contradiction("--no-trustees", "--trustees")
    }
    let request = try named(invocation, until: instant, in: store, settings, session)
    guard let store, !invocation.has(trustees), !invocation[noTrustees],
      let group = try store.spareTrustees(settings, now: session.now)
    else { return request }
    return try withSpare(request, for: group, settings, session)
  }

  /// Adds the spare that the setting asks for, or says why there is none.
  private static func withSpare(
    _ request: LockRequest, for group: TrusteeGroup, _ settings: StoreSettings, _ session: Session
  ) throws -> LockRequest {
    let recipient = try AgeRecipient(group.recipient)
    do throws(SpareRefusal) {
      let request = try request.withSpare(
        to: recipient, isPostQuantum: settings.sealsPostQuantum)
      session.console.note(
        "It has a spare for the trustees of '\(group.name)': any \(group.threshold) of "
          + "\(group.shares.count) can open it too.")
      return request
    } catch {
      session.console.note("No spare for the trustees of '\(group.name)': \(error.words).")
      return request
    }
  }

  /// Returns the lock that the options name.
  private static func named(
    _ invocation: Invocation, until instant: Instant, in store: Store?, _ settings: StoreSettings,
    _ session: Session
  ) throws -> LockRequest {
    let group = try group(invocation, in: store, session)
    var recipients = try KeyOptions.recipients(invocation, session)
    let isTimelocked = invocation[TimelockOptions.timelock]
    // Beside a passphrase trustees get a spare, beside a timelock alone they are its escrow; in every other
    // layer they are one more recipient.
    let isSpare = PassphraseOptions.isGiven(invocation)
    let isEscrow = isTimelocked && recipients.isEmpty && !isSpare && !invocation[and]
    if let group, !isEscrow, !isSpare { recipients.append(try AgeRecipient(group.recipient)) }
    var inner: (kind: LockKind, layer: [any Recipient])?
    if PassphraseOptions.isGiven(invocation) {
      guard recipients.isEmpty else {
        throw Failure.usage(
          "a passphrase and recipients cannot stand in one lock",
          hint: "choose one; either would open it alone")
      }
      if let group, !group.isPostQuantum, settings.sealsPostQuantum {
        throw Failure.usage(
          "the key of '\(group.name)' is X25519, and the capsule is post-quantum: a spare for them "
            + "would be its weakest part",
          hint: "make another group, or leave '--trustees' out")
      }
      inner = (.passphrase, [try PassphraseOptions.recipient(invocation, session)])
    } else if !recipients.isEmpty {
      inner = (.recipients, recipients)
    }
    if let inner { try RecipientsFault.check(inner.layer) }
    let spare: [any Recipient] =
      if isSpare, let group { [try AgeRecipient(group.recipient)] } else { [] }
    if let group { note(group, isEscrow: isEscrow, invocation, session) }
    guard isTimelocked else {
      for option in [TimelockOptions.escrow as any OptionDeclaration, TimelockOptions.chain]
      where invocation.has(option) {
        throw Failure.usage(
          "'--\(option.spec.name)' goes with '--timelock'", hint: "add '--timelock'")
      }
      return inner.map {
        LockRequest(
          kind: $0.kind, layers: [$0.layer], spareLayers: spare.isEmpty ? [] : [spare])
      } ?? .honor
    }
    return try timelock(
      invocation, until: instant, inner, isEscrow ? group : nil, spare, session)
  }

  /// Finds the group that is named, and refuses what does not go with it.
  private static func group(
    _ invocation: Invocation, in store: Store?, _ session: Session
  ) throws -> TrusteeGroup? {
    if invocation[and] {
      guard invocation[TimelockOptions.timelock], invocation.has(trustees) else {
        throw Failure.usage(
          "'--and' goes with '--timelock' and '--trustees'",
          hint: "it asks for the date and the trustees, both")
      }
      let others: [any OptionDeclaration] =
        PassphraseOptions.newOptions + [KeyOptions.recipient, KeyOptions.recipientsFile]
      for option in others where invocation.has(option) {
        throw UsageProblem.contradiction("--and", "--\(option.spec.name)")
      }
    }
    guard let reference = invocation[trustees] else { return nil }
    guard let store else { throw Failure.notFound(reference, among: [.trustees]) }
    let group = try session.record(TrusteeGroup.self, reference, in: store, intact: true).model
    if group.leftCount < group.threshold { session.warn(of: group) }
    return group
  }

  /// Says what the trustees can do, before anything is sealed.
  private static func note(
    _ group: TrusteeGroup, isEscrow: Bool, _ invocation: Invocation, _ session: Session
  ) {
    let whom = "\(group.threshold) of the \(group.shares.count) trustees of '\(group.name)'"
    let others =
      invocation.has(KeyOptions.recipient) || invocation.has(KeyOptions.recipientsFile)
    let words =
      if PassphraseOptions.isGiven(invocation) {
        invocation[TimelockOptions.timelock]
          ? "It opens from the date on, with the passphrase or to any \(whom)."
          : "The passphrase opens it, or any \(whom)."
      } else if isEscrow {
        "The date opens it, or any \(whom) at any time."
      } else if invocation[TimelockOptions.timelock] {
        others
          ? "It opens from the date on, to one of the recipients or to any \(whom)."
          : "It opens from the date on, and to any \(whom) only."
      } else {
        "Any \(whom) can open it at any time, by hand; 'capsule open' waits for the date."
      }
    session.console.note(StyledText(words))
  }

  private static func timelock(
    _ invocation: Invocation, until instant: Instant,
    _ inner: (kind: LockKind, layer: [any Recipient])?, _ trustees: TrusteeGroup?,
    _ spare: [any Recipient], _ session: Session
  ) throws -> LockRequest {
    let chain = try TimelockOptions.chain(invocation, session)
    var outer: [any Recipient] = []
    let recipient = TlockRecipient(chain: chain, until: instant)
    outer.append(recipient)
    let escrow =
      invocation[TimelockOptions.escrow] + (trustees.map { [$0.recipient] } ?? [])
    let escrowKeys = try escrow.map { try AgeRecipient(named: $0) }
    outer += escrowKeys
    if let inner,
      let both = escrowKeys.first(where: { key in
        inner.layer.contains { $0 as? AgeRecipient == key }
      })
    {
      session.console.warning(
        "'\(RecipientText.shortened(both.description))' is an escrow and a recipient: it opens the "
          + "capsule alone, at any time",
        hint: "name another escrow, so that the date holds")
    }
    if !invocation[TimelockOptions.escrow].isEmpty {
      session.console.note(
        "Whoever has the identity of the escrow can lift the timelock at any time.")
    }
    TimelockOptions.warn(until: instant, hasEscrow: !escrow.isEmpty, session)
    return LockRequest(
      kind: .timelock, layers: [outer] + (inner.map { [$0.layer] } ?? []),
      timelock: Timelock(
        chain: chain, round: recipient.round, inner: inner?.kind, escrow: escrow),
      spareLayers: spare.isEmpty ? [] : [outer, spare])
  }
}
