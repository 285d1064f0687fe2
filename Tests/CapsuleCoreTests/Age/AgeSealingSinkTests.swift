import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct AgeSealingSinkTests {
  private static let batch = 32 * PayloadStream.chunkByteCount

  private func seal(
    _ plaintext: [UInt8], pieces: Int, to identity: AgeIdentity
  ) throws -> [UInt8] {
    let sink = try AgeWriter(to: [identity.recipient], random: .system)
      .sealing(into: MemorySink(), threads: 2)
    var rest = plaintext[...]
    while !rest.isEmpty {
      try Array(rest.prefix(pieces)).withUnsafeBytes { try sink.write($0) }
      rest = rest.dropFirst(pieces)
    }
    return try sink.finish().bytes
  }

  /// Sizes around a chunk and around a batch, in pieces smaller and larger than a batch. Two megabytes
  /// take a debug build long: there each size around a batch comes in pieces of one kind.
  private static let cases: [(size: Int, pieces: Int)] = {
    let small = [0, 1, 65_535, 65_536, 65_537].flatMap { [($0, 100_000), ($0, 3 << 20)] }
    let large = [(batch - 1, 100_000), (batch, 3 << 20), (batch + 1, 100_000)]
    let rest = [(batch - 1, 3 << 20), (batch, 100_000), (batch + 1, 3 << 20)]
    return small + large + (TestScale.isFull ? rest : [])
  }()

  @Test(arguments: cases)
  func `what is written in pieces is one age file`(size: Int, pieces: Int) throws {
    let identity = try AgeIdentity(isPostQuantum: false, random: .system)
    let plaintext = testPattern(size)
    let sealed = try seal(plaintext, pieces: pieces, to: identity)
    try expect(openAge(sealed, with: [identity], threads: 1), is: plaintext)
  }

  @Test func `it is as long as what the writer makes of a source`() throws {
    let identity = try AgeIdentity(isPostQuantum: false, random: .system)
    for size in [0, 1, 65_536, 65_537, 200_000] {
      let whole = try AgeWriter(to: [identity.recipient], random: .system)
        .seal(testPattern(size), armor: false)
      try expect(seal(testPattern(size), pieces: 1_000, to: identity).count, is: whole.count)
    }
  }

  @Test func `without its end it is not taken for whole`() throws {
    let identity = try AgeIdentity(isPostQuantum: false, random: .system)
    let sealed = try seal(testPattern(Self.batch + 10), pieces: Self.batch, to: identity)
    // All but the last chunk, of 10 bytes and a tag.
    expect(throws: AgeFailure.self) {
      try openAge(Array(sealed.dropLast(26)), with: [identity], threads: 1)
    }
  }
}
