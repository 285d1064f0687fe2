/// The state of an item's reminder.
package enum ItemDueState: String, Hashable, Sendable {
  case upcoming
  /// It became due today.
  case due
  /// It became due before today.
  case overdue
  case off
}

/// An item in the answer of an ``ItemQuery`` or a ``SinceQuery``.
package struct ItemRow: Sendable {
  package let summary: Brief<Item>
  package let problem: IndexProblem
  package let dueAt: Instant?
  /// `nil` without a reminder.
  package let dueState: ItemDueState?

  package init(
    _ summary: Brief<Item>, problem: IndexProblem = .none, at now: Instant, in zone: ZoneRules
  ) {
    self.summary = summary
    self.problem = problem
    dueAt = summary.due(in: zone)
    if let reminder = summary.record.reminder, reminder.isOn {
      if let dueAt, dueAt <= now {
        dueState = zone.civil(at: dueAt).date < zone.civil(at: now).date ? .overdue : .due
      } else {
        dueState = .upcoming
      }
    } else {
      dueState = summary.record.reminder == nil ? nil : .off
    }
  }
}

/// What an item can be without.
package enum ItemLack: String, CaseIterable, Hashable, Sendable {
  case photo
  case value
  /// A bequest that leaves it to a person.
  case heir
}

/// A question about the items.
public struct ItemQuery: SortedQuery {
  public enum Order: String, CaseIterable, Sendable {
    /// The item that was added last comes first.
    case added
    case name
    /// The highest value comes first, each currency separately.
    case value
    case category
    /// The item with the oldest last entry comes first.
    case since
  }

  package static let kind = RecordKind.item

  /// The text that an item has in the name, the description or the notes; `nil` for all items.
  package var text: SearchText?
  package var category: NameKey?
  package var location: NameKey?
  /// The tags that an item has to have, all of them.
  package var tags: [NameKey] = []
  /// What the items have to be without, all of it.
  package var without: Set<ItemLack> = []
  /// Whether only items are found whose reminder is due.
  package var onlyDue = false
  package var order = Order.added
  package var isReversed = false
  package var limit = Int.max
  package internal(set) var now: Instant
  package internal(set) var zone: ZoneRules

  package init(now: Instant, zone: ZoneRules) {
    self.now = now
    self.zone = zone
  }

  /// Whether it can leave anything out.
  package var isNarrowed: Bool {
    text != nil || category != nil || location != nil || !tags.isEmpty || !without.isEmpty
      || onlyDue
  }

  package func unreadable(_ entry: IndexEntry) -> ItemRow? {
    ItemRow(Brief<Item>(unreadable: entry.id), problem: entry.problem, at: now, in: zone)
  }

  package func forEachReadable(
    in index: inout RecordIndex, of store: Store, _ sink: (ItemRow) -> Bool
  ) {
    let inherited = without.contains(.heir) ? store.inheritedItems(now: now) : []
    guard order != .added else {
      return index.forEach(isReversed ? .ascending : .descending) { entry in
        row(entry, store, inherited).map(sink) ?? true
      }
    }
    var first = FirstEntries<SortKey>(limit: limit, reversed: isReversed) { $0 < $1 }
    index.forEach(.ascending) { entry in
      if !isNarrowed || row(entry, store, inherited) != nil {
        first.insert(entry, by: SortKey(entry, order))
      }
      return true
    }
    first.forEach { row($0, store, inherited).map(sink) ?? true }
  }

  private func row(
    _ entry: IndexEntry, _ store: Store, _ inherited: Set<RecordID>
  ) -> ItemRow? {
    guard let summary = Brief<Item>(entry), !inherited.contains(summary.id) else { return nil }
    let row = ItemRow(summary, problem: entry.problem, at: now, in: zone)
    return matches(row, store) ? row : nil
  }

  private func matches(_ row: ItemRow, _ store: Store) -> Bool {
    let summary = row.summary
    if let category, NameKey(summary.record.category) != category { return false }
    if let location, NameKey(summary.record.location) != location { return false }
    if without.contains(.value), summary.record.value != nil { return false }
    if without.contains(.photo), hasPhoto(summary, store) { return false }
    if !tags.isEmpty {
      let own = Set(summary.record.tags.map { NameKey($0) })
      guard tags.allSatisfy(own.contains) else { return false }
    }
    if onlyDue, row.dueState != .due, row.dueState != .overdue { return false }
    return text?.matches([summary.record.name, summary.record.description, summary.record.notes]) {
      let record = summary.isWhole ? nil : (try? store.read(Item.self, summary.id))
      return record.map { [$0.model.description, $0.model.notes] } ?? []
    } ?? true
  }

