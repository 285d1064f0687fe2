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
  private func undo(now: Instant = StoreScenario.now) throws -> UndoPlan {
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

  @Test func `what a list lost comes back into one that lost the rest since`() throws {
    let id = StoreScenario.id(0x31)
    var event = Event(
      header: RecordHeader(id: id, createdAt: now), title: "Choir",
      moment: .day(CivilDate(daysSinceEpoch: 20_000)), zone: "")
    event.recurrence = Recurrence(every: 1, .day)
    let dates = [2, 3].map { OccurrenceKey(CivilDate(daysSinceEpoch: 20_000 + $0)) }
    event.series.except = dates
    try store("event add").insert(event)
    func leave(out dates: [OccurrenceKey], _ origin: JournalFrame.Origin) throws {
      var store = try store("event skip")
      store.origin = origin
      var record = try store.read(Event.self, id)
      record.model.series.except = dates
      _ = try store.update(record, now: now)
    }
    try leave(out: [dates[1]], .person)
    try leave(out: [], .synchroniser)
    try undo()
    try expect(store().read(Event.self, id).model.series.except, is: [dates[0]])
  }

  @Test func `a setting that somebody changed since stays`() throws {
    try store("settings set").settings.set(.owner, to: "Ann")
    var other = try store("sync")
    other.origin = .synchroniser
    try other.settings.set(.owner, to: "Bea")
    expect(throws: UndoProblem.stays("settings set owner", false)) { try undo() }
    try expect(store().settings.intact().owner, is: "Bea")
  }

  @Test func `to turn the switch on again is to check in`() throws {
    var person = Beneficiary(
      header: RecordHeader(id: StoreScenario.id(0x50), createdAt: now), name: "Lena")
    person.email = "lena@example.org"
    try store("beneficiary add").insert(person)
    func set(_ terms: SilenceSwitch?) throws {
      _ = try store("switch").switch.change(now: now) { silenceSwitch throws(Fault) in
        silenceSwitch = terms
      }
    }
    var terms = SilenceSwitch()
    terms.witnesses = [person.id]
    try set(terms)
    try set(nil)
    let later = now.adding(seconds: 100)
    try undo(now: later)
    let settings = try store().settings.intact()
    try expect(settings.silenceSwitch(), is: terms)
    expect(settings.checkIns.times, is: [now, later])
  }

  @Test func `a declaration that was withdrawn comes back`() throws {
    try store("settings set").settings.set(.owner, to: "Ann")
    _ = try store("passing declare").settings.declarePassing(at: now, owner: "Ann", now: now)
    _ = try store("passing withdraw").settings.withdrawPassing()
    try undo()
    try expect(store().settings.intact().passing?.at, is: now)
  }

  @Test func `an operation is named by its first record and the number of the others`() throws {
    let store = try store("item add")
    for number: UInt8 in 0x41...0x43 {
      try store.insert(item(number, "Ring \(number - 0x40)"))
      let operation = try require(try store.operations.all().last)
      expect(
        operation.name(in: store, now: now),
        is: number == 0x41
          ? "item add 'Ring 1'" : "item add 'Ring 1' and \(number - 0x41) more")
    }
  }

  @Test func `a new change is noticed beside an earlier move that no operation has`() throws {
    // Two records of one log, and one of another.
    let ids = ["41000000", "41000001", "42000000"]
    func add(_ number: Int, after seconds: Int64) throws -> RecordID {
      let id = try require(RecordID("\(ids[number])-0000-4000-8000-000000000000"))
      let header = RecordHeader(id: id, createdAt: now.adding(seconds: seconds))
      return try store("item add").insert(Item(header: header, name: ids[number])).id
    }
    let moved = try add(0, after: 0)
    try store("item delete").trash.delete(.item, moved, now: now.adding(seconds: 10))
    _ = try add(2, after: 50)
    let listed = try store().operations.all().filter { $0.command == "item add" }
    let later = now.adding(seconds: 100)
    try expect(!store().operations.isMissingTheNewest(listed, now: later))
    _ = try add(1, after: 60)
    try expect(store().operations.isMissingTheNewest(listed, now: later))
  }
}
