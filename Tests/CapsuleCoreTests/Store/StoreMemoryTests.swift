import CapsulePlatform
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// What a machine remembers of a store in one file of lines.
@Suite struct StoreMemoryTests {
  private static let now = StoreScenario.now
  private static let place = StoreScenario.root
  private let files = SimulatedFileSystem()
  private let store: Store
  private let memory: StoreMemory
  private let path: FilePath

  init() throws {
    store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1),
      now: Instant(seconds: 1_600_000_000))
    memory = store.memory
    let directory = try require(store.stateDirectory)
    try files.createDirectories(directory)
    path = directory.appending("memory")
  }

  private func bytes() throws -> [UInt8] { try files.readFile(path, limit: 1 << 26) }

  /// Puts bytes in the place of a file in the state directory.
  private func put(_ bytes: [UInt8], _ name: String) throws {
    let path = self.path.parent.appending(name)
    try? files.unlink(path)
    try files.withFile(path, .append(mode: 0o600)) { file throws(Fault) in
      try files.writeAll(file, bytes)
    }
  }

  private func put(memory bytes: [UInt8]) throws {
    try put(bytes, "memory")
  }

  private func exists(_ name: String) throws -> Bool {
    try files.statusIfPresent(path.parent.appending(name)) != nil
  }

  @Test func `a clock that went back is told of once a jump, with the time before it`() {
    expect(memory.noteTime(Self.now, at: Self.place) == nil)
    let back = Self.now.adding(seconds: -1)
    expect(memory.noteTime(back, at: Self.place), is: Self.now)
    expect(memory.noteTime(back, at: Self.place) == nil)
    expect(memory.noteTime(Self.now, at: Self.place) == nil)
  }

  @Test func `the time is kept once a minute`() {
    _ = memory.noteTime(Self.now, at: Self.place)
    expect(memory.noteTime(Self.now.adding(seconds: 59), at: Self.place) == nil)
    expect(memory.noteTime(Self.now.adding(seconds: -1), at: Self.place), is: Self.now)
    _ = memory.noteTime(Self.now.adding(seconds: 60), at: Self.place)
    expect(memory.noteTime(Self.now, at: Self.place), is: Self.now.adding(seconds: 60))
  }

  @Test func `a warning is given once a day, and again where the clock went back`() {
    expect(memory.noteWarning(Self.now))
    expect(!memory.noteWarning(Self.now.adding(seconds: 86_399)))
    expect(memory.noteWarning(Self.now.adding(seconds: 86_400)))
    expect(memory.noteWarning(Self.now))
  }

  @Test(arguments: [FileRefusal.Operation.open, .write])
  func `what cannot be kept leaves the files as they were`(call: FileRefusal.Operation) throws {
    _ = memory.noteTime(Self.now, at: Self.place)
    let before = files.files()
    files.plan([.on(call, .fail(5))])
    _ = memory.noteTime(Self.now.adding(seconds: 3_600), at: Self.place)
    files.plan()
    expect(files.files(), is: before)
  }

  @Test func `the last line of a name counts, and only the user reads the file`() throws {
    for value: Int64 in 1...3 {
      for name in StoreMemory.Name.allCases { memory.keep(name, .integer(value)) }
    }
    for name in StoreMemory.Name.allCases { expect(memory.read(name), is: .integer(3)) }
    try expect(files.status(path).mode & 0o777, is: 0o600)
  }

  @Test func `a copy of a store has its own verification, and the times of the store`() throws {
    try files.createDirectories(FilePath("/copy"))
    try files.withFile(FilePath("/copy/store.json"), .append(mode: 0o600)) {
      file throws(Fault) in
      try files.writeAll(file, try files.readFile(store.layout.header, limit: 1 << 16))
    }
    let copy = try require(
      try Store.open(at: FilePath("/copy"), environment: StoreScenario.environment(files, seed: 2)))
    for name in StoreMemory.Name.allCases { memory.keep(name, 1) }
    for name in StoreMemory.Name.allCases {
      let isShared = [.seen, .warned, .away, .checked, .places, .absent].contains(name)
      expect(copy.memory.read(name), is: isShared ? 1 : nil)
      copy.memory.keep(name, 2)
      expect(memory.read(name), is: isShared ? 2 : 1)
    }
  }

  @Test func `of a damaged line the one before counts, at every byte`() throws {
    memory.keep(.verified, .integer(1))
    let start = try bytes().count
    memory.keep(.verified, .integer(2))
    let whole = try bytes()
    // The first byte and the last one are the ends of lines.
    for place in (start + 1)..<(whole.count - 1) {
      var damaged = whole
      damaged[place] ^= 1
      try put(memory: damaged)
      expect(memory.read(.verified), is: .integer(1), "byte \(place)")
    }
  }

  @Test func `a line that was cut off spoils no line after it`() throws {
    memory.keep(.seen, .integer(1))
    let first = try bytes()
    memory.keep(.seen, .integer(2))
    let both = try bytes()
    for count in first.count..<(both.count - 1) {
      try put(memory: Array(both.prefix(count)))
      expect(memory.read(.seen), is: .integer(1), "\(count) bytes")
      memory.keep(.warned, .integer(3))
      expect(memory.read(.seen) == .integer(1) && memory.read(.warned) == .integer(3))
    }
  }

  @Test func `the file stays small, and keeps what a newer program remembers`() throws {
    let other = Array("newer 1 2".utf8)
    try put(memory: CheckedLines.line(other[...]) + [UInt8(ascii: "\n")])
    memory.keep(.missed, ["a": 1])
    let damaged = Array("0".utf8) + CheckedLines.line(Array("bad 1".utf8)[...])
    try put(memory: bytes() + damaged + [UInt8(ascii: "\n")])
    var largest = 0
    for second: Int64 in 0..<4_000 {
      memory.keep(.seen, .integer(second))
      largest = try max(largest, bytes().count)
    }
    expect((65_536..<66_000).contains(largest))
    let texts = CheckedLines.texts(in: try bytes()).map { Array($0) }
    expect(texts.contains(other))
    expect(memory.read(.seen) == .integer(3_999) && memory.read(.missed) == ["a": 1])
    expect(files.files(under: "/state").keys.count { $0.contains("/memory") }, is: 1)
  }

  @Test func `a large value is not written again with each small one`() throws {
    memory.keep(.verified, .string(String(repeating: "x", count: 60_000)))
    for second: Int64 in 0..<1_000 { memory.keep(.seen, .integer(second)) }
    let count = try bytes().count
    memory.keep(.seen, .integer(1_000))
    expect((1..<100).contains(try bytes().count - count))
  }

  @Test func `a file of more than 64 MiB is begun again`() throws {
    try put(memory: [UInt8](repeating: UInt8(ascii: "\n"), count: 1 << 26 + 1))
    expect(memory.read(.seen) == nil)
    memory.keep(.seen, .integer(1))
    expect(memory.read(.seen), is: .integer(1))
    expect(try bytes().count < 100)
  }

  @Test func `files of an earlier program count, and are taken over when something is kept`() throws
  {
    let inode = store.place.inode
    let id = StoreScenario.id(0x10)
    let former = [
      ("seen", "1700100000\n"), ("warned", "1700100001\n"),
      ("backed-up-\(inode)", "{\"at\":1700000000,\"path\":\"/b\"}\n"),
      ("verified-\(inode)", "{\"whole\":{\"began\":1,\"ended\":2},\"findings\":[]}\n"),
      ("reminded-\(inode)", "{\"since\":5}\n"), ("missed-\(inode)", "\(id) 7\nother\n"),
      ("checked", "1700100000 ledger 01234567\n"),
    ]
    for (name, text) in former { try put(Array(text.utf8), name) }

    func check() {
      expect(memory.read(.seen) == 1_700_100_000 && memory.read(.warned) == 1_700_100_001)
      expect(
        LastBackup(of: store), is: LastBackup(time: Instant(seconds: 1_700_000_000), path: "/b"))
      expect(LastVerification(of: store).whole?.ended, is: Instant(seconds: 2))
      expect(memory.read(.reminded)?["since"], is: 5)
      expect(memory.missed, is: [id: Instant(seconds: 7)])
      expect(LastCheck(of: store) == nil)
    }
    check()
    memory.keep(.seen, 1_700_100_000)
    for (name, _) in former { try expect(!exists(name), "\(name)") }
    check()
    for name in StoreMemory.Name.allCases { memory.keep(name, .integer(9)) }
    for name in StoreMemory.Name.allCases { expect(memory.read(name), is: .integer(9)) }
  }

  @Test func `files of an earlier program stay where they cannot be taken over`() throws {
    try put(Array("1700100000\n".utf8), "seen")
    try put(Array("{\"since\":5}\n".utf8), "reminded-\(store.place.inode)")
    let before = files.files()
    files.plan([.on(.write, .fail(28))])
    expect(!memory.keep(.seen, 1))
    files.plan()
    expect(try exists("seen") && before.keys.allSatisfy { files.files()[$0] == before[$0] })
    expect(memory.read(.seen) == 1_700_100_000 && memory.read(.reminded)?["since"] == 5)
  }

  @Test func `what an earlier program keeps after this one counts`() throws {
    _ = memory.noteTime(Self.now, at: Self.place)
    try put(Array("\(Self.now.seconds + 600)\n".utf8), "seen")
    expect(memory.noteTime(Self.now, at: Self.place), is: Self.now.adding(seconds: 600))
    try expect(!exists("seen"))
    try put(Array("?\n".utf8), "seen")
    expect(memory.noteTime(Self.now.adding(seconds: -1), at: Self.place), is: Self.now)
  }
}
