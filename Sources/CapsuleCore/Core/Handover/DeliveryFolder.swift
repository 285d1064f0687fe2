/// A delivery as a folder: built beside its place under a name of its own, and renamed when it is
/// whole.
struct DeliveryFolder: DeliveryTarget {
  private let store: Store
  private let watch: WorkWatch
  private let path: FilePath
  private let temporary: FilePath
  /// Whether an empty folder that has the name is replaced.
  private let replacesEmpty: Bool
  /// The folders made, each behind the one that it is in.
  private var folders: [FilePath] = []
  private var written: [FilePath] = []

  private var files: any FileSystem { store.files }

  init(
    _ path: FilePath, temporary: FilePath, from store: Store, watch: WorkWatch,
    replacesEmpty: Bool = false
  ) throws {
    self.replacesEmpty = replacesEmpty
    self.store = store
    self.watch = watch
    self.path = path
    self.temporary = temporary
    do throws(FileSystemError) {
      try files.createDirectory(temporary, mode: 0o700)
    } catch {
      // A call that fails may have made it.
      if error.condition != .exists { try? files.removeDirectory(temporary) }
      throw error
    }
    folders.append(temporary)
  }

  mutating func add(_ file: DeliveryFile) throws {
    var target = temporary
    let parts = file.path.parts(at: "/")
    for part in parts.dropLast() {
      target = target.appending(part)
      if folders.contains(target) { continue }
      // The folder is noted first: a call that fails may have made it.
      folders.append(target)
      try files.createDirectory(target, mode: 0o700)
    }
    target = target.appending(parts.last ?? "")
    written.append(target)
    let descriptor = try files.open(target, .createExclusive(mode: 0o600))
    do {
      var sink = WatchedSink(FileSink(files, descriptor), watch: watch)
      try file.write(from: store, to: &sink)
      if let modified = file.modified { try files.setModified(descriptor, modified) }
      try files.synchronize(descriptor)
    } catch {
      try? files.close(descriptor)
      throw error
    }
    try files.close(descriptor)
  }

  mutating func commit() throws {
    for folder in folders.reversed() { try files.synchronizeDirectory(folder) }
    if replacesEmpty {
      // Onto anything but an empty folder a folder cannot be renamed (rename(2)).
      try files.rename(temporary, to: path)
    } else {
      try files.renameExclusively(temporary, to: path)
    }
    // The folder has its name now: it is no longer taken away.
    folders = []
    written = []
    try files.synchronizeDirectory(path.parent, .directoryFollowingLinks)
  }

  mutating func discard() {
    for file in written { try? files.unlink(file) }
    for folder in folders.reversed() { try? files.removeDirectory(folder) }
    folders = []
    written = []
  }
}
