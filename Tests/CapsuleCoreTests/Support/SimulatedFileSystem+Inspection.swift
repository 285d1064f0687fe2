import CapsuleCore

/// What a test does from outside: without a call that is counted or fails, and safe at once.
extension SimulatedFileSystem {
  /// Every file's bytes by its path, links and directories left out.
  func files(under path: String = "/") -> [String: [UInt8]] {
    withDisk { disk in
      var result: [String: [UInt8]] = [:]
      var next: [(FilePath, Int)] = []
      if let node = try? disk.find(FilePath(path)).node { next = [(FilePath(path), node)] }
      while let (path, node) = next.popLast() {
        let value = disk[node]
        if value.kind == .regular { result[path.text] = value.data }
        next += value.entries.map { (path.appending(bytes: $0.key), $0.value) }
      }
      return result
    }
  }

  /// A file's bytes; `nil` where there is none.
  func bytes(_ path: String) -> [UInt8]? {
    withDisk { disk in
      guard let node = try? disk.find(FilePath(path)).node, disk[node].kind == .regular
      else { return nil }
      return disk[node].data
    }
  }

  /// Replaces a file's bytes in place, or makes the file.
  func setBytes(_ path: String, _ bytes: [UInt8]) throws {
    try withDisk { disk in
      let place = try disk.find(FilePath(path))
      var node = place.node
      if node == nil {
        try disk.make(.regular, FilePath(path), mode: 0o600)
        node = try disk.find(FilePath(path)).node
      }
      guard let node else { return }
      disk[node].data = bytes
      disk[node].modified = disk.now()
      disk[node].changed = disk[node].modified
      disk.synchronize(node)
      disk.synchronize(place.directory)
    }
  }

  func makeSymbolicLink(_ path: String, to target: String) throws {
    try withDisk { disk in
      try disk.make(.symbolicLink, FilePath(path), mode: 0o777)
      let place = try disk.find(FilePath(path))
      guard let node = place.node else { return }
      disk[node].data = Array(target.utf8)
      disk.synchronize(node)
      disk.synchronize(place.directory)
    }
  }

  func makeFIFO(_ path: String) throws {
    try withDisk { disk in
      try disk.make(.fifo, FilePath(path), mode: 0o600)
      disk.synchronize(try disk.find(FilePath(path)).directory)
    }
  }
}
