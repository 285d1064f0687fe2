/// A delivery as a tar archive in an age file: streamed, so that nothing of it is on the disk in the
/// clear.
struct DeliveryArchive: DeliveryTarget {
  private let files: any FileSystem
  private let path: FilePath
  private let temporary: FilePath
  private let descriptor: FileDescriptor
  /// The folder that everything in the archive is in.
  private let root: String
  private var tar: HandoverTar<AgeSealingSink<FileSink>>
  private var isOpen = true

  init(
    _ path: FilePath, temporary: FilePath, root: String, to recipient: any Recipient,
    in store: Store, now: Instant, watch: WorkWatch
  ) throws {
    files = store.files
    self.path = path
    self.temporary = temporary
    self.root = root
    descriptor = try files.open(temporary, .createExclusive(mode: 0o600))
    do {
      let sealing = try AgeWriter(to: [recipient], random: store.environment.random)
        .sealing(into: FileSink(files, descriptor))
      tar = HandoverTar(sealing, from: store, at: now, watch: watch)
    } catch {
      try? files.close(descriptor)
      try? files.unlink(temporary)
      throw error
    }
  }

  mutating func add(_ file: DeliveryFile) throws { try tar.add(file, in: root) }

  mutating func commit() throws {
    _ = try tar.finish().finish()
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
