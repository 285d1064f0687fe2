import CapsuleCore

// What this machine knows of its remotes, and what is in them.
extension SyncCommands {
  static let status = Command(
    "sync", "status", summary: "Show what is not yet synced",
    discussion: """
      The command changes nothing. For each remote of this store it shows:

      - the time of the last sync
      - how many records are not yet sent
      - how many change files of other devices are not yet received
      - the devices that use it
      """,
    options: storeOptions, outputs: .json,
    examples: [Example("capsule sync status", "Show the state of all remotes")],
    exitCodes: [.key, .damaged, .busy, .version, .refused]
  ) { invocation, session in
    let (rows, conflicts, waiting) =
      try SyncJob(ifKnown: invocation, session).map { try look(at: $0) } ?? ([], 0, [])
    func text(_ out: TextOutput, hasHint: Bool) {
      for row in rows { line(row, out, session) }
      if rows.isEmpty, hasHint {
        out.line("No remote configured. Add one: capsule sync add NAME PLACE")
      }
      if conflicts > 0 {
        out.line("\(String.counting(conflicts, "conflict")): capsule sync conflicts")
      }
      for subject in waiting { out.line("\("waiting", .yellow)  \(subject.text)") }
    }
    return Answer(
      [
        "carriers": .array(rows.map { members($0) }), "conflicts": conflicts.json,
        "waiting": waiting.map(\.text).json,
      ], ending: rows.compactMap(\.failure?.kind.exitCode).reduce(.ok, ExitCode.worst),
      quiet: .only { text($0, hasHint: false) }
    ) { text($0, hasHint: true) }
  }

  /// A carrier, and its status or the reason why that is not known.
  private struct Row {
    let carrier: NamedCarrier
    var status: CarrierStatus?
    var failure: Fault?
  }

  private static func look(
    at job: SyncJob
  ) throws -> (rows: [Row], conflicts: Int, waiting: [SyncSubject]) {
    let carriers = try Carriers(job.session).of(job.store)
    return try job.look { work throws(Fault) in
      var rows: [Row] = []
      for carrier in carriers {
        var row = Row(carrier: carrier)
        do throws(Fault) {
          row.status = try work.status(of: carrier.carrier(job.session))
        } catch {
          row.failure = error.naming(carrier.name)
        }
        rows.append(row)
      }
      return (rows, try work.conflicts().count, work.waiting())
    }
  }

  private static func members(_ row: Row) -> JSON {
    [
      "name": row.carrier.name.json, "place": row.carrier.place.text.json,
      "lastSyncAt": row.status?.ended.map { Instant(seconds: $0).json } ?? .null,
      "unsent": (row.status?.unsent).json,
      "untaken": (row.status?.untaken).json,
      "machines": .array(
        (row.status?.devices ?? []).map { device, count in
          var members = device.members
          members["segments"] = count.json
          return .object(members)
        }),
      "problem": row.failure.map { "\($0.message)".json } ?? .null,
    ]
  }

  private static func line(_ row: Row, _ out: TextOutput, _ session: Session) {
    out.line("\(row.carrier.name, .bold)  \(row.carrier.place.text)")
    if let failure = row.failure {
      out.line("  \("problem", .yellow): \(failure.message(in: session.zone))")
      return
    }
    guard let status = row.status else { return }
    let time = status.ended.map { session.dates.text(Instant(seconds: $0)) } ?? "never"
    out.line("  last sync: \(time)")
    out.line(
      "  to send: \(String.counting(status.unsent, "record")); to receive: "
        + "\(String.counting(status.untaken, "change file"))")
    for (device, count) in status.devices {
      let host = device.host.map { " (\($0))" } ?? ""
      out.line(
        "  device \(device.actor.description)\(host): \(String.counting(count, "change file"))"
          + (device.isOwn ? ", this device" : ""))
    }
  }

  static let read = Parameter.flag("read", "Also read every file and compare it with its name")
  static let repair = Parameter.flag(
    "repair", "Upload again what is damaged or missing, if this device has it")

