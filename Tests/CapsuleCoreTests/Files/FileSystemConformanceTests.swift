import CapsuleCore
import TestSupport
import Testing

@testable import CoreTestHelpers

/// What the store counts on, held against the machine's file system and the simulated one alike.
@Suite struct FileSystemConformanceTests {
  typealias Kind = TestDirectory.Kind

  /// The condition that a call fails with; `nil` where it does not fail.
  private func condition(
    _ call: () throws(Fault) -> Void
  ) -> FileRefusal.Condition? {
    do throws(Fault) {
      try call()
      return nil
    } catch {
      return error.condition
    }
  }

  private func opening(
    _ here: TestDirectory, _ name: String, _ access: FileAccess
  ) -> FileRefusal.Condition? {
    condition { () throws(Fault) in
      try here.files.close(try here.files.open(here[name], access))
    }
  }

  /// A directory with one of everything that may stand in a file's place.
  private func zoo(_ kind: Kind) throws -> TestDirectory {
    let here = try TestDirectory(kind)
    try here.write("file", Array("bytes".utf8))
    try here.files.createDirectory(here["directory"], mode: 0o700)
    try here.makeFIFO("fifo")
    try here.makeSymbolicLink("link", to: "file")
    try here.makeSymbolicLink("directoryLink", to: "directory")
    try here.makeSymbolicLink("dangling", to: "nothing")
    try here.makeSymbolicLink("fifoLink", to: "fifo")
    try here.makeSymbolicLink("circle", to: "circle")
    return here
  }

  @Test(arguments: Kind.allCases)
  func `of no bytes none are written`(kind: Kind) throws {
    let here = try TestDirectory(kind)
    let file = try here.files.open(here["a"], .createExclusive(mode: 0o600))
    let none = UnsafeRawBufferPointer(start: nil, count: 0)
    try expect(here.files.writeOnce(file, none), is: 0)
    try expect(here.files.writeOnce(file, at: 0, none), is: 0)
    try here.files.close(file)
    try expect(here.read("a"), is: [])
  }

  @Test(arguments: Kind.allCases)
  func `bytes that were written are read back, in order and at offsets`(kind: Kind) throws {
    let here = try TestDirectory(kind)
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try here.write("a", bytes)
    try expect(here.read("a"), is: bytes)
    let file = try here.files.open(here["a"], .read)
    var part = [UInt8](repeating: 0, count: 10)
    func read(at offset: Int64) throws -> Int {
      try part.withUnsafeMutableBytes { try here.files.read(file, at: offset, into: $0) }
    }
    try expect(read(at: 99_995), is: 5)
    expect(Array(part[..<5]), is: Array(bytes[99_995...]))
    try expect(read(at: 5_000_000_000), is: 0)
    // Reading at an offset does not move the descriptor.
    try expect(part.withUnsafeMutableBytes { try here.files.read(file, into: $0) }, is: 10)
    expect(part, is: Array(bytes[..<10]))
    try here.files.close(file)
  }

  @Test(arguments: Kind.allCases)
  func `an exclusive creation fails where anything has the name, a dangling link too`(
    kind: Kind
  ) throws {
    let here = try zoo(kind)
    for name in ["file", "directory", "fifo", "link", "dangling", "circle"] {
      expect(opening(here, name, .createExclusive(mode: 0o600)), is: .exists, "\(name)")
    }
    expect(try here.files.statusIfPresent(here["nothing"]) == nil)
    try expect(here.read("file"), is: Array("bytes".utf8))
  }

  @Test(arguments: Kind.allCases, [0o600, 0o666, 0o400, 0o640] as [UInt32])
  func `a new file or directory has exactly the mode asked for`(kind: Kind, mode: UInt32) throws {
    let here = try TestDirectory(kind)
    try here.write("file", [1], mode: mode)
    try expect(here.files.status(here["file"]).mode, is: mode)
    try here.files.createDirectory(here["directory"], mode: mode | 0o111)
    try expect(here.files.status(here["directory"]).mode & 0o777, is: mode | 0o111)
    let file = try here.files.open(here["file"], .read)
    try here.files.setMode(file, 0o440)
    try expect(here.files.status(file).mode, is: 0o440)
    try here.files.close(file)
  }

