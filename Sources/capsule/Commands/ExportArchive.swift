import CapsuleCore

/// `capsule export archive`.
enum ExportArchiveCommand {
  static let references = Parameter.operands(
    "REF", .reference(.record), "Only these records and what they refer to; default: everything")
  static let output = Parameter.option(
    "output", short: "o", value: "FILE", .path, "The file to make; `-` for standard output")
  static let trustees = Parameter.option(
    "trustees", value: "TRUSTEES", .reference(.trustees),
    "Seal to this trustee group; enough trustees together can open it")
  static let clear = Parameter.flag(
    "in-the-clear", "Do not encrypt: anyone who has the file has the store")
  static let check = Parameter.option(
    "verify", value: "FILE", .path, formerly: "check",
    "Verify this archive and make none; `-` for standard input")

  static let command = Command(
    "export", "archive", summary: "Export the store, or a part of it, into one sealed file",
    discussion: """
      The archive is one tar file (pax) in the layout of the store. It is sealed (encrypted) as an age file: \
      to recipients, with a passphrase, or to trustees. It contains contents, records, settings, identities \
      and the trash, but not the journal. You can use it in two ways:

      - `capsule import archive FILE` makes the store again, or adds the archive to the store of this machine.
      - `age -d FILE | tar -x -C DIR` makes a working store without this program.

      With REF, the archive has these records, the people and things that they refer to, and their contents. \
      It has no identity, so its honor capsules open only where the store's own identity is.

      `--verify` reads an archive to its last byte. It compares the archive with its digests, the records with \
      their checksums, and the contents with their names.

      Damaged and unreadable data is reported, and the exit status is 7. An export still writes the rest.
      """,
    operands: [references],
    options: [output, KeyOptions.recipient, KeyOptions.recipientsFile]
      + PassphraseOptions.newOptions
      + [trustees, clear, check, KeyOptions.identity, ShareOptions.share, ShareOptions.shares],
    outputs: .json,
    examples: [
      Example(
        "capsule export archive --passphrase-generate -o /mnt/stick/capsule.tar.age",
        "Save everything on a stick, with a generated passphrase"),
      Example("capsule export archive --verify /mnt/stick/capsule.tar.age", "Verify an archive"),
      Example(
        "capsule export archive 'To Mia at 18' -r age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p -o letter.tar.age",
        "Export one capsule for another person"),
    ],
    exitCodes: [.notFound, .key, .damaged, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    if let path = invocation[check] { return try examine(path, invocation, session) }
    for option in [
      KeyOptions.identity as any ParameterDeclaration, ShareOptions.share, ShareOptions.shares,
    ]
    where invocation.has(option) {
      throw Fault.usage(
        "'\(option.term)' needs '--verify'", hint: "add --verify FILE")
    }
    guard let path = invocation[output] else {
      throw Fault.usage(
        "no output file given", hint: "choose a file: --output FILE")
    }
    let isOutput = path.bytes == Array("-".utf8)
    if isOutput, session.options.form != .text {
      throw Fault.usage(
        "the archive and the answer cannot both go to standard output",
        hint: "choose a file: --output FILE")
    }
    let store = try session.stores.existing(or: Fault(.notFound, "no store to export"))
    let words = invocation[references]
    let chosen =
      words.isEmpty
      ? nil
      : try session.records.find(words, among: RecordKind.allCases, in: store)
        .map { RecordReference($0.kind, $0.id) }
    // Nobody is asked for a passphrase, or shown a new one, for what is refused.
    if isOutput {
      try requireNoTerminal(session)
    } else {
      if try session.host.files.statusIfPresent(path) != nil { throw taken(path) }
      try session.host.files.requireOutsideStores(path.parent, for: path)
    }
    let recipients = try recipients(invocation, in: store, session)
    var export = try ArchiveExport(of: store, chosen, now: session.now)
    if isOutput {
      try writeToOutput(&export, recipients, session)
    } else {
      try write(&export, to: path, recipients, session)
      export.rememberAsBackup(at: session.files.absolute(path))
    }
    return try answer(export, path, isSealed: !recipients.isEmpty, session)
  }

  /// Returns to whom it is sealed; nobody only where that was asked for.
  private static func recipients(
    _ invocation: Invocation, in store: Store, _ session: Session
  ) throws -> [any Recipient] {
    var recipients = try KeyOptions.recipients(invocation, session)
    if let reference = invocation[trustees] {
      let group = try session.records.one(TrusteeGroup.self, reference, in: store, intact: true)
        .model
      recipients.append(try store.trust.vouched(group).recipient)
    }
    if PassphraseOptions.isGiven(invocation) {
      guard recipients.isEmpty else {
        throw AgeFailure.recipients(.passphraseNotAlone)
      }
      if invocation[clear] {
        throw Fault(UsageProblem.contradiction("--in-the-clear", "--passphrase"))
      }
      return [try PassphraseOptions.recipient(invocation, session)]
    }
    if invocation[clear] {
      guard recipients.isEmpty else {
        throw Fault(UsageProblem.contradiction("--in-the-clear", "--recipient"))
      }
      return []
    }
    guard !recipients.isEmpty else {
      throw Fault.usage(
        "no recipient for the archive given",
        hint:
          "choose who can open the archive: --passphrase, --recipient, --trustees or --in-the-clear"
      )
    }
    try AgeWriter.check(recipients)
    return recipients
  }

  private static func taken(_ path: FilePath) -> Fault {
    Fault(
      .refused, "'\(path.text)' already exists; nothing was written",
      hint: "choose a new file", details: ["path": path.json])
  }

  private static func seal<Target: ByteSink>(
    _ export: inout ArchiveExport, _ recipients: [any Recipient], into sink: Target,
    _ session: Session
  ) throws {
    guard !recipients.isEmpty else {
      _ = try export.write(to: sink)
      return
    }
    let sealing = try AgeWriter(to: recipients, random: session.host.random).sealing(into: sink)
    _ = try export.write(to: sealing).finish()
  }

  private static func writeToOutput(
    _ export: inout ArchiveExport, _ recipients: [any Recipient], _ session: Session
  ) throws {
    let out = session.console.out
    try seal(&export, recipients, into: OutputSink(out), session)
    try out.flush()
  }

  private static func requireNoTerminal(_ session: Session) throws {
    guard session.console.out.isTerminal else { return }
    throw Fault(
      .refused, "refusing to write an archive to the terminal",
      hint: "redirect the output, or choose a file: --output FILE")
  }

  /// - Throws: `WorkSignals.Interrupted` for a signal that ended it.
  private static func write(
    _ export: inout ArchiveExport, to path: FilePath, _ recipients: [any Recipient],
    _ session: Session
  ) throws {
    let signals = WorkSignals(session, "Writing", total: export.byteCount)
    defer { signals.end() }
    do {
      try session.host.files.writeBeside(path, replacing: false, random: session.host.random) {
        file in
        let watched = WatchedSink(file, watch: WorkWatch(signals.pass))
        try seal(&export, recipients, into: watched, session)
      }
    } catch let fault as Fault where fault.code == .exists {
      throw taken(path)
    } catch {
      throw signals.cause(of: error)
    }
  }

  private static func answer(
    _ export: ArchiveExport, _ path: FilePath, isSealed: Bool, _ session: Session
  ) throws -> Answer {
    let whole = export.description.isWhole
    if !isSealed {
      session.console.warning(
        whole
          ? "the archive is not sealed: anyone who has the archive can open every capsule that this store can open"
          : "the archive is not sealed: anyone who has the archive can read titles and notes",
        hint: "keep the archive in a safe place, or seal it: --passphrase, --recipient")
    }
    if !whole, export.honorCount > 0 {
      session.console.note(
        StyledText(
          "\(String.counting(export.honorCount, "capsule")) in it open only with the key of this "
            + "store, which is not in the archive."))
    }
    for name in export.description.named {
      session.console.note(StyledText("It refers to the \(name), which does not exist."))
    }
    let isOutput = path.bytes == Array("-".utf8)
    let size: Int64 = try isOutput ? 0 : session.host.files.status(path).size
    let facts = ArchiveFacts(
      path: path, size: size, isSealed: isSealed, description: export.description,
      recordCount: export.recordCount, blobCount: export.blobCount,
      lockedOutCount: whole ? 0 : export.honorCount, problems: export.problems)
    if isOutput { return .ended(facts.code) }
    return facts.answer { out in
      out.line(
        "Wrote '\(path.text)': \(String.counting(export.recordCount, "record")), "
          + "\(String.counting(export.blobCount, "content file")), \(ByteSize.text(size)).")
    }
  }

  private static func examine(
    _ path: FilePath, _ invocation: Invocation, _ session: Session
  ) throws -> Answer {
    guard invocation[output] == nil, invocation[references].isEmpty else {
      throw Fault.usage(
        "'--verify' cannot be combined with REF or '--output'", hint: "leave out REF and --output")
    }
    var isSealed = false
    let report: ArchiveReport
    do {
      report = try ArchiveReport.check { sink in
        isSealed = try ArchiveOptions.read(
          path, to: &sink, label: "Reading", invocation, session)
      }
    } catch let fault as Fault where fault.isOfArchive {
      throw fault.naming(path.inputSubject)
    } catch let error as AgeFailure {
      throw Fault.seal(error, subject: path.inputSubject)
    }
    let size: Int64 = try path.isDash ? 0 : session.host.files.statusFollowingLinks(path).size
    let facts = ArchiveFacts(
      path: path, size: size, isSealed: isSealed, description: report.description,
      recordCount: report.recordCount, blobCount: report.blobCount,
      lockedOutCount: report.lockedOutCount, problems: report.problems)
    return facts.answer { out in
      let state: StyledText = facts.code == .ok ? "\("sound", .green)" : "\("damaged", .boldRed)"
      out.line(
        "\(state): \(facts.description.isWhole ? "all" : "a part") of the store "
          + "\(facts.description.store.description), as of "
          + "\(session.dates.text(facts.description.createdAt)); "
          + "\(String.counting(facts.recordCount, "record")), "
          + "\(String.counting(facts.blobCount, "content file"))")
    }
  }
}

/// The facts that are printed about an archive that was made or read.
private struct ArchiveFacts {
  let path: FilePath
  let size: Int64
  let isSealed: Bool
  let description: ArchiveDescription
  let recordCount: Int
  let blobCount: Int
  let lockedOutCount: Int
  let problems: [ArchiveProblem]

  var code: ExitCode {
    if problems.isEmpty { return .ok }
    return problems.allSatisfy(\.isNewer) ? .version : .damaged
  }

  func answer(_ words: @escaping Answer.Text) -> Answer {
    Answer(
      [
        "path": path.json, "bytes": size.json, "isSealed": isSealed.json,
        "store": description.store.description.json,
        "createdAt": description.createdAt.json,
        "isWhole": description.isWhole.json, "isSound": problems.isEmpty.json,
        "records": recordCount.json, "blobs": blobCount.json,
        "withoutIdentity": lockedOutCount.json,
        "named": description.named.json,
        "problems": problems.map(\.words).json,
      ], ending: code
    ) { out in
      for problem in problems { out.line("\("damaged", .boldRed)  \(problem.words)") }
    }
    .unlessQuiet(words)
  }
}
