import CapsuleCore
import Testing

/// Where a store may lie.
@Suite struct StorePlaceTests {
  private func files() throws -> SimulatedFileSystem {
    let files = SimulatedFileSystem()
    for path in ["/disk", "/home"] { try files.createDirectory(FilePath(path), mode: 0o700) }
    return files
  }

  private func insert(_ number: UInt8, _ path: String, _ files: SimulatedFileSystem) throws {
    let store = try Store.openOrCreate(
      at: FilePath(path), environment: StoreScenario.environment(files, seed: UInt64(number)),
      now: StoreScenario.now)
    try store.insert(StoreScenario.capsule(number))
  }

  @Test func `the store's directory may be a link to another one`() throws {
    let files = try files()
    try files.createDirectory(FilePath("/disk/capsule"), mode: 0o700)
    try files.makeSymbolicLink("/home/capsule", to: "../disk/capsule")
    try insert(0x10, "/home/capsule", files)
    try insert(0x11, "/home/capsule", files)
    let environment = StoreScenario.environment(files, seed: 1)
    let store = try #require(
      try Store.open(at: FilePath("/home/capsule"), environment: environment))
    #expect(try store.verify(readingBlobs: true).records == 2)
    #expect(files.after(.onlySynchronized).files(under: "/disk/capsule/capsules").count == 2)
  }

  @Test func `a directory above the store may be a link`() throws {
    let files = try files()
    try files.makeSymbolicLink("/home/share", to: "/disk")
    try insert(0x10, "/home/share/capsule", files)
    #expect(files.after(.onlySynchronized).files(under: "/disk/capsule/capsules").count == 1)
  }

  @Test func `a link that leads nowhere is no store, and none is made behind it`() throws {
    let files = try files()
    try files.makeSymbolicLink("/home/capsule", to: "/unmounted/capsule")
    let environment = StoreScenario.environment(files, seed: 1)
    #expect(try Store.open(at: FilePath("/home/capsule"), environment: environment) == nil)
    #expect(throws: StoreError.self) { try insert(0x10, "/home/capsule", files) }
    #expect(files.files() == [:])
  }
}
