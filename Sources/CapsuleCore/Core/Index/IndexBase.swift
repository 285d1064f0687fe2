/// The base: a file with every entry, and the orders in which they are found, searched where they lie.
///
/// It is replaced as a whole and never changed. It begins with the cells of all entries as they are listed.
/// Then come the orders, whose rows have one width: what the order is by, and where the cell is. The tail
/// has what every opening needs: the directories, the names in them that are no records, and the problems.
struct IndexBase {
  /// A row of an order.
  struct Row {
    /// See ``IndexPlace``.
    var lead: Int64 = 0
    /// The id, where the order is by it.
    var id: RecordID?
    /// The place where the cell begins.
    var cell: Int
  }

  static let magic: UInt64 = 0x6e69_6c75_7370_6163
  static let version: UInt32 = 7
  /// The rows that are read at once in a search.
  private static let group = 64
  /// Cells that are closer to each other are read together, up to so many bytes: what is held at once
  /// should be less than what the allocator gives back to the system each time, 128 KiB.
  private static let (near, reading) = (4096, 32 << 10)

  private let blocks: IndexBlocks
  /// The number of bytes of all cells.
  private let cells: Int
  /// The place of each order's first row, and the number of its rows.
  private var orders: [(start: Int, count: Int)] = []
  /// The sum of the cells' hashes.
  let digest: UInt64
  private(set) var directories: [ShardState] = []
  /// The number of records in the shards before each, and of all.
  private var shards: [Int] = []
  private(set) var strays: [Int: [[UInt8]]] = [:]
  /// The rows of the entries with a problem, by id.
  private(set) var problems: [IndexRow] = []

  var id: UInt64 { blocks.id }
  var size: Int { blocks.count }
  var count: Int { count(.ids) }

  func count(_ order: IndexOrder) -> Int { orders[order.rawValue].count }

  static func width(_ order: IndexOrder) -> Int { order == .ids ? IndexRow.width + 8 : 16 }

  /// Reads the head and the tail.
  init(_ path: FilePath, setup: IndexSetup) throws(Malformed) {
    blocks = try IndexBlocks(path, in: setup.files)
    var head = try IndexDecoder(blocks.head, from: 8)
    guard try head.next(UInt64.self) == Self.magic, try head.next(UInt32.self) == Self.version,
      try head.next(UInt32.self) == setup.summaryVersion,
      try head.next(UInt32.self) == setup.kind.indexNumber
    else { throw Malformed() }
    digest = try head.next()
    cells = try head.place(blocks.count)
    for _ in IndexOrder.allCases {
      orders.append((try head.place(blocks.count), try head.place(blocks.count)))
    }
    let start = try head.place(blocks.count)
    var tail = try IndexDecoder(try blocks.bytes(start..<start + (try head.place(blocks.count))))
    for _ in 0..<IndexShard.count { directories.append(try ShardState(&tail)) }
    for _ in 0..<IndexShard.count { shards.append(try tail.place(count)) }
    for _ in 0..<(try tail.next(UInt32.self)) {
      let number = Int(try tail.next(UInt16.self))
      strays[number, default: []].append(Array(try tail.counted()))
    }
    for _ in 0..<(try tail.next(UInt32.self)) { problems.append(try tail.row()) }
  }

  private func decoder(_ order: IndexOrder, _ positions: Range<Int>) throws(Malformed)
    -> IndexDecoder
  {
    let (start, count) = orders[order.rawValue]
    guard positions.lowerBound >= 0, positions.upperBound <= count else { throw Malformed() }
    let width = Self.width(order)
    return try IndexDecoder(
      try blocks.bytes(start + positions.lowerBound * width..<start + positions.upperBound * width))
  }

  /// Returns the rows at some positions of an order.
  func rows(_ order: IndexOrder, _ positions: Range<Int>) throws(Malformed) -> [Row] {
    var decoder = try decoder(order, positions)
    var rows: [Row] = []
    rows.reserveCapacity(positions.count)
    for _ in positions {
      if order == .ids {
        let id = try decoder.id()
        _ = try decoder.take(IndexRow.width - 16)
        rows.append(Row(id: id, cell: try decoder.place(cells)))
      } else {
        rows.append(Row(lead: try decoder.next(), cell: try decoder.place(cells)))
      }
    }
    return rows
  }

