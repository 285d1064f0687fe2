/// The outcome of the program that carries mail.
package enum MailOutcome {
  /// It took the message.
  case handedOver
  /// It did not.
  case refused(any Error)
  /// It was ended before it said so: it may have taken it.
  case unknown(any Error)
}

extension StoreHandover {
  /// Hands a message over, and marks its bequests sent.
  ///
  /// The try is in the ledger, synchronised, before the program starts; that the program took it, before
  /// the bequests are marked. A crash between leads to a repeat that says so, by the same Message-ID, or to
  /// marks without a repeat: nothing is marked that was not handed over.
  ///
  /// - Parameters:
  ///   - id: the Message-ID, for the notes of the bequests.
  ///   - now: the time that the delivery was planned for.
  ///   - handOver: starts the program.
  /// - Throws: the errors of `handOver`; those of ``requireUnchanged(_:now:)`` and a ``StoreError`` where the
  ///   try cannot be kept, and nothing was started then; ``DeliveryError/mailUnmarked(_:_:)``.
  package func send(
    _ draft: MailDraft, as id: String, keeping ledger: inout Ledger, now: Instant,
    handOver: () -> MailOutcome
  ) throws {
    try store.requireWritable()
    // Others were mailed before, each of which may have taken minutes.
    try requireUnchanged(draft.delivery, now: now)
    try ledger.begin(draft.attempt, of: draft.bequests, at: now)
    switch handOver() {
    case .handedOver: break
    case .refused(let error):
      // It speaks for this try alone: one before, of which it is not known whether it left, stays open. If
      // this cannot be kept, this one does: it is repeated as it is.
      if draft.earlier == nil {
        try? ledger.end(draft.attempt, as: .refused, of: draft.bequests, at: now)
      }
      throw error
    case .unknown(let error): throw error
    }
    // If this cannot be kept, the marks still can: they say more.
    try? ledger.end(draft.attempt, as: .handed, of: draft.bequests, at: now)
    try markMailed(draft.delivery.gifts, to: draft.delivery.person, as: id, at: now, now: now)
  }

  /// Marks bequests sent that were handed over as mail.
  ///
  /// - Parameter at: the time at which they were handed over.
  package func markMailed(
    _ gifts: [PlannedGift], to person: Beneficiary, as id: String, at: Instant, now: Instant
  ) throws(DeliveryError) {
    var failed: [DeliveryError.Unmarked] = []
    for gift in gifts {
      let sent = DeliveryChange(.sent, at: at, notes: "Mailed as <\(id)>")
      do throws(BequestMarkError) {
        _ = try mark(gift.bequest, sent, now: now)
      } catch {
        failed.append(
          DeliveryError.Unmarked(
            bequest: gift.bequest.model.id, title: gift.gift.title, cause: error))
      }
    }
    if !failed.isEmpty { throw .mailUnmarked(failed, person) }
  }
}
