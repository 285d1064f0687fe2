/// The loaded index: the base, the knowledge beyond it, and the state of each directory.
struct LoadedIndex {
  var base: IndexBase?
  var overlay = IndexOverlay()
  /// The state of each directory, by number, see ``IndexShard``.
  var directories = [ShardState](repeating: ShardState(), count: IndexShard.count)
  /// The hash of the last log entry about each directory, by number; 0 where the log has none. A
  /// log entry about a directory holds only for the state that it was added to.
  var tokens = [UInt64](repeating: 0, count: IndexShard.count)
  /// The names that are no records, by number, where they are not those of the base.
  var strays: [Int: [[UInt8]]] = [:]

  init() {}

  init(base: IndexBase) {
    self.base = base
    directories = base.shards
  }

  /// Returns the rows of a shard by id, those of the overlay included.
  ///
  /// - Parameter overlaid: the positions of the overlay's items of the shard.
  mutating func rows(shard: UInt8, overlaid: [Int32]) throws(Malformed) -> [IndexRow] {
    var rest = try (base?.rows(shard: shard) ?? [])[...]
    if overlaid.isEmpty { return Array(rest) }
    var rows: [IndexRow] = []
    rows.reserveCapacity(rest.count + overlaid.count)
    let items = overlaid.map { overlay.items[Int($0)] }.sorted { $0.id < $1.id }
    for item in items {
      let before = rest.prefix { $0.id < item.id }
      rows += before
      rest = rest[before.endIndex...]
      if rest.first?.id == item.id { rest.removeFirst() }
      if !item.isRemoved { rows.append(item.row) }
    }
    return rows + rest
  }

  /// Returns the rows of a shard, by id.
  mutating func rows(shard: UInt8) throws(Malformed) -> [IndexRow] {
    let overlaid = overlay.items.indices.filter { overlay.items[$0].id.shard == shard }
    return try rows(shard: shard, overlaid: overlaid.map { Int32($0) })
  }

  /// Returns as many rows as that from a place on, each once, of a round of all: the base's by id, then
  /// the overlay's.
  func rows(from first: Int, count: Int) throws(Malformed) -> [IndexRow] {
    let items = overlay.items
    let size = base?.count ?? 0
    var (place, left) = (first, min(count, size + items.count))
    var rows: [IndexRow] = []
    while left > 0 {
      let end = min(place + left, place < size ? size : size + items.count)
      if place < size {
        let known = try base?.rows(positions: place..<end) ?? []
        rows += items.isEmpty ? known : known.filter { !overlay.contains($0.id) }
      } else {
        let known = items[place - size..<end - size].filter { !$0.isRemoved }.map(\.row)
        rows += known.sorted { $0.id < $1.id }
      }
      left -= end - place
      place = end == size + items.count ? 0 : end
    }
    return rows
  }

  /// Returns the ids of the entries with a problem.
  mutating func problems() throws(Malformed) -> [RecordID] {
    var ids: [RecordID] = []
    if let base, base.count(.problems) > 0 {
      var decoder = try IndexDecoder(try base.rows(.problems, 0..<base.count(.problems)))
      while decoder.rest > 0 {
        let id = try decoder.id()
        if !overlay.contains(id) { ids.append(id) }
      }
    }
    for item in overlay.items where !item.isRemoved && item.row.hasProblem { ids.append(item.id) }
    return ids.sorted()
  }

  mutating func row(_ id: RecordID) throws(Malformed) -> IndexRow? {
    if let item = overlay.item(id) { return item.isRemoved ? nil : item.row }
    return try base?.find(id)?.row
  }

  mutating func entry(_ id: RecordID) throws(Malformed) -> IndexEntry? {
    if let item = overlay.item(id) { return item.isRemoved ? nil : try overlay.entry(item) }
    guard let rank = try base?.find(id)?.rank else { return nil }
    return try base?.entry(rank: rank)
  }

  /// Returns how many entries there are.
  mutating func count() throws(Malformed) -> Int {
    var count = base?.count ?? 0
    for item in overlay.items {
      if try base?.find(item.id) != nil { count -= 1 }
      if !item.isRemoved { count += 1 }
    }
    return count
  }

