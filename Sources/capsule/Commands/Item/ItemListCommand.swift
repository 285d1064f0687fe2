import CapsuleCore

/// `capsule item list`.
enum ItemListCommand {
  static let search = ListOptions.search(
    "Only items with this text in the name, description or notes")
  static let category = Parameter.option(
    "category", value: "CATEGORY", .text(completing: .category), "Only items in this category")
  static let tag = Parameter.options("tag", value: "TAG", .text, "Only items with this tag")
  static let due = Parameter.flag("due", "Only items with a due reminder")
  static let sort: Parameter<ItemQuery.Order?> = ListOptions.sort(.itemSort)

  static let command = Command(
    "item", "list", summary: "List items, newest first",
    discussion: """
      `--sort` changes the order:

      - `name` and `category`: from A to Z.
      - `value`: from the highest, each currency separately.
      - `since`: from the item whose last entry is the longest ago.

      A search ignores case and accents.
      """,
    options: [
      search, category, tag, due, sort, ListOptions.reverse, ListOptions.limit, ListOptions.plain,
      ListOptions.exitCode,
    ],
    outputs: [.json, .ndjson],
    examples: [
      Example(
        "capsule item list --category Jewelry --sort value", "List the jewelry, most valuable first"
      ),
      Example("capsule item list --due", "List what is due"),
    ],
    exitCodes: [.none, .partial, .damaged],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let store = try session.stores.existing()
    let settings = session.stores.settings(of: store)
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
    return try session.answers.list(
      query, in: store, invocation, remarks,
      columns: session.answers.columns(
        ItemView.columns(session, settings), more: ItemView.moreColumns(session), .itemColumns,
        settings)
    ) { ItemView($0, in: session, at: session.now) }
  }
}
