import TestSupport
import Testing

@testable import CapsuleCore

/// A disk on which a file in `tmp/` reads otherwise than it was written.
private struct FlippingFileSystem: ForwardingFileSystem {
  let files: SimulatedFileSystem

  func readOnce(
    _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer
  ) throws(FileSystemError) -> Int {
    let count = try files.readOnce(file, into: buffer)
    let isStaged = try files.status(file).size > 200_000
    if isStaged, count > 1_000 { buffer[1_000] ^= 1 }
    return count
  }
}

/// What is sealed is read back.
@Suite struct ContentProofTests {
  private let files = SimulatedFileSystem()
  private let store: Store
  private let now = StoreScenario.now

  init() throws {
    store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1),
      now: Instant(seconds: 1_600_000_000))
    try files.writeTemporary(
      FilePath("/letter"), (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }, mode: 0o600)
  }

  @Test func `a sealed file that does not read back as it was sealed is not kept`() throws {
    let environment = StoreScenario.environment(FlippingFileSystem(files: files), seed: 3)
    let flipping = try #require(try Store.open(at: StoreScenario.root, environment: environment))
    let new = NewCapsule(
      title: "Letter", unlockAt: now.adding(seconds: 60), contents: [.file("/letter")])
    #expect {
      try flipping.createCapsule(new, limit: 1 << 20, now: now)
    } throws: { error in
      if case CapsuleError.proof("/letter") = error { true } else { false }
    }
    #expect(files.files(under: "/s/tmp").isEmpty && files.files(under: "/s/blobs").isEmpty)
    #expect(throws: Never.self) {
      _ = try flipping.createCapsule(new, limit: 1 << 20, now: now, isProven: false)
    }
  }

  @Test func `a digest does not depend on how the bytes come`() throws {
    let key = try StreamDigest.Key(random: .system)
    let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    var whole = StreamDigest(key: key)
    bytes.withUnsafeBytes { whole.update($0) }
    for size in [1, 3, 15, 16, 17, 64, 999] {
      var parts = StreamDigest(key: key)
      bytes.withUnsafeBytes { all in
        for start in stride(from: 0, to: all.count, by: size) {
          parts.update(UnsafeRawBufferPointer(rebasing: all[start..<min(start + size, all.count)]))
        }
      }
      #expect(parts.digest() == whole.digest() && parts.count == 1_000)
    }
    var other = bytes
    other[500] ^= 1
    var changed = StreamDigest(key: key)
    other.withUnsafeBytes { changed.update($0) }
    #expect(changed.digest() != whole.digest())
  }
}
