import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Whatever becomes of the index's files, the answers are the same.
@Suite struct IndexDamageTests {
  typealias Settled = IndexFreshnessTests.Settled

  /// A settled store whose log has something in it, noted by writers and by readers.
  private func world() throws -> Settled {
    let world = try Settled()
    try world.harness.write(world.ids[3], world.record(3, "noted"))
    try world.harness.write(world.ids[4], world.record(4, "found"), noted: false)
    try world.harness.remove(world.ids[5])
    world.later(100)
    world.open()
    world.later(100)
    return world
  }

  /// Opens a copy of the store where one of the index's files has these bytes.
  private func expectSame(
    _ world: Settled, _ truth: IndexScanResult, _ name: String, _ bytes: [UInt8], _ what: String
  ) throws {
    let disk = world.disk.copy()
    let harness = IndexHarness(world.harness, on: disk)
    try disk.setBytes(harness.cache.appending(name).text, bytes)
    var index = harness.open(now: world.now)
    index.expectSame(as: truth, "\(name): \(what)")
    // What it wrote is as good.
    var again = harness.open(now: world.now + 100)
    expect(again.all(), is: truth, "\(name): \(what), again")
    expect(again.stamp(), is: index.stamp())
  }

  private static let name = "capsules.index"

  @Test func `an index cut short at any offset changes no answer`() throws {
    let name = Self.name
    let world = try world()
    let truth = world.harness.scan()
    let bytes = try require(world.disk.bytes(world.harness.cache.appending(name).text))
    let step = TestScale.isFull ? 1 : max(1, bytes.count / 15)
    for count in stride(from: 0, to: bytes.count, by: step) {
      try expectSame(world, truth, name, Array(bytes.prefix(count)), "\(count) bytes")
    }
  }

  @Test(arguments: [0x01, 0x80, 0xff] as [UInt8])
  func `a changed byte anywhere in the index changes no answer`(mask: UInt8) throws {
    let name = Self.name
    let world = try world()
    let truth = world.harness.scan()
    let bytes = try require(world.disk.bytes(world.harness.cache.appending(name).text))
    // Each mask begins at another byte.
    let step = TestScale.isFull ? 1 : max(1, bytes.count / 11)
    for offset in stride(from: TestScale.isFull ? 0 : Int(mask) % 5, to: bytes.count, by: step) {
      var changed = bytes
      changed[offset] ^= mask
      try expectSame(world, truth, name, changed, "byte \(offset)")
    }
  }

  @Test(arguments: 0..<UInt64(TestScale.count(full: 200, debug: 4)))
  func `garbage in the place of the index, or a part of it, changes no answer`(
    seed: UInt64
  ) throws {
    let name = Self.name
    let world = try world()
    let truth = world.harness.scan()
    var random = SeededGenerator(seed: seed)
    var bytes = try require(world.disk.bytes(world.harness.cache.appending(name).text))
    let start = Int(random.next() % UInt64(bytes.count))
    let end = start + Int(random.next() % UInt64(bytes.count - start))
    for offset in start..<end { bytes[offset] = UInt8(truncatingIfNeeded: random.next()) }
    try expectSame(world, truth, name, bytes, "garbage at \(start)..<\(end)")
    let noise = (start..<end).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    try expectSame(world, truth, name, noise, "only garbage")
    try expectSame(world, truth, name, bytes + noise, "garbage behind")
    // Blocks that are whole, in other places.
    var moved = try require(world.disk.bytes(world.harness.cache.appending(name).text))
    let blocks = moved.count / 4096
    if blocks > 1 {
      let first = Int(random.next() % UInt64(blocks)) * 4096
      let second = Int(random.next() % UInt64(blocks)) * 4096
      for offset in 0..<4096 { moved.swapAt(first + offset, second + offset) }
      try expectSame(world, truth, name, moved, "blocks \(first) and \(second) swapped")
    }
  }

  @Test(arguments: [RecordIndex.Order.ascending, .descending])
  func `a walk that comes upon a damaged block goes on where it was`(
    order: RecordIndex.Order
  ) throws {
    let world = try Settled(600)
    let truth = world.harness.scan().entries
    let file = world.harness.cache.appending(Self.name)
    var bytes = try require(world.disk.bytes(file.text))
    // The middle of the cells, which begin behind the head.
    bytes[IndexBlocks.size * 5 + 100] ^= 1
    try world.disk.setBytes(file.text, bytes)
    var index = world.open()
    let found = index.entries(order, limit: .max)
    expect(found, is: order == .ascending ? truth : truth.reversed())
  }

  @Test func `an index of another version, kind or summary is not used`() throws {
    let world = try world()
    let truth = world.harness.scan()
    world.disk.plan()
    var index = world.harness.open(now: world.now, version: 2)
    index.expectSame(as: truth)
    expect(world.disk.calls.contains { $0.operation == .open && $0.path.text.contains(".json") })
    var same = world.harness.open(now: world.now, version: 2)
    same.expectSame(as: truth)
  }

  @Test func `the log is folded when it has grown, and the answers stay`() throws {
    let world = try world()
    let text = String(repeating: "y", count: 1000)
    var largest = 0
    for number in 0..<400 {
      let id = RecordID(high: UInt64(number % 5) << 56, low: UInt64(number % 30))
      try world.harness.write(id, world.record(number, text))
      if number % TestScale.count(full: 10, debug: 40) == 0 {
        world.later(5)
        var index = world.open()
        index.expectSame(as: world.harness.scan())
      }
      let file = world.harness.cache.appending(Self.name)
      let base = try IndexBase(file, setup: world.harness.setup())
      largest = max(largest, base.log()?.count ?? 0)
    }
    expect(largest > 40_000)
    // It is folded from 64 KiB on when it is read, after 40 writes of 1.2 kB at the most.
    expect(largest < (64 << 10) + 40 * 1250)
    expect(world.disk.files(under: "/cache").count, is: 1)
  }

  @Test func `an index that cannot be kept is none the worse`() throws {
    let world = try world()
    let truth = world.harness.scan()
    var without = RecordIndex.open(
      world.harness.setup(cached: false), now: Instant(seconds: world.now))
    without.expectSame(as: truth)
    world.disk.withDisk { $0.isReadOnly = true }
    for pause in [0, 100] as [Int64] {
      world.later(pause)
      var index = world.open()
      index.expectSame(as: truth)
    }
    world.disk.withDisk { $0.isReadOnly = false }
    try world.disk.unlink(world.harness.cache.appending(Self.name))
    world.disk.withDisk { $0.isReadOnly = true }
    var index = world.open()
    index.expectSame(as: truth)
    RecordIndex.append([.remove(world.ids[0])], to: world.harness.setup())
  }

  @Test func `temporary files that a killed program left are swept after an hour`() throws {
    let world = try world()
    let cache = world.harness.cache
    try world.disk.setBytes(cache.appending("capsules.index.tmp-12").text, [1])
    try world.disk.setBytes(cache.appending("other").text, [1])
    for (pause, count) in [(60, 3), (7200, 2)] as [(Int64, Int)] {
      world.later(pause)
      try world.disk.unlink(cache.appending(Self.name))
      world.open()
      expect(world.disk.files(under: "/cache").count, is: count)
    }
  }

  @Test func `what an earlier version kept is taken away`() throws {
    let world = try world()
    let cache = world.harness.cache
    for name in ["capsules.base", "capsules.log", "capsules.texts.log"] {
      try world.disk.setBytes(cache.appending(name).text, [1])
    }
    try world.disk.unlink(cache.appending(Self.name))
    world.open()
    expect(world.disk.files(under: "/cache").count, is: 1)
  }
}
