extension Fault {
  /// Something has the name that a file was to get; the cause is its path.
  package static func exists(_ path: FilePath) -> Fault {
    Fault(
      .exists, "'\(path.text)' already exists; nothing was written",
      hint: "replace it: --force", details: ["path": .string(path.text)], cause: path)
  }

  /// The path whose name is taken; empty for another fault.
  package var takenPath: FilePath { cause as? FilePath ?? FilePath("") }

  /// A file or directory that is to leave the store would lie in one, or in a remote of one.
  package static func placeInStore(_ path: FilePath, _ store: FilePath) -> Fault {
    Fault(
      .insideStore, "'\(path.text)' is inside '\(store.text)', which is a store or a remote",
      hint: "choose a path outside; files inside are copied to other devices",
      details: ["path": .string(path.text)])
  }
}

/// Files of the user's own, which appear under their names when they are whole.
extension FileSystem {
  /// Refuses a path where something is.
  ///
  /// - Throws: ``Fault``.
  package func requireFree(_ path: FilePath) throws {
    if try statusIfPresent(path) != nil { throw Fault.exists(path) }
  }

  /// Writes a file whole or not at all: beside its place under a name of its own, synchronised, then
  /// renamed, and the name synchronised.
  ///
  /// The file under the name of its own is held by a lock until then. A file that a killed process
  /// left in the same directory is removed at first.
  ///
  /// - Parameters:
  ///   - replacing: whether a file that has the name is replaced; otherwise it is refused, at first
  ///     and at the end.
  ///   - modified: the time of modification that the file gets.
  ///   - isOneOfMany: whether the caller calls ``sweepBeside(in:)`` before, and
  ///     ``synchronizeNames(in:)`` after all of them.
  ///   - body: writes the bytes.
  /// - Returns: the value of `body`.
  /// - Throws: the error of `body`, ``Fault``, which names `path` and not the
  ///   file beside it, or a ``RandomSource/Failure``; nothing is left then, unless it is the name that could
  ///   not be synchronised.
  package func writeBeside<Value>(
    _ path: FilePath, replacing: Bool, modified: FileTime? = nil, isOneOfMany: Bool = false,
    random: RandomSource, _ body: (inout FileSink) throws -> Value
  ) throws -> Value {
    if replacing {
      // A rename would take a device or a pipe away from all who use it.
      switch try statusIfPresent(path)?.kind {
      case nil, .regular, .symbolicLink, .directory, .unknown: break
      case .fifo, .socket, .characterDevice, .blockDevice:
        throw Fault(.write, path, code: FileRefusal.notRegularFile)
      }
    } else {
      try requireFree(path)
    }
    if !isOneOfMany { sweepBeside(in: path.parent) }
    let file = try createBeside(path, random)
    let value: Value
    do {
      var sink = FileSink(self, file)
      value = try body(&sink)
      if let modified { try date(file, modified) }
      try synchronize(file)
      if replacing {
        try rename(file.path, to: path)
      } else {
        do {
          try publish(file.path, as: path)
        } catch {
          if error.condition == .exists { throw Fault.exists(path) }
          throw error
        }
      }
    } catch {
      try? unlink(file.path)
      try? close(file)
      guard let fault = error as? Fault, fault.file?.path == file.path else { throw error }
      throw fault.about(path)
    }
    // The file is held until it has its name. The bytes are safe: a failure to close it loses nothing.
    try? close(file)
    if !isOneOfMany { try synchronizeNames(in: path.parent) }
    return value
  }

  /// Makes the names in a directory of the user's survive a power cut, as far as its file system can.
  package func synchronizeNames(in directory: FilePath) throws(Fault) {
    do {
      try synchronizeDirectory(directory, .directoryFollowingLinks)
    } catch {
      // A directory that one can write to and not read.
      guard error.condition == .notPermitted else { throw error }
    }
  }

  /// Removes what killed processes left in a directory of files that were to appear there: they are in the
  /// clear. One that is being written is held, and stays.
  package func sweepBeside(in directory: FilePath) {
    guard let directory = try? resolvingLinks(directory),
      let entries = try? contents(ofDirectory: directory)
    else { return }
    for entry in entries where Self.isBesideName(entry.name) {
      let path = directory.appending(bytes: entry.name)
      guard let file = try? open(path, .read) else { continue }
      if (try? lock(file, wait: false)) == true { try? unlink(path) }
      try? close(file)
    }
  }

