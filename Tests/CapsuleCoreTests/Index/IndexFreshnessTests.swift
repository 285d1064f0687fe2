import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// When the index notices what others did, and what it looks at to notice it.
@Suite struct IndexFreshnessTests {
  /// A settled store: its records, and an index that was made long after them.
  struct Settled {
    let disk: SimulatedFileSystem
    let harness: IndexHarness
    var ids: [RecordID] = []

    init(_ count: Int = 12, tick: Int64 = 1_000_001, few: Int = 0) throws {
      disk = SimulatedFileSystem()
      disk.withDisk { $0.tick = tick }
      var harness = try IndexHarness(disk, at: FilePath("/"))
      harness.fewRecords = few
      self.harness = harness
      for number in 0..<count {
        let id = RecordID(high: UInt64(number % 3) << 56 | 7, low: UInt64(number))
        ids.append(id)
        try harness.write(id, record(number))
      }
      try harness.put(harness.shard(1).appending("a (conflicted copy).json"), [1])
      try harness.write(RecordID(high: 7, low: 1000), Array("broken".utf8))
      later(100)
      _ = open()
      later(100)
    }

    func record(_ number: Int, _ text: String = "text") -> [UInt8] {
      IndexHarness.bytes(Int64(number * 10), Int64(number * 100), UInt64(number), text)
    }

    func later(_ seconds: Int64) {
      disk.withDisk { $0.clock.seconds += seconds }
    }

    var now: Int64 { disk.withDisk { $0.clock.seconds } }

    /// Sets the clock to a time as only a file system with fine times keeps it.
    func beFine() {
      disk.withDisk { $0.clock = FileTime(seconds: $0.clock.seconds, nanoseconds: 123_456_789) }
    }

    @discardableResult
    func open() -> RecordIndex {
      harness.open(now: now)
    }
  }

  private func isOfDirectories(_ call: SimulatedCall) -> Bool {
    call.operation == .status && !call.path.text.contains(".json") && !isOfCache(call)
  }

  private func isOfCache(_ call: SimulatedCall) -> Bool {
    call.path.text.contains("/cache/")
  }

  @Test
  func `with nothing changed, only directories, records with a problem and the cache are touched`()
    throws
  {
    let world = try Settled()
    world.disk.plan()
    var index = world.open()
    expect(index.entries(dueAfter: 5000, through: 6000).isEmpty)
    let calls = world.disk.calls
    let rest = calls.filter { !isOfDirectories($0) && !isOfCache($0) }
    // The kind's folder, and the record with a problem.
    expect(rest.map(\.operation), is: [.listDirectory, .status])
    expect(rest.first?.path, is: world.harness.setup().folder)
    expect(calls.filter(isOfDirectories).count, is: 4)
    expect(calls.filter { $0.operation == .read }.count <= 6)
    expect(!calls.contains { [.write, .rename, .unlink, .synchronize].contains($0.operation) })
  }

  @Test func `only the record that changed is read again`() throws {
    let world = try Settled()
    try world.harness.write(world.ids[4], world.record(4, "new"), noted: false)
    world.later(10)
    world.disk.plan()
    var index = world.open()
    index.expectSame(as: world.harness.scan())
    let opened = world.disk.calls.filter { $0.operation == .open && !isOfCache($0) }
    expect(opened.map { $0.path }.first, is: world.harness.path(world.ids[4]))
  }

  @Test func `a record that was noted when it was written is not read again`() throws {
    let world = try Settled()
    try world.harness.write(world.ids[4], world.record(4, "new"))
    try world.harness.remove(world.ids[5])
    world.later(10)
    world.disk.plan()
    _ = world.open()
    expect(!world.disk.calls.contains { $0.operation == .open && !isOfCache($0) })
    var index = world.open()
    index.expectSame(as: world.harness.scan())
  }

  @Test func `noting a change costs the same calls whatever the index holds`() throws {
    let counts = try [5, 100].map { count in
      let world = try Settled(count)
      world.disk.plan()
      RecordIndex.append([.remove(world.ids[0])], to: world.harness.setup())
      return world.disk.calls.map(\.operation)
    }
    expect(counts[0], is: counts[1])
    expect(counts[0].filter { $0 == .write }.count, is: 1)
    expect(!counts[0].contains(.synchronize))
  }

