import CapsuleCore
import TestSupport
import Testing

@testable import CoreTestHelpers

/// The index against reading everything, after whatever may happen to a store's directories.
@Suite struct IndexConformanceTests {
  /// A store that random things happen to.
  private struct World {
    var harness: IndexHarness
    var disk: SimulatedFileSystem?
    var random: SeededGenerator
    /// Times are whole seconds, and many changes have the same.
    var isCoarse: Bool
    var serial = 0

    mutating func below(_ limit: Int) -> Int {
      Int(random.next() % UInt64(limit))
    }

    mutating func newID() -> RecordID {
      // Few shards, so that several records meet in one.
      let shard: [UInt64] = [0x00, 0x3f, 0x40, 0xfe, 0xff]
      return RecordID(high: shard[below(5)] << 56 | random.next() >> 8, low: random.next())
    }

    mutating func bytes() -> [UInt8] {
      serial += 1
      let keys: [Int64] = [Int64(below(60)), .max, .min, Int64(below(1 << 40))]
      let text = String(repeating: "ü", count: below(20) == 0 ? 9000 : below(30))
      if below(12) == 0 { return Array("broken \(serial)".utf8) }
      return IndexHarness.bytes(
        keys[below(4)], keys[below(4)], UInt64(below(8)), "\(serial) \(text)")
    }

    var existing: [RecordID] {
      harness.scan().entries.map(\.id).sorted()
    }

    mutating func anyID() -> RecordID? {
      let ids = existing
      return ids.isEmpty ? nil : ids[below(ids.count)]
    }

    mutating func now() -> Int64 {
      if let disk { return disk.withDisk { $0.clock.seconds } }
      // On the machine's disk: now and then so late that everything is settled. What comes next
      // must not happen in the same moment, as the file system tells moments apart.
      let time = (try? harness.files.status(harness.folder).changed.seconds) ?? 0
      return time + Int64(below(2) * 1000)
    }

    mutating func advance() {
      let seconds = [0, 0, 1, 2, 3, 4, 3600][below(7)]
      let back = !isCoarse && below(15) == 0 ? Int64(below(7200)) : 0
      let isCoarse = isCoarse
      let noise = Int64(below(1_000_000_000))
      disk?.withDisk { disk in
        disk.clock.seconds += Int64(seconds) - back
        if !isCoarse {
          disk.clock = FileTime(seconds: disk.clock.seconds, nanoseconds: noise)
        }
      }
    }

    mutating func step() throws {
      switch below(20) {
      case 0...4: try harness.write(newID(), bytes(), noted: below(4) != 0)
      case 5...6:
        if let id = anyID() { try harness.write(id, bytes(), noted: below(4) != 0) }
      case 7:
        if let id = anyID() { try harness.remove(id, noted: below(2) == 0) }
      case 8...9: try bringFile()
      case 10: try editInPlace()
      case 11: try stray()
      case 12: try replaceShard()
      case 13: try odd()
      case 14: try damageIndex()
      default: advance()
      }
    }

    /// A synchroniser brings a record, with the time that it has elsewhere.
    private mutating func bringFile() throws {
      let id = below(2) == 0 ? anyID() ?? newID() : newID()
      let shard = harness.shard(id.shard)
      if try harness.files.statusIfPresent(shard) == nil {
        try harness.files.createDirectory(shard, mode: 0o700)
      }
      let temporary = shard.appending(".syncthing.tmp")
      let time = FileTime(seconds: 1_000_000 + Int64(below(3)), nanoseconds: 5)
      try harness.put(temporary, bytes(), modified: time)
      if try harness.files.statusIfPresent(harness.path(id))?.kind == .directory {
        try harness.files.unlink(temporary)
      } else {
        try harness.files.rename(temporary, to: harness.path(id))
      }
    }

    /// An editor that writes in place, and leaves a trace in the directory.
    private mutating func editInPlace() throws {
      guard let id = anyID(),
        try harness.files.status(harness.path(id)).kind == .regular
      else { return }
      let file = try harness.files.open(harness.path(id), .readWriteCreate(mode: 0o600))
      try harness.files.truncate(file, to: 0)
      try harness.files.writeAll(file, bytes())
      try harness.files.close(file)
      let swap = harness.shard(id.shard).appending(".swap")
      try harness.put(swap, [])
      try harness.files.unlink(swap)
    }

    private mutating func stray() throws {
      let shard = harness.shard(newID().shard)
      guard try harness.files.statusIfPresent(shard) != nil else { return }
      let names = ["a.sync-conflict-1.json", ".hidden", "3f2a9c1e (conflicted copy).json", "x"]
      let name = names[below(names.count)]
      let path = below(8) == 0 ? harness.folder.appending(name) : shard.appending(name)
      if try harness.files.statusIfPresent(path) == nil {
        try harness.put(path, bytes())
      } else {
        try harness.files.unlink(path)
      }
    }

    /// A directory is put in the place of a shard, or a shard goes away.
    private mutating func replaceShard() throws {
      guard let id = anyID() else { return }
      let old = harness.store.appending("old-\(serial)")
      serial += 1
      try harness.files.rename(harness.shard(id.shard), to: old)
      switch below(3) {
      case 0: return
      case 1: try harness.files.createDirectory(harness.shard(id.shard), mode: 0o700)
      default:
        try harness.files.rename(old, to: harness.shard(id.shard))
      }
    }

