/// The owner's silence, by the switch of a store, its check-ins and its people: the state at a time, and
/// the messages that are to be handed over then.
package struct SilenceCheck: Sendable {
  package let terms: SilenceSwitch
  package let audience: SilenceAudience
  private let checkIns: CheckIns
  private let isEnded: Bool
  /// The time that is checked for.
  private let end: Instant

  /// `nil` while the switch is off.
  ///
  /// - Parameters:
  ///   - end: the time that is checked for; only a dry run has another than `now`.
  ///   - now: the real time, for the index.
  /// - Throws: `.damaged` where the switch cannot be read.
  package init?(
    _ store: Store, _ settings: StoreSettings, at end: Instant, now: Instant
  ) throws(StoreError) {
    guard let terms = try store.switch.read(of: settings) else { return nil }
    self.terms = terms
    self.end = end
    checkIns = settings.checkIns
    isEnded = settings.passing != nil
    audience = SilenceAudience(terms, in: store, settings: settings, now: now)
  }

  /// Returns the state.
  ///
  /// - Parameter log: the record of what this machine did about it.
  package func watch(_ log: SilenceLog) -> SilenceWatch {
    SilenceWatch(terms, checkIns, isEnded: isEnded, log: log, now: end)
  }

  /// Whether there is nothing to hand over and nothing to keep.
  package func isQuiet(_ log: SilenceLog) -> Bool {
    watch(log).owedLook(at: end) == nil && pending(log).isEmpty
  }

  /// Returns the line which keeps that this machine looked; `nil` where none is to be kept.
  package func owedLook(_ log: SilenceLog) -> SilenceLog.Look? { watch(log).owedLook(at: end) }

  /// Returns the messages that are to be handed over now, the owner's before those of others.
  package func pending(_ log: SilenceLog) -> [SilenceMessage] {
    let watch = watch(log)
    guard let step = watch.step else { return [] }
    return audience.addressees(of: step).filter { !watch.isAnnounced(to: $0?.id) }.map { person in
      SilenceMessage(
        step: step, watch: watch, person: person, role: audience.role(of: person),
        earlierCount: log.count(of: watch.note(step, to: person?.id, at: end)))
    }
  }
}

/// A message about the owner's silence, to the owner or to one of those who are to hear of it.
package struct SilenceMessage: Sendable {
  package enum Role: String, Sendable {
    case owner, witness, trustee
  }

  package let step: SilenceStep
  /// The state that it is about.
  package let watch: SilenceWatch
  /// The person it is for; `nil` for the owner.
  package let person: Beneficiary?
  package let role: Role
  /// How often this machine handed the same step over to the same person: a warning comes again where a
  /// grace began anew.
  let earlierCount: Int

  /// What tells it from all other messages, as text. It is the same until it is handed over.
  package var mark: String {
    let note = note(at: .epoch)
    let to = note.person?.description ?? "owner"
    return "switch \(step.rawValue) \(to) \(note.base.seconds) \(earlierCount)"
  }

  /// Returns the line that keeps it in the ledger.
  ///
  /// - Parameter time: the time at which it was handed over: a grace runs from there.
  package func note(at time: Instant) -> SilenceNote {
    watch.note(step, to: person?.id, at: time)
  }
}

extension SilenceAudience {
  fileprivate func role(of person: Beneficiary?) -> SilenceMessage.Role {
    guard let person else { return .owner }
    return witnesses.contains { $0.id == person.id } ? .witness : .trustee
  }
}

extension SilenceWatch {
  fileprivate func owedLook(at time: Instant) -> SilenceLog.Look? {
    isLookOwed ? SilenceLog.Look(base: base, at: isFirstLook ? base : time) : nil
  }

  /// Whether the owner ought to check in.
  package var isCheckInWanted: Bool {
    switch state {
    case .due, .warned, .grace, .silent: true
    case .alive, .paused, .ended: false
    }
  }
}
