import CapsuleCore

/// `capsule item add`.
enum ItemAddCommand {
  static let name = Parameter.operand("NAME", .text, "The item's name, unique, at most 1 KiB")

  static let command = Command(
    "item", "add", summary: "Add an item that you own or look after",
    discussion: """
      Each name is unique; upper and lower case are the same. A value is the worth of one piece, \
      and totals multiply it by `--quantity`.

      Write a value as a currency code of ISO 4217 and a number, in either order: `EUR 1200`, \
      `49.90 USD`. Use a decimal point, and no thousands separator. The number can have as many \
      decimals as its currency.
      """,
    operands: [name], options: ItemOptions.all, outputs: .json,
    examples: [
      Example(
        "capsule item add 'Gold ring' --category Jewelry --value 'EUR 1200'", "Add an heirloom"),
      Example(
        "capsule item add 'Water filter' --category Household",
        "Add something that needs regular care"),
    ],
    exitCodes: [.damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let name = invocation[name].trimmed
    try ItemOptions.check(name: name)
    var item = Item(
      header: RecordHeader(id: RecordID(high: 0, low: 0), createdAt: session.now), name: name)
    try ItemOptions.apply(invocation, to: &item)
    let store = try session.stores.forChange()
    item.header = try store.newHeader(now: session.now)
    try store.insert(item)
    session.stores.noteFirstUse(of: store)
    let view = ItemView(item.brief, in: session)
    return try session.answers.changed(view.members(of: item), item.id) { out in
      out.line("Added '\(view.nameText)' \(item.id.description)")
    }
  }
}

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

/// `capsule item show`.
enum ItemShowCommand {
  static let command = Command(
    "item", "show", summary: "Show the details of an item",
    operands: [ItemOptions.reference], outputs: .json,
    examples: [
      Example("capsule item show 'Gold ring'", "See everything about the ring")
    ],
    exitCodes: [.notFound, .damaged, .version],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = invocation[ItemOptions.reference]
    let (store, record) = try session.records.required(Item.self, reference)
    return try show(record, in: store, session)
  }

  /// Answers with all about an item.
  static func show(
    _ record: StoredRecord<Item>, in store: Store, _ session: Session
  ) throws -> ExitCode {
    let item = record.model
    let settings = session.stores.settings(of: store)
    let view = ItemView(item.brief, problem: record.problem, in: session)
    let code = session.records.report(damageOf: record, in: store)
    let bequests = BequestSection(of: RecordReference(.item, item.id), session, store)
    var members = view.members(of: item)
    members["bequests"] = bequests.json
    return try session.console.render(
      ending: code, json: .object(members),
      text: { out in
        text(item, view, settings, session, out)
        list(
          "Media", MediaView.columns(session), media(item, session),
          item.media.count > shownMedia
            ? "\(item.media.count - shownMedia) more: capsule item media \(item.id)" : nil, out)
        let entries = item.numberedHistory
        list(
          "Last entries", ItemHistoryCommand.columns(session, settings),
          entries.suffix(shownEntries),
          entries.count > shownEntries
            ? "\(entries.count - shownEntries) more: capsule item history \(item.id)" : nil, out)
        bequests.text(out)
      })
  }

  /// The number of entries of the history that are shown, the last ones, and the number of media.
  private static let shownEntries = 5
  private static let shownMedia = 10

  private static func media(_ item: Item, _ session: Session) -> [MediaView] {
    item.media.prefix(shownMedia).enumerated().map {
      MediaView($1, number: $0 + 1, in: session)
    }
  }

  /// Writes a table under a heading, and the line that says how much more there is.
  private static func list<Row>(
    _ heading: String, _ columns: [RowColumn<Row>], _ rows: some Collection<Row>, _ more: String?,
    _ out: TextOutput
  ) {
    guard !rows.isEmpty else { return }
    out.line()
    out.line(StyledText(heading, .dim))
    out.table(Table(columns, rows))
    if let more { out.line(StyledText(more, .dim)) }
  }

