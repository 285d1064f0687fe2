import CapsuleCore
import CapsulePlatform
import TestSupport
import Testing

@testable import CoreTestHelpers

/// What the simulated file system adds: power cuts, planned faults, and the log.
@Suite struct SimulatedFileSystemTests {
  private let directory = FilePath("/d")

  /// A file system with an empty directory `/d` that is safe.
  private func empty() throws -> SimulatedFileSystem {
    let files = SimulatedFileSystem()
    try files.createDirectory(directory, mode: 0o700)
    try files.synchronizeDirectory(FilePath("/"))
    return files
  }

  private func write(
    _ files: SimulatedFileSystem, _ name: String, _ bytes: [UInt8], synchronizing: Bool
  ) throws {
    try files.withFile(FilePath(name), .createExclusive(mode: 0o600)) {
      file throws(Fault) in
      try files.writeAll(file, bytes)
      if synchronizing { try files.synchronize(file) }
    }
  }

  private func randomStates(
    _ files: SimulatedFileSystem, _ count: Int = 200
  ) -> Set<[String: [UInt8]]> {
    Set((0..<count).map { files.after(.random(seed: UInt64($0))).files(under: "/d") })
  }

  @Test func `a file is safe when its bytes and then its name were synchronised`() throws {
    let files = try empty()
    try write(files, "/d/a", [1, 2, 3], synchronizing: true)
    expect(files.after(.onlySynchronized).bytes("/d/a") == nil)
    expect(files.after(.everything).bytes("/d/a"), is: [1, 2, 3])
    expect(randomStates(files), is: [[:], ["/d/a": [1, 2, 3]]])
    try files.synchronizeDirectory(directory)
    expect(files.after(.onlySynchronized).bytes("/d/a"), is: [1, 2, 3])
    expect(randomStates(files), is: [["/d/a": [1, 2, 3]]])
  }

  @Test func `a name that is safe before its bytes may lead to none, some, zeros or all`() throws {
    let files = try empty()
    let bytes: [UInt8] = [1, 2, 3, 4]
    try write(files, "/d/a", bytes, synchronizing: false)
    try files.synchronizeDirectory(directory)
    expect(files.after(.onlySynchronized).bytes("/d/a"), is: [])
    let states = Set(randomStates(files).compactMap { $0["/d/a"] })
    expect(states.isSuperset(of: [[], bytes, [1, 2], [1, 2, 0, 0], [0, 0, 0, 0]]))
  }

  @Test func `appending leaves the bytes that were safe as they were`() throws {
    let files = try empty()
    try write(files, "/d/a", [9, 9], synchronizing: true)
    try files.synchronizeDirectory(directory)
    try files.withFile(FilePath("/d/a"), .append(mode: 0o600)) { file throws(Fault) in
      try files.writeAll(file, [5, 5, 5, 5])
    }
    for state in randomStates(files) {
      expect(state["/d/a"]?.starts(with: [9, 9]), is: true)
    }
  }

  @Test func `a rename that is not synchronised leaves the old file or the new one, whole`() throws
  {
    let files = try empty()
    try write(files, "/d/a", [1], synchronizing: true)
    try files.synchronizeDirectory(directory)
    try write(files, "/d/b", [2], synchronizing: true)
    try files.rename(FilePath("/d/b"), to: FilePath("/d/a"))
    let states = randomStates(files)
    expect(Set(states.map { $0["/d/a"] }), is: [[1], [2]])
    expect(states.contains(["/d/a": [2]]))
    // The old name may still be there with the new, as it never was for programs.
    for state in states where state["/d/a"] == [1] { expect(state["/d/b"] != [1]) }
  }

  @Test func `a file is never gone from both names of a rename between directories`() throws {
    let files = try empty()
    try files.createDirectory(FilePath("/d/tmp"), mode: 0o700)
    try files.synchronizeDirectory(directory)
    try write(files, "/d/tmp/a", [1], synchronizing: true)
    try files.synchronizeDirectory(FilePath("/d/tmp"))
    try files.rename(FilePath("/d/tmp/a"), to: FilePath("/d/a"))
    for state in randomStates(files) { expect(state["/d/a"] != nil || state["/d/tmp/a"] != nil) }
    let other = files.copy()
    expect(other.files(), is: ["/d/a": [1]])
    // Even where only the directory that it left is synchronised.
    try files.synchronizeDirectory(FilePath("/d/tmp"))
    expect(files.after(.onlySynchronized).files(), is: ["/d/a": [1]])
  }

