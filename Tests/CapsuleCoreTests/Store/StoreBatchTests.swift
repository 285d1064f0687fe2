import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Several records that are written together.
@Suite struct StoreBatchTests {
  private static let now = StoreScenario.now

  private static func event(_ number: UInt8, _ title: String) -> Event {
    Event(
      header: RecordHeader(id: StoreScenario.id(number), createdAt: now), title: title,
      moment: .instant(now), zone: "UTC")
  }

  private static func store(_ files: SimulatedFileSystem) throws -> Store {
    try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1), now: now)
  }

  /// A batch of two new events and a change of one that is there.
  private static func batch(_ store: Store) throws -> ModelBatch<Event> {
    var batch = ModelBatch<Event>()
    batch.add(event(2, "two"))
    batch.add(event(3, "three"))
    var record = try store.read(Event.self, StoreScenario.id(1))
    record.model.title = "changed"
    batch.update(record)
    return batch
  }

  @Test func `a batch is not written where others were faster than its plan`() throws {
    let store = try Self.store(try Self.prepared())
    func planned() throws -> ModelBatch<Event> {
      var batch = ModelBatch<Event>(plannedBy: store.index.open(.event, now: Self.now))
      batch.add(Self.event(2, "two"))
      return batch
    }
    let first = try planned()
    try store.insert(Self.event(3, "three"))
    let error = expect(throws: Fault.self) { try store.write(first, now: Self.now) }
    guard error?.code == .changedMeanwhile else {
      Issue.record("\(String(describing: error))")
      return
    }
    expect(Self.titles(store), is: ["one", "three"])
    try store.write(planned(), now: Self.now)
    expect(Self.titles(store), is: ["one", "two", "three"])
  }

  @Test func `an import is tried again while others are faster, and not for ever`() throws {
    var tries = 0
    expect(throws: Fault.self) {
      try ImportRetry.run { number in
        expect(number, is: tries)
        tries += 1
        throw Fault.changedMeanwhile(.event, StoreScenario.id(1))
      }
    }
    expect(tries, is: 20)
    expect(throws: Fault.self) {
      try ImportRetry.run { _ in
        tries += 1
        throw Fault.noStateDirectory
      }
    }
    expect(tries, is: 21)
  }

  private static func titles(_ store: Store) -> [String] {
    (1...3).compactMap { try? store.read(Event.self, StoreScenario.id($0)).model.title }
  }

  private static func prepared() throws -> SimulatedFileSystem {
    let files = SimulatedFileSystem()
    try store(files).insert(event(1, "one"))
    return files
  }

  @Test func `a batch is written, and the index and the journal know it`() throws {
    let store = try Self.store(try Self.prepared())
    let written = try store.write(try Self.batch(store), now: Self.now)
    expect(written.map(\.header.revision), is: [1, 1, 2])
    expect(Self.titles(store), is: ["changed", "two", "three"])
    var index = store.index.open(.event, now: Self.now)
    expect(index.entry(StoreScenario.id(2))?.title, is: "two")
    expect(try store.care.verify(now: Self.now).problems.isEmpty)
    expect(store.journal.roster().known()[StoreScenario.id(3)] != nil)
  }

  @Test func `a batch that was written leaves nothing to finish`() throws {
    let files = try Self.prepared()
    let store = try Self.store(files)
    let batch = try Self.batch(store)
    try store.write(batch, now: Self.now)
    let state = FilePath("/state").appending("\(store.header.id)")
    let kept = try files.contents(ofDirectory: state).map { state.appending(bytes: $0.name) }
      .filter { $0.lastComponent.starts(with: Array("commit-".utf8)) }
    try expect(kept.map { try files.status($0).size }, is: [0])
  }

  @Test func `a record that was changed meanwhile stops the whole batch`() throws {
    let store = try Self.store(try Self.prepared())
    let batch = try Self.batch(store)
    var record = try store.read(Event.self, StoreScenario.id(1))
    record.model.notes = "by another"
    _ = try store.update(record, now: Self.now)
    expect(throws: Fault.self) { try store.write(batch, now: Self.now) }
    expect(Self.titles(store), is: ["one"])
  }

  @Test func `two records of a batch cannot have one name where names are unique`() throws {
    let store = try Self.store(SimulatedFileSystem())
    var batch = ModelBatch<Item>()
    for number in [UInt8(1), 2] {
      batch.add(
        Item(
          header: RecordHeader(id: StoreScenario.id(number), createdAt: Self.now), name: "Ring"))
    }
    let error = expect(throws: Fault.self) { try store.write(batch, now: Self.now) }
    guard error?.code == .nameTaken else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `a large batch is written by several threads`() throws {
    let store = try Self.store(SimulatedFileSystem())
    var batch = ModelBatch<Event>()
    for number in 1...200 { batch.add(Self.event(UInt8(number), "event \(number)")) }
    try expect(store.write(batch, now: Self.now).map(\.title), is: batch.additions.map(\.title))
    expect(try store.care.verify(now: Self.now).problems.isEmpty)
  }
}
