/// The files of a delivery in a tar archive, with the folders that their paths name.
struct HandoverTar<Sink: ByteSink> {
  private(set) var archive: PaxWriter<Sink>
  private let store: Store
  private let watch: WorkWatch
  /// The time of folders, and of files without a time of their own.
  private let time: Int64
  private var folders: Set<String> = []

  init(_ sink: Sink, from store: Store, at time: Instant, watch: WorkWatch) {
    archive = PaxWriter(sink)
    self.store = store
    self.watch = watch
    self.time = time.seconds
  }

  /// Adds a file behind the folders that are not there yet.
  ///
  /// - Parameter root: the folder that it goes into.
  mutating func add(_ file: DeliveryFile, in root: String) throws {
    try enter(Self.folders(of: file.path, in: root))
    try addAlone(file, in: root)
  }

  /// Adds files, each behind its folders.
  ///
  /// - Parameter explain: adds to an error which of the files it is about.
  mutating func add(
    _ files: [DeliveryFile], in root: String, explain: (any Error, DeliveryFile) -> any Error
  ) throws {
    for file in files {
      do { try add(file, in: root) } catch { throw explain(error, file) }
    }
  }

  /// Adds a file without its folders, so that the archive can begin with it.
  mutating func addAlone(_ file: DeliveryFile, in root: String) throws {
    try archive.begin(
      "\(root)/\(file.path)", size: file.size, modified: file.modified?.seconds ?? time)
    var sink = WatchedSink(archive, watch: watch)
    try file.write(from: store, to: &sink)
    archive = sink.target
  }

  /// Adds an archive of files, sealed to a recipient, as one file behind its folders.
  ///
  /// - Parameters:
  ///   - path: its path.
  ///   - root: the folder that it goes into.
  ///   - name: the folder within it that the files are in.
  ///   - explain: adds to an error which of the files it is about.
  mutating func addSealed(
    _ files: [DeliveryFile], as path: String, in root: String, named name: String,
    to recipient: any Recipient, explain: (any Error, DeliveryFile) -> any Error
  ) throws {
    try enter(Self.folders(of: path, in: root))
    let writer = try AgeWriter(to: [recipient], random: store.environment.random)
    let count = Self.byteCount(of: files, in: name, at: time)
    try archive.begin("\(root)/\(path)", size: writer.sealedSize(of: count), modified: time)
    var inner = HandoverTar<AgeSealingSink<PaxWriter<Sink>>>(
      try writer.sealing(into: archive), from: store, at: Instant(seconds: time), watch: watch)
    try inner.add(files, in: name, explain: explain)
    archive = try inner.finish().finish()
  }

  /// Adds the folders that are not there yet.
  private mutating func enter(_ path: [String]) throws {
    for folder in path where folders.insert(folder).inserted {
      try archive.directory(folder, modified: time)
    }
  }

  /// Ends the archive.
  ///
  /// - Returns: the sink that it was written to.
  mutating func finish() throws -> Sink {
    try archive.finish()
    return archive.sink
  }

  /// The size of an archive of files, in bytes.
  private static func byteCount(
    of files: [DeliveryFile], in root: String, at time: Int64
  ) -> Int64 {
    var folders: Set<String> = []
    var count = PaxWriter<Sink>.endByteCount
    for file in files {
      for folder in self.folders(of: file.path, in: root) where folders.insert(folder).inserted {
        count = count.addingClamped(
          PaxWriter<Sink>.byteCount(ofDirectory: folder, modified: time))
      }
      count = count.addingClamped(
        PaxWriter<Sink>.byteCount(
          of: "\(root)/\(file.path)", size: file.size, modified: file.modified?.seconds ?? time))
    }
    return count
  }

  /// The folders that a file is in, the outermost first.
  private static func folders(of path: String, in root: String) -> [String] {
    var folders = [""]
    for part in "\(root)/\(path)".parts(at: "/").dropLast() {
      folders.append(folders.count == 1 ? part : "\(folders[folders.count - 1])/\(part)")
    }
    return Array(folders.dropFirst())
  }
}
