/// Moves of records between their places and the trash, under the lock: each file gets its second name
/// before the first is taken away, so that it is never without one. The directories are synchronised
/// once for all of them.
struct RecordMoves {
  private let files: any FileSystem
  /// The names that are still to be taken away.
  private var old: [FilePath] = []
  /// The directories that got a name, and that lose one.
  private var targets: Set<FilePath> = []
  private var sources: Set<FilePath> = []

  init(_ files: any FileSystem) {
    self.files = files
  }

  /// Gives a file its second name.
  ///
  /// - Throws: `.exists` where another file has the name; what was added before is finished all the same
  ///   by ``finish()``.
  mutating func add(_ from: FilePath, to path: FilePath) throws(FileSystemError) {
    do throws(FileSystemError) {
      try files.link(from, to: path)
      old.append(from)
    } catch {
      switch error.condition {
      case .notSupported, .notPermitted, .tooManyLinks:
        try files.renameExclusively(from, to: path)
      case .exists:
        // An earlier attempt was interrupted between the two steps.
        guard let first = try files.statusIfPresent(from),
          try files.status(path).isSameFile(as: first)
        else { throw error }
        old.append(from)
      default: throw error
      }
    }
    targets.insert(path.parent)
    sources.insert(from.parent)
  }

  /// Gives a record its name in the trash: that of the second in which it is deleted, or of the next
  /// that is free. A deletion that was interrupted may have left an older version under the first.
  ///
  /// - Returns: the name.
  mutating func addToTrash(
    _ from: FilePath, in trash: FilePath, id: RecordID, deletedAt: Instant
  ) throws(FileSystemError) -> [UInt8] {
    var time = deletedAt
    while true {
      let path = trash.appending("\(id).\(time.seconds).json")
      do throws(FileSystemError) {
        try add(from, to: path)
        return path.lastComponent
      } catch {
        guard error.condition == .exists, time.seconds(since: deletedAt) < 60 else { throw error }
        time = time.adding(seconds: 1)
      }
    }
  }

  /// Takes the first names away, when the second ones are safe.
  func finish() throws(FileSystemError) {
    for directory in targets { try files.synchronizeDirectory(directory) }
    for path in old { try files.unlink(path) }
    for directory in sources { try files.synchronizeDirectory(directory) }
  }
}
