/// The folder of pages, which appears whole or not at all.
package struct TrusteeFolder {
  private let files: any FileSystem
  /// The path at which it is to appear.
  package let path: FilePath

  /// Names the place.
  package init(_ path: FilePath, in files: any FileSystem) throws {
    self.files = files
    var bytes = path.bytes
    while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    self.path = FilePath(bytes: bytes)
    try files.requireFree(self.path)
    // The folder itself is not there yet.
    try files.requireOutsideStores(self.path.parent, for: path)
  }

  /// The folders beside it that others left which were killed, or still run: pages lie in them.
  package func remains() -> [FilePath] {
    files.remains(of: [path.partialPrefix], in: path.parent)
  }

  /// Writes the files beside the place, and gives the folder its name when all are on the disk.
  ///
  /// - Throws: ``NameTaken``, a ``FileSystemError`` or a ``RandomSource/Failure``; nothing is left then.
  package func write(_ pages: [(name: String, bytes: SecretBytes)], random: RandomSource) throws {
    let temporary = path.parent.appending(path.partialPrefix + Hex.encode(try random.bytes(4)))
    var written: [FilePath] = []
    do {
      try files.createDirectory(temporary, mode: 0o700)
      for page in pages {
        let target = temporary.appending(page.name)
        written.append(target)
        let file = try files.open(target, .createExclusive(mode: 0o600))
        do {
          var sink = FileSink(files, file)
          try page.bytes.withUnsafeBytes { try sink.write($0) }
          try files.synchronize(file)
        } catch {
          try? files.close(file)
          throw error
        }
        try files.close(file)
      }
      try files.synchronizeDirectory(temporary)
      try files.renameExclusively(temporary, to: path)
    } catch {
      for file in written { try? files.unlink(file) }
      try? files.removeDirectory(temporary)
      if let error = error as? FileSystemError,
        error.condition == .exists || error.condition == .notEmpty
      {
        throw NameTaken(path)
      }
      throw error
    }
    do { try files.synchronizeNames(in: path.parent) } catch {
      remove()
      throw error
    }
  }

  /// Takes the folder away again.
  package func remove() {
    files.removeTree(path)
  }
}
