/// The state of the owner's silence: a function of the switch, the check-ins, the time, and what
/// this machine did about it.
///
/// Silence is counted from the last check-in, or from the end of a pause. A check-in is due `every`
/// later, and the owner is warned `warn` after that. The grace begins when that warning was handed
/// over, never earlier; a day into it the witnesses are told, and when it is over the trustees. A
/// machine that did not look for longer than a grace, because it slept or its clock jumped, takes its
/// warning for none: it warns again, and a whole grace follows.
package struct SilenceWatch: Hashable, Sendable {
  package enum State: String, CaseIterable, Hashable, Sendable {
    /// Nothing is due.
    case alive
    /// A check-in is due.
    case due
    /// A warning is to be handed over, and was not yet.
    case warned
    /// The owner was warned.
    case grace
    /// The grace is over.
    case silent
    /// Nothing is counted for a while.
    case paused
    /// A passing is declared.
    case ended
  }

  /// The state that follows if nothing is done.
  package struct Next: Hashable, Sendable {
    package let state: State
    package let at: Instant

    package init(state: State, at: Instant) {
      self.state = state
      self.at = at
    }
  }

  package let state: State
  /// The beginning of the state.
  package let since: Instant
  /// `nil` where nothing follows, or only when something was handed over.
  package let next: Next?
  /// The instant from which silence is counted.
  package let base: Instant
  /// The step to announce in this state; ``isAnnounced(to:)`` says who was told of it already.
  package let step: SilenceStep?
  /// The instant under which the ledger keeps the step.
  private let noteBase: Instant
  /// The people who were told of the step; the owner is `nil`.
  private let told: Set<RecordID?>
  /// Whether it is to be kept that this machine looked.
  package let isLookOwed: Bool
  /// Whether no check-in counts, and silence is counted from now on.
  let isFirstLook: Bool

  /// - Parameters:
  ///   - checkIns: the check-ins of the store.
  ///   - isEnded: whether a passing is declared.
  ///   - log: the record of what this machine did.
  package init(
    _ terms: SilenceSwitch, _ checkIns: CheckIns, isEnded: Bool, log: SilenceLog, now: Instant
  ) {
    let horizon = now.adding(seconds: CheckIns.clockSlack)
    let notes = log.notes.filter { $0.at <= horizon }
    // Where all check-ins are of a clock that was ahead, silence is counted from this machine's first
    // look, and not from each look anew.
    let firstLook = log.looks.last { $0.base == $0.at && $0.at <= horizon }?.at
    let known = checkIns.latest(asOf: now) ?? firstLook
    var base = known ?? now
    let pauseEnd = terms.pausedUntil.flatMap { $0 <= now ? $0 : nil }
    if let pauseEnd { base = max(base, pauseEnd) }
    var noteBase = base
    let dueAt = Self.instant(terms.every, after: base)
    let warnedAt = Self.instant(terms.warn, after: dueAt)
    self.base = base

    func told(_ step: SilenceStep, since start: Instant = .earliest) -> Set<RecordID?> {
      Set(
        notes.filter { $0.step == step && $0.base == base && $0.at >= start }.map(\.person))
    }

    var grace: Grace?
    if !isEnded, now >= warnedAt { grace = Grace(notes, log.looks, base, terms.grace, now: now) }
    if isEnded {
      (state, since, next, step, self.told) = (.ended, base, nil, nil, [])
    } else if let until = terms.pausedUntil, now < until {
      (state, since, next) = (.paused, base, Next(state: .alive, at: until))
      (step, self.told) = (nil, [])
    } else if now < dueAt {
      (state, since, next) = (.alive, base, Next(state: .due, at: dueAt))
      // Long after it, nobody has to hear of a pause any more.
      let isFresh = pauseEnd.map { now < Self.instant(terms.every, after: $0) } ?? false
      step = isFresh ? .resumed : nil
      noteBase = pauseEnd ?? base
      self.told = Set(
        notes.filter { $0.step == .resumed && $0.base == pauseEnd }.map(\.person))
    } else if now < warnedAt {
      (state, since, next) = (.due, dueAt, Next(state: .warned, at: warnedAt))
      (step, self.told) = (.due, told(.due))
    } else if let grace {
      state = grace.silentSince == nil ? .grace : .silent
      since = grace.silentSince ?? grace.start
      next = grace.endsAt.map { Next(state: .silent, at: $0) }
      if state == .silent {
        (step, self.told) = (.silent, told(.silent, since: grace.start))
      } else {
        step = now >= grace.othersAt ? .grace : nil
        self.told = told(.grace, since: grace.start)
      }
    } else {
      (state, since, next) = (.warned, warnedAt, nil)
      (step, self.told) = (.warned, [])
    }
    isFirstLook = known == nil && !isEnded
    isLookOwed = isFirstLook || grace?.isLookOwed ?? false
    self.noteBase = noteBase
  }

  /// Returns the note that the ledger keeps when somebody was told of a step; the owner is `nil`.
  package func note(_ step: SilenceStep, to person: RecordID?, at time: Instant) -> SilenceNote {
    SilenceNote(step: step, person: person, base: noteBase, at: time)
  }

  /// Whether somebody was told of the present step; the owner is `nil`.
  package func isAnnounced(to person: RecordID?) -> Bool { told.contains(person) }

  /// Whether nothing is to be announced or kept now.
  package var isQuiet: Bool { step == nil && !isLookOwed }

  /// Returns the instant a duration after another, by the calendar of UTC, so that all machines
  /// count alike; the last instant there is where it would be later.
  private static func instant(_ duration: CalendarDuration, after start: Instant) -> Instant {
    duration.added(to: start, in: .utc)?.instant ?? .latest
  }

  /// The grace that goes on, or is over.
  private struct Grace {
    /// The time at which the warning was handed over.
    let start: Instant
    /// The time from which the others are told.
    let othersAt: Instant
    /// The end of the grace; `nil` where that is not known, because the others were not told yet.
    let endsAt: Instant?
    let silentSince: Instant?
    let isLookOwed: Bool

    /// `nil` where no warning counts.
    init?(
      _ notes: [SilenceNote], _ looks: [SilenceLog.Look], _ base: Instant,
      _ length: CalendarDuration, now: Instant
    ) {
      let horizon = now.adding(seconds: CheckIns.clockSlack)
      let own = notes.filter { $0.base == base }
      // All that this machine did of it, the earliest first.
      var acts = own.filter { $0.step != .due }.map { ($0.at, $0.step as SilenceStep?) }
      acts += looks.filter { $0.base == base && $0.at <= horizon }.map { ($0.at, nil) }
      acts.sort { $0.0 < $1.0 }
      var start: Instant?
      var last = Instant.earliest
      var isSilenceTold = false
      func wait(_ start: Instant) -> Int64 {
        SilenceWatch.instant(length, after: start).seconds(since: start)
      }
      /// Whether it slept through a grace, or its clock jumped.
      func isTorn(_ start: Instant, _ time: Instant) -> Bool {
        let wait = wait(start)
        return time.seconds(since: last) > wait.addingClamped(wait / 4)
      }
      for (time, step) in acts {
        // Acts behind the end were noted by a clock that was ahead.
        if isSilenceTold { break }
        if let begun = start, isTorn(begun, time) { start = nil }
        switch step {
        case .warned: start = time
        case .silent: isSilenceTold = start != nil
        default: break
        }
        last = time
      }
      if let begun = start, !isSilenceTold, isTorn(begun, now) { start = nil }
      guard let start else { return nil }
      self.start = start
      let wait = wait(start)
      othersAt = start.adding(seconds: min(86_400, wait / 4))
      let firstTold = own.filter { $0.step == .grace && $0.at >= start }.map(\.at).min()
      let end = start.adding(seconds: wait)
      // If the others are told only when the grace is over, they have a grace of their own.
      var over: Instant?
      if let firstTold { over = firstTold < end ? end : firstTold.adding(seconds: wait) }
      silentSince = over.flatMap { $0 <= now ? $0 : nil }
      endsAt = silentSince == nil ? over ?? (now < end ? end : nil) : nil
      isLookOwed = !isSilenceTold && now.seconds(since: last) >= max(1, wait / 16)
    }
  }
}

