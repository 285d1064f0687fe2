import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

@Suite struct PeopleImportTests {
  private static let now = StoreScenario.now

  private static func store(_ files: SimulatedFileSystem) throws -> Store {
    try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1), now: now)
  }

  private static func cards(_ cards: [String]...) -> ContactFile {
    let lines = cards.flatMap { ["BEGIN:VCARD", "VERSION:4.0"] + $0 + ["END:VCARD"] }
    return ContactFile(Array((lines.joined(separator: "\r\n") + "\r\n").utf8))
  }

  private static func run(
    _ file: ContactFile, _ store: Store?, isDry: Bool = false, meanwhile: () throws -> Void = {}
  ) throws -> [String] {
    var work = try plan(file, store)
    try meanwhile()
    if !isDry { try work.write() }
    return work.steps.map { step in
      let name = step.name ?? "?"
      switch step.outcome {
      case .added:
        let isNamesake = step.remarks.contains { $0.weight == .note }
        return "added \(name)\(isNamesake ? ", a namesake" : "")"
      case .updated(_, let new): return "updated \(new.name) to \(new.header.revision)"
      case .unchanged: return "unchanged \(name)"
      case .removed, .skipped: return "skipped \(name)"
      }
    }
  }

  private static func plan(_ file: ContactFile, _ store: Store?) throws
    -> ImportPlan<PeopleImport>
  {
    try ImportPlan(
      PeopleImport(file, acceptsRecipients: false, acceptsAddresses: false), into: store, now: now)
  }

  @Test func `every card is imported, and importing again changes nothing`() throws {
    let store = try Self.store(SimulatedFileSystem())
    let file = Self.cards(["FN:Ann", "UID:1"], ["FN:Bea", "UID:2"])
    try expect(Self.run(file, store), is: ["added Ann", "added Bea"])
    try expect(Self.run(file, store), is: ["unchanged Ann", "unchanged Bea"])
    let changed = Self.cards(["FN:Anna", "UID:1"], ["FN:Bea", "UID:3"])
    try expect(Self.run(changed, store), is: ["updated Anna to 2", "added Bea, a namesake"])
  }

  @Test func `a dry run writes nothing, also where there is no store`() throws {
    let files = SimulatedFileSystem()
    let store = try Self.store(files)
    let before = files.files(under: "/s")
    let file = Self.cards(["FN:Ann", "UID:1"])
    try expect(Self.run(file, store, isDry: true), is: ["added Ann"])
    expect(files.files(under: "/s").keys, is: before.keys)
    try expect(Self.run(file, nil, isDry: true), is: ["added Ann"])
  }

  @Test func `where a person was changed meanwhile, nobody is imported until it is planned anew`()
    throws
  {
    let store = try Self.store(SimulatedFileSystem())
    try expect(Self.run(Self.cards(["FN:Ann", "UID:1"]), store), is: ["added Ann"])
    let work = Self.cards(["FN:Anna", "UID:1"], ["FN:Bea", "UID:2"])
    let error = expect(throws: Fault.self) {
      _ = try Self.run(work, store) {
        var record = try store.read(Beneficiary.self, Self.firstID(in: store))
        record.model.notes = "changed by hand"
        _ = try store.update(record, now: Self.now)
      }
    }
    guard error?.code == .changedMeanwhile else {
      Issue.record("\(String(describing: error))")
      return
    }
    try expect(Self.run(work, store), is: ["updated Anna to 3", "added Bea"])
  }

  @Test func `where a person is gone meanwhile, nobody is imported until it is planned anew`()
    throws
  {
    let store = try Self.store(SimulatedFileSystem())
    try expect(Self.run(Self.cards(["FN:Ann", "UID:1"]), store), is: ["added Ann"])
    let work = Self.cards(["FN:Anna", "UID:1"], ["FN:Bea", "UID:2"])
    let error = expect(throws: Fault.self) {
      _ = try Self.run(work, store) {
        try store.trash.delete(.beneficiary, Self.firstID(in: store), now: Self.now)
      }
    }
    expect(error?.code, is: .changedMeanwhile)
    try expect(Self.run(work, store), is: ["added Anna", "added Bea"])
  }

  private static func firstID(in store: Store) throws -> RecordID {
    var index = store.index.open(.beneficiary, now: now)
    var ids: [RecordID] = []
    index.forEach(.ascending) { entry in
      ids.append(entry.id)
      return true
    }
    return try require(ids.first)
  }

  @Test func `where one card cannot be written, nobody is imported`() throws {
    let files = SimulatedFileSystem()
    let store = try Self.store(files)
    var work = try Self.plan(Self.cards(["FN:Ann", "UID:1"], ["FN:Bea", "UID:2"]), store)
    // Another process adds the second card's person at the same time.
    var other = try Self.plan(Self.cards(["FN:Bea", "UID:2"]), store)
    try other.write()
    let before = files.files(under: "/s/beneficiaries").keys.sorted()
    let error = expect(throws: Fault.self) { try work.write() }
    guard error?.code == .changedMeanwhile else {
      Issue.record("\(String(describing: error))")
      return
    }
    expect(files.files(under: "/s/beneficiaries").keys.sorted(), is: before)
    expect(files.files(under: "/s/tmp").isEmpty)
  }
}