  /// Returns what is known of the files of the records at some positions in the order of ids.
  func rows(positions: Range<Int>) throws(Malformed) -> [IndexRow] {
    var decoder = try decoder(.ids, positions)
    var rows: [IndexRow] = []
    rows.reserveCapacity(positions.count)
    for _ in positions {
      rows.append(try decoder.row())
      _ = try decoder.next(UInt64.self)
    }
    return rows
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
    var (start, end) = (0, all.upperBound)
    let known = span.known.flatMap { $0.base == id ? $0.position : nil }
    if let known, !span.isReversed {
      start = known
    } else if let place = span.start {
      start = try position(place, span.order, in: all)
    }
    if let known, span.isReversed {
      end = known
    } else if let place = span.end {
      end = try position(place, span.order, in: all)
    }
    return start..<max(start, end)
  }

  /// Returns the position of the first entry that is not before a place, among those at some positions.
  private func position(
    _ bound: IndexPlace, _ order: IndexOrder, in positions: Range<Int>
  ) throws(Malformed) -> Int {
    func isBefore(_ row: Row) throws(Malformed) -> Bool {
      // The cell is read only where the lead does not tell.
      if row.lead != bound.lead || bound.key == .lowest { return row.lead < bound.lead }
      return try place(of: row) < bound
    }
    var rest = positions
    while !rest.isEmpty {
      let middle = rest.lowerBound + rest.count / 2
      let group = rest.clamped(to: middle - Self.group / 2..<middle + Self.group / 2)
      let rows = try rows(order, group)
      let count = try rows.countOfFirst(where: isBefore)
      if count == 0 {
        rest = rest.lowerBound..<group.lowerBound
      } else if count == rows.count {
        rest = group.upperBound..<rest.upperBound
      } else {
        return group.lowerBound + count
      }
    }
    return rest.lowerBound
  }

  func place(of row: Row) throws(Malformed) -> IndexPlace {
    if let id = row.id { return IndexPlace(id) }
    var cell = try IndexDecoder(
      try blocks.bytes(row.cell..<row.cell + IndexEntryCoding.headCount))
    return IndexPlace(lead: row.lead, key: try IndexEntryCoding.head(&cell).key)
  }

  /// Returns where the cell of a record begins.
  func cell(of id: RecordID) throws(Malformed) -> Int? {
    let positions = try positions(shard: id.shard)
    let position = try position(IndexPlace(id), .ids, in: positions)
    let row = try rows(.ids, (position..<positions.upperBound).prefix(1)).first
    return row?.id == id ? row?.cell : nil
  }

  /// Returns the places of the cells of entries with some sort keys.
  func cells(sorted: Range<Int64>) throws(Malformed) -> Range<Int> {
    let positions = try positions(
      IndexSpan(
        order: .listed, start: IndexPlace(lead: sorted.lowerBound),
        end: IndexPlace(lead: sorted.upperBound)))
    guard let first = try rows(.listed, positions.prefix(1)).first,
      let last = try rows(.listed, positions.suffix(1)).first
    else { return 0..<0 }
    return first.cell..<last.cell + 1
  }

