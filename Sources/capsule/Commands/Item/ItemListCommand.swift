import CapsuleCore

/// `capsule item list`.
enum ItemListCommand {
  enum Order: String, CaseIterable, Sendable { case added, name, value, category, since }

  static let search = Option(
    "search", value: "TEXT", .text, "Only those with this text in the name or description")
  static let category = Option(
    "category", value: "CATEGORY", .text(completing: .category), "Only those of this category")
  static let tag = RepeatableOption("tag", value: "TAG", .text, "Only those with this tag")
  static let due = Flag("due", "Only those whose reminder is due")
  static let sort = Option(
    "sort", value: "ORDER", ValueType<Order>.choice, default: "added", "What to sort by")
  static let reverse = Flag("reverse", "Sort the other way round")
  static let limit = Option("limit", value: "N", .integer(1...), "At most so many")
  static let plain = Flag("plain", "Columns parted by tabs, nothing cut, for scripts")
  static let exitCode = Flag("exit-code", "Exit with 1 when nothing matches")

  static let command = Command(
    "item", "list", summary: "List the items, the last added first",
    discussion: """
      By name and category they are sorted from A, by value from the highest (each currency on its \
      own), by `since` from what was done the longest ago. A search looks at neither case nor \
      accents.
      """,
    options: [search, category, tag, due, sort, reverse, limit, plain, exitCode],
    outputs: [.json, .ndjson],
    examples: [
      Example("capsule item list --category Jewellery --sort value", "List by value"),
      Example("capsule item list --search cafe --due", "Find what is due"),
    ],
    exitCodes: [.none, .partial, .damaged],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws(Failure) -> ExitCode {
    let store = try session.existingStore()
    let settings = session.storeSettings(store)
    var rows: [ItemView] = []
    var isPartial = false
    if let store {
      var listing = ItemListing(session, store)
      listing.search = invocation[search].map { SearchText($0) }
      listing.category = invocation[category].map { NameKey($0.trimmed) }
      listing.tags = invocation[tag].map { NameKey($0) }
      listing.onlyDue = invocation[due]
      rows = listing.rows(
        sortedBy: invocation[sort] ?? .added, reversed: invocation[reverse],
        limit: invocation[limit] ?? .max)
      isPartial = listing.warn()
    }
    let nothing: ExitCode = rows.isEmpty && invocation[exitCode] ? .none : .ok
    return try session.render(
      ending: isPartial ? .partial : nothing, list: rows,
      writingJSON: { view, writer in writer.value(.object(view.members)) },
      text: { out in
        if rows.isEmpty, invocation[search] == nil, invocation[category] == nil {
          session.console.note("There are no items here; 'capsule item add' adds one.")
        }
        out.table(table(rows, session, settings), plain: invocation[plain])
      })
  }

  private static func table(
    _ rows: [ItemView], _ session: Session, _ settings: StoreSettings
  ) -> Table {
    var table = Table([
      .init("ID"), .init("NAME", flexible: true), .init("CATEGORY", flexible: true),
      .init("VALUE", .trailing), .init("QTY", .trailing), .init("SINCE"), .init("DUE"),
      .init("LOCATION", flexible: true),
    ])
    for view in rows {
      let summary = view.summary
      let id = summary.id.description
      table.row(
        StyledText(session.console.out.isTerminal ? String(id.prefix(8)) : id, .dim),
        view.nameText, StyledText(summary.category),
        StyledText(summary.value?.description ?? ""), StyledText(String(summary.quantity)),
        StyledText(view.since(settings)), view.dueText(settings), StyledText(summary.location))
    }
    return table
  }
}

/// Which items a list shows, and in which order.
struct ItemListing {
  var search: SearchText?
  var category: NameKey?
  var tags: [NameKey] = []
  var onlyDue = false
  private let session: Session
  private let store: Store
  private var index: RecordIndex

  init(_ session: Session, _ store: Store) {
    self.session = session
    self.store = store
    index = store.index(.item, now: session.now)
  }

  mutating func rows(
    sortedBy order: ItemListCommand.Order, reversed: Bool, limit: Int
  ) -> [ItemView] {
    var unreadable: [ItemView] = []
    for entry in index.problems() where entry.summary.isEmpty {
      unreadable.append(
        ItemView(ItemSummary(unreadable: entry.id), problem: entry.problem, in: session))
    }
    let enough = order == .added ? limit : .max
    var found: [ItemView] = []
    var index = index
    index.forEach(order == .added && !reversed ? .descending : .ascending) { entry in
      guard let summary = ItemSummary(id: entry.id, encoded: entry.summary) else { return true }
      let view = ItemView(summary, problem: entry.problem, in: session)
      if matches(view) { found.append(view) }
      return found.count < enough
    }
    if order != .added {
      found = sorted(found, by: order)
      if reversed { found.reverse() }
    }
    return Array((unreadable + found).prefix(limit))
  }

  /// Says what is wrong; whether anything is.
  mutating func warn() -> Bool { session.warn(of: &index) }

  private func matches(_ view: ItemView) -> Bool {
    let summary = view.summary
    if let category, NameKey(summary.category) != category { return false }
    if !tags.isEmpty {
      let own = Set(summary.tags.map { NameKey($0) })
      guard tags.allSatisfy(own.contains) else { return false }
    }
    if onlyDue, view.dueState != .due, view.dueState != .overdue { return false }
    guard let search else { return true }
    if search.matches(summary.name) || search.matches(summary.description) { return true }
    // A long description is not all in the index.
    guard !summary.hasAllDescription, let record = try? store.read(Item.self, summary.id) else {
      return false
    }
    return search.matches(record.model.description)
  }

  private func sorted(_ views: [ItemView], by order: ItemListCommand.Order) -> [ItemView] {
    let named = views.map { (NameKey($0.summary.name).text, $0) }
      .sorted { ($0.0, $0.1.summary.id) < ($1.0, $1.1.summary.id) }.map(\.1)
    switch order {
    case .added, .name: return named
    case .category:
      return named.stablySorted { left, right in
        let (one, other) = (left.summary.category.lowercased(), right.summary.category.lowercased())
        // What has none stands last.
        if one.isEmpty != other.isEmpty { return other.isEmpty }
        return one < other
      }
    case .value:
      return named.stablySorted { left, right in
        guard let one = left.summary.value else { return false }
        guard let other = right.summary.value else { return true }
        if one.currency != other.currency { return one.currency.code < other.currency.code }
        return one.minorUnits > other.minorUnits
      }
    case .since:
      return named.stablySorted { left, right in
        guard let one = left.summary.figures.last else { return false }
        guard let other = right.summary.figures.last else { return true }
        return one < other
      }
    }
  }
}

extension Array {
  /// Sorted; what is equal stays in its order.
  func stablySorted(by isBefore: (Element, Element) -> Bool) -> [Element] {
    enumerated().sorted { left, right in
      if isBefore(left.element, right.element) { return true }
      if isBefore(right.element, left.element) { return false }
      return left.offset < right.offset
    }.map(\.element)
  }
}
