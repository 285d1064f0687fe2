import CapsuleBytes
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct CRC32Tests {
  @Test func `the checksum is that of IEEE 802_3`() {
    expect(CRC32.of(Array("123456789".utf8)), is: 0xcbf4_3926)
    expect(CRC32.of([UInt8]()), is: 0)
  }

  @Test func `eight bytes at once give the same as bit by bit, at any place and length`() {
    var generator = SeededGenerator(seed: 32)
    let bytes = (0..<90).map { _ in UInt8.random(in: 0...255, using: &generator) }
    for start in 0..<9 {
      for end in start...bytes.count {
        expect(CRC32.of(bytes[start..<end]), is: bitwise(bytes[start..<end]), "\(start)..<\(end)")
      }
    }
  }

  /// As the standard has it.
  private func bitwise(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var remainder: UInt32 = .max
    for byte in bytes {
      remainder ^= UInt32(byte)
      for _ in 0..<8 { remainder = remainder >> 1 ^ (remainder & 1 == 0 ? 0 : 0xedb8_8320) }
    }
    return ~remainder
  }
}
