import CapsuleCore

/// `capsule check`.
enum CheckCommand {
  static let dryRun = Parameter.flag(
    "dry-run", short: "n", "Show what would be reported, and record nothing")
  static let at = Parameter.option(
    "at", value: "WHEN", .text, "With `--dry-run`, show what would be reported at this time")
  static let exitCode = Parameter.flag("exit-code", "Exit with status 1 when nothing is reported")
  static let exec = Parameter.option(
    "exec", value: "COMMAND", .text,
    "Run a shell command for each thing, with its JSON object as input")
  static let notify = Parameter.flag("notify", "Show a desktop notification for each thing")
  static let mail = Parameter.flag(
    "mail", "Mail you everything in one message, and mail people the messages of the switch")
  static let fetch = Parameter.flag(
    "fetch", "Fetch the beacons of timelocked capsules that are due, so that they open offline")
  static let sync = Parameter.flag(
    "sync", "Exchange changes with other devices first, like `capsule sync`")
  static let timeLimit = Parameter.option(
    "time-limit", value: "SECONDS", .integer(1...86_400), default: "60",
    "How long a command or notification may take")

  static let command = Command(
    "check", summary: "Report what became due, once",
    discussion: """
      Run `check` from cron or a timer. It reports each thing once on each machine. When nothing is due, \
      it prints nothing and exits with status 0. After the machine slept, the next run catches up.

      - Things that were due before the machine first used the store are summed up in one line.
      - If several alerts of one event were missed, or a repeated alert several times, only the last is \
      reported.

      `--exec` runs `/bin/sh -c COMMAND` for each thing. The command's environment has CAPSULE_ID, \
      CAPSULE_TITLE and CAPSULE_KIND. For messages of the dead man's switch it also has CAPSULE_MESSAGE \
      and CAPSULE_TO. Its input is the JSON object.

      - A thing counts as reported only if its command exits with status 0. Otherwise `check` reports \
      the failure, exits with status 3, and tries again at the next run.
      - The line is printed first: if nothing can be printed or recorded, no command runs.
      - With `--json` and `--ndjson`, the command's output goes to standard error.

      `--mail` sends one message with everything that is due to the `owner` in \
      `$XDG_CONFIG_HOME/capsule/mail`. Messages of the switch go to the people they are for. If the mail \
      program fails, the next run reports it all again. `capsule help deliver` explains how mail is \
      sent.

      `--sync` first exchanges changes with all remotes, like `capsule sync`, so that changes from \
      elsewhere are reported too.

      - Only failures are printed, on standard error. After a failure, `check` continues and exits with \
      the worse status.
      - A protected store needs its passphrase for `--sync`, and only for that: use \
      `--passphrase-command` or `store remember`.

      With `--dry-run`, `--sync` exchanges nothing. `--fetch` does not use the network then, and lists \
      the beacons it would fetch.

      Once in 30 days, a warning on standard error reports that the store was not verified or backed up \
      within the settings `verifyEvery` and `backupEvery`. Once a day, it reports that the last \
      verification found damage.

      If the store is missing although this device used it, `check` reports that once a day in the same ways, \
      and with `--json` each time. The exit status is then 14.
      """,
    options: [
      dryRun, at, exitCode, exec, notify, mail, fetch, sync, PassphraseOptions.file,
      PassphraseOptions.command, timeLimit,
    ],
    outputs: [.json, .ndjson],
    examples: [
      Example("capsule check", "Print what became due"),
      Example("capsule check --exec 'mail -s \"$CAPSULE_TITLE\" me'", "Send a mail for each thing"),
      Example("capsule check --sync", "Report changes from other devices too"),
      Example("capsule check --dry-run --at 2044-06-16", "See what will be due by a certain day"),
    ],
    exitCodes: [
      .none, .partial, .notFound, .key, .damaged, .busy, .unproven, .version, .refused,
    ],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    guard invocation[dryRun] || !invocation.has(at) else {
      throw Fault.usage(
        "'--at' needs '--dry-run', because it simulates a time",
        hint: "add --dry-run")
    }
    let now = try session.dates.read(at, invocation) ?? session.now
    guard let store = try session.stores.opened() else {
      return try withoutStore(invocation, session)
    }
    guard store.stateDirectory != nil else {
      throw Fault(
        .io, "no directory for the notification log",
        hint: "set the variable HOME or XDG_STATE_HOME")
    }
    let mail =
      try invocation[mail]
      ? CheckMail(session: session, store: store.header.id, timeLimit: invocation[timeLimit]) : nil
    var settings = session.stores.settings(of: store)
    if !invocation[dryRun] { session.stores.remindOfKeeping(store, settings) }
    var synced = ExitCode.ok
    if invocation[sync], !invocation[dryRun] {
      synced = SyncJob.inBackground(store, invocation, session)
      // Another machine may have changed them.
      settings = session.stores.settings(of: store)
    }
    var run = try CheckRun(
      session, store, settings, now: now,
      announcer: Announcer(
        session: session, command: invocation[exec], notifies: invocation[notify],
        timeLimit: invocation[timeLimit]), mail: mail)
    let isExitCodeAsked = invocation[exitCode]
    let code = ExitCode.worst(
      synced,
      try invocation[dryRun]
        ? run.dryRun(isExitCodeAsked: isExitCodeAsked)
        : run.announce(isExitCodeAsked: isExitCodeAsked))
    guard invocation[fetch] else { return .ended(code) }
    let beacons = BeaconFetch(
      session: session, invocation: invocation, isDryRun: invocation[dryRun])
    return .ended(.worst(code, beacons.run(store, at: now)))
  }
}