  /// Returns a hash of the base, of what stands in place of its entries, and of the strays.
  ///
  /// No entry of the base is looked up for it, of which each would cost a check some reads.
  mutating func stamp() throws(Malformed) -> UInt64 {
    var stamp = IndexHash.hash([], seed: UInt64(base?.count ?? 0)) &+ (base?.digest ?? 0)
    for item in overlay.items {
      stamp &+= withUnsafeBytes(of: (item.id.high.littleEndian, item.id.low.littleEndian)) {
        IndexHash.hash($0, seed: item.isRemoved ? 1 : item.row.digest)
      }
    }
    for (number, names) in try allStrays() {
      for name in names {
        stamp &+= IndexHash.hash(name, seed: UInt64(number) &+ 1)
      }
    }
    return stamp
  }

  /// Returns the names that are no records, by number of the directory.
  mutating func allStrays() throws(Malformed) -> [Int: [[UInt8]]] {
    var found = strays
    if let base, base.count(.strays) > 0 {
      var decoder = try IndexDecoder(try base.rows(.strays, 0..<base.count(.strays)))
      while decoder.rest > 0 {
        let number = Int(try decoder.next(UInt16.self))
        let name = Array(try decoder.counted())
        if strays[number] == nil { found[number, default: []].append(name) }
      }
    }
    return found
  }
}

extension LoadedIndex {
  /// The kind's folder as it was read.
  struct Listing {
    var state: ShardState
    var isListed = true
    /// The numbers for which something with a shard's name is there.
    var shards: [UInt8] = []
    var strays: [[UInt8]] = []

    init(
      _ setup: IndexSetup, _ status: FileStatus, _ now: Instant, _ refresh: inout Refresh
    ) {
      state = ShardState(status, now: now)
      do {
        for entry in try setup.files.contents(ofDirectory: setup.folder) {
          if let shard = Self.shard(entry.name) {
            shards.append(shard)
          } else if entry.name.first != UInt8(ascii: ".") {
            strays.append(entry.name)
          }
        }
        shards.sort()
      } catch {
        refresh.failures.append(error)
        isListed = false
        state.forget()
        shards = Array(UInt8.min...UInt8.max)
      }
    }

    private static func shard(_ name: [UInt8]) -> UInt8? {
      guard name.count == 2, let byte = Hex.decode(String(decoding: name, as: UTF8.self)),
        Array(Hex.encode(byte).utf8) == name
      else { return nil }
      return byte.first
    }
  }

  /// Takes over what was found in the kind's folder.
  mutating func apply(_ listing: Listing, _ refresh: inout Refresh) {
    let strays = listing.strays.sorted { $0.lexicographicallyPrecedes($1) }
    apply(
      number: IndexShard.folder, state: listing.state, strays: strays, removed: [], upserted: [],
      &refresh)
  }

  /// Takes over what was found in a shard.
  mutating func apply(_ outcome: IndexScan.Outcome, _ refresh: inout Refresh) {
    if let failure = outcome.failure { refresh.failures.append(failure) }
    if !outcome.upserted.isEmpty {
      let chunk = overlay.keep(outcome.cells)
      for var item in outcome.upserted {
        item.chunk = chunk
        overlay.set(item)
      }
    }
    for id in outcome.removed { overlay.remove(id) }
    apply(
      number: Int(outcome.shard), state: outcome.state, strays: outcome.strays,
      removed: outcome.removed, upserted: outcome.upserted.map(\.id), &refresh)
  }

  private mutating func apply(
    number: Int, state: ShardState, strays: [[UInt8]], removed: [RecordID],
    upserted: [RecordID], _ refresh: inout Refresh
  ) {
    // Names that are only in the base are not looked up for this.
    let known = self.strays[number] ?? (base?.count(.strays) ?? 0 == 0 ? [] : nil)
    let isNews =
      (state.isCurrent || state.isRead) && state != directories[number]
      || state.isPresent != directories[number].isPresent || strays != known
      || !removed.isEmpty || !upserted.isEmpty
    directories[number] = state
    self.strays[number] = strays
    guard isNews else { return }
    refresh.changes.append(
      IndexDirectoryChange(
        number: number, token: tokens[number], state: state, strays: strays, removed: removed,
        upserted: upserted))
  }

