import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

/// Every class of the public vectors of the format (C2SP/CCTV), and some more, must come to the
/// outcome that is expected, with the plaintext that may be released and not a byte more.
@Suite struct AgeVectorTests {
  @Test(arguments: AgeVector.headers())
  func `a header is taken or refused to the letter`(vector: AgeVector) throws {
    try check(vector)
  }

  @Test(arguments: AgeVector.x25519s())
  func `an X25519 stanza opens, or fails as its damage demands`(vector: AgeVector) throws {
    try check(vector)
  }

  @Test(arguments: try AgeVector.scrypts())
  func `a passphrase stanza opens, or fails as its damage demands`(vector: AgeVector) throws {
    try check(vector)
  }

  @Test(arguments: AgeVector.streams())
  func `a damaged payload gives what precedes the damage`(vector: AgeVector) throws {
    try check(vector)
  }

  @Test(arguments: try AgeVector.armors())
  func `armor is taken or refused to the letter`(vector: AgeVector) throws {
    try check(vector)
  }

  private func check(_ vector: AgeVector) throws {
    let (outcome, released) = try vector.open(MemorySource(vector.file))
    expect(outcome, is: vector.expect)
    expect(released, is: vector.released)
    // The outcome does not depend on how the bytes arrive, nor on the number of threads.
    let step = vector.file.count < 10_000 ? 1 : 4_099
    let trickled = try vector.open(TrickleSource(vector.file, step: step), threads: 1)
    expect(trickled.0, is: vector.expect)
    expect(trickled.released, is: vector.released)
  }

  @Test(arguments: AgeVector.headers().filter { $0.expect == .success })
  func `a header that was read is written the same`(vector: AgeVector) throws {
    let reader = try AgeReader(MemorySource(vector.file), encoding: .binary)
    expect(vector.file.starts(with: reader.header.encoded))
    let fileKey = try require(
      FileKey(SecretBytes(copying: Array("YELLOW SUBMARINE".utf8))))
    let again = AgeHeader(stanzas: reader.header.stanzas, fileKey: fileKey)
    expect(again, is: reader.header)
  }

  @Test(arguments: try AgeVector.armors().filter { $0.expect == .success })
  func `armor that was read is written the same, but for white space around it`(
    vector: AgeVector
  ) throws {
    let text = String(decoding: vector.file, as: UTF8.self)
    let parts = text.split(separator: "-----", omittingEmptySubsequences: false)
    let body = try require(parts.dropFirst(2).first)
    let digits = body.filter { $0 != "\n" && $0 != "\r\n" && $0 != "\r" }
    let bytes = try require(Base64.decode(String(digits), padded: true))
    var sink = try ArmorSink(MemorySink())
    for piece in stride(from: 0, to: bytes.count, by: 7) {
      try Array(bytes[piece..<min(piece + 7, bytes.count)]).withUnsafeBytes { try sink.write($0) }
    }
    try sink.finish()
    let trimmed = text.replacing("\r\n", with: "\n").drop { $0.isWhitespace }
    let written = String(decoding: sink.target.bytes, as: UTF8.self)
    expect((trimmed + "\n").hasPrefix(written))
  }
}