  @Test(arguments: [0, 1_000_001], [0, 1, 10, 100] as [Int64])
  func `a file that a synchroniser brought just before a writer's change is not hidden`(
    tick: Int64, pause: Int64
  ) throws {
    let world = try Settled(tick: tick)
    let brought = RecordID(high: 9, low: 9)
    let old = FileTime(seconds: 1_000_000)
    try world.harness.put(world.harness.path(brought), world.record(77), modified: old)
    try world.harness.write(world.ids[0], world.record(50))
    world.later(pause)
    for _ in 0..<2 {
      var index = world.open()
      expect(index.entry(brought)?.sortKey, is: 770)
      index.expectSame(as: world.harness.scan())
    }
  }

  @Test(arguments: [0, 1, 2] as [Int64])
  func `what changes in the very moment in which the index was written is seen`(
    pause: Int64
  ) throws {
    let world = try Settled(tick: 0)
    try world.harness.write(world.ids[0], world.record(50), noted: false)
    world.later(pause)
    world.open()
    // Nothing tells this state of the directory from the one before but its names.
    world.later(-pause)
    let brought = RecordID(high: 9, low: 9)
    try world.harness.put(world.harness.path(brought), world.record(77))
    world.later(1000)
    var index = world.open()
    expect(index.entry(brought) != nil)
    index.expectSame(as: world.harness.scan())
  }

  /// The files of records that an opening looked at, besides the one with a problem.
  private func filesLookedAt(in world: Settled) -> Int {
    world.disk.plan()
    var index = world.open()
    let calls = world.disk.calls.filter { $0.path.text.contains(".json") && !isOfCache($0) }
    index.expectSame(as: world.harness.scan())
    return Set(calls.map(\.path)).subtracting([world.harness.path(RecordID(high: 7, low: 1000))])
      .count
  }

  @Test(arguments: [0, 1, 5, 100] as [Int64])
  func `after a writer's change the names of its directory are enough where there are many records`(
    pause: Int64
  ) throws {
    for (few, tick, isQuick) in [
      (0, 1_000_001, true), (0, 0, false), (1000, 1_000_001, false),
    ] as [(Int, Int64, Bool)] {
      let world = try Settled(60, tick: tick, few: few)
      try world.harness.write(world.ids[3], world.record(3, "changed"))
      for time in 1...2 {
        world.later(pause)
        // All of the directory, or none.
        let files = filesLookedAt(in: world)
        expect(files == (isQuick || time == 2 && pause > 1 ? 0 : 20), "few \(few), tick \(tick)")
      }
    }
  }

  /// What others do to a directory in the moment of a writer's change, or of an opening.
  enum Arrival: CaseIterable, Sendable {
    case new, gone, replaced, stray, directoryInPlace, renamed

    func run(_ world: Settled) throws {
      let (files, harness) = (world.disk, world.harness)
      let (one, other) = (harness.path(world.ids[6]), harness.path(world.ids[9]))
      switch self {
      case .new: try harness.put(harness.path(RecordID(high: 9, low: 9)), world.record(77))
      case .gone: try files.unlink(one)
      case .replaced:
        let temporary = harness.shard(0).appending(".new")
        try harness.put(temporary, world.record(6, "TEXT"))
        try files.rename(temporary, to: one)
      case .stray: try harness.put(harness.shard(0).appending("note (copy).json"), [1])
      case .directoryInPlace:
        try files.unlink(one)
        try files.createDirectory(one, mode: 0o700)
      case .renamed: try files.rename(one, to: other)
      }
    }
  }

  @Test(arguments: Arrival.allCases, [0, 1, 100] as [Int64])
  func `what others change in the moment of a writer's change is seen`(
    arrival: Arrival, pause: Int64
  ) throws {
    for isAfter in [false, true] {
      for tick in [0, 1_000_001] as [Int64] {
        let world = try Settled(tick: tick)
        // A fine time, whether or not it goes on.
        world.beFine()
        let (files, harness) = (world.disk, world.harness)
        let (id, shard) = (world.ids[0], harness.shard(0))
        let before = try files.status(shard)
        if !isAfter { try arrival.run(world) }
        try harness.write(id, world.record(50), noted: false)
        if isAfter { try arrival.run(world) }
        RecordIndex.append(
          [
            .upsert(
              IndexHarness.entry(id, world.record(50)),
              FileStamp(try files.status(harness.path(id)))),
            .directory(0, from: before, to: try files.status(shard)),
          ], to: harness.setup())
        for _ in 0..<3 {
          world.later(pause)
          var index = world.open()
          index.expectSame(as: harness.scan(), "\(arrival), after: \(isAfter), tick \(tick)")
        }
      }
    }
  }

