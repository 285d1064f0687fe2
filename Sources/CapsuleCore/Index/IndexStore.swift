/// The index's files: loading them, adding to the log, and folding it into a new base.
struct IndexStore {
  let place: IndexPlace

  private static let mode: UInt32 = 0o600
  private static let directoryMode: UInt32 = 0o700
  private static let temporaryMark = Array(".tmp-".utf8)
  /// Seconds after which a temporary file is nobody's.
  private static let temporaryAge: Int64 = 3600

  /// What the files tell, without looking at the records' directories.
  func load() -> (IndexContent, IndexContent.LogReading) {
    var result = (IndexContent(), IndexContent.LogReading())
    guard let path = place.base else { return result }
    // A base may be replaced between its opening and that of its log; the second look finds both.
    for _ in 0..<2 {
      guard let base = try? IndexBase(path, place: place) else { break }
      var content = IndexContent(base: base)
      let log = content.readLog(place)
      result = (content, log)
      if log.isOwn { break }
    }
    return result
  }

  /// Keeps what was learned: a log entry, or a new base where there is none or the log has grown.
  /// What cannot be written is not kept.
  func save(
    _ content: inout IndexContent, _ refresh: IndexContent.Refresh,
    _ log: IndexContent.LogReading, now: Instant
  ) throws(IndexDamage) {
    guard place.cache != nil else { return }
    guard let base = content.base, log.isWhole,
      log.size + news(content, refresh) <= Self.logLimit(base)
    else {
      try fold(&content)
      return sweep(now)
    }
    if !log.isOwn, !replaceLog(base: base.id) { return }
    if refresh.changes.isEmpty { return }
    // The folder's own comes last: it vouches for which shards there are, as the others tell.
    var entries: [UInt8] = []
    for change in refresh.changes.sorted(by: { $0.number < $1.number }) {
      entries += IndexLog.entry(change.payload(content.overlay), base: base.id)
    }
    append(entries: entries, base: base.id)
  }

  /// How many bytes the log would grow by.
  private func news(_ content: IndexContent, _ refresh: IndexContent.Refresh) -> Int {
    refresh.changes.reduce(0) { $0 + IndexLog.entryHead + $1.payloadCount(content.overlay) }
  }

  /// The size from which a log is folded: reading it must cost little, and folding it not come
  /// often.
  private static func logLimit(_ base: IndexBase) -> Int {
    max(64 << 10, min(Int(base.size / 8), 256 << 10))
  }

  /// Adds one entry to the log that is there, whatever its base.
  func append(_ payload: [UInt8]) {
    guard let path = place.log,
      let head = try? IndexFile(path, in: place.files).read(at: 0, count: IndexLog.headCount),
      let base = IndexLog.base(ofHead: head, place: place)
    else { return }
    append(entries: IndexLog.entry(payload, base: base), base: base)
  }

  private func append(entries: [UInt8], base: UInt64) {
    guard let path = place.log else { return }
    try? place.files.withFile(path, .append(mode: Self.mode)) { file throws(FileSystemError) in
      let size = try place.files.status(file).size
      guard size >= IndexLog.headCount, size <= IndexLog.limit else { return }
      try place.files.writeAll(file, entries)
    }
  }

  /// Writes a new base and begins its log; the content then rests on it.
  private func fold(_ content: inout IndexContent) throws(IndexDamage) {
    guard let path = place.base, let id = randomNumber(), let number = randomNumber(),
      makeDirectory()
    else { return }
    let temporary = temporaryPath(path, number)
    do throws(IndexBaseWriter.Failure) {
      let base = try write(&content, to: temporary, id: id)
      do throws(FileSystemError) {
        try place.files.rename(temporary, to: path)
      } catch {
        throw .file(error)
      }
      _ = replaceLog(base: id)
      content = IndexContent(base: base)
    } catch {
      try? place.files.unlink(temporary)
      if case .damage(let damage) = error { throw damage }
    }
  }

  private func write(
    _ content: inout IndexContent, to path: FilePath, id: UInt64
  ) throws(IndexBaseWriter.Failure) -> IndexBase {
    let file: FileDescriptor
    do throws(FileSystemError) {
      file = try place.files.open(path, .createExclusive(mode: Self.mode))
    } catch {
      throw .file(error)
    }
    do throws(IndexBaseWriter.Failure) {
      try IndexBaseWriter.write(&content, to: file, id: id, place: place)
    } catch {
      try? place.files.close(file)
      throw error
    }
    do throws(FileSystemError) {
      try place.files.close(file)
    } catch {
      throw .file(error)
    }
    do throws(IndexDamage) {
      return try IndexBase(path, place: place)
    } catch {
      throw .damage(error)
    }
  }

  /// Begins a log.
  ///
  /// - Returns: whether it is there.
  private func replaceLog(base: UInt64) -> Bool {
    guard let path = place.log, let number = randomNumber() else { return false }
    let temporary = temporaryPath(path, number)
    do throws(FileSystemError) {
      try place.files.withFile(temporary, .createExclusive(mode: Self.mode)) {
        file throws(FileSystemError) in
        try place.files.writeAll(file, IndexLog.head(base: base, place: place))
      }
      try place.files.rename(temporary, to: path)
      return true
    } catch {
      if error.condition != .exists { try? place.files.unlink(temporary) }
      return false
    }
  }

  private func randomNumber() -> UInt64? {
    (try? place.random.bytes(8))?.reduce(0) { $0 << 8 | UInt64($1) }
  }

  private func temporaryPath(_ path: FilePath, _ number: UInt64) -> FilePath {
    let digits = String(number, radix: 16)
    return FilePath(bytes: path.bytes + Self.temporaryMark + Array(digits.utf8))
  }

  private func makeDirectory() -> Bool {
    guard let cache = place.cache else { return false }
    return make(cache)
  }

  private func make(_ path: FilePath) -> Bool {
    do throws(FileSystemError) {
      try place.files.createDirectory(path, mode: Self.directoryMode)
      return true
    } catch {
      switch error.condition {
      case .exists: return true
      case .notFound where path.parent.bytes.count < path.bytes.count && !path.bytes.isEmpty:
        guard make(path.parent) else { return false }
        return (try? place.files.createDirectory(path, mode: Self.directoryMode)) != nil
      default: return false
      }
    }
  }

  /// Removes the temporary files of programs that were killed.
  private func sweep(_ now: Instant) {
    guard let cache = place.cache, let entries = try? place.files.contents(ofDirectory: cache)
    else { return }
    let marks = [place.base, place.log].compactMap { path in
      path.map { $0.lastComponent + Self.temporaryMark }
    }
    for entry in entries where marks.contains(where: { entry.name.starts(with: $0) }) {
      let path = cache.appending(bytes: entry.name)
      guard let status = try? place.files.status(path),
        status.changed.seconds < now.seconds &- Self.temporaryAge
      else { continue }
      try? place.files.unlink(path)
    }
  }
}
