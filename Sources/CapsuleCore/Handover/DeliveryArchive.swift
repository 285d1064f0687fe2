/// A delivery as a tar archive in an age file: streamed, so that nothing of it is on the disk in the
/// clear.
struct DeliveryArchive: DeliveryTarget {
  private let files: any FileSystem
  private let path: FilePath
  private let temporary: FilePath
  private let descriptor: FileDescriptor
  /// The folder that everything in the archive is in.
  private let root: String
  private let now: Instant
  private var archive: PaxWriter<AgeSealingSink<FileSink>>
  private var folders: Set<String> = []
  private var isOpen = true

  init(
    _ path: FilePath, temporary: FilePath, root: String, to recipient: any Recipient,
    in store: Store, now: Instant
  ) throws {
    files = store.files
    self.path = path
    self.temporary = temporary
    self.root = root
    self.now = now
    descriptor = try files.open(temporary, .createExclusive(mode: 0o600))
    do {
      let sealing = try AgeWriter(to: [recipient], random: store.environment.random)
        .sealing(into: FileSink(files, descriptor))
      archive = PaxWriter(sealing)
    } catch {
      try? files.close(descriptor)
      try? files.unlink(temporary)
      throw error
    }
  }

  mutating func add(_ file: DeliveryFile, from store: Store, watch: WorkWatch) throws {
    var folder = root
    let parts = file.path.parts(at: "/")
    for part in [""] + parts.dropLast() {
      if !part.isEmpty { folder += "/" + part }
      if folders.insert(folder).inserted { try archive.directory(folder, modified: now.seconds) }
    }
    try archive.begin(
      "\(root)/\(file.path)", size: file.size, modified: file.modified?.seconds ?? now.seconds)
    var sink = WatchedSink(archive, watch: watch)
    try file.write(from: store, to: &sink)
    archive = sink.target
  }

  mutating func commit() throws {
    try archive.finish()
    _ = try archive.sink.finish()
    try files.synchronize(descriptor)
    isOpen = false
    try files.close(descriptor)
    try files.publish(temporary, as: path)
    try files.synchronizeDirectory(path.parent, .directoryFollowingLinks)
  }

  mutating func discard() {
    if isOpen { try? files.close(descriptor) }
    isOpen = false
    try? files.unlink(temporary)
  }
}
