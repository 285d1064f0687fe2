import CapsulePlatform
import Synchronization
import TestSupport
import Testing

@testable import CapsuleCore

/// A small store on a simulated disk, and the changes that are made to it under faults.
struct StoreScenario: Sendable {
  /// One change to a store; each is one commit.
  enum Change: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case createStore, insert, insertWithBlob, update, addBlob, delete, restore, purge, settings
    case repairIdentity, repairRecord, repairMissing, endDeletion
    /// Several records at once: new ones and a changed one, a person with what was left to it, and both back.
    case batch, deleteTogether, restoreTogether
    /// An operation taken back and brought again: an edit, a deletion with bequests, an edit with a setting.
    case undo, redo, undoDeletion, redoDeletion, undoSettings, redoSettings

    /// What such an operation did, and whether it was taken back before.
    var undone: (did: String, isRedo: Bool)? {
      switch self {
      case .undo: ("edit", false)
      case .redo: ("edit", true)
      case .undoDeletion: ("delete", false)
      case .redoDeletion: ("delete", true)
      case .undoSettings: ("settings", false)
      case .redoSettings: ("settings", true)
      default: nil
      }
    }

    var testDescription: String { rawValue }
  }

  static let root = FilePath("/s")
  static let layout = StoreLayout(root: root)
  static let blobBytes = (0..<9000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
  /// Later than everything that the base store holds.
  static let now = Instant(seconds: 1_700_100_000)

  let change: Change
  /// The disk before the change, all of it safe.
  let base: SimulatedDisk
  /// What a user would call the store's state, before and after.
  let before: [String: [UInt8]]
  let after: [String: [UInt8]]
  /// The calls of the change when nothing fails.
  let calls: [SimulatedCall]
  /// What is wrong with the base store, for the repairs.
  let problems: [Finding]

  init(_ change: Change) throws {
    self.change = change
    let files = SimulatedFileSystem()
    if change != .createStore { try Self.build(files, for: change) }
    base = files.after(.everything).withDisk { $0 }
    before = Self.state(files)
    problems = try Self.damage(files)
    let rehearsal = SimulatedFileSystem(disk: base)
    rehearsal.plan()
    try Self.perform(change, on: rehearsal)
    calls = rehearsal.calls
    after = Self.state(rehearsal)
  }

  static func environment(
    _ files: some FileSystem, seed: UInt64, command: String = "library"
  ) -> StoreEnvironment {
    StoreEnvironment(
      fileSystem: files, random: SeededRandomSource(seed: seed).source,
      patience: LockPatience(limit: 0, pause: { _ in }), cacheHome: FilePath("/cache"),
      stateHome: FilePath("/state"), holder: "test",
      clock: StoreClock { .epoch }, operation: OperationSource(command: command))
  }

  /// Makes this machine another one than wrote the store's journal, and lets that one go on with it.
  static func becomeAnotherMachine(_ store: Store, _ files: SimulatedFileSystem) throws {
    for path in files.files(under: "/state").keys { try files.unlink(FilePath(path)) }
    store.memory.firstOthers()
    let log = try require(files.files(under: "/s/journal").keys.sorted().first)
    try files.setBytes(log, try require(files.bytes(log)) + [0])
  }

  static func open(_ files: SimulatedFileSystem, seed: UInt64) throws -> Store? {
    try Store.open(at: root, environment: environment(files, seed: seed))
  }

  static func id(_ number: UInt8) -> RecordID {
    let digits = Hex.encode([number])
    guard let id = RecordID("\(digits)000000-0000-4000-8000-0000000000\(digits)") else {
      preconditionFailure("not an id")
    }
    return id
  }

  static func capsule(_ number: UInt8, blob: StagedBlob? = nil) -> Capsule {
    Capsule(
      header: RecordHeader(id: id(number), createdAt: Instant(seconds: 1_600_000_000)),
      title: "Capsule \(number)", notes: "notes", tags: ["one"],
      unlockAt: Instant(seconds: 1_800_000_000 + Int64(number)), unlockZone: "UTC",
      lock: Lock(kind: .honor, key: "key", recipient: "recipient", timelock: nil),
      contents: blob.map { [content(number, $0)] } ?? [])
  }

  static func content(_ number: UInt8, _ blob: StagedBlob) -> Content {
    Content(
      id: id(number), kind: .image, addedAt: Instant(seconds: 1_600_000_000),
      sealedSize: blob.size, sealed: "sealed", blob: blob.name)
  }

  static func stage(_ store: Store, _ bytes: [UInt8]) throws -> StagedBlob {
    try store.blobs.stage { sink in
      try bytes.withUnsafeBytes { try sink.write($0) }
    }
  }

  private static func build(_ files: SimulatedFileSystem, for change: Change) throws {
    let store = try Store.openOrCreate(
      at: root, environment: environment(files, seed: 1), now: Instant(seconds: 1_600_000_000))
    let shared = try stage(store, blobBytes)
    try store.insert(capsule(0x10, blob: shared), blobs: [shared])
    try store.insert(capsule(0x11))
    try store.insert(capsule(0x12))
    let own = try stage(store, Array(blobBytes.reversed()))
    try store.insert(capsule(0x13, blob: own), blobs: [own])
    try store.trash.delete(.capsule, id(0x13), now: Instant(seconds: 1_600_000_100))
    if [.batch, .deleteTogether, .restoreTogether].contains(change) || change.undone != nil {
      try buildGifts(store)
    }
    if change == .restoreTogether { try deleteTogether(store) }
    if let undone = change.undone {
      try operate(undone.did, on: files)
      if undone.isRedo { try takeBack(false, on: files, seed: 12) }
    }
    // An index that is there and fresh, as on a machine in use.
    _ = store.index.open(.capsule, now: Instant(seconds: 1_700_000_500))
    switch change {
    case .repairIdentity:
      for entry in try files.contents(ofDirectory: layout.identities) {
        try files.unlink(layout.identities.appending(bytes: entry.name))
      }
    case .repairRecord:
      let path = layout.record(.capsule, id(0x11)).text
      let text = String(decoding: files.bytes(path) ?? [], as: UTF8.self)
      let parts = text.split(separator: "\"notes\": \"notes\"", omittingEmptySubsequences: false)
      try files.setBytes(path, Array(parts.joined(separator: "\"notes\": \"by hand\"").utf8))
    case .repairMissing: try files.unlink(layout.record(.capsule, id(0x11)))
    case .endDeletion:
      let twin = layout.trash(.capsule).appending("\(id(0x11)).1600000200.json")
      try files.link(layout.record(.capsule, id(0x11)), to: twin)
    default: break
    }
  }

  /// Makes the change, as a process of its own does.
  static func perform(_ change: Change, on files: SimulatedFileSystem, seed: UInt64 = 2) throws {
    if change == .createStore {
      let store = try Store.openOrCreate(
        at: root, environment: environment(files, seed: seed),
        now: Instant(seconds: 1_600_000_000))
      try store.insert(capsule(0x20))
      return
    }
    if let undone = change.undone { return try takeBack(undone.isRedo, on: files, seed: seed) }
    guard let store = try open(files, seed: seed) else {
      throw Fault(.open, root, code: ENOENT)
    }
    switch change {
    case .createStore, .undo, .redo, .undoDeletion, .redoDeletion, .undoSettings, .redoSettings:
      break
    case .insert: try store.insert(capsule(0x20))
    case .insertWithBlob:
      let blob = try stage(store, Array(blobBytes.prefix(5000)))
      try store.insert(capsule(0x20, blob: blob), blobs: [blob])
    case .update:
      var record = try store.read(Capsule.self, id(0x11))
      record.model.title = "Another title"
      _ = try store.update(record, now: now)
    case .addBlob:
      var record = try store.read(Capsule.self, id(0x12))
      let blob = try stage(store, Array(blobBytes.prefix(3000)))
      record.model.contents.append(content(0x12, blob))
      _ = try store.update(record, now: now, blobs: [blob])
    case .batch:
      var batch = ModelBatch<Item>()
      batch.add(item(0x42))
      batch.add(item(0x43))
      var record = try store.read(Item.self, id(0x41))
      record.model.location = "attic"
      batch.update(record)
      try store.write(batch, now: now)
    case .deleteTogether: try deleteTogether(store)
    case .restoreTogether:
      let people = try store.trash.records(.beneficiary)
      let restoration = try store.trash.restore(people, now: now)
      for failure in restoration.failures { throw failure }
    case .delete: try store.trash.delete(.capsule, id(0x10), now: now)
    case .restore:
      for record in try store.trash.records(.capsule) {
        try store.trash.restore(record, now: Instant(seconds: 0))
      }
    case .purge:
      _ = try store.trash.purge(try store.trash.records(.capsule), now: StoreScenario.now)
    case .settings: try store.settings.change { $0.set(.spanUnits, to: 3) }
    case .repairIdentity, .repairRecord, .repairMissing, .endDeletion:
      let actions = try store.care.repair(now: now) { _, _ in nil }
      if actions.contains(where: \.isFailure) {
        throw Fault(.open, root, code: EIO)
      }
    }
  }

  /// Does what is to be taken back, as one command.
  private static func operate(_ what: String, on files: SimulatedFileSystem) throws {
    let environment = environment(files, seed: 11, command: what)
    guard let store = try Store.open(at: root, environment: environment) else { return }
    if what == "delete" { return try deleteTogether(store) }
    var record = try store.read(Item.self, id(0x41))
    (record.model.name, record.model.location) = ("Ring", "attic")
    _ = try store.update(record, now: now)
    if what == "settings" { try store.settings.set(.owner, to: "Ann") }
  }

  /// Takes the newest operation back, or brings it again; what another process has done already is done.
  private static func takeBack(
    _ isRedo: Bool, on files: SimulatedFileSystem, seed: UInt64
  ) throws {
    let environment = environment(files, seed: seed, command: isRedo ? "redo" : "undo")
    guard let store = try Store.open(at: root, environment: environment) else {
      throw Fault(.open, root, code: ENOENT)
    }
    let line = OperationLine(try store.operations.all())
    guard let target = isRedo ? line.undone.last : line.done.last else {
      throw Fault(UndoProblem.nothing)
    }
    let plan = try store.operations.plan(takingBack: target, now: now)
    _ = try store.operations.carryOut(plan, bringingBack: isRedo, now: now)
  }

  private static func item(_ number: UInt8) -> Item {
    Item(header: RecordHeader(id: id(number), createdAt: now), name: "Item \(number)")
  }

  /// A person, two things, and that they are left to the person.
  private static func buildGifts(_ store: Store) throws {
    try store.insert(Beneficiary(header: RecordHeader(id: id(0x50), createdAt: now), name: "Lena"))
    for number: UInt8 in [0x40, 0x41] {
      try store.insert(item(number))
      try store.insert(
        Bequest(
          header: RecordHeader(id: id(number + 0x20), createdAt: now),
          subject: RecordReference(.item, id(number)), beneficiary: id(0x50)))
    }
  }

  private static func deleteTogether(_ store: Store) throws {
    try store.trash.delete(.beneficiary, id(0x50), withDependents: true, now: now)
  }

  /// What a user would call the store's state: its header, identities and settings, the live
  /// records, and the deleted ones; nothing where there is no store.
  static func state(_ files: SimulatedFileSystem) -> [String: [UInt8]] {
    let all = files.files(under: root.text)
    let isMade = all["/s/store.json"] != nil
    return all.filter { path, _ in
      let parts = path.split(separator: "/").map(String.init)
      switch parts[1] {
      case "store.json", "settings.json": return true
      case "identities": return isMade
      case let folder where RecordKind.allCases.contains { $0.folder == folder }: return true
      case "trash":
        // Found in both places, the live one counts.
        guard let name = parts.last?.split(separator: ".").first else { return true }
        return all["/s/\(parts[2])/\(name.prefix(2))/\(name).json"] == nil
      default: return false
      }
    }
  }

  static func damage(_ files: SimulatedFileSystem) throws -> [Finding] {
    try open(files, seed: 3)?.care.verify(now: StoreScenario.now).problems
      .filter(\.isDamage) ?? []
  }
}