  /// The most entries that are read at once.
  private static let batch = 256

  /// Returns the entries of some ranks of the base that the overlay has no say on, in order. Those
  /// that lie close together are read together.
  mutating func entries(ranks: [Int]) throws(Malformed) -> [IndexEntry] {
    var found: [IndexEntry] = []
    found.reserveCapacity(ranks.count)
    var rest = ranks.sorted()[...]
    while let first = rest.first {
      var last = first
      var count = 1
      for rank in rest.dropFirst() {
        guard rank - last <= 4, rank - first < Self.batch else { break }
        last = rank
        count += 1
      }
      let entries = try base?.entries(ranks: first..<last + 1) ?? []
      for rank in rest.prefix(count) {
        let entry = entries[rank - first]
        if !overlay.contains(entry.id) { found.append(entry) }
      }
      rest = rest.dropFirst(count)
    }
    return found
  }

  private func overlaid(
    where isWanted: (IndexOverlay.Item) -> Bool
  ) throws(Malformed) -> [IndexEntry] {
    var found: [IndexEntry] = []
    for item in overlay.items where !item.isRemoved && isWanted(item) {
      found.append(try overlay.entry(item))
    }
    return found
  }

  mutating func entries(
    ids: ClosedRange<RecordID>, limit: Int
  ) throws(Malformed) -> [IndexEntry] {
    if limit <= 0 { return [] }
    let hidden = overlay.items.count { ids.contains($0.id) }
    let reach = limit.addingReportingOverflow(hidden)
    let ranks = try base?.ranks(ids: ids, limit: reach.overflow ? .max : reach.partialValue) ?? []
    var found = try entries(ranks: ranks)
    found += try overlaid { ids.contains($0.id) }
    found.sort { $0.id < $1.id }
    return Array(found.prefix(limit))
  }

  mutating func entries(nameHash: UInt64) throws(Malformed) -> [IndexEntry] {
    if nameHash == 0 { return [] }
    var found = try entries(ranks: try base?.ranks(nameHash: nameHash) ?? [])
    found += try overlaid { $0.nameHash == nameHash }
    return found.sorted { $0.key < $1.key }
  }

  mutating func entries(
    dueAfter start: Int64, through end: Int64, sorted: Range<Int64>?
  ) throws(Malformed) -> [IndexEntry] {
    if start >= end { return [] }
    var ranks = try base?.ranks(dueAfter: start, through: end) ?? []
    // Ranks stand in the order of the sort keys: what is left out is not read.
    if let sorted, let first = try base?.rank(ofSortKey: sorted.lowerBound),
      let last = try base?.rank(ofSortKey: sorted.upperBound)
    {
      ranks.removeAll { !(first..<last).contains($0) }
    }
    var found = try entries(ranks: ranks)
    found += try overlaid { item in
      item.due != .max && item.due > start && item.due <= end
        && sorted?.contains(item.sortKey) ?? true
    }
    return found.sorted { $0.dueKey < $1.dueKey }
  }

  /// Returns how many entries ``entries(dueAfter:through:)`` gives, without reading them.
  mutating func count(dueAfter start: Int64, through end: Int64) throws(Malformed) -> Int {
    if start >= end { return 0 }
    func isIn(_ due: Int64) -> Bool { due != .max && due > start && due <= end }
    var count = try base?.positions(dueAfter: start, through: end).count ?? 0
    for item in overlay.items {
      if !item.isRemoved, isIn(item.due) { count += 1 }
      guard let rank = try base?.find(item.id)?.rank, let old = try base?.entry(rank: rank)
      else { continue }
      if isIn(old.due) { count -= 1 }
    }
    return count
  }

  /// The outcome of reading a log.
  struct LogReading {
    /// Whether there is a log of the content's base. If there is none, it has to be begun anew.
    var isOwn = false
    /// Whether all of it was whole.
    var isWhole = true
    /// The size in bytes.
    var size = 0
  }

