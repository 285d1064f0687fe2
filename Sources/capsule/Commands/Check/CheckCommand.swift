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
    "sync", "Exchange changes with other machines first, like `capsule sync`")
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
      """,
    options: [
      dryRun, at, exitCode, exec, notify, mail, fetch, sync, PassphraseOptions.file,
      PassphraseOptions.command, timeLimit,
    ],
    outputs: [.json, .ndjson],
    examples: [
      Example("capsule check", "Print what became due"),
      Example("capsule check --exec 'mail -s \"$CAPSULE_TITLE\" me'", "Send a mail for each thing"),
      Example("capsule check --sync", "Report changes from other machines too"),
      Example("capsule check --dry-run --at 2044-06-16", "See what will be due by a certain day"),
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
      now = try session.dates.read(text, option: "--at").instant
    }
    guard let store = try session.stores.existing() else {
      return try session.console.render(
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
    var settings = session.stores.settings(of: store)
    if !invocation[dryRun] { session.stores.remindOfKeeping(store, settings) }
    var synced = ExitCode.ok
    if invocation[sync], !invocation[dryRun] {
      synced = SyncRunCommand.inBackground(store, invocation, session)
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
    guard invocation[fetch] else { return code }
    let beacons = BeaconFetch(
      session: session, invocation: invocation, isDryRun: invocation[dryRun])
    return ExitCode.worst(code, beacons.run(store, at: now))
  }
}
