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
        ending: invocation[exitCode] ? .none : .ok, list: [Due](), json: { .object($0.members) },
        text: { _ in })
    }
    guard let directory = store.stateDirectory else {
      throw Failure(
        .io, "there is no place to keep what was announced",
        hint: "set HOME or XDG_STATE_HOME")
    }
    var check = Check(
      session: session, store: store, now: now,
      announcer: Announcer(
        session: session, command: invocation[exec], notifies: invocation[notify],
        timeLimit: invocation[timeLimit] ?? 60))
    let code =
      invocation[dryRun]
      ? try check.dryRun(directory, exitCode: invocation[exitCode])
      : try announce(&check, directory, exitCode: invocation[exitCode])
    guard invocation[fetch] else { return code }
    let beacons = BeaconFetch(
      session: session, invocation: invocation, isDryRun: invocation[dryRun])
    return ExitCode.worst(code, beacons.run(store, at: now))
  }

  private static func announce(
    _ check: inout Check, _ directory: FilePath, exitCode: Bool
  ) throws -> ExitCode {
    if check.hasNothingNew(directory) { return try check.tellNothing(exitCode: exitCode) }
    let (store, session) = (check.store, check.session)
    let ledger = try Ledger.open(directory, environment: store.environment, now: session.now)
    // Another check is at work: it announces what there is.
    guard let ledger else { return try check.tellNothing(exitCode: false) }
    defer { ledger.close() }
    return try check.run(ledger, directory, exitCode: exitCode)
  }
}

/// One check of a store.
private struct Check {
  let session: Session
  let store: Store
  let now: Instant
  let announcer: Announcer
  private var code = ExitCode.ok
  /// Of each of ``DueSource``'s cases.
  private var indexes: [RecordIndex]

  init(session: Session, store: Store, now: Instant, announcer: Announcer) {
    self.session = session
    self.store = store
    self.now = now
    self.announcer = announcer
    indexes = DueSource.allCases.map { store.index($0.kind, now: session.now) }
  }

  /// Whether the last check left nothing, and since then nothing changed and nothing became due.
  mutating func hasNothingNew(_ directory: FilePath) -> Bool {
    guard let last = LastCheck.read(directory, environment: store.environment),
      last.through <= now, last.basis == basis(directory)
    else { return false }
    let calendar = session.eventCalendar(session.storeSettings(store))
    for (position, source) in DueSource.allCases.enumerated() {
      let news = source.candidates(
        in: &indexes[position], after: last.through, through: now, calendar,
        isKnown: { _ in false })
      if !news.isEmpty { return false }
    }
    return true
  }

  /// What this check rests on; `nil` where it cannot be told.
  private mutating func basis(_ directory: FilePath) -> String? {
    var stamps: [(RecordKind, IndexStamp)] = []
    for (position, source) in DueSource.allCases.enumerated() {
      guard indexes[position].failures.isEmpty else { return nil }
      stamps.append((source.kind, indexes[position].stamp()))
    }
    return LastCheck.basis(
      directory, of: store, indexes: stamps, zone: session.localZone.label)
  }

  /// The answer when there is nothing to announce.
  func tellNothing(exitCode: Bool) throws -> ExitCode {
    try session.render(
      ending: ending(true, exitCode), list: [Due](), json: { .object($0.members) },
      text: { _ in })
  }

  /// Keeps that nothing is left, for the next check.
  private mutating func keep(_ directory: FilePath) {
    guard code == .ok, let basis = basis(directory) else { return }
    LastCheck(through: now, basis: basis).write(directory, environment: store.environment)
  }

  /// Tells what would be announced.
  mutating func dryRun(_ directory: FilePath, exitCode: Bool) throws -> ExitCode {
    let known = try Ledger.read(directory, environment: store.environment)
    let firstUse = known.firstUse ?? session.now
    let dues = dues(after: firstUse) { known.contains($0) }
    return try session.render(
      ending: ending(dues.isEmpty, exitCode), list: dues, json: { .object($0.members) },
      text: { out in
        for due in dues { out.line(due.text) }
      })
  }