  @Test(arguments: Kind.allCases)
  func `only a regular file is read, without following a link and without blocking`(
    kind: Kind
  ) throws {
    let here = try zoo(kind)
    expect(opening(here, "file", .read) == nil)
    expect(opening(here, "link", .read), is: .loop)
    expect(opening(here, "dangling", .read), is: .loop)
    expect(opening(here, "circle", .read), is: .loop)
    expect(opening(here, "fifo", .read), is: .notRegularFile)
    expect(opening(here, "directory", .read), is: .isDirectory)
    expect(opening(here, "nothing", .read), is: .notFound)
    expect(opening(here, "file/below", .read), is: .notDirectory)
  }

  @Test(arguments: Kind.allCases)
  func `a file that the user named may be a link, and a stream only where that is allowed`(
    kind: Kind
  ) throws {
    let here = try zoo(kind)
    for streams in [false, true] {
      let access = FileAccess.readFollowingLinks(streams: streams)
      expect(opening(here, "file", access) == nil)
      expect(opening(here, "link", access) == nil)
      expect(opening(here, "dangling", access), is: .notFound)
      expect(opening(here, "circle", access), is: .loop)
      expect(opening(here, "directory", access), is: .isDirectory)
      expect(opening(here, "directoryLink", access), is: .isDirectory)
    }
    expect(opening(here, "fifo", .readFollowingLinks(streams: false)), is: .notRegularFile)
    expect(opening(here, "fifoLink", .readFollowingLinks(streams: false)), is: .notRegularFile)
  }

  @Test(
    arguments: Kind.allCases,
    [
      FileAccess.append(mode: 0o600), .readWriteCreate(mode: 0o600),
    ])
  func `a file that is changed in place is regular and no link`(
    kind: Kind, access: FileAccess
  ) throws {
    let here = try zoo(kind)
    expect(opening(here, "file", access) == nil)
    expect(opening(here, "new", access) == nil)
    try expect(here.files.status(here["new"]).mode, is: 0o600)
    expect(opening(here, "link", access), is: .loop)
    expect(opening(here, "dangling", access), is: .loop)
    expect(opening(here, "fifo", access), is: .notRegularFile)
    expect(opening(here, "directory", access), is: .isDirectory)
    expect(try here.files.statusIfPresent(here["nothing"]) == nil)
  }

  /// Each call of a descriptor, and the operation that its refusal names.
  private static let calls:
    [(FileRefusal.Operation, @Sendable (POSIXFileSystem, FileDescriptor) throws -> Void)] = [
      (.close, { try $0.close($1) }), (.synchronize, { try $0.synchronizeOnce($1) }),
      (.truncate, { try $0.truncateOnce($1, to: 0) }),
      (.lock, { _ = try $0.lockOnce($1, wait: false) }), (.unlock, { try $0.unlock($1) }),
      (.setMode, { try $0.setMode($1, 0o600) }),
      (.setModified, { try $0.setModified($1, FileTime(seconds: 0, nanoseconds: 0)) }),
      (
        .read,
        { files, file in
          var bytes: [UInt8] = [0]
          _ = try bytes.withUnsafeMutableBytes { try files.readOnce(file, at: 0, into: $0) }
        }
      ),
      (
        .write,
        { files, file in
          _ = try [UInt8(0)].withUnsafeBytes { try files.writeOnce(file, at: 0, $0) }
        }
      ),
    ]

  @Test(arguments: calls)
  func `a call of a file that is not open is refused with its path`(
    operation: FileRefusal.Operation,
    call: @Sendable (POSIXFileSystem, FileDescriptor) throws -> Void
  ) {
    let fault = expect(throws: Fault.self) {
      try call(POSIXFileSystem(), FileDescriptor(number: -1, path: FilePath("/gone")))
    }
    expect(fault?.file?.operation, is: operation)
    expect(fault?.file?.path, is: FilePath("/gone"))
  }