// A store that is away: nothing is announced any more, and nobody would notice.
extension CheckCommand {
  /// Reports that the store is away: where people read it, once a day.
  private static func withoutStore(
    _ invocation: Invocation, _ session: Session
  ) throws -> Answer {
    guard let away = try session.stores.away() else {
      try session.stores.noteNone()
      return .empty(ending: invocation[exitCode] ? .none : .ok)
    }
    let isRepeated =
      invocation[dryRun] || session.options.form != .text || session.console.err.isTerminal
    guard !invocation[dryRun], session.stores.isReportDue(of: away) else {
      if isRepeated { session.console.report(away.fault) }
      return .ended(.away)
    }
    session.console.report(away.fault)
    try announce(away, invocation, session)
    session.stores.noteReport(of: away)
    return .ended(.away)
  }

  /// Announces it by all ways that were asked for.
  private static func announce(
    _ away: AwayStore, _ invocation: Invocation, _ session: Session
  ) throws {
    let message = away.fault.message(in: session.zone)
    let notice = Notice(
      id: "", kind: "store", title: "Nothing is being checked",
      text: StyledText("\(message); nothing can be reported until it is back")
    ) {
      var members = away.fault.details
      members["kind"] = "store"
      members["message"] = message.json
      return members
    }
    let announcer = Announcer(
      session: session, command: invocation[exec], notifies: invocation[notify],
      timeLimit: invocation[timeLimit])
    try announcer.announce(notice)
    guard invocation[mail] else { return }
    let mail = try CheckMail(
      session: session, store: away.known?.id, timeLimit: invocation[timeLimit])
    try mail.send(
      [notice.text.plain], title: notice.title, marks: ["away \(session.now.seconds / 86_400)"])
  }
}

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
    if !run.away.isEmpty, store.memory.noteAway(session.now) {
      session.records.warn(ofAway: run.away)
    }
  }

  /// Prints what would be announced, and keeps nothing.
  ///
  /// - Parameter isExitCodeAsked: whether the exit code says that there is nothing.
  mutating func dryRun(isExitCodeAsked: Bool) throws -> ExitCode {
    var isEmpty = true
    var problems: [Fault] = []
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

  mutating func report(_ problem: Fault) {
    session.console.report(problem)
    hasFailed = true
  }

  mutating func report(unreachable: [RecordID]) {
    for id in unreachable {
      session.console.warning(
        "the emergency contact '\(id)' cannot be notified: no such person, or no address",
        hint: "replace the emergency contacts: capsule switch set --contact PERSON",
        details: ["id": id.json])
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
        mailed.map(\.due.announcement), marks: own.map(\.message.mark))
    }
    guard isSent else { return }
    if batch.earlier != nil { try marks.markEarlier() }
    for (message, _) in own { try marks.mark(message, at: time) }
    try marks.mark(mailed.map(\.due))
  }

  private func notices(of batch: AnnouncementBatch) -> [Notice] {
    batch.messages.compactMap { silence?.notice(of: $0) } + batch.dues.map { dues.notice(of: $0) }
  }

  private mutating func report(_ problems: inout [Fault]) {
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
      if Fault(error).kind == .signal { throw error }
      session.console.report(error)
      hasFailed = true
      return false
    }
  }
}