  /// Makes the file beside a place, and holds it.
  private func createBeside(_ path: FilePath, _ random: RandomSource) throws -> FileDescriptor {
    while true {
      let name = Self.besidePrefix + Hex.encode(try random.bytes(16)) + Self.besideSuffix
      let file: FileDescriptor
      do {
        file = try open(path.parent.appending(name), .createExclusive(mode: 0o600))
      } catch {
        throw error.about(path)
      }
      // A file system without locks is not swept either. A sweep that came in the moment before has
      // taken the name away, or is about to.
      let isHeld = (try? lock(file, wait: false)) ?? true
      if isHeld, (try? statusIfPresent(file.path)) != .some(nil) { return file }
      try? unlink(file.path)
      try? close(file)
    }
  }

  private static var besidePrefix: String { ".capsule-" }
  private static var besideSuffix: String { ".tmp" }

  private static func isBesideName(_ name: [UInt8]) -> Bool {
    guard name.starts(with: besidePrefix.utf8), name.suffix(4).elementsEqual(besideSuffix.utf8)
    else { return false }
    let digits = name.dropFirst(besidePrefix.utf8.count).dropLast(besideSuffix.utf8.count)
    return Hex.decode(String(decoding: digits, as: UTF8.self))?.count == 16
  }
}

extension FileSystem {
  /// Refuses a file or directory that would lie in a store or in a carrier of one.
  ///
  /// - Throws: ``Fault``.
  package func requireOutsideStores(_ directory: FilePath, for path: FilePath) throws {
    if let store = try storeAround(directory) { throw Fault.placeInStore(path, store) }
  }

  /// Refuses a file or directory that would lie in the directory of a store: what is in the clear would be
  /// copied with it, and might take the place of the store's own. Links do not hide it.
  ///
  /// - Throws: ``Fault``.
  package func require(_ path: FilePath, outside store: FilePath) throws {
    let root = try statusFollowingLinks(store)
    var place = try directory(around: path)
    for _ in 0..<4096 {
      let status = try statusFollowingLinks(place)
      if status.isSameFile(as: root) { throw Fault.placeInStore(path, store) }
      let above = place.appending("..")
      if status.isSameFile(as: try statusFollowingLinks(above)) { return }
      place = above
    }
  }

  /// Refuses a place for what is in the clear: in the directory of a store, which is known by itself, in any
  /// other one, or in a carrier.
  ///
  /// - Throws: ``Fault``.
  package func requireOutsideStores(_ path: FilePath, and store: FilePath) throws {
    try require(path, outside: store)
    try requireOutsideStores(directory(around: path), for: path)
  }

  /// Returns the nearest directory that there is, at a path or above it: the others are still to be made.
  private func directory(around path: FilePath) throws(Fault) -> FilePath {
    var place = path.withoutEndingSlash
    while true {
      do {
        if try statusFollowingLinks(place).kind == .directory { return place }
        place = place.parent
      } catch {
        guard error.condition == .notFound, place.parent != place else { throw error }
        place = place.parent
      }
    }
  }

  /// Returns the nearest directory, at a place or above it, that is a store or a carrier of one: what lies
  /// there is copied from machine to machine. `nil` where there is none.
  ///
  /// It goes upwards by the directories themselves: links do not hide a store.
  private func storeAround(_ directory: FilePath) throws(Fault) -> FilePath? {
    // One that is not there is named as it was given.
    _ = try statusFollowingLinks(directory)
    var place = directory
    // The limit is more directories than any path leads through.
    for _ in 0..<4096 {
      if try isStore(place) { return place }
      let above = place.appending("..")
      let status = try statusFollowingLinks(above)
      if status.isSameFile(as: try statusFollowingLinks(place)) { return nil }
      // Where no link leads, the name of the parent is the shorter one.
      let parent = place.parent
      let isParent =
        parent != place && (try? statusFollowingLinks(parent))?.isSameFile(as: status) == true
      place = isParent ? parent : above
    }
    return nil
  }

  /// Whether a directory is a store or a carrier, by the directories that each has, or by what its file says:
  /// other programs have a `store.json` too.
  private func isStore(_ place: FilePath) throws(Fault) -> Bool {
    func isThere(_ path: FilePath) throws(Fault) -> Bool {
      do { return try statusIfPresent(path) != nil } catch {
        // What nobody here may look into is no store of theirs.
        if error.condition == .notPermitted { return false }
        throw error
      }
    }
    for (mark, part) in [("store.json", "identities"), ("carrier.json", "heads")] {
      let path = place.appending(mark)
      guard try isThere(path) else { continue }
      if try isThere(place.appending(part)) { return true }
      guard let bytes = try? readFile(path, limit: 1 << 20) else { return true }
      if bytes.contains(run: Array("\"format\"".utf8)) { return true }
    }
    return false
  }
}
