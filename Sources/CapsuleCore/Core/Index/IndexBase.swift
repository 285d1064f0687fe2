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
  init(_ path: FilePath, setup: IndexSetup) throws(Malformed) {
    guard let file = try? IndexFile(path, in: setup.files),
      file.size % Int64(IndexBlocks.size) == 0
    else { throw Malformed() }
    blocks = IndexBlocks(file, id: 0)
    let number = blocks.count - Self.headBlocks
    guard number >= 0 else { throw Malformed() }
    // The id that seeds the hashes is in the last block, so that one is looked into first.
    let last = try file.read(
      at: file.size - Int64(IndexBlocks.size), count: IndexBlocks.size)
    var head = try IndexDecoder(last)
    guard try head.next(UInt64.self) == Self.magic, try head.next(UInt32.self) == Self.version
    else { throw Malformed() }
    blocks.id = try head.next()
    let payload = try blocks.payloads(number..<blocks.count)
    head = try IndexDecoder(payload, from: 4 * IndexBlocks.payload + 20)
    guard try head.next(UInt32.self) == setup.summaryVersion,
      try head.next(UInt32.self) == setup.kind.indexNumber
    else { throw Malformed() }
    digest = try head.next()
    var extents: [Extent] = []
    for _ in Table.allCases {
      guard let block = Int(exactly: try head.next(UInt64.self)),
        let count = Int(exactly: try head.next(UInt64.self)),
        block <= blocks.count, count <= file.size
      else { throw Malformed() }
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
  mutating func row(_ table: Table, _ index: Int) throws(Malformed) -> IndexDecoder {
    let extent = extents[table.rawValue]
    guard index >= 0, index < extent.count else { throw Malformed() }
    let number = extent.block + index / table.rowsInBlock
    let start = index % table.rowsInBlock * table.width
    return try IndexDecoder(try cache.block(number, of: blocks), from: start, count: table.width)
  }

  /// Returns some rows, one behind the other.
  func rows(_ table: Table, _ range: Range<Int>) throws(Malformed) -> [UInt8] {
    let extent = extents[table.rawValue]
    guard range.lowerBound >= 0, range.upperBound <= extent.count else { throw Malformed() }
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

  mutating func block(_ number: Int, of blocks: IndexBlocks) throws(Malformed) -> [UInt8] {
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

extension IndexBase {
  /// Returns the first row of a table for which `isBefore` is false; its rows are sorted by that.
  private mutating func partition(
    _ table: Table, in range: Range<Int>? = nil,
    _ isBefore: (inout IndexDecoder) throws(Malformed) -> Bool
  ) throws(Malformed) -> Int {
    var low = range?.lowerBound ?? 0
    var high = range?.upperBound ?? count(table)
    while low < high {
      let middle = low + (high - low) / 2
      var row = try row(table, middle)
      if try isBefore(&row) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns how many entries have a lower sort key.
  mutating func rank(ofSortKey sortKey: Int64) throws(Malformed) -> Int {
    try partition(.order) { row throws(Malformed) in try row.next(Int64.self) < sortKey }
  }

  /// Returns how many entries stand before this one, if it is there or were there.
  mutating func rank(of key: IndexKey) throws(Malformed) -> Int {
    let first = try rank(ofSortKey: key.sortKey)
    let end = key.sortKey == .max ? count : try rank(ofSortKey: key.sortKey + 1)
    var low = first
    var high = end
    while low < high {
      let middle = low + (high - low) / 2
      if try entry(rank: middle).key < key { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns how many entries have a lower id.
  ///
  /// Ids are random, so one stands about where its first bytes say, and between two that are known too.
  /// From there steps that double enclose it. Where ids are not random it takes more steps.
  mutating func position(of id: RecordID) throws(Malformed) -> Int {
    var range = 0..<count(.ids)
    var (floor, ceiling) = (UInt64.min, UInt64.max)
    var isAbove = true
    var step = Table.ids.rowsInBlock
    for _ in 0..<2 where range.count > step {
      let share = Self.share(range.count, from: floor, to: ceiling, of: id.high)
      let guess = range.lowerBound + share
      var row = try row(.ids, guess)
      let found = try row.id()
      isAbove = found < id
      if isAbove {
        range = guess + 1..<range.upperBound
        floor = found.high
      } else {
        range = range.lowerBound..<guess
        ceiling = found.high
      }
    }
    var isEnclosed = false
    while !isEnclosed, range.count > step {
      let next = isAbove ? range.lowerBound + step : range.upperBound - step
      var row = try row(.ids, next)
      let isNextLower = try row.id() < id
      isEnclosed = isNextLower != isAbove
      range = isNextLower ? next + 1..<range.upperBound : range.lowerBound..<next
      step *= 2
    }
    return try partition(.ids, in: range) { row throws(Malformed) in try row.id() < id }
  }

  /// Returns how many of `count` values that are evenly spread between two are lower than another: at
  /// most `count - 1`.
  private static func share(
    _ count: Int, from floor: UInt64, to ceiling: UInt64, of value: UInt64
  ) -> Int {
    guard floor < value, value < ceiling else { return value < ceiling ? 0 : count - 1 }
    let product = (value - floor).multipliedFullWidth(by: UInt64(count))
    return Int((ceiling - floor).dividingFullWidth(product).quotient)
  }

  /// Returns the row and the rank of an id.
  mutating func find(_ id: RecordID) throws(Malformed) -> (row: IndexRow, rank: Int)? {
    let position = try position(of: id)
    if position == count(.ids) { return nil }
    var decoder = try row(.ids, position)
    let row = try decoder.row()
    return row.id == id ? (row, try rank(&decoder)) : nil
  }

  /// Returns the ranks of the entries with ids in a range, by id.
  mutating func ranks(ids: ClosedRange<RecordID>, limit: Int) throws(Malformed) -> [Int] {
    var ranks: [Int] = []
    var position = try position(of: ids.lowerBound)
    while position < count(.ids), ranks.count < limit {
      var decoder = try row(.ids, position)
      if try decoder.row().id > ids.upperBound { break }
      ranks.append(try rank(&decoder))
      position += 1
    }
    return ranks
  }

  /// Returns the rows of a shard, by id.
  mutating func rows(shard: UInt8) throws(Malformed) -> [IndexRow] {
    let first = RecordID(high: UInt64(shard) << 56, low: 0)
    let start = try position(of: first)
    let end =
      shard == .max
      ? count(.ids) : try position(of: RecordID(high: UInt64(shard + 1) << 56, low: 0))
    if end < start { throw Malformed() }
    return try rows(positions: start..<end)
  }

  /// Returns the rows at some positions, by id.
  func rows(positions: Range<Int>) throws(Malformed) -> [IndexRow] {
    var decoder = try IndexDecoder(try rows(.ids, positions))
    var rows: [IndexRow] = []
    rows.reserveCapacity(positions.count)
    for _ in positions {
      rows.append(try decoder.row())
      _ = try decoder.next(UInt32.self)
    }
    return rows
  }

  /// Returns the ranks of the entries with a hash of their name, in order.
  mutating func ranks(nameHash: UInt64) throws(Malformed) -> [Int] {
    let start = try partition(.names) { row throws(Malformed) in
      try row.next(UInt64.self) < nameHash
    }
    var ranks: [Int] = []
    for position in start..<count(.names) {
      var decoder = try row(.names, position)
      if try decoder.next(UInt64.self) != nameHash { break }
      ranks.append(try rank(&decoder))
    }
    return ranks
  }

  /// Returns the positions, among what falls due, of what does so after one instant and not after
  /// another.
  mutating func positions(
    dueAfter start: Int64, through end: Int64
  ) throws(Malformed) -> Range<Int> {
    let first = try partition(.dues) { row throws(Malformed) in
      try row.next(Int64.self) <= start
    }
    // Mostly little falls due in between.
    var (range, step) = (first..<count(.dues), 16)
    while range.count > step {
      let next = range.lowerBound + step
      var row = try row(.dues, next)
      if try row.next(Int64.self) > end {
        range = range.lowerBound..<next
        break
      }
      range = next + 1..<range.upperBound
      step *= 4
    }
    let last = try partition(.dues, in: range) { row throws(Malformed) in
      try row.next(Int64.self) <= end
    }
    return first..<last
  }

  /// Returns the first position, among what falls due, behind a place there.
  mutating func position(pastDue key: IndexDueKey) throws(Malformed) -> Int {
    var rank = try rank(of: key.key)
    if rank < count, try entry(rank: rank).id == key.key.id { rank += 1 }
    return try partition(.dues) { row throws(Malformed) in
      let due = try row.next(Int64.self)
      if due != key.due { return due < key.due }
      return Int(try row.next(UInt32.self)) < rank
    }
  }

  /// Returns the ranks of some positions among what falls due.
  mutating func ranks(duePositions positions: Range<Int>) throws(Malformed) -> [Int] {
    var ranks: [Int] = []
    ranks.reserveCapacity(positions.count)
    for position in positions {
      var decoder = try row(.dues, position)
      _ = try decoder.next(Int64.self)
      ranks.append(try rank(&decoder))
    }
    return ranks
  }

  /// Returns the ranks of the entries that fall due after one instant and not after another, by
  /// when.
  mutating func ranks(
    dueAfter start: Int64, through end: Int64
  ) throws(Malformed) -> [Int] {
    try ranks(duePositions: try positions(dueAfter: start, through: end))
  }

  /// Returns the entry at a place in the order.
  mutating func entry(rank: Int) throws(Malformed) -> IndexEntry {
    guard let entry = try entries(ranks: rank..<rank + 1).first else { throw Malformed() }
    return entry
  }

  /// Returns some entries, in order.
  mutating func entries(ranks: Range<Int>) throws(Malformed) -> [IndexEntry] {
    var decoder = try IndexDecoder(try cells(ranks: ranks))
    var entries: [IndexEntry] = []
    entries.reserveCapacity(ranks.count)
    for _ in ranks { entries.append(try IndexEntryCoding.read(&decoder)) }
    return entries
  }

  /// Returns the cells of some entries, one behind the other.
  mutating func cells(ranks: Range<Int>) throws(Malformed) -> [UInt8] {
    let start = try offset(rank: ranks.lowerBound)
    return try rows(.cells, start..<start + cellBytes(ranks: ranks))
  }

  /// Returns how many bytes the cells of some entries take.
  mutating func cellBytes(ranks: Range<Int>) throws(Malformed) -> Int {
    let count = try offset(rank: ranks.upperBound) - offset(rank: ranks.lowerBound)
    if count < 0 { throw Malformed() }
    return count
  }

  /// Returns the place where a cell begins among the cells; of the rank behind the last, where they
  /// end.
  mutating func offset(rank: Int) throws(Malformed) -> Int {
    if rank == count { return count(.cells) }
    var decoder = try row(.order, rank)
    _ = try decoder.next(Int64.self)
    guard let offset = Int(exactly: try decoder.next(UInt64.self)) else { throw Malformed() }
    return offset
  }

  private func rank(_ decoder: inout IndexDecoder) throws(Malformed) -> Int {
    let rank = Int(try decoder.next(UInt32.self))
    if rank >= count { throw Malformed() }
    return rank
  }
}

/// The place of an entry in the order.
struct IndexKey: Comparable, Sendable {
  var sortKey: Int64
  /// The time at which the record was made, in nanoseconds since 1970.
  var madeAt: Int64
  var id: RecordID

  static func < (left: IndexKey, right: IndexKey) -> Bool {
    (left.sortKey, left.madeAt, left.id) < (right.sortKey, right.madeAt, right.id)
  }
}