  @Test(arguments: Kind.allCases)
  func `what is appended comes behind what another appended meanwhile`(kind: Kind) throws {
    let here = try TestDirectory(kind)
    let one = try here.files.open(here["log"], .append(mode: 0o600))
    let two = try here.files.open(here["log"], .append(mode: 0o600))
    try here.files.writeAll(one, [1, 2])
    try here.files.writeAll(two, [3])
    try here.files.writeAll(one, [4])
    try expect(here.read("log"), is: [1, 2, 3, 4])
    try here.files.close(one)
    try here.files.close(two)
  }

  @Test(arguments: Kind.allCases)
  func `a directory is opened, synchronised and listed only where it is itself one`(
    kind: Kind
  ) throws {
    let here = try zoo(kind)
    expect(opening(here, "directory", .directory) == nil)
    for name in ["file", "fifo", "link", "directoryLink", "dangling"] {
      expect(opening(here, name, .directory) != nil, "\(name)")
    }
    try here.files.synchronizeDirectory(here.path)
    expect(opening(here, "nothing", .directory), is: .notFound)
    for name in ["directory", "directoryLink"] {
      expect(opening(here, name, .directoryFollowingLinks) == nil, "\(name)")
    }
    for name in ["file", "link", "fifo", "fifoLink"] {
      expect(opening(here, name, .directoryFollowingLinks), is: .notDirectory, "\(name)")
    }
    expect(throws: Fault.self) {
      try here.files.contents(ofDirectory: here["directoryLink"])
    }
  }

  @Test(arguments: Kind.allCases)
  func `a directory lists every name with its kind`(kind: Kind) throws {
    let here = try zoo(kind)
    let entries = try here.files.contents(ofDirectory: here.path)
    let kinds = Dictionary(
      uniqueKeysWithValues: entries.map { (String(decoding: $0.name, as: UTF8.self), $0.kind) })
    expect(kinds.count, is: 8)
    let expected: [String: FileKind] = [
      "file": .regular, "directory": .directory, "fifo": .fifo, "link": .symbolicLink,
    ]
    for (name, kind) in expected {
      let told = try require(kinds[name])
      expect(told == nil || told == kind, "\(name)")
      try expect(here.files.status(here[name]).kind, is: kind)
    }
    expect(try here.files.contents(ofDirectory: here["directory"]).isEmpty)
  }

  @Test(arguments: Kind.allCases)
  func `a thousand names are all listed`(kind: Kind) throws {
    let here = try TestDirectory(kind)
    let names = Set((0..<1000).map { "name-\($0)" })
    for name in names { try here.write(name, []) }
    let listed = try here.files.contents(ofDirectory: here.path)
    expect(listed.count, is: 1000)
    expect(Set(listed.map { String(decoding: $0.name, as: UTF8.self) }), is: names)
  }

  #if !canImport(Darwin)
    @Test(arguments: Kind.allCases)
    func `a name need not be UTF-8`(kind: Kind) throws {
      let here = try TestDirectory(kind)
      let name: [UInt8] = [0xFF, 0x0A, 0x80, 0x41]
      let path = here.path.appending(bytes: name)
      try here.files.close(try here.files.open(path, .createExclusive(mode: 0o600)))
      try expect(here.files.contents(ofDirectory: here.path).map(\.name), is: [name])
      try expect(here.files.status(path).kind, is: .regular)
      try here.files.unlink(path)
      expect(try here.files.contents(ofDirectory: here.path).isEmpty)
    }
  #endif

