import CapsuleCore

/// `capsule check`.
enum CheckCommand {
  static let dryRun = Flag("dry-run", short: "n", "Tell what would be announced, and keep nothing")
  static let at = Option(
    "at", value: "WHEN", .text, "With `--dry-run`: tell what would be announced at this time")
  static let exitCode = Flag("exit-code", "Exit with 1 when nothing is announced")
  static let exec = Option(
    "exec", value: "COMMAND", .text, "Run a shell command for each, with its object as input")
  static let notify = Flag("notify", "Show a notice on the desktop for each")
  static let fetch = Flag(
    "fetch", "Fetch the beacons of timelocked capsules that are due, so that they open offline")
  static let timeLimit = Option(
    "time-limit", value: "SECONDS", .integer(1...86_400), default: "60",
    "How long a command or notice may take")

  static let command = Command(
    "check", summary: "Announce what became due, once",
    discussion: """
      For cron and timers: it prints nothing and ends with 0 when nothing is due, however often it \
      runs. What became due while the machine slept is announced at the next run. Each thing is \
      announced once on each machine; what was due before the machine first used the store is summed \
      up in one line. Of an alert that is repeated and was missed several times only the last is \
      announced.

      `--exec` runs `/bin/sh -c COMMAND` for each, with CAPSULE_ID, CAPSULE_TITLE and CAPSULE_KIND in \
      its environment and the object in JSON on its input. Only when it exits with 0 the thing counts \
      as announced; otherwise it is tried again at the next run, and the check ends with 3.

      With `--dry-run`, `--fetch` asks no network and tells which beacons it would fetch.

      Once in 30 days a warning on standard error says when the store was not verified or backed up \
      for longer than the settings `verifyEvery` and `backupEvery` allow, and once a day that the last \
      verification found damage.
      """,
    options: [dryRun, at, exitCode, exec, notify, fetch, timeLimit], outputs: [.json, .ndjson],
    examples: [
      Example("capsule check", "Tell what became due"),
      Example("capsule check --exec 'mail -s \"$CAPSULE_TITLE\" me'", "Send a mail for each"),
      Example("capsule check --dry-run --at 2036-06-16", "See what a day will bring"),
    ],
    exitCodes: [.none, .partial, .damaged, .busy, .unproven, .version],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    var now = session.now
    if let text = invocation[at] {
      guard invocation[dryRun] else {
        throw Failure.usage(
          "'--at' is simulated time, and nothing is announced at a simulated time",
          hint: "add '--dry-run'")
      }
      now = try session.when(text, option: "--at").instant
    }
    guard let store = try session.existingStore() else {
      return try session.render(
        ending: invocation[exitCode] ? .none : .ok, list: [DueView](),
        json: { .object($0.members) }, text: { _ in })
    }
    guard let directory = store.stateDirectory else {
      throw Failure(
        .io, "there is no place to keep what was announced",
        hint: "set HOME or XDG_STATE_HOME")
    }
    if !invocation[dryRun] { session.remindOfKeeping(store) }
    var run = CheckRun(
      session, store, directory, now: now, isExitCodeAsked: invocation[exitCode],
      announcer: Announcer(
        session: session, command: invocation[exec], notifies: invocation[notify],
        timeLimit: invocation[timeLimit] ?? 60))
    let code = try invocation[dryRun] ? run.dryRun() : run.announce()
    guard invocation[fetch] else { return code }
    let beacons = BeaconFetch(
      session: session, invocation: invocation, isDryRun: invocation[dryRun])
    return ExitCode.worst(code, beacons.run(store, at: now))
  }
}

/// One run of `check` on a store.
private struct CheckRun {
  private let session: Session
  private let store: Store
  private let directory: FilePath
  /// Whether the exit code says that nothing was announced.
  private let isExitCodeAsked: Bool
  private let announcer: Announcer
  private let views: DueViewMaker
  private var check: DueCheck
  private var code = ExitCode.ok

  init(
    _ session: Session, _ store: Store, _ directory: FilePath, now: Instant,
    isExitCodeAsked: Bool, announcer: Announcer
  ) {
    self.session = session
    self.store = store
    self.directory = directory
    self.isExitCodeAsked = isExitCodeAsked
    self.announcer = announcer
    let settings = session.storeSettings(store)
    let calendar = session.eventCalendar(settings)
    views = DueViewMaker(
      session: session, settings: settings, calendar: calendar,
      names: RecordNames(store, now: session.now), now: now)
    check = DueCheck(
      store, directory: directory, through: now, now: session.now, calendar: calendar,
      zone: session.localZone.label)
  }

