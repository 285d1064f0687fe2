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

  /// Puts the places of a cell.
  mutating func put(_ cell: Range<Int>) {
    put(UInt64(cell.lowerBound))
    put(UInt32(truncatingIfNeeded: cell.count))
  }

  /// Puts bytes with their count before them.
  mutating func put(counted value: some Collection<UInt8>) {
    put(UInt32(truncatingIfNeeded: value.count))
    bytes.append(contentsOf: value)
  }
}

/// Reads what ``IndexEncoder`` wrote, within bounds.
struct IndexDecoder {
  private let bytes: ArraySlice<UInt8>
  private var offset: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    offset = bytes.startIndex
  }

  var rest: Int { bytes.endIndex - offset }

  mutating func next<Value: FixedWidthInteger>(
    _ type: Value.Type = Value.self
  ) throws(Malformed) -> Value {
    let size = MemoryLayout<Value>.size
    guard rest >= size else { throw Malformed() }
    let start = offset - bytes.startIndex
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

  /// Returns the places of a cell, none of which is above a limit.
  mutating func cell(_ limit: Int) throws(Malformed) -> Range<Int> {
    let start = try place(limit)
    let end = start + Int(try next(UInt32.self))
    guard end <= limit else { throw Malformed() }
    return start..<end
  }

  /// Returns bytes with their count before them.
  mutating func counted() throws(Malformed) -> ArraySlice<UInt8> {
    try take(Int(try next(UInt32.self)))
  }
}
