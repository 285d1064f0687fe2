/// The knowledge beyond the base, in memory: entries that are new or other than there, and ids that
/// are gone.
struct IndexOverlay {
  /// One id. The cell lies in a chunk of bytes that may hold many.
  struct Item {
    var row: IndexRow
    var sortKey: Int64 = .max
    var madeAt: Int64 = 0
    var due: Int64 = .max
    var nameHash: UInt64 = 0
    var isRemoved = false
    var chunk: Int32 = 0
    var offset: Int32 = 0
    var count: Int32 = 0

    var id: RecordID { row.id }
    var key: IndexKey { IndexKey(sortKey: sortKey, madeAt: madeAt, id: row.id) }
  }

  private(set) var items: [Item] = []
  private var positions: [RecordID: Int32] = [:]
  private var chunks: [[UInt8]] = []
  private var order: [Int32]?

  var isEmpty: Bool { items.isEmpty }

  func contains(_ id: RecordID) -> Bool {
    positions[id] != nil
  }

  /// Returns what is known of an id; `nil` where the base has the say.
  func item(_ id: RecordID) -> Item? {
    positions[id].map { items[Int($0)] }
  }

  mutating func reserve(_ count: Int) {
    items.makeRoom(for: count)
    positions.reserveCapacity(positions.count + count)
  }

  /// Keeps bytes that hold cells.
  ///
  /// - Returns: the chunk's number, for the items that lie in it.
  mutating func keep(_ bytes: [UInt8]) -> Int32 {
    chunks.append(bytes)
    return Int32(chunks.count - 1)
  }

  mutating func set(_ item: Item) {
    order = nil
    if let position = positions[item.id] {
      items[Int(position)] = item
    } else {
      positions[item.id] = Int32(items.count)
      items.append(item)
    }
  }

  mutating func remove(_ id: RecordID) {
    var item = Item(
      row: IndexRow(id: id, stamp: .unknown, isTrusted: false, hasProblem: false, digest: 0))
    item.isRemoved = true
    set(item)
  }

  func cell(_ item: Item) -> ArraySlice<UInt8> {
    chunks[Int(item.chunk)][Int(item.offset)..<Int(item.offset) + Int(item.count)]
  }

  func entry(_ item: Item) throws(IndexDamage) -> IndexEntry {
    var decoder = try IndexDecoder(
      chunks[Int(item.chunk)], from: Int(item.offset), count: Int(item.count))
    return try IndexEntryCoding.read(&decoder)
  }

  /// Returns the positions of the items that are not removed, in order.
  mutating func sorted() -> [Int32] {
    if let order { return order }
    var sorted: [Int32] = []
    sorted.reserveCapacity(items.count)
    for (position, item) in items.enumerated() where !item.isRemoved {
      sorted.append(Int32(position))
    }
    sorted.sort { items[Int($0)].key < items[Int($1)].key }
    order = sorted
    return sorted
  }
}
