import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Machines that have one store, and carriers between them, on one simulated disk.
struct SyncWorld {
  var files = SimulatedFileSystem()
  /// Unix seconds; later at each step.
  private(set) var clock: Int64 = 1_700_000_000
  private let seeds = Seeds()

  /// A seed for each process, so that no two of them draw the same.
  private final class Seeds {
    private var last: UInt64 = 1

    func next() -> UInt64 {
      last += 1
      return last
    }
  }

  static let carrier = FilePath("/c")

  /// A world in which machine `a` has a store, and the carrier is made.
  init() throws {
    try files.createDirectories(Self.carrier)
    let store = try Store.openOrCreate(
      at: root("a"), environment: environment("a"), now: Instant(seconds: clock))
    _ = try store.sync.hold(now: tick()) { work throws(Fault) in
      try work.add(way(), identities: nil)
    }
    for name in ["b", "c"] {
      _ = try Store.openOrCreate(
        at: root(name), environment: environment(name), now: tick(),
        as: (store.header, store.header.identities))
    }
  }

  func root(_ machine: String) -> FilePath { FilePath("/\(machine)-store") }

  func way() -> DirectoryCarrier {
    DirectoryCarrier(Self.carrier, files, SeededRandomSource(seed: 99 &+ UInt64(clock)).source)
  }

  mutating func tick() -> Instant {
    clock += 10
    let time = clock
    files.withDisk { $0.clock = FileTime(seconds: time) }
    return Instant(seconds: clock)
  }

  func environment(_ machine: String) -> StoreEnvironment {
    let time = clock
    return StoreEnvironment(
      fileSystem: files, random: SeededRandomSource(seed: seeds.next()).source,
      patience: LockPatience(limit: 0, pause: { _ in }), cacheHome: nil,
      stateHome: FilePath("/\(machine)-state"), holder: "test", hostName: machine,
      clock: StoreClock { Instant(seconds: time) })
  }

  func store(_ machine: String) throws -> Store {
    try require(try Store.open(at: root(machine), environment: environment(machine)))
  }

  @discardableResult
  mutating func sync(_ machine: String) throws -> SyncReport {
    let now = tick()
    let way = way()
    return try store(machine).sync.hold(now: now) { work throws(Fault) in try work.sync(way) }
  }

  /// Synchronises the machines in turn until nothing is sent any more.
  @discardableResult
  mutating func settle(_ machines: [String] = ["a", "b"]) throws -> Int {
    for round in 1...10 {
      var sent = 0
      for machine in machines { sent += try sync(machine).sentRecords.count }
      if sent == 0 { return round }
    }
    Issue.record("the machines do not come to rest")
    return 0
  }

  mutating func addItem(
    _ machine: String, _ name: String, blob: [UInt8]? = nil
  ) throws -> RecordID {
    let now = tick()
    let store = try store(machine)
    var item = Item(header: try store.newHeader(now: now), name: name)
    var blobs: [StagedBlob] = []
    if let blob {
      let staged = try StoreScenario.stage(store, blob)
      blobs = [staged]
      item.media = [
        try Media(fields: [
          "name": "f", "mediaType": "image/png", "size": .integer(staged.size),
          "blob": .string(staged.name.description), "addedAt": .string(now.rfc3339),
        ])
      ]
    }
    return try store.insert(item, blobs: blobs).header.id
  }

  mutating func edit(
    _ machine: String, _ id: RecordID, _ change: (inout Item) -> Void
  ) throws {
    let now = tick()
    let store = try store(machine)
    var record = try store.read(Item.self, id)
    change(&record.model)
    _ = try store.update(record, now: now)
  }

  func item(_ machine: String, _ id: RecordID) throws -> Item? {
    let store = try store(machine)
    guard try files.statusIfPresent(store.layout.record(.item, id)) != nil else { return nil }
    return try store.readIntact(Item.self, id).model
  }

  mutating func delete(_ machine: String, _ id: RecordID) throws {
    let now = tick()
    try store(machine).trash.delete(.item, id, now: now)
  }

  func trash(_ machine: String) throws -> [RecordID] {
    try store(machine).trash.records(.item).map(\.id)
  }

  /// The bytes of all live records, media and settings of a machine, by their paths in the store.
  func content(_ machine: String) throws -> [String: [UInt8]] {
    let root = root(machine).text
    return files.files().filter { path, _ in
      [
        "capsules", "events", "items", "beneficiaries", "bequests", "trustees", "blobs",
        "settings.json",
      ].contains { path.hasPrefix("\(root)/\($0)") }
    }.reduce(into: [:]) { $0[String($1.key.dropFirst(root.utf8.count))] = $1.value }
  }

  /// The segments in the carrier, as paths.
  func segments() -> [String] {
    files.files().keys.filter { $0.hasPrefix("\(Self.carrier.text)/heads/") }.sorted()
  }
}
