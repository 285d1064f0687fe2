extension IndexBase {
  /// Returns the first row of a table for which `isBefore` is false; its rows are sorted by that.
  private mutating func partition(
    _ table: Table, in range: Range<Int>? = nil,
    _ isBefore: (inout IndexDecoder) throws(IndexDamage) -> Bool
  ) throws(IndexDamage) -> Int {
    var low = range?.lowerBound ?? 0
    var high = range?.upperBound ?? count(table)
    while low < high {
      let middle = low + (high - low) / 2
      var row = try row(table, middle)
      if try isBefore(&row) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns how many entries have a lower sort key.
  mutating func rank(ofSortKey sortKey: Int64) throws(IndexDamage) -> Int {
    try partition(.order) { row throws(IndexDamage) in try row.next(Int64.self) < sortKey }
  }

  /// Returns how many entries stand before this one, if it is there or were there.
  mutating func rank(of key: IndexKey) throws(IndexDamage) -> Int {
    let first = try rank(ofSortKey: key.sortKey)
    let end = key.sortKey == .max ? count : try rank(ofSortKey: key.sortKey + 1)
    var low = first
    var high = end
    while low < high {
      let middle = low + (high - low) / 2
      if try entry(rank: middle).key < key { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns how many entries have a lower id.
  ///
  /// Ids are random, so one stands about where its first bytes say, and between two that are known too.
  /// From there steps that double enclose it. Where ids are not random it takes more steps.
  mutating func position(of id: RecordID) throws(IndexDamage) -> Int {
    var range = 0..<count(.ids)
    var (floor, ceiling) = (UInt64.min, UInt64.max)
    var isAbove = true
    var step = Table.ids.rowsInBlock
    for _ in 0..<2 where range.count > step {
      let share = Self.share(range.count, from: floor, to: ceiling, of: id.high)
      let guess = range.lowerBound + share
      var row = try row(.ids, guess)
      let found = try row.id()
      isAbove = found < id
      if isAbove {
        range = guess + 1..<range.upperBound
        floor = found.high
      } else {
        range = range.lowerBound..<guess
        ceiling = found.high
      }
    }
    var isEnclosed = false
    while !isEnclosed, range.count > step {
      let next = isAbove ? range.lowerBound + step : range.upperBound - step
      var row = try row(.ids, next)
      let isNextLower = try row.id() < id
      isEnclosed = isNextLower != isAbove
      range = isNextLower ? next + 1..<range.upperBound : range.lowerBound..<next
      step *= 2
    }
    return try partition(.ids, in: range) { row throws(IndexDamage) in try row.id() < id }
  }

  /// Returns how many of `count` values that are evenly spread between two are lower than another: at
  /// most `count - 1`.
  private static func share(
    _ count: Int, from floor: UInt64, to ceiling: UInt64, of value: UInt64
  ) -> Int {
    guard floor < value, value < ceiling else { return value < ceiling ? 0 : count - 1 }
    let product = (value - floor).multipliedFullWidth(by: UInt64(count))
    return Int((ceiling - floor).dividingFullWidth(product).quotient)
  }

  /// Returns the row and the rank of an id.
  mutating func find(_ id: RecordID) throws(IndexDamage) -> (row: IndexRow, rank: Int)? {
    let position = try position(of: id)
    if position == count(.ids) { return nil }
    var decoder = try row(.ids, position)
    let row = try decoder.row()
    return row.id == id ? (row, try rank(&decoder)) : nil
  }

  /// Returns the ranks of the entries with ids in a range, by id.
  mutating func ranks(ids: ClosedRange<RecordID>, limit: Int) throws(IndexDamage) -> [Int] {
    var ranks: [Int] = []
    var position = try position(of: ids.lowerBound)
    while position < count(.ids), ranks.count < limit {
      var decoder = try row(.ids, position)
      if try decoder.row().id > ids.upperBound { break }
      ranks.append(try rank(&decoder))
      position += 1
    }
    return ranks
  }

  /// Returns the rows of a shard, by id.
  mutating func rows(shard: UInt8) throws(IndexDamage) -> [IndexRow] {
    let first = RecordID(high: UInt64(shard) << 56, low: 0)
    let start = try position(of: first)
    let end =
      shard == .max
      ? count(.ids) : try position(of: RecordID(high: UInt64(shard + 1) << 56, low: 0))
    if end < start { throw IndexDamage() }
    return try rows(positions: start..<end)
  }

  /// Returns the rows at some positions, by id.
  func rows(positions: Range<Int>) throws(IndexDamage) -> [IndexRow] {
    var decoder = try IndexDecoder(try rows(.ids, positions))
    var rows: [IndexRow] = []
    rows.reserveCapacity(positions.count)
    for _ in positions {
      rows.append(try decoder.row())
      _ = try decoder.next(UInt32.self)
    }
    return rows
  }

  /// Returns the ranks of the entries with a hash of their name, in order.
  mutating func ranks(nameHash: UInt64) throws(IndexDamage) -> [Int] {
    let start = try partition(.names) { row throws(IndexDamage) in
      try row.next(UInt64.self) < nameHash
    }
    var ranks: [Int] = []
    for position in start..<count(.names) {
      var decoder = try row(.names, position)
      if try decoder.next(UInt64.self) != nameHash { break }
      ranks.append(try rank(&decoder))
    }
    return ranks
  }

  /// Returns the positions, among what falls due, of what does so after one instant and not after
  /// another.
  mutating func positions(
    dueAfter start: Int64, through end: Int64
  ) throws(IndexDamage) -> Range<Int> {
    let first = try partition(.dues) { row throws(IndexDamage) in
      try row.next(Int64.self) <= start
    }
    // Mostly little falls due in between.
    var (range, step) = (first..<count(.dues), 16)
    while range.count > step {
      let next = range.lowerBound + step
      var row = try row(.dues, next)
      if try row.next(Int64.self) > end {
        range = range.lowerBound..<next
        break
      }
      range = next + 1..<range.upperBound
      step *= 4
    }
    let last = try partition(.dues, in: range) { row throws(IndexDamage) in
      try row.next(Int64.self) <= end
    }
    return first..<last
  }

  /// Returns the first position, among what falls due, behind a place there.
  mutating func position(pastDue key: IndexDueKey) throws(IndexDamage) -> Int {
    var rank = try rank(of: key.key)
    if rank < count, try entry(rank: rank).id == key.key.id { rank += 1 }
    return try partition(.dues) { row throws(IndexDamage) in
      let due = try row.next(Int64.self)
      if due != key.due { return due < key.due }
      return Int(try row.next(UInt32.self)) < rank
    }
  }

  /// Returns the ranks of some positions among what falls due.
  mutating func ranks(duePositions positions: Range<Int>) throws(IndexDamage) -> [Int] {
    var ranks: [Int] = []
    ranks.reserveCapacity(positions.count)
    for position in positions {
      var decoder = try row(.dues, position)
      _ = try decoder.next(Int64.self)
      ranks.append(try rank(&decoder))
    }
    return ranks
  }

  /// Returns the ranks of the entries that fall due after one instant and not after another, by
  /// when.
  mutating func ranks(
    dueAfter start: Int64, through end: Int64
  ) throws(IndexDamage) -> [Int] {
    try ranks(duePositions: try positions(dueAfter: start, through: end))
  }

  /// Returns the entry at a place in the order.
  mutating func entry(rank: Int) throws(IndexDamage) -> IndexEntry {
    guard let entry = try entries(ranks: rank..<rank + 1).first else { throw IndexDamage() }
    return entry
  }

  /// Returns some entries, in order.
  mutating func entries(ranks: Range<Int>) throws(IndexDamage) -> [IndexEntry] {
    var decoder = try IndexDecoder(try cells(ranks: ranks))
    var entries: [IndexEntry] = []
    entries.reserveCapacity(ranks.count)
    for _ in ranks { entries.append(try IndexEntryCoding.read(&decoder)) }
    return entries
  }

  /// Returns the cells of some entries, one behind the other.
  mutating func cells(ranks: Range<Int>) throws(IndexDamage) -> [UInt8] {
    let start = try offset(rank: ranks.lowerBound)
    return try rows(.cells, start..<start + cellBytes(ranks: ranks))
  }

  /// Returns how many bytes the cells of some entries take.
  mutating func cellBytes(ranks: Range<Int>) throws(IndexDamage) -> Int {
    let count = try offset(rank: ranks.upperBound) - offset(rank: ranks.lowerBound)
    if count < 0 { throw IndexDamage() }
    return count
  }

  /// Returns the place where a cell begins among the cells; of the rank behind the last, where they
  /// end.
  mutating func offset(rank: Int) throws(IndexDamage) -> Int {
    if rank == count { return count(.cells) }
    var decoder = try row(.order, rank)
    _ = try decoder.next(Int64.self)
    guard let offset = Int(exactly: try decoder.next(UInt64.self)) else { throw IndexDamage() }
    return offset
  }

  private func rank(_ decoder: inout IndexDecoder) throws(IndexDamage) -> Int {
    let rank = Int(try decoder.next(UInt32.self))
    if rank >= count { throw IndexDamage() }
    return rank
  }
}

/// The place of an entry in the order.
struct IndexKey: Comparable, Sendable {
  var sortKey: Int64
  /// The time at which the record was made, in nanoseconds since 1970.
  var madeAt: Int64
  var id: RecordID

  static func < (left: IndexKey, right: IndexKey) -> Bool {
    (left.sortKey, left.madeAt, left.id) < (right.sortKey, right.madeAt, right.id)
  }
}
