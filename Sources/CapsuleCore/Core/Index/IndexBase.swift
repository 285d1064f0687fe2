/// The base: a file with every entry, and the orders in which they are found, searched where they lie.
///
/// It is replaced as a whole; only its log grows. It has the cells of all entries as they are listed. Then
/// come the orders, whose rows have one width: what the order is by, and where the cell is. The tail has
/// what every opening needs: the directories, how many records each shard has, and the problems.
struct IndexBase {
  /// A row of an order.
  struct Row {
    /// What the order is by at first.
    var lead: Int64
    var cell: Range<Int>
  }

  private static let magic: UInt64 = 0x6e69_6c75_7370_6163
  private static let version: UInt32 = 9
  /// The rows that are read at once in a search.
  private static let group = 64
  /// Cells that are closer to each other are read together, up to so many bytes: what is held at once
  /// should be less than what the allocator gives back to the system each time, 128 KiB.
  private static let (near, reading) = (4096, 32 << 10)

  private let blocks: IndexBlocks
  /// The place behind the last block, where the log begins.
  private let end: Int
  /// The place behind the last cell.
  private let cells: Int
  /// The place of each order's first row, and the number of its rows.
  private var orders: [(start: Int, count: Int)] = []
  /// The sum of the cells' hashes.
  let digest: UInt64
  private(set) var directories: [ShardState] = []
  /// The number of records in the shards before each, and of all.
  private var shards: [Int] = []
  /// The rows of the entries with a problem, by id.
  private(set) var problems: [IndexRow] = []

  var id: UInt64 { blocks.id }
  /// The number of bytes before the log.
  var size: Int { end }
  var count: Int { count(.ids) }

  func count(_ order: IndexOrder) -> Int { orders[order.rawValue].count }

  private static func width(_ order: IndexOrder) -> Int {
    order == .ids ? IndexRow.width + 12 : 20
  }

  /// The first bytes of a file's head.
  private static func head(_ id: UInt64, _ setup: IndexSetup) -> [UInt8] {
    var head = IndexEncoder()
    head.put(id)
    head.put(magic)
    head.put(version)
    head.put(setup.summaryVersion)
    head.put(UInt32(truncatingIfNeeded: IndexHash.hash(Array(setup.kind.rawValue.utf8))))
    return head.bytes
  }

  /// Opens a file, and returns what comes in its head behind the first bytes.
  private static func open(
    _ path: FilePath, _ setup: IndexSetup
  ) throws(Malformed) -> (IndexBlocks, IndexDecoder) {
    let blocks = try IndexBlocks(path, in: setup.files)
    var head = IndexDecoder(try blocks.bytes(0..<IndexBlocks.payload)[...])
    let own = Self.head(blocks.id, setup)
    guard try head.take(own.count).elementsEqual(own) else { throw Malformed() }
    return (blocks, head)
  }

  /// Reads the head and the tail.
  init(_ path: FilePath, setup: IndexSetup) throws(Malformed) {
    var head: IndexDecoder
    (blocks, head) = try Self.open(path, setup)
    end = try head.place(blocks.fileSize)
    digest = try head.next()
    cells = try head.place(end)
    for _ in IndexOrder.allCases { orders.append((try head.place(end), try head.place(end))) }
    let start = try head.place(end)
    var tail = IndexDecoder(try blocks.bytes(start..<start + (try head.place(end)))[...])
    for _ in 0..<IndexShard.count { directories.append(try ShardState(&tail)) }
    for _ in 0...IndexShard.count { shards.append(try tail.place(count)) }
    for _ in 0..<(try tail.next(UInt32.self)) { problems.append(try tail.row()) }
  }

  /// Returns the bytes of the log; `nil` where it is too long, or cannot be read.
  func log() -> [UInt8]? { blocks.log(behind: end) }

  /// Adds entries to the log that is there, whatever its base.
  static func append(_ payloads: [[UInt8]], to setup: IndexSetup) {
    guard let path = setup.file, let (blocks, rest) = try? open(path, setup) else { return }
    var head = rest
    guard let end = try? head.place(blocks.fileSize),
      blocks.logSize(behind: end) <= IndexLog.limit
    else { return }
    append(payloads, to: setup, of: blocks.id)
  }

