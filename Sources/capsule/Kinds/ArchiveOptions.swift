import CapsuleCore

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
    do { return try keys.fileKey(of: reader) } catch FileKeyFault.noIdentity {
      throw Failure(
        .key, "no identity is named to open the archive with",
        hint: "give '--identity FILE', or '--shares' for one that is sealed to trustees")
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