  @Test(arguments: Arrival.allCases, [0, 1] as [Int64])
  func `what others change in the moment of an opening is seen`(
    arrival: Arrival, pause: Int64
  ) throws {
    let world = try Settled(tick: 0)
    world.beFine()
    try world.harness.write(world.ids[0], world.record(50), noted: false)
    let shard = try world.disk.status(world.harness.shard(0))
    world.open()
    try arrival.run(world)
    // No time of the directory tells.
    try expect(world.disk.status(world.harness.shard(0)).changed, is: shard.changed)
    for _ in 0..<3 {
      world.later(pause)
      var index = world.open()
      index.expectSame(as: world.harness.scan())
    }
  }

  @Test func `a directory that changed before a writer's change is looked at whole`() throws {
    let world = try Settled(60)
    // In its place, so that no name tells; the directory changes with the name of another file.
    try overwrite(world.ids[6], world.record(6, "TEXT"), in: world)
    try world.harness.put(world.harness.shard(0).appending("note.json"), [1])
    try world.harness.write(world.ids[0], world.record(50))
    world.later(1)
    var index = world.open()
    index.expectSame(as: world.harness.scan())
  }

  @Test func `a record that is found changed in its place has its directory looked at whole`()
    throws
  {
    let world = try Settled(60)
    try world.harness.write(world.ids[0], world.record(50))
    try overwrite(world.ids[6], world.record(6, "TEXT"), in: world)
    world.later(1)
    var index = RecordIndex.open(
      world.harness.setup(), now: Instant(seconds: world.now), look: .filesInTurn(100))
    index.expectSame(as: world.harness.scan())
  }

  @Test func `a writer's note makes its directory be read again, though no time tells`() throws {
    let world = try Settled(tick: 0)
    try world.harness.write(world.ids[1], world.record(1), noted: false)
    try world.harness.write(world.ids[0], world.record(0), noted: false)
    // To this opening what happens in the very same moment is long past.
    _ = world.harness.open(now: world.now + 1000)
    let brought = RecordID(high: 9, low: 9)
    try world.harness.put(world.harness.path(brought), world.record(77))
    try world.harness.write(world.ids[0], world.record(50))
    world.later(1000)
    var index = world.open()
    index.expectSame(as: world.harness.scan())
  }

  @Test func `a copy that was not finished is read again when it is, though no directory tells`()
    throws
  {
    let world = try Settled()
    let id = RecordID(high: 9, low: 9)
    let whole = world.record(77)
    try world.harness.put(world.harness.path(id), Array(whole.prefix(3)))
    world.later(1000)
    var index = world.open()
    expect(index.entry(id)?.problem, is: IndexHarness.damaged)
    expect(index.problems().count, is: 2)
    world.later(1000)
    let file = try world.disk.open(world.harness.path(id), .append(mode: 0o600))
    try world.disk.writeAll(file, Array(whole.dropFirst(3)))
    try world.disk.close(file)
    world.later(1000)
    var after = world.open()
    expect(after.entry(id)?.problem, is: IndexProblem.none)
    after.expectSame(as: world.harness.scan())
  }

  @Test func `a directory with the same times in the place of another is another`() throws {
    let world = try Settled()
    let shard = world.harness.shard(1)
    let old = try world.disk.status(shard)
    try world.disk.rename(shard, to: FilePath("/store/away"))
    try world.disk.createDirectory(shard, mode: 0o700)
    try world.disk.withDisk { disk in
      let node = try require(try disk.find(shard).node)
      disk[node].modified = old.modified
      disk[node].changed = old.changed
      let folder = try require(try disk.find(world.harness.folder).node)
      disk[folder].changed = FileTime(seconds: 1_700_000_000)
    }
    world.later(10)
    var index = world.open()
    index.expectSame(as: world.harness.scan())
  }

  @Test(arguments: [false, true])
  func `a record that is written over in the moment it was written in is read again`(
    isNoted: Bool
  ) throws {
    let world = try Settled(tick: 0)
    try world.harness.write(world.ids[0], world.record(1), noted: isNoted)
    if !isNoted { world.open() }
    // Of the same size, and at the same time.
    try world.disk.setBytes(world.harness.path(world.ids[0]).text, world.record(2))
    world.later(1000)
    var index = world.open()
    index.expectSame(as: world.harness.scan())
  }

