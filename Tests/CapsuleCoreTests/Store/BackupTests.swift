import CapsulePlatform
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Generations of a backup: their names, which of them stay, and what they share.
@Suite struct BackupTests {
  private let files = SimulatedFileSystem()
  private let store: Store
  private let now = StoreScenario.now
  private let place = FilePath("/b")

  init() throws {
    store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1),
      now: Instant(seconds: 1_600_000_000))
    let blob = try StoreScenario.stage(store, StoreScenario.blobBytes)
    try store.insert(StoreScenario.capsule(0x10, blob: blob), blobs: [blob])
    try store.insert(StoreScenario.capsule(0x11))
  }

  private func backUp(
    keeping: Int? = nil, after seconds: Int64 = 0, isDryRun: Bool = false
  ) throws -> BackupReport {
    try store.care.backUp(
      to: place, keeping: keeping, now: now.adding(seconds: seconds), isDryRun: isDryRun)
  }

  private var names: [String] {
    Set(files.files(under: "/b").keys.map { String($0.dropFirst(3).prefix { $0 != "/" }) })
      .subtracting([".lock"]).sorted()
  }

  @Test func `a generation that is made after the clock went back is the newest by its name`()
    throws
  {
    let first = try backUp()
    let second = try backUp(after: -3600)
    expect(second.generation, is: first.generation + ".2")
    expect(second.generations, is: [second.generation, first.generation])
  }

  @Test func `a store that can only be read is backed up`() throws {
    files.plan([.on(.open, path: StoreScenario.layout.lock.text, .fail(EROFS))])
    let report = try backUp()
    expect(report.isSound && report.records == 2)
  }

  @Test func `the tenth generation of a second stands before the ninth`() throws {
    for _ in 0..<10 { _ = try backUp() }
    expect(try backUp(keeping: 1).generation.hasSuffix(".11"))
  }

  @Test func `of several generations the newest stay`() throws {
    let all = try [0, 60, 120].map { try backUp(after: $0).generation }
    let last = try backUp(keeping: 2, after: 180)
    expect(last.generations, is: [last.generation, all[2]])
    expect(names, is: last.generations.sorted())
  }

  @Test func `no number of generations takes the new one away`() throws {
    _ = try backUp()
    let second = try backUp(keeping: 0, after: 60)
    expect(names, is: [second.generation])
  }

  @Test func `what an interrupted backup left goes with the next`() throws {
    try files.createDirectory(place, mode: 0o700)
    try files.createDirectory(FilePath("/b/.unfinished-1"), mode: 0o700)
    try files.createDirectory(FilePath("/b/.unfinished-1/capsules"), mode: 0o700)
    try files.setBytes("/b/.unfinished-1/capsules/half.json", [1])
    let report = try backUp()
    expect(names, is: [report.generation])
  }

  @Test(arguments: [".DS_Store", "desktop.ini", "Thumbs.db"])
  func `a file manager's own files are nobody's data`(name: String) throws {
    try files.createDirectory(place, mode: 0o700)
    try files.setBytes("/b/" + name, [1])
    expect(try backUp().isSound)
  }

  @Test(arguments: [
    "2026-11-22T071500", "2026-11-22T0715000", "2026-11-22 071500Z", "2026-11-22T071500Z.",
    "2026-11-22T071500Z.x", "2026-11-22T071500Z-2", "2026-11-22T071500Z.12345678901",
  ])
  func `a directory with another name is no generation`(name: String) throws {
    try files.createDirectory(place, mode: 0o700)
    try files.createDirectory(place.appending(name), mode: 0o700)
    expect(throws: Fault.self) { try backUp() }
  }

  @Test func `generations of another store are refused`() throws {
    _ = try backUp()
    let other = try Store.openOrCreate(
      at: FilePath("/other"), environment: StoreScenario.environment(files, seed: 2), now: now)
    expect(throws: Fault.self) { try other.care.backUp(to: place, keeping: nil, now: now) }
    expect(names.count, is: 1)
  }

  @Test func `a second backup waits for nobody while one is being made`() throws {
    _ = try backUp()
    let lock = try files.acquireLock(
      place.appending(".lock"), holder: [],
      patience: LockPatience(limit: 0, pause: { _ in }))
    defer { files.release(lock) }
    expect(throws: Fault.self) { try backUp(after: 60) }
  }

  @Test func `a file of the same size with other bytes is copied`() throws {
    _ = try backUp()
    let path = StoreScenario.layout.record(.capsule, StoreScenario.id(0x11)).text
    let bytes = try require(files.bytes(path))
    var changed = bytes
    changed[bytes.count - 2] ^= 0x20
    try files.setBytes(path, changed)
    let copy = try backUp(after: 60).path + path.dropFirst(2)
    expect(files.bytes(copy), is: changed)
  }

  @Test func `a file that nobody may write keeps its mode`() throws {
    let path = StoreScenario.layout.record(.capsule, StoreScenario.id(0x11))
    try files.withFile(path, .read) { file throws(Fault) in
      try files.setMode(file, 0o400)
    }
    let copy = FilePath(try backUp().path + path.text.dropFirst(2))
    try expect(files.status(copy).mode & 0o777, is: 0o400)
  }

  @Test func `a file that was linked to the generation before is the same file`() throws {
    let path = StoreScenario.layout.record(.capsule, StoreScenario.id(0x11)).text.dropFirst(2)
    let first = try files.status(FilePath(try backUp().path + path))
    let second = try files.status(FilePath(try backUp(after: 60).path + path))
    expect(first.isSameFile(as: second))
  }

  @Test func `a log of the journal is copied, since it grows in place`() throws {
    let first = try backUp().path
    let second = try backUp(after: 60).path
    let logs = files.files(under: first + "/journal").keys.map { $0.dropFirst(first.count) }
    expect(!logs.isEmpty)
    for log in logs {
      let one = try files.status(FilePath(first + log))
      expect(try !files.status(FilePath(second + log)).isSameFile(as: one))
    }
  }

  @Test func `a dry run says what the backup then does`() throws {
    let bytes = files.files(under: "/s").filter { !$0.key.hasSuffix("/lock") }
    let planned = try backUp(isDryRun: true)
    expect(names.isEmpty)
    expect(planned.records == 2 && planned.blobs == 1)
    expect(planned.bytesCopied, is: bytes.values.reduce(0) { $0 + Int64($1.count) })
    try expect(backUp().generation, is: planned.generation)
  }

  @Test func `a dry run counts what the next generation would share`() throws {
    _ = try backUp()
    let planned = try backUp(keeping: 1, after: 60, isDryRun: true)
    let done = try backUp(keeping: 1, after: 60)
    expect(planned.filesShared == done.filesShared && done.filesShared > 0)
    expect(planned.removed == done.removed && planned.generations == done.generations)
  }

  @Test func `the progress ends with all bytes of the store`() throws {
    var last: (Int64, Int64) = (0, 0)
    _ = try store.care.backUp(to: place, keeping: nil, now: now) { last = ($0, $1) }
    expect(last.0 == last.1 && last.0 >= Int64(StoreScenario.blobBytes.count))
  }

  @Test func `what is damaged in the store is named of its generation, and nothing else`() throws {
    expect(try backUp().problems.isEmpty)
    let path = StoreScenario.layout.record(.capsule, StoreScenario.id(0x11))
    try files.setBytes(path.text, Array("rot".utf8))
    let report = try backUp(after: 60)
    let finding = try require(report.problems.first)
    expect(finding.kind, is: .record)
    expect(finding.record, is: RecordReference(.capsule, StoreScenario.id(0x11)))
    expect(finding.path, is: report.path + path.text.dropFirst(2))
    expect(!report.problems.contains(Finding(.noJournal)))
  }

  @Test func `a slash behind the store's path, or behind that of a link to it, changes nothing`()
    throws
  {
    try files.makeSymbolicLink("/l", to: "/s")
    for (seed, path) in [(7 as UInt64, "/s/"), (8, "/l//")] {
      let environment = StoreScenario.environment(files, seed: seed)
      let opened = try require(try Store.open(at: FilePath(path), environment: environment))
      expect(opened.layout.root, is: StoreScenario.root)
      let report = try opened.care.backUp(
        to: FilePath("/b\(seed)"), keeping: nil, now: now.adding(seconds: Int64(seed)))
      expect(report.isSound && report.records == 2 && report.blobs == 1, "\(report.problems)")
    }
  }

  @Test
  func `a record in a directory that is gone is put back also by a path that ends in a slash`()
    throws
  {
    let path = StoreScenario.layout.record(.capsule, StoreScenario.id(0x11))
    let bytes = files.bytes(path.text)
    try files.unlink(path)
    try files.removeDirectory(path.parent)
    let opened = try require(
      try Store.open(at: FilePath("/s/"), environment: StoreScenario.environment(files, seed: 7)))
    _ = try opened.care.repair(now: now) { _, _ in nil }
    expect(files.bytes(path.text), is: bytes)
  }

  /// A part of the store that cannot be read, and the call that fails.
  private static let parts: [(FileRefusal.Operation, String)] = [
    (.read, "/s/capsules/11"), (.open, "/s/blobs"), (.read, "/s/blobs"), (.read, "/s/journal"),
    (.read, "/s/store.json"), (.read, "/s/identities"), (.listDirectory, "/s/capsules/11"),
    (.status, "/s/capsules/11"),
  ]

  @Test(arguments: parts)
  func `what cannot be read is named, the rest is copied, and no generation goes`(
    operation: FileRefusal.Operation, path: String
  ) throws {
    let first = try backUp()
    files.plan([.on(operation, path: path, .fail(EIO))])
    let report = try backUp(keeping: 1, after: 60)
    files.plan()
    expect(!report.isSound && report.removed.isEmpty)
    let unread = report.problems.filter(\.isDamage).map { problem in
      problem.detail == .refused(code: EIO) && problem.record == nil
        ? problem.path ?? "" : "\(problem)"
    }
    expect(!unread.isEmpty && unread.allSatisfy { $0.hasPrefix(path) }, "\(unread)")
    let all = files.files(under: "/s").keys.filter { place in
      !place.hasSuffix("/lock") && !unread.contains { place.hasPrefix($0) }
    }
    let copied = files.files(under: report.path).keys.map { "/s" + $0.dropFirst(report.path.count) }
    expect(Set(copied).subtracting(["/s/tmp/unsound", "/s/lock"]), is: Set(all))
    expect(names, is: [first.generation, report.generation])
  }

  @Test func `a dry run names what cannot be read`() throws {
    _ = try backUp()
    files.plan([.on(.read, path: "/s/capsules/11", .fail(EIO))])
    let planned = try backUp(keeping: 1, after: 60, isDryRun: true)
    files.plan()
    expect(!planned.isSound && planned.removed.isEmpty)
  }

  @Test(arguments: ["/capsules/11", "/blobs", "/store.json"])
  func `what the generation before does not give back is copied anew`(part: String) throws {
    let first = try backUp()
    files.plan([.on(.read, path: first.path + part, .fail(EIO))])
    let second = try backUp(after: 60)
    files.plan()
    expect(second.isSound, "\(second.problems)")
    for path in files.files(under: second.path).keys where path.hasPrefix(second.path + part) {
      let old = FilePath(first.path + path.dropFirst(second.path.count))
      try expect(!files.status(FilePath(path)).isSameFile(as: files.status(old)))
    }
  }

  @Test(arguments: [ENOSPC, EIO])
  func `a destination that cannot be written ends the backup`(code: Int32) throws {
    let first = try backUp()
    try store.insert(StoreScenario.capsule(0x20))
    files.plan([.on(.write, path: "/b/.unfinished", .fail(code))])
    expect(throws: Fault.self) { try backUp(after: 60) }
    files.plan()
    expect(names, is: [first.generation])
  }

  @Test func `a generation that has its name survives a power cut, with all of its files`() throws {
    for number in UInt8(0x20)...0x70 { try store.insert(StoreScenario.capsule(number)) }
    let path = try backUp().path
    expect(files.after(.onlySynchronized).files(under: path), is: files.files(under: path))
    expect(files.openCount, is: 0)
  }

  @Test func `a file that is not safe ends the backup, and leaves nothing open`() throws {
    files.plan([.on(.synchronize, path: "/b/.unfinished", occurrence: 3, .fail(EIO))])
    expect(throws: Fault.self) { try backUp() }
    files.plan()
    expect(names.isEmpty && files.openCount == 0)
  }

  private func empty(_ generation: String) throws {
    for path in files.files(under: "/b/\(generation)").keys { try files.unlink(FilePath(path)) }
  }

  @Test func `a generation that lost its files is passed over`() throws {
    let first = try backUp()
    let second = try backUp(after: 60)
    try empty(second.generation)
    let third = try backUp(keeping: 2, after: 120)
    expect(third.isSound && third.filesShared > 0)
    expect(names, is: [first.generation, third.generation])
  }

  @Test func `a generation without its header counts by the copy of it`() throws {
    let first = try backUp()
    try files.unlink(FilePath(first.path + "/store.json"))
    expect(try backUp(after: 60).isSound)
  }

  @Test func `where no generation is a store any more it is not said to be another's`() throws {
    try empty(backUp().generation)
    let error = expect(throws: Fault.self) { try backUp(after: 60) }
    guard error?.code == .backupNotWhole else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `generations that are not sound go before those that are`() throws {
    let sound = try backUp().generation
    let path = StoreScenario.layout.record(.capsule, StoreScenario.id(0x11)).text
    let bytes = try require(files.bytes(path))
    try files.setBytes(path, Array("rot".utf8))
    let rotten = try [60, 120].map { try backUp(keeping: 2, after: $0) }
    expect(rotten.allSatisfy { !$0.isSound && $0.removed.isEmpty })
    try files.setBytes(path, bytes)
    let planned = try backUp(keeping: 2, after: 180, isDryRun: true)
    let last = try backUp(keeping: 2, after: 180)
    expect(last.generations, is: [last.generation, sound])
    expect(last.removed, is: [rotten[1].generation, rotten[0].generation])
    expect(planned.removed, is: last.removed)
    expect(names, is: [sound, last.generation])
  }

  @Test func `a generation that goes has lost its name before its files, also to a power cut`()
    throws
  {
    let old = try backUp().generation
    _ = try backUp(keeping: 1, after: 60)
    expect(!names.contains(old))
    expect(files.after(.onlySynchronized).files(under: "/b/\(old)").isEmpty)
  }
}
