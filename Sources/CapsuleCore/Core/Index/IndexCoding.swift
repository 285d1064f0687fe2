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
    return Value(truncatingIfNeeded: bytes.littleEndian(at: start, size: size))
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
