/// A carrier that is a directory: a stick, a share, or a folder that another program carries around.
package struct DirectoryCarrier: Carrier {
  private let files: any FileSystem
  private let random: RandomSource
  private let root: FilePath

  package var directory: FilePath? { root }

  package init(_ root: FilePath, _ files: any FileSystem, _ random: RandomSource) {
    self.root = root
    self.files = files
    self.random = random
  }

  private func io<Value>(
    _ body: () throws(Fault) -> Value
  ) throws(Fault) -> Value {
    do { return try body() } catch {
      throw error.condition == .notFound ? .unreachable(root.text) : error
    }
  }

  package func make(by empty: FilePath) throws(Fault) {
    try files.createDirectories(root)
  }

  package func list() throws(Fault) -> CarrierListing {
    guard
      try io({ () throws(Fault) in try files.statusFollowingLinks(root).kind })
        == .directory
    else { throw .unreachable(root.text) }
    var found = CarrierListing()
    for name in [CarrierName.header, .identities] {
      try note(name, root.appending(name.path), in: &found)
    }
    for folder in ["heads", "blobs"] {
      for part in try directories(root.appending(folder)) {
        let directory = root.appending(folder).appending(part)
        for entry in try io({ () throws(Fault) in
          try files.contentsIfPresent(ofDirectory: directory)
        }) {
          let file = String(decoding: entry.name, as: UTF8.self)
          guard let name = CarrierName(path: "\(folder)/\(part)/\(file)") else { continue }
          try note(name, directory.appending(bytes: entry.name), in: &found)
        }
      }
    }
    return found
  }

  private func note(
    _ name: CarrierName, _ path: FilePath, in found: inout CarrierListing
  ) throws(Fault) {
    let status = try io { () throws(Fault) in try files.statusIfPresent(path) }
    guard let status, status.kind == .regular else { return }
    let time = status.modified
    found.note(name, size: status.size, modified: "\(time.seconds).\(time.nanoseconds)")
  }

  /// The names of the directories in one.
  private func directories(_ path: FilePath) throws(Fault) -> [String] {
    guard try isDirectory(path) else { return [] }
    var names: [String] = []
    for entry in try io({ () throws(Fault) in
      try files.contents(ofDirectory: path)
    }) {
      let name = String(decoding: entry.name, as: UTF8.self)
      // A file there is nobody's; a link leads out.
      if entry.kind != .regular, Hex.decode(name) != nil, try isDirectory(path.appending(name)) {
        names.append(name)
      }
    }
    return names.sorted()
  }

  /// Whether a directory is there.
  ///
  /// - Throws: `.remoteConflict` where something else is.
  private func isDirectory(_ path: FilePath) throws(Fault) -> Bool {
    switch try io({ () throws(Fault) in try files.statusIfPresent(path) })?.kind {
    case nil: return false
    case .directory: return true
    default: throw .notDirectory(path.text)
    }
  }

  /// Returns the path of a file, of which no link leads out of the carrier.
  private func path(of name: CarrierName) throws(Fault) -> FilePath {
    var path = root
    for part in name.path.parts(at: "/") {
      if path != root { _ = try isDirectory(path) }
      path = path.appending(String(part))
    }
    return path
  }

  package func get(_ files: [CarrierFetch], into directory: FilePath) throws(Fault) {
    for file in files {
      let path = try path(of: file.name)
      let target = directory.appending(file.name.path)
      try io { () throws(Fault) in try self.files.createDirectories(target.parent) }
      do {
        try copy(path, to: target, limit: file.limit)
      } catch {
        switch error.condition {
        // It went away, or is something else by now.
        case .notFound, .notRegularFile, .loop, .isDirectory: continue
        default: throw error
        }
      }
    }
  }

  /// Copies a file, and goes on where a copy of it was cut off. One that is larger than the limit, or becomes so
  /// while it is read, is not there afterwards.
  private func copy(
    _ from: FilePath, to path: FilePath, limit: Int64
  ) throws(Fault) {
    var isWithin = true
    try files.withFile(from, .read) { source throws(Fault) in
      let size = try files.status(source).size
      let target = try files.open(path, .readWriteCreate(mode: 0o600))
      do throws(Fault) {
        var begun = try files.status(target).size
        if begun > min(size, limit) {
          try files.truncate(target, to: 0)
          begun = 0
        }
        isWithin =
          size <= limit ? try copy(source, to: target, from: begun, limit: limit) : false
      } catch {
        try? files.close(target)
        // A carrier that went away may come back; a disk that is full here has no room for a part.
        if error.file?.path == path { try? files.unlink(path) }
        throw error
      }
      try files.close(target)
    }
    if !isWithin { try files.unlink(path) }
  }

  /// Copies the bytes of a file from an offset on.
  ///
  /// - Returns: `false` where there are more than the limit; what is above it is not written.
  @discardableResult
  private func copy(
    _ source: FileDescriptor, to target: FileDescriptor, from start: Int64, limit: Int64 = .max
  ) throws(Fault) -> Bool {
    let buffer = Self.buffer()
    defer { buffer.deallocate() }
    var offset = start
    while true {
      let count = try files.read(source, at: offset, into: buffer)
      if count == 0 { return true }
      if Int64(count) > limit - offset { return false }
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      try files.writeAll(target, bytes, at: offset)
      offset += Int64(count)
    }
  }

  private static func buffer() -> UnsafeMutableRawBufferPointer {
    .allocate(byteCount: 1 << 18, alignment: 64)
  }

  package func put(_ names: [CarrierName], from directory: FilePath) throws(Fault) {
    var swept: Set<FilePath> = []
    var last: FileTime?
    for name in names {
      let path = try path(of: name)
      try io { () throws(Fault) in try files.createDirectories(path.parent) }
      if swept.insert(path.parent).inserted { files.sweepBeside(in: path.parent) }
      do {
        let source = try files.open(directory.appending(name.path), .read)
        defer { try? files.close(source) }
        // Only blobs have the same bytes at the next attempt.
        if case .blob = name, let time = try putLarge(source, as: path) {
          last = time
        } else {
          try files.writeBeside(
            path, replacing: name == .identities, isOneOfMany: true, random: random
          ) { sink in
            try send(source, to: &sink)
          }
        }
      } catch {
        guard let fault = error as? Fault, fault.code == .exists else { throw .stream(error) }
        // A name says what is in the file: one that is there was put by an attempt before.
        try requireSame(path, directory.appending(name.path), name)
      }
    }
    for directory in swept {
      try io { () throws(Fault) in try files.synchronizeNames(in: directory) }
    }
    if let last { try sweepParts(before: last) }
  }

  private func requireSame(
    _ path: FilePath, _ source: FilePath, _ name: CarrierName
  ) throws(Fault) {
    let there = try io { () throws(Fault) in try files.status(path) }
    let here = try io { () throws(Fault) in try files.status(source) }
    guard there.kind == .regular, there.size == here.size else { throw .occupied(name.path) }
  }

  private func send(_ source: FileDescriptor, to sink: inout FileSink) throws {
    let buffer = Self.buffer()
    defer { buffer.deallocate() }
    while true {
      let count = try files.read(source, into: buffer)
      if count == 0 { return }
      try sink.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  package func drop(_ names: [CarrierName], by empty: FilePath) throws(Fault) {
    for name in names {
      let path = try path(of: name)
      do {
        try files.unlink(path)
      } catch {
        if error.condition != .notFound { throw error }
      }
    }
  }
}

/// Files that are large enough to be continued after an interruption.
extension DirectoryCarrier {
  /// The size in bytes from which on a copy that was cut off is continued.
  static let largeSize: Int64 = 1 << 20

  /// Puts a large file whole or not at all. Until it is whole it has a name that follows from its beginning, so
  /// that the next attempt finds it and writes what is missing.
  ///
  /// - Returns: the time at which its last byte was written; `nil`, with nothing done, for a small
  ///   file and where another process is at this one.
  /// - Throws: ``Fault``; nothing is left then of what could not be written.
  private func putLarge(_ source: FileDescriptor, as path: FilePath) throws -> FileTime? {
    let size = try files.status(source).size
    guard size >= Self.largeSize else { return nil }
    try files.requireFree(path)
    let part = path.parent.appending(try partName(of: source, path))
    guard let target = try openPart(part) else { return nil }
    defer { try? files.close(target) }
    let written: FileTime
    do {
      try copy(source, to: target, from: try commonCount(source, target))
      try files.truncate(target, to: size)
      try files.synchronize(target)
      written = try files.status(target).modified
      try files.renameExclusively(part, to: path)
    } catch {
      // A full carrier has no room for a part; one that went away keeps it.
      try? files.unlink(part)
      if error.condition == .exists { throw Fault.exists(path) }
      throw error
    }
    return written
  }

  private static let partPrefix = ".capsule-"
  private static let partSuffix = ".part"
  /// The seconds for which a part waits for the next attempt: a week.
  private static let partAge: Int64 = 7 * 86_400

  /// Removes parts that nobody went on with.
  private func sweepParts(before time: FileTime) throws(Fault) {
    let folder = root.appending("blobs")
    for shard in try directories(folder) {
      let directory = folder.appending(shard)
      for entry in (try? files.contents(ofDirectory: directory)) ?? []
      where entry.name.starts(with: Self.partPrefix.utf8)
        && entry.name.suffix(Self.partSuffix.utf8.count).elementsEqual(Self.partSuffix.utf8)
      {
        let path = directory.appending(bytes: entry.name)
        guard let status = try? files.statusIfPresent(path), status.kind == .regular,
          time.seconds(since: status.modified) > Self.partAge
        else { continue }
        try? files.unlink(path)
      }
    }
  }

  /// The beginning of an age file is in no other one.
  private func partName(
    of source: FileDescriptor, _ path: FilePath
  ) throws(Fault) -> String {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 12, alignment: 64)
    defer { buffer.deallocate() }
    let count = try files.read(source, at: 0, into: buffer)
    var hash = SHA256()
    hash.update(path.bytes)
    hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    return Self.partPrefix + Hex.encode(Array(hash.finalize().prefix(16))) + Self.partSuffix
  }

  /// Opens the file of an earlier attempt, or makes it, and holds it; `nil` where another process does.
  private func openPart(_ path: FilePath) throws(Fault) -> FileDescriptor? {
    let file = try files.open(path, .readWriteCreate(mode: 0o600))
    do {
      let isHeld = (try? files.lock(file, wait: false)) ?? true
      let status = try files.status(file)
      let named = try files.statusIfPresent(path)
      // One with a second name is not only a part.
      if isHeld, status.links == 1, named?.isSameFile(as: status) == true { return file }
    } catch {
      try? files.close(file)
      throw error
    }
    try? files.close(file)
    return nil
  }

  /// Returns the number of bytes that two files have in common from the start on.
  private func commonCount(
    _ left: FileDescriptor, _ right: FileDescriptor
  ) throws(Fault) -> Int64 {
    let buffers = (Self.buffer(), Self.buffer())
    defer {
      buffers.0.deallocate()
      buffers.1.deallocate()
    }
    var offset: Int64 = 0
    while true {
      let count = try files.read(right, at: offset, into: buffers.1)
      let other = try files.read(left, at: offset, into: buffers.0)
      let shared = min(count, other)
      guard buffers.0[..<shared].elementsEqual(buffers.1[..<shared]) else { return offset }
      offset += Int64(shared)
      if shared < buffers.0.count { return offset }
    }
  }
}