  private static func text(
    _ item: Item, _ view: ItemView, _ settings: StoreSettings, _ session: Session,
    _ out: TextOutput
  ) {
    let sheet = FieldSheet(out, width: 11)
    out.line("\(item.name, .bold)")
    sheet.field("Id", item.id.description)
    sheet.field("Category", ifAny: item.category)
    sheet.field("Value", ifAny: item.value?.description ?? "")
    sheet.field("Replacement", ifAny: item.replacementValue?.description ?? "")
    if item.quantity != 1 { sheet.field("Quantity", String(item.quantity)) }
    sheet.field("Location", ifAny: item.location)
    sheet.field("Tags", ifAny: item.tags.joined(separator: ", "))
    if let last = item.history.last {
      sheet.field("Last", "\(session.dates.text(last.at)), \(view.since(settings))")
      let count = item.history.count
      sheet.field("History", .counting(count, "entry", "entries"))
    }
    if let reminder = item.reminder {
      let name = reminder.name.isEmpty ? "" : "\(reminder.name), "
      let origin = reminder.from.map { "from \(session.dates.text($0))" } ?? "after the last entry"
      let time = reminder.time.map { " at \($0.shortText)" } ?? ""
      sheet.field("Reminder", "\(name)\(reminder.words)\(time), \(origin)")
      let due = view.dueText(settings)
      sheet.field("Due", ifAny: view.dueAt.map { "\(session.dates.text($0)), \(due)" } ?? due)
    }
    sheet.field(
      "Created", "\(session.dates.text(item.createdAt)), \(session.dates.relative(item.createdAt))")
    sheet.block(item.description)
    sheet.block(item.notes)
  }
}

/// `capsule item edit`.
enum ItemEditCommand {
  static let name = Parameter.option("name", value: "NAME", .text, "A new name")
  static let untag = Parameter.options("untag", value: "TAG", .text, "Remove a tag")

  private static let changes: Parameters = [name] + ItemOptions.all + [untag]

