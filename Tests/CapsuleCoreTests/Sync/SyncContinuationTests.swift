import CapsulePlatform
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Large files whose way to a carrier, or from it, was cut off: the next sync goes on where it was.
struct SyncContinuationTests {
  /// Sealed it is five pieces of 256 KiB.
  private static let picture = (0..<1_200_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }

  /// A world in which machine `a` has an item with a large file that no carrier has.
  private func begin() throws -> (world: SyncWorld, id: RecordID) {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring", blob: Self.picture)
    return (world, id)
  }

  /// Kills a machine's sync at a write to a file of that name.
  private func kill(
    _ machine: String, in world: inout SyncWorld, atWrite number: Int, of name: String
  ) {
    world.files.plan([.on(.write, path: name, occurrence: number, .crash)])
    expect(throws: Fault.self) { try world.sync(machine) }
    world.files = world.files.afterKill()
    world.files.plan()
  }

  private func writes(_ world: SyncWorld, to name: String) -> Int {
    world.files.calls.count { $0.operation == .write && $0.path.text.contains(name) }
  }

  private func parts(_ world: SyncWorld) -> [String] {
    world.files.files().keys.filter { $0.hasSuffix(".part") }
  }

  /// The only file of a blob in the carrier.
  private func sealed(_ world: SyncWorld) throws -> (path: String, bytes: [UInt8]) {
    let found = world.files.files().filter { $0.key.hasPrefix("/c/blobs/") }
    expect(found.count, is: 1)
    let file = try require(found.first)
    return (file.key, file.value)
  }

  private func expectArrival(
    _ world: inout SyncWorld, _ id: RecordID, file: String = #fileID, line: Int = #line
  ) throws {
    let report = try world.sync("b")
    expect(
      report.takenFiles == 1 && report.damaged.isEmpty, sourceLocation: SourceLocation(file, line))
    try expect(
      world.content("a"), is: world.content("b"), sourceLocation: SourceLocation(file, line))
  }

  @Test func `a file that was cut off on its way out is continued`() throws {
    var (world, id) = try begin()
    kill("a", in: &world, atWrite: 4, of: ".part")
    expect(parts(world).count, is: 1)
    try world.sync("a")
    expect(writes(world, to: ".part"), is: 2)
    expect(parts(world).isEmpty)
    try expectArrival(&world, id)
  }

  @Test func `a large file that was sent is on the carrier's disk`() throws {
    var (world, _) = try begin()
    try world.sync("a")
    let sent = try sealed(world)
    expect(world.files.after(.onlySynchronized).bytes(sent.path) == sent.bytes)
  }

  @Test func `another machine goes on with what one began to send`() throws {
    var (world, _) = try begin()
    try world.sync("a")
    try world.sync("b")
    let whole = try sealed(world)
    try world.files.unlink(FilePath(whole.path))
    world.files.plan([.on(.write, path: ".part", occurrence: 4, .crash)])
    expect(throws: Fault.self) { try mend("a", in: &world) }
    world.files = world.files.afterKill()
    world.files.plan()
    try expect(mend("b", in: &world).files, is: 1)
    expect(writes(world, to: ".part"), is: 2)
    try expect(sealed(world) == whole)
  }

  private func mend(
    _ machine: String, in world: inout SyncWorld
  ) throws -> CarrierMending {
    let now = world.tick()
    let way = world.way()
    return try world.store(machine).sync.hold(now: now) { work throws(Fault) in
      try work.mend(way, try work.verify(way, reads: false))
    }
  }

  @Test func `a part with other bytes is written over from where they begin`() throws {
    var (world, id) = try begin()
    kill("a", in: &world, atWrite: 4, of: ".part")
    let part = try require(parts(world).first)
    // As a power cut tears it: zeros behind the first piece.
    try world.files.withFile(FilePath(part), .readWriteCreate(mode: 0o600)) {
      file throws(Fault) in
      try world.files.writeAll(file, [UInt8](repeating: 0, count: 1 << 18), at: 1 << 18)
    }
    world.files.plan()
    try world.sync("a")
    expect(writes(world, to: ".part"), is: 4)
    try expectArrival(&world, id)
  }

