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

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
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
        let filters: [any OptionDeclaration] = [search, category, tag, due]
        if rows.isEmpty, !filters.contains(where: { invocation.has($0) }) {
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
    let found =
      order == .added
      ? added(reversed: reversed, limit: limit)
      : sorted(by: order, reversed: reversed, limit: limit)
    return Array((unreadable + found).prefix(limit))
  }

  /// Hands over the index's entries, the first added first.
  mutating func forEach(_ body: (IndexEntry) -> Void) {
    index.forEach(.ascending) { entry in
      body(entry)
      return true
    }
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

  /// In the order of the index.
  private func added(reversed: Bool, limit: Int) -> [ItemView] {
    var found: [ItemView] = []
    var index = index
    index.forEach(reversed ? .ascending : .descending) { entry in
      if let view = view(entry) { found.append(view) }
      return found.count < limit
    }
    return found
  }

  private func sorted(
    by order: ItemListCommand.Order, reversed: Bool, limit: Int
  ) -> [ItemView] {
    var first = FirstSorted<ItemSortKey>(limit: limit) { left, right in
      reversed ? right < left : left < right
    }
    var index = index
    index.forEach(.ascending) { entry in
      if !isRestrictive || view(entry) != nil { first.insert(ItemSortKey(entry, order)) }
      return true
    }
    return first.elements.compactMap { view($0.entry) }
  }

  /// The view of an entry that is to be shown.
  private func view(_ entry: IndexEntry) -> ItemView? {
    guard let summary = ItemSummary(id: entry.id, encoded: entry.summary) else { return nil }
    let view = ItemView(summary, problem: entry.problem, in: session)
    return matches(view) ? view : nil
  }

  /// Whether it can leave anything out.
  private var isRestrictive: Bool {
    search != nil || category != nil || !tags.isEmpty || onlyDue
  }
}

/// Where an item stands in a list: what it is sorted by, then its name, then its id.
private struct ItemSortKey: Comparable {
  /// What has nothing to be sorted by stands last.
  private var isMissing = false
  private var text = ""
  private var number: Int64 = 0
  /// Worked out where names decide often; elsewhere when they do.
  private var knownName: String?
  let entry: IndexEntry

  init(_ entry: IndexEntry, _ order: ItemListCommand.Order) {
    self.entry = entry
    switch order {
    case .added, .name: knownName = Self.name(entry)
    case .category:
      text = ItemSummary.category(encoded: entry.summary)?.lowercased() ?? ""
      isMissing = text.isEmpty
      knownName = Self.name(entry)
    case .value:
      // The highest stands first, each currency on its own.
      let value = ItemSummary.value(encoded: entry.summary)
      text = value?.currency.code ?? ""
      number = -(value?.minorUnits ?? 0)
      isMissing = value == nil
    case .since:
      let last = ItemSummary.last(encoded: entry.summary)
      number = last?.seconds ?? 0
      isMissing = last == nil
    }
  }

  private static func name(_ entry: IndexEntry) -> String {
    NameKey(RecordKind.item.title(of: entry)).text
  }

  private var name: String { knownName ?? Self.name(entry) }

  static func < (left: ItemSortKey, right: ItemSortKey) -> Bool {
    if left.isMissing != right.isMissing { return right.isMissing }
    if left.text != right.text { return left.text < right.text }
    if left.number != right.number { return left.number < right.number }
    return (left.name, left.entry.id) < (right.name, right.entry.id)
  }

  static func == (left: ItemSortKey, right: ItemSortKey) -> Bool {
    left.entry.id == right.entry.id
  }
}
