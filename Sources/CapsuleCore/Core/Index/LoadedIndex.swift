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
    byteCount += IndexRow.width + IndexEntry.headCount + item.entry.summary.count
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

/// A walk along a span of an index, a part at a time.
struct IndexWalk {
  /// The most entries that are read at once: at first, and later.
  private static let (first, most) = (64, 256)
  /// The most bytes of cells that are read at once, but for one that is larger.
  private static let mostBytes = 1 << 20

  let span: IndexSpan
  /// What is left of the base, by position in the span's order.
  var positions: Range<Int>
  /// Where the cells of the entries are that have a sort key of the span; anywhere if `nil`.
  let cells: Range<Int>?
  /// What is left of the overlay.
  var items: ArraySlice<Int32>
  private(set) var limit = Self.first

  var isAtEnd: Bool { positions.isEmpty && items.isEmpty }

  init(_ span: IndexSpan, _ positions: Range<Int>, _ cells: Range<Int>?, _ items: ArraySlice<Int32>)
  {
    (self.span, self.positions, self.cells, self.items) = (span, positions, cells, items)
  }

  /// Takes the rows that come next, in the order of the walk.
  mutating func rows(_ base: IndexBase) throws(Malformed) -> [IndexBase.Row] {
    let next = span.isReversed ? positions.suffix(limit) : positions.prefix(limit)
    var rows = try base.rows(span.order, next)
    if span.isReversed { rows.reverse() }
    var size = 0
    let part = rows.prefix { row in
      size += row.cell.count
      return size <= Self.mostBytes
    }
    let count = max(part.count, 1)
    positions = span.isReversed ? positions.dropLast(count) : positions.dropFirst(count)
    limit = min(4 * limit, Self.most)
    return Array(rows.prefix(count))
  }
}

/// The loaded index: the base, the knowledge beyond it, and the state of each directory.
struct LoadedIndex {
  private(set) var base: IndexBase?
  var overlay = IndexOverlay()
  /// The state of each directory, by number, see ``IndexShard``.
  var directories = [ShardState](repeating: ShardState(), count: IndexShard.count)
  /// The hash of the last log entry about each directory, by number; 0 where the log has none. A
  /// log entry about a directory holds only for the state that it was added to.
  var tokens = [UInt64](repeating: 0, count: IndexShard.count)
  /// The number of bytes of the log; `nil` where not all of it is whole.
  private var logCount: Int?

  init() {}

  /// Reads the file, without looking at the records' directories.
  init(_ setup: IndexSetup) {
    if let path = setup.file, let base = try? IndexBase(path, setup: setup) { rest(on: base) }
  }

  private mutating func rest(on base: IndexBase) {
    self = LoadedIndex()
    self.base = base
    directories = base.directories
    if let log = base.log(), readLog(log, of: base.id) { logCount = log.count }
  }

  /// The number of rows, those that others stand for included.
  var rowCount: Int { (base?.count ?? 0) + overlay.items.count }

