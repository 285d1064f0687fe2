extension LoadedIndex {
  /// The most entries that are read at once.
  private static let batch = 256

  /// Returns the entries of some ranks of the base that the overlay has no say on, in order. Those
  /// that lie close together are read together.
  mutating func entries(ranks: [Int]) throws(IndexDamage) -> [IndexEntry] {
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
  ) throws(IndexDamage) -> [IndexEntry] {
    var found: [IndexEntry] = []
    for item in overlay.items where !item.isRemoved && isWanted(item) {
      found.append(try overlay.entry(item))
    }
    return found
  }

  mutating func entries(
    ids: ClosedRange<RecordID>, limit: Int
  ) throws(IndexDamage) -> [IndexEntry] {
    if limit <= 0 { return [] }
    let hidden = overlay.items.count { ids.contains($0.id) }
    let reach = limit.addingReportingOverflow(hidden)
    let ranks = try base?.ranks(ids: ids, limit: reach.overflow ? .max : reach.partialValue) ?? []
    var found = try entries(ranks: ranks)
    found += try overlaid { ids.contains($0.id) }
    found.sort { $0.id < $1.id }
    return Array(found.prefix(limit))
  }

  mutating func entries(nameHash: UInt64) throws(IndexDamage) -> [IndexEntry] {
    if nameHash == 0 { return [] }
    var found = try entries(ranks: try base?.ranks(nameHash: nameHash) ?? [])
    found += try overlaid { $0.nameHash == nameHash }
    return found.sorted { $0.key < $1.key }
  }

  mutating func entries(
    dueAfter start: Int64, through end: Int64, sorted: Range<Int64>?
  ) throws(IndexDamage) -> [IndexEntry] {
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
  mutating func count(dueAfter start: Int64, through end: Int64) throws(IndexDamage) -> Int {
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
}
