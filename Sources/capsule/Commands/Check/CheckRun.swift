import CapsuleCore

/// One run of `check` on a store.
struct CheckRun {
  private let session: Session
  private let store: Store
  private let directory: FilePath
  /// Whether the exit code says that nothing was announced.
  private let isExitCodeAsked: Bool
  private let announcer: Announcer
  /// `nil` where nothing is mailed.
  private let mail: CheckMail?
  private let views: DueViewMaker
  private var check: DueCheck
  /// `nil` while the switch is off, or cannot be read.
  private let silence: SwitchNotices?
  private var code = ExitCode.ok

  init(
    _ session: Session, _ store: Store, _ directory: FilePath, now: Instant,
    isExitCodeAsked: Bool, announcer: Announcer, mail: CheckMail?
  ) {
    self.session = session
    self.store = store
    self.directory = directory
    self.isExitCodeAsked = isExitCodeAsked
    self.announcer = announcer
    self.mail = mail
    let settings = session.storeSettings(store)
    let calendar = session.eventCalendar(settings)
    views = DueViewMaker(
      session: session, settings: settings, calendar: calendar,
      names: RecordNames(store, now: session.now), now: now)
    check = DueCheck(
      store, directory: directory, through: now, now: session.now, calendar: calendar,
      zone: session.localZone.label)
    do {
      silence = try SwitchNotices(store, settings, session, now: now)
    } catch {
      silence = nil
      session.console.report(error)
      code = .partial
    }
  }

  /// Prints what would be announced, and keeps nothing.
  mutating func dryRun() throws -> ExitCode {
    let known = try Ledger.read(of: store, in: directory, now: session.now)
    var dues = dues(after: known.firstUse ?? session.now, known)
    var answer = DueAnswer(session)
    var isEmpty = true
    for (_, notice) in silence?.pending(known.silence) ?? [] {
      answer.add(notice)
      isEmpty = false
    }
    while let due = next(in: &dues), !session.console.out.isBroken {
      answer.add(due.notice)
      isEmpty = false
    }
    try answer.end()
    return ending(isEmpty)
  }

  /// Announces what was not announced yet.
  mutating func announce() throws -> ExitCode {
    if check.hasNothingNew(), try isSilenceQuiet() { return try printNothing() }
    let ledger = try Ledger.open(of: store, in: directory, now: session.now)
    // Another check is at work: it announces what there is.
    guard var ledger else { return try printNothing(isOurs: false) }
    defer { ledger.close() }
    if let mail { return try announce(by: mail, &ledger) }
    return try announce(&ledger)
  }

  /// Whether nothing is to be announced of the owner's silence; the ledger is read only where something
  /// may be.
  private func isSilenceQuiet() throws -> Bool {
    guard let silence, !silence.isQuiet(SilenceLog()) else { return true }
    return silence.isQuiet(try Ledger.read(of: store, in: directory, now: session.now).silence)
  }

  /// The most things that are printed before they are marked: what a crash in between repeats.
  private static let batch = 256

  /// Announces what is not in the ledger, and marks it as soon as it was printed. The room for that is
  /// secured first, and the lines are written before a command runs: where one of both cannot be, no
  /// command runs in vain at each check.
  private mutating func announce(_ ledger: inout Ledger) throws -> ExitCode {
    let (earlier, kinds) =
      ledger.known.isFirstUseAnnounced ? (0, []) : check.count(dueThrough: ledger.firstUse)
    var dues = dues(after: ledger.firstUse, ledger.known)
    var answer = DueAnswer(session)
    var count = 0
    do {
      if earlier > 0 {
        try ledger.reserveFirstUseAnnounced()
        answer.addEarlier(earlier, kinds, ledger.firstUse)
        try answer.flush()
        try ledger.markFirstUseAnnounced()
      }
      count += try announceSilence(&answer, &ledger)
      while true {
        let batch = nextBatch(in: &dues)
        if batch.isEmpty { break }
        try ledger.reserve(batch.map(\.announcement))
        count += try announce(batch, &answer, &ledger)
      }
    } catch {
      // The things that were announced are a whole answer in JSON too.
      if !answer.isEmpty { try? answer.end() }
      throw error
    }
    try answer.end()
    keepNothingLeft()
    return ending(count == 0 && earlier == 0)
  }