  @Test func `a part that is longer than the file is cut`() throws {
    var (world, id) = try begin()
    kill("a", in: &world, atWrite: 4, of: ".part")
    let part = try require(parts(world).first)
    try world.files.withFile(FilePath(part), .readWriteCreate(mode: 0o600)) {
      file throws(Fault) in
      try world.files.writeAll(file, [1, 2, 3], at: 3_000_000)
    }
    try world.sync("a")
    try expectArrival(&world, id)
  }

  @Test func `a part that has a second name is not written to`() throws {
    var (world, id) = try begin()
    kill("a", in: &world, atWrite: 4, of: ".part")
    let part = try require(parts(world).first)
    try world.files.link(FilePath(part), to: FilePath("/letter"))
    let before = world.files.bytes("/letter")
    try world.sync("a")
    expect(world.files.bytes("/letter"), is: before)
    try expectArrival(&world, id)
  }

  @Test func `a carrier that is full keeps no part`() throws {
    var (world, id) = try begin()
    world.files.plan([.on(.write, path: ".part", occurrence: 4, .fail(ENOSPC))])
    expect(throws: Fault.self) { try world.sync("a") }
    expect(parts(world).isEmpty)
    world.files.plan()
    try world.sync("a")
    try expectArrival(&world, id)
  }

  @Test(arguments: [(6, true), (8, false)])
  func `a part that nobody goes on with stays for a week`(days: Int, stays: Bool) throws {
    var world = try SyncWorld()
    let part = FilePath("/c/blobs/00/.capsule-00112233445566778899aabbccddeeff.part")
    try world.files.createDirectories(part.parent)
    try world.files.withFile(part, .readWriteCreate(mode: 0o600)) { file throws(Fault) in
      try world.files.writeAll(file, [1, 2, 3])
      try world.files.setModified(file, FileTime(seconds: world.clock - Int64(days) * 86_400))
    }
    _ = try world.addItem("a", "Ring", blob: Self.picture)
    try world.sync("a")
    expect(parts(world) == (stays ? [part.text] : []))
  }

  @Test func `a file that was cut off on its way here is continued`() throws {
    var (world, id) = try begin()
    try world.sync("a")
    kill("b", in: &world, atWrite: 4, of: "/incoming/blobs")
    try expectArrival(&world, id)
    expect(writes(world, to: "/incoming/blobs"), is: 2)
    expect(world.files.files().keys.allSatisfy { !$0.contains("/incoming/") })
  }

  @Test func `what was fetched of it and is torn is fetched anew`() throws {
    var (world, id) = try begin()
    try world.sync("a")
    kill("b", in: &world, atWrite: 4, of: "/incoming/blobs")
    let path = try require(
      world.files.files().keys.first { $0.contains("/incoming/blobs") })
    try world.files.withFile(FilePath(path), .readWriteCreate(mode: 0o600)) {
      file throws(Fault) in
      try world.files.writeAll(file, [UInt8](repeating: 0, count: 1 << 18), at: 1 << 18)
    }
    try expectArrival(&world, id)
  }

  @Test func `a carrier that goes away keeps what came, and a disk that is full here does not`()
    throws
  {
    for (operation, name, stays) in [
      (FileRefusal.Operation.read, "/c/blobs", true), (.write, "/incoming/blobs", false),
    ] {
      var (world, id) = try begin()
      try world.sync("a")
      world.files.plan([.on(operation, path: name, occurrence: 4, .fail(EIO))])
      expect(throws: Fault.self) { try world.sync("b") }
      let left = world.files.files().filter { $0.key.contains("/incoming/blobs") }
      expect(left.values.map { $0.count >= 1 << 19 } == (stays ? [true] : []))
      world.files.plan()
      try expectArrival(&world, id)
    }
  }

  @Test func `each blob is sealed to its own bytes, and to the same at each attempt`() throws {
    let world = try SyncWorld()
    let keys = try require(SyncKeys(try world.store("a")))
    let one = BlobName(digest: [UInt8](repeating: 1, count: 32))
    let two = BlobName(digest: [UInt8](repeating: 2, count: 32))
    let first = keys.sealingSource(for: one)
    let drawn = try first.bytes(40) + first.bytes(7)
    let again = keys.sealingSource(for: one)
    try expect(drawn, is: again.bytes(40) + again.bytes(7))
    expect(try drawn != keys.sealingSource(for: two).bytes(47))
    expect(drawn.prefix(7) != drawn.suffix(7))
  }
}
