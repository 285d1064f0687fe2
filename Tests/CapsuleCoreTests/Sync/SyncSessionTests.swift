import CapsulePlatform
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Machines that synchronise their stores through a directory, on a simulated disk.
struct SyncSessionTests {
  @Test func `a record made on one machine is on the other`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring", blob: [1, 2, 3])
    try expect(world.sync("a").sentRecords.count, is: 1)
    let report = try world.sync("b")
    expect(report.takenRecords.count, is: 1)
    expect(report.takenFiles, is: 1)
    try expect(world.item("b", id)?.name, is: "Ring")
    try expect(world.content("a"), is: world.content("b"))
  }

  @Test func `a second sync sends and takes nothing`() throws {
    var world = try SyncWorld()
    _ = try world.addItem("a", "Ring")
    try world.settle()
    for machine in ["a", "b"] {
      let report = try world.sync(machine)
      expect(report.sentRecords.isEmpty)
      expect(report.takenRecords.isEmpty)
      expect(report.held.isEmpty)
    }
  }

  @Test func `the trash is listed as often for many deletions as for one`() throws {
    /// How often a machine lists its trash while it takes deletions over that it has already.
    func lists(_ count: Int) throws -> Int {
      var world = try SyncWorld()
      let ids = try (0..<count).map { try world.addItem("a", "Item \($0)") }
      try world.settle()
      for id in ids {
        try world.delete("a", id)
        try world.delete("b", id)
      }
      try world.sync("a")
      world.files.plan()
      try world.sync("b")
      return world.files.calls.count {
        $0.operation == .listDirectory && $0.path.text == "/b-store/trash/items"
      }
    }
    let ofOne = try lists(1)
    expect(ofOne > 0)
    try expect(lists(9), is: ofOne)
  }

  @Test func `of two edits of one part the later is shown, and the other is a conflict`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring")
    try world.settle()
    try world.edit("a", id) { $0.notes = "first" }
    try world.edit("b", id) { $0.notes = "second" }
    try world.settle()
    try expect(world.item("a", id)?.notes, is: "second")
    try expect(world.content("a"), is: world.content("b"))
    let now = world.tick()
    let conflicts = try world.store("a").sync.hold(now: now) { work throws(Fault) in
      try work.conflicts()
    }
    expect(conflicts.map(\.field), is: ["notes"])
    expect(conflicts.first?.others.map(\.value), is: [.string("first")])
    expect(conflicts.first?.shown.device.host, is: "b")
    expect(conflicts.first?.others.map(\.device.isOwn), is: [true])
  }

  @Test func `edits of different parts are both there`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring")
    try world.settle()
    try world.edit("a", id) { $0.notes = "mine" }
    try world.edit("b", id) { $0.location = "safe" }
    try world.settle()
    for machine in ["a", "b"] {
      try expect(world.item(machine, id)?.notes, is: "mine")
      try expect(world.item(machine, id)?.location, is: "safe")
    }
  }

  @Test func `the value that is taken instead is shown everywhere, and no conflict is left`() throws
  {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring")
    try world.settle()
    try world.edit("a", id) { $0.notes = "first" }
    try world.edit("b", id) { $0.notes = "second" }
    try world.settle()
    let now = world.tick()
    let (resolved, hold, _) = try world.store("b").sync.hold(now: now) { work throws(Fault) in
      try work.resolve(
        .record(RecordReference(.item, id)), field: CellKey("notes"), choice: 1)
    }
    expect(resolved.count, is: 1)
    expect(hold == nil)
    try world.settle()
    for machine in ["a", "b"] {
      try expect(world.item(machine, id)?.notes, is: "first")
      let now = world.tick()
      expect(
        try world.store(machine).sync.hold(now: now) { work throws(Fault) in
          try work.conflicts()
        }
        .isEmpty)
    }
  }

  @Test func `a deletion goes to the other machine's trash`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring")
    try world.settle()
    try world.delete("b", id)
    try world.settle()
    expect(try world.item("a", id) == nil)
    try expect(world.trash("a"), is: [id])
  }

  @Test func `an edit that a deletion had not seen brings the record back`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring")
    try world.settle()
    try world.delete("b", id)
    try world.edit("a", id) { $0.notes = "kept" }
    try world.settle()
    for machine in ["a", "b"] {
      try expect(world.item(machine, id)?.notes, is: "kept")
      expect(try world.trash(machine).isEmpty)
    }
  }

  @Test func `what is purged here stays in the other's trash and does not come back`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring")
    try world.settle()
    try world.delete("a", id)
    try world.settle()
    let now = world.tick()
    let store = try world.store("a")
    _ = try store.trash.purge(try store.trash.records(.item), now: now)
    try world.settle()
    expect(try world.trash("a").isEmpty)
    try expect(world.trash("b"), is: [id])
  }

  @Test func `a file that is lost comes back`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring")
    try world.settle()
    try world.files.unlink(try world.store("a").layout.record(.item, id))
    try world.sync("a")
    try expect(world.item("a", id)?.name, is: "Ring")
    try world.settle()
    try expect(world.item("b", id)?.name, is: "Ring")
  }

  @Test func `an earlier file that is put back removes nothing`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring")
    try world.settle()
    let path = try world.store("a").layout.record(.item, id)
    let old = try require(world.files.bytes(path.text))
    try world.edit("b", id) { $0.tags = ["gold"] }
    try world.settle()
    try world.files.setBytes(path.text, old)
    try world.settle()
    for machine in ["a", "b"] { try expect(world.item(machine, id)?.tags, is: ["gold"]) }
  }

  @Test func `a machine that lost its state changes nothing by it`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring")
    try world.settle()
    let before = try world.content("a")
    world.files.removeTree(FilePath("/a-state"))
    try world.settle()
    try expect(world.content("a"), is: before)
    try expect(world.content("b"), is: before)
    try world.edit("a", id) { $0.notes = "on" }
    try world.settle()
    try expect(world.item("b", id)?.notes, is: "on")
  }

  @Test func `a file that is not in the carrier yet holds its record back until it is`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring", blob: [1, 2, 3])
    let other = try world.addItem("a", "Clock")
    try world.sync("a")
    let blob = try require(
      world.files.files().keys.first { $0.hasPrefix("/c/blobs/") })
    let bytes = try require(world.files.bytes(blob))
    try world.files.unlink(FilePath(blob))
    let report = try world.sync("b")
    expect(report.held, is: [.record(RecordReference(.item, id)): .missingFile])
    try expect(world.item("b", other)?.name, is: "Clock")
    expect(try world.item("b", id) == nil)
    try world.files.writeTemporary(FilePath(blob), bytes, mode: 0o600)
    expect(try world.sync("b").held.isEmpty)
    try expect(world.item("b", id)?.name, is: "Ring")
  }

  @Test(arguments: [0, 1, 100, -1])
  func `a segment that was cut is named, and taken in when it is whole`(_ length: Int) throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring")
    try world.sync("a")
    let path = try require(world.segments().first)
    let bytes = try require(world.files.bytes(path))
    try world.files.setBytes(path, Array(length < 0 ? bytes.dropLast() : bytes.prefix(length)))
    try expect(world.sync("b").damaged.map(\.path), is: [String(path.dropFirst(3))])
    expect(try world.item("b", id) == nil)
    try world.files.setBytes(path, bytes)
    expect(try world.sync("b").damaged.isEmpty)
    try expect(world.item("b", id)?.name, is: "Ring")
  }

  @Test func `a segment under another actor's name is refused`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring")
    try world.sync("a")
    let path = try require(world.segments().first)
    let name = try require(path.split(separator: "/").last)
    let folder = FilePath("/c/heads/\(String(repeating: "7", count: 32))")
    try world.files.createDirectories(folder)
    try world.files.rename(FilePath(path), to: folder.appending(String(name)))
    try expect(world.sync("b").damaged.count, is: 1)
    expect(try world.item("b", id) == nil)
  }

  @Test func `a carrier of another store is refused`() throws {
    var world = try SyncWorld()
    var other = try SyncWorld()
    _ = try other.addItem("a", "Ring")
    let header = try require(other.files.bytes("/c/carrier.json"))
    let text = String(decoding: header, as: UTF8.self)
    let changed = text.split(separator: "\"store\": \"", maxSplits: 1).joined(
      separator: "\"store\": \"0")
    try world.files.setBytes("/c/carrier.json", Array(changed.utf8))
    expect {
      try world.sync("a")
    } throws: { error in
      error as? Fault == .remoteOfOtherStore
    }
  }

  @Test func `an unlock time moves to the latest, and what was added anywhere is in the capsule`()
    throws
  {
    var world = try SyncWorld()
    let now = world.tick()
    let store = try world.store("a")
    try store.insert(StoreScenario.capsule(0x20))
    let id = StoreScenario.id(0x20)
    try world.settle()
    for (number, machine) in [(1, "a"), (2, "b")] {
      let store = try world.store(machine)
      var record = try store.read(Capsule.self, id)
      record.model.unlockAt = Instant(seconds: 1_900_000_000 + Int64(number))
      let blob = try StoreScenario.stage(store, [UInt8(number)])
      record.model.contents.append(StoreScenario.content(UInt8(number), blob))
      _ = try store.update(record, now: now, blobs: [blob])
    }
    try world.settle()
    for machine in ["a", "b"] {
      let capsule = try world.store(machine).readIntact(Capsule.self, id).model
      expect(capsule.unlockAt, is: Instant(seconds: 1_900_000_002))
      expect(capsule.contents.count, is: 2)
    }
    try expect(world.content("a"), is: world.content("b"))
  }

  @Test func `settings of both machines are there`() throws {
    var world = try SyncWorld()
    try world.store("a").settings.change { $0.set(.owner, to: .string("Ada")) }
    try world.store("b").settings.change { $0.set(.leapDay, to: .string("mar1")) }
    try world.settle()
    for machine in ["a", "b"] {
      let settings = try world.store(machine).settings.intact()
      expect(settings.owner, is: "Ada")
      expect(settings.leapDayRule, is: .march1)
    }
  }

  @Test func `settings that come alone are in this machine's copy too`() throws {
    var world = try SyncWorld()
    _ = try world.addItem("b", "Ring")
    try world.settle()
    try world.store("a").settings.change { $0.set(.owner, to: .string("Ada")) }
    try world.sync("a")
    try world.sync("b")
    let store = try world.store("b")
    try expect(store.settings.intact().owner, is: "Ada")
    expect(store.copies.isCurrent)
  }

  /// One that a power cut brought back would be finished once more: what it made would come back, too.
  @Test func `a batch is gone from the disk before anything else is written`() throws {
    var world = try SyncWorld()
    _ = try world.addItem("a", "Ring")
    try world.sync("a")
    world.files.plan()
    try world.sync("b")
    let calls = world.files.calls
    let batch = try require(
      calls.firstIndex { $0.operation == .unlink && $0.path.text.hasSuffix("/batch") })
    let next = try require(
      calls[(batch + 1)...].first { ![.open, .close, .read, .status].contains($0.operation) })
    expect(next.operation, is: .synchronize)
    expect(next.path, is: calls[batch].path.parent)
  }

  @Test func `a deletion of what a bequest elsewhere names is undone`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring")
    let now = world.tick()
    let store = try world.store("a")
    var person = Beneficiary.blank
    person.header = try store.newHeader(now: now)
    person.name = "Ben"
    person = try store.insert(person)
    try world.settle()
    let other = try world.store("b")
    try other.insert(
      Bequest(
        header: try other.newHeader(now: now), subject: RecordReference(.item, id),
        beneficiary: person.header.id))
    try world.delete("a", id)
    try world.settle()
    for machine in ["a", "b"] { try expect(world.item(machine, id)?.name, is: "Ring") }
  }

  @Test func `whenever a sync is killed, all of it is there after the next`() throws {
    var base = try SyncWorld()
    let ring = try base.addItem("a", "Ring", blob: [1, 2, 3])
    let clock = try base.addItem("a", "Clock")
    try base.settle()
    try base.edit("a", ring) { $0.notes = "mine" }
    try base.edit("b", ring) { $0.location = "safe" }
    try base.delete("b", clock)
    let box = try base.addItem("b", "Box", blob: [4, 5])
    try base.sync("b")
    _ = try base.addItem("a", "Pen", blob: [6])
    let start = base.files.copy()
    base.files.plan()
    try base.sync("a")
    let count = base.files.calls.count
    // The end of a deletion, which must not be made twice.
    let unlink = try require(
      base.files.calls.first {
        $0.operation == .unlink && $0.path.text.hasPrefix("/a-store/items/")
      }?.number)
    try base.settle()
    let wanted = try base.content("a")
    let stride = TestScale.count(full: 1, debug: 37)
    let points = Set(Swift.stride(from: 1, through: count, by: stride)).union([unlink])
    for call in points.sorted() {
      var world = base
      world.files = start.copy()
      world.files.plan([.at(call, .crash)])
      // Its last calls only tidy up, and fail in silence.
      _ = try? world.sync("a")
      world.files = world.files.afterKill()
      try world.settle()
      try expect(world.content("a"), is: wanted, "killed at \(call)")
      try expect(world.content("b"), is: wanted, "killed at \(call)")
      try expect(world.item("b", box)?.name, is: "Box")
      try expect(world.trash("a"), is: [clock])
    }
  }

  @Test func `whenever a sync is killed, the journal has what it wrote before anybody verifies`()
    throws
  {
    var base = try SyncWorld()
    var records: [RecordID] = []
    for name in ["Ring", "Clock", "Box"] { records.append(try base.addItem("a", name)) }
    try base.sync("a")
    let start = base.files.copy()
    base.files.plan()
    try base.sync("b")
    let count = base.files.calls.count
    let stride = TestScale.count(full: 1, debug: 11)
    for call in Swift.stride(from: 1, through: count, by: stride) {
      var world = base
      world.files = start.copy()
      world.files.plan([.at(call, .crash)])
      _ = try? world.sync("b")
      world.files = world.files.afterKill()
      try world.sync("b")
      let store = try world.store("b")
      let known = store.journal.roster().known()
      for record in records {
        let bytes = try require(world.files.bytes(store.layout.record(.item, record).text))
        let digest = JournalRoster.beginning(of: SHA256.hash(bytes))
        expect(known[record]?.digests.contains(digest), is: true, "killed at \(call)")
      }
    }
  }

  /// The state of machine `a` with one byte changed, behind so many of its lines.
  private func damageState(_ world: SyncWorld, line: Int) throws {
    let path = try require(
      world.files.files().keys.first { $0.hasPrefix("/a-state/") && $0.hasSuffix("/state") })
    var bytes = try require(world.files.bytes(path))
    let ends = bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }
    let place = line == 0 ? 20 : ends[line - 1] + 20
    bytes[place] ^= 1
    try world.files.setBytes(path, bytes)
  }

  @Test(arguments: [0, 1])
  func `a state that is damaged is put aside, and nothing is changed by it`(_ line: Int) throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring")
    try world.settle()
    let before = try world.content("a")
    try damageState(world, line: line)
    let now = world.tick()
    expect(try world.store("a").sync.hold(now: now) { work throws(Fault) in work.hasSetAside })
    try world.settle()
    try expect(world.content("a"), is: before)
    try world.edit("a", id) { $0.notes = "on" }
    try world.settle()
    try expect(world.item("b", id)?.notes, is: "on")
  }

  @Test func `the end of a state that was interrupted is no damage`() throws {
    var world = try SyncWorld()
    _ = try world.addItem("a", "Ring")
    try world.settle()
    let path = try require(
      world.files.files().keys.first { $0.hasPrefix("/a-state/") && $0.hasSuffix("/state") })
    let bytes = try require(world.files.bytes(path))
    try world.files.setBytes(path, bytes + Array("0123456789abcdef R items/7".utf8))
    try expect(world.store("a").care.verify(now: world.tick()).problems, is: [])
    let now = world.tick()
    expect(try !world.store("a").sync.hold(now: now) { work throws(Fault) in work.hasSetAside })
  }

  @Test(arguments: ["state", "batch", "written"])
  func `a verification names what is damaged of a state, and a repair puts it aside`(
    _ name: String
  ) throws {
    var world = try SyncWorld()
    _ = try world.addItem("a", "Ring")
    try world.settle()
    let state = try require(
      world.files.files().keys.first { $0.hasPrefix("/a-state/") && $0.hasSuffix("/state") })
    let path = String(state.dropLast(5)) + name
    if name == "state" {
      // In the middle of the last record's state.
      let bytes = try require(world.files.bytes(path))
      let ends = bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }
      var changed = bytes
      changed[(try require(ends.dropLast(2).last)) + 30] ^= 1
      try world.files.setBytes(path, changed)
    } else {
      try world.files.writeTemporary(FilePath(path), [1, 2, 3], mode: 0o600)
    }
    let store = try world.store("a")
    try expect(
      store.care.verify(now: world.tick()).problems, is: [Finding(.syncState, at: FilePath(path))])
    let actions = try store.care.repair(now: world.tick()) { _, _ in nil }
    expect(actions, is: [.setAsideSyncState(path: path)])
    try expect(store.care.verify(now: world.tick()).problems, is: [])
    expect(world.files.bytes(path + ".damaged") != nil)
    try world.settle()
  }

  /// Prunes the carrier for a machine, after a sync.
  private func prune(_ world: inout SyncWorld, _ machine: String) throws -> CarrierPruning {
    try world.sync(machine)
    let now = world.tick()
    let way = world.way()
    return try world.store(machine).sync.hold(now: now) { work throws(Fault) in
      try work.prune(way)
    }
  }

  /// The files of blobs in the carrier.
  private func blobs(_ world: SyncWorld) -> [String] {
    world.files.files().keys.filter { $0.hasPrefix("/c/blobs/") }.sorted()
  }

  @Test func `a file that nobody needs is removed when each machine has published since`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring", blob: [1, 2, 3])
    try world.settle()
    try world.edit("b", id) { $0.media = [] }
    try world.settle()
    try expect(prune(&world, "a"), is: CarrierPruning(files: 0, bytes: 0, marked: 1))
    try expect(prune(&world, "a").files, is: 0)
    try world.edit("b", id) { $0.notes = "on" }
    try world.sync("b")
    try expect(prune(&world, "a").files, is: 1)
    expect(blobs(world), is: [])
  }

  @Test func `a file that a record in the trash names stays`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring", blob: [1, 2, 3])
    try world.delete("a", id)
    try world.sync("a")
    try expect(prune(&world, "a"), is: CarrierPruning())
    expect(blobs(world).count, is: 1)
  }

  @Test func `a file that was removed while another machine began to need it is put there again`()
    throws
  {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring", blob: [1, 2, 3])
    try world.settle()
    let media = try require(try world.item("a", id)).media
    try world.edit("a", id) { $0.media = [] }
    try world.settle()
    // The other machine has the file still, and names it again, unseen.
    let box = try world.addItem("b", "Box", blob: [1, 2, 3])
    try world.sync("b")
    world.files.removeTree(FilePath("/c/blobs"))
    let now = world.tick()
    let way = world.way()
    try world.store("a").sync.hold(now: now) { work throws(Fault) in
      try work.announce(removed: [work.keys.digits(of: media[0].file.blob)], in: way)
    }
    try world.sync("b")
    expect(blobs(world).count, is: 1)
    try world.settle()
    try expect(world.item("a", box)?.media.count, is: 1)
    expect(try world.store("a").care.verify(now: world.tick()).isSound)
  }

  @Test func `many segments of a machine are put together into one`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring")
    try world.settle()
    for number in 0..<13 {
      try world.edit("a", id) { $0.notes = "\(number)" }
      try world.sync("a")
    }
    expect(world.segments().count < 8)
    try world.settle()
    try expect(world.item("b", id)?.notes, is: "12")
  }

  @Test func `nothing is removed while something in the carrier cannot be read`() throws {
    var world = try SyncWorld()
    _ = try world.addItem("a", "Ring")
    try world.settle()
    _ = try world.addItem("b", "Clock")
    try world.sync("b")
    let path = try require(world.segments().last)
    try world.files.setBytes(path, [1, 2, 3])
    expect {
      _ = try prune(&world, "a")
    } throws: { error in
      error as? Fault == .incomplete
    }
  }

  @Test func `what a machine published that is forgotten stays in the carrier`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("b", "Ring", blob: [1, 2, 3])
    try world.settle()
    let now = world.tick()
    let way = world.way()
    let gone = try world.store("b").sync.hold(now: now) { work throws(Fault) in work.actor }
    let count = try world.store("a").sync.hold(now: now) { work throws(Fault) in
      try work.forget(gone, in: way)
    }
    expect(count > 0)
    expect(world.segments().allSatisfy { !$0.contains(gone.description) })
    try world.sync("c")
    try expect(world.item("c", id)?.name, is: "Ring")
    // It comes back under another name.
    try world.edit("b", id) { $0.notes = "on" }
    try world.settle(["a", "b", "c"])
    try expect(world.item("a", id)?.notes, is: "on")
    try expect(world.content("a"), is: world.content("b"))
  }

  @Test func `a deleted record whose file is nowhere is not waited for`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring", blob: [1, 2, 3])
    try world.delete("a", id)
    try world.sync("a")
    world.files.removeTree(FilePath("/c/blobs"))
    expect(try world.sync("b").held.isEmpty)
    expect(try world.trash("b").isEmpty)
    expect(try world.sync("b").held.isEmpty)
  }

  @Test func `two items of one name both stay, and it is told`() throws {
    var world = try SyncWorld()
    let first = try world.addItem("a", "Ring")
    let second = try world.addItem("b", "ring")
    try world.sync("a")
    let notes = try world.sync("b").notes
    let both = [first, second].map { SyncSubject.record(RecordReference(.item, $0)) }
    expect(notes, is: [.sameName("Ring", both.sorted { $0.text < $1.text })])
    try world.settle()
    for machine in ["a", "b"] {
      expect(try world.item(machine, first) != nil)
      expect(try world.item(machine, second) != nil)
    }
  }

  @Test(arguments: [true, false])
  func `what is added to a capsule that was opened elsewhere stays, and it is told`(
    _ opensHere: Bool
  ) throws {
    var world = try SyncWorld()
    let store = try world.store("a")
    try store.insert(StoreScenario.capsule(0x20))
    let id = StoreScenario.id(0x20)
    try world.settle()
    func change(_ machine: String, _ body: (inout Capsule) -> Void, _ blobs: [StagedBlob]) throws {
      let now = world.tick()
      let store = try world.store(machine)
      var record = try store.read(Capsule.self, id)
      body(&record.model)
      _ = try store.update(record, now: now, blobs: blobs)
    }
    let (opener, adder) = opensHere ? ("b", "a") : ("a", "b")
    try change(opener, { $0.openedAt = Instant(seconds: 1_700_000_500) }, [])
    let blob = try StoreScenario.stage(try world.store(adder), [9])
    try change(adder, { $0.contents.append(StoreScenario.content(9, blob)) }, [blob])
    try world.sync("a")
    let notes = try world.sync("b").notes
    let title = try world.store("b").readIntact(Capsule.self, id).model.title
    expect(
      notes,
      is: [
        .addedToOpened(title: title, .record(RecordReference(.capsule, id)), count: 1)
      ])
    try world.settle()
    for machine in ["a", "b"] {
      let capsule = try world.store(machine).readIntact(Capsule.self, id).model
      expect(capsule.contents.count, is: StoreScenario.capsule(0x20).contents.count + 1)
      expect(capsule.openedAt != nil)
    }
  }

  @Test(arguments: [
    (EACCES, "/a-store/lock"), (EROFS, "/a-store/lock"), (EACCES, "/lock"), (EROFS, "/lock"),
  ])
  func `what may not be written is looked at all the same`(code: Int32, lock: String) throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring")
    try world.settle()
    try world.edit("a", id) { $0.notes = "first" }
    try world.edit("b", id) { $0.notes = "second" }
    try world.settle()
    let now = world.tick()
    let store = try world.store("a")
    world.files.plan([.on(.open, path: lock, .fail(code))])
    let conflicts = try store.sync.look(now: now) { work throws(Fault) in try work.conflicts()
    }
    expect(conflicts.map(\.field), is: ["notes"])
    expect(throws: Fault.self) {
      try store.sync.hold(now: now) { work throws(Fault) in try work.conflicts() }
    }
  }

  @Test func `a look waits for no other sync, and says that there is one`() throws {
    var world = try SyncWorld()
    let now = world.tick()
    let store = try world.store("a")
    try store.sync.hold(now: now) { _ throws(Fault) in
      let error = expect(throws: Fault.self) {
        try store.sync.look(now: now) { work throws(Fault) in try work.conflicts() }
      }
      if error?.code == .syncBusy { return }
      Issue.record("it ended with \(String(describing: error))")
    }
  }
}
