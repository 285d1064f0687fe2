import Synchronization
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// A file system that counts what is opened, says how long the store's lock is held, and lets somebody else
/// write just before it is taken.
private final class WatchedFileSystem: ForwardingFileSystem {
  private struct Watch: Sendable {
    var opened: [String: Int] = [:]
    /// Microseconds: each call takes some.
    var time: Int64 = 0
    var heldSince: Int64?
    var longestHold: Int64 = 0
    var holds = 0
    var isOn = false
  }

  let files: SimulatedFileSystem
  /// Is called with the number of the hold that begins.
  let beforeLock: @Sendable (SimulatedFileSystem, Int) -> Void
  private let watch = Mutex(Watch())

  init(
    _ files: SimulatedFileSystem,
    beforeLock: @escaping @Sendable (SimulatedFileSystem, Int) -> Void = { _, _ in }
  ) {
    self.files = files
    self.beforeLock = beforeLock
  }

  func step() { watch.withLock { $0.time += 100 } }

  func openOnce(_ path: FilePath, _ access: FileAccess) throws(Fault) -> FileDescriptor {
    step()
    watch.withLock { $0.opened[path.text, default: 0] += 1 }
    return try files.openOnce(path, access)
  }

  func lockOnce(_ file: FileDescriptor, wait: Bool) throws(Fault) -> Bool {
    guard file.path == StoreScenario.layout.lock, watch.withLock({ $0.isOn }) else {
      return try files.lockOnce(file, wait: wait)
    }
    beforeLock(files, watch.withLock { $0.holds })
    let isTaken = try files.lockOnce(file, wait: wait)
    watch.withLock { watch in
      if isTaken { (watch.holds, watch.heldSince) = (watch.holds + 1, watch.time) }
    }
    return isTaken
  }

  func close(_ file: FileDescriptor) throws(Fault) {
    step()
    watch.withLock { watch in
      guard file.path == StoreScenario.layout.lock, let start = watch.heldSince else { return }
      watch.longestHold = max(watch.longestHold, watch.time - start)
      watch.heldSince = nil
    }
    try files.close(file)
  }

  /// A verification under watch.
  func verify(
    _ plan: VerificationPlan = .whole, pause: @escaping @Sendable (Int) -> Void = { _ in }
  ) throws -> Verification {
    let clock = StoreClock({ .epoch }) { [self] in watch.withLock { $0.time * 1_000 } }
    let store = try TestSupport.require(
      try Store.open(
        at: StoreScenario.root,
        environment: StoreEnvironment(
          fileSystem: self, random: SeededRandomSource(seed: 9).source,
          patience: LockPatience(limit: 100, pause: pause), cacheHome: FilePath("/cache"),
          stateHome: FilePath("/state"), holder: "test", clock: clock)))
    watch.withLock { $0.isOn = true }
    defer { watch.withLock { $0.isOn = false } }
    return try store.care.verify(plan, now: StoreScenario.now)
  }

  func count(of path: FilePath) -> Int { watch.withLock { $0.opened[path.text] ?? 0 } }
  func mostOpened(besides folder: FilePath?) -> Int {
    let opened = watch.withLock { $0.opened }
    return opened.filter { path, _ in folder.map { !path.hasPrefix($0.text + "/") } ?? true }
      .values.max() ?? 0
  }
  var holds: Int { watch.withLock { $0.holds } }
  /// In milliseconds.
  var longestHold: Int64 { watch.withLock { $0.longestHold / 1_000 } }
}

/// What a verification found is looked at again, each file once, and with the lock for moments only.
@Suite struct SecondLookTests {
  private let files = SimulatedFileSystem()
  private let store: Store
  private let layout = StoreScenario.layout
  private let now = StoreScenario.now
  private let id = StoreScenario.id(0x21)
  private var path: FilePath { layout.record(.item, id) }

