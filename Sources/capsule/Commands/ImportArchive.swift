import CapsuleCore

/// `capsule import archive`.
enum ImportArchiveCommand {
  static let file = Parameter.operand("FILE", .path, "The archive; `-` for standard input")
  static let dryRun = Parameter.flag(
    "dry-run", short: "n", "List what would be imported, and write nothing")
  static let limit = Parameter.option(
    "limit", value: "N", .integer(1...), otherwise: "50",
    "List at most N of each in a dry run")

  static let command = Command(
    "import", "archive", summary: "Import an archive, or make the store from it",
    discussion: """
      If there is no store yet, an archive of a whole store makes it again, with its identities and settings. \
      Otherwise the archive is merged into the store, record by record:

      - New records are added, and equal records stay as they are.
      - Records that differ become one. Each field keeps the value of the later change; the other is reported, \
      and `capsule versions REF` has both.
      - No unlock time moves earlier, and nothing is removed. Records in the trash stay there.
      - Identities of another store are added, so that its honor capsules open. Its settings are not imported.

      Contents are stored as they are read. Records follow when the whole archive was read and verified. Run \
      an interrupted import again to finish it. A second import of the same archive changes nothing. An \
      incomplete archive leaves no store behind.

      `--dry-run` lists records by kind and title: those that are new, would be merged, are held back, or stay \
      in the trash. It also lists the identities that would be added, by their recipients, and each setting \
      here and in the archive. `--json` lists everything.
      """,
    operands: [file], options: ArchiveOptions.keys + [dryRun, limit], outputs: .json,
    examples: [
      Example(
        "capsule import archive /mnt/stick/capsule.tar.age", "Restore the store on a new computer"),
      Example("capsule import archive letter.tar.age -i key.txt --dry-run", "Preview an import"),
    ],
    exitCodes: [.partial, .key, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let path = invocation[file]
    try requireNoStore(path, session)
    let place = try session.stores.path()
    let isDryRun = invocation[dryRun]
    let intake = try ArchiveImport(
      into: place, environment: session.stores.environment, now: session.now, isDryRun: isDryRun)
    let report: ImportReport
    do {
      report = try intake.run { sink in
        try ArchiveOptions.read(
          path, to: &sink, label: isDryRun ? "Reading" : "Importing", invocation, session)
      }
    } catch let fault as Fault where fault.isOfArchive {
      throw fault.naming(path.inputSubject)
    } catch let error as AgeFailure {
      throw Fault.seal(error, subject: path.inputSubject)
    }
    if !isDryRun, let store = try session.stores.existingQuietly() {
      session.stores.noteFirstUse(of: store)
    }
    return answer(report, isDryRun: isDryRun, listing: invocation[limit] ?? .max)
  }

  /// Refuses the directory of a store.
  private static func requireNoStore(_ path: FilePath, _ session: Session) throws {
    let files = session.host.files
    guard try files.statusIfPresent(path)?.kind == .directory,
      try files.statusIfPresent(path.appending("store.json")) != nil
    else { return }
    let there = path.text.shellWord
    throw Fault(
      .refused, "'\(path.text)' is a store, not an archive",
      hint: try session.stores.existingQuietly() == nil
        ? "copy the whole directory: cp -a \(there) \(session.stores.path().text.shellWord)"
        : "make an archive of it: capsule --store \(there) export archive --output FILE; "
          + "then: capsule import archive FILE")
  }

  private static func answer(
    _ report: ImportReport, isDryRun: Bool, listing limit: Int
  ) -> Answer {
    let code: ExitCode =
      if report.problems.contains(where: { !$0.isNewer }) {
        .damaged
      } else {
        report.held.isEmpty && report.problems.isEmpty ? .ok : .partial
      }
    // A dry run is a list, as bounded as others are.
    let limit = isDryRun ? limit : .max
    return Answer(members(report, isDryRun), ending: code) { out in
      for problem in report.problems {
        out.line("\(problem.isNewer ? "newer" : "damaged", .boldRed)  \(problem.words)")
      }
      out.lines(report.held, limit) { held in
        "\("held back", .boldRed)  \(held.entry.words): \(held.reason.words)"
      }
    }
    .unlessQuiet { out in
      if isDryRun {
        out.lines(report.new, limit) { new in
          "\("new", .green)  \(new.entry.words)\(new.isTrashed ? ", in the trash" : "")"
        }
        out.lines(report.merged.filter(\.conflicts.isEmpty), limit) { merged in
          "\("merged", .green)  \(merged.entry.words)"
        }
      }
      out.lines(report.merged.filter { !$0.conflicts.isEmpty }, limit) { merged in
        let fields = merged.conflicts.joined(separator: ", ")
        return isDryRun
          ? "\("conflict", .yellow)  \(merged.entry.words): the later change of \(fields) stays"
          : "\("conflict", .yellow)  \(merged.entry.words): \(fields); "
            + "'capsule versions \(merged.entry.id)' has both"
      }
      out.lines(report.inTrash, limit) { entry in
        "\("note", .yellow)  \(entry.words) is in the trash here and stays there"
      }
      for entry in report.sameNames {
        out.line("\("note", .yellow)  \(entry.words) has the same name as another one here")
      }
      if isDryRun {
        out.lines(report.identities, limit) { "\("identity", .green)  \($0)" }
        out.lines(report.settingChanges, limit) { change in
          "\("setting", change.isTaken ? .green : .yellow)  \(change.words)"
        }
      } else if !report.settingsKept.isEmpty {
        out.line(
          "\("note", .yellow)  settings that differ stay as they are here: "
            + "\(report.settingsKept.joined(separator: ", "))")
      }
      if report.lockedOutCount > 0 {
        out.line(
          "\("note", .yellow)  \(String.counting(report.lockedOutCount, "capsule")) in the archive "
            + "open only with the identity of the store that it is from")
      }
      out.line("\(summary(report, isDryRun))")
    }
  }

  /// Returns a summary of what was done, in one sentence or two.
  private static func summary(_ report: ImportReport, _ isDryRun: Bool) -> String {
    var parts: [String] = []
    func add(_ count: Int, _ verb: String, _ past: String, _ one: String, _ many: String) {
      if count > 0 {
        parts.append("\(isDryRun ? verb : past) \(String.counting(count, one, many))")
      }
    }
    add(report.added, "add", "added", "record", "records")
    add(report.merged.count, "merge", "merged", "record", "records")
    add(report.blobs, "add", "added", "content file", "content files")
    add(report.identities.count, "add", "added", "identity", "identities")
    add(report.settings.count, "set", "set", "setting", "settings")
    let rest = report.unchanged > 0 ? " \(report.unchanged) were here already." : ""
    guard !parts.isEmpty else {
      return (isDryRun ? "Nothing would change." : "Nothing changed.") + rest
    }
    let did = parts.joined(separator: ", ")
    if isDryRun { return "Would \(did).\(rest)" }
    return did.prefix(1).uppercased() + did.dropFirst() + "." + rest
  }

  private static func members(_ report: ImportReport, _ isDryRun: Bool) -> JSONObject {
    func named(_ entry: ImportReport.Entry) -> JSONObject {
      ["kind": entry.kind.rawValue.json, "id": entry.id.json, "title": entry.title.json]
    }
    func named(_ entry: ImportReport.Entry, _ key: String, _ value: JSON) -> JSONObject {
      var members = named(entry)
      members[key] = value
      return members
    }
    return [
      "archive": report.archive.description.json, "isWhole": report.isWhole.json,
      "hasMadeStore": report.hasMadeStore.json, "isDryRun": isDryRun.json,
      "added": report.added.json, "unchanged": report.unchanged.json,
      "blobs": report.blobs.json, "withoutIdentity": report.lockedOutCount.json,
      "new": report.new.map { named($0.entry, "isTrashed", $0.isTrashed.json) }.json,
      "settingChanges": .array(
        report.settingChanges.map { change in
          [
            "name": change.name.json, "old": change.old ?? .null, "new": change.new,
            "isTaken": change.isTaken.json,
          ]
        }),
      "store": report.store.json,
      "merged": report.merged.map { named($0.entry, "conflicts", $0.conflicts.json) }.json,
      "held": report.held.map { named($0.entry, "reason", $0.reason.words.json) }.json,
      "inTrash": report.inTrash.map { named($0) }.json,
      "sameNames": report.sameNames.map { named($0) }.json,
      "identities": report.identities.json, "settings": report.settings.json,
      "settingsKept": report.settingsKept.json,
      "problems": report.problems.map(\.words).json,
    ]
  }
}

extension ImportReport.Entry {
  fileprivate var words: String {
    title.isEmpty ? "the \(kind.word) \(id)" : "\(kind.word) '\(title.shortened)' \(id)"
  }
}

extension ImportReport.SettingChange {
  /// The setting with its value here and the one in the archive.
  fileprivate var words: String {
    func text(_ value: JSON) -> String {
      let text =
        value.string ?? String(decoding: value.encoded(.compact), as: UTF8.self)
      return "'\(text.shortened)'"
    }
    let here = old.map { text($0) } ?? "not set"
    return isTaken
      ? "\(name.shortened): \(here) → \(text(new))"
      : "\(name.shortened): \(here) stays, the archive has \(text(new))"
  }
}

extension TextOutput {
  /// Writes a line for each of some things, and how many more there are behind as many as that.
  fileprivate func lines<Thing>(
    _ things: [Thing], _ limit: Int, _ line: (Thing) -> StyledText
  ) {
    for thing in things.prefix(limit) { self.line(line(thing)) }
    let more = things.count - limit
    if more > 0 { self.line("\("and \(more) more: '--limit' shows them", .dim)") }
  }
}

/// The options by which an archive is opened, and the reading of its file.
enum ArchiveOptions {
  static let keys: Parameters =
    [KeyOptions.identity] + PassphraseOptions.options
    + [PassphraseOptions.maximumWorkFactor, ShareOptions.share, ShareOptions.shares]