  /// Adds entries to the log of a base. Where another base is there by now, they are none of its log's.
  static func append(_ payloads: [[UInt8]], to setup: IndexSetup, of base: UInt64) {
    guard let path = setup.file else { return }
    let entries = payloads.flatMap { IndexLog.entry($0, base: base) }
    try? setup.files.withFile(path, .append(mode: IndexSetup.mode)) { file throws(Fault) in
      try setup.files.writeAll(file, entries)
    }
  }

  /// Returns the bytes of the rows at some positions of an order.
  private func decoder(
    _ order: IndexOrder, _ positions: Range<Int>
  ) throws(Malformed) -> IndexDecoder {
    let ((start, count), width) = (orders[order.rawValue], Self.width(order))
    guard positions.lowerBound >= 0, positions.upperBound <= count else { throw Malformed() }
    let places = start + positions.lowerBound * width..<start + positions.upperBound * width
    return IndexDecoder(try blocks.bytes(places)[...])
  }

  /// Returns the rows at some positions of an order.
  // Hot: a search goes through all.
  @_optimize(speed)
  func rows(_ order: IndexOrder, _ positions: Range<Int>) throws(Malformed) -> [Row] {
    var decoder = try decoder(order, positions)
    var rows: [Row] = []
    rows.reserveCapacity(positions.count)
    for _ in positions {
      let lead = order == .ids ? try decoder.row().id.lead : try decoder.next()
      rows.append(Row(lead: lead, cell: try decoder.cell(cells)))
    }
    return rows
  }

  /// Returns what is known of the files of records at some positions of the order by id.
  func records(_ positions: Range<Int>) throws(Malformed) -> [IndexRow] {
    var decoder = try decoder(.ids, positions)
    var records: [IndexRow] = []
    records.reserveCapacity(positions.count)
    for _ in positions {
      records.append(try decoder.row())
      _ = try decoder.cell(cells)
    }
    return records
  }

  /// Returns the positions of a shard's records in the order of ids.
  func positions(shard: UInt8) throws(Malformed) -> Range<Int> {
    let (start, end) = (shards[Int(shard)], shards[Int(shard) + 1])
    guard start <= end else { throw Malformed() }
    return start..<end
  }

  /// Returns the positions of a span in its order.
  func positions(_ span: IndexSpan) throws(Malformed) -> Range<Int> {
    let all = 0..<count(span.order)
    let start = try position(span.order, in: all) { $0 < span.first }
    let end = try position(span.order, in: start..<all.upperBound) { $0 <= span.last }
    return start..<end
  }

  /// Returns the position behind those of the first entries, whose leads fulfil a condition.
  private func position(
    _ order: IndexOrder, in positions: Range<Int>, where isBefore: (Int64) -> Bool
  ) throws(Malformed) -> Int {
    var rest = positions
    while !rest.isEmpty {
      let middle = rest.lowerBound + rest.count / 2
      let group = rest.clamped(to: middle - Self.group / 2..<middle + Self.group / 2)
      let count = try rows(order, group).countOfFirst { isBefore($0.lead) }
      if count == 0 {
        rest = rest.lowerBound..<group.lowerBound
      } else if count == group.count {
        rest = group.upperBound..<rest.upperBound
      } else {
        return group.lowerBound + count
      }
    }
    return rest.lowerBound
  }

  /// Returns the row of a record.
  func row(_ id: RecordID) throws(Malformed) -> Row? {
    var rest = try positions(shard: id.shard)
    rest = try position(.ids, in: rest) { $0 < id.lead }..<rest.upperBound
    while let row = try rows(.ids, rest.prefix(1)).first, row.lead == id.lead {
      if try records(rest.prefix(1)).first?.id == id { return row }
      rest = rest.dropFirst()
    }
    return nil
  }

  /// Returns the places of the cells of entries with some sort keys.
  func cells(sorted: Range<Int64>) throws(Malformed) -> Range<Int> {
    if sorted.isEmpty { return 0..<0 }
    let positions = try positions(
      IndexSpan(order: .listed, first: sorted.lowerBound, last: sorted.upperBound - 1))
    guard let first = try rows(.listed, positions.prefix(1)).first,
      let last = try rows(.listed, positions.suffix(1)).first
    else { return 0..<0 }
    return first.cell.lowerBound..<last.cell.upperBound
  }

