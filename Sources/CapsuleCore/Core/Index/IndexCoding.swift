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

  /// Returns bytes with their count before them.
  mutating func counted() throws(Malformed) -> ArraySlice<UInt8> {
    try take(Int(try next(UInt32.self)))
  }
}

/// The form of an entry in bytes, a cell, as the base and the log have it: 56 bytes and the
/// summary.
enum IndexEntryCoding {
  static let headCount = 56

  static func append(_ entry: IndexEntry, to bytes: inout [UInt8]) {
    var encoder = IndexEncoder()
    swap(&encoder.bytes, &bytes)
    encoder.put(entry.id)
    encoder.put(entry.sortKey)
    encoder.put(entry.madeAt)
    encoder.put(entry.due)
    encoder.put(entry.nameHash)
    encoder.put(entry.problem.rawValue)
    encoder.put(UInt16(0))
    encoder.put(counted: entry.summary)
    swap(&encoder.bytes, &bytes)
  }

  /// Returns the cell that begins where the decoder stands.
  static func read(_ decoder: inout IndexDecoder) throws(Malformed) -> IndexEntry {
    let id = try decoder.id()
    let sortKey = try decoder.next(Int64.self)
    let madeAt = try decoder.next(Int64.self)
    let due = try decoder.next(Int64.self)
    let nameHash = try decoder.next(UInt64.self)
    let problem = try decoder.next(UInt16.self)
    _ = try decoder.next(UInt16.self)
    return IndexEntry(
      id: id, sortKey: sortKey, madeAt: madeAt, due: due, nameHash: nameHash,
      problem: IndexProblem(rawValue: problem), summary: Array(try decoder.counted()))
  }
}

/// An open file of the index, closed when the last holder lets go of it.
final class IndexFile: Sendable {
  private let files: any FileSystem
  private let descriptor: FileDescriptor
  let size: Int64

  init(_ path: FilePath, in files: any FileSystem) throws(Fault) {
    self.files = files
    descriptor = try files.open(path, .read)
    do {
      size = try files.status(descriptor).size
    } catch {
      try? files.close(descriptor)
      throw error
    }
  }

  deinit {
    try? files.close(descriptor)
  }

  /// Returns exactly `count` bytes.
  func read(at offset: Int64, count: Int) throws(Malformed) -> [UInt8] {
    guard count >= 0, offset >= 0, offset <= size, Int64(count) <= size - offset else {
      throw Malformed()
    }
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
      let target = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count)
      done = (try? files.read(descriptor, at: offset, into: target)) ?? 0
    }
    if bytes.count != count { throw Malformed() }
    return bytes
  }
}

/// A file of blocks of 4096 bytes, each of which ends in the hash of its other 4088 bytes, seeded
/// with the file's id and the block's number.
struct IndexBlocks: Sendable {
  static let size = 4096
  static let payload = 4088

  let file: IndexFile
  /// The file's id; 0 until it is known.
  var id: UInt64

  init(_ file: IndexFile, id: UInt64) {
    self.file = file
    self.id = id
  }

  var count: Int { Int(file.size / Int64(Self.size)) }

  static func seed(id: UInt64, number: Int) -> UInt64 {
    id &+ UInt64(truncatingIfNeeded: number) &* 0x9e37_79b9_7f4a_7c15
  }

  /// Returns the payloads of some blocks, one behind the other.
  func payloads(_ numbers: Range<Int>) throws(Malformed) -> [UInt8] {
    guard numbers.lowerBound >= 0, numbers.upperBound <= count else { throw Malformed() }
    var bytes = try file.read(
      at: Int64(numbers.lowerBound) * Int64(Self.size), count: numbers.count * Self.size)
    var isWhole = true
    bytes.withUnsafeMutableBytes { buffer in
      for (position, number) in numbers.enumerated() {
        let start = position * Self.size
        let block = UnsafeRawBufferPointer(rebasing: buffer[start..<start + Self.payload])
        let found = buffer.loadUnaligned(fromByteOffset: start + Self.payload, as: UInt64.self)
        let seed = Self.seed(id: id, number: number)
        if IndexHash.hash(block, seed: seed) != UInt64(littleEndian: found) {
          isWhole = false
          return
        }
        if position > 0, let base = buffer.baseAddress, let from = block.baseAddress {
          // The ranges overlap by the hashes that were dropped: `copyMemory` allows that.
          (base + position * Self.payload).copyMemory(from: from, byteCount: Self.payload)
        }
      }
    }
    if !isWhole { throw Malformed() }
    bytes.removeLast(numbers.count * (Self.size - Self.payload))
    return bytes
  }
}