    /// Something that is no file in a record's place, or a record in another's shard.
    private mutating func odd() throws {
      let id = newID()
      let shard = harness.shard(id.shard)
      guard try harness.files.statusIfPresent(shard) != nil else { return }
      if below(2) == 0 {
        let other = RecordID(high: id.high ^ 1 << 56, low: id.low)
        try harness.put(shard.appending(bytes: other.fileName), bytes())
      } else {
        try harness.files.createDirectory(harness.path(id), mode: 0o700)
        try harness.files.removeDirectory(harness.path(id))
        disk.map { try? $0.makeFIFO(harness.path(id).text) }
      }
    }

    private mutating func damageIndex() throws {
      let path = harness.cache.appending("capsules.index")
      guard let bytes = try? harness.files.readFile(path, limit: 1 << 24), !bytes.isEmpty
      else { return }
      var changed = bytes
      switch below(4) {
      case 0: try harness.files.unlink(path)
      case 1: try harness.put(path, Array(bytes.prefix(below(bytes.count))))
      case 2: try harness.put(path, bytes + bytes.suffix(below(5000)))
      default:
        changed[below(bytes.count)] ^= 1 << UInt8(below(8))
        try harness.put(path, changed)
      }
    }
  }

  /// Longer than what file systems here take for one moment.
  private func pause() {
    let end = ContinuousClock.now + .milliseconds(12)
    while ContinuousClock.now < end {}
  }

  private static let steps = TestScale.count(full: 300, debug: 120)

  private func run(_ world: inout World, _ seed: UInt64) throws {
    var last: (truth: IndexScanResult, stamp: UInt64)?
    for step in 0..<Self.steps {
      try world.step()
      guard world.below(3) == 0 else { continue }
      let truth = world.harness.scan()
      let now = world.now()
      var index = world.harness.open(now: now, threads: 1 + world.below(2))
      if world.disk == nil { pause() }
      index.expectSame(as: truth, "seed \(seed), step \(step)")
      expect(index.failures.isEmpty)
      let stamp = index.stamp()
      if let last, last.truth != truth {
        expect(last.stamp != stamp, "seed \(seed), step \(step)")
      }
      last = (truth, stamp)
      if world.below(4) == 0 {
        // At the same time: what settles later is noted anew, which may give another stamp.
        var again = world.harness.open(now: now)
        again.expectSame(as: truth, "seed \(seed), step \(step), again")
        expect(again.stamp(), is: index.stamp())
      }
    }
  }

  @Test(arguments: [false, true], 0..<UInt64(TestScale.count(full: 60, debug: 1)))
  func `the index gives what reading everything gives, whatever happened, in memory`(
    isCoarse: Bool, seed: UInt64
  ) throws {
    let disk = SimulatedFileSystem()
    disk.withDisk { $0.tick = isCoarse ? 0 : 1_000_001 }
    var world = World(
      harness: try IndexHarness(disk, at: FilePath("/")), disk: disk,
      random: SeededGenerator(seed: seed), isCoarse: isCoarse)
    try run(&world, seed)
    expect(disk.openCount, is: 0)
  }

  @Test(arguments: 0..<UInt64(TestScale.count(full: 20, debug: 1)))
  func `the index gives what reading everything gives, whatever happened, on the disk`(
    seed: UInt64
  ) throws {
    let here = try TestDirectory(.posix)
    var world = World(
      harness: try IndexHarness(here.files, at: here.path), disk: nil,
      random: SeededGenerator(seed: seed), isCoarse: false)
    try run(&world, seed)
  }

  /// How ids may lie: one is looked for where a random one would be.
  private static let crowds: [String: @Sendable (UInt64) -> RecordID] = [
    "one behind the other": { RecordID(high: 0x7f00_0000_0000_0000, low: $0) },
    "first bytes alike": { RecordID(high: 0x7f00_0000_0000_0000 | $0, low: .max) },
    "two ends": { RecordID(high: $0 / 2 % 2 == 0 ? 0 : .max, low: $0) },
    "ever closer": { RecordID(high: .max >> min($0 / 8, 63), low: $0) },
    "evenly": { RecordID(high: $0 << 54, low: 0) },
  ]

  @Test(arguments: crowds.keys.sorted())
  func `an id is found wherever the others lie`(crowd: String) throws {
    let disk = SimulatedFileSystem()
    let harness = try IndexHarness(disk, at: FilePath("/"))
    let id = try require(Self.crowds[crowd])
    // Every other one is a record; some more than eight blocks of the table of ids.
    let count: UInt64 = 500
    for number in stride(from: 0, to: 2 * count, by: 2) {
      try harness.write(id(number), IndexHarness.bytes(Int64(number), .max, 0, ""), noted: false)
    }
    var index = harness.open(now: 1 << 40)
    index = harness.open(now: 1 << 40)
    for number in 0..<2 * count {
      let found = index.entry(id(number))
      expect(found?.sortKey == (number % 2 == 0 ? Int64(number) : nil), "\(number)")
    }
    expect(index.count(), is: Int(count))
  }
}
