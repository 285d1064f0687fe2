/// A walk through the entries in order: those of the base and the overlay's, merged.
struct IndexWalk {
  /// The place where a walk begins.
  enum Start {
    case end
    /// The walk begins at a sort key, its own entries included.
    case at(Int64)
    /// The walk begins behind an entry.
    case past(IndexKey)
  }

  private static let firstBatch = 64
  // What is read at once mostly takes less than what the system is asked for anew each time, 128 KiB.
  private static let lastBatch = 512
  private static let batchBytes = 1 << 20

  private let order: RecordIndex.Order
  /// The ranks of the base that are still to be read.
  private var ranks: Range<Int>
  private var batch: [IndexEntry] = []
  private var batchPosition = 0
  private var batchCount = firstBatch
  /// The overlay's items that are still to be given, in the order of the walk.
  private var overlaid: ArraySlice<Int32>

  init(
    _ order: RecordIndex.Order, from start: Start, of content: inout LoadedIndex
  ) throws(IndexDamage) {
    self.order = order
    let items = content.overlay.items
    let sorted = content.overlay.sorted()
    let count = content.base?.count ?? 0
    switch (start, order) {
    case (.end, _):
      ranks = 0..<count
      overlaid = sorted[...]
    case (.at(let key), .ascending):
      ranks = (try content.base?.rank(ofSortKey: key) ?? 0)..<count
      overlaid = sorted[sorted.firstSorted { items[Int($0)].sortKey >= key }...]
    case (.at(let key), .descending):
      let end = key == .max ? count : try content.base?.rank(ofSortKey: key + 1) ?? 0
      ranks = 0..<end
      overlaid = sorted[..<sorted.firstSorted { items[Int($0)].sortKey > key }]
    case (.past(let key), .ascending):
      var rank = try content.base?.rank(of: key) ?? 0
      if rank < count, try content.base?.entry(rank: rank).id == key.id { rank += 1 }
      ranks = rank..<count
      overlaid = sorted[sorted.firstSorted { items[Int($0)].key > key }...]
    case (.past(let key), .descending):
      ranks = 0..<(try content.base?.rank(of: key) ?? 0)
      overlaid = sorted[..<sorted.firstSorted { items[Int($0)].key >= key }]
    }
  }

  /// Returns the next entry, `nil` behind the last.
  mutating func next(_ content: inout LoadedIndex) throws(IndexDamage) -> IndexEntry? {
    while batchPosition == batch.count, !ranks.isEmpty { try fill(&content) }
    let isAscending = order == .ascending
    let position = isAscending ? overlaid.first : overlaid.last
    guard let position else { return takeFromBatch() }
    let item = content.overlay.items[Int(position)]
    if batchPosition < batch.count {
      let first = batch[batchPosition].key
      if isAscending ? first < item.key : first > item.key { return takeFromBatch() }
    }
    overlaid = isAscending ? overlaid.dropFirst() : overlaid.dropLast()
    return try content.overlay.entry(item)
  }

  private mutating func takeFromBatch() -> IndexEntry? {
    if batchPosition == batch.count { return nil }
    batchPosition += 1
    return batch[batchPosition - 1]
  }

  private mutating func fill(_ content: inout LoadedIndex) throws(IndexDamage) {
    guard content.base != nil else { throw IndexDamage() }
    var count = min(batchCount, ranks.count)
    // Summaries may be large; what is held at once is bounded.
    var part = part(count)
    while count > 1, try content.base?.cellBytes(ranks: part) ?? 0 > Self.batchBytes {
      count /= 2
      part = self.part(count)
    }
    batchCount = min(batchCount * 2, Self.lastBatch)
    batch = try content.base?.entries(ranks: part) ?? []
    ranks =
      order == .ascending
      ? part.upperBound..<ranks.upperBound : ranks.lowerBound..<part.lowerBound
    if !content.overlay.isEmpty { batch.removeAll { content.overlay.contains($0.id) } }
    if order == .descending { batch.reverse() }
    batchPosition = 0
  }

  private func part(_ count: Int) -> Range<Int> {
    order == .ascending
      ? ranks.lowerBound..<ranks.lowerBound + count : ranks.upperBound - count..<ranks.upperBound
  }
}

extension IndexEntry {
  var key: IndexKey { IndexKey(sortKey: sortKey, madeAt: madeAt, id: id) }
}

extension Array {
  /// Returns the first position for whose element, and all behind it, the test holds.
  fileprivate func firstSorted(where holds: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = low + (high - low) / 2
      if holds(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
