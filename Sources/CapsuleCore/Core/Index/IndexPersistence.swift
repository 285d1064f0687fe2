/// The setup of one kind's index: where the records are, where the index is kept, and how a record
/// is read.
package struct IndexSetup: Sendable {
  /// Makes the entry of a record from its file's bytes. It never fails: what it cannot read gets an
  /// entry with a problem. It may be called on several threads at once.
  package typealias Summarize = @Sendable (RecordID, [UInt8]) -> IndexEntry

  package let files: any FileSystem
  /// The store's directory.
  package let store: FilePath
  /// The directory of the index files, made when needed; `nil` to keep nothing.
  package private(set) var cache: FilePath?
  package let kind: RecordKind
  /// Changes whenever the model's summaries do, so that old ones are not used.
  package private(set) var summaryVersion: UInt32
  /// A larger file is no record, and is not read.
  package let recordLimit: Int
  /// The most threads that may read records at once.
  package let threads: Int
  /// Up to so many records, every file of a directory that may have changed is looked at.
  package let fewRecords: Int
  package let random: RandomSource
  package private(set) var summarize: Summarize
  /// The endings of the files' names.
  private var endings = (base: ".base", log: ".log")

  package init(
    files: any FileSystem, store: FilePath, cache: FilePath?, kind: RecordKind,
    summaryVersion: UInt32, recordLimit: Int, threads: Int, fewRecords: Int = 1 << 16,
    random: RandomSource, summarize: @escaping Summarize
  ) {
    self.files = files
    self.store = store
    self.cache = cache
    self.kind = kind
    self.summaryVersion = summaryVersion
    self.recordLimit = recordLimit
    self.threads = threads
    self.fewRecords = fewRecords
    self.random = random
    self.summarize = summarize
  }

  /// The directory of the kind's shards.
  var folder: FilePath {
    store.appending(kind.folder)
  }

  func directory(shard: UInt8) -> FilePath {
    folder.appending(bytes: IndexShard.name(shard))
  }

  var base: FilePath? { cache?.appending(kind.folder + endings.base) }

  var log: FilePath? { cache?.appending(kind.folder + endings.log) }

  /// The file with the place where files are looked at next.
  var turn: FilePath? { cache?.appending(kind.folder + ".turn") }

  /// The same without files that are kept.
  var uncached: IndexSetup {
    var setup = self
    setup.cache = nil
    return setup
  }

  /// A setup of another index of the same records.
  func with(
    _ endings: (base: String, log: String), version: UInt32, _ summarize: @escaping Summarize
  ) -> IndexSetup {
    var setup = self
    setup.endings = endings
    setup.summaryVersion = version
    setup.summarize = summarize
    return setup
  }
}

/// The keeping of an index in its files: loading them, adding to the log, and folding it into a new
/// base.
struct IndexPersistence {
  let setup: IndexSetup

  static let mode: UInt32 = 0o600
  private static let temporaryMark = Array(".tmp-".utf8)
  /// The seconds after which a temporary file is nobody's.
  private static let temporaryAge: Int64 = 3600

  /// Reads the files, without looking at the records' directories.
  func load() -> (LoadedIndex, LoadedIndex.LogReading) {
    var result = (LoadedIndex(), LoadedIndex.LogReading())
    guard let path = setup.base else { return result }
    // A base may be replaced between its opening and that of its log; the second look finds both.
    for _ in 0..<2 {
      guard let base = try? IndexBase(path, setup: setup) else { break }
      var content = LoadedIndex(base: base)
      let log = content.readLog(setup)
      result = (content, log)
      if log.isOwn { break }
    }
    return result
  }