  /// Announces all that is not in the ledger in one message to the owner, and to others what is theirs; it
  /// is marked when it was handed over.
  private mutating func announce(by mail: CheckMail, _ ledger: inout Ledger) throws -> ExitCode {
    let now = session.now
    let (earlier, kinds) =
      ledger.known.isFirstUseAnnounced ? (0, []) : check.count(dueThrough: ledger.firstUse)
    var queue = dues(after: ledger.firstUse, ledger.known)
    var dues: [DueView] = []
    while let due = next(in: &queue) { dues.append(due) }
    if let look = silence?.owedLook(ledger.known.silence) { try ledger.mark(look) }
    let silences = silence?.pending(ledger.known.silence) ?? []
    if !silences.isEmpty, silence?.warnOfUnreachable() == true {
      code = ExitCode.worst(code, .partial)
    }
    try ledger.reserve(
      dues.map(\.announcement), silences.map { $0.note(now) }, firstUse: earlier > 0)
    var answer = DueAnswer(session)
    if earlier > 0 { answer.addEarlier(earlier, kinds, ledger.firstUse) }
    for (_, notice) in silences { answer.add(notice) }
    for due in dues { answer.add(due.notice) }
    try answer.end()
    var count = 0
    var own: [(note: (Instant) -> SilenceNote, notice: Notice)] = []
    for (note, notice) in silences {
      guard try isHandedOver(notice) else { continue }
      guard let letter = notice.letter, !letter.address.isEmpty else {
        own.append((note, notice))
        continue
      }
      guard isMailed({ try mail.send(notice, letter, note(now)) }) else { continue }
      try ledger.mark(note(time))
      count += 1
    }
    dues = try dues.filter { try isHandedOver($0.notice) }
    guard earlier > 0 || !own.isEmpty || !dues.isEmpty else { return ending(count == 0) }
    let notices = own.map(\.notice) + dues.map(\.notice)
    let first = earlier > 0 ? [DueAnswer.earlierText(earlier, kinds)] : []
    let announcements = dues.map(\.announcement)
    let isSent = isMailed {
      try mail.send(
        first + notices.map(\.text.plain), title: notices.first?.title, announcements,
        own.map { $0.note(now) })
    }
    guard isSent else { return ending(count == 0) }
    if earlier > 0 { try ledger.markFirstUseAnnounced() }
    for (note, _) in own { try ledger.mark(note(time)) }
    try ledger.mark(announcements)
    keepNothingLeft()
    return ending(false)
  }

  /// The time at which something was handed over.
  private var time: Instant { max(session.now, Instant(nanoseconds: session.host.wallClock())) }

  /// Hands mail over; where that fails, it is reported.
  private mutating func isMailed(_ body: () throws -> Void) -> Bool {
    do {
      try body()
      return true
    } catch {
      session.console.report(error)
      code = ExitCode.worst(code, .partial)
      return false
    }
  }

  /// Announces some things.
  ///
  /// - Returns: the number of things that were announced.
  private mutating func announce(
    _ batch: [DueView], _ answer: inout DueAnswer, _ ledger: inout Ledger
  ) throws -> Int {
    guard announcer.runsPrograms else {
      for due in batch { answer.add(due.notice) }
      try answer.flush()
      try ledger.mark(batch.map(\.announcement))
      return batch.count
    }
    var count = 0
    for due in batch {
      answer.add(due.notice)
      try answer.flush()
      guard try isHandedOver(due.notice) else { continue }
      try ledger.mark([due.announcement])
      count += 1
    }
    return count
  }

  /// Announces to each person the step of the owner's silence that is theirs, and marks it with the
  /// time at which it was handed over: a grace runs from there.
  ///
  /// - Returns: the number of people who were told.
  private mutating func announceSilence(
    _ answer: inout DueAnswer, _ ledger: inout Ledger
  ) throws -> Int {
    guard let silence else { return 0 }
    if let look = silence.owedLook(ledger.known.silence) { try ledger.mark(look) }
    var count = 0
    let pending = silence.pending(ledger.known.silence)
    if !pending.isEmpty, silence.warnOfUnreachable() { code = ExitCode.worst(code, .partial) }
    for (note, notice) in pending {
      try ledger.reserve(note(session.now))
      answer.add(notice)
      try answer.flush()
      guard try isHandedOver(notice) else { continue }
      try ledger.mark(note(time))
      count += 1
    }
    return count
  }

  /// Runs the programs that announce a thing; where one fails, that is reported.
  private mutating func isHandedOver(_ notice: Notice) throws -> Bool {
    do {
      try announcer.announce(notice)
      return true
    } catch {
      if Failure(error).kind == .signal { throw error }
      session.console.report(error)
      code = ExitCode.worst(code, .partial)
      return false
    }
  }

  /// Returns what became due after an instant and is not known; what cannot be read is reported and
  /// passed over.
  private mutating func dues(after start: Instant, _ known: Ledger.Known) -> DueQueue {
    let console = session.console
    var isPartial = false
    let dues = check.dues(after: start, known: known) { problem in
      console.report(problem)
      isPartial = true
    }
    if isPartial { code = .partial }
    return dues
  }

  private mutating func nextBatch(in dues: inout DueQueue) -> [DueView] {
    var batch: [DueView] = []
    while batch.count < Self.batch, let due = next(in: &dues) { batch.append(due) }
    return batch
  }

  private mutating func next(in dues: inout DueQueue) -> DueView? {
    while true {
      do throws(DueProblem) {
        return try dues.next().map { views.view(of: $0) }
      } catch {
        session.console.report(error)
        code = .partial
      }
    }
  }

  /// Keeps that nothing is left, where nothing failed.
  private mutating func keepNothingLeft() {
    if code == .ok { check.keepNothingLeft() }
  }

  /// Prints the answer when there is nothing to announce.
  ///
  /// - Parameter isOurs: `false` where another check announces what there is.
  private func printNothing(isOurs: Bool = true) throws -> ExitCode {
    try session.render(
      ending: isOurs ? ending(true) : code, list: [Notice](), json: { .object($0.members()) },
      text: { _ in })
  }

  private func ending(_ isEmpty: Bool) -> ExitCode {
    code == .ok && isEmpty && isExitCodeAsked ? .none : code
  }
}
