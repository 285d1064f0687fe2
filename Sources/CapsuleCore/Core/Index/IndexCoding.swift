/// XXH64: a fast 64-bit hash against accidents, not against people.
///
/// Source: the xxHash specification, version 0.1.1 (github.com/Cyan4973/xxHash).
package enum IndexHash {
  private static let prime1: UInt64 = 0x9e37_79b1_85eb_ca87
  private static let prime2: UInt64 = 0xc2b2_ae3d_27d4_eb4f
  private static let prime3: UInt64 = 0x1656_67b1_9e37_79f9
  private static let prime4: UInt64 = 0x85eb_ca77_c2b2_ae63
  private static let prime5: UInt64 = 0x27d4_eb2f_1656_67c5

  /// Returns the hash of some bytes.
  package static func hash(_ bytes: [UInt8], seed: UInt64 = 0) -> UInt64 {
    bytes.withUnsafeBytes { hash($0, seed: seed) }
  }

  /// Returns the hash of some bytes.
  package static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
    var offset = 0
    var hash: UInt64
    if bytes.count >= 32 {
      var lane1 = seed &+ prime1 &+ prime2
      var lane2 = seed &+ prime2
      var lane3 = seed
      var lane4 = seed &- prime1
      while offset &+ 32 <= bytes.count {
        lane1 = round(lane1, word(bytes, offset))
        lane2 = round(lane2, word(bytes, offset &+ 8))
        lane3 = round(lane3, word(bytes, offset &+ 16))
        lane4 = round(lane4, word(bytes, offset &+ 24))
        offset &+= 32
      }
      hash =
        rotate(lane1, 1) &+ rotate(lane2, 7) &+ rotate(lane3, 12) &+ rotate(lane4, 18)
      for lane in [lane1, lane2, lane3, lane4] {
        hash = (hash ^ round(0, lane)) &* prime1 &+ prime4
      }
    } else {
      hash = seed &+ prime5
    }
    hash &+= UInt64(bytes.count)
    while offset &+ 8 <= bytes.count {
      hash = rotate(hash ^ round(0, word(bytes, offset)), 27) &* prime1 &+ prime4
      offset &+= 8
    }
    if offset &+ 4 <= bytes.count {
      let half = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
      hash = rotate(hash ^ UInt64(half) &* prime1, 23) &* prime2 &+ prime3
      offset &+= 4
    }
    while offset < bytes.count {
      hash = rotate(hash ^ UInt64(bytes[offset]) &* prime5, 11) &* prime1
      offset &+= 1
    }
    hash = (hash ^ hash >> 33) &* prime2
    hash = (hash ^ hash >> 29) &* prime3
    return hash ^ hash >> 32
  }

  @inline(__always)
  private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  @inline(__always)
  private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    rotate(lane &+ word &* prime2, 31) &* prime1
  }

  @inline(__always)
  private static func rotate(_ word: UInt64, _ count: UInt64) -> UInt64 {
    word << count | word >> (64 - count)
  }
}

/// Little-endian integers, one behind the other.
struct IndexEncoder {
  var bytes: [UInt8] = []

  mutating func put(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func put(_ id: RecordID) {
    put(id.high)
    put(id.low)
  }

  mutating func put(_ time: FileTime) {
    put(time.seconds)
    put(UInt32(truncatingIfNeeded: time.nanoseconds))
  }

  mutating func put(_ stamp: FileStamp) {
    put(stamp.inode)
    put(stamp.size)
    put(stamp.modified)
    put(stamp.changed)
  }

  /// Puts bytes with their count before them.
  mutating func put(counted value: some Collection<UInt8>) {
    put(UInt32(truncatingIfNeeded: value.count))
    bytes.append(contentsOf: value)
  }
}

/// Reads what ``IndexEncoder`` wrote, within bounds.
struct IndexDecoder {
  let bytes: [UInt8]
  private(set) var offset: Int
  private let end: Int

  init(_ bytes: [UInt8], from offset: Int = 0, count: Int? = nil) throws(Malformed) {
    self.bytes = bytes
    self.offset = offset
    end = count.map { offset + $0 } ?? bytes.count
    guard offset >= 0, end >= offset, end <= bytes.count else { throw Malformed() }
  }

  var rest: Int { end - offset }

  mutating func next<Value: FixedWidthInteger>(
    _ type: Value.Type = Value.self
  ) throws(Malformed) -> Value {
    let size = MemoryLayout<Value>.size
    guard rest >= size else { throw Malformed() }
    let start = offset
    offset += size
    return bytes.withUnsafeBytes {
      Value(littleEndian: $0.loadUnaligned(fromByteOffset: start, as: Value.self))
    }
  }

  mutating func id() throws(Malformed) -> RecordID {
    RecordID(high: try next(), low: try next())
  }

  mutating func time() throws(Malformed) -> FileTime {
    FileTime(seconds: try next(), nanoseconds: Int64(try next(UInt32.self)))
  }

  mutating func stamp() throws(Malformed) -> FileStamp {
    FileStamp(inode: try next(), size: try next(), modified: try time(), changed: try time())
  }

  mutating func take(_ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
    guard count >= 0, rest >= count else { throw Malformed() }
    defer { offset += count }
    return bytes[offset..<offset + count]
  }

  /// Returns a place or count that is not above a limit.
  mutating func place(_ limit: Int) throws(Malformed) -> Int {
    guard let place = Int(exactly: try next(UInt64.self)), place <= limit else { throw Malformed() }
    return place
  }

  /// Returns bytes with their count before them.
  mutating func counted() throws(Malformed) -> ArraySlice<UInt8> {
    try take(Int(try next(UInt32.self)))
  }
}
