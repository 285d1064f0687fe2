/// An open file of blocks of 4096 bytes, read where they lie. Each block ends in the hash of its other
/// 4088 bytes, seeded with the file's id and the block's number.
///
/// The last block is the head, so that a file cut short has none; it begins with the id. Places in the
/// file are counted without the hashes. The file is closed when the last holder lets go of it.
final class IndexBlocks: Sendable {
  static let size = 4096
  static let payload = 4088

  private let files: any FileSystem
  private let descriptor: FileDescriptor
  private let blocks: Int
  let id: UInt64
  /// The bytes of the last block.
  let head: [UInt8]

  /// The number of bytes before the head.
  var count: Int { (blocks - 1) * Self.payload }

  init(_ path: FilePath, in files: any FileSystem) throws(Malformed) {
    guard let descriptor = try? files.open(path, .read) else { throw Malformed() }
    self.files = files
    self.descriptor = descriptor
    let size = (try? files.status(descriptor).size) ?? 0
    blocks = size % Int64(Self.size) == 0 ? Int(size / Int64(Self.size)) : 0
    var head = [UInt8](repeating: 0, count: Self.size)
    let isRead =
      blocks > 0
      && (try? files.read(descriptor, at: size - Int64(Self.size), into: &head)) == Self.size
    id = head[..<8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    let hash = head[Self.payload...].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    head.removeLast(Self.size - Self.payload)
    self.head = head
    guard isRead, IndexHash.hash(head, seed: Self.seed(id: id, block: blocks - 1)) == hash
    else { throw Malformed() }
  }

  deinit {
    try? files.close(descriptor)
  }

  static func seed(id: UInt64, block: Int) -> UInt64 {
    id &+ UInt64(truncatingIfNeeded: block) &* 0x9e37_79b9_7f4a_7c15
  }

  /// Returns some bytes, which stand in blocks that are whole.
  @_optimize(speed)
  func bytes(_ range: Range<Int>) throws(Malformed) -> [UInt8] {
    guard range.lowerBound >= 0, range.upperBound <= count else {
      throw Malformed()
    }
    if range.isEmpty { return [] }
    let first = range.lowerBound / Self.payload
    let last = (range.upperBound - 1) / Self.payload
    let raw = [UInt8](unsafeUninitializedCapacity: (last + 1 - first) * Self.size) { buffer, done in
      let offset = Int64(first) * Int64(Self.size)
      done =
        (try? files.read(descriptor, at: offset, into: UnsafeMutableRawBufferPointer(buffer))) ?? 0
    }
    guard raw.count == (last + 1 - first) * Self.size else { throw Malformed() }
    var isWhole = true
    let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { result, done in
      raw.withUnsafeBytes { raw in
        for block in first...last {
          let start = (block - first) * Self.size
          let payload = UnsafeRawBufferPointer(rebasing: raw[start..<start + Self.payload])
          let hash = raw.loadUnaligned(fromByteOffset: start + Self.payload, as: UInt64.self)
          let seed = Self.seed(id: id, block: block)
          isWhole = isWhole && IndexHash.hash(payload, seed: seed) == UInt64(littleEndian: hash)
          let origin = block * Self.payload
          let part = range.clamped(to: origin..<origin + Self.payload)
          UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(result)[done...])
            .copyMemory(
              from: UnsafeRawBufferPointer(
                rebasing: payload[part.lowerBound - origin..<part.upperBound - origin]))
          done += part.count
        }
      }
    }
    if !isWhole { throw Malformed() }
    return bytes
  }
}

/// Writes a file of blocks from its start to its end.
struct IndexBlockWriter {
  private static let piece = 64 * IndexBlocks.payload

  private let files: any FileSystem
  private let file: FileDescriptor
  private let id: UInt64
  /// The bytes that were not written yet, from the start of a block on.
  private var waiting: [UInt8] = []
  private var block = 0

  /// The number of bytes so far.
  private(set) var count = 0

  init(_ files: any FileSystem, _ file: FileDescriptor, id: UInt64) {
    self.files = files
    self.file = file
    self.id = id
    waiting.reserveCapacity(2 * Self.piece)
  }

  mutating func write(_ bytes: some Collection<UInt8>) throws(Fault) {
    waiting.append(contentsOf: bytes)
    count += bytes.count
    if waiting.count >= Self.piece { try flush() }
  }

  /// Ends the file with its head.
  mutating func finish(head: [UInt8]) throws(Fault) {
    try pad()
    try write(head)
    try pad()
    try flush()
  }

  /// Fills the block that was begun with zeros.
  private mutating func pad() throws(Fault) {
    let begun = count % IndexBlocks.payload
    if begun > 0 { try write(repeatElement(0, count: IndexBlocks.payload - begun)) }
  }

  /// Writes the blocks that are full.
  private mutating func flush() throws(Fault) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(waiting.count / IndexBlocks.payload * IndexBlocks.size)
    var start = 0
    while waiting.count - start >= IndexBlocks.payload {
      let payload = waiting[start..<start + IndexBlocks.payload]
      let hash = payload.withUnsafeBytes {
        IndexHash.hash($0, seed: IndexBlocks.seed(id: id, block: block))
      }
      bytes += payload
      withUnsafeBytes(of: hash.littleEndian) { bytes.append(contentsOf: $0) }
      start += IndexBlocks.payload
      block += 1
    }
    waiting.removeFirst(start)
    try files.writeAll(file, bytes)
  }
}
