/// Something has the name that a file was to get.
package struct NameTaken: Error, Hashable, Sendable {
  package let path: FilePath

  package init(_ path: FilePath) {
    self.path = path
  }
}

/// Files of the user's own, which appear under their names when they are whole.
extension FileSystem {
  /// Refuses a path where something is.
  ///
  /// - Throws: ``NameTaken``, or a ``FileSystemError``.
  package func requireFree(_ path: FilePath) throws {
    if try statusIfPresent(path) != nil { throw NameTaken(path) }
  }

  /// Writes a file whole or not at all: beside its place under a name of its own, synchronised, and
  /// then renamed.
  ///
  /// - Parameters:
  ///   - replacing: whether a file that has the name is replaced; otherwise it is refused, at first
  ///     and at the end.
  ///   - modified: the time of modification that the file gets.
  ///   - body: writes the bytes.
  /// - Returns: the value of `body`.
  /// - Throws: the error of `body`, ``NameTaken``, a ``FileSystemError`` or a
  ///   ``RandomSource/Failure``; nothing is left then.
  package func writeBeside<Value>(
    _ path: FilePath, replacing: Bool, modified: FileTime? = nil, random: RandomSource,
    _ body: (inout FileSink) throws -> Value
  ) throws -> Value {
    if replacing {
      // A rename would take a device or a pipe away from all who use it.
      switch try statusIfPresent(path)?.kind {
      case nil, .regular, .symbolicLink, .directory, .unknown: break
      case .fifo, .socket, .characterDevice, .blockDevice:
        throw FileSystemError(.write, path, code: FileSystemError.notRegularFile)
      }
    } else {
      try requireFree(path)
    }
    let name = Hex.encode(try random.bytes(16))
    let temporary = path.parent.appending(".capsule-\(name).tmp")
    do {
      let file = try open(temporary, .createExclusive(mode: 0o600))
      let value: Value
      do {
        var sink = FileSink(self, file)
        value = try body(&sink)
        if let modified { try setModified(file, modified) }
        try synchronize(file)
      } catch {
        try? close(file)
        throw error
      }
      try close(file)
      if replacing {
        try rename(temporary, to: path)
      } else {
        do throws(FileSystemError) {
          try publish(temporary, as: path)
        } catch {
          if error.condition == .exists { throw NameTaken(path) }
          throw error
        }
      }
      return value
    } catch {
      try? unlink(temporary)
      throw error
    }
  }
}
