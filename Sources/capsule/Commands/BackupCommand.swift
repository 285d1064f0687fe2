import CapsuleCore

/// `capsule backup`.
enum BackupCommand {
  static let directory = Parameter.operand(
    "DIR", .directory, "The directory for snapshots, best on another disk")
  static let keep = Parameter.option(
    "keep", value: "N", .integer(1...),
    "Keep N snapshots: remove damaged ones first, then the oldest")

  static let dryRun = Parameter.flag(
    "dry-run", short: "n", "List what would be copied and removed, and write nothing")

  static let newSet = Parameter.flag(
    "new-set", "Start again in DIR even if all earlier snapshots are missing from it")

  static let command = Command(
    "backup", summary: "Copy the store into a new snapshot, and verify the copy",
    discussion: """
      Each snapshot is a complete store in `DIR/<time>/`: contents, trash, settings, identities and journal. \
      It appears when every file is on the disk and verified there. Unchanged files take no space, because \
      they are hard links to the last snapshot. Other commands wait only while the latest changes are copied.

      Limits:

      - Anyone who has a snapshot can open everything that the store opens.
      - If this device made snapshots in DIR and none is there, the disk may not be mounted. The command then \
      asks, or needs `--new-set`.
      - An interrupted backup leaves the earlier snapshots unchanged.
      - Damaged files are copied as they are. Unreadable files are reported and left out. The command then \
      exits with status 7 and removes no snapshot.
      """,
    operands: [directory], options: [keep, newSet, dryRun], outputs: .json,
    examples: [
      Example(
        "capsule backup /mnt/disk/capsule --keep 30",
        "Back up to another disk and keep 30 snapshots")
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    // The path is remembered, and may be asked for from anywhere.
    let directory = try session.host.files.resolvingLinks(
      session.files.absolute(invocation[directory]))
    let store = try session.stores.existing(or: Fault(.notFound, "no store to back up"))
    let isDryRun = invocation[dryRun]
    try noteLost(in: directory, of: store, invocation, session)
    let progress = session.console.progress("Copying")
    defer { progress.end() }
    let report = try store.care.backUp(
      to: directory, keeping: invocation[keep], now: session.now, isDryRun: isDryRun
    ) {
      progress.update($0, of: $1)
    }
    progress.end()
    let awaited = report.problems.filter { $0.kind == .awaited }
    return Answer(
      [
        "generation": report.generation.json, "path": report.path.json,
        "isDryRun": isDryRun.json,
        "isSound": report.isSound.json, "records": report.records.json,
        "blobs": report.blobs.json, "bytes": report.bytesCopied.json,
        "shared": report.filesShared.json,
        "removed": report.removed.json,
        "generations": report.generations.json,
        "problems": report.problems.filter { $0.isDamage || $0.isDenied }
          .map { $0.words(session) }.json,
        "awaited": awaited.count.json,
      ], ending: report.isSound ? .ok : .damaged
    ) { out in
      for problem in report.problems where problem.isDamage || problem.isDenied {
        out.line("\("damaged", .boldRed)  \(problem.words(session))")
      }
      for problem in awaited { out.line("\("note", .yellow)     \(problem.words(session))") }
    }
    .unlessQuiet { out in
      out.line(
        "\(isDryRun ? "Would write" : "Wrote") \(report.generation, .bold): \(String.counting(report.records, "record")), "
          + "\(String.counting(report.blobs, "content file")), "
          + "\(ByteSize.text(report.bytesCopied)) new.")
      for name in report.removed { out.line("\(isDryRun ? "Would remove" : "Removed") \(name)") }
    }
    .noting(
      report.isSound && !awaited.isEmpty && invocation[keep] != nil && !isDryRun
        ? "no snapshot was removed while something is on its way." : nil
    )
    .noting(report.isSound ? nil : "fix the damage: capsule repair; no snapshot was removed.")
  }

  /// Says that a snapshot that this device made is gone; asks first where all of them are.
  private static func noteLost(
    in directory: FilePath, of store: Store, _ invocation: Invocation, _ session: Session
  ) throws {
    guard let lost = try store.care.lostGeneration(in: directory, now: session.now) else { return }
    let details: JSONObject = ["path": directory.json, "generation": lost.name.json]
    guard lost.isSetGone else {
      return session.console.warning(
        "the last snapshot that this device made is missing: '\(directory.appending(lost.name).text)'",
        details: details)
    }
    let fact = "the earlier snapshots in '\(directory.text)' are missing, the last one \(lost.name)"
    if invocation[newSet] || invocation[dryRun] {
      return session.console.warning(fact, details: details)
    }
    let isWanted = try session.ask.isYes(
      "\(fact.prefix(1).uppercased() + fact.dropFirst()). Start a new set of snapshots there?",
      unanswered: Fault(
        .refused, "\(fact)",
        hint: "mount the disk; to start a new set of snapshots there: --new-set",
        details: details),
      ended: .canceled())
    guard isWanted else { throw Fault.canceled() }
  }
}
