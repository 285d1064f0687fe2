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
  static let mail = Flag(
    "mail", "Mail you all of it in one message, and people the messages of the switch")
  static let fetch = Flag(
    "fetch", "Fetch the beacons of timelocked capsules that are due, so that they open offline")
  static let sync = Flag("sync", "Exchange changes with other machines first: capsule sync")
  static let timeLimit = Option(
    "time-limit", value: "SECONDS", .integer(1...86_400), default: "60",
    "How long a command or notice may take")

  static let command = Command(
    "check", summary: "Announce what became due, once",
    discussion: """
      For cron and timers: it prints nothing and ends with 0 when nothing is due, however often it \
      runs. What became due while the machine slept is announced at the next run. Each thing is \
      announced once on each machine; what was due before the machine first used the store is summed \
      up in one line. Of several alerts of one event, and of an alert that is repeated, only the last that \
      was missed is announced.

      `--exec` runs `/bin/sh -c COMMAND` for each, with CAPSULE_ID, CAPSULE_TITLE and CAPSULE_KIND in \
      its environment, CAPSULE_MESSAGE and CAPSULE_TO for the messages of the switch, and the object \
      in JSON on its input. What it prints goes to standard error with `--json` and `--ndjson`. The line is \
      written before, so that where nothing can be printed or kept no command runs. Only when it exits with 0 the thing counts \
      as announced; otherwise it is told and tried again at the next run, and the check ends with 3.

      `--mail` sends one message with all that is due to the `owner` of \
      `$XDG_CONFIG_HOME/capsule/mail`, and the messages of the switch to the people they are for; `capsule help \
      deliver` says how mail goes. What the mail program did not take is announced again.

      With `--dry-run`, `--fetch` asks no network and tells which beacons it would fetch.

      `--sync` does what `capsule sync` does with all carriers first, so that what was changed elsewhere \
      is announced too. What went well is not told; what did not is, on standard error, and the check goes \
      on and ends with the worse code. A protected store needs its passphrase for it, and for nothing else \
      here: `--passphrase-command`, or `store hold`. With `--dry-run` nothing is exchanged.

      Once in 30 days a warning on standard error says when the store was not verified or backed up \
      for longer than the settings `verifyEvery` and `backupEvery` allow, and once a day that the last \
      verification found damage.
      """,
    options: [
      dryRun, at, exitCode, exec, notify, mail, fetch, sync, PassphraseOptions.file,
      PassphraseOptions.command, timeLimit,
    ],
    outputs: [.json, .ndjson],
    examples: [
      Example("capsule check", "Tell what became due"),
      Example("capsule check --exec 'mail -s \"$CAPSULE_TITLE\" me'", "Send a mail for each"),
      Example("capsule check --sync", "Exchange changes with other machines, then tell"),
      Example("capsule check --dry-run --at 2036-06-16", "See what a day will bring"),
    ],
    exitCodes: [
      .none, .partial, .notFound, .key, .damaged, .busy, .unproven, .version, .refused,
    ],
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
        ending: invocation[exitCode] ? .none : .ok, list: [Notice](),
        json: { .object($0.members()) }, text: { _ in })
    }
    guard store.stateDirectory != nil else {
      throw Failure(
        .io, "there is no place to keep what was announced",
        hint: "set HOME or XDG_STATE_HOME")
    }
    let mail =
      try invocation[mail]
      ? CheckMail(session: session, store: store, timeLimit: invocation[timeLimit] ?? 60) : nil
    var settings = session.storeSettings(store)
    if !invocation[dryRun] { session.remindOfKeeping(store, settings) }
    var synced = ExitCode.ok
    if invocation[sync], !invocation[dryRun] {
      synced = SyncRunCommand.inBackground(store, invocation, session)
      // Another machine may have changed them.
      settings = session.storeSettings(store)
    }
    var run = try CheckRun(
      session, store, settings, now: now,
      announcer: Announcer(
        session: session, command: invocation[exec], notifies: invocation[notify],
        timeLimit: invocation[timeLimit] ?? 60), mail: mail)
    let isExitCodeAsked = invocation[exitCode]
    let code = ExitCode.worst(
      synced,
      try invocation[dryRun]
        ? run.dryRun(isExitCodeAsked: isExitCodeAsked)
        : run.announce(isExitCodeAsked: isExitCodeAsked))
    guard invocation[fetch] else { return code }
    let beacons = BeaconFetch(
      session: session, invocation: invocation, isDryRun: invocation[dryRun])
    return ExitCode.worst(code, beacons.run(store, at: now))
  }
}