  /// Returns the rows of a shard, by id.
  mutating func rows(shard: UInt8) throws(Malformed) -> [IndexRow] {
    var rows: [IndexRow] = []
    if let base { rows = try base.records(try base.positions(shard: shard)) }
    guard overlay.touches(shard) else { return rows }
    rows.removeAll { overlay.contains($0.id) }
    let high = UInt64(shard) << 56
    let span = IndexSpan(
      order: .ids, start: IndexPlace(RecordID(high: high, low: 0)),
      end: IndexPlace(after: RecordID(high: high | .max >> 8, low: .max)))
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
        rows += try base?.records(place..<end).filter { !overlay.contains($0.id) } ?? []
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
    guard let base, let row = try base.row(id) else { return nil }
    return try base.entry(row.cell)
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

  /// Begins a walk.
  mutating func walk(_ span: IndexSpan) throws(Malformed) -> IndexWalk {
    var cells: Range<Int>?
    if let base, let keys = span.sorted { cells = try base.cells(sorted: keys) }
    let positions = try base?.positions(span)
    return IndexWalk(span, positions ?? 0..<0, cells, overlay.positions(span))
  }

  /// Returns the next entries of a walk. There may be none although something is left.
  func next(_ walk: inout IndexWalk) throws(Malformed) -> [IndexEntry] {
    let (order, isReversed, limit) = (walk.span.order, walk.span.isReversed, walk.limit)
    var entries: [IndexEntry] = []
    /// The last place of the base's part, where another part follows.
    var edge: IndexPlace?
    if let base, !walk.positions.isEmpty {
      let rows = try walk.rows(base)
      var cells = rows.map(\.cell)
      if let wanted = walk.cells { cells.removeAll { !wanted.contains($0.lowerBound) } }
      if isReversed || order != .listed { cells.sort { $0.lowerBound < $1.lowerBound } }
      entries = try base.entries(at: cells)
      if !walk.items.isEmpty, !walk.positions.isEmpty, let row = rows.last {
        edge = try base.place(of: row, order)
      }
      if !overlay.isEmpty { entries.removeAll { overlay.contains($0.id) } }
    }
    let (count, isOfBase) = (walk.items.count, edge != nil || !entries.isEmpty)
    while let position = isReversed ? walk.items.last : walk.items.first,
      isOfBase || count - walk.items.count < limit
    {
      let entry = overlay.items[Int(position)].entry
      if let edge, isReversed == (order.place(of: entry) < edge) { break }
      if isReversed { walk.items.removeLast() } else { walk.items.removeFirst() }
      if walk.span.sorted?.contains(entry.sortKey) ?? true { entries.append(entry) }
    }
    if order != .listed || count > walk.items.count {
      entries.sort { order.place(of: $0) < order.place(of: $1) }
    }
    if isReversed { entries.reverse() }
    return entries
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
    for (number, directory) in directories.enumerated() {
      for name in directory.strays { stamp &+= IndexHash.hash(name, seed: UInt64(number) &+ 1) }
    }
    return stamp
  }
}

extension LoadedIndex {
  private static let temporaryMark = ".tmp-"
  /// The seconds after which a temporary file is nobody's.
  private static let temporaryAge: Int64 = 3600
  /// The files of earlier versions.
  private static let formerEndings = [".base", ".log", ".texts.log"]

  /// Keeps what was learned: in the log, or in a new base where there is none or the log has grown.
  /// A failure to write is ignored: the next opening learns the same again.
  mutating func save(
    _ changes: [IndexScan.Outcome], _ setup: IndexSetup, now: Instant
  ) throws(Malformed) {
    guard setup.cache != nil else { return }
    if let base, let logCount, overlay.byteCount <= Self.logLimit(base) {
      // The folder's own comes last: it vouches for which shards there are, as the others have them.
      let payloads = changes.sorted { $0.number < $1.number }
        .map { IndexLog.payload($0, token: tokens[$0.number]) }
      let count = payloads.reduce(0) { $0 + IndexLog.entryHead + $1.count }
      if logCount + count <= Self.logLimit(base) {
        if !payloads.isEmpty { IndexBase.append(payloads, to: setup, of: base.id) }
        return
      }
    }
    try fold(setup)
    sweep(setup, now)
  }

  /// Returns the size from which a log is folded: reading it must cost little, and folding it not
  /// come often.
  private static func logLimit(_ base: IndexBase) -> Int {
    max(64 << 10, min(base.size / 8, 256 << 10))
  }

  /// Writes a new base, on which the content then rests.
  mutating func fold(_ setup: IndexSetup) throws(Malformed) {
    guard let path = setup.file, let random = try? setup.random.bytes(24),
      (try? setup.files.createDirectories(path.parent)) != nil
    else { return }
    let name = path.lastComponent + Array((Self.temporaryMark + Hex.encode(random[8...])).utf8)
    let temporary = path.parent.appending(bytes: name)
    do {
      let file = try setup.files.open(temporary, .createExclusive(mode: IndexSetup.mode))
      defer { try? setup.files.close(file) }
      let id = random[..<8].reduce(0) { $0 << 8 | UInt64($1) }
      try IndexBase.write(&self, to: file, id: id, setup: setup)
      let base = try IndexBase(temporary, setup: setup)
      try setup.files.rename(temporary, to: path)
      rest(on: base)
    } catch {
      try? setup.files.unlink(temporary)
      if let damage = error as? Malformed { throw damage }
    }
  }

  /// Removes the temporary files of programs that were killed, and what earlier versions kept.
  private func sweep(_ setup: IndexSetup, _ now: Instant) {
    guard let file = setup.file, let entries = try? setup.files.contents(ofDirectory: file.parent)
    else { return }
    let mark = file.lastComponent + Array(Self.temporaryMark.utf8)
    let former = Self.formerEndings.map { Array((setup.kind.folder + $0).utf8) }
    for entry in entries {
      let path = file.parent.appending(bytes: entry.name)
      if former.contains(entry.name) {
        try? setup.files.unlink(path)
      } else if entry.name.starts(with: mark), let status = try? setup.files.status(path),
        status.changed.seconds < now.seconds &- Self.temporaryAge
      {
        try? setup.files.unlink(path)
      }
    }
  }
}
