import CapsulePlatform

/// The calls that a signal may interrupt, tried again until they are done.
extension FileSystem {
  private func untilDone<Value>(
    _ call: () throws(Fault) -> Value
  ) throws(Fault) -> Value {
    while true {
      do {
        return try call()
      } catch {
        if error.condition != .interrupted { throw error }
      }
    }
  }

  /// Opens a file; see ``openOnce(_:_:)``.
  package func open(
    _ path: FilePath, _ access: FileAccess
  ) throws(Fault) -> FileDescriptor {
    try untilDone { () throws(Fault) in try openOnce(path, access) }
  }

  /// Reads where the descriptor stands; may be short. Returns 0 only at the end.
  package func read(
    _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Fault) -> Int {
    try untilDone { () throws(Fault) in try readOnce(file, into: buffer) }
  }

  /// Reads at an offset until the buffer is full or the file ends; returns how many bytes.
  package func read(
    _ file: FileDescriptor, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Fault) -> Int {
    var done = 0
    while done < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = try untilDone { () throws(Fault) in
        try readOnce(file, at: offset + Int64(done), into: rest)
      }
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Writes all of the bytes: where the descriptor stands, or `offset` bytes from the start.
  package func writeAll(
    _ file: FileDescriptor, _ bytes: UnsafeRawBufferPointer, at offset: Int64? = nil
  ) throws(Fault) {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = try untilDone { () throws(Fault) in
        guard let offset else { return try writeOnce(file, rest) }
        return try writeOnce(file, at: offset + Int64(done), rest)
      }
      // A file system that takes nothing and gives no reason would be asked for ever.
      if count <= 0 { throw Fault(.write, file.path, code: ENOSPC) }
      done += count
    }
  }

  /// Writes all of the bytes: where the descriptor stands, or `offset` bytes from the start.
  package func writeAll(
    _ file: FileDescriptor, _ bytes: [UInt8], at offset: Int64? = nil
  ) throws(Fault) {
    var failure: Fault?
    bytes.withUnsafeBytes { buffer in
      do throws(Fault) { try writeAll(file, buffer, at: offset) } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  /// Makes a file's bytes, or a directory's entries, survive a power cut. A failure is final: the
  /// bytes that were written before it may be lost, and another call would not show that.
  package func synchronize(_ file: FileDescriptor) throws(Fault) {
    try untilDone { () throws(Fault) in try synchronizeOnce(file) }
  }

  /// Cuts a file, or lengthens it with zeros.
  package func truncate(_ file: FileDescriptor, to size: Int64) throws(Fault) {
    try untilDone { () throws(Fault) in try truncateOnce(file, to: size) }
  }

  /// Takes the file's exclusive lock; `false` where another holds it and `wait` is `false`.
  package func lock(_ file: FileDescriptor, wait: Bool) throws(Fault) -> Bool {
    try untilDone { () throws(Fault) in try lockOnce(file, wait: wait) }
  }
}

/// Whole files and directories.
extension FileSystem {
  /// Opens a file, hands it to `body`, and closes it whatever happens. A failure to close is thrown
  /// only where `body` threw nothing.
  package func withFile<Value>(
    _ path: FilePath, _ access: FileAccess,
    _ body: (FileDescriptor) throws(Fault) -> Value
  ) throws(Fault) -> Value {
    let file = try open(path, access)
    let value: Value
    do {
      value = try body(file)
    } catch {
      try? close(file)
      throw error
    }
    try close(file)
    return value
  }

  /// Returns the SHA-256 of the bytes from where the descriptor stands to the end.
  ///
  /// - Parameter progress: called with the number of bytes that were read.
  func digest(
    of file: FileDescriptor, progress: (Int) -> Void = { _ in }
  ) throws(Fault) -> [UInt8] {
    var hash = SHA256()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
    defer { buffer.deallocate() }
    while true {
      let count = try read(file, into: buffer)
      if count == 0 { return hash.finalize() }
      hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      progress(count)
    }
  }

  /// The bytes from where the descriptor stands to the end.
  ///
  /// - Throws: `.io` where there are more than `limit`, having read one byte more.
  package func readAll(
    _ file: FileDescriptor, limit: Int, expecting size: Int = 0
  ) throws(Fault) -> [UInt8] {
    // One byte more than expected, so that the end is seen without growing.
    var bytes = [UInt8](repeating: 0, count: min(max(size, 4095), limit) + 1)
    var done = 0
    while true {
      if done == bytes.count {
        if done > limit { throw Fault(.read, file.path, code: EFBIG) }
        bytes.append(contentsOf: repeatElement(0, count: min(done, limit + 1 - done)))
      }
      let count = try read(file, into: &bytes, from: done)
      if count == 0 { break }
      done += count
    }
    if done > limit { throw Fault(.read, file.path, code: EFBIG) }
    bytes.removeLast(bytes.count - done)
    return bytes
  }

  /// Reads into an array: from an offset of the file on, or from where the descriptor stands.
  ///
  /// - Parameter start: the place in the array that is filled first.
  /// - Returns: the number of bytes that were read.
  package func read(
    _ file: FileDescriptor, at offset: Int64? = nil, into bytes: inout [UInt8], from start: Int = 0
  ) throws(Fault) -> Int {
    var result: Result<Int, Fault> = .success(0)
    bytes.withUnsafeMutableBytes { buffer in
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[start...])
      result = Result { () throws(Fault) in
        if let offset { try read(file, at: offset, into: rest) } else { try read(file, into: rest) }
      }
    }
    return try result.get()
  }

  /// Returns so many bytes of a file from an offset on; fewer where it ends before.
  package func chunk(
    _ file: FileDescriptor, at offset: Int64, count: Int
  ) throws(Fault) -> [UInt8] {
    var fault: Fault?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
      do throws(Fault) { done = try read(file, at: offset, into: .init(buffer)) } catch {
        fault = error
      }
    }
    if let fault { throw fault }
    return bytes
  }

