/// A record as the index knows it.
struct IndexItem: Sendable {
  var row: IndexRow
  var entry: IndexEntry
  /// Whether it is gone.
  var isRemoved = false
}

/// The knowledge beyond the base, in memory: entries that are new or other than there, and ids that
/// are gone.
struct IndexOverlay {
  private(set) var items: [IndexItem] = []
  /// About the number of bytes that all take in a log.
  private(set) var byteCount = 0
  private var positions: [RecordID: Int32] = [:]
  /// The shards with an item.
  private var shards = [Bool](repeating: false, count: IndexShard.folder)
  /// The items that are not removed, in each order that was asked for.
  private var orders: [IndexOrder: [Int32]] = [:]

  var isEmpty: Bool { items.isEmpty }

  func contains(_ id: RecordID) -> Bool { positions[id] != nil }

  func touches(_ shard: UInt8) -> Bool { shards[Int(shard)] }

  /// Returns what is known of an id; `nil` where the base has the say.
  func item(_ id: RecordID) -> IndexItem? { positions[id].map { items[Int($0)] } }

  mutating func set(_ item: IndexItem) {
    orders = [:]
    shards[Int(item.row.id.shard)] = true
    byteCount += IndexRow.width + IndexEntryCoding.headCount + item.entry.summary.count
    if let position = positions[item.row.id] {
      items[Int(position)] = item
    } else {
      positions[item.row.id] = Int32(items.count)
      items.append(item)
    }
  }

  mutating func remove(_ id: RecordID) {
    let row = IndexRow(id: id, stamp: .unknown, isTrusted: false, hasProblem: false, digest: 0)
    set(IndexItem(row: row, entry: IndexEntry(id: id), isRemoved: true))
  }

  /// Returns the positions of a span's items, in its order; whatever their sort keys.
  mutating func positions(_ span: IndexSpan) -> ArraySlice<Int32> {
    let order = span.order
    let sorted: [Int32]
    if let known = orders[order] {
      sorted = known
    } else {
      let wanted = items.indices.filter { !items[$0].isRemoved && order.holds(items[$0].entry) }
      let places = wanted.map { (order.place(of: items[$0].entry), Int32($0)) }
      sorted = places.sorted { $0.0 < $1.0 }.map(\.1)
      orders[order] = sorted
    }
    func count(before bound: IndexPlace) -> Int {
      sorted.countOfFirst { order.place(of: items[Int($0)].entry) < bound }
    }
    let start = span.start.map { count(before: $0) } ?? 0
    return sorted[start..<max(start, span.end.map { count(before: $0) } ?? sorted.count)]
  }
}

/// The loaded index: the base, the knowledge beyond it, and the state of each directory.
struct LoadedIndex {
  /// The most bytes of cells of the base that a page has.
  private static let pageBytes = 1 << 20

  private(set) var base: IndexBase?
  var overlay = IndexOverlay()
  /// The state of each directory, by number, see ``IndexShard``.
  var directories = [ShardState](repeating: ShardState(), count: IndexShard.count)
  /// The hash of the last log entry about each directory, by number; 0 where the log has none. A
  /// log entry about a directory holds only for the state that it was added to.
  var tokens = [UInt64](repeating: 0, count: IndexShard.count)
  /// The names that are no records, by number of the directory.
  var strays: [Int: [[UInt8]]] = [:]

  init() {}

  init(base: IndexBase) {
    self.base = base
    directories = base.directories
    strays = base.strays
  }

  /// The number of rows, those that others stand for included.
  var rowCount: Int { (base?.count ?? 0) + overlay.items.count }

  /// Returns the rows of a shard, by id.
  mutating func rows(shard: UInt8) throws(Malformed) -> [IndexRow] {
    var rows: [IndexRow] = []
    if let base { rows = try base.rows(positions: try base.positions(shard: shard)) }
    guard overlay.touches(shard) else { return rows }
    rows.removeAll { overlay.contains($0.id) }
    let last = RecordID(high: UInt64(shard) << 56 | .max >> 8, low: .max)
    let span = IndexSpan(
      order: .ids, start: IndexPlace(RecordID(high: UInt64(shard) << 56, low: 0)),
      end: IndexPlace(last).next)
    rows += overlay.positions(span).map { overlay.items[Int($0)].row }
    return rows.sorted { $0.id < $1.id }
  }

  /// Returns as many rows as that from a place on, each once, of a round of all: the base's by id, then
  /// the overlay's.
  func rows(from first: Int, count: Int) throws(Malformed) -> [IndexRow] {
    let (items, size) = (overlay.items, base?.count ?? 0)
    var (place, left) = (first, min(count, rowCount))
    var rows: [IndexRow] = []
    while left > 0 {
      let end = min(place + left, place < size ? size : rowCount)
      if place < size {
        rows += try base?.rows(positions: place..<end).filter { !overlay.contains($0.id) } ?? []
      } else {
        let known = items[place - size..<end - size].filter { !$0.isRemoved }.map(\.row)
        rows += known.sorted { $0.id < $1.id }
      }
      left -= end - place
      place = end == rowCount ? 0 : end
    }
    return rows
  }

