import CapsuleCore
import TestSupport
import Testing

@testable import CoreTestHelpers

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

  @Test func `a place in a store is known by the directories, whatever leads there`() throws {
    let files = try files()
    try files.createDirectory(FilePath("/disk/capsule"), mode: 0o700)
    try insert(0x10, "/disk/capsule", files)
    try files.makeSymbolicLink("/home/link", to: "../disk/capsule/blobs")
    let store = FilePath("/disk/capsule")
    for place in ["/disk/capsule", "/disk/capsule/", "/disk/capsule/new/deep", "/home/link/x"] {
      expect(throws: Fault.self) { try files.require(FilePath(place), outside: store) }
    }
    for place in ["/disk", "/disk/capsules", "/home/new/deep", "/"] {
      try files.require(FilePath(place), outside: store)
    }
  }

  @Test func `the store's directory may be a link to another one`() throws {
    let files = try files()
    try files.createDirectory(FilePath("/disk/capsule"), mode: 0o700)
    try files.makeSymbolicLink("/home/capsule", to: "../disk/capsule")
    try insert(0x10, "/home/capsule", files)
    try insert(0x11, "/home/capsule", files)
    let environment = StoreScenario.environment(files, seed: 1)
    let store = try require(
      try Store.open(at: FilePath("/home/capsule"), environment: environment))
    try expect(
      store.care.verify(now: StoreScenario.now).records, is: 2)
    expect(files.after(.onlySynchronized).files(under: "/disk/capsule/capsules").count, is: 2)
  }

  @Test func `a directory above the store may be a link`() throws {
    let files = try files()
    try files.makeSymbolicLink("/home/share", to: "/disk")
    try insert(0x10, "/home/share/capsule", files)
    expect(files.after(.onlySynchronized).files(under: "/disk/capsule/capsules").count, is: 1)
  }

  @Test func `a link that leads nowhere is no store, and none is made behind it`() throws {
    let files = try files()
    try files.makeSymbolicLink("/home/capsule", to: "/unmounted/capsule")
    let environment = StoreScenario.environment(files, seed: 1)
    expect(try Store.open(at: FilePath("/home/capsule"), environment: environment) == nil)
    expect(throws: Fault.self) { try insert(0x10, "/home/capsule", files) }
    expect(files.files(), is: [:])
  }

  @Test(arguments: ["capsules", "blobs", "tmp", "trash", "trash/capsules", "identities"])
  func `nothing is written through a link in the store's place`(name: String) throws {
    let files = try files()
    try insert(0x10, "/home/capsule", files)
    try files.createDirectory(FilePath("/disk/elsewhere"), mode: 0o700)
    let path = FilePath("/home/capsule").appending(name)
    try files.rename(path, to: FilePath("/disk/old"))
    try files.makeSymbolicLink(path.text, to: "/disk/elsewhere")
    expect(throws: Fault.self) { try insert(0x11, "/home/capsule", files) }
    let environment = StoreScenario.environment(files, seed: 1)
    let store = try require(
      try Store.open(at: FilePath("/home/capsule"), environment: environment))
    expect(throws: Fault.self) {
      try store.trash.delete(.capsule, StoreScenario.id(0x10), now: StoreScenario.now)
    }
    expect(throws: (any Error).self) { try StoreScenario.stage(store, [1, 2, 3]) }
    expect(try files.contents(ofDirectory: FilePath("/disk/elsewhere")).isEmpty)
  }
}