  @Test func `a removed file may come back until its directory is synchronised`() throws {
    let files = try empty()
    try write(files, "/d/a", [1], synchronizing: true)
    try files.synchronizeDirectory(directory)
    try files.unlink(FilePath("/d/a"))
    expect(files.bytes("/d/a") == nil)
    expect(randomStates(files), is: [[:], ["/d/a": [1]]])
    try files.synchronizeDirectory(directory)
    expect(randomStates(files), is: [[:]])
  }

  @Test func `what is in a new directory is lost with it`() throws {
    let files = try empty()
    try files.createDirectory(FilePath("/d/new"), mode: 0o700)
    try write(files, "/d/new/a", [1], synchronizing: true)
    try files.synchronizeDirectory(FilePath("/d/new"))
    expect(files.after(.onlySynchronized).files(), is: [:])
    try files.synchronizeDirectory(directory)
    expect(files.after(.onlySynchronized).files(), is: ["/d/new/a": [1]])
  }

  @Test func `after a failed synchronisation another one saves nothing`() throws {
    let files = try empty()
    let file = try files.open(FilePath("/d/a"), .createExclusive(mode: 0o600))
    try files.synchronizeDirectory(directory)
    try files.writeAll(file, [1, 2])
    files.plan([.on(.synchronize, occurrence: 1, .fail(EIO))])
    expect(throws: Fault.self) { try files.synchronize(file) }
    try files.synchronize(file)
    expect(files.bytes("/d/a"), is: [1, 2])
    expect(files.after(.onlySynchronized).bytes("/d/a"), is: [])
  }

  @Test func `a name that a failed synchronisation lost is in doubt, a later one is not`() throws {
    let files = try empty()
    try write(files, "/d/a", [1], synchronizing: true)
    files.plan([.on(.synchronize, occurrence: 1, .fail(EIO))])
    expect(throws: Fault.self) { try files.synchronizeDirectory(directory) }
    try write(files, "/d/b", [2], synchronizing: true)
    try files.synchronizeDirectory(directory)
    expect(files.after(.onlySynchronized).files(), is: ["/d/b": [2]])
    expect(randomStates(files), is: [["/d/b": [2]], ["/d/a": [1], "/d/b": [2]]])
  }

  @Test func `an interrupted call is made again until it is done`() throws {
    let files = try empty()
    let calls: [FileRefusal.Operation] = [.open, .write, .read, .synchronize, .lock, .truncate]
    files.plan(
      calls.flatMap { operation in
        (1...3).map { .on(operation, occurrence: $0, .fail(EINTR)) }
      })
    let file = try files.open(FilePath("/d/a"), .readWriteCreate(mode: 0o600))
    try files.writeAll(file, [1, 2, 3])
    try files.truncate(file, to: 2)
    try files.synchronize(file)
    expect(try files.lock(file, wait: false))
    try files.close(file)
    try expect(files.readFile(FilePath("/d/a"), limit: 10), is: [1, 2])
    for operation in calls {
      expect(files.calls.filter { $0.operation == operation }.count > 3, "\(operation)")
    }
  }

  @Test func `short reads and writes move every byte all the same`() throws {
    let files = try empty()
    let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
    files.plan([.on(.write, .short), .on(.read, .short)])
    try write(files, "/d/a", bytes, synchronizing: true)
    try expect(files.readFile(FilePath("/d/a"), limit: 1000), is: bytes)
    var part = [UInt8](repeating: 0, count: 300)
    try files.withFile(FilePath("/d/a"), .read) { file throws(Fault) in
      var result: Result<Int, Fault> = .success(0)
      part.withUnsafeMutableBytes { buffer in
        result = Result { () throws(Fault) in
          try files.read(file, at: 100, into: buffer)
        }
      }
      try expect(result.get(), is: 300)
    }
    expect(part, is: Array(bytes[100..<400]))
    expect(files.calls.filter { $0.operation == .write }.count > 5)
  }

  @Test func `a fault strikes the call it is planned for, and no other`() throws {
    let files = try empty()
    func twoFiles() -> [Int32] {
      var codes: [Int32] = []
      for name in ["/d/a", "/d/b"] {
        do {
          try write(files, name, [1], synchronizing: true)
        } catch {
          codes.append((error as? Fault)?.errno ?? 0)
        }
      }
      return codes
    }
    files.plan()
    expect(twoFiles(), is: [])
    let count = files.calls.count
    expect(count, is: 8)
    expect(files.calls.map(\.number), is: Array(1...count))
    expect(files.calls[1].description, is: "2 write /d/a")
    for number in 1...count {
      for name in ["/d/a", "/d/b"] { try? files.unlink(FilePath(name)) }
      files.plan([.at(number, .fail(ENOSPC))])
      expect(twoFiles(), is: [ENOSPC], "call \(number)")
      expect(files.openCount <= 1)
      files.closeAll()
    }
    for name in ["/d/a", "/d/b"] { try? files.unlink(FilePath(name)) }
    files.plan([.on(.open, path: "/b", .fail(EACCES))])
    expect(twoFiles(), is: [EACCES])
    expect(files.bytes("/d/a"), is: [1])
    files.plan([.on(.unlink, .failAfterwards(EIO))])
    expect(throws: Fault.self) { try files.unlink(FilePath("/d/a")) }
    expect(files.bytes("/d/a") == nil)
  }

