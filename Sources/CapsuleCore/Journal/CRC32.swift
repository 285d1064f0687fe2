/// The cyclic redundancy check of IEEE 802.3 (reflected polynomial 0xedb88320, as in gzip, RFC 1952
/// section 8): it tells a header from bytes that only look like one.
enum CRC32 {
  static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
    var remainder: UInt32 = .max
    for byte in bytes {
      remainder ^= UInt32(byte)
      for _ in 0..<8 {
        remainder = remainder >> 1 ^ (remainder & 1 == 0 ? 0 : 0xedb8_8320)
      }
    }
    return ~remainder
  }
}