  @Test(arguments: Kind.allCases)
  func `a path that cannot be is refused by its kind`(kind: Kind) throws {
    let here = try zoo(kind)
    expect(opening(here, String(repeating: "n", count: 256), .read), is: .nameTooLong)
    let nul = here.path.appending(bytes: [0x61, 0x00, 0x62])
    let refused = condition { () throws(Fault) in _ = try here.files.status(nul) }
    expect(refused, is: .invalid)
    let empty = condition { () throws(Fault) in _ = try here.files.status(FilePath("")) }
    expect(empty, is: .notFound)
    let closed = FileDescriptor(number: -1, path: here["file"])
    let bad = expect(throws: Fault.self) { try here.files.status(closed) }
    expect(bad?.file?.symbol, is: "EBADF")
    expect(bad?.file?.path, is: here["file"])
  }

  @Test(arguments: Kind.allCases)
  func `a link gives the same file a second name and never takes one`(kind: Kind) throws {
    let here = try zoo(kind)
    try here.files.link(here["file"], to: here["second"])
    let (first, second) = (
      try here.files.status(here["file"]), try here.files.status(here["second"])
    )
    expect(first.isSameFile(as: second))
    expect(first.links, is: 2)
    for name in ["file", "directory", "fifo", "link", "dangling"] {
      let refused = condition { () throws(Fault) in
        try here.files.link(here["second"], to: here[name])
      }
      expect(refused, is: .exists, "\(name)")
    }
    let missing = condition { () throws(Fault) in
      try here.files.link(here["nothing"], to: here["third"])
    }
    expect(missing, is: .notFound)
    let directory = condition { () throws(Fault) in
      try here.files.link(here["directory"], to: here["third"])
    }
    expect(directory, is: .notPermitted)
    try here.files.link(here["link"], to: here["linkToo"])
    try expect(here.files.status(here["linkToo"]).kind, is: .symbolicLink)
    try here.files.unlink(here["file"])
    try expect(here.read("second"), is: Array("bytes".utf8))
    try expect(here.files.status(here["second"]).links, is: 1)
  }

  @Test(arguments: Kind.allCases)
  func `a rename takes the place of a file, and of a link itself`(kind: Kind) throws {
    let here = try zoo(kind)
    try here.write("new", [1])
    try here.files.rename(here["new"], to: here["link"])
    try expect(here.files.status(here["link"]).kind, is: .regular)
    try expect(here.read("link"), is: [1])
    try expect(here.read("file"), is: Array("bytes".utf8))
    expect(try here.files.statusIfPresent(here["new"]) == nil)
    let missing = condition { () throws(Fault) in
      try here.files.rename(here["new"], to: here["file"])
    }
    expect(missing, is: .notFound)
    let overDirectory = condition { () throws(Fault) in
      try here.files.rename(here["file"], to: here["directory"])
    }
    expect(overDirectory, is: .isDirectory)
    try here.files.rename(here["file"], to: here["file"])
    try expect(here.read("file"), is: Array("bytes".utf8))
  }

  @Test(arguments: Kind.allCases)
  func `a directory is renamed over an empty one only, and not into itself`(kind: Kind) throws {
    let here = try TestDirectory(kind)
    for name in ["a", "b", "c"] { try here.files.createDirectory(here[name], mode: 0o700) }
    try here.write("a/file", [7])
    try here.files.rename(here["a"], to: here["b"])
    try expect(here.read("b/file"), is: [7])
    let full = condition { () throws(Fault) in
      try here.files.rename(here["c"], to: here["b"])
    }
    expect(full == .notEmpty || full == .exists)
    let inside = condition { () throws(Fault) in
      try here.files.rename(here["b"], to: here["b/inside"])
    }
    expect(inside, is: .invalid)
    try here.files.rename(here["b"], to: here["c/deeper"])
    try expect(here.read("c/deeper/file"), is: [7])
    expect(try here.files.status(here["c"]).links == 3 || here.files.status(here["c"]).links == 1)
  }