  /// Keeps what was learned: a log entry, or a new base where there is none or the log has grown.
  /// A failure to write is ignored: the next opening learns the same again.
  func save(
    _ content: inout LoadedIndex, _ refresh: LoadedIndex.Refresh,
    _ log: LoadedIndex.LogReading, now: Instant
  ) throws(Malformed) {
    guard setup.cache != nil else { return }
    if let base = content.base, log.isWhole, content.overlay.byteCount <= Self.logLimit(base) {
      // The folder's own comes last: it vouches for which shards there are, as the others have them.
      let entries = refresh.changes.sorted { $0.number < $1.number }
        .flatMap {
          IndexLog.entry(
            IndexLog.payload($0, token: content.tokens[$0.number]), base: base.id)
        }
      if log.size + entries.count <= Self.logLimit(base) {
        if !log.isOwn, !replaceLog(base: base.id) { return }
        if !entries.isEmpty { append(entries: entries) }
        return
      }
    }
    try fold(&content)
    sweep(now)
  }

  /// Returns the size from which a log is folded: reading it must cost little, and folding it not
  /// come often.
  private static func logLimit(_ base: IndexBase) -> Int {
    max(64 << 10, min(base.size / 8, 256 << 10))
  }

  /// Adds entries to the log that is there, whatever its base.
  func append(_ payloads: [[UInt8]]) {
    guard let path = setup.log,
      let head = try? setup.files.withFile(
        path, .read,
        { file throws(Fault) in
          var head = [UInt8](repeating: 0, count: IndexLog.headCount)
          _ = try setup.files.read(file, at: 0, into: &head)
          return head
        }), let base = IndexLog.base(ofHead: head, setup: setup)
    else { return }
    append(entries: payloads.flatMap { IndexLog.entry($0, base: base) })
  }

  private func append(entries: [UInt8]) {
    guard let path = setup.log else { return }
    try? setup.files.withFile(path, .append(mode: Self.mode)) { file throws(Fault) in
      let size = try setup.files.status(file).size
      guard size >= IndexLog.headCount, size <= IndexLog.limit else { return }
      try setup.files.writeAll(file, entries)
    }
  }

  /// Writes a new base and begins its log; the content then rests on it.
  func fold(_ content: inout LoadedIndex) throws(Malformed) {
    guard let path = setup.base, let id = randomNumber(), let temporary = temporaryPath(path),
      (try? setup.files.createDirectories(path.parent)) != nil
    else { return }
    do {
      let base = try write(&content, to: temporary, id: id)
      try setup.files.rename(temporary, to: path)
      _ = replaceLog(base: id)
      content = LoadedIndex(base: base)
    } catch {
      try? setup.files.unlink(temporary)
      if let damage = error as? Malformed { throw damage }
    }
  }

  private func write(
    _ content: inout LoadedIndex, to path: FilePath, id: UInt64
  ) throws -> IndexBase {
    let file = try setup.files.open(path, .createExclusive(mode: Self.mode))
    do {
      try IndexBase.write(&content, to: file, id: id, setup: setup)
    } catch {
      try? setup.files.close(file)
      throw error
    }
    try setup.files.close(file)
    return try IndexBase(path, setup: setup)
  }

  /// Begins a log.
  ///
  /// - Returns: whether it is there.
  private func replaceLog(base: UInt64) -> Bool {
    guard let path = setup.log, let temporary = temporaryPath(path) else { return false }
    let head = IndexLog.head(base: base, setup: setup)
    return (try? setup.files.swap(path, head, mode: Self.mode, by: temporary)) != nil
  }

  private func randomNumber() -> UInt64? {
    (try? setup.random.bytes(8))?.reduce(0) { $0 << 8 | UInt64($1) }
  }

  private func temporaryPath(_ path: FilePath) -> FilePath? {
    randomNumber().map {
      FilePath(bytes: path.bytes + Self.temporaryMark + Array(String($0, radix: 16).utf8))
    }
  }

  /// Removes the temporary files of programs that were killed.
  private func sweep(_ now: Instant) {
    guard let cache = setup.cache, let entries = try? setup.files.contents(ofDirectory: cache)
    else { return }
    let marks = [setup.base, setup.log].compactMap { path in
      path.map { $0.lastComponent + Self.temporaryMark }
    }
    for entry in entries where marks.contains(where: { entry.name.starts(with: $0) }) {
      let path = cache.appending(bytes: entry.name)
      guard let status = try? setup.files.status(path),
        status.changed.seconds < now.seconds &- Self.temporaryAge
      else { continue }
      try? setup.files.unlink(path)
    }
  }
}
