import TestSupport
import Testing

@testable import CapsuleCore

/// Machines that synchronise their stores through a directory, on a simulated disk.
struct SyncSessionTests {
  @Test func `a record made on one machine is on the other`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring", blob: [1, 2, 3])
    #expect(try world.sync("a").sentRecords.count == 1)
    let report = try world.sync("b")
    #expect(report.takenRecords.count == 1)
    #expect(report.takenFiles == 1)
    #expect(try world.item("b", id)?.name == "Ring")
    #expect(try world.content("a") == world.content("b"))
  }

  @Test func `a second sync sends and takes nothing`() throws {
    var world = try SyncWorld()
    _ = try world.addItem("a", "Ring")
    try world.settle()
    for machine in ["a", "b"] {
      let report = try world.sync(machine)
      #expect(report.sentRecords.isEmpty)
      #expect(report.takenRecords.isEmpty)
      #expect(report.held.isEmpty)
    }
  }

  @Test func `of two edits of one part the later is shown, and the other is a conflict`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring")
    try world.settle()
    try world.edit("a", id) { $0.notes = "first" }
    try world.edit("b", id) { $0.notes = "second" }
    try world.settle()
    #expect(try world.item("a", id)?.notes == "second")
    #expect(try world.content("a") == world.content("b"))
    let now = world.tick()
    let conflicts = try world.store("a").withSync(now: now) { work throws(SyncError) in
      work.conflicts()
    }
    #expect(conflicts.map(\.field) == ["notes"])
    #expect(conflicts.first?.others == [.string("first")])
  }

  @Test func `edits of different parts are both there`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring")
    try world.settle()
    try world.edit("a", id) { $0.notes = "mine" }
    try world.edit("b", id) { $0.location = "safe" }
    try world.settle()
    for machine in ["a", "b"] {
      #expect(try world.item(machine, id)?.notes == "mine")
      #expect(try world.item(machine, id)?.location == "safe")
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
    let (resolved, hold) = try world.store("b").withSync(now: now) { work throws(SyncError) in
      try work.resolve(
        .record(RecordReference(.item, id)), field: CellKey("notes"), choice: 1)
    }
    #expect(resolved.count == 1)
    #expect(hold == nil)
    try world.settle()
    for machine in ["a", "b"] {
      #expect(try world.item(machine, id)?.notes == "first")
      let now = world.tick()
      #expect(
        try world.store(machine).withSync(now: now) { work throws(SyncError) in work.conflicts() }
          .isEmpty)
    }
  }

  @Test func `a deletion goes to the other machine's trash`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring")
    try world.settle()
    try world.delete("b", id)
    try world.settle()
    #expect(try world.item("a", id) == nil)
    #expect(try world.trash("a") == [id])
  }

  @Test func `an edit that a deletion had not seen brings the record back`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring")
    try world.settle()
    try world.delete("b", id)
    try world.edit("a", id) { $0.notes = "kept" }
    try world.settle()
    for machine in ["a", "b"] {
      #expect(try world.item(machine, id)?.notes == "kept")
      #expect(try world.trash(machine).isEmpty)
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
    _ = try store.purge(try store.trash(.item), now: now)
    try world.settle()
    #expect(try world.trash("a").isEmpty)
    #expect(try world.trash("b") == [id])
  }

  @Test func `a file that is lost comes back`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring")
    try world.settle()
    try world.files.unlink(try world.store("a").layout.record(.item, id))
    try world.sync("a")
    #expect(try world.item("a", id)?.name == "Ring")
    try world.settle()
    #expect(try world.item("b", id)?.name == "Ring")
  }

  @Test func `an earlier file that is put back removes nothing`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring")
    try world.settle()
    let path = try world.store("a").layout.record(.item, id)
    let old = try #require(world.files.bytes(path.text))
    try world.edit("b", id) { $0.tags = ["gold"] }
    try world.settle()
    try world.files.setBytes(path.text, old)
    try world.settle()
    for machine in ["a", "b"] { #expect(try world.item(machine, id)?.tags == ["gold"]) }
  }

  @Test func `a machine that lost its state changes nothing by it`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring")
    try world.settle()
    let before = try world.content("a")
    world.files.removeTree(FilePath("/a-state"))
    try world.settle()
    #expect(try world.content("a") == before)
    #expect(try world.content("b") == before)
    try world.edit("a", id) { $0.notes = "on" }
    try world.settle()
    #expect(try world.item("b", id)?.notes == "on")
  }

  @Test func `a file that is not in the carrier yet holds its record back until it is`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring", blob: [1, 2, 3])
    let other = try world.addItem("a", "Clock")
    try world.sync("a")
    let blob = try #require(
      world.files.files().keys.first { $0.hasPrefix("/c/blobs/") })
    let bytes = try #require(world.files.bytes(blob))
    try world.files.unlink(FilePath(blob))
    let report = try world.sync("b")
    #expect(report.held == [.record(RecordReference(.item, id)): .missingFile])
    #expect(try world.item("b", other)?.name == "Clock")
    #expect(try world.item("b", id) == nil)
    try world.files.writeTemporary(FilePath(blob), bytes, mode: 0o600)
    #expect(try world.sync("b").held.isEmpty)
    #expect(try world.item("b", id)?.name == "Ring")
  }

  @Test(arguments: [0, 1, 100, -1])
  func `a segment that was cut is named, and taken in when it is whole`(_ length: Int) throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring")
    try world.sync("a")
    let path = try #require(world.segments().first)
    let bytes = try #require(world.files.bytes(path))
    try world.files.setBytes(path, Array(length < 0 ? bytes.dropLast() : bytes.prefix(length)))
    #expect(try world.sync("b").damaged.map(\.path) == [String(path.dropFirst(3))])
    #expect(try world.item("b", id) == nil)
    try world.files.setBytes(path, bytes)
    #expect(try world.sync("b").damaged.isEmpty)
    #expect(try world.item("b", id)?.name == "Ring")
  }

  @Test func `a segment under another actor's name is refused`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring")
    try world.sync("a")
    let path = try #require(world.segments().first)
    let name = try #require(path.split(separator: "/").last)
    let folder = FilePath("/c/heads/\(String(repeating: "7", count: 32))")
    try world.files.createDirectories(folder)
    try world.files.rename(FilePath(path), to: folder.appending(String(name)))
    #expect(try world.sync("b").damaged.count == 1)
    #expect(try world.item("b", id) == nil)
  }

  @Test func `a carrier of another store is refused`() throws {
    var world = try SyncWorld()
    var other = try SyncWorld()
    _ = try other.addItem("a", "Ring")
    let header = try #require(other.files.bytes("/c/carrier.json"))
    let text = String(decoding: header, as: UTF8.self)
    let changed = text.split(separator: "\"store\": \"", maxSplits: 1).joined(
      separator: "\"store\": \"0")
    try world.files.setBytes("/c/carrier.json", Array(changed.utf8))
    #expect { try world.sync("a") } throws: { error in
      if case SyncError.otherStore = error { true } else { false }
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
      #expect(capsule.unlockAt == Instant(seconds: 1_900_000_002))
      #expect(capsule.contents.count == 2)
    }
    #expect(try world.content("a") == world.content("b"))
  }

  @Test func `settings of both machines are there`() throws {
    var world = try SyncWorld()
    try world.store("a").changeSettings { $0.set(.owner, to: .string("Ada")) }
    try world.store("b").changeSettings { $0.set(.leapDay, to: .string("mar1")) }
    try world.settle()
    for machine in ["a", "b"] {
      let settings = try world.store(machine).intactSettings()
      #expect(settings.owner == "Ada")
      #expect(settings.leapDayRule == .march1)
    }
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
    for machine in ["a", "b"] { #expect(try world.item(machine, id)?.name == "Ring") }
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
    try base.settle()
    let wanted = try base.content("a")
    let stride = TestScale.count(full: 1, debug: 37)
    for call in Swift.stride(from: 1, through: count, by: stride) {
      var world = base
      world.files = start.copy()
      world.files.plan([.at(call, .crash)])
      // Its last calls only tidy up, and fail in silence.
      _ = try? world.sync("a")
      world.files = world.files.afterKill()
      try world.settle()
      #expect(try world.content("a") == wanted, "killed at \(call)")
      #expect(try world.content("b") == wanted, "killed at \(call)")
      #expect(try world.item("b", box)?.name == "Box")
      #expect(try world.trash("a") == [clock])
    }
  }
}