  init() throws {
    store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1), now: now)
  }

  private static func name(_ number: Int) -> BlobName {
    BlobName(digest: SHA256.hash(Array("blob \(number)".utf8)))
  }

  private func item(_ id: RecordID, naming names: [BlobName], size: Int64 = 3) throws -> Item {
    var item = Item(header: RecordHeader(id: id, createdAt: now), name: "Ring \(id)")
    item.media = try names.map {
      try Media(fields: [
        "name": "f", "mediaType": "image/png", "size": .integer(size),
        "blob": .string($0.description), "addedAt": .string(now.rfc3339),
      ])
    }
    return item
  }

  /// Records by their number, of one shard.
  private func id(_ number: Int) throws -> RecordID {
    let digits = String(number, radix: 16)
    return try require(
      RecordID(
        "21000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits))
  }

  private func blobs(_ count: Int) throws -> [StagedBlob] {
    try (0..<count).map { try StoreScenario.stage(store, Array("blob \($0)".utf8)) }
  }

  // MARK: Each file is read as often, however much is found

  enum Loss: String, CaseIterable, Sendable {
    case attachments, contents, records, sizes, versions, parts
  }

  /// The most times that a file is opened in a verification which finds so much.
  private static func mostOpened(_ loss: Loss, _ count: Int) throws -> Int {
    let suite = try SecondLookTests()
    let (store, files, layout) = (suite.store, suite.files, suite.layout)
    let names = (0..<count).map { name($0) }
    var plan = VerificationPlan.whole
    switch loss {
    case .attachments:
      try store.insert(try suite.item(suite.id, naming: names))
    case .contents:
      var capsule = StoreScenario.capsule(0x21)
      capsule.contents = try names.enumerated().map { number, name in
        Content(
          id: try suite.id(number), kind: .image, addedAt: suite.now, sealedSize: 3,
          sealed: "sealed", blob: name)
      }
      try store.insert(capsule)
    case .records:
      for number in 0..<count {
        let id = try suite.id(number)
        try store.insert(try suite.item(id, naming: []))
        try files.unlink(layout.record(.item, id))
      }
    case .sizes:
      let blobs = try suite.blobs(count)
      try store.insert(try suite.item(suite.id, naming: names, size: 99), blobs: blobs)
    case .versions:
      try store.insert(try suite.item(suite.id, naming: names))
      var record = try store.readIntact(Item.self, suite.id)
      record.model.media = []
      _ = try store.update(record, now: suite.now)
    case .parts:
      try store.insert(try suite.item(suite.id, naming: names), blobs: try suite.blobs(count))
      for name in names { try files.setBytes(layout.blob(name).text, Array("rot".utf8)) }
      plan.start = .blobs(from: BlobName(digest: [UInt8](repeating: 0, count: 32)))
    }
    let watched = WatchedFileSystem(files)
    let report = try watched.verify(plan)
    let found = report.problems.filter { problem in
      switch (loss, problem.kind, problem.detail) {
      case (.attachments, .blob, .blob(_, .missing)), (.contents, .blob, .blob(_, .missing)),
        (.records, .missing, _), (.sizes, .otherSize, _), (.versions, .versionBlob, _),
        (.parts, .blob, .blob(_, .otherBytes)):
        true
      default: false
      }
    }
    expect(found.count, is: count, "\(loss)")
    // The title of each missing record comes from its place in a log, which is not read for it.
    return watched.mostOpened(besides: loss == .records ? layout.journal : nil)
  }

  @Test(arguments: Loss.allCases)
  func `no file is read more often, however much is damaged or missing`(loss: Loss) throws {
    let few = try Self.mostOpened(loss, 3)
    try expect(Self.mostOpened(loss, 60), is: few)
    // The lock, which is taken for the second look and for each shard that the journal lacks.
    expect(few <= 8, "\(few)")
  }

  @Test func `a blob of another size is read once, however many records say so`() throws {
    let blob = try StoreScenario.stage(store, [1, 2, 3])
    for number in 0..<40 {
      try store.insert(
        try item(id(number), naming: [blob.name], size: 99), blobs: number == 0 ? [blob] : [])
    }
    let watched = WatchedFileSystem(files)
    try expect(watched.verify().problems.count, is: 40)
    // At the first look, at the second, and as a blob.
    expect(watched.count(of: layout.blob(blob.name)), is: 3)
  }

  // MARK: The lock

  @Test(arguments: [true, false])
  func `between batches another process gets the lock, which is never held long`(
    isOneRecord: Bool
  ) throws {
    let names = (0..<600).map { Self.name($0) }
    if isOneRecord {
      try store.insert(try item(id, naming: names))
    } else {
      for (number, name) in names.enumerated() {
        try store.insert(try item(id(number), naming: [name]))
      }
    }
    let watched = WatchedFileSystem(files)
    let taken = Mutex(0)
    let report = try watched.verify { [files, layout] _ in
      // Another store value, as another process has it, without patience.
      let lock = try? files.acquireLock(
        layout.lock, holder: Array("other".utf8), patience: LockPatience(limit: 0, pause: { _ in }))
      guard let lock else { return }
      files.release(lock)
      taken.withLock { $0 += 1 }
    }
    expect(report.problems.filter(\.isDamage).count, is: 600)
    expect(watched.longestHold <= 100, "\(watched.longestHold) ms")
    expect(watched.holds > 1)
    expect(taken.withLock { $0 }, is: watched.holds - 1)
  }

  @Test func `a journal that lacks all records is filled with the lock for moments only`() throws {
    for number in 0..<300 { try store.insert(try item(id(number), naming: [])) }
    for path in files.files(under: "/s/journal").keys { try files.unlink(FilePath(path)) }
    let watched = WatchedFileSystem(files)
    _ = try watched.verify()
    expect(watched.holds > 2 && watched.longestHold <= 100, "\(watched.longestHold) ms")
    let known = store.journal.roster().known()
    expect(try (0..<300).allSatisfy { known[try id($0)]?.newest != nil })
  }

  // MARK: Somebody writes meanwhile

  /// Finds one missing attachment, of which somebody else thinks just before each lock is taken.
  private func problems(
    beforeLock: @escaping @Sendable (SimulatedFileSystem, Int) throws -> Void
  ) throws -> [Finding] {
    try store.insert(try item(id, naming: [Self.name(1)]))
    let watched = WatchedFileSystem(files) { files, number in
      do { try beforeLock(files, number) } catch { Issue.record(error) }
    }
    return try watched.verify().problems
  }

  private var missing: Finding {
    Finding(
      .blob, RecordReference(.item, id), at: layout.blob(Self.name(1)),
      .blob(Self.name(1), .missing))
  }

  @Test func `a file that came before the lock was taken is not missing`() throws {
    let found = try problems { [layout] files, number in
      guard number == 0 else { return }
      let path = layout.blob(Self.name(1))
      try files.createDirectories(path.parent)
      try files.writeTemporary(path, Array("blob 1".utf8), mode: 0o400)
    }
    expect(!found.contains(missing))
  }

  @Test func `a file that its record names no more is not missing`() throws {
    let found = try problems { [path] files, number in
      guard number == 0 else { return }
      let other = RecordFile.encode(
        try SecondLookTests().item(StoreScenario.id(0x21), naming: []).fields)
      try files.replace(path, other, mode: 0o600, by: FilePath("/s/tmp/other"))
    }
    expect(!found.contains(missing))
  }

  @Test func `a file of a record that was moved to the trash is missing all the same`() throws {
    let found = try problems { [path, layout, id] files, number in
      guard number == 0 else { return }
      try files.createDirectories(layout.trash(.item))
      try files.rename(path, to: layout.trash(.item).appending("\(id).1700000000.json"))
    }
    expect(found.contains(missing))
  }

  @Test func `a file of a record that is written without end is missing`() throws {
    let looks = Mutex(0)
    let found = try problems { [path] files, number in
      let bytes = try require(files.bytes(path.text))
      try files.replace(path, bytes, mode: 0o600, by: FilePath("/s/tmp/\(number)"))
      looks.withLock { $0 += 1 }
    }
    expect(found.contains(missing))
    // At the third it is read under the lock.
    expect(looks.withLock { $0 }, is: 3)
  }

  @Test func `a record that came back before the lock was taken is not missing`() throws {
    try store.insert(try item(id, naming: []))
    let bytes = try require(files.bytes(path.text))
    try files.unlink(path)
    let watched = WatchedFileSystem(files) { [path] files, number in
      guard number == 0 else { return }
      do { try files.writeTemporary(path, bytes, mode: 0o600) } catch { Issue.record(error) }
    }
    expect(try watched.verify().isSound)
    try files.unlink(path)
    expect(try !WatchedFileSystem(files).verify().isSound)
  }

  @Test func `a record that was purged before the lock was taken is not missing`() throws {
    try store.insert(try item(id, naming: []))
    let bytes = try require(files.bytes(path.text))
    let other = store
    try files.unlink(path)
    let watched = WatchedFileSystem(files) { [layout, id, now] files, number in
      guard number == 0 else { return }
      do {
        let trashed = layout.trash(.item).appending("\(id).1700000000.json")
        try files.createDirectories(trashed.parent)
        try files.writeTemporary(trashed, bytes, mode: 0o600)
        _ = try other.trash.purge(try other.trash.records(.item), now: now)
      } catch {
        Issue.record(error)
      }
    }
    expect(try watched.verify().isSound)
  }

  @Test func `where no lock can be taken it is looked at again after a second`() throws {
    try store.insert(try item(id, naming: [Self.name(1)]))
    let held = try files.acquireLock(
      layout.lock, holder: [], patience: LockPatience(limit: 0, pause: { _ in }))
    defer { files.release(held) }
    let pauses = Mutex<[Int]>([])
    let watched = WatchedFileSystem(files)
    let report = try watched.verify { pause in pauses.withLock { $0.append(pause) } }
    expect(report.problems.contains(missing))
    expect(pauses.withLock { $0.filter { $0 == 1_000 }.count }, is: 1)
  }
}