  /// Prints what would be announced, and keeps nothing.
  mutating func dryRun() throws -> ExitCode {
    let known = try Ledger.read(directory, environment: store.environment)
    let dues = dues(after: known.firstUse ?? session.now, known)
    return try session.render(
      ending: ending(dues.isEmpty), list: dues, json: { .object($0.members) },
      text: { out in
        for due in dues { out.line(due.text) }
      })
  }

  /// Announces what was not announced yet.
  mutating func announce() throws -> ExitCode {
    if check.hasNothingNew() { return try printNothing() }
    let ledger = try Ledger.open(directory, environment: store.environment, now: session.now)
    // Another check is at work: it announces what there is.
    guard var ledger else { return try printNothing(isOurs: false) }
    defer { ledger.close() }
    return try announce(&ledger)
  }

  /// Announces what is not in the ledger, and marks each thing as soon as it was printed.
  private mutating func announce(_ ledger: inout Ledger) throws -> ExitCode {
    let (earlier, kinds) =
      ledger.known.isFirstUseAnnounced ? (0, []) : check.count(dueThrough: ledger.firstUse)
    let dues = dues(after: ledger.firstUse, ledger.known)
    guard !dues.isEmpty || earlier > 0 else {
      keepNothingLeft()
      return try printNothing()
    }
    try ledger.requireWritable()
    let isArray = session.options.form == .json
    if earlier > 0 { printEarlier(earlier, kinds, ledger.firstUse) }
    var announced: [DueView] = []
    for due in dues {
      do {
        try announcer.announce(due)
      } catch {
        if Failure(error).kind == .signal { throw error }
        session.console.report(error)
        code = ExitCode.worst(code, .partial)
        continue
      }
      announced.append(due)
      if isArray { continue }
      print(due)
      try session.console.out.flush()
      try ledger.mark(due.announcement)
    }
    if isArray {
      let summary = earlier > 0 ? [summaryObject(earlier, ledger.firstUse)] : []
      _ = try session.render(
        list: summary + announced.map { .object($0.members) }, json: { $0 }, text: { _ in })
      for due in announced { try ledger.mark(due.announcement) }
    }
    try session.console.out.flush()
    if earlier > 0 { try ledger.markFirstUseAnnounced() }
    keepNothingLeft()
    return ending(announced.isEmpty && earlier == 0)
  }

  /// Returns what became due after an instant and is not known; what cannot be read is reported and
  /// passed over.
  private mutating func dues(after start: Instant, _ known: Ledger.Known) -> [DueView] {
    let console = session.console
    var isPartial = false
    let dues = check.dues(after: start, known: known) { problem in
      console.report(problem.failure)
      isPartial = true
    }
    if isPartial { code = .partial }
    return dues.map { views.view(of: $0) }
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
      ending: isOurs ? ending(true) : code, list: [DueView](), json: { .object($0.members) },
      text: { _ in })
  }

  private func ending(_ isEmpty: Bool) -> ExitCode {
    code == .ok && isEmpty && isExitCodeAsked ? .none : code
  }

  private func print(_ due: DueView) {
    switch session.options.form {
    case .text: session.console.out.line(due.text)
    case .ndjson: session.console.out.jsonLine(.object(due.members))
    case .json: break
    }
  }

  private func printEarlier(_ count: Int, _ kinds: [RecordKind], _ firstUse: Instant) {
    switch session.options.form {
    case .text:
      let commands = kinds.map { "'\($0.listCommand)\($0 == .item ? " --due" : "")'" }
      let shows = "\(commands.joined(separator: ", ")) \(commands.count == 1 ? "shows" : "show")"
      session.console.out.line(
        count == 1
          ? "1 was due already when this machine first used the store; \(shows) it."
          : "\(count) were due already when this machine first used the store; \(shows) them.")
    case .ndjson: session.console.out.jsonLine(summaryObject(count, firstUse))
    case .json: break
    }
  }

  private func summaryObject(_ count: Int, _ firstUse: Instant) -> JSON {
    var members: JSONObject = [
      "topic": "summary", "count": .integer(Int64(count)), "kind": "store",
      "zone": .string(session.localZone.label),
    ]
    InstantFields(zone: session.zone).add(firstUse, as: "firstUseAt", to: &members)
    return .object(members)
  }
}

extension DueProblem {
  fileprivate var failure: Failure {
    switch self {
    case .directory(let error): Failure(error)
    case .unreadable(let path):
      Failure(
        .damaged, "'\(path)' cannot be read", hint: "'capsule verify' says what is damaged")
    case .record(let error): Failure(error)
    }
  }
}
