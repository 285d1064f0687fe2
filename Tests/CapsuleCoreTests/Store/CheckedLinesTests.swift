import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

@Suite struct CheckedLinesTests {
  private let line = CheckedLines.line(Array("R capsule/1 {\"a\":1}".utf8)[...])

  @Test func `a line is what was written`() {
    expect(CheckedLines.isIntact(line[...]) && CheckedLines.isWhole(line[...]))
    expect(
      Array(line.dropFirst(CheckedLines.prefixCount)), is: Array("R capsule/1 {\"a\":1}".utf8))
  }

  @Test func `both checks find each bit that flips`() {
    for place in line.indices {
      for bit in 0..<8 {
        var changed = line
        changed[place] ^= 1 << bit
        expect(!CheckedLines.isIntact(changed[...]), "byte \(place), bit \(bit)")
        expect(!CheckedLines.isWhole(changed[...]), "byte \(place), bit \(bit)")
      }
    }
  }

  @Test func `a line whose first check was made to fit is not whole`() {
    let other = CheckedLines.line(Array("R capsule/1 {\"a\":2}".utf8)[...])
    var forged = line
    forged[line.count - 2] = UInt8(ascii: "2")
    let rest = Array(forged.dropFirst(9))
    let check = String(CRC32.of(rest), radix: 16)
    forged.replaceSubrange(
      0..<8, with: Array((String(repeating: "0", count: 8 - check.count) + check).utf8))
    expect(CheckedLines.isIntact(forged[...]) && !CheckedLines.isWhole(forged[...]))
    expect(forged != other)
  }

  @Test func `a line that is cut is not intact`() {
    for count in 0..<line.count { expect(!CheckedLines.isIntact(line.prefix(count))) }
  }

  @Test func `the next newline is found at any place`() {
    for length in 0..<100 {
      var bytes = [UInt8](repeating: 1, count: 100)
      bytes[length] = 0x0A
      for start in 0...length {
        expect(CheckedLines.newline(in: bytes, from: start), is: length)
      }
      expect(CheckedLines.newline(in: bytes, from: length + 1) == nil)
    }
  }

  @Test func `a line without a text is none`() {
    expect(!CheckedLines.isIntact(CheckedLines.line([])[...]))
    expect(CheckedLines.isIntact(CheckedLines.line([1])[...]))
  }
}
