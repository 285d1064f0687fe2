/// A record as the index knows it.
struct IndexItem: Sendable {
  var row: IndexRow
  /// The entry; `nil` where the record is gone.
  var entry: IndexEntry?
}

/// The knowledge beyond the base, in memory: entries that are new or other than there, and ids that
/// are gone.
struct IndexOverlay {
  private var shards = [[RecordID: IndexItem]](repeating: [:], count: IndexShard.count)
  /// The entries in each order that was asked for.
  private var orders: [IndexOrder: [IndexEntry]] = [:]
  private(set) var count = 0
  /// About the number of bytes that all take in a log.
  private(set) var byteCount = 0

  var items: [IndexItem] { count == 0 ? [] : shards.flatMap(\.values) }

  /// Returns what is known of the records of a shard.
  func items(shard: UInt8) -> some Collection<IndexItem> { shards[Int(shard)].values }

  /// Returns what is known of an id; `nil` where the base has the say.
  func item(_ id: RecordID) -> IndexItem? { shards[Int(id.shard)][id] }

  mutating func set(_ item: IndexItem) {
    orders = [:]
    byteCount += IndexRow.width + IndexEntry.headCount + (item.entry?.summary.count ?? 0)
    if shards[Int(item.row.id.shard)].updateValue(item, forKey: item.row.id) == nil { count += 1 }
  }

  mutating func remove(_ id: RecordID) {
    set(
      IndexItem(
        row: IndexRow(id: id, stamp: .unknown, isTrusted: false, hasProblem: false, digest: 1)))
  }

  /// Returns the entries of a span, in its order; whatever their sort keys.
  mutating func entries(_ span: IndexSpan) -> ArraySlice<IndexEntry> {
    let order = span.order
    let sorted =
      orders[order]
      ?? items.compactMap(\.entry).filter(order.holds).map { (order.place(of: $0), $0) }
      .sorted { $0.0 < $1.0 }.map(\.1)
    orders[order] = sorted
    let start = sorted.countOfFirst { order.lead(of: $0) < span.first }
    let end = sorted.countOfFirst { order.lead(of: $0) <= span.last }
    return sorted[start..<max(start, end)]
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
  var items: ArraySlice<IndexEntry>
  private(set) var limit = Self.first

  var isAtEnd: Bool { positions.isEmpty && items.isEmpty }

  init(_ span: IndexSpan, in content: inout LoadedIndex) throws(Malformed) {
    self.span = span
    items = content.overlay.entries(span)
    positions = try content.base?.positions(span) ?? 0..<0
    cells = try span.sorted.flatMap { keys throws(Malformed) in
      try content.base?.cells(sorted: keys)
    }
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
  /// The state of each shard's directory.
  var directories = [ShardState](repeating: ShardState(), count: IndexShard.count)
  /// The names in the kind's folder that are no shards.
  var strays: [[UInt8]] = []
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
    let strays = strays
    self = LoadedIndex()
    (self.base, self.strays) = (base, strays)
    directories = base.directories
    if let log = base.log(), readLog(log, of: base.id) { logCount = log.count }
  }

  /// The number of rows, those that others stand for included.
  var rowCount: Int { (base?.count ?? 0) + overlay.count }

  /// Returns the rows of a shard, by id.
  func rows(shard: UInt8) throws(Malformed) -> [IndexRow] {
    var rows: [IndexRow] = []
    if let base { rows = try records(base, try base.positions(shard: shard)) }
    let items = overlay.items(shard: shard)
    if items.isEmpty { return rows }
    rows += items.filter { $0.entry != nil }.map(\.row)
    return rows.sorted { $0.id < $1.id }
  }

  /// Returns as many rows as that from a place on, each once, of a round of all: the base's by id, then
  /// the overlay's.
  func rows(from first: Int, count: Int) throws(Malformed) -> [IndexRow] {
    let end = first + min(count, rowCount)
    let rest = try rows(0..<max(0, end - rowCount))
    return try rows(first..<min(end, rowCount)) + rest
  }

  private func rows(_ places: Range<Int>) throws(Malformed) -> [IndexRow] {
    let size = base?.count ?? 0
    var rows: [IndexRow] = []
    if let base { rows = try records(base, places.clamped(to: 0..<size)) }
    let beyond = places.clamped(to: size..<rowCount)
    if beyond.isEmpty { return rows }
    let items = overlay.items.sorted { $0.row.id < $1.row.id }
    rows += items[beyond.lowerBound - size..<beyond.upperBound - size]
      .filter { $0.entry != nil }.map(\.row)
    return rows
  }

  /// Returns the rows at some positions of the base by id, without those that others stand for.
  private func records(
    _ base: IndexBase, _ positions: Range<Int>
  ) throws(Malformed) -> [IndexRow] {
    try base.records(positions).filter { overlay.item($0.id) == nil }
  }

  /// Returns the rows of the entries with a problem, by id.
  func problems() -> [IndexRow] {
    var rows = base?.problems.filter { overlay.item($0.id) == nil } ?? []
    rows += overlay.items.filter { $0.entry != nil && $0.row.hasProblem }.map(\.row)
    return rows.sorted { $0.id < $1.id }
  }

  func entry(_ id: RecordID) throws(Malformed) -> IndexEntry? {
    if let item = overlay.item(id) { return item.entry }
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
      if let entry = item.entry, span.contains(entry) { count += 1 }
      if let old = try entryOfBase(item.row.id), span.contains(old) { count -= 1 }
    }
    return count
  }

