/// An open file of an index: blocks of 4096 bytes, read where they lie, and its log behind them.
///
/// Each block ends in the hash of its other 4088 bytes, seeded with the file's id and the block's number.
/// Places in the blocks are counted without the hashes. The first block is the head, which begins with
/// the id; it is written last, so that a file that was not finished has none. The file is closed when the
/// last holder lets go of it.
final class IndexBlocks: Sendable {
  static let size = 4096
  static let payload = 4088

  private let files: any FileSystem
  private let descriptor: FileDescriptor
  /// The number of bytes of the file, the log's included.
  let fileSize: Int
  let id: UInt64

  init(_ path: FilePath, in files: any FileSystem) throws(Malformed) {
    guard let descriptor = try? files.open(path, .read) else { throw Malformed() }
    self.files = files
    self.descriptor = descriptor
    fileSize = (try? Int(files.status(descriptor).size)) ?? 0
    let id = (try? files.chunk(descriptor, at: 0, count: 8)) ?? []
    self.id = id.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  deinit {
    try? files.close(descriptor)
  }

  /// Returns a block with its hash.
  ///
  /// - Parameter payload: 4088 bytes.
  static func block(_ payload: some Collection<UInt8>, _ number: Int, id: UInt64) -> [UInt8] {
    var encoder = IndexEncoder(bytes: Array(payload))
    encoder.put(IndexHash.hash(encoder.bytes, seed: seed(id: id, block: number)))
    return encoder.bytes
  }

  private static func seed(id: UInt64, block: Int) -> UInt64 {
    id &+ UInt64(truncatingIfNeeded: block) &* 0x9e37_79b9_7f4a_7c15
  }

  /// Returns some bytes, which stand in blocks that are whole.
  func bytes(_ range: Range<Int>) throws(Malformed) -> [UInt8] {
    guard range.lowerBound >= 0, range.upperBound <= fileSize else { throw Malformed() }
    if range.isEmpty { return [] }
    let blocks = range.lowerBound / Self.payload...(range.upperBound - 1) / Self.payload
    let offset = Int64(blocks.lowerBound * Self.size)
    let raw = try? files.chunk(descriptor, at: offset, count: blocks.count * Self.size)
    guard let raw, raw.count == blocks.count * Self.size else { throw Malformed() }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(range.count)
    for (number, block) in blocks.enumerated() {
      let start = number * Self.size
      let end = start + Self.payload
      let found = raw[start..<end].withUnsafeBytes {
        IndexHash.hash($0, seed: Self.seed(id: id, block: block))
      }
      var hash = IndexDecoder(raw[end..<end + 8])
      guard try hash.next() == found else { throw Malformed() }
      let origin = block * Self.payload
      let part = range.clamped(to: origin..<origin + Self.payload)
      bytes += raw[start + part.lowerBound - origin..<start + part.upperBound - origin]
    }
    return bytes
  }

  /// Returns the number of the file's bytes behind the block that ends at a place.
  func logSize(behind end: Int) -> Int { fileSize - end / Self.payload * Self.size }

  /// Returns the bytes behind the block that ends at a place; `nil` where they cannot be read, or are too
  /// many.
  func log(behind end: Int) -> [UInt8]? {
    let count = logSize(behind: end)
    guard 0...2 * IndexLog.limit ~= count else { return nil }
    return try? files.chunk(descriptor, at: Int64(fileSize - count), count: count)
  }
}

/// Writes the blocks of a file from its start to its end.
struct IndexBlockWriter {
  private static let piece = 64 * IndexBlocks.payload

  private let files: any FileSystem
  private let file: FileDescriptor
  private let id: UInt64
  /// The bytes that were not written yet, from the start of a block on.
  private var waiting: [UInt8]
  private var block = 0

  /// The number of bytes so far, the head's included.
  private(set) var count = IndexBlocks.payload

  /// Leaves the place of the head empty.
  init(_ files: any FileSystem, _ file: FileDescriptor, id: UInt64) {
    self.files = files
    self.file = file
    self.id = id
    waiting = [UInt8](repeating: 0, count: IndexBlocks.payload)
    waiting.reserveCapacity(2 * Self.piece)
  }

  mutating func write(_ bytes: some Collection<UInt8>) throws(Fault) {
    waiting.append(contentsOf: bytes)
    count += bytes.count
    if waiting.count >= Self.piece { try flush() }
  }

  /// Fills the block that was begun, and writes the head.
  mutating func finish(_ head: (_ end: Int) -> [UInt8]) throws(Fault) {
    let begun = count % IndexBlocks.payload
    if begun > 0 { try write(repeatElement(0, count: IndexBlocks.payload - begun)) }
    try flush()
    let head = head(count)
    let padded = head + repeatElement(0, count: IndexBlocks.payload - head.count)
    try files.writeAll(file, IndexBlocks.block(padded, 0, id: id), at: 0)
  }

  /// Writes the blocks that are full.
  private mutating func flush() throws(Fault) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(waiting.count / IndexBlocks.payload * IndexBlocks.size)
    var start = 0
    while waiting.count - start >= IndexBlocks.payload {
      bytes += IndexBlocks.block(waiting[start..<start + IndexBlocks.payload], block, id: id)
      start += IndexBlocks.payload
      block += 1
    }
    waiting.removeFirst(start)
    try files.writeAll(file, bytes)
  }
}
