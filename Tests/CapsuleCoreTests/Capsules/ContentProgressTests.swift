import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// The progress that is told while contents are sealed and opened.
@Suite struct ContentProgressTests {
  private let files = SimulatedFileSystem()
  private let store: Store
  private let now = StoreScenario.now

  init() throws {
    store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1),
      now: Instant(seconds: 1_600_000_000))
    try files.writeTemporary(
      FilePath("/one"), [UInt8](repeating: 1, count: 100_000), mode: 0o600)
    try files.writeTemporary(FilePath("/two"), [UInt8](repeating: 2, count: 50_000), mode: 0o600)
  }

  private func create(_ progress: @escaping (Int64, Int64) -> Void) throws -> Capsule {
    try store.capsules.create(
      NewCapsule(title: "Files", unlockAt: now, contents: [.file("/one"), .file("/two")]),
      limit: 1 << 20, now: now, progress: progress)
  }

  @Test func `sealing counts up to the bytes of all files, and names them from the first on`()
    throws
  {
    var counts: [Int64] = []
    _ = try create { done, total in
      expect(total, is: 150_000)
      counts.append(done)
    }
    expect(counts == counts.sorted() && counts.first.map { $0 <= 100_000 } == true)
    expect(counts.last, is: 150_000)
  }

  @Test func `opening counts the bytes of the sealed file, each once`() throws {
    let capsule = try create { _, _ in }
    var opening = try CapsuleOpening(try store.read(Capsule.self, capsule.id), in: store)
    let opened = try opening.open(with: Keys.none, beacons: Keys.none, now: now)
    var counts: [Int64] = []
    var sink = NullSink()
    try opened.write(capsule.contents[0], opened.details[0], to: &sink) { counts.append($0) }
    expect(counts.allSatisfy { $0 >= 0 })
    expect(counts.reduce(0, +), is: capsule.contents[0].sealedSize)
  }
}