  @Test func `a record that was read while it was written in place is read again`() throws {
    let world = try Settled(tick: 0)
    try world.harness.write(world.ids[0], world.record(1), noted: false)
    world.later(10)
    // The directory does not tell of these two, and the file only of one.
    try world.disk.setBytes(world.harness.path(world.ids[0]).text, world.record(2))
    world.open()
    try world.disk.setBytes(world.harness.path(world.ids[0]).text, world.record(3))
    world.later(1000)
    var index = world.open()
    index.expectSame(as: world.harness.scan())
  }

  @Test func `a new shard that was empty when it was first seen is not forgotten`() throws {
    let world = try Settled()
    // An index that knows of no strays.
    try world.disk.unlink(world.harness.shard(1).appending("a (conflicted copy).json"))
    try world.disk.unlink(world.harness.cache.appending("capsules.index"))
    world.later(100)
    world.open()
    let id = RecordID(high: 0x77 << 56, low: 1)
    try world.disk.createDirectory(world.harness.shard(0x77), mode: 0o700)
    world.later(10)
    let passing = world.harness.shard(0x77).appending(".passing")
    try world.harness.put(passing, [])
    try world.disk.unlink(passing)
    world.open()
    world.later(100)
    try world.harness.put(world.harness.path(id), world.record(5))
    world.later(100)
    var index = world.open()
    expect(index.entry(id) != nil)
  }

  @Test func `a directory whose time was set back after a change is read again`() throws {
    let world = try Settled()
    let shard = world.harness.shard(1)
    let old = try world.disk.status(shard)
    let id = RecordID(high: 1 << 56, low: 77)
    try world.harness.put(world.harness.path(id), world.record(5))
    try world.disk.withDisk { disk in
      let node = try require(try disk.find(shard).node)
      disk[node].modified = old.modified
    }
    world.later(100)
    var index = world.open()
    index.expectSame(as: world.harness.scan())
  }

  @Test func `opening changes nothing in the store`() throws {
    let world = try Settled()
    func statuses() throws -> [FilePath: FileStatus] {
      var found: [FilePath: FileStatus] = [:]
      for path in world.disk.files(under: "/store").keys.map({ FilePath($0) }) {
        found[path] = try world.disk.status(path)
        found[path.parent] = try world.disk.status(path.parent)
      }
      return found
    }
    let before = try statuses()
    try world.disk.unlink(world.harness.cache.appending("capsules.index"))
    world.open()
    world.open()
    try expect(statuses(), is: before)
  }

  @Test func `records of a time to come are looked at again, and no others`() throws {
    let world = try Settled()
    world.later(1_000_000)
    try world.harness.write(world.ids[0], world.record(1), noted: false)
    world.later(-1_000_000)
    for _ in 0..<3 {
      world.disk.plan()
      var index = world.open()
      index.expectSame(as: world.harness.scan())
    }
  }

  @Test func `a kind without a folder has no records, and no files are made for it`() throws {
    let disk = SimulatedFileSystem()
    let harness = try IndexHarness(disk, at: FilePath("/"))
    try disk.removeDirectory(harness.folder)
    var index = harness.open(now: 0)
    expect(index.count(), is: 0)
    expect(index.failures.isEmpty)
    expect(disk.files().isEmpty)
  }

  /// Writes over a record in its place, with as many bytes, and sets its time back.
  private func overwrite(_ id: RecordID, _ bytes: [UInt8], in world: Settled) throws {
    let path = world.harness.path(id)
    let before = try world.disk.status(path)
    let file = try world.disk.open(path, .readWriteCreate(mode: 0o600))
    try world.disk.writeAll(file, bytes)
    try world.disk.setModified(file, before.modified)
    try world.disk.close(file)
    try expect(world.disk.status(path).size, is: before.size)
  }

