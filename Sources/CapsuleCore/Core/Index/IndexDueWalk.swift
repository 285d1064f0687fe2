/// A walk through the entries that fall due, by time: those of the base and the overlay's, merged.
struct IndexDueWalk {
  private static let firstBatch = 64
  private static let lastBatch = 1024

  /// The positions of the base that are still to be read.
  private var positions: Range<Int>
  private var batch: ArraySlice<IndexEntry> = []
  private var batchCount = firstBatch
  /// The overlay's items that are still to be given, in order.
  private var overlaid: ArraySlice<IndexOverlay.Item>
  /// The only ranks of the base that are given; all if `nil`.
  private var wanted: Range<Int>?

  /// - Parameters:
  ///   - sorted: only entries whose sort key is in it are given; all if `nil`.
  ///   - key: the key of the entry that was given last, where the walk goes on from another.
  init(
    after start: Int64, through end: Int64, sorted: Range<Int64>?, past key: IndexDueKey?,
    of content: inout LoadedIndex
  ) throws(IndexDamage) {
    // Ranks stand in the order of the sort keys: what is left out is not read.
    if let sorted, let first = try content.base?.rank(ofSortKey: sorted.lowerBound),
      let last = try content.base?.rank(ofSortKey: sorted.upperBound)
    {
      wanted = first..<max(first, last)
    }
    positions = try content.base?.positions(dueAfter: start, through: end) ?? 0..<0
    if let key, let first = try content.base?.position(pastDue: key) {
      positions = min(max(first, positions.lowerBound), positions.upperBound)..<positions.upperBound
    }
    overlaid =
      content.overlay.items.filter { item in
        guard !item.isRemoved, item.due != .max, item.due > start, item.due <= end,
          sorted?.contains(item.sortKey) ?? true
        else { return false }
        return key.map { $0 < item.dueKey } ?? true
      }.sorted { $0.dueKey < $1.dueKey }[...]
  }

  /// Returns the next entry, `nil` behind the last.
  mutating func next(_ content: inout LoadedIndex) throws(IndexDamage) -> IndexEntry? {
    while batch.isEmpty, !positions.isEmpty {
      let part = positions.prefix(batchCount)
      batchCount = min(batchCount * 2, Self.lastBatch)
      var ranks = try content.base?.ranks(duePositions: part) ?? []
      if let wanted { ranks.removeAll { !wanted.contains($0) } }
      batch = try content.entries(ranks: ranks).sorted { $0.dueKey < $1.dueKey }[...]
      positions = part.upperBound..<positions.upperBound
    }
    guard let item = overlaid.first else { return batch.popFirst() }
    if let first = batch.first, first.dueKey < item.dueKey { return batch.popFirst() }
    overlaid.removeFirst()
    return try content.overlay.entry(item)
  }
}

/// The place of an entry among those that fall due.
struct IndexDueKey: Comparable, Sendable {
  var due: Int64
  var key: IndexKey

  static func < (left: IndexDueKey, right: IndexDueKey) -> Bool {
    left.due == right.due ? left.key < right.key : left.due < right.due
  }
}

extension IndexEntry {
  var dueKey: IndexDueKey { IndexDueKey(due: due, key: key) }
}

extension IndexOverlay.Item {
  fileprivate var dueKey: IndexDueKey { IndexDueKey(due: due, key: key) }
}
