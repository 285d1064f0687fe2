import CapsuleCore
import CapsulePlatform

/// What the calls on files do.
extension SimulatedFileSystem.State {
  mutating func open(
    _ path: FilePath, _ access: FileAccess
  ) throws(SimulatedErrno) -> FileDescriptor {
    if open.count >= descriptorLimit { throw SimulatedErrno(code: EMFILE) }
    var follows = access == .directoryFollowingLinks
    if case .readFollowingLinks = access { follows = true }
    let place = try disk.find(path, following: follows)
    let node: Int
    if let found = place.node {
      if case .createExclusive = access { throw SimulatedErrno(code: EEXIST) }
      node = found
      try admit(node, access)
    } else if let mode = access.newMode {
      try disk.requireChangeable(place.directory)
      node = try disk.makeNode(.regular, mode: mode)
      disk.enter(node, place.directory, place.name)
    } else {
      throw SimulatedErrno(code: ENOENT)
    }
    let number = nextDescriptor
    nextDescriptor += 1
    disk[node].openCount += 1
    open[number] = OpenFile(
      node: node, canRead: access.reads, canWrite: access.newMode != nil,
      appends: access.appends)
    return FileDescriptor(number: number, path: path)
  }

  private func admit(_ node: Int, _ access: FileAccess) throws(SimulatedErrno) {
    let kind = disk[node].kind
    if kind == .symbolicLink { throw SimulatedErrno(code: access == .directory ? ENOTDIR : ELOOP) }
    if access == .directory || access == .directoryFollowingLinks, kind != .directory {
      throw SimulatedErrno(code: ENOTDIR)
    }
    if !access.admits(kind) {
      throw SimulatedErrno(code: kind == .directory ? EISDIR : FileRefusal.notRegularFile)
    }
    if access.reads { try disk.require(node, 4) }
    if access.newMode != nil {
      if disk.isReadOnly { throw SimulatedErrno(code: EROFS) }
      try disk.require(node, 2)
    }
  }

  func read(
    _ descriptor: FileDescriptor, at offset: Int, into buffer: UnsafeMutableRawBufferPointer,
    isShort: Bool
  ) throws(SimulatedErrno) -> Int {
    let file = try self.file(descriptor)
    guard file.canRead else { throw SimulatedErrno(code: EBADF) }
    if disk[file.node].kind == .directory { throw SimulatedErrno(code: EISDIR) }
    let bytes = disk[file.node].data.dropFirst(offset)
    let most = min(bytes.count, buffer.count)
    let count = isShort ? (most + 1) / 2 : most
    buffer.copyBytes(from: bytes.prefix(count))
    return count
  }

  mutating func write(
    _ descriptor: FileDescriptor, at place: Int? = nil, _ bytes: UnsafeRawBufferPointer,
    isShort: Bool
  ) throws(SimulatedErrno) -> Int {
    let file = try self.file(descriptor)
    guard file.canWrite else { throw SimulatedErrno(code: EBADF) }
    if bytes.isEmpty { return 0 }
    let old = disk[file.node].data.count
    let offset = file.appends ? old : place ?? file.offset
    let wanted = isShort ? (bytes.count + 1) / 2 : bytes.count
    // As far as there is room, like a disk that fills up.
    let free = disk.room()
    let count = free < wanted ? min(wanted, free + max(0, old - offset)) : wanted
    if count == 0 { throw SimulatedErrno(code: ENOSPC) }
    let time = disk.now()
    let end = offset + count
    if end > old { disk[file.node].data += [UInt8](repeating: 0, count: end - old) }
    disk[file.node].data.replaceSubrange(offset..<end, with: bytes.prefix(count))
    disk[file.node].modified = time
    disk[file.node].changed = time
    if place == nil { open[descriptor.number]?.offset = end }
    return count
  }
}

extension SimulatedDisk {
  mutating func make(
    _ kind: FileKind, _ path: FilePath, mode: UInt32
  ) throws(SimulatedErrno) {
    let place = try find(path)
    if place.node != nil { throw SimulatedErrno(code: EEXIST) }
    try requireChangeable(place.directory)
    let node = try makeNode(kind, mode: mode)
    enter(node, place.directory, place.name)
  }
}

extension FileAccess {
  /// The mode of a file that this access may make; `nil` where it only reads.
  fileprivate var newMode: UInt32? {
    switch self {
    case .createExclusive(let mode), .append(let mode), .readWriteCreate(let mode): mode
    case .read, .readFollowingLinks, .directory, .directoryFollowingLinks: nil
    }
  }

  fileprivate var reads: Bool {
    switch self {
    case .createExclusive, .append: false
    case .read, .readFollowingLinks, .readWriteCreate, .directory, .directoryFollowingLinks: true
    }
  }

  fileprivate var appends: Bool {
    if case .append = self { true } else { false }
  }
}
