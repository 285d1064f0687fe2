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
  mutating func rows(shard: UInt8, overlaid: [Int32]) throws(IndexDamage) -> [IndexRow] {
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
  mutating func rows(shard: UInt8) throws(IndexDamage) -> [IndexRow] {
    let overlaid = overlay.items.indices.filter { overlay.items[$0].id.shard == shard }
    return try rows(shard: shard, overlaid: overlaid.map { Int32($0) })
  }

  /// Returns as many rows as that from a place on, each once, of a round of all: the base's by id, then
  /// the overlay's.
  func rows(from first: Int, count: Int) throws(IndexDamage) -> [IndexRow] {
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
  mutating func problems() throws(IndexDamage) -> [RecordID] {
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

  mutating func row(_ id: RecordID) throws(IndexDamage) -> IndexRow? {
    if let item = overlay.item(id) { return item.isRemoved ? nil : item.row }
    return try base?.find(id)?.row
  }

  mutating func entry(_ id: RecordID) throws(IndexDamage) -> IndexEntry? {
    if let item = overlay.item(id) { return item.isRemoved ? nil : try overlay.entry(item) }
    guard let rank = try base?.find(id)?.rank else { return nil }
    return try base?.entry(rank: rank)
  }

  /// Returns how many entries there are.
  mutating func count() throws(IndexDamage) -> Int {
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
  mutating func stamp() throws(IndexDamage) -> UInt64 {
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
  mutating func allStrays() throws(IndexDamage) -> [Int: [[UInt8]]] {
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
