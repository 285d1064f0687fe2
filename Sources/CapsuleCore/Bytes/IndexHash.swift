/// A fast 64-bit hash against accidents, not against people.
///
/// Bytes of one count that differ only within eight, from a multiple of eight on, never have the same.
package enum IndexHash {
  package static func hash(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
    bytes.withUnsafeBytes { hash($0, seed: seed) }
  }

  package static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
    var hash = mix(mix(seed) ^ UInt64(bytes.count))
    var offset = 0
    while offset &+ 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      hash = mix(hash ^ UInt64(littleEndian: word))
      offset &+= 8
    }
    let last = bytes[offset...].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    return mix(mix(hash ^ last))
  }

  /// No two words have the same result: multiplying by an odd number and folding can be undone.
  @inline(__always)
  private static func mix(_ word: UInt64) -> UInt64 {
    let product = word &* 0x9e37_79b1_85eb_ca87
    return product ^ product >> 32
  }
}
