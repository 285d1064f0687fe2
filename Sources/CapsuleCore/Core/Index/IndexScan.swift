/// Reads a shard's directory, and those of its records whose files are not as they were.
struct IndexScan: Sendable {
  let setup: IndexSetup
  let now: Instant

  /// A directory that has to be read.
  struct Task: Sendable {
    var shard: UInt8
    /// The status of the directory before it is read.
    var status: FileStatus
    /// The known rows of its records, by id.
    var known: [IndexRow]
    /// Whether names and inode numbers tell what changed; see ``ShardState/wasRead(at:)``.
    var isRelisted: Bool
  }

  /// The outcome of reading it.
  struct Outcome: Sendable {
    var shard: UInt8
    var state: ShardState
    var strays: [[UInt8]] = []
    /// The ids that were known and are gone.
    var removed: [RecordID] = []
    /// The rows that are new or other, with their places in ``cells``.
    var upserted: [IndexOverlay.Item] = []
    var cells: [UInt8] = []
    var failure: FileSystemError?
  }

  func run(_ task: Task) -> Outcome {
    var outcome = Outcome(shard: task.shard, state: ShardState(task.status, now: now))
    let directory = setup.directory(shard: task.shard)
    let known = task.known
    var isThere = [Bool](repeating: false, count: known.count)
    do throws(FileSystemError) {
      try setup.files.forEachStatus(
        inDirectory: directory,
        unless: { name, inode in
          guard task.isRelisted, let id = RecordID(fileName: name),
            let position = known.position(of: id), known[position].isFile(inode)
          else { return false }
          isThere[position] = true
          return true
        },
        { name, status in
          guard let id = RecordID(fileName: name), id.shard == task.shard else {
            if name.first != UInt8(ascii: ".") { outcome.strays.append(Array(name)) }
            return
          }
          let position = known.position(of: id)
          let row = position.map { known[$0] }
          let isRecord = look(at: id, status, in: directory, row, &outcome)
          if let position { isThere[position] = isRecord }
        })
    } catch {
      // A directory that went away meanwhile is as good as empty, and looked for again next time.
      if error.condition != .notFound { outcome.failure = error }
      outcome.state.forget()
    }
    outcome.removed = known.indices.filter { !isThere[$0] }.map { known[$0].id }
    outcome.strays.sort { $0.lexicographicallyPrecedes($1) }
    return outcome
  }

  /// Brings one record up to date.
  ///
  /// - Returns: `false` where it is not there after all.
  private func look(
    at id: RecordID, _ status: Result<FileStatus, FileSystemError>, in directory: FilePath,
    _ known: IndexRow?, _ outcome: inout Outcome
  ) -> Bool {
    var reading: Reading
    do throws(FileSystemError) {
      let status = try status.get()
      if let known, known.isTrusted, known.stamp == FileStamp(status) { return true }
      reading = try read(directory.appending(bytes: id.fileName), id, status)
    } catch {
      outcome.state.isCurrent = false
      if error.condition == .notFound { return false }
      reading = Reading(entry: IndexEntry(id: id, problem: .unreadable), stamp: nil)
    }
    reading.entry.id = id
    let isTrusted = reading.stamp?.isSettled(at: now) ?? false
    if !isTrusted { outcome.state.isCurrent = false }
    let start = outcome.cells.count
    IndexEntryCoding.append(reading.entry, to: &outcome.cells)
    let digest = outcome.cells.withUnsafeBytes {
      IndexHash.hash(UnsafeRawBufferPointer(rebasing: $0[start...]))
    }
    let row = IndexRow(
      id: id, stamp: reading.stamp ?? .unknown, isTrusted: isTrusted,
      hasProblem: reading.entry.problem != .none, digest: digest)
    if row == known {
      outcome.cells.removeLast(outcome.cells.count - start)
      return true
    }
    outcome.upserted.append(
      IndexOverlay.Item(
        row: row, entry: reading.entry, chunk: 0, offset: start,
        count: outcome.cells.count - start))
    return true
  }

  /// An entry as it was read; without a stamp where it may be otherwise at the next try.
  private struct Reading {
    var entry: IndexEntry
    var stamp: FileStamp?
  }

  private func read(
    _ path: FilePath, _ id: RecordID, _ status: FileStatus
  ) throws(FileSystemError) -> Reading {
    if status.kind != .regular {
      return Reading(
        entry: IndexEntry(id: id, problem: .notRegularFile), stamp: FileStamp(status))
    }
    let file = try setup.files.open(path, .read)
    defer { try? setup.files.close(file) }
    // The file may be another than the one looked at; its stamp is from before it is read.
    let opened = try setup.files.status(file)
    let stamp = FileStamp(opened)
    let tooLarge = Reading(entry: IndexEntry(id: id, problem: .tooLarge), stamp: stamp)
    if opened.size > Int64(setup.recordLimit) { return tooLarge }
    do throws(FileSystemError) {
      let bytes = try setup.files.readAll(
        file, limit: setup.recordLimit, expecting: Int(opened.size))
      return Reading(entry: setup.summarize(id, bytes), stamp: stamp)
    } catch {
      if error.condition == .fileTooLarge { return tooLarge }
      throw error
    }
  }
}