  @Test(arguments: Kind.allCases)
  func `an exclusive rename never takes the place of anything`(kind: Kind) throws {
    let here = try zoo(kind)
    try here.write("new", [1])
    for name in ["file", "directory", "fifo", "link", "dangling"] {
      let refused = condition { () throws(Fault) in
        try here.files.renameExclusively(here["new"], to: here[name])
      }
      expect(refused, is: .exists, "\(name)")
    }
    try here.files.renameExclusively(here["new"], to: here["newer"])
    try expect(here.read("newer"), is: [1])
    try expect(here.files.status(here["newer"]).links, is: 1)
    expect(try here.files.statusIfPresent(here["new"]) == nil)
    try here.files.renameExclusively(here["directory"], to: here["directory2"])
    try expect(here.files.status(here["directory2"]).kind, is: .directory)
  }

  @Test(arguments: Kind.allCases)
  func `a file without a name lives until its descriptor is closed`(kind: Kind) throws {
    let here = try zoo(kind)
    let file = try here.files.open(here["file"], .read)
    try here.files.unlink(here["file"])
    try expect(here.files.status(file).links, is: 0)
    try expect(here.files.readAll(file, limit: 100), is: Array("bytes".utf8))
    try here.files.close(file)
    expect(opening(here, "file", .read), is: .notFound)
    try here.files.unlink(here["link"])
    let directory = condition { () throws(Fault) in
      try here.files.unlink(here["directory"])
    }
    expect(directory == .isDirectory || directory == .notPermitted)
  }

  @Test(arguments: Kind.allCases)
  func `a directory is made once and removed only when it is empty`(kind: Kind) throws {
    let here = try zoo(kind)
    for name in ["file", "directory", "dangling"] {
      let refused = condition { () throws(Fault) in
        try here.files.createDirectory(here[name], mode: 0o700)
      }
      expect(refused, is: .exists, "\(name)")
    }
    try here.write("directory/file", [])
    func remove(_ name: String) -> FileRefusal.Condition? {
      condition { () throws(Fault) in try here.files.removeDirectory(here[name]) }
    }
    expect(remove("directory"), is: .notEmpty)
    expect(remove("file"), is: .notDirectory)
    expect(remove("nothing"), is: .notFound)
    try here.files.unlink(here["directory/file"])
    expect(remove("directory") == nil)
  }

  @Test(arguments: Kind.allCases)
  func `a status tells size, times and identity, and what changed`(kind: Kind) throws {
    let here = try zoo(kind)
    let before = try here.files.status(here["file"])
    expect(before.size, is: 5)
    expect(before.links, is: 1)
    expect(try here.files.statusFollowingLinks(here["link"]).isSameFile(as: before))
    try expect(here.files.statusFollowingLinks(here["directoryLink"]).kind, is: .directory)
    expect(before.isUnchanged(since: try here.files.status(here["file"])))
    let file = try here.files.open(here["file"], .append(mode: 0o600))
    try here.files.writeAll(file, [33])
    let after = try here.files.status(file)
    expect(after.isSameFile(as: before))
    expect(after.size, is: 6)
    expect(!after.isUnchanged(since: before))
    expect(after.modified >= before.modified)
    let time = FileTime(seconds: 1_234_567_890, nanoseconds: 123_456_000)
    try here.files.setModified(file, time)
    try expect(here.files.status(here["file"]).modified, is: time)
    try here.files.setModified(file, FileTime(seconds: -86_400))
    try expect(here.files.status(here["file"]).modified.seconds, is: -86_400)
    try here.files.close(file)
  }

  @Test(arguments: Kind.allCases)
  func `the statuses of some names in a directory are those of their paths`(kind: Kind) throws {
    let here = try zoo(kind)
    try here.write("directory/inside", [1])
    let root = here["file"].parent
    let names = ["file", "nothing", "link", "directory", "circle", "file", "fifo"]
    let places = [
      (root, names), (root, []), (here["directory"], ["inside", "file"]),
      (here["directoryLink"], ["inside", "file"]), (here["nothing"], ["a"]), (here["file"], ["a"]),
      (here["circle"], ["a"]),
    ]
    for (path, names) in places {
      let names = names.map { Array($0.utf8) }
      var found: [Result<FileStatus, Fault>] = []
      here.files.forEachStatus(
        inDirectory: path, count: names.count, name: { $1 += names[$0] },
        { number, status in
          expect(number, is: found.count)
          found.append(status)
        })
      let expected = names.map { name in
        Result { () throws(Fault) in
          try here.files.status(path.appending(bytes: name))
        }
      }
      expect(found, is: expected, "\(path.text)")
    }
  }

