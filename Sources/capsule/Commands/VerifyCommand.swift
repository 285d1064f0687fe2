import CapsuleCore

/// `capsule verify`.
enum VerifyCommand {
  static let quick = Parameter.flag(
    "quick", "Only check that files exist, and read neither them nor the journal")

  static let budget = Parameter.option(
    "budget", value: "DURATION", .text,
    "Stop after this time, and continue from there on the next run")
  static let status = Parameter.flag(
    "status", "Only show the last verification and the last backup")

  static let command = Command(
    "verify", summary: "Verify that all data is complete and undamaged",
    discussion: """
      The command compares:

      - every record with its checksum
      - every file with its name, which is the SHA-256 of its bytes
      - the store with its journal, which lists the data that must exist
      - every lock with its record, as far as possible without your keys: the recipient, the unlock time, the \
      round and the number of escrow keys

      It opens no capsule. It reports damaged and missing data and then exits with status 7. Files that you have \
      no permission to read are not damage: it exits with status 10 and says who owns them.

      `--budget` lets cron verify a large store in parts, one on each run.

      This device remembers the result. `list` and `check` warn until the damage is repaired. `--status` shows \
      the result, with the times of the last verification and the last backup.

      Limits:

      - Files that do not belong to the store are reported, but are not damage.
      - A record that only another device's journal has may still be on its way. It is reported, and counts as \
      missing after 7 days. In a store that was only copied, such a record is missing at once.
      - In a protected store, honor locks are verified only if the passphrase is given or remembered. The \
      command does not ask. It reports how many were not opened, which is not damage.
      - With `--budget`, a single file is still read to its end. Only a verification of the whole store \
      reports files that no record uses.
      - If the journal lacks second copies of records, the command adds them.
      """,
    options: [quick, budget, status, PassphraseOptions.file, PassphraseOptions.command],
    outputs: .json,
    examples: [
      Example("capsule verify", "Verify the whole store"),
      Example("capsule verify --budget '1 minute'", "Verify a part of a large store, from cron"),
    ],
    exitCodes: [.notFound, .key, .damaged, .version],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    if invocation[status] {
      guard !invocation[quick], invocation[budget] == nil else {
        throw Fault.usage(
          "'--status' cannot be combined with other options", hint: "leave out the other options")
      }
      return try VerificationStatus(store(session), session).answer()
    }
    if invocation[quick], invocation[budget] != nil {
      throw Fault.usage(
        "'--quick' and '--budget' cannot be given together", hint: "use one of the two"
      )
    }
    let seconds = try invocation[budget].map {
      try session.dates.readSeconds($0, option: "--budget")
    }
    let store = try store(session)
    var plan = VerificationPlan()
    plan.readsBlobs = !invocation[quick]
    plan.readsJournals = !invocation[quick]
    if let seconds {
      let clock = session.host.monotonicClock
      let end = clock().addingClamped(seconds.multipliedClamped(by: 1_000_000_000))
      plan.start = LastVerification(of: store).round?.next ?? .first
      plan.hasTime = { clock() < end }
    }
    let progress = session.console.progress("Verifying")
    defer { progress.end() }
    let opened = try session.passphrases.openedIfGiven(store, invocation)
    let report = try opened.care.verifyAll(plan, now: session.now) { progress.update($0, of: $1) }
    progress.end()
    return answer(report, session, isPart: plan.start != nil)
  }

  /// The store: nothing at all is never called whole.
  private static func store(_ session: Session) throws -> Store {
    let place = try session.stores.path().text
    return try session.stores.existing(
      or: Fault(.notFound, "no store to verify at '\(place)'", hint: "choose a store: --store DIR"))
  }