  func entry(_ cell: Range<Int>) throws(Malformed) -> IndexEntry {
    var decoder = IndexDecoder(try blocks.bytes(cell)[...])
    return try decoder.entry()
  }

  /// Returns the entries of some cells, which ascend.
  func entries(at cells: [Range<Int>]) throws(Malformed) -> [IndexEntry] {
    var found: [IndexEntry] = []
    found.reserveCapacity(cells.count)
    var (window, bytes) = (0..<0, [UInt8]())
    for (number, cell) in cells.enumerated() {
      if cell.lowerBound < window.lowerBound || cell.upperBound > window.upperBound {
        var end = cell.upperBound
        for next in cells[(number + 1)...] {
          guard next.lowerBound - end < Self.near, next.upperBound - cell.lowerBound < Self.reading
          else { break }
          end = max(end, next.upperBound)
        }
        window = cell.lowerBound..<end
        bytes = try blocks.bytes(window)
      }
      let start = cell.lowerBound - window.lowerBound
      var decoder = IndexDecoder(bytes[start..<start + cell.count])
      found.append(try decoder.entry())
    }
    return found
  }
}

extension IndexBase {
  /// Writes a base with all that an index holds to a file that is empty.
  ///
  /// - Throws: ``Malformed`` where what it is made from is damaged, a ``Fault`` of the file system.
  static func write(
    _ content: inout LoadedIndex, to file: FileDescriptor, id: UInt64, setup: IndexSetup
  ) throws {
    var blocks = IndexBlockWriter(setup.files, file, id: id)
    var encoder = IndexEncoder()
    /// The entries without their summaries, and where their cells are.
    var places: [(entry: IndexEntry, cell: Range<Int>)] = []
    places.reserveCapacity(content.rowCount)
    var walk = try IndexWalk(IndexSpan(order: .listed), in: &content)
    while !walk.isAtEnd {
      for entry in try content.next(&walk) {
        encoder.bytes.removeAll(keepingCapacity: true)
        encoder.put(entry)
        var head = entry
        head.summary = []
        places.append((head, blocks.count..<blocks.count + encoder.bytes.count))
        try blocks.write(encoder.bytes)
      }
    }
    var head = IndexEncoder()
    head.put(UInt64(blocks.count))
    for order in IndexOrder.allCases where order != .ids {
      var rows = places.filter { order.holds($0.entry) }
        .map { (lead: order.lead(of: $0.entry), cell: $0.cell) }
      if order != .listed {
        rows.sort { ($0.lead, $0.cell.lowerBound) < ($1.lead, $1.cell.lowerBound) }
      }
      head.put(UInt64(blocks.count))
      head.put(UInt64(rows.count))
      for row in rows {
        encoder.bytes.removeAll(keepingCapacity: true)
        encoder.put(row.lead)
        encoder.put(row.cell)
        try blocks.write(encoder.bytes)
      }
    }
    places.sort { $0.entry.id < $1.entry.id }
    head.put(UInt64(blocks.count))
    head.put(UInt64(places.count))
    var tail = IndexEncoder()
    for state in content.directories { state.append(to: &tail) }
    tail.put(UInt64(0))
    var (digest, count) = (UInt64(0), 0)
    for shard in UInt8.min...UInt8.max {
      for row in try content.rows(shard: shard) {
        guard count < places.count, places[count].entry.id == row.id else { throw Malformed() }
        encoder.bytes.removeAll(keepingCapacity: true)
        encoder.put(row)
        encoder.put(places[count].cell)
        try blocks.write(encoder.bytes)
        digest &+= row.digest
        count += 1
      }
      tail.put(UInt64(count))
    }
    guard count == places.count else { throw Malformed() }
    let problems = content.problems()
    tail.put(UInt32(problems.count))
    for row in problems { tail.put(row) }
    head.put(UInt64(blocks.count))
    head.put(UInt64(tail.bytes.count))
    try blocks.write(tail.bytes)
    try blocks.finish { end in
      encoder.bytes = Self.head(id, setup)
      encoder.put(UInt64(end))
      encoder.put(digest)
      return encoder.bytes + head.bytes
    }
  }
}