  static let command = Command(
    "item", "edit", summary: "Change an item",
    discussion: """
      Only the fields that you give change, and the answer lists the changes. An empty text \
      removes a description, notes, category, location or value. `--tag` adds to the tags that the \
      item has.
      """,
    operands: [ItemOptions.reference], options: changes, outputs: .json,
    examples: [
      Example(
        "capsule item edit 'Gold ring' --value 'EUR 1350' --location Safe",
        "Update the value and the location"),
      Example("capsule item edit 'Gold ring' --value ''", "Remove the value"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = invocation[ItemOptions.reference]
    try invocation.requireAny(of: changes, session)
    let store = try session.stores.required(for: reference, among: [.item])
    let change = try session.records.change(Item.self, reference, in: store) { item in
      if let text = invocation[name] {
        try ItemOptions.check(name: text.trimmed)
        item.name = text.trimmed
      }
      try ItemOptions.apply(invocation, to: &item)
      let untagged = invocation[untag].map { NameKey($0) }
      item.tags.removeAll { untagged.contains(NameKey($0)) }
    }
    let item = change.after
    let changes = FieldChange.between(change.before, item, fields)
    let view = ItemView(item.brief, in: session)
    return try session.answers.changed(
      view.members(of: item), item.id, view.nameText, with: changes)
  }

  /// The fields that people change, by name.
  static var fields: [(String, (Item) -> String)] {
    [
      ("name", { $0.name }), ("description", { $0.description }),
      ("notes", { $0.notes }),
      ("category", { $0.category }), ("value", { $0.value?.description ?? "" }),
      ("replacementValue", { $0.replacementValue?.description ?? "" }),
      ("quantity", { String($0.quantity) }), ("location", { $0.location }),
      ("tags", { $0.tags.joined(separator: ", ") }),
    ]
  }
}

/// `capsule item delete`.
enum ItemDeleteCommand {
  static let references = Parameter.operands(
    "ITEM", .reference(.item), minimum: 1, "An id, the start of one, or a name")

  static let command = Command(
    "item", "delete", summary: "Move items to the trash",
    discussion: """
      Attachments, history and reminder go to the trash with the item. `capsule restore` puts them \
      all back, until `capsule purge` removes the item for good. While the item is in the trash, \
      another item can take its name.

      An item that is left to a person is deleted only with `--with-bequests`. Its bequests go and \
      come back with the item.
      """,
    operands: [references], options: [DeleteCommand.yes, DeleteCommand.withBequests],
    outputs: .json,
    examples: [
      Example("capsule item delete 'Gold ring' --yes", "Move an item to the trash")
    ],
    exitCodes: [.partial, .notFound, .damaged, .busy, .version, .refused]
  ) { invocation, session in
    try DeleteCommand.delete(
      invocation[references], kind: .item, isConfirmed: invocation[DeleteCommand.yes],
      withBequests: invocation[DeleteCommand.withBequests], session)
  }
}

/// `capsule item totals`.
enum ItemTotalsCommand {
  static let command = Command(
    "item", "totals", summary: "Add up the value of all items",
    discussion: """
      The totals are for each category and currency, then for each currency. Sums are exact, and \
      currencies are never mixed. The value of one piece counts once for each piece.
      """,
    options: [ListOptions.plain], outputs: .json,
    examples: [
      Example("capsule item totals", "See what everything is worth")
    ],
    exitCodes: [.partial, .damaged],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    var totals = ItemTotals()
    let isPartial = try session.records.forEachItem { summary, problem in
      if problem == .none { totals.add(summary) }
    }
    return try session.console.render(
      ending: isPartial ? .partial : .ok, json: .object(members(totals)),
      text: { out in
        let columns: [RowColumn<(name: StyledText, style: Style, row: ItemTotals.Row)>] = [
          .title("CATEGORY") { $0.name },
          .text("ITEMS", .trailing) { String($0.row.items) },
          RowColumn("VALUE", .trailing) { StyledText(text($0.row.value), $0.style) },
          RowColumn("REPLACEMENT", .trailing) { StyledText(text($0.row.replacement), $0.style) },
        ].map(\.namedBeneath)
        let rows: [(name: StyledText, style: Style, row: ItemTotals.Row)] =
          totals.byCategory.map { row in
            (StyledText(row.category.isEmpty ? "(none)" : row.category), Style.plain, row)
          } + totals.all.map { (StyledText("Total", .bold), Style.bold, $0) }
        out.table(Table(columns, rows), plain: invocation[ListOptions.plain])
        if totals.withoutValue > 0, !session.isQuiet {
          session.console.note(
            "\(totals.withoutValue) of \(String.counting(totals.items, "item")) without a value.")
        }
      })
  }

  /// Returns a sum; nothing where no value was given that it could be of.
  private static func text(_ sum: MoneySum) -> String {
    sum.isEmpty ? "" : sum.description
  }

  private static func members(_ totals: ItemTotals) -> JSONObject {
    func members(_ row: ItemTotals.Row) -> JSONObject {
      [
        "currency": .string(row.value.currency.code), "items": .integer(row.items),
        "value": .string(row.value.amount), "replacementValue": .string(row.replacement.amount),
      ]
    }
    return [
      "categories": .array(
        totals.byCategory.map { row in
          var object = members(row)
          object["category"] = row.category.isEmpty ? .null : .string(row.category)
          return .object(object)
        }),
      "totals": .array(totals.all.map { .object(members($0)) }),
      "items": .integer(totals.items), "itemsWithoutValue": .integer(totals.withoutValue),
    ]
  }
}

/// `capsule item categories`.
enum ItemCategoriesCommand {
  static let command = Command(
    "item", "categories", summary: "List the categories of items",
    outputs: [.json, .ndjson],
    examples: [Example("capsule item categories", "See which categories are in use")],
    exitCodes: [.partial, .damaged],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    var counts: [NameKey: Int64] = [:]
    var names = CategoryNames()
    let isPartial = try session.records.forEachItem { summary, _ in
      guard !summary.record.category.isEmpty else { return }
      names.add(summary)
      counts[NameKey(summary.record.category), default: 0] += 1
    }
    let rows = counts.sorted { $0.key.text < $1.key.text }.map {
      (name: names[$0.key], count: $0.value)
    }
    return try session.console.render(
      ending: isPartial ? .partial : .ok, list: rows,
      json: { ["category": .string($0.name), "items": .integer($0.count)] },
      text: { out in
        let columns: [RowColumn<(name: String, count: Int64)>] = [
          .text("CATEGORY", flexible: true) { $0.name },
          .text("ITEMS", .trailing) { String($0.count) },
        ]
        out.table(Table(columns, rows))
      })
  }
}

extension Records {
  /// Hands over every item that can be read, the first added first.
  ///
  /// - Returns: whether items are missing, or are not what was written.
  fileprivate func forEachItem(_ body: (Brief<Item>, IndexProblem) -> Void) throws -> Bool {
    guard let store = try session.stores.existing() else { return false }
    var query = ItemQuery(now: session.now, zone: session.zone)
    query.isReversed = true
    var index = store.index.open(.item, now: session.now)
    query.forEach(in: &index, of: store) { row in
      body(row.summary, row.problem)
      return true
    }
    return warn(of: &index)
  }
}
