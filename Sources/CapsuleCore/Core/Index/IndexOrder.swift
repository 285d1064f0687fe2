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

  /// Returns what the order is by at first.
  func lead(of entry: IndexEntry) -> Int64 {
    switch self {
    case .listed: entry.sortKey
    case .due: entry.due
    case .named: Int64(bitPattern: entry.nameHash)
    case .ids: entry.id.lead
    }
  }

  func place(of entry: IndexEntry) -> IndexPlace {
    IndexPlace(lead: lead(of: entry), self == .ids ? IndexEntry(id: entry.id) : entry)
  }
}

extension IndexEntry {
  /// The place of the entry as lists show it.
  var place: IndexPlace { IndexPlace(lead: sortKey, self) }
}

extension RecordID {
  /// A number by which ids are sorted that do not begin alike.
  var lead: Int64 { Int64(bitPattern: high ^ 1 << 63) }
}

/// The place of an entry in an order.
struct IndexPlace: Comparable, Sendable {
  /// What the order is by at first.
  private let lead: Int64
  private let sortKey: Int64
  let madeAt: Int64
  let id: RecordID

  fileprivate init(lead: Int64, _ entry: IndexEntry) {
    (self.lead, sortKey, madeAt, id) = (lead, entry.sortKey, entry.madeAt, entry.id)
  }

  static func < (left: IndexPlace, right: IndexPlace) -> Bool {
    if left.lead != right.lead { return left.lead < right.lead }
    return (left.sortKey, left.madeAt, left.id) < (right.sortKey, right.madeAt, right.id)
  }
}

/// A part of an order.
struct IndexSpan: Sendable {
  var order: IndexOrder
  /// The least of what the order is by at first.
  var first = Int64.min
  /// The greatest of it.
  var last = Int64.max
  /// The sort keys of the entries in it; others are not read. All if `nil`.
  var sorted: Range<Int64>?
  /// Whether it is walked from its end to its start.
  var isReversed = false

  func contains(_ entry: IndexEntry) -> Bool {
    let lead = order.lead(of: entry)
    return order.holds(entry) && first <= lead && lead <= last
      && sorted?.contains(entry.sortKey) ?? true
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