  /// Returns the rows of the entries with a problem, by id.
  func problems() -> [IndexRow] {
    var rows = base?.problems.filter { !overlay.contains($0.id) } ?? []
    rows += overlay.items.filter { !$0.isRemoved && $0.row.hasProblem }.map(\.row)
    return rows.sorted { $0.id < $1.id }
  }

  func entry(_ id: RecordID) throws(Malformed) -> IndexEntry? {
    if let item = overlay.item(id) { return item.isRemoved ? nil : item.entry }
    return try entryOfBase(id)
  }

  private func entryOfBase(_ id: RecordID) throws(Malformed) -> IndexEntry? {
    guard let base, let cell = try base.cell(of: id) else { return nil }
    return try base.cells(at: [cell]).first?.entry
  }

  /// Returns how many entries a span has.
  func count(_ span: IndexSpan) throws(Malformed) -> Int {
    var count = try base?.positions(span).count ?? 0
    for item in overlay.items {
      if !item.isRemoved, span.contains(item.entry) { count += 1 }
      if let old = try entryOfBase(item.row.id), span.contains(old) { count -= 1 }
    }
    return count
  }

  /// Returns the next entries of a span, in the order in which it is walked, and what is left of it;
  /// `nil` for nothing. There may be none although something is left.
  ///
  /// - Parameter limit: the most entries, of the base and of the overlay each.
  mutating func page(
    _ span: IndexSpan, limit: Int
  ) throws(Malformed) -> (cells: [IndexCell], rest: IndexSpan?) {
    let order = span.order
    var cells: [IndexCell] = []
    /// Up to here the page has all entries.
    var last: IndexPlace?
    var known: (base: UInt64, position: Int)?
    if let base {
      let positions = try base.positions(span)
      var part = span.isReversed ? positions.suffix(limit) : positions.prefix(limit)
      var rows = try base.rows(order, part)
      while order == .listed, part.count > 1, let first = rows.first, let end = rows.last,
        end.cell - first.cell > Self.pageBytes
      {
        part = span.isReversed ? part.suffix(part.count / 2) : part.prefix(part.count / 2)
        rows = Array(span.isReversed ? rows.suffix(part.count) : rows.prefix(part.count))
      }
      var places = rows.map(\.cell)
      if let sorted = span.sorted {
        let wanted = try base.cells(sorted: sorted)
        places.removeAll { !wanted.contains($0) }
      }
      if order != .listed { places.sort() }
      cells = try base.cells(at: places)
      if part.count < positions.count, let edge = span.isReversed ? rows.first : rows.last {
        let cell = span.isReversed ? cells.first : cells.last
        if order == .listed, span.sorted == nil, let cell {
          last = order.place(of: cell.head)
        } else {
          last = try base.place(of: edge)
        }
        known = (base.id, span.isReversed ? part.lowerBound : part.upperBound)
      }
    }
    if !overlay.isEmpty {
      let positions = overlay.positions(span)
      let part = span.isReversed ? positions.suffix(limit) : positions.prefix(limit)
      if part.count < positions.count, let edge = span.isReversed ? part.first : part.last {
        let place = order.place(of: overlay.items[Int(edge)].entry)
        let isNearer = last.map { span.isReversed ? place > $0 : place < $0 } ?? true
        if isNearer { (last, known) = (place, nil) }
      }
      cells.removeAll { overlay.contains($0.head.id) }
      for position in part {
        let entry = overlay.items[Int(position)].entry
        if span.sorted?.contains(entry.sortKey) ?? true { cells.append(IndexCell(entry)) }
      }
      if let last {
        let reached = span.past(last)
        cells.removeAll { reached.contains($0.head) }
      }
    }
    if order != .listed || !overlay.isEmpty {
      cells.sort { order.place(of: $0.head) < order.place(of: $1.head) }
    }
    if span.isReversed { cells.reverse() }
    var rest = last.map { span.past($0) }
    rest?.known = known
    return (cells, rest)
  }

  /// Returns a number for each shard that is another one when any of its rows is.
  func bases() -> [UInt64] {
    var bases = [UInt64](repeating: base?.id ?? 0, count: IndexShard.folder)
    for item in overlay.items {
      var encoder = IndexEncoder()
      encoder.put(item.row)
      bases[Int(item.row.id.shard)] &+= IndexHash.hash(encoder.bytes, seed: item.isRemoved ? 1 : 0)
    }
    return bases
  }

  /// Returns a hash of the base, of what stands in place of its entries, and of the strays.
  ///
  /// No entry of the base is looked up for it, of which each would cost a check some reads.
  func stamp() -> UInt64 {
    var stamp = IndexHash.hash([], seed: UInt64(base?.count ?? 0)) &+ (base?.digest ?? 0)
    for item in overlay.items {
      stamp &+= withUnsafeBytes(of: (item.row.id.high.littleEndian, item.row.id.low.littleEndian)) {
        IndexHash.hash($0, seed: item.isRemoved ? 1 : item.row.digest)
      }
    }
    for (number, names) in strays {
      for name in names { stamp &+= IndexHash.hash(name, seed: UInt64(number) &+ 1) }
    }
    return stamp
  }
}
