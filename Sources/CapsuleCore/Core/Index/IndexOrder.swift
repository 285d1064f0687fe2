/// The place of an entry among those of one kind, as lists show them.
struct IndexKey: Comparable, Sendable {
  var sortKey: Int64
  /// The time at which the record was made, in nanoseconds since 1970.
  var madeAt: Int64
  var id: RecordID

  static let lowest = IndexKey(sortKey: .min, madeAt: .min, id: .zero)
  static let highest = IndexKey(sortKey: .max, madeAt: .max, id: RecordID(high: .max, low: .max))

  static func < (left: IndexKey, right: IndexKey) -> Bool {
    (left.sortKey, left.madeAt, left.id) < (right.sortKey, right.madeAt, right.id)
  }
}

extension IndexEntry {
  var key: IndexKey { IndexKey(sortKey: sortKey, madeAt: madeAt, id: id) }
}

/// An order in which entries stand.
enum IndexOrder: Int, CaseIterable {
  /// All, by sort key, making and id.
  case listed
  /// Those that fall due, by when, then as they are listed.
  case due
  /// Those with a name, by its hash, then as they are listed.
  case named
  /// All, by id.
  case ids

  /// Whether an entry stands in the order.
  func holds(_ entry: IndexEntry) -> Bool {
    switch self {
    case .listed, .ids: true
    case .due: entry.due != .max
    case .named: entry.nameHash != 0
    }
  }

  func place(of entry: IndexEntry) -> IndexPlace {
    switch self {
    case .listed: IndexPlace(lead: entry.sortKey, key: entry.key)
    case .due: IndexPlace(lead: entry.due, key: entry.key)
    case .named: IndexPlace(lead: Int64(bitPattern: entry.nameHash), key: entry.key)
    case .ids: IndexPlace(entry.id)
    }
  }
}

/// The place of an entry in an order, or a place before one.
struct IndexPlace: Comparable, Sendable {
  /// What the order is by at first.
  var lead: Int64
  var key = IndexKey.lowest

  /// The place of an id among the others.
  init(_ id: RecordID) {
    self.init(lead: 0, key: IndexKey(sortKey: 0, madeAt: 0, id: id))
  }

  init(lead: Int64, key: IndexKey = .lowest) {
    self.lead = lead
    self.key = key
  }

  /// The place after all entries with a lead.
  init(pastLead lead: Int64) {
    self = lead == .max ? IndexPlace(lead: lead, key: .highest) : IndexPlace(lead: lead + 1)
  }

  /// The place right after this one.
  var next: IndexPlace {
    var next = self
    let (low, isFull) = key.id.low.addingReportingOverflow(1)
    next.key.id = RecordID(high: isFull ? key.id.high &+ 1 : key.id.high, low: low)
    if next.key.id == .zero { next.key.madeAt = key.madeAt.addingClamped(1) }
    return next
  }

  static func < (left: IndexPlace, right: IndexPlace) -> Bool {
    left.lead == right.lead ? left.key < right.key : left.lead < right.lead
  }
}

/// A part of an order.
struct IndexSpan: Sendable {
  var order: IndexOrder
  /// Where it begins; `nil` for the order's start.
  var start: IndexPlace?
  /// The place that it ends before; `nil` for the order's end.
  var end: IndexPlace?
  /// The sort keys of the entries in it; others are not read. All if `nil`.
  var sorted: Range<Int64>?
  /// Whether it is walked from its end to its start.
  var isReversed = false
  /// The position in a base at which the walk goes on, where that is known.
  var known: (base: UInt64, position: Int)?

  func contains(_ entry: IndexEntry) -> Bool {
    let place = order.place(of: entry)
    return order.holds(entry) && start.map { place >= $0 } ?? true && end.map { place < $0 } ?? true
      && sorted?.contains(entry.sortKey) ?? true
  }

  /// Returns what is left of it when it was walked up to a place, itself included.
  func past(_ place: IndexPlace) -> IndexSpan {
    var rest = self
    rest.known = nil
    if isReversed { rest.end = place } else { rest.start = place.next }
    return rest
  }
}

extension Array {
  /// Returns how many elements fulfil a condition that holds for the first ones and no others.
  func countOfFirst<Failure: Error>(
    where holds: (Element) throws(Failure) -> Bool
  ) throws(Failure) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = low + (high - low) / 2
      if try holds(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