  static let verify = Command(
    "sync", "verify", summary: "Verify the data in the remotes",
    discussion: """
      The command reads every change file and proves that a device of this store wrote it. It also checks that \
      the files of records exist and are not cut off; `--read` finds other damage in them. It reports damaged \
      and missing data and then exits with status 7.

      Without `--repair` nothing is changed. With it, this device uploads its own change files again, and the \
      files that it has. Run the command on each device. To remove the change files of a device that is gone, \
      use `capsule sync forget`.
      """,
    operands: [remotes], options: [read, repair] + storeOptions,
    outputs: .json,
    examples: [
      Example("capsule sync verify --read", "Read all data in every remote"),
      Example("capsule sync verify --read --repair", "Repair what this device can repair"),
    ],
    exitCodes: [.notFound, .key, .damaged, .busy, .version, .refused],
    run: SyncJob.run(on: remotes) { try $0.verify(reads: $1[read], repairs: $1[repair]) })

  static let reset = Command(
    "sync", "reset", summary: "Make the next sync compare everything again",
    discussion: """
      Forgets what this device knows of earlier syncs. Records and remotes do not change. Run this before the \
      next sync in two cases:

      - You restored the store and its state from a copy, such as a snapshot or a backup of the machine. A \
      sync notices this only if it reaches the remotes and none of them was restored too.
      - A remote lost data.

      The next sync treats every difference as changed on both sides. So a record that another device deleted \
      in the meantime comes back.
      """,
    options: storeOptions, outputs: .json,
    examples: [Example("capsule sync reset", "Prepare for a sync after restoring this device")],
    exitCodes: [.notFound, .key, .busy, .version],
    run: SyncJob.run { job, _ in
      try job.hold { work throws(Fault) in try work.reset() }
      return Answer(["store": job.store.header.id.json], quiet: .nothing) {
        $0.line("The next sync compares everything again.")
      }
    })
}

extension SyncJob {
  fileprivate func verify(reads: Bool, repairs: Bool) throws -> Answer {
    let progress = session.console.progress("Verifying")
    defer { progress.end() }
    let all = try each { work, carrier, _ throws(Fault) in
      try work.verify(carrier, reads: reads, repairs: repairs) { progress.update($0, of: $1) }
    }
    progress.end()
    let outcomes = all.map { (name: $0.name, outcome: $0.value.0, mended: $0.value.1) }
    let isSound = outcomes.allSatisfy(\.outcome.isSound)
    let isNewer = outcomes.contains { !$0.outcome.newer.isEmpty }
    func text(_ out: TextOutput, hasCounts: Bool) {
      for (name, outcome, mended) in outcomes {
        if mended.segments + mended.files > 0 {
          out.line(
            "\("mended", .green)   \(name): put again "
              + "\(String.counting(mended.segments, "segment")) and "
              + "\(String.counting(mended.files, "file"))")
        }
        for file in outcome.damaged { out.line("\("damaged", .boldRed)  \(name): '\(file.path)'") }
        for file in outcome.newer { out.line("\("newer", .yellow)    \(name): '\(file.path)'") }
        for subject in outcome.lacking.map(\.text).sorted() {
          out.line("\("missing", .boldRed)  \(name): a file of \(subject)")
        }
        guard hasCounts else { continue }
        out.line(
          "\(name, .bold): \(String.counting(outcome.segments, "segment")), "
            + "\(String.counting(outcome.files, "file")): "
            + (!outcome.isSound
              ? "not all is what was written."
              : reads
                ? "all is what was written."
                : "all change files are OK, and no file is missing."))
      }
    }
    var answer = Answer(
      rows: outcomes, ending: !isSound ? .damaged : isNewer ? .version : .ok,
      quiet: .only { text($0, hasCounts: false) }
    ) { name, outcome, mended in
      [
        "name": name.json, "isSound": outcome.isSound.json,
        "segments": outcome.segments.json, "files": outcome.files.json,
        "damaged": outcome.damaged.map(\.path).json,
        "newer": outcome.newer.map(\.path).json,
        "lacking": outcome.lacking.map(\.text).sorted().json,
        "mendedSegments": mended.segments.json,
        "mendedFiles": mended.files.json,
      ]
    } text: {
      text($0, hasCounts: true)
    }
    for (name, outcome, _) in outcomes where outcome.damaged.contains(.identities) {
      answer = answer.noting(
        "No device can be set up from '\(name)', because its keys are missing. Put them there again: capsule sync add NAME PLACE"
      )
    }
    guard !isSound else { return answer }
    return answer.noting(
      repairs
        ? "The other devices can fix the rest with the same command. If such a device no longer exists, remove its files: capsule sync forget"
        : "Fix what this device can fix: capsule sync verify --read --repair")
  }
}