  private static func answer(
    _ report: Verification, _ session: Session, isPart: Bool = false
  ) -> Answer {
    let damage = report.problems.filter(\.isDamage)
    let onlyNewer =
      !damage.isEmpty
      && damage.allSatisfy {
        if case .damage(.newer) = $0.detail { $0.kind == .record } else { false }
      }
    return Answer(
      [
        "isSound": report.isSound.json,
        "records": report.records.json,
        "blobs": report.blobs.json,
        "bytes": report.bytes.json,
        "problems": report.problems.map { $0.members(session) }.json,
        "isWhole": (!isPart).json, "goesOn": (report.next != nil).json,
        "unprovenLocks": report.unprovenLocks.json,
      ], ending: report.isSound ? .ok : onlyNewer ? .version : damage.isEmpty ? .io : .damaged
    ) { out in
      for problem in report.problems {
        out.line(
          problem.isDenied
            ? "\("unread", .yellow)   \(problem.words(session))"
            : problem.isDamage
              ? "\(problem.label, .boldRed)  \(problem.words(session))"
              : "\("note", .yellow)     \(problem.words(session))"
        )
      }
    }
    .unlessQuiet { out in
      let counts =
        String.counting(report.records, "record") + ", "
        + String.counting(report.blobs, "content file")
      out.line(
        report.isSound
          ? "OK: \(counts)."
          : damage.isEmpty
            ? "Not everything could be verified: \(counts)."
            : "\(damage.count) damaged or missing, of \(counts).")
      if isPart {
        out.line(
          report.next == nil
            ? "That was the last part of the store." : "The next run goes on from here.")
      }
    }
    .noting(
      report.unprovenLocks == 0
        ? nil
        : "\(String.counting(report.unprovenLocks, "honor lock was", "honor locks were")) not opened: the store is protected. To verify them too, use --passphrase-file or 'capsule store remember'."
    )
    .noting(damage.contains(where: \.mayBeMended) ? "Fix the damage: capsule repair" : nil)
    .noting(permissionNote(report, session).map { StyledText($0) })
  }
}

extension VerifyCommand {
  /// The way to read what permission was lacking for.
  fileprivate static func permissionNote(_ report: Verification, _ session: Session) -> String? {
    let denied = report.problems.filter(\.isDenied)
    guard let first = denied.first else { return nil }
    let count = String.counting(denied.count, "file or directory", "files or directories")
    return "\(count) could not be read for lack of permission, which is not damage"
      + (session.console.permissionHint(first).map { ": \($0)" } ?? ".")
  }
}

extension MissingRecord {
  /// The record, as far as the journal knows it.
  func words(_ session: Session) -> String {
    let name = title.map { " '\($0)'" } ?? ""
    let time = updatedAt.map { ", changed \(session.dates.text($0))," } ?? ""
    return "the \(kind.word)\(name) \(id)\(time)"
  }
}

extension Finding {
  /// The word before a line about damage.
  var label: String { kind == .missing ? "missing" : "damaged" }

  /// The finding in one line.
  func words(_ session: Session) -> String {
    let file = "'\(path ?? own ?? "")'"
    let owner = record.map { "\($0.kind.word) \($0.id)" } ?? ""
    let more = detail.words(of: self, session)
    return switch kind {
    case .header, .identity, .settings, .record, .unreadable, .otherSize, .missingReference:
      "\(file) \(more)"
    case .lock, .untrusted: more
    case .blob: "\(file) \(more); the \(owner) needs it"
    case .versionBlob: "\(file) \(more); a version of the \(owner) in the journal needs it"
    case .foreign: "\(file) does not belong to the store; move it away if it is a conflict copy"
    case .orphan: "\(file) is not used by any record; a purge removes it after a week"
    case .openToOthers: "others can write to \(file) (\(more)); to prevent that: chmod go-w"
    case .weakFileSystem:
      "the file system of \(file) cannot flush directories; a power cut may undo the last changes"
    case .interruptedDeletion:
      "\(file) is in the store and in the trash: its deletion was interrupted"
    case .missing: "\(more) is missing"
    case .awaited:
      "\(record == nil ? file : more) is not here yet; it may arrive from another device; otherwise restore it from the journal: capsule repair"
    case .away: "\(file): the \(owner) is only in iCloud, or a file of it; download it in Finder"
    case .outdated: "\(file) is \(more)"
    case .journal where detail == .none:
      "\(file) lost some of its second copies, which were rewritten"
    case .journal where isGone:
      "\(file) is gone, and with it the earlier versions of records and the list of operations"
    case .journal: "\(file) \(more)"
    case .clearIdentity:
      "\(file) has a key in the clear; remove it: capsule store protect"
    case .syncState: "\(file) is damaged; the next sync compares everything"
    case .noJournal:
      "this device has no journal: its state directory or the store is not writable"
    }
  }