  /// Reads an archive's file into the sink.
  ///
  /// - Returns: whether it is sealed.
  /// - Throws: `AgeFailure` and `ArchiveFault` as they are, by which an import sees that it is no archive.
  @discardableResult
  static func read(
    _ path: FilePath, to sink: inout ArchiveSink, label: String, _ invocation: Invocation,
    _ session: Session
  ) throws -> Bool {
    let files = session.host.files
    let file = try files.open(session.files.input(path), .readFollowingLinks(streams: true))
    defer { try? files.close(file) }
    let status = try files.status(file)
    let watch = ReadingWatch()
    defer { watch.end() }
    do {
      return try ArchiveInput.read(
        WatchedSource(FileSource(files, file), watch), to: &sink
      ) { reader in
        let opened = try reader.map { try key(of: $0, invocation, session) }
        // A pipe may be silent for long: signals end it as they do without a watch.
        if status.kind == .regular {
          watch.signals = WorkSignals(session, label, total: status.size)
        }
        return opened
      }
    } catch AgeFailure.source(let cause) {
      throw cause
    }
  }

  private static func key(
    of reader: AgeReader, _ invocation: Invocation, _ session: Session
  ) throws -> FileKey {
    let keys = InteractiveKeys(
      session: session, invocation: invocation, question: "Passphrase of the archive: ",
      refusalOfShares: nil)
    do { return try keys.fileKey(of: reader) } catch let fault as Fault
      where fault.code == .noIdentityGiven
    {
      throw Fault(
        .key, "no identity given for the archive",
        hint: "use --identity FILE; or --shares if the archive is sealed to trustees")
    }
  }
}

/// The watch over a reading, which begins when all questions were asked.
private final class ReadingWatch {
  var signals: WorkSignals?

  func end() {
    signals?.end()
    signals = nil
  }
}

/// A source that counts what is read, and is ended by a signal.
private struct WatchedSource: ByteSource {
  private var source: FileSource
  private let watch: ReadingWatch

  init(_ source: FileSource, _ watch: ReadingWatch) {
    self.source = source
    self.watch = watch
  }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let count = try source.read(into: buffer)
    try watch.signals?.pass(count)
    return count
  }
}
