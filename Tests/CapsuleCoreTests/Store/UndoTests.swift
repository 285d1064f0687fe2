import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Operations of one device, taken back and brought again.
@Suite struct UndoTests {
  private let files = SimulatedFileSystem()
  private let now = StoreScenario.now

  /// A command of its own.
  private func store(_ command: String = "edit", _ seed: UInt64 = 1) throws -> Store {
    let usual = StoreScenario.environment(files, seed: seed)
    return try Store.openOrCreate(
      at: StoreScenario.root,
      environment: StoreEnvironment(
        fileSystem: files, random: usual.random, patience: usual.patience,
        cacheHome: usual.cacheHome, stateHome: usual.stateHome, holder: "test",
        clock: usual.clock, operation: OperationSource(command: command)), now: now)
  }

  private func item(_ number: UInt8, _ name: String) -> Item {
    Item(header: RecordHeader(id: StoreScenario.id(number), createdAt: now), name: name)
  }

  private func edit(_ number: UInt8, _ change: (inout Item) -> Void) throws {
    let store = try store("item edit")
    var record = try store.read(Item.self, StoreScenario.id(number))
    change(&record.model)
    _ = try store.update(record, now: now)
  }

  private func read(_ number: UInt8) -> Item? {
    try? store().read(Item.self, StoreScenario.id(number)).model
  }

  /// Takes the newest operation back.
  @discardableResult
  private func undo() throws -> UndoPlan {
    let store = try store("undo")
    let line = OperationLine(try store.operations.all())
    let operation = try require(line.done.last)
    return try store.operations.carryOut(
      store.operations.plan(takingBack: operation, now: now), now: now)
  }

  @discardableResult
  private func redo() throws -> UndoPlan {
    let store = try store("redo")
    let operation = try require(OperationLine(try store.operations.all()).undone.last)
    return try store.operations.carryOut(
      store.operations.plan(takingBack: operation, now: now), bringingBack: true, now: now)
  }

  @Test func `one command after the other is taken back, and brought again`() throws {
    try store("item add").insert(item(0x41, "Ring"))
    try edit(0x41) { $0.location = "attic" }
    try edit(0x41) { $0.name = "Rign" }
    try expect(store().operations.all().map(\.command), is: ["item add", "item edit", "item edit"])
    try undo()
    expect(read(0x41)?.name, is: "Ring")
    expect(read(0x41)?.location, is: "attic")
    try undo()
    expect(read(0x41)?.location, is: "")
    try undo()
    expect(read(0x41) == nil)
    expect(OperationLine(try store().operations.all()).done.isEmpty)
    for _ in 1...3 { try redo() }
    expect(read(0x41)?.name, is: "Rign")
    expect(read(0x41)?.location, is: "attic")
    expect(OperationLine(try store().operations.all()).undone.isEmpty)
    // A new operation leaves nothing to bring again.
    try undo()
    try edit(0x41) { $0.notes = "new" }
    expect(OperationLine(try store().operations.all()).undone.isEmpty)
    expect(try store().care.verify(now: now).problems.filter(\.isDamage), is: [])
  }

  @Test func `what somebody changed since stays`() throws {
    try store("item add").insert(item(0x41, "Ring"))
    try edit(0x41) {
      $0.name = "Gold ring"
      $0.location = "attic"
      $0.tags = ["a", "b"]
    }
    var other = try store("sync")
    other.origin = .synchroniser
    var record = try other.read(Item.self, StoreScenario.id(0x41))
    record.model.location = "safe"
    record.model.tags = ["a", "b", "c"]
    _ = try other.update(record, now: now)
    let plan = try undo()
    let item = try require(read(0x41))
    expect([item.name, item.location], is: ["Ring", "safe"])
    expect(item.tags, is: ["c"])
    expect(plan.staying.compactMap(\.field), is: ["location"])
  }

  @Test func `what others rest on is not taken away`() throws {
    try store("item add").insert(item(0x41, "Ring"))
    let person = Beneficiary(
      header: RecordHeader(id: StoreScenario.id(0x50), createdAt: now), name: "Lena")
    try store("beneficiary add").insert(person)
    try store("bequeath").insert(
      Bequest(
        header: RecordHeader(id: StoreScenario.id(0x61), createdAt: now),
        subject: RecordReference(.item, StoreScenario.id(0x41)), beneficiary: person.id))
    let store = try store("undo")
    let first = try require(try store.operations.all().first)
    let error = expect(throws: Fault.self) {
      _ = try store.operations.plan(takingBack: first, now: now)
    }
    expect(error?.code, is: .cannotUndo)
    try undo()
    _ = try store.operations.carryOut(
      store.operations.plan(takingBack: first, now: now), now: now)
    expect(read(0x41) == nil)
  }

  @Test func `what was deleted with others comes back, exactly that`() throws {
    let store = try store("item add")
    try store.insert(item(0x41, "Ring"))
    try store.insert(item(0x42, "Book"))
    try self.store("item delete").trash.delete(.item, StoreScenario.id(0x42), now: now)
    let outcomes = try self.store("item delete").trash.delete(
      [RecordReference(.item, StoreScenario.id(0x41))], withDependents: true, now: now)
    expect(outcomes.end == nil)
    try undo()
    expect(read(0x41) != nil && read(0x42) == nil)
    try undo()
    expect(read(0x42) != nil)
    // What one process added in parts is one operation.
    try undo()
    expect(read(0x41) == nil && read(0x42) == nil)
  }

  @Test func `what was taken back is known to be, also when it cannot be brought again`() throws {
    func takenBack() throws -> [Bool] {
      let all = try store().operations.all()
      let taken = OperationLine(all).takenBack
      return all.map { taken.contains($0.id) }
    }
    try store("item add").insert(item(0x41, "Ring"))
    try edit(0x41) { $0.location = "attic" }
    try undo()
    try expect(takenBack(), is: [false, true, false])
    try redo()
    try expect(takenBack(), is: [false, false, false, false])
    try undo()
    // What was brought again is what it brought.
    try expect(takenBack(), is: [false, true, false, true, false])
    try edit(0x41) { $0.notes = "new" }
    try expect(takenBack(), is: [false, true, false, true, false, false])
  }

  @Test func `settings get their former values`() throws {
    try store("settings set").settings.change { $0.set(.owner, to: "Ann") }
    try store("settings set").settings.change { $0.set(.owner, to: "Bea") }
    try undo()
    try expect(store().settings.intact().owner, is: "Ann")
    try undo()
    try expect(store().settings.intact().owner, is: "")
    try redo()
    try expect(store().settings.intact().owner, is: "Ann")
  }

  @Test func `a change that no operation has is noticed`() throws {
    try store("item add").insert(item(0x41, "Ring"))
    let store = try store()
    expect(try !store.operations.isMissingTheNewest(store.operations.all(), now: now))
    var record = try store.read(Item.self, StoreScenario.id(0x41))
    record.model.notes = "later"
    let before = files.files(under: "/s/journal").filter { $0.key.hasSuffix("/operations") }
    _ = try store.update(record, now: now.adding(seconds: 60))
    expect(try !store.operations.isMissingTheNewest(store.operations.all(), now: now))
    for (path, bytes) in before {
      try files.unlink(FilePath(path))
      try files.setBytes(path, bytes)
    }
    expect(try store.operations.isMissingTheNewest(store.operations.all(), now: now))
  }
}