  /// Returns the cells that begin at some places, which ascend.
  func cells(at places: [Int]) throws(Malformed) -> [IndexCell] {
    var found: [IndexCell] = []
    found.reserveCapacity(places.count)
    var window: (start: Int, bytes: [UInt8]) = (0, [])
    /// The number of bytes of a cell; `nil` where it is not, or not all, in the window.
    func count(at place: Int) -> Int? {
      let start = place - window.start
      guard let count = IndexEntryCoding.count(window.bytes, at: start) else { return nil }
      return start + count <= window.bytes.count ? count : nil
    }
    for (number, place) in places.enumerated() {
      if count(at: place) == nil {
        var last = place
        for next in places[number...] {
          guard next - last < Self.near, next - place < Self.reading else { break }
          last = next
        }
        window = (place, try blocks.bytes(place..<min(last + Self.near, cells)))
        // A cell may be larger.
        if count(at: place) == nil, let count = IndexEntryCoding.count(window.bytes, at: 0) {
          window.bytes = try blocks.bytes(place..<min(place + count, cells))
        }
      }
      var cell = try IndexDecoder(window.bytes, from: place - window.start)
      found.append(try IndexEntryCoding.read(&cell))
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
    /// The entries without their summaries, and where their cells begin.
    var places: [(entry: IndexEntry, cell: Int)] = []
    places.reserveCapacity((content.base?.count ?? 0) + content.overlay.items.count)
    var rest: IndexSpan? = IndexSpan(order: .listed)
    while let span = rest {
      let page = try content.page(span, limit: 1024)
      for cell in page.cells {
        encoder.bytes.removeAll(keepingCapacity: true)
        IndexEntryCoding.append(cell, to: &encoder)
        places.append((cell.head, blocks.count))
        try blocks.write(encoder.bytes)
      }
      rest = page.rest
    }
    var head = IndexEncoder()
    head.put(UInt64(blocks.count))
    for order in IndexOrder.allCases where order != .ids {
      var rows = places.filter { order.holds($0.entry) }
        .map { (lead: order.place(of: $0.entry).lead, cell: $0.cell) }
      if order != .listed { rows.sort { ($0.lead, $0.cell) < ($1.lead, $1.cell) } }
      head.put(UInt64(blocks.count))
      head.put(UInt64(rows.count))
      for row in rows {
        encoder.bytes.removeAll(keepingCapacity: true)
        encoder.put(row.lead)
        encoder.put(UInt64(row.cell))
        try blocks.write(encoder.bytes)
      }
    }
    places.sort { $0.entry.id < $1.entry.id }
    head.put(UInt64(blocks.count))
    head.put(UInt64(places.count))
    var (digest, count, shards) = (UInt64(0), 0, [0])
    for shard in UInt8.min...UInt8.max {
      for row in try content.rows(shard: shard) {
        guard count < places.count, places[count].entry.id == row.id else { throw Malformed() }
        encoder.bytes.removeAll(keepingCapacity: true)
        encoder.put(row)
        encoder.put(UInt64(places[count].cell))
        try blocks.write(encoder.bytes)
        digest &+= row.digest
        count += 1
      }
      shards.append(count)
    }
    guard count == places.count else { throw Malformed() }
    let tail = tail(content, shards, content.problems())
    head.put(UInt64(blocks.count))
    head.put(UInt64(tail.count))
    try blocks.write(tail)
    encoder.bytes.removeAll()
    encoder.put(id)
    encoder.put(magic)
    encoder.put(version)
    encoder.put(setup.summaryVersion)
    encoder.put(setup.kind.indexNumber)
    encoder.put(digest)
    try blocks.finish(head: encoder.bytes + head.bytes)
  }

  private static func tail(
    _ content: LoadedIndex, _ shards: [Int], _ problems: [IndexRow]
  ) -> [UInt8] {
    var tail = IndexEncoder()
    for state in content.directories { state.append(to: &tail) }
    for count in shards { tail.put(UInt64(count)) }
    let strays = content.strays.sorted { $0.key < $1.key }
    tail.put(UInt32(strays.reduce(0) { $0 + $1.value.count }))
    for (number, names) in strays {
      for name in names {
        tail.put(UInt16(number))
        tail.put(counted: name)
      }
    }
    tail.put(UInt32(problems.count))
    for row in problems { tail.put(row) }
    return tail.bytes
  }
}

extension RecordKind {
  /// The number of the kind in the index's files.
  var indexNumber: UInt32 {
    UInt32(truncatingIfNeeded: IndexHash.hash(Array(rawValue.utf8)))
  }
}
