import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// A machine whose store and state were both put back, as by a snapshot of its disk: the files are the same
/// ones, and the carriers know more.
struct SyncRollbackTests {
  /// Puts the files of machine `a` back, each in its place.
  private func putBack(_ world: SyncWorld, to before: [String: [UInt8]]) throws {
    func isOwn(_ path: String) -> Bool {
      path.hasPrefix("/a-store/") || path.hasPrefix("/a-state/")
    }
    for path in world.files.files().keys where isOwn(path) && before[path] == nil {
      try world.files.unlink(FilePath(path))
    }
    for (path, bytes) in before where isOwn(path) { try world.files.setBytes(path, bytes) }
  }

  /// Two machines with one item, of which both edited the notes.
  private func conflicting() throws -> (world: SyncWorld, id: RecordID) {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring")
    try world.settle()
    try world.edit("a", id) { $0.notes = "first" }
    try world.edit("b", id) { $0.notes = "second" }
    try world.settle()
    return (world, id)
  }

  private func resolve(
    _ world: inout SyncWorld, _ id: RecordID, choice: Int = 0
  ) throws -> [SyncConflict] {
    let now = world.tick()
    let subject = SyncSubject.record(RecordReference(.item, id))
    return try world.store("a").sync.hold(now: now) { work throws(Fault) in
      try work.resolve(subject, field: choice == 0 ? nil : CellKey("notes"), choice: choice)
        .resolved
    }
  }

  private func conflicts(_ world: inout SyncWorld, _ machine: String) throws -> [SyncConflict] {
    let now = world.tick()
    return try world.store(machine).sync.hold(now: now) { work throws(Fault) in
      try work.conflicts()
    }
  }

  @Test(arguments: [0, 1])
  func `what is resolved before the next sync loses no change that the carrier has`(
    _ choice: Int
  ) throws {
    var (world, id) = try conflicting()
    let before = world.files.files()
    try world.edit("a", id) { $0.category = "gold" }
    try world.sync("a")
    try world.sync("b")
    try putBack(world, to: before)
    try world.edit("a", id) { $0.location = "safe" }
    try expect(resolve(&world, id, choice: choice).map(\.field), is: ["notes"])
    expect(try conflicts(&world, "a").isEmpty)
    try expect(world.sync("a").held, is: [:])
    try world.settle()
    for machine in ["a", "b"] {
      let item = try require(try world.item(machine, id))
      expect(item.category, is: "gold")
      expect(item.location, is: "safe")
      expect(item.notes, is: choice == 0 ? "second" : "first")
      expect(try conflicts(&world, machine).isEmpty)
    }
    try expect(world.content("a"), is: world.content("b"))
  }

  @Test func `an edit after a resolution counts, and the other values are gone all the same`()
    throws
  {
    var (world, id) = try conflicting()
    _ = try resolve(&world, id)
    try world.edit("a", id) { $0.notes = "third" }
    try world.settle()
    for machine in ["a", "b"] {
      try expect(world.item(machine, id)?.notes, is: "third")
      expect(try conflicts(&world, machine).isEmpty)
    }
  }

  @Test func `an earlier file that is put back after a resolution takes no value away`() throws {
    var (world, id) = try conflicting()
    let path = try world.store("a").layout.record(.item, id).text
    let old = try require(world.files.bytes(path))
    _ = try resolve(&world, id, choice: 1)
    try world.files.setBytes(path, old)
    try world.settle()
    for machine in ["a", "b"] {
      try expect(world.item(machine, id)?.notes, is: "second")
      try expect(conflicts(&world, machine).first?.others.map(\.value), is: [.string("first")])
    }
  }

  @Test func `what is deleted again after another machine restored it stays deleted`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring")
    try world.settle()
    for _ in 0..<2 {
      try world.delete("a", id)
      try world.settle()
      try expect(world.trash("a"), is: [id])
      try expect(world.trash("b"), is: [id])
      let trash = try world.store("b").trash
      _ = try trash.restore(trash.records(.item), now: world.tick())
      try world.settle()
      expect(try world.item("a", id) != nil)
    }
  }

  @Test func `a carrier that is not synchronised with tells that the state was put back`() throws {
    var world = try SyncWorld()
    let id = try world.addItem("a", "Ring")
    try world.files.createDirectories(FilePath("/d"))
    func other() -> DirectoryCarrier {
      DirectoryCarrier(FilePath("/d"), world.files, SeededRandomSource(seed: 7).source)
    }
    @discardableResult
    func sync(
      _ machine: String, _ carriers: [any Carrier], besides others: [any Carrier] = []
    ) throws -> SyncReport {
      let now = world.tick()
      let result = try world.store(machine).sync.hold(now: now) { work throws(Fault) in
        try work.sync(all: carriers, besides: others)
      }
      expect(result.failures.isEmpty)
      return result.report
    }
    let now = world.tick()
    _ = try world.store("a").sync.hold(now: now) { work throws(Fault) in
      try work.add(other(), identities: nil)
    }
    try sync("a", [world.way(), other()])
    try sync("b", [world.way()])
    try sync("c", [other()])
    let before = world.files.files()
    try world.edit("a", id) { $0.category = "gold" }
    try sync("a", [world.way()])
    try putBack(world, to: before)
    try world.edit("a", id) { $0.location = "safe" }
    try sync("a", [other()], besides: [world.way()])
    for _ in 0..<2 {
      try sync("a", [world.way(), other()])
      try sync("b", [world.way()])
      try sync("c", [other()])
    }
    for machine in ["a", "b", "c"] {
      let item = try require(try world.item(machine, id))
      expect(item.category, is: "gold")
      expect(item.location, is: "safe")
    }
  }
}