/// The mail of `check`: to the owner all that is due, to others the messages of the switch.
struct CheckMail {
  let session: Session
  /// `nil` where there is none.
  private let store: RecordID?
  private let configuration: MailConfiguration
  private let program: MailProgram

  init(session: Session, store: RecordID?, timeLimit: Int) throws {
    self.session = session
    self.store = store
    configuration = try MailConfiguration(session)
    program = MailProgram(
      session: session, configuration: configuration, timeLimit: timeLimit)
  }

  /// Hands a message of the switch over to the person it is for.
  func send(
    _ notice: Notice,
    _ letter: (name: String, address: String, message: String, paragraphs: [String]),
    _ message: SilenceMessage
  ) throws {
    guard let address = try? MailAddress(letter.address) else {
      throw Fault(
        .partial,
        "invalid email address of '\(letter.name)': '\(letter.address)'",
        hint: "change it: capsule beneficiary edit REF --email ADDRESS")
    }
    try send(
      MailMessage(
        from: configuration.from, to: Mailbox(name: letter.name, address: address),
        subject: notice.title, date: session.now, zone: session.zone,
        id: id([message.mark]),
        text: Page.wrapped(letter.paragraphs.joined(separator: "\n\n"))),
      "the mail for '\(letter.name)'")
  }

  /// Hands all that is due over to the owner.
  ///
  /// - Parameters:
  ///   - texts: the texts, a paragraph each.
  ///   - title: the title of the first thing, where there is one.
  ///   - marks: what tells apart things that are no announcements.
  func send(
    _ texts: [String], title: String?, _ announcements: [Announcement] = [], marks: [String]
  ) throws {
    var from = configuration.from
    if from.name.isEmpty { from.name = "capsule" }
    let subject = texts.count == 1 ? title ?? "What is due" : "\(texts.count) things are due"
    try send(
      MailMessage(
        from: from, to: Mailbox(name: "", address: configuration.owner), subject: subject,
        date: session.now, zone: session.zone,
        id: id(marks, of: announcements),
        text: texts.map(Self.paragraph).joined(separator: "\n")),
      "the mail to you", sameAgain: " where nothing else is due by then")
  }

  private func send(
    _ message: MailMessage, _ name: String, sameAgain condition: String = ""
  ) throws {
    switch program.handOver(message, called: name, sameAgain: condition) {
    case .handedOver: return
    case .refused(let error), .unknown(let error): throw error
    }
  }

  private func id(_ marks: [String], of announcements: [Announcement] = []) -> String {
    let digest = MailAttempt.digest(of: announcements, marks, in: store)
    return "\(digest)@\(configuration.from.address.domain)"
  }

  /// Returns a paragraph in lines, with a command at its end on a line of its own: it is to be copied.
  private static func paragraph(_ text: String) -> String {
    let text = SafeText.line(text)
    let parts = text.components(at: ": capsule ")
    // No command has a quote in it: one that has stands in a title, which is quoted.
    guard parts.count > 1, let command = parts.last, !command.utf8.contains(UInt8(ascii: "'"))
    else {
      return Page.wrapped(text)
    }
    let rest = parts.dropLast().joined(separator: ": capsule ")
    return Page.wrapped(rest + ":") + "\n    capsule \(command)\n"
  }
}

extension String {
  /// Returns the parts between the places where a text stands.
  fileprivate func components(at separator: String) -> [String] {
    var parts: [String] = []
    var part: [UInt8] = []
    let bytes = Array(utf8)
    let mark = Array(separator.utf8)
    var place = 0
    while place < bytes.count {
      if bytes[place...].starts(with: mark) {
        parts.append(String(decoding: part, as: UTF8.self))
        part = []
        place += mark.count
      } else {
        part.append(bytes[place])
        place += 1
      }
    }
    return parts + [String(decoding: part, as: UTF8.self)]
  }
}
