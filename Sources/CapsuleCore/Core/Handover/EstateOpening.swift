/// The folder that comes out of an estate's file. It appears whole or not at all, for its owner alone.
package struct EstateOpening {
  /// Opens a file with its key, and unpacks it.
  ///
  /// - Parameters:
  ///   - reader: the file, of which the header was read.
  ///   - path: the folder to make, where nothing is yet.
  ///   - watch: called with the number of bytes before they are written; it ends the work by throwing.
  /// - Returns: the number of files in the folder.
  /// - Throws: `AgeFailure`, ``Fault`` or the error of `watch`; nothing is left then. A fault of the file
  ///   leaves its name open.
  package static func open(
    _ reader: AgeReader, with key: FileKey, to path: FilePath, in files: any FileSystem,
    random: RandomSource, watch: WorkWatch
  ) throws -> Int {
    let temporary = path.parent.appending(path.partialPrefix + Hex.encode(try random.bytes(4)))
    do {
      try files.createDirectory(temporary, mode: 0o700)
      var reader = reader
      var sink = PaxSplitter(EstateFolder(temporary, in: files, watch: watch))
      do {
        _ = try reader.open(with: key, to: &sink)
        try sink.finish()
      } catch AgeFailure.sink(let cause) {
        throw cause
      }
      let count = sink.receiver.count
      try files.renameExclusively(temporary, to: path)
      try files.synchronizeNames(in: path.parent)
      return count
    } catch {
      files.removeTree(temporary, depth: EstateFolder.mostDepth)
      if let interruption = watch.interruption { throw interruption }
      guard let fault = error as? Fault else { throw error }
      if fault.condition == .exists || fault.condition == .notEmpty { throw Fault.exists(path) }
      if fault.cause as? PaxFault == .notTar { throw Fault.notEstate }
      throw fault.file == nil ? fault : fault.about(path)
    }
  }

  /// Whether a file can be an estate by its header: it is sealed to a key, and asks for no passphrase.
  package static func isExpected(_ header: AgeHeader) -> Bool {
    !header.asksForPassphrase
      && header.stanzas.contains { stanza in
        KeyKind.allCases.contains { $0.stanza == stanza.kind }
      }
  }
}

/// A receiver of an estate's archive, which writes every file into a folder.
private struct EstateFolder: PaxReceiver {
  /// The folders within each other that it may have: a person's name and files need far fewer.
  static let mostDepth = 16

  private let root: FilePath
  private let files: any FileSystem
  private let watch: WorkWatch
  private var folders: [FilePath]
  private var sink: FileSink?
  private var file: FileDescriptor?
  /// The number of files so far.
  private(set) var count = 0

  init(_ root: FilePath, in files: any FileSystem, watch: WorkWatch) {
    self.root = root
    self.files = files
    self.watch = watch
    folders = [root]
  }

  mutating func begin(_ member: PaxMember) throws {
    let parts = member.path.parts(at: "/")
    // The page comes first, and everything is in one folder.
    let isFirst = count == 0 && sink == nil
    guard parts[0] == Estate.root, parts.count <= Self.mostDepth,
      !isFirst || parts.dropFirst().elementsEqual([Estate.pageName]) && member.kind == .file
    else { throw Fault.notEstate }
    var path = root
    for (index, part) in parts.dropFirst().enumerated() {
      path = path.appending(part)
      let isFile = index == parts.count - 2 && member.kind == .file
      if isFile {
        let opened = try files.open(path, .createExclusive(mode: 0o600))
        file = opened
        sink = FileSink(files, opened)
      } else if !folders.contains(path) {
        try files.createDirectory(path, mode: 0o700)
        folders.append(path)
      }
    }
  }

  mutating func take(_ bytes: UnsafeRawBufferPointer) throws {
    do {
      try watch.pass(bytes.count)
      try sink?.write(bytes)
    } catch {
      close()
      throw error
    }
  }

  mutating func end() throws {
    guard let file else { return }
    defer { close() }
    try files.synchronize(file)
    count += 1
  }

  mutating func finish() throws {
    for folder in folders.reversed() { try files.synchronizeDirectory(folder) }
  }

  private mutating func close() {
    if let file { try? files.close(file) }
    (file, sink) = (nil, nil)
  }
}

extension Fault {
  /// What came out of a file is another archive than an estate.
  package static let notEstate = Fault(
    .damaged, "\(open: .name) is not an estate file",
    hint: "choose a file that was made by: capsule estate make")
}
