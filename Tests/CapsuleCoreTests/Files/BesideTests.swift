import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Files of the user's own that appear when they are whole.
@Suite struct BesideTests {
  private let files = SimulatedFileSystem()
  private let random = SeededRandomSource(seed: 19).source

  init() throws {
    try files.createDirectory(FilePath("/out"), mode: 0o700)
    try files.synchronizeDirectory(FilePath("/"))
  }

  private func write(_ path: String, replacing: Bool = false) throws {
    try files.writeBeside(FilePath(path), replacing: replacing, random: random) { sink in
      try ([1, 2, 3] as [UInt8]).withUnsafeBytes { try sink.write($0) }
    }
  }

  private func leave(_ name: String) throws {
    try files.setBytes("/out/" + name, [9])
  }

  private static let left = ".capsule-00112233445566778899aabbccddeeff.tmp"

  @Test(arguments: [false, true])
  func `a file that was written survives a power cut`(replacing: Bool) throws {
    try write("/out/a", replacing: replacing)
    expect(files.after(.onlySynchronized).files(under: "/out"), is: ["/out/a": [1, 2, 3]])
    expect(files.openCount, is: 0)
  }

  @Test func `where a directory cannot be synchronised by anybody, a file is written all the same`()
    throws
  {
    for code: Int32 in [22, 95, 13] {
      files.plan([.on(.synchronize, path: "/out", occurrence: 2, .fail(code))])
      try write("/out/\(code)")
    }
    files.plan([.on(.synchronize, path: "/out", occurrence: 2, .fail(5))])
    expect(throws: Fault.self) { try write("/out/last") }
  }

  @Test func `what a killed process left goes with the next file`() throws {
    try leave(Self.left)
    try write("/out/a")
    expect(Array(files.files(under: "/out").keys), is: ["/out/a"])
  }

  @Test func `what another process is writing stays`() throws {
    try files.writeBeside(FilePath("/out/a"), replacing: false, random: random) { sink in
      try write("/out/b")
      try ([1] as [UInt8]).withUnsafeBytes { try sink.write($0) }
    }
    expect(files.files(under: "/out"), is: ["/out/a": [1], "/out/b": [1, 2, 3]])
  }

  @Test(arguments: [
    ".capsule-.tmp", ".capsule-0011.tmp", ".capsule-00112233445566778899aabbccddeefg.tmp",
    ".capsule-00112233445566778899aabbccddeeff", "capsule-00112233445566778899aabbccddeeff.tmp",
    ".capsule-00112233445566778899aabbccddeeff.tmp.txt", "a.tmp",
  ])
  func `nothing of another name is swept`(name: String) throws {
    try leave(name)
    try write("/out/a")
    expect(files.bytes("/out/" + name), is: [9])
  }

  @Test func `a sweep that comes in the moment before the lock takes no file from its writer`()
    throws
  {
    // The name is gone when it is looked for after the lock was taken.
    files.plan([.on(.status, path: ".capsule-", occurrence: 1, .fail(2))])
    try write("/out/a")
    expect(files.files(under: "/out"), is: ["/out/a": [1, 2, 3]])
  }

  @Test func `nothing is left of a file that could not be written`() throws {
    files.plan([.on(.write, path: ".capsule-", .fail(28))])
    expect(throws: Fault.self) { try write("/out/a") }
    expect(files.files(under: "/out").isEmpty && files.openCount == 0)
  }
}
