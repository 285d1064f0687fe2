/// The base: a file with every entry, in sorted tables that are searched where they lie.
///
/// It is replaced as a whole and never changed. The last five blocks are its head: four with the
/// state of each directory, one that says where everything is; so a file cut short has none.
struct IndexBase {
  /// The tables, in the file's order. Each begins with a block of its own.
  enum Table: Int, CaseIterable {
    /// All cells, by sort key, making and id, one behind the other.
    case cells
    /// The sort key, and the place where the cell begins, by rank.
    case order
    /// The row and the rank, by id.
    case ids
    /// The hash of the name and the rank, by both.
    case names
    /// The due instant and the rank, by both.
    case dues
    /// The entries with a problem, by id.
    case problems
    /// The directory's number, and the name with its count, by directory and name.
    case strays
    /// The directories, by number.
    case shards

    /// The bytes of a row; 1 where what is in the table has no fixed size.
    var width: Int {
      switch self {
      case .cells, .strays: 1
      case .order: 16
      case .ids: 72
      case .names, .dues: 12
      case .problems: 16
      case .shards: ShardState.encodedCount
      }
    }

    var rowsInBlock: Int { IndexBlocks.payload / width }
  }

  /// The place of a table.
  struct Extent: Hashable {
    var block: Int
    /// The number of rows.
    var count: Int
  }

  static let magic: UInt64 = 0x6e69_6c75_7370_6163
  static let version: UInt32 = 5
  static let headBlocks = 5

  private var blocks: IndexBlocks
  let extents: [Extent]
  /// The sum of the cells' hashes.
  let digest: UInt64
  let shards: [ShardState]
  private var cache = IndexBlockCache()

  var id: UInt64 { blocks.id }
  var size: Int64 { blocks.file.size }
  var count: Int { extents[Table.order.rawValue].count }

  func count(_ table: Table) -> Int {
    extents[table.rawValue].count
  }

  /// Reads the head.
  init(_ path: FilePath, setup: IndexSetup) throws(IndexDamage) {
    guard let file = try? IndexFile(path, in: setup.files),
      file.size % Int64(IndexBlocks.size) == 0
    else { throw IndexDamage() }
    blocks = IndexBlocks(file, id: 0)
    let number = blocks.count - Self.headBlocks
    guard number >= 0 else { throw IndexDamage() }
    // The id that seeds the hashes is in the last block, so that one is looked into first.
    let last = try file.read(
      at: file.size - Int64(IndexBlocks.size), count: IndexBlocks.size)
    var head = try IndexDecoder(last)
    guard try head.next(UInt64.self) == Self.magic, try head.next(UInt32.self) == Self.version
    else { throw IndexDamage() }
    blocks.id = try head.next()
    let payload = try blocks.payloads(number..<blocks.count)
    head = try IndexDecoder(payload, from: 4 * IndexBlocks.payload + 20)
    guard try head.next(UInt32.self) == setup.summaryVersion,
      try head.next(UInt32.self) == setup.kind.indexNumber
    else { throw IndexDamage() }
    digest = try head.next()
    var extents: [Extent] = []
    for _ in Table.allCases {
      guard let block = Int(exactly: try head.next(UInt64.self)),
        let count = Int(exactly: try head.next(UInt64.self)),
        block <= blocks.count, count <= file.size
      else { throw IndexDamage() }
      extents.append(Extent(block: block, count: count))
    }
    self.extents = extents
    var shards: [ShardState] = []
    shards.reserveCapacity(IndexShard.count)
    var start = 0
    while shards.count < IndexShard.count {
      var block = try IndexDecoder(payload, from: start)
      for _ in 0..<min(Table.shards.rowsInBlock, IndexShard.count - shards.count) {
        shards.append(try block.shardState())
      }
      start += IndexBlocks.payload
    }
    self.shards = shards
  }

  /// Returns one row, by way of the cache.
  mutating func row(_ table: Table, _ index: Int) throws(IndexDamage) -> IndexDecoder {
    let extent = extents[table.rawValue]
    guard index >= 0, index < extent.count else { throw IndexDamage() }
    let number = extent.block + index / table.rowsInBlock
    let start = index % table.rowsInBlock * table.width
    return try IndexDecoder(try cache.block(number, of: blocks), from: start, count: table.width)
  }

  /// Returns some rows, one behind the other.
  func rows(_ table: Table, _ range: Range<Int>) throws(IndexDamage) -> [UInt8] {
    let extent = extents[table.rawValue]
    guard range.lowerBound >= 0, range.upperBound <= extent.count else { throw IndexDamage() }
    if range.isEmpty { return [] }
    let first = range.lowerBound / table.rowsInBlock
    let last = (range.upperBound - 1) / table.rowsInBlock
    var payload = try blocks.payloads(extent.block + first..<extent.block + last + 1)
    if table.width == 1 {
      let start = range.lowerBound - first * table.rowsInBlock
      payload.removeLast(payload.count - start - range.count)
      payload.removeFirst(start)
      return payload
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(range.count * table.width)
    for block in first...last {
      let start = max(range.lowerBound - block * table.rowsInBlock, 0)
      let end = min(range.upperBound - block * table.rowsInBlock, table.rowsInBlock)
      let offset = (block - first) * IndexBlocks.payload
      bytes.append(contentsOf: payload[offset + start * table.width..<offset + end * table.width])
    }
    return bytes
  }
}

/// The blocks that were last read, for binary searches.
struct IndexBlockCache {
  private static let slots = 64
  private var numbers = [Int](repeating: -1, count: slots)
  private var payloads = [[UInt8]](repeating: [], count: slots)

  mutating func block(_ number: Int, of blocks: IndexBlocks) throws(IndexDamage) -> [UInt8] {
    let slot = number & (Self.slots - 1)
    if numbers[slot] == number { return payloads[slot] }
    let payload = try blocks.payloads(number..<number + 1)
    numbers[slot] = number
    payloads[slot] = payload
    return payload
  }
}

extension RecordKind {
  /// The number of the kind in the index's files.
  var indexNumber: UInt32 {
    UInt32(truncatingIfNeeded: IndexHash.hash(Array(rawValue.utf8)))
  }
}
