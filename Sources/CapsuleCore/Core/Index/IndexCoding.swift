/// The index's files hold something else than what was written to them.
struct IndexDamage: Error, Hashable {}

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

  /// Overwrites bytes that were put before.
  mutating func replace(at offset: Int, _ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { source in
      for (position, byte) in source.enumerated() { bytes[offset + position] = byte }
    }
  }
}

/// Reads what ``IndexEncoder`` wrote, within bounds.
struct IndexDecoder {
  let bytes: [UInt8]
  private(set) var offset: Int
  private let end: Int

  init(_ bytes: [UInt8], from offset: Int = 0, count: Int? = nil) throws(IndexDamage) {
    self.bytes = bytes
    self.offset = offset
    end = count.map { offset + $0 } ?? bytes.count
    guard offset >= 0, end >= offset, end <= bytes.count else { throw IndexDamage() }
  }

  var rest: Int { end - offset }

  mutating func next<Value: FixedWidthInteger>(
    _ type: Value.Type = Value.self
  ) throws(IndexDamage) -> Value {
    let size = MemoryLayout<Value>.size
    guard rest >= size else { throw IndexDamage() }
    let start = offset
    offset += size
    return bytes.withUnsafeBytes {
      Value(littleEndian: $0.loadUnaligned(fromByteOffset: start, as: Value.self))
    }
  }

  mutating func id() throws(IndexDamage) -> RecordID {
    RecordID(high: try next(), low: try next())
  }

  mutating func time() throws(IndexDamage) -> FileTime {
    FileTime(seconds: try next(), nanoseconds: Int64(try next(UInt32.self)))
  }

  mutating func stamp() throws(IndexDamage) -> FileStamp {
    FileStamp(inode: try next(), size: try next(), modified: try time(), changed: try time())
  }

  mutating func take(_ count: Int) throws(IndexDamage) -> ArraySlice<UInt8> {
    guard count >= 0, rest >= count else { throw IndexDamage() }
    defer { offset += count }
    return bytes[offset..<offset + count]
  }

  /// Returns bytes with their count before them.
  mutating func counted() throws(IndexDamage) -> ArraySlice<UInt8> {
    try take(Int(try next(UInt32.self)))
  }
}
