import CapsuleCore
import CapsulePlatform

/// Calls on descriptors.
extension SimulatedFileSystem {
  func openOnce(
    _ path: FilePath, _ access: FileAccess
  ) throws(Fault) -> FileDescriptor {
    try call(.open, path) { state, _ throws(SimulatedErrno) in try state.open(path, access) }
  }

  func close(_ file: FileDescriptor) throws(Fault) {
    try call(.close, file.path) { state, _ throws(SimulatedErrno) in
      _ = try state.file(file)
      state.close(file.number)
    }
  }

  func readOnce(
    _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Fault) -> Int {
    try call(.read, file.path) { state, isShort throws(SimulatedErrno) in
      let open = try state.file(file)
      let count = try state.read(file, at: open.offset, into: buffer, isShort: isShort)
      state.open[file.number]?.offset += count
      return count
    }
  }

  func readOnce(
    _ file: FileDescriptor, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Fault) -> Int {
    try call(.read, file.path) { state, isShort throws(SimulatedErrno) in
      if offset < 0 { throw SimulatedErrno(code: EINVAL) }
      return try state.read(file, at: Int(offset), into: buffer, isShort: isShort)
    }
  }

  func writeOnce(
    _ file: FileDescriptor, _ bytes: UnsafeRawBufferPointer
  ) throws(Fault) -> Int {
    try call(.write, file.path) { state, isShort throws(SimulatedErrno) in
      try state.write(file, bytes, isShort: isShort)
    }
  }

  func writeOnce(
    _ file: FileDescriptor, at offset: Int64, _ bytes: UnsafeRawBufferPointer
  ) throws(Fault) -> Int {
    try call(.write, file.path) { state, isShort throws(SimulatedErrno) in
      if offset < 0 { throw SimulatedErrno(code: EINVAL) }
      return try state.write(file, at: Int(offset), bytes, isShort: isShort)
    }
  }

  func synchronizeOnce(_ file: FileDescriptor) throws(Fault) {
    try call(.synchronize, file.path) { state, _ throws(SimulatedErrno) in
      state.disk.synchronize(try state.file(file).node)
    }
  }

  func truncateOnce(_ file: FileDescriptor, to size: Int64) throws(Fault) {
    try call(.truncate, file.path) { state, _ throws(SimulatedErrno) in
      let open = try state.file(file)
      guard open.canWrite, size >= 0 else { throw SimulatedErrno(code: EINVAL) }
      let old = state.disk[open.node].data.count
      if Int(size) - old > state.disk.room() { throw SimulatedErrno(code: ENOSPC) }
      let time = state.disk.now()
      if Int(size) < old {
        state.disk[open.node].data.removeLast(old - Int(size))
      } else {
        state.disk[open.node].data += [UInt8](repeating: 0, count: Int(size) - old)
      }
      state.disk[open.node].modified = time
      state.disk[open.node].changed = time
    }
  }

  func lockOnce(_ file: FileDescriptor, wait: Bool) throws(Fault) -> Bool {
    try call(.lock, file.path) { state, _ throws(SimulatedErrno) in
      let node = try state.file(file).node
      if let holder = state.disk[node].lockHolder, holder != Int(file.number) {
        // Nothing else runs while this call does, so to wait would be to wait for ever.
        if wait { throw SimulatedErrno(code: EDEADLK) }
        return false
      }
      state.disk[node].lockHolder = Int(file.number)
      return true
    }
  }

  func unlock(_ file: FileDescriptor) throws(Fault) {
    try call(.unlock, file.path) { state, _ throws(SimulatedErrno) in
      let node = try state.file(file).node
      if state.disk[node].lockHolder == Int(file.number) { state.disk[node].lockHolder = nil }
    }
  }

  func status(_ file: FileDescriptor) throws(Fault) -> FileStatus {
    try call(.status, file.path) { state, _ throws(SimulatedErrno) in
      state.disk.status(try state.file(file).node)
    }
  }

  func setMode(_ file: FileDescriptor, _ mode: UInt32) throws(Fault) {
    try call(.setMode, file.path) { state, _ throws(SimulatedErrno) in
      let node = try state.file(file).node
      if state.disk.isReadOnly { throw SimulatedErrno(code: EROFS) }
      state.disk[node].mode = mode & 0o7777
      state.disk[node].changed = state.disk.now()
    }
  }

  func setModified(_ file: FileDescriptor, _ time: FileTime) throws(Fault) {
    try call(.setModified, file.path) { state, _ throws(SimulatedErrno) in
      let node = try state.file(file).node
      if state.disk.isReadOnly { throw SimulatedErrno(code: EROFS) }
      state.disk[node].modified = time
      state.disk[node].changed = state.disk.now()
    }
  }
}

/// Calls on paths.
extension SimulatedFileSystem {
  func status(_ path: FilePath) throws(Fault) -> FileStatus {
    try call(.status, path) { state, _ throws(SimulatedErrno) in
      state.disk.status(try state.disk.find(path).existing())
    }
  }

  func statusFollowingLinks(_ path: FilePath) throws(Fault) -> FileStatus {
    try call(.status, path) { state, _ throws(SimulatedErrno) in
      state.disk.status(try state.disk.find(path, following: true).existing())
    }
  }

  func contents(ofDirectory path: FilePath) throws(Fault) -> [DirectoryEntry] {
    try call(.listDirectory, path) { state, _ throws(SimulatedErrno) in
      let node = try state.disk.find(path).existing()
      guard state.disk[node].kind == .directory else { throw SimulatedErrno(code: ENOTDIR) }
      try state.disk.require(node, 4)
      return state.disk[node].entries.map { name, node in
        DirectoryEntry(name: name, kind: state.disk[node].kind, inode: UInt64(node))
      }
    }
  }

  func createDirectory(_ path: FilePath, mode: UInt32) throws(Fault) {
    try call(.createDirectory, path) { state, _ throws(SimulatedErrno) in
      try state.disk.make(.directory, path, mode: mode)
    }
  }

  func removeDirectory(_ path: FilePath) throws(Fault) {
    try call(.removeDirectory, path) { state, _ throws(SimulatedErrno) in
      try state.disk.removeDirectory(path)
    }
  }

  func link(_ from: FilePath, to: FilePath) throws(Fault) {
    try call(.link, from, to: to) { state, _ throws(SimulatedErrno) in
      try state.disk.link(from, to)
    }
  }

  func rename(_ from: FilePath, to: FilePath) throws(Fault) {
    try call(.rename, from, to: to) { state, _ throws(SimulatedErrno) in
      try state.disk.rename(from, to, replacing: true)
    }
  }

  func renameExclusively(_ from: FilePath, to: FilePath) throws(Fault) {
    try call(.rename, from, to: to) { state, _ throws(SimulatedErrno) in
      try state.disk.rename(from, to, replacing: false)
    }
  }

  func unlink(_ path: FilePath) throws(Fault) {
    try call(.unlink, path) { state, _ throws(SimulatedErrno) in try state.disk.unlink(path) }
  }

  func readLink(_ path: FilePath) throws(Fault) -> FilePath {
    try call(.readLink, path) { state, _ throws(SimulatedErrno) in
      let node = state.disk[try state.disk.find(path).existing()]
      guard node.kind == .symbolicLink else { throw SimulatedErrno(code: EINVAL) }
      return FilePath(bytes: node.data)
    }
  }
}
