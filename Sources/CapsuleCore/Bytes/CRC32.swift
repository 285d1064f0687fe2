/// The cyclic redundancy check of IEEE 802.3 (reflected polynomial 0xedb88320, as in gzip, RFC 1952
/// section 8): it finds chance damage, at many times the speed of a hash.
package enum CRC32 {
  /// The remainders of each byte that has 0 to 7 zero bytes behind it, 256 for each count.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var remainder = UInt32(byte)
      for _ in 0..<8 { remainder = remainder >> 1 ^ (remainder & 1 == 0 ? 0 : 0xedb8_8320) }
      tables[byte] = remainder
    }
    for place in 256..<8 * 256 {
      let before = tables[place - 256]
      tables[place] = before >> 8 ^ tables[Int(before & 0xff)]
    }
    return tables
  }()

  /// Eight bytes are taken at once, each by a table of its own ("slicing by 8").
  static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    tables.withUnsafeBufferPointer { tables in
      var remainder: UInt32 = .max
      var place = 0
      while place + 8 <= bytes.count {
        let next = UInt64(
          littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
        let low = UInt32(truncatingIfNeeded: next) ^ remainder
        let high = UInt32(truncatingIfNeeded: next >> 32)
        remainder =
          tables[7 * 256 + Int(low & 0xff)] ^ tables[6 * 256 + Int(low >> 8 & 0xff)]
          ^ tables[5 * 256 + Int(low >> 16 & 0xff)] ^ tables[4 * 256 + Int(low >> 24)]
          ^ tables[3 * 256 + Int(high & 0xff)] ^ tables[2 * 256 + Int(high >> 8 & 0xff)]
          ^ tables[256 + Int(high >> 16 & 0xff)] ^ tables[Int(high >> 24)]
        place += 8
      }
      while place < bytes.count {
        remainder = remainder >> 8 ^ tables[Int((remainder ^ UInt32(bytes[place])) & 0xff)]
        place += 1
      }
      return ~remainder
    }
  }

  package static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.withUnsafeBytes { of($0) } }
  package static func of(_ bytes: [UInt8]) -> UInt32 { bytes.withUnsafeBytes { of($0) } }
}
