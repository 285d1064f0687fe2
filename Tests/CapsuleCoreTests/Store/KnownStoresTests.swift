import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// The stores that a device used, and where.
@Suite struct KnownStoresTests {
  private static let now = StoreScenario.now
  private let files = SimulatedFileSystem()
  private let home: FilePath
  private let store: Store

  init() throws {
    let environment = StoreScenario.environment(files, seed: 1)
    home = try require(environment.stateHome)
    store = try Store.openOrCreate(
      at: StoreScenario.root, environment: environment, now: Self.now)
    try files.createDirectories(try require(store.stateDirectory))
  }

  private var known: KnownStores { KnownStores(in: [home], files) }

  @Test func `a device that used no store knows none`() {
    expect(KnownStores(in: [FilePath("/nowhere")], files).all.isEmpty)
  }

  @Test func `a store is known by each path that it was used by, the last one first`() {
    let (one, other) = (FilePath("/one/"), FilePath("/other"))
    _ = store.memory.noteTime(Self.now, at: one)
    _ = store.memory.noteTime(Self.now.adding(seconds: 100_000), at: other)
    expect(known.all.map(\.path), is: ["/other", "/one"])
    expect(known.last(at: FilePath("/one"))?.id, is: store.header.id)
    expect(known.last(at: FilePath("/one"))?.lastUsed, is: Self.now)
    expect(known.last(at: FilePath("/none")) == nil)
  }

  @Test func `at most 16 paths of a store are kept, those used last`() {
    for number in 0..<20 {
      let time = Self.now.adding(seconds: Int64(number) * 100)
      _ = store.memory.noteTime(time, at: FilePath("/\(number)"))
    }
    expect(known.all.count, is: 16)
    expect(known.last(at: FilePath("/4")) != nil && known.last(at: FilePath("/3")) == nil)
  }

  @Test func `a store that an earlier version used is known without a path`() {
    store.memory.keep(.seen, .integer(Self.now.seconds))
    expect(known.all.map(\.path), is: [nil])
    expect(known.all.first?.lastUsed, is: Self.now)
  }

  @Test func `that a store is away is reported once a day`() throws {
    _ = store.memory.noteTime(Self.now, at: StoreScenario.root)
    let gone = try require(known.all.first)
    expect(known.isReportDue(of: gone, now: Self.now))
    known.noteReport(of: gone, now: Self.now)
    expect(!known.isReportDue(of: gone, now: Self.now.adding(seconds: 86_399)))
    expect(known.isReportDue(of: gone, now: Self.now.adding(seconds: 86_400)))
    expect(known.isReportDue(of: gone, now: Self.now.adding(seconds: -1)))
  }

  @Test func `a memory with damaged lines is read as far as it is whole`() throws {
    _ = store.memory.noteTime(Self.now, at: StoreScenario.root)
    let path = try require(store.stateDirectory).appending("memory")
    try files.withFile(path, .append(mode: 0o600)) { file throws(Fault) in
      try files.writeAll(file, Array("0000 places {\"/forged\":1}\n\u{0}\n".utf8))
    }
    expect(known.all.map(\.path), is: [StoreScenario.root.text])
  }
}