/// The owner's silence, by the switch of a store, its check-ins and its people: the state at a time, and
/// the messages that are to be handed over then.
package struct SilenceCheck: Sendable {
  package let terms: SilenceSwitch
  package let audience: SilenceAudience
  private let checkIns: CheckIns
  private let isEnded: Bool
  /// The time that is checked for.
  private var end: Instant

  /// `nil` while the switch is off.
  ///
  /// - Parameters:
  ///   - end: the time that is checked for; only a dry run has another than `now`.
  ///   - now: the real time, for the index.
  /// - Throws: `.recordDamaged` where the switch cannot be read.
  package init?(
    _ store: Store, _ settings: StoreSettings, at end: Instant, now: Instant
  ) throws(Fault) {
    guard let terms = try store.switch.read(of: settings) else { return nil }
    self.terms = terms
    self.end = end
    checkIns = settings.checkIns
    isEnded = settings.passing != nil
    audience = SilenceAudience(terms, in: store, settings: settings, now: now)
  }

  /// Returns the same check at another time, for a rehearsal.
  package func checked(at time: Instant) -> SilenceCheck {
    var check = self
    check.end = time
    return check
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

/// The people who hear of the owner's silence, as the store knows them now.
package struct SilenceAudience: Sendable {
  /// The name of the owner; empty where it is not known.
  package let owner: String
  /// The witnesses who can be reached.
  package private(set) var witnesses: [Beneficiary] = []
  /// The witnesses who cannot: their record is gone, cannot be read, or has no address.
  package private(set) var unreachable: [RecordID] = []
  /// The groups of trustees that were not replaced.
  package private(set) var groups: [TrusteeGroup] = []
  /// The trustees among the people of the store who have an address.
  package private(set) var trustees: [Beneficiary] = []

  package init(_ terms: SilenceSwitch, in store: Store, settings: StoreSettings, now: Instant) {
    owner = settings.owner
    for id in terms.witnesses {
      if let person = Self.person(id, in: store) {
        witnesses.append(person)
      } else {
        unreachable.append(id)
      }
    }
    groups = store.trustees.groups(now: now)
    var seen = Set<RecordID>()
    for share in groups.flatMap(\.shares) where share.lostAt == nil {
      guard let id = share.person, seen.insert(id).inserted,
        let person = Self.person(id, in: store)
      else { continue }
      trustees.append(person)
    }
  }

  private static func person(_ id: RecordID, in store: Store) -> Beneficiary? {
    guard let person = try? store.readIntact(Beneficiary.self, id).model, !person.email.isEmpty
    else { return nil }
    return person
  }

  /// Returns the people who are to be told of a step: the owner, who is `nil`, before others.
  package func addressees(of step: SilenceStep) -> [Beneficiary?] {
    switch step {
    case .due, .warned, .resumed: [nil]
    case .grace: [nil] + witnesses
    case .silent:
      witnesses + trustees.filter { person in !witnesses.contains { $0.id == person.id } }
    }
  }

  /// Whether a person holds a share.
  package func isTrustee(_ person: Beneficiary) -> Bool {
    trustees.contains { $0.id == person.id }
  }
}