  @Test func `nothing works after the power has gone`() throws {
    let files = try empty()
    files.plan([.at(2, .crash)])
    try files.createDirectory(FilePath("/d/one"), mode: 0o700)
    expect(throws: Fault.self) {
      try files.createDirectory(FilePath("/d/two"), mode: 0o700)
    }
    let error = expect(throws: Fault.self) { try files.status(directory) }
    expect(error?.errno, is: SimulatedFileSystem.crashed)
    let after = files.after(.everything)
    try expect(after.contents(ofDirectory: directory).map(\.name), is: [Array("one".utf8)])
  }

  @Test func `a full disk takes what has room, then refuses, and can be emptied`() throws {
    let files = try empty()
    files.withDisk { $0.capacity = 100 }
    let error = expect(throws: Fault.self) {
      try write(files, "/d/a", [UInt8](repeating: 1, count: 150), synchronizing: false)
    }
    expect(error?.condition, is: .noSpace)
    expect(files.bytes("/d/a")?.count, is: 100)
    try files.unlink(FilePath("/d/a"))
    try write(files, "/d/b", [UInt8](repeating: 1, count: 100), synchronizing: true)
    files.withDisk { $0.nodeCapacity = $0.nodes.count }
    let full = expect(throws: Fault.self) {
      try write(files, "/d/c", [], synchronizing: false)
    }
    expect(full?.condition, is: .noSpace)
  }

  @Test func `a read-only disk, a forbidden file and too many descriptors are refused`() throws {
    let files = try empty()
    try write(files, "/d/a", [1], synchronizing: true)
    files.withDisk { $0.isReadOnly = true }
    try expect(files.readFile(FilePath("/d/a"), limit: 1), is: [1])
    for call: (SimulatedFileSystem) throws -> Void in [
      { try $0.unlink(FilePath("/d/a")) },
      { try $0.link(FilePath("/d/a"), to: FilePath("/d/b")) },
      { try $0.rename(FilePath("/d/a"), to: FilePath("/d/b")) },
      { try $0.createDirectory(FilePath("/d/b"), mode: 0o700) },
      { _ = try $0.open(FilePath("/d/a"), .append(mode: 0o600)) },
    ] {
      let error = expect(throws: Fault.self) { try call(files) }
      expect(error?.condition, is: .readOnly)
    }
    files.withDisk { $0.isReadOnly = false }
    try files.withFile(FilePath("/d/a"), .read) { file throws(Fault) in
      try files.setMode(file, 0)
    }
    let forbidden = expect(throws: Fault.self) {
      try files.readFile(FilePath("/d/a"), limit: 1)
    }
    expect(forbidden?.condition, is: .notPermitted)
    files.setDescriptorLimit(0)
    let many = expect(throws: Fault.self) { try files.open(directory, .directory) }
    expect(many?.condition, is: .tooManyOpen)
  }

  @Test func `time stands as it is set and moves with each change`() throws {
    let files = try empty()
    files.withDisk {
      $0.clock = FileTime(seconds: 5, nanoseconds: 999_999_999)
      $0.tick = 1
    }
    try write(files, "/d/a", [], synchronizing: false)
    let status = try files.status(FilePath("/d/a"))
    expect(status.modified >= FileTime(seconds: 6, nanoseconds: 0))
    expect(status.modified <= FileTime(seconds: 6, nanoseconds: 10))
    let before = try files.status(directory)
    try files.unlink(FilePath("/d/a"))
    expect(try files.status(directory).modified > before.modified)
  }

  @Test func `without hard links a link is refused as such a file system does`() throws {
    let files = try empty()
    try write(files, "/d/a", [1], synchronizing: true)
    files.withDisk { $0.hasHardLinks = false }
    let error = expect(throws: Fault.self) {
      try files.link(FilePath("/d/a"), to: FilePath("/d/b"))
    }
    expect(error?.condition, is: .notPermitted)
    try files.renameExclusively(FilePath("/d/a"), to: FilePath("/d/b"))
    expect(files.files(), is: ["/d/b": [1]])
  }
}