  /// Copies all of a file behind what was written to another.
  package func copy(
    _ source: FileDescriptor, to target: FileDescriptor
  ) throws(Fault) {
    var offset: Int64 = 0
    while true {
      let bytes = try chunk(source, at: offset, count: 1 << 17)
      if bytes.isEmpty { return }
      try writeAll(target, bytes)
      offset += Int64(bytes.count)
    }
  }

  /// Returns all bytes of a regular file, links not followed.
  ///
  /// - Throws: `.io` where there are more than `limit`.
  package func readFile(_ path: FilePath, limit: Int) throws(Fault) -> [UInt8] {
    try withFile(path, .read) { file throws(Fault) in
      let size = try status(file).size
      if size > Int64(limit) { throw Fault(.read, path, code: EFBIG) }
      return try readAll(file, limit: limit, expecting: Int(size))
    }
  }

  /// Removes a directory with all that is in it, as far as that can be done. Links are removed and not
  /// followed.
  package func removeTree(_ path: FilePath, depth: Int = 16) {
    for entry in (try? contents(ofDirectory: path)) ?? [] {
      let inner = path.appending(bytes: entry.name)
      if depth > 0, (try? status(inner))?.kind == .directory {
        removeTree(inner, depth: depth - 1)
      } else {
        try? unlink(inner)
      }
    }
    try? removeDirectory(path)
  }

  /// The path that the links at the end of a path lead to: this one, where it is no link.
  package func resolvingLinks(_ path: FilePath) throws(Fault) -> FilePath {
    // A '/' at the end makes the system follow the link itself.
    var resolved = path.withoutEndingSlash
    for _ in 0...40 {
      guard try statusIfPresent(resolved)?.kind == .symbolicLink else { return resolved }
      let target = try readLink(resolved)
      let isAbsolute = target.bytes.first == UInt8(ascii: "/")
      resolved =
        (isAbsolute ? target : resolved.parent.appending(bytes: target.bytes)).withoutEndingSlash
    }
    throw Fault(.readLink, path, code: ELOOP)
  }

  /// Returns the status of the file at a path; `nil` where there is none.
  package func statusIfPresent(_ path: FilePath) throws(Fault) -> FileStatus? {
    do {
      return try status(path)
    } catch {
      if error.condition == .notFound { return nil }
      throw error
    }
  }

  /// A path in a folder that nothing has: the name, or with `.2` and so on behind it.
  func freeName(
    of name: [UInt8], in folder: FilePath
  ) throws(Fault) -> FilePath {
    var path = folder.appending(bytes: name)
    var number = 2
    while try statusIfPresent(path) != nil {
      path = folder.appending(bytes: name + Array(".\(number)".utf8))
      number += 1
    }
    return path
  }
}

/// The steps of a commit: whole files that appear under their names only when they are safe.
extension FileSystem {
  /// Makes a directory and those above it that are missing, 0700 each, and synchronises the parent
  /// of each one made.
  package func createDirectories(_ path: FilePath) throws(Fault) {
    if (try? statusFollowingLinks(path))?.kind == .directory { return }
    let parent = path.parent
    if parent != path { try createDirectories(parent) }
    do {
      try createDirectory(path, mode: 0o700)
      try synchronizeDirectory(parent, .directoryFollowingLinks)
    } catch {
      // Another process may have made it at the same time.
      if error.condition == .exists, (try? statusFollowingLinks(path))?.kind == .directory {
        return
      }
      throw error
    }
  }

