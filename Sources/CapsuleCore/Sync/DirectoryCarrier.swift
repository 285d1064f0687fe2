/// A carrier that is a directory: a stick, a share, or a folder that another program carries around.
package struct DirectoryCarrier: Carrier {
  private let files: any FileSystem
  private let random: RandomSource
  private let root: FilePath

  package init(_ root: FilePath, _ files: any FileSystem, _ random: RandomSource) {
    self.root = root
    self.files = files
    self.random = random
  }

  private func io<Value>(
    _ body: () throws(FileSystemError) -> Value
  ) throws(CarrierFault) -> Value {
    do throws(FileSystemError) { return try body() } catch {
      throw error.condition == .notFound ? .unreachable(root.text) : .io(error)
    }
  }

  package func make(by empty: FilePath) throws(CarrierFault) {
    do throws(FileSystemError) { try files.createDirectories(root) } catch { throw .io(error) }
  }

  package func list() throws(CarrierFault) -> [CarrierName: Int64] {
    guard
      try io({ () throws(FileSystemError) in try files.statusFollowingLinks(root).kind })
        == .directory
    else { throw .unreachable(root.text) }
    var found: [CarrierName: Int64] = [:]
    for name in [CarrierName.header, .identities] {
      try note(name, root.appending(name.path), in: &found)
    }
    for folder in ["heads", "blobs"] {
      for part in try directories(root.appending(folder)) {
        let directory = root.appending(folder).appending(part)
        for entry in try io({ () throws(FileSystemError) in
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
    _ name: CarrierName, _ path: FilePath, in found: inout [CarrierName: Int64]
  ) throws(CarrierFault) {
    let status = try io { () throws(FileSystemError) in try files.statusIfPresent(path) }
    if let status, status.kind == .regular { found[name] = status.size }
  }

  /// The names of the directories in one; links are none.
  private func directories(_ path: FilePath) throws(CarrierFault) -> [String] {
    try io { () throws(FileSystemError) in
      guard try files.statusIfPresent(path)?.kind == .directory else { return [] }
      var names: [String] = []
      for entry in try files.contents(ofDirectory: path) {
        let name = String(decoding: entry.name, as: UTF8.self)
        guard Hex.decode(name) != nil,
          try files.statusIfPresent(path.appending(name))?.kind == .directory
        else { continue }
        names.append(name)
      }
      return names.sorted()
    }
  }

  package func get(_ names: [CarrierName], into directory: FilePath) throws(CarrierFault) {
    for name in names {
      let target = directory.appending(name.path)
      try io { () throws(FileSystemError) in try files.createDirectories(target.parent) }
      do throws(FileSystemError) {
        try copy(root.appending(name.path), to: target)
      } catch {
        switch error.condition {
        // It went away, or is something else by now.
        case .notFound, .notRegularFile, .loop, .isDirectory: continue
        default: throw .io(error)
        }
      }
    }
  }

  private func copy(_ from: FilePath, to path: FilePath) throws(FileSystemError) {
    try files.withFile(from, .read) { source throws(FileSystemError) in
      let target = try files.open(path, .createExclusive(mode: 0o600))
      do throws(FileSystemError) {
        try copy(source, to: target)
      } catch {
        try? files.close(target)
        try? files.unlink(path)
        throw error
      }
      try files.close(target)
    }
  }

  private func copy(
    _ source: FileDescriptor, to target: FileDescriptor
  ) throws(FileSystemError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
    defer { buffer.deallocate() }
    while true {
      let count = try files.read(source, into: buffer)
      if count == 0 { return }
      try files.writeAll(target, UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  package func put(_ names: [CarrierName], from directory: FilePath) throws(CarrierFault) {
    var swept: Set<FilePath> = []
    for name in names {
      let path = root.appending(name.path)
      try io { () throws(FileSystemError) in try files.createDirectories(path.parent) }
      if swept.insert(path.parent).inserted { files.sweepBeside(in: path.parent) }
      do {
        let source = try files.open(directory.appending(name.path), .read)
        defer { try? files.close(source) }
        try files.writeBeside(
          path, replacing: name == .identities, isOneOfMany: true, random: random
        ) { sink in
          try send(source, to: &sink)
        }
      } catch let error as FileSystemError {
        throw .io(error)
      } catch let error as RandomSource.Failure {
        throw .random(error)
      } catch {
        // A name says what is in the file: one that is there was put by an attempt before.
        try requireSame(path, directory.appending(name.path), name)
      }
    }
    for directory in swept {
      try io { () throws(FileSystemError) in try files.synchronizeNames(in: directory) }
    }
  }

  private func requireSame(
    _ path: FilePath, _ source: FilePath, _ name: CarrierName
  ) throws(CarrierFault) {
    let there = try io { () throws(FileSystemError) in try files.status(path) }
    let here = try io { () throws(FileSystemError) in try files.status(source) }
    guard there.kind == .regular, there.size == here.size else { throw .occupied(name.path) }
  }

  private func send(_ source: FileDescriptor, to sink: inout FileSink) throws {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
    defer { buffer.deallocate() }
    while true {
      let count = try files.read(source, into: buffer)
      if count == 0 { return }
      try sink.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  package func drop(_ names: [CarrierName], by empty: FilePath) throws(CarrierFault) {
    for name in names {
      do throws(FileSystemError) {
        try files.unlink(root.appending(name.path))
      } catch {
        if error.condition != .notFound { throw .io(error) }
      }
    }
  }
}
