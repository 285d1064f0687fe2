import CapsulePlatform
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// A disk on which a file in `tmp/` reads otherwise than it was written.
private struct FlippingFileSystem: ForwardingFileSystem {
  let files: SimulatedFileSystem

  func readOnce(
    _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Fault) -> Int {
    let count = try files.readOnce(file, into: buffer)
    let isStaged = try files.status(file).size > 200_000
    if isStaged, count > 1_000 { buffer[1_000] ^= 1 }
    return count
  }
}

/// A disk on which another process writes to a file while it is read.
private struct GrowingFileSystem: ForwardingFileSystem {
  let files: SimulatedFileSystem
  let path: String

  func readOnce(
    _ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Fault) -> Int {
    let count = try files.readOnce(file, into: buffer)
    if count == 0, file.path.text == path { try? files.setBytes(path, [1, 2, 3]) }
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
    let flipping = try require(try Store.open(at: StoreScenario.root, environment: environment))
    let new = NewCapsule(
      title: "Letter", unlockAt: now.adding(seconds: 60), contents: [.file("/letter")])
    expect {
      try flipping.capsules.create(new, limit: 1 << 20, now: now)
    } throws: { error in
      error as? Fault == .proof(path: "/letter")
    }
    expect(files.files(under: "/s/tmp").isEmpty && files.files(under: "/s/blobs").isEmpty)
    expect(throws: Never.self) {
      _ = try flipping.capsules.create(new, limit: 1 << 20, now: now, isProven: false)
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
      expect(parts.digest() == whole.digest() && parts.count == 1_000)
    }
    var other = bytes
    other[500] ^= 1
    var changed = StreamDigest(key: key)
    other.withUnsafeBytes { changed.update($0) }
    expect(changed.digest() != whole.digest())
  }

  /// A directory that came in place of the file after it was looked at, and a file that may not be read.
  @Test(arguments: [EISDIR, EACCES])
  func `a file that does not open is named, and nothing is sealed`(code: Int32) throws {
    files.plan([.on(.open, path: "/letter", .fail(code))])
    let new = NewCapsule(
      title: "Letter", unlockAt: now.adding(seconds: 60), contents: [.file("/letter")])
    expect {
      try store.capsules.create(new, limit: 1 << 20, now: now)
    } throws: { error in
      switch (error as? Fault)?.code {
      case .sourceIsDirectory: code == EISDIR
      case .unreadableSource: code == EACCES && (error as? Fault)?.errno == code
      default: false
      }
    }
  }

  @Test func `the digest under a key is the tag of RFC 8439`() throws {
    let key = try require(
      Hex.decode("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b"))
    let random = RandomSource { buffer in buffer.copyBytes(from: key) }
    var digest = StreamDigest(key: try StreamDigest.Key(random: random))
    Array("Cryptographic Forum Research Group".utf8).withUnsafeBytes { digest.update($0) }
    let tag = withUnsafeBytes(of: digest.digest().littleEndian) { Hex.encode(Array($0)) }
    expect(tag, is: "a8061dc1305136c6c22b8baf0c0127a9")
  }

  @Test func `a file that another process writes to while it is sealed is not taken`() throws {
    let environment = StoreScenario.environment(
      GrowingFileSystem(files: files, path: "/letter"), seed: 3)
    let growing = try require(try Store.open(at: StoreScenario.root, environment: environment))
    expect {
      try growing.capsules.create(
        NewCapsule(title: "L", unlockAt: now, contents: [.file("/letter")]), limit: 1 << 20,
        now: now)
    } throws: { error in
      error as? Fault == .sealedSourceChanged(path: "/letter")
    }
    expect(files.files(under: "/s/blobs").isEmpty && files.files(under: "/s/tmp").isEmpty)
  }
}