  @Test(arguments: Kind.allCases)
  func `a directory tells the inode numbers of its names, by which some are passed over`(
    kind: Kind
  ) throws {
    let here = try zoo(kind)
    try here.write("directory/inside", [1])
    let root = here["file"].parent
    let entries = try here.files.contents(ofDirectory: root)
    for entry in entries {
      expect(entry.inode, is: (try here.files.status(root.appending(bytes: entry.name))).inode)
    }
    for skipped in [[], entries.map(\.name), [Array("file".utf8)], [Array("link".utf8)]] {
      var asked: [[UInt8]: UInt64] = [:]
      var found: [[UInt8]: Result<FileStatus, Fault>] = [:]
      try here.files.forEachStatus(
        inDirectory: root,
        unless: { name, inode in
          asked[Array(name)] = inode
          return skipped.contains(Array(name))
        },
        { name, status in found[Array(name)] = status })
      expect(asked, is: Dictionary(uniqueKeysWithValues: entries.map { ($0.name, $0.inode) }))
      expect(Set(found.keys), is: Set(entries.map(\.name)).subtracting(skipped))
      for (name, status) in found {
        try expect(status.get(), is: here.files.status(root.appending(bytes: name)))
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func `a lock is held by one descriptor until it is given up or closed`(kind: Kind) throws {
    let here = try TestDirectory(kind)
    let access = FileAccess.readWriteCreate(mode: 0o600)
    let one = try here.files.open(here["lock"], access)
    let two = try here.files.open(here["lock"], access)
    expect(try here.files.lock(one, wait: false))
    expect(try here.files.lock(one, wait: false))
    expect(try !here.files.lock(two, wait: false))
    try here.files.unlock(one)
    expect(try here.files.lock(two, wait: true))
    expect(try !here.files.lock(one, wait: false))
    try here.files.close(two)
    expect(try here.files.lock(one, wait: false))
    try here.files.close(one)
  }

  @Test(arguments: Kind.allCases)
  func `a file is cut, and lengthened with zeros`(kind: Kind) throws {
    let here = try zoo(kind)
    let file = try here.files.open(here["file"], .readWriteCreate(mode: 0o600))
    try here.files.truncate(file, to: 3)
    try expect(here.read("file"), is: Array("byt".utf8))
    try here.files.truncate(file, to: 5)
    try expect(here.read("file"), is: Array("byt\0\0".utf8))
    try here.files.writeAll(file, [1, 2])
    try expect(here.files.readAll(file, limit: 10), is: Array("t\0\0".utf8))
    try here.files.close(file)
    try expect(here.read("file"), is: [1, 2] + Array("t\0\0".utf8))
  }

  @Test(arguments: Kind.allCases)
  func `a descriptor does only what it was opened for`(kind: Kind) throws {
    let here = try zoo(kind)
    let reading = try here.files.open(here["file"], .read)
    expect(throws: Fault.self) { try here.files.writeAll(reading, [1]) }
    try here.files.close(reading)
    let writing = try here.files.open(here["new"], .createExclusive(mode: 0o600))
    expect(throws: Fault.self) { try here.files.readAll(writing, limit: 1) }
    try here.files.close(writing)
    let directory = try here.files.open(here["directory"], .directory)
    expect(throws: Fault.self) { try here.files.readAll(directory, limit: 1) }
    try here.files.close(directory)
  }

  @Test(arguments: Kind.allCases, [0, 1, 4095, 4096, 4097, 70_000])
  func `a whole file is read up to its limit and refused one byte beyond`(
    kind: Kind, size: Int
  ) throws {
    let here = try TestDirectory(kind)
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    try here.write("a", bytes)
    try expect(here.files.readFile(here["a"], limit: size), is: bytes)
    let file = try here.files.open(here["a"], .read)
    try expect(here.files.readAll(file, limit: size), is: bytes)
    try here.files.close(file)
    guard size > 0 else { return }
    let refused = condition { () throws(Fault) in
      _ = try here.files.readFile(here["a"], limit: size - 1)
    }
    expect(refused, is: .fileTooLarge)
    // As if the size were not known beforehand.
    let again = try here.files.open(here["a"], .read)
    let grown = condition { () throws(Fault) in
      _ = try here.files.readAll(again, limit: size - 1)
    }
    expect(grown, is: .fileTooLarge)
    try here.files.close(again)
  }

  @Test(arguments: Kind.allCases)
  func `a symbolic link tells where it leads`(kind: Kind) throws {
    let here = try zoo(kind)
    try expect(here.files.readLink(here["dangling"]), is: FilePath("nothing"))
    let regular = condition { () throws(Fault) in
      _ = try here.files.readLink(here["file"])
    }
    expect(regular, is: .invalid)
  }

  @Test(arguments: Kind.allCases)
  func `links at the end of a path are followed one by one`(kind: Kind) throws {
    let here = try zoo(kind)
    try here.makeSymbolicLink("second", to: here["link"].text)
    try expect(here.files.resolvingLinks(here["second"]), is: here["file"])
    try expect(here.files.resolvingLinks(here["directoryLink"]), is: here["directory"])
    try expect(here.files.resolvingLinks(here["file"]), is: here["file"])
    try expect(here.files.resolvingLinks(here["dangling"]), is: here["nothing"])
    let circle = condition { () throws(Fault) in
      _ = try here.files.resolvingLinks(here["circle"])
    }
    expect(circle, is: .loop)
  }

  @Test(arguments: Kind.allCases)
  func `forty links are followed, as many as Linux follows, and no more`(kind: Kind) throws {
    let here = try zoo(kind)
    for number in 1...41 {
      try here.makeSymbolicLink(
        "to\(number)", to: number == 1 ? here["file"].text : "to\(number - 1)")
    }
    try expect(here.files.resolvingLinks(here["to40"]), is: here["file"])
    let more = condition { () throws(Fault) in
      _ = try here.files.resolvingLinks(here["to41"])
    }
    expect(more, is: .loop)
  }

  @Test(arguments: Kind.allCases)
  func `a source and a sink move a file's bytes`(kind: Kind) throws {
    let here = try TestDirectory(kind)
    let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 13) }
    let file = try here.files.open(here["a"], .createExclusive(mode: 0o600))
    var sink = FileSink(here.files, file)
    for start in stride(from: 0, to: bytes.count, by: 3000) {
      try bytes[start..<min(start + 3000, bytes.count)].withUnsafeBytes { try sink.write($0) }
    }
    try here.files.synchronize(file)
    try here.files.close(file)
    let reading = try here.files.open(here["a"], .read)
    var source = FileSource(here.files, reading)
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 777)
    while case let count = try buffer.withUnsafeMutableBytes({ try source.read(into: $0) }),
      count > 0
    {
      result += buffer[..<count]
    }
    try here.files.close(reading)
    expect(result, is: bytes)
  }

  @Test func `an offset beyond four gigabytes is reached`() throws {
    let here = try TestDirectory(.posix)
    let file = try here.files.open(here["large"], .readWriteCreate(mode: 0o600))
    try here.files.truncate(file, to: 5_000_000_003)
    try expect(here.files.status(file).size, is: 5_000_000_003)
    var part = [UInt8](repeating: 9, count: 8)
    let count = try part.withUnsafeMutableBytes {
      try here.files.read(file, at: 4_999_999_998, into: $0)
    }
    expect(count, is: 5)
    expect(part, is: [0, 0, 0, 0, 0, 9, 9, 9])
    try here.files.close(file)
  }
}