  @Test(arguments: [IndexLook.filesOfFew(100), .filesInTurn(100)])
  func `a record that was written over in its place is seen where its file is looked at`(
    look: IndexLook
  ) throws {
    let world = try Settled()
    try overwrite(world.ids[5], world.record(5, "TEXT"), in: world)
    world.later(100)
    func summary(_ index: RecordIndex) -> String? {
      var index = index
      return index.entry(world.ids[5]).map { String(decoding: $0.summary, as: UTF8.self) }
    }
    expect(summary(world.open()), is: "text")
    let now = Instant(seconds: world.now)
    expect(summary(.open(world.harness.setup(), now: now, look: look)), is: "TEXT")
    // It was learned for all that open the index later.
    world.later(100)
    expect(summary(world.open()), is: "TEXT")
  }

  /// The number of files that an opening looked at, and whether it saw what was written over.
  private func look(in world: Settled, _ perMinute: Int) -> (files: Int, isSeen: Bool) {
    world.disk.plan()
    var index = RecordIndex.open(
      world.harness.setup(), now: Instant(seconds: world.now), look: .filesInTurn(perMinute))
    let files = world.disk.calls.count {
      $0.operation == .status && $0.path.text.contains(".json")
    }
    return (files, index.entry(world.ids[5])?.summary == ArraySlice("TEXT".utf8))
  }

  @Test(arguments: [nil, [], [1, 2, 3], [UInt8](repeating: 0x7f, count: 40)])
  func `where there are many records, openings look at their files in turn`(turn: [UInt8]?) throws {
    let world = try Settled(60)
    try overwrite(world.ids[5], world.record(5, "TEXT"), in: world)
    if let turn { try world.harness.put(world.harness.cache.appending("capsules.turn"), turn) }
    var isSeen = false
    // Of 61 records, five each time.
    for _ in 0..<13 where !isSeen {
      world.later(60)
      let found = look(in: world, 5)
      isSeen = found.isSeen
      // Besides the one with a problem; then the whole shard.
      expect(found.files <= (isSeen ? 50 : 6))
    }
    expect(isSeen)
  }

  @Test func `the more time has passed, the more files are looked at, within bounds`() throws {
    let world = try Settled(200)
    _ = look(in: world, 8)
    // The seconds, and the files besides the one with a problem.
    for (seconds, files) in [
      (60, 8), (0, 2), (1, 2), (59, 7), (120, 16), (600, 80), (960, 128), (1_000_000, 128),
      (-500, 8),
    ] as [(Int64, Int)] {
      world.later(seconds)
      expect(look(in: world, 8).files, is: files + 1, "\(seconds)")
    }
  }

  @Test func `where no turn can be kept, openings look at files anywhere`() throws {
    let world = try Settled(60)
    try overwrite(world.ids[5], world.record(5, "TEXT"), in: world)
    try world.disk.createDirectory(world.harness.cache.appending("capsules.turn"), mode: 0o700)
    var isSeen = false
    for _ in 0..<200 where !isSeen {
      world.later(100)
      var index = RecordIndex.open(
        world.harness.setup(), now: Instant(seconds: world.now), look: .filesInTurn(5))
      isSeen = index.entry(world.ids[5])?.summary == ArraySlice("TEXT".utf8)
    }
    expect(isSeen)
  }

  @Test func `a round of all rows has each once, wherever it begins`() throws {
    let world = try Settled(20)
    // One stands in the log in place of the base's, one besides.
    let new = RecordID(high: 2 << 56, low: 77)
    try world.harness.write(world.ids[3], world.record(33))
    try world.harness.write(new, world.record(34))
    let content = LoadedIndex(world.harness.setup())
    expect(content.overlay.count, is: 2)
    let places = try require(content.base).count + 2
    let known = Set(world.ids + [new, RecordID(high: 7, low: 1000)])
    for first in 0..<places {
      for count in [0, 1, 5, places - 1, places, places + 7] {
        let ids = try content.rows(from: first, count: count).map(\.id)
        expect(Set(ids).count, is: ids.count)
        // The place of the base's row that the log replaced is empty.
        expect(min(count, places) - ids.count == 0 || min(count, places) - ids.count == 1)
        if count >= places { expect(Set(ids), is: known) }
      }
    }
    expect(try LoadedIndex().rows(from: 0, count: 5).isEmpty)
  }

  @Test func `where there are many records, lists look at none of their files`() throws {
    let world = try Settled(60)
    world.disk.plan()
    _ = RecordIndex.open(
      world.harness.setup(), now: Instant(seconds: world.now), look: .filesOfFew(50))
    expect(
      world.disk.calls.count { $0.operation == .status && $0.path.text.contains(".json") }, is: 1)
  }
}
