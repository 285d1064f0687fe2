import CapsuleCore

/// `capsule item list`.
enum ItemListCommand {
  static let search = ListOptions.search(
    "Only those with this text in the name, description or notes")
  static let category = Option(
    "category", value: "CATEGORY", .text(completing: .category), "Only those of this category")
  static let tag = RepeatableOption("tag", value: "TAG", .text, "Only those with this tag")
  static let due = Flag("due", "Only those whose reminder is due")
  static let sort: Option<ItemQuery.Order> = ListOptions.sort(.itemSort)

  static let command = Command(
    "item", "list", summary: "List the items, the last added first",
    discussion: """
      By name and category they are sorted from A, by value from the highest (each currency on its \
      own), by `since` from what was done the longest ago. A search looks at neither case nor \
      accents.
      """,
    options: [
      search, category, tag, due, sort, ListOptions.reverse, ListOptions.limit, ListOptions.plain,
      ListOptions.exitCode,
    ],
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
    var query = ItemQuery(now: session.now, zone: session.zone)
    query.text = invocation.search(search)
    query.category = invocation[category].map { NameKey($0.trimmed) }
    query.tags = invocation[tag].map { NameKey($0) }
    query.onlyDue = invocation[due]
    query.order = invocation.sortOrder(sort, settings, .itemSort) ?? .added
    query.isReversed = invocation[ListOptions.reverse]
    query.limit = invocation[ListOptions.limit] ?? .max
    var remarks = ListRemarks()
    if !query.isNarrowed {
      remarks.whenEmpty = "There are no items here; 'capsule item add' adds one."
    }
    return try session.list(
      query, in: store, invocation, remarks,
      columns: session.columns(
        ItemView.columns(session, settings), more: ItemView.moreColumns(session), .itemColumns,
        settings)
    ) { ItemView($0, in: session, at: session.now) }
  }
}
