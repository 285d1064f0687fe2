import CapsuleCore

/// The lock that the options of `create` ask for.
enum LockOptions {
  static func request(
    _ invocation: Invocation, until instant: Instant, _ session: Session
  ) throws -> LockRequest {
    let recipients = try KeyOptions.recipients(invocation, session)
    var inner: (kind: LockKind, layer: [any Recipient])?
    if PassphraseOptions.isGiven(invocation) {
      guard recipients.isEmpty else {
        throw Failure.usage(
          "a passphrase and recipients cannot stand in one lock",
          hint: "choose one; either would open it alone")
      }
      inner = (.passphrase, [try PassphraseOptions.recipient(invocation, session)])
    } else if !recipients.isEmpty {
      inner = (.recipients, recipients)
    }
    if let inner {
      do throws(RecipientsFault) {
        try RecipientsFault.check(inner.layer)
      } catch {
        throw Failure(AgeFailure.recipients(error), subject: "")
      }
    }
    guard invocation[TimelockOptions.timelock] else {
      for option in [TimelockOptions.escrow as any OptionDeclaration, TimelockOptions.chain]
      where invocation.has(option) {
        throw Failure.usage(
          "'--\(option.spec.name)' goes with '--timelock'", hint: "add '--timelock'")
      }
      return inner.map { LockRequest(kind: $0.kind, layers: [$0.layer]) } ?? .honor
    }
    return try timelock(invocation, until: instant, inner, session)
  }

  private static func timelock(
    _ invocation: Invocation, until instant: Instant,
    _ inner: (kind: LockKind, layer: [any Recipient])?, _ session: Session
  ) throws -> LockRequest {
    let chain = try TimelockOptions.chain(invocation, session)
    var outer: [any Recipient] = []
    let recipient = TlockRecipient(chain: chain, until: instant)
    outer.append(recipient)
    let escrow = invocation[TimelockOptions.escrow]
    var escrowKeys: [AgeRecipient] = []
    for text in escrow {
      do throws(KeyFault) {
        escrowKeys.append(try AgeRecipient(text))
      } catch {
        throw Failure(error, recipient: text)
      }
    }
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
    if !escrow.isEmpty {
      session.console.note(
        "Whoever has the identity of the escrow can lift the timelock at any time.")
    }
    TimelockOptions.warn(until: instant, hasEscrow: !escrow.isEmpty, session)
    return LockRequest(
      kind: .timelock, layers: [outer] + (inner.map { [$0.layer] } ?? []),
      timelock: Timelock(
        chain: chain, round: recipient.round, inner: inner?.kind, escrow: escrow))
  }
}
