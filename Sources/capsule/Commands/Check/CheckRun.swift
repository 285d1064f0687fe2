import CapsuleCore

/// One run of `check` on a store.
struct CheckRun: AnnouncementSink {
  private let session: Session
  private let announcer: Announcer
  /// `nil` where nothing is mailed.
  private let mail: CheckMail?
  private let dues: DueNotices
  /// `nil` while the switch is off, or cannot be read.
  private let silence: SwitchNotices?
  private let run: AnnouncementRun
  private var answer: DueAnswer
  private(set) var hasFailed = false

  init(
    _ session: Session, _ store: Store, _ settings: StoreSettings, now: Instant,
    announcer: Announcer, mail: CheckMail?
  ) throws {
    self.session = session
    self.announcer = announcer
    self.mail = mail
    answer = DueAnswer(session)
    let calendar = session.dates.calendar(settings)
    dues = DueNotices(
      session: session, settings: settings, calendar: calendar,
      names: RecordNames(store, now: session.now), now: now)
    var silence: SilenceCheck?
    do {
      silence = try SilenceCheck(store, settings, at: now, now: session.now)
    } catch {
      session.console.report(error)
      hasFailed = true
    }
    self.silence = silence.map { SwitchNotices($0, session) }
    run = try AnnouncementRun(
      store, through: now, now: session.now, calendar: calendar, zone: session.localZone.label,
      silence: silence)
  }

  /// Prints what would be announced, and keeps nothing.
  ///
  /// - Parameter isExitCodeAsked: whether the exit code says that there is nothing.
  mutating func dryRun(isExitCodeAsked: Bool) throws -> ExitCode {
    var isEmpty = true
    var problems: [DueProblem] = []
    var run = run
    try run.preview(report: { problems.append($0) }) { batch in
      report(&problems)
      if let earlier = batch.earlier { answer.add(earlier) }
      for notice in notices(of: batch) { answer.add(notice) }
      isEmpty = false
      return !session.console.out.isBroken
    }
    report(&problems)
    try answer.end()
    return ending(isEmpty && isExitCodeAsked)
  }

  /// Announces what was not announced yet.
  ///
  /// - Parameter isExitCodeAsked: whether the exit code says that nothing was announced.
  mutating func announce(isExitCodeAsked: Bool) throws -> ExitCode {
    var run = run
    let outcome: AnnouncementRun.Outcome
    do { outcome = try run.announce(to: &self) } catch {
      answer.endCutShort()
      throw error
    }
    try answer.end()
    return ending(outcome == .announced(0) && isExitCodeAsked)
  }

  private func ending(_ isNone: Bool) -> ExitCode {
    hasFailed ? .partial : isNone ? .none : .ok
  }

  var takesAllAtOnce: Bool { mail != nil }

  mutating func report(_ problem: DueProblem) {
    session.console.report(problem)
    hasFailed = true
  }

  mutating func report(unreachable: [RecordID]) {
    for id in unreachable {
      session.console.warning(
        "the emergency contact '\(id)' cannot be notified: no such person, or no address",
        hint: "replace the emergency contacts: capsule switch set --contact PERSON",
        details: ["id": .string(id.description)])
    }
    hasFailed = true
  }

  /// Writes the lines of a batch before a program runs or mail goes: where nothing can be printed, nothing
  /// runs in vain at each check.
  mutating func announce(_ batch: AnnouncementBatch, _ marks: inout AnnouncementMarks) throws {
    if let earlier = batch.earlier { answer.add(earlier) }
    if let mail {
      for notice in notices(of: batch) { answer.add(notice) }
      try answer.end()
      return try send(batch, by: mail, &marks)
    }
    if batch.earlier != nil {
      try answer.flush()
      try marks.markEarlier()
    }
    for message in batch.messages {
      guard try isHandedOver(silence?.notice(of: message)) else { continue }
      try marks.mark(message, at: time)
    }
    if announcer.runsPrograms {
      for due in batch.dues where try isHandedOver(dues.notice(of: due)) { try marks.mark([due]) }
    } else {
      for due in batch.dues { answer.add(dues.notice(of: due)) }
      try answer.flush()
      try marks.mark(batch.dues)
    }
  }

  /// Sends all of a batch that is the owner's in one message, and to others what is theirs.
  private mutating func send(
    _ batch: AnnouncementBatch, by mail: CheckMail, _ marks: inout AnnouncementMarks
  ) throws {
    var own: [(message: SilenceMessage, notice: Notice)] = []
    for message in batch.messages {
      guard let notice = silence?.notice(of: message), try isAnnounced(notice) else { continue }
      guard let letter = notice.letter, !letter.address.isEmpty else {
        own.append((message, notice))
        continue
      }
      if isMailed({ try mail.send(notice, letter, message) }) { try marks.mark(message, at: time) }
    }
    var mailed: [(due: DueThing, notice: Notice)] = []
    for due in batch.dues {
      let notice = dues.notice(of: due)
      if try isAnnounced(notice) { mailed.append((due, notice)) }
    }
    let notices = own.map(\.notice) + mailed.map(\.notice)
    guard batch.earlier != nil || !notices.isEmpty else { return }
    let first = batch.earlier.map { [DueAnswer.text($0)] } ?? []
    let isSent = isMailed {
      try mail.send(
        first + notices.map(\.text.plain), title: notices.first?.title,
        mailed.map(\.due.announcement), own.map(\.message))
    }
    guard isSent else { return }
    if batch.earlier != nil { try marks.markEarlier() }
    for (message, _) in own { try marks.mark(message, at: time) }
    try marks.mark(mailed.map(\.due))
  }

  private func notices(of batch: AnnouncementBatch) -> [Notice] {
    batch.messages.compactMap { silence?.notice(of: $0) } + batch.dues.map { dues.notice(of: $0) }
  }

  private mutating func report(_ problems: inout [DueProblem]) {
    for problem in problems { report(problem) }
    problems = []
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
      hasFailed = true
      return false
    }
  }

  /// Prints a notice, and then runs the programs that announce it.
  private mutating func isHandedOver(_ notice: Notice?) throws -> Bool {
    guard let notice else { return false }
    answer.add(notice)
    try answer.flush()
    return try isAnnounced(notice)
  }

  /// Runs the programs that announce a thing; where one fails, that is reported.
  private mutating func isAnnounced(_ notice: Notice) throws -> Bool {
    do {
      try announcer.announce(notice)
      return true
    } catch {
      if Failure(error).kind == .signal { throw error }
      session.console.report(error)
      hasFailed = true
      return false
    }
  }
}
