/// Writes a file of blocks from its start to its end.
struct IndexBlockWriter {
  private let files: any FileSystem
  private let file: FileDescriptor
  private let id: UInt64
  private var buffer: [UInt8] = []
  /// The number of bytes in the block that is being filled.
  private var filled = 0

  /// The number of whole blocks.
  private(set) var block = 0

  private static let chunk = 16 * IndexBlocks.size

  init(_ files: any FileSystem, _ file: FileDescriptor, id: UInt64) {
    self.files = files
    self.file = file
    self.id = id
    buffer.reserveCapacity(Self.chunk + IndexBlocks.size)
  }

  /// Appends bytes, across the borders of blocks.
  mutating func write(_ bytes: ArraySlice<UInt8>) throws(FileSystemError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = min(rest.count, IndexBlocks.payload - filled)
      buffer.append(contentsOf: rest.prefix(count))
      rest = rest.dropFirst(count)
      filled += count
      if filled == IndexBlocks.payload { try endBlock() }
    }
  }

  /// Appends a row that does not cross the border of a block.
  mutating func write(row: [UInt8]) throws(FileSystemError) {
    if filled + row.count > IndexBlocks.payload { try pad() }
    try write(row[...])
  }

  /// Fills the block that was begun with zeros.
  mutating func pad() throws(FileSystemError) {
    if filled == 0 { return }
    buffer.append(contentsOf: [UInt8](repeating: 0, count: IndexBlocks.payload - filled))
    try endBlock()
  }

  /// Writes what is left.
  mutating func finish() throws(FileSystemError) {
    try pad()
    try flush()
  }

  private mutating func endBlock() throws(FileSystemError) {
    let seed = IndexBlocks.seed(id: id, number: block)
    let hash = buffer.withUnsafeBytes { bytes in
      IndexHash.hash(
        UnsafeRawBufferPointer(rebasing: bytes.suffix(IndexBlocks.payload)), seed: seed)
    }
    withUnsafeBytes(of: hash.littleEndian) { buffer.append(contentsOf: $0) }
    block += 1
    filled = 0
    if buffer.count >= Self.chunk { try flush() }
  }

  private mutating func flush() throws(FileSystemError) {
    try files.writeAll(file, buffer)
    buffer.removeAll(keepingCapacity: true)
  }
}
