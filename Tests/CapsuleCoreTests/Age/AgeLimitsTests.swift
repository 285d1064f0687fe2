import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

/// Input that never ends, or asks for too much, is refused after little time and memory.
@Suite struct AgeLimitsTests {
  /// Some bytes, then a piece that is repeated until far more was read than memory holds.
  private struct Endless: ByteSource {
    private var start: MemorySource
    private let piece: [UInt8]
    private var left: Int

    init(_ start: String, then piece: String, byteCount: Int = 10 << 30) {
      self.start = MemorySource(Array(start.utf8))
      self.piece = Array(piece.utf8)
      left = byteCount
    }

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
      let count = start.read(into: buffer)
      guard count == 0 else { return count }
      let whole = min(buffer.count, left) / piece.count * piece.count
      for index in stride(from: 0, to: whole, by: piece.count) {
        UnsafeMutableRawBufferPointer(rebasing: buffer[index...]).copyBytes(from: piece)
      }
      left -= whole
      return whole
    }
  }

  static let version = "age-encryption.org/v1\n"

  static let endless: [(String, String, String)] = [
    ("", "A", "header notAge"),
    ("age-encryption.org/", "1", "header notAge"),
    (version, "A", "header tooLong"),
    (version + "-> X25519 ", "A", "header tooLong"),
    (version + "-> x\n", String(repeating: "A", count: 64) + "\n", "header tooLong"),
    (version, "-> x\n\n", "header tooLong"),
    (version + "-> x\n\n--- ", "A", "header tooLong"),
    ("-----BEGIN AGE ENCRYPTED FILE-----", "A", "armor begin(line: 1)"),
    ("-----BEGIN AGE ENCRYPTED FILE-----\n", "A", "armor line(2)"),
    ("-----BEGIN AGE ENCRYPTED FILE-----\n", "\n", "armor line(2)"),
  ]

  @Test(arguments: endless)
  func `ten gigabytes of header are refused without being read`(
    start: String, piece: String, failed: String
  ) {
    let source = Endless(start, then: piece)
    expect(failure { _ = try AgeReader(source) }, is: failed)
  }

  @Test func `a million stanzas are refused`() {
    let source = Endless(
      Self.version, then: "-> X25519 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n\n",
      byteCount: 1_000_000 * 56)
    expect(failure { _ = try AgeReader(source) }, is: "header tooLong")
  }

  @Test func `a header of very many small stanzas or words costs little`() {
    let stanzas = Self.version + String(repeating: "-> x\n\n", count: 20_001)
    expect(failure { _ = try AgeReader(MemorySource(Array(stanzas.utf8))) }, is: "header tooLong")
    let words = Self.version + "->" + String(repeating: " x", count: 40_000) + "\n\n"
    expect(failure { _ = try AgeReader(MemorySource(Array(words.utf8))) }, is: "header tooLong")
  }

  @Test func `a file to a thousand recipients is read`() throws {
    let stanza = Stanza(arguments: ["x"], body: [UInt8](repeating: 1, count: 32))
    let key = try require(FileKey(SecretBytes(copying: [UInt8](repeating: 0, count: 16))))
    let header = AgeHeader(stanzas: [Stanza](repeating: stanza, count: 1_000), fileKey: key)
    let read = try AgeReader(MemorySource(header.encoded)).header
    expect(read, is: header)
    expect(read.isAuthentic(fileKey: key))
  }

  @Test(arguments: ["23", "30", "31", "32", "63", "64", "99", "100", "4294967314"])
  func `work above 2 to the 22 is refused before anything is computed`(workFactor: String) {
    let file =
      Self.version + "-> scrypt AAAAAAAAAAAAAAAAAAAAAA \(workFactor)\n"
      + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n"
      + "--- AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n"
    expect(
      failure { _ = try AgeReader(MemorySource(Array(file.utf8))) }, is: "header workFactor")
  }

  static let explained: [(String, String)] = [
    ("", "header empty"),
    ("hello\n", "header notAge"),
    ("age-encryption.org/v1", "header notAge"),
    ("age-encryption.org/v1\r\n", "header carriageReturn(line: 1)"),
    ("age-encryption.org/v2\nwhatever", "header unsupportedVersion"),
    ("age-encryption.org/\n", "header notAge"),
    (version, "header truncated"),
    (version + "-> x\n", "header truncated"),
    (version + "-> x\r\n", "header carriageReturn(line: 2)"),
    (version + "-> x\n\nhello\n", "header unexpectedLine(4)"),
    (version + "-> x\n$$$\n", "header body(line: 3)"),
    (version + "-> x \n\n", "header arguments(line: 2)"),
    (version + "--- AAAA\n", "header noStanza"),
    (version + "-> x\n\n--- AAAA\n", "header macLine"),
    (version + "-> X25519 AAAA\n\n", "header truncated"),
    ("\n\nhello\n", "armor begin(line: 3)"),
    ("-----BEGIN AGE ENCRYPTED FILE-----", "armor truncated"),
    ("-----BEGIN AGE ENCRYPTED FILE-----\nAAAA\nAAAA\n", "armor end(line: 3)"),
    ("-----BEGIN AGE ENCRYPTED FILE-----\nAAAA\n", "armor truncated"),
    ("-----BEGIN AGE ENCRYPTED FILE-----\nAAAA\n-----END\n", "armor end(line: 3)"),
    ("-----BEGIN AGE ENCRYPTED FILE-----\n-----END AGE ENCRYPTED FILE-----x", "armor end(line: 2)"),
    ("-----BEGIN AGE ENCRYPTED FILE-----\n-----END AGE ENCRYPTED FILE-----\nx", "armor trailing"),
    ("-----BEGIN AGE ENCRYPTED FILE-----\n-----END AGE ENCRYPTED FILE-----  \n", "header empty"),
  ]

  @Test(arguments: explained)
  func `what is wrong with a header or armor is said, with its line`(
    text: String, failed: String
  ) {
    expect(failure { _ = try AgeReader(MemorySource(Array(text.utf8))) }, is: failed)
    expect(failure { _ = try AgeReader(TrickleSource(Array(text.utf8), step: 1)) }, is: failed)
  }
}