  /// Synchronises the directories that a directory stands in, as far up as its owner made them: one
  /// that is there may have been made by a process that died before it was safe.
  package func synchronizeAncestors(of path: FilePath) throws(Fault) {
    var directory = path
    let owner = try statusFollowingLinks(path).owner
    while directory.parent != directory,
      try statusFollowingLinks(directory).owner == owner
    {
      do {
        try synchronizeDirectory(directory.parent, .directoryFollowingLinks)
      } catch {
        // Not ours to read: then it was not made here either.
        guard error.condition == .notPermitted else { throw error }
        return
      }
      directory = directory.parent
    }
  }

  /// The names in a directory; none where there is no directory.
  package func contentsIfPresent(
    ofDirectory path: FilePath
  ) throws(Fault) -> [DirectoryEntry] {
    do {
      return try contents(ofDirectory: path)
    } catch {
      if error.condition == .notFound { return [] }
      throw error
    }
  }

  /// Writes a new synchronised file, which nobody else can see under a name that matters.
  ///
  /// - Returns: the file's status when all of it was written; `nil` where it cannot be read.
  @discardableResult
  package func writeTemporary(
    _ path: FilePath, _ bytes: [UInt8], mode: UInt32
  ) throws(Fault) -> FileStatus? {
    let written: FileStatus?
    let file = try open(path, .createExclusive(mode: 0o600))
    do {
      try writeAll(file, bytes)
      if mode != 0o600 { try protect(file, mode: mode) }
      try synchronize(file)
      written = try? status(file)
    } catch {
      try? close(file)
      try? unlink(path)
      throw error
    }
    do {
      try close(file)
    } catch {
      try? unlink(path)
      throw error
    }
    return written
  }

  /// Gives a finished temporary file its name, which nothing may have yet; the temporary is gone
  /// afterwards whatever happens.
  package func publish(_ temporary: FilePath, as path: FilePath) throws(Fault) {
    do {
      try link(temporary, to: path)
    } catch {
      switch error.condition {
      case .notSupported, .notPermitted, .tooManyLinks:
        // A file system without hard links.
        do {
          try renameExclusively(temporary, to: path)
          return
        } catch {
          try? unlink(temporary)
          throw error
        }
      default:
        try? unlink(temporary)
        throw error
      }
    }
    try? unlink(temporary)
  }

  /// Writes a new file whole; fails where anything has its name. Its directory is the caller's to
  /// synchronise.
  ///
  /// - Returns: the same as ``writeTemporary(_:_:mode:)``.
  @discardableResult
  package func writeNew(
    _ path: FilePath, _ bytes: [UInt8], mode: UInt32, by temporary: FilePath
  ) throws(Fault) -> FileStatus? {
    let written = try writeTemporary(temporary, bytes, mode: mode)
    try publish(temporary, as: path)
    return written
  }

  /// Adds lines to the end of a file of one machine, which is made with its directories where there is none.
  package func addLines(
    _ lines: [UInt8], to path: FilePath, synchronizing: Bool
  ) throws(Fault) {
    try createDirectories(path.parent)
    try withFile(path, .append(mode: 0o600)) { file throws(Fault) in
      // A line that was cut off by a crash ends here.
      try writeAll(file, [UInt8(ascii: "\n")] + lines)
      if synchronizing { try synchronize(file) }
    }
    if synchronizing { try synchronizeDirectory(path.parent) }
  }

  /// Replaces a file whole, or makes it, and synchronises nothing: a power cut may leave either content, or none.
  package func swap(
    _ path: FilePath, _ bytes: [UInt8], mode: UInt32, by temporary: FilePath
  ) throws(Fault) {
    do {
      try withFile(temporary, .createExclusive(mode: mode)) { file throws(Fault) in
        try writeAll(file, bytes)
      }
      try rename(temporary, to: path)
    } catch {
      try? unlink(temporary)
      throw error
    }
  }

  /// Replaces a file whole, or makes it, and synchronises its directory.
  ///
  /// - Returns: the same as ``writeTemporary(_:_:mode:)``.
  @discardableResult
  package func replace(
    _ path: FilePath, _ bytes: [UInt8], mode: UInt32, by temporary: FilePath
  ) throws(Fault) -> FileStatus? {
    let written = try writeTemporary(temporary, bytes, mode: mode)
    do {
      try rename(temporary, to: path)
    } catch {
      try? unlink(temporary)
      throw error
    }
    try synchronizeDirectory(path.parent)
    return written
  }
}
