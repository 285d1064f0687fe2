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
    case .listed: entry.place
    case .due: IndexPlace(lead: entry.due, entry)
    case .named: IndexPlace(lead: Int64(bitPattern: entry.nameHash), entry)
    case .ids: IndexPlace(entry.id)
    }
  }
}

extension IndexEntry {
  /// The place of the entry as lists show it.
  var place: IndexPlace { IndexPlace(lead: sortKey, self) }
}

/// The place of an entry in an order, or a place before one.
struct IndexPlace: Comparable, Sendable {
  /// What the order is by at first.
  var lead: Int64
  private var sortKey = Int64.min
  private(set) var madeAt = Int64.min
  private(set) var id = RecordID.zero

  fileprivate init(lead: Int64, _ entry: IndexEntry) {
    (self.lead, sortKey, madeAt, id) = (lead, entry.sortKey, entry.madeAt, entry.id)
  }

  /// The place before all entries with a lead.
  init(lead: Int64) {
    self.lead = lead
  }

  /// The place after all entries with a lead.
  init(pastLead lead: Int64) {
    self.lead = lead == .max ? .max : lead + 1
    if lead == .max {
      (sortKey, madeAt, id) = (.max, .max, RecordID(high: .max, low: .max))
    }
  }

  /// The place of an id among the others.
  init(_ id: RecordID) {
    (lead, self.id) = (0, id)
  }

  /// The place right after an id, among the others.
  init(after id: RecordID) {
    let (low, isFull) = id.low.addingReportingOverflow(1)
    let (high, isLast) = id.high.addingReportingOverflow(isFull ? 1 : 0)
    self.init(RecordID(high: high, low: low))
    if isLast { lead = 1 }
  }

  /// Whether the lead alone tells what is before the place.
  var isBeforeLead: Bool { self == IndexPlace(lead: lead) }

  static func < (left: IndexPlace, right: IndexPlace) -> Bool {
    if left.lead != right.lead { return left.lead < right.lead }
    return (left.sortKey, left.madeAt, left.id) < (right.sortKey, right.madeAt, right.id)
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

  func contains(_ entry: IndexEntry) -> Bool {
    let place = order.place(of: entry)
    return order.holds(entry) && start.map { place >= $0 } ?? true && end.map { place < $0 } ?? true
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