  /// Adds the entries of the base's log.
  mutating func readLog(_ setup: IndexSetup) -> LogReading {
    guard let base, let path = setup.log, let file = try? IndexFile(path, in: setup.files),
      let count = Int(exactly: file.size), count >= IndexLog.headCount,
      count <= Int(IndexLog.limit) * 2, let bytes = try? file.read(at: 0, count: count),
      IndexLog.base(ofHead: bytes, setup: setup) == base.id
    else { return LogReading() }
    let chunk = overlay.keep(bytes)
    var offset = IndexLog.headCount
    while offset < count {
      guard var head = try? IndexDecoder(bytes, from: offset),
        let size = try? Int(head.next(UInt32.self)), let hash = try? head.next(UInt64.self),
        size <= head.rest
      else { break }
      let start = offset + IndexLog.entryHead
      let found = bytes.withUnsafeBytes {
        IndexHash.hash(UnsafeRawBufferPointer(rebasing: $0[start..<start + size]), seed: base.id)
      }
      guard found == hash, var payload = try? IndexDecoder(bytes, from: start, count: size),
        (try? apply(&payload, hash: hash, chunk: chunk)) != nil
      else { break }
      offset = start + size
    }
    return LogReading(isOwn: true, isWhole: offset == count, size: count)
  }

  private mutating func apply(
    _ payload: inout IndexDecoder, hash: UInt64, chunk: Int32
  ) throws(Malformed) {
    switch IndexLog.Tag(rawValue: try payload.next()) {
    case .upsert:
      let item = try item(&payload, chunk: chunk)
      overlay.set(item)
      noteWriter(item.id, hash)
    case .remove:
      let id = try payload.id()
      overlay.remove(id)
      noteWriter(id, hash)
    case .directory:
      try applyDirectory(&payload, hash: hash, chunk: chunk)
    case .written:
      let number = Int(try payload.next(UInt16.self))
      guard number < IndexShard.folder else { throw Malformed() }
      directories[number].noteWriter(from: try payload.shardState(), to: try payload.shardState())
      tokens[number] = hash
    case nil:
      throw Malformed()
    }
  }

  /// A writer's change makes the directory count as changed, whatever its times: a file that a
  /// synchroniser brought a moment before the change would be hidden else. The record itself need
  /// not be read again.
  private mutating func noteWriter(_ id: RecordID, _ hash: UInt64) {
    directories[Int(id.shard)].isCurrent = false
    tokens[Int(id.shard)] = hash
  }

  private mutating func applyDirectory(
    _ payload: inout IndexDecoder, hash: UInt64, chunk: Int32
  ) throws(Malformed) {
    let number = Int(try payload.next(UInt16.self))
    guard number < IndexShard.count else { throw Malformed() }
    directories[number].forget()
    let token = try payload.next(UInt64.self)
    let state = try payload.shardState()
    var names: [[UInt8]] = []
    for _ in 0..<(try payload.next(UInt32.self)) { names.append(Array(try payload.counted())) }
    for _ in 0..<(try payload.next(UInt32.self)) { overlay.remove(try payload.id()) }
    for _ in 0..<(try payload.next(UInt32.self)) {
      overlay.set(try item(&payload, chunk: chunk))
    }
    strays[number] = names
    // If the token does not fit, another change came between, and the sum of both was never read.
    if tokens[number] == token { directories[number] = state }
    tokens[number] = hash
  }

  private func item(
    _ payload: inout IndexDecoder, chunk: Int32
  ) throws(Malformed) -> IndexOverlay.Item {
    let row = try payload.row()
    let start = payload.offset
    let entry = try IndexEntryCoding.read(&payload)
    guard entry.id == row.id else { throw Malformed() }
    return IndexOverlay.Item(
      row: row, entry: entry, chunk: chunk, offset: start, count: payload.offset - start)
  }
}

extension IndexOverlay.Item {
  init(row: IndexRow, entry: IndexEntry, chunk: Int32, offset: Int, count: Int) {
    self.init(row: row)
    sortKey = entry.sortKey
    madeAt = entry.madeAt
    due = entry.due
    nameHash = entry.nameHash
    self.chunk = chunk
    self.offset = Int32(offset)
    self.count = Int32(count)
  }
}