  /// Announces what was not announced yet, each marked as soon as it is told.
  mutating func run(
    _ given: Ledger, _ directory: FilePath, exitCode: Bool
  ) throws -> ExitCode {
    var ledger = given
    let (earlier, kinds) = ledger.isFirstUseTold ? (0, []) : countBefore(ledger.firstUse)
    let known = ledger
    var dues = dues(after: ledger.firstUse) { known.contains($0) }
    guard !dues.isEmpty || earlier > 0 else {
      keep(directory)
      return try tellNothing(exitCode: exitCode)
    }
    try ledger.requireWritable()
    let isArray = session.options.form == .json
    if earlier > 0 { tellEarlier(earlier, kinds, ledger.firstUse) }
    var told: [Due] = []
    for due in dues {
      do {
        try announcer.announce(due)
      } catch {
        if Failure(error).kind == .signal { throw error }
        session.console.report(error)
        code = ExitCode.worst(code, .partial)
        continue
      }
      told.append(due)
      if isArray { continue }
      tell(due)
      try session.console.out.flush()
      try mark(due, &ledger)
    }
    dues = told
    if isArray {
      let summary = earlier > 0 ? [summaryObject(earlier, ledger.firstUse)] : []
      _ = try session.render(
        list: summary + dues.map { .object($0.members) }, json: { $0 }, text: { _ in })
      for due in dues { try mark(due, &ledger) }
    }
    try session.console.out.flush()
    if earlier > 0 {
      try ledger.markFirstUseTold()
    }
    keep(directory)
    return ending(dues.isEmpty && earlier == 0, exitCode)
  }

  private func ending(_ isEmpty: Bool, _ exitCode: Bool) -> ExitCode {
    code == .ok && isEmpty && exitCode ? .none : code
  }

  private func mark(_ due: Due, _ ledger: inout Ledger) throws {
    try ledger.mark(due.announcement)
  }

  /// All that became due after an instant and is not known; what cannot be read is told and passed
  /// over.
  private mutating func dues(
    after start: Instant, isKnown: (Announcement) -> Bool
  ) -> [Due] {
    var dues: [Due] = []
    let calendar = session.eventCalendar(session.storeSettings(store))
    for (position, source) in DueSource.allCases.enumerated() {
      for failure in indexes[position].failures { report(Failure(failure)) }
      for entry in indexes[position].problems() where entry.summary.isEmpty {
        report(
          Failure(
            .damaged, "'\(store.layout.record(source.kind, entry.id).text)' cannot be read",
            hint: "'capsule verify' says what is damaged"))
      }
      let candidates = source.candidates(
        in: &indexes[position], after: start, through: now, calendar, isKnown: isKnown)
      for entry in candidates {
        do {
          dues += try source.dues(of: entry.id, in: store, after: start, through: now, session)
            .filter { !isKnown($0.announcement) }
        } catch {
          report(error)
        }
      }
    }
    return dues.sorted {
      ($0.announcement.instant, $0.announcement.id) < ($1.announcement.instant, $1.announcement.id)
    }
  }

  private mutating func report(_ error: any Error) {
    session.console.report(error)
    code = .partial
  }

  /// How many were due before, and of which kinds.
  private mutating func countBefore(_ firstUse: Instant) -> (Int, [RecordKind]) {
    let calendar = session.eventCalendar(session.storeSettings(store))
    var (sum, kinds) = (0, [RecordKind]())
    for (position, source) in DueSource.allCases.enumerated() {
      let count = source.count(in: &indexes[position], before: firstUse, calendar)
      sum += count
      if count > 0 { kinds.append(source.kind) }
    }
    return (sum, kinds)
  }

  private func tell(_ due: Due) {
    switch session.options.form {
    case .text: session.console.out.line(due.text)
    case .ndjson: session.console.out.jsonLine(.object(due.members))
    case .json: break
    }
  }

  private func tellEarlier(_ count: Int, _ kinds: [RecordKind], _ firstUse: Instant) {
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