  /// Returns the next entries of a walk. There may be none although something is left.
  func next(_ walk: inout IndexWalk) throws(Malformed) -> [IndexEntry] {
    let (order, isReversed, limit) = (walk.span.order, walk.span.isReversed, walk.limit)
    var entries: [IndexEntry] = []
    let isOfBase = !walk.positions.isEmpty
    if let base, isOfBase {
      var cells = try walk.rows(base).map(\.cell)
      if let wanted = walk.cells { cells.removeAll { !wanted.contains($0.lowerBound) } }
      if isReversed || order != .listed { cells.sort { $0.lowerBound < $1.lowerBound } }
      entries = try base.entries(at: cells)
      if order != .listed { entries.sort { order.place(of: $0) < order.place(of: $1) } }
    }
    if overlay.count > 0 {
      // Where another part of the base follows, what the overlay has behind this one comes later.
      let edge = (isReversed ? entries.first : entries.last).map(order.place)
      entries.removeAll { overlay.item($0.id) != nil }
      let count = walk.items.count
      while let entry = isReversed ? walk.items.last : walk.items.first,
        isOfBase || count - walk.items.count < limit
      {
        let place = order.place(of: entry)
        let isBehind = edge.map { isReversed ? place < $0 : $0 < place } ?? true
        if isBehind, !walk.positions.isEmpty { break }
        if isReversed { walk.items.removeLast() } else { walk.items.removeFirst() }
        if walk.span.sorted?.contains(entry.sortKey) ?? true { entries.append(entry) }
      }
      if count > walk.items.count {
        entries.sort { order.place(of: $0) < order.place(of: $1) }
      }
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
      var encoder = IndexEncoder()
      encoder.put(item.row.id)
      stamp &+= IndexHash.hash(encoder.bytes, seed: item.row.digest)
    }
    for (number, names) in (directories.map(\.strays) + [strays]).enumerated() {
      for name in names { stamp &+= IndexHash.hash(name, seed: UInt64(number) &+ 1) }
    }
    return stamp
  }
}

extension LoadedIndex {
  /// The seconds after which a temporary file is nobody's.
  private static let temporaryAge: Int64 = 3600

  /// Keeps what was learned: in the log, or in a new base where there is none or the log has grown.
  /// A failure to write is ignored: the next opening learns the same again.
  mutating func save(
    _ changes: [IndexScan.Outcome], _ setup: IndexSetup, now: Instant
  ) throws(Malformed) {
    guard setup.cache != nil else { return }
    if let base, let logCount, overlay.byteCount <= Self.logLimit(base) {
      let payloads = changes.map { IndexLog.payload($0, token: tokens[Int($0.shard)]) }
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
    let name = path.lastComponent + Array((".tmp-" + Hex.encode(random[8...])).utf8)
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
    guard let cache = setup.cache, let entries = try? setup.files.contents(ofDirectory: cache)
    else { return }
    let own = Array((setup.kind.folder + ".").utf8)
    let end = now.seconds &- Self.temporaryAge
    for entry in entries where entry.name.starts(with: own) {
      if IndexSetup.endings.contains(where: { entry.name == own + $0.utf8 }) { continue }
      let path = cache.appending(bytes: entry.name)
      // Temporary files alone have a hyphen.
      if !entry.name.contains(UInt8(ascii: "-"))
        || (try? setup.files.status(path)).map({ $0.changed.seconds < end }) == true
      {
        try? setup.files.unlink(path)
      }
    }
  }
}