  private func hasPhoto(_ summary: Brief<Item>, _ store: Store) -> Bool {
    guard summary.digest.mediaCount > 0, let record = try? store.read(Item.self, summary.id)
    else { return false }
    return record.model.media.contains { $0.file.mediaType.utf8.starts(with: "image/".utf8) }
  }

  /// The place of an item in the order; among equal ones its name decides, then its id.
  private struct SortKey {
    /// Whether it has nothing to be sorted by: it stands last.
    private var isMissing = false
    private var text = ""
    private var number: Int64 = 0
    /// Worked out at once where names decide often; elsewhere when they do.
    private var knownName: String?
    private let title: String
    private let id: RecordID

    init(_ entry: IndexEntry, _ order: Order) {
      id = entry.id
      title = entry.title
      switch order {
      case .added, .name: knownName = name
      case .category:
        text = NameOrder.key(Brief<Item>(entry, through: "category")?.record.category ?? "")
        isMissing = text.isEmpty
        knownName = name
      case .value:
        let value = Brief<Item>(entry, through: "value")?.record.value
        text = value?.currency.code ?? ""
        number = -(value?.minorUnits ?? 0)
        isMissing = value == nil
      case .since:
        let last = Brief<Item>.digest(entry)?.figures.last
        number = last?.seconds ?? 0
        isMissing = last == nil
      }
    }

    private var name: String { knownName ?? NameOrder.key(title) }

    static func < (left: SortKey, right: SortKey) -> Bool {
      if left.isMissing != right.isMissing { return right.isMissing }
      if left.text != right.text { return left.text < right.text }
      if left.number != right.number { return left.number < right.number }
      return (left.name, left.id) < (right.name, right.id)
    }
  }
}

extension Store {
  /// Returns the ids of the items that are left to somebody.
  fileprivate func inheritedItems(now: Instant) -> Set<RecordID> {
    var index = self.index.open(.bequest, now: now)
    var items: Set<RecordID> = []
    index.forEach(.ascending) { entry in
      if let subject = Brief<Bequest>(entry)?.record.subject, subject.kind == .item {
        items.insert(subject.id)
      }
      return true
    }
    return items
  }
}

/// A question about the items that have a history: from the one whose last entry is the longest ago.
package struct SinceQuery: RecordQuery {
  package static let kind = RecordKind.item

  /// Whether the one with the latest entry stands first.
  package var isReversed = false
  package var limit = Int.max
  package let now: Instant
  package let zone: ZoneRules

  package init(now: Instant, zone: ZoneRules) {
    self.now = now
    self.zone = zone
  }

  /// Returns items that were named in the order of the answer, and no more than it may have. Those without a
  /// history stand last.
  package func answer(of named: [ItemRow]) -> [ItemRow] {
    let sorted = named.enumerated().sorted { left, right in
      switch (left.element.summary.digest.figures.last, right.element.summary.digest.figures.last) {
      case (let one?, let other?) where one != other: (one < other) != isReversed
      case (_?, nil): true
      case (nil, _?): false
      default: left.offset < right.offset
      }
    }
    return sorted.prefix(limit).map(\.element)
  }

  package func forEachReadable(
    in index: inout RecordIndex, of store: Store, _ sink: (ItemRow) -> Bool
  ) {
    // Only the ends of the histories are decoded until it is known which are in the answer.
    var first = FirstEntries<(last: Instant, key: IndexPlace)>(limit: limit) { left, right in
      if left.last != right.last { return (left.last < right.last) != isReversed }
      return left.key < right.key
    }
    index.forEach(.ascending) { entry in
      if let last = Brief<Item>.digest(entry)?.figures.last {
        first.insert(entry, by: (last, entry.place))
      }
      return true
    }
    first.forEach { entry in
      guard let summary = Brief<Item>(entry) else { return true }
      return sink(ItemRow(summary, problem: entry.problem, at: now, in: zone))
    }
  }
}