  /// The object for machine output.
  func members(_ session: Session) -> JSONObject {
    [
      "kind": kind.rawValue.json, "isDamage": isDamage.json,
      "message": words(session).json, "id": (record?.id.description).json,
      "path": path.json,
    ]
  }
}

extension Finding.Detail {
  fileprivate func words(of finding: Finding, _ session: Session) -> String {
    switch self {
    case .none: ""
    case .damage(let damage): damage.words
    case .blob(_, let damage): damage.words
    case .key(_, let isMissing): isMissing ? "is missing" : "is damaged"
    case .refused(let code): "cannot be read: \(FileRefusal.reason(of: code))"
    case .sizes(let blob, let said, let size):
      "gives \(said) bytes for the file '\(blob)', which has \(size)"
    case .lock(let problem):
      Fault.lock(problem, path: finding.path ?? "").message(in: session.zone)
    case .reference(let target):
      "refers to the \(target.kind.word) \(target.id), which does not exist"
    case .named(let record, let found?):
      "revision \(found) of \(record.words(session)); the journal has \(record.revision)"
    case .named(let record, nil):
      finding.kind == .awaited
        ? "revision \(record.revision) of \(record.words(session))" : record.words(session)
    case .trust(let problem): problem.words
    case .mode(let mode): "mode \(String(mode, radix: 8))"
    }
  }
}

/// The facts that this machine remembers about the keeping of a store: `capsule verify --status`.
struct VerificationStatus {
  private let session: Session
  private let last: LastVerification
  private let backup: LastBackup?
  private let reminder: KeepingReminder

  init(_ store: Store, _ session: Session) {
    self.session = session
    last = LastVerification(of: store)
    backup = LastBackup(of: store)
    reminder = KeepingReminder(
      of: store, settings: session.stores.settings(of: store), since: store.header.createdAt,
      now: session.now)
  }

  private var findings: [LastVerification.Loss] { last.findings }

  func answer() -> Answer {
    Answer(members, ending: findings.isEmpty ? .ok : .damaged) { out in
      out.line("Verified   \(time(last.whole?.ended))\(overdue(reminder.verification))")
      if let round = last.round {
        out.line("Going on   since \(time(round.began)), \(percentage(round.next)) % is done")
      }
      out.line("Backed up  \(time(backup?.time))\(overdue(reminder.backup))")
      if let backup { out.line("           '\(backup.path)'") }
      for finding in findings { out.line("\(finding.label, .boldRed)  \(finding.words)") }
    }
  }

  private func time(_ time: Instant?) -> String {
    guard let time else { return "never on this device" }
    let isAhead = time > session.now
    return session.dates.text(time) + (isAhead ? ", which is to come: a clock was ahead then" : "")
  }

  private func overdue(_ lack: KeepingReminder.Lack?) -> String {
    lack.map { ", overdue: more than \(String.counting($0.days, "day"))" } ?? ""
  }

  /// Returns the percentage of a round that is done: records count as the first half, blobs by
  /// their names as the second.
  private func percentage(_ next: VerificationStep) -> Int {
    switch next {
    case .records(let shard): Int(shard) * 50 / 256
    case .blobs(let name): 50 + (Int(name.shard, radix: 16) ?? 0) * 50 / 256
    }
  }

  private var members: JSONObject {
    session.object(
      [
        "isSound": findings.isEmpty.json,
        "isVerificationDue": (reminder.verification != nil).json,
        "isBackupDue": (reminder.backup != nil).json, "backupPath": (backup?.path).json,
        "progress": (last.round.map { percentage($0.next) }).json,
        "findings": findings.map(\.members).json,
      ],
      at: [
        "verifiedAt": last.whole?.ended, "goesOnSince": last.round?.began,
        "backedUpAt": backup?.time,
      ])
  }
}

extension LastVerification.Loss {
  fileprivate var label: String { isMissing ? "missing" : "damaged" }

  fileprivate var words: String {
    let record = kind.flatMap { kind in id.map { "the \(kind.word) \($0)" } }
    return [path.map { "'\($0)'" }, record].compactMap(\.self).joined(separator: ", ")
  }

  fileprivate var members: JSONObject {
    [
      "isMissing": isMissing.json, "kind": (kind?.rawValue).json,
      "id": id.json, "path": path.json,
    ]
  }
}
