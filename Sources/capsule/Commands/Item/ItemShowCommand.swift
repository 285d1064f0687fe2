import CapsuleCore

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
    let reference = try invocation[ItemOptions.reference]
    let (store, record) = try session.records.required(Item.self, reference)
    return try show(record, in: store, session)
  }

  /// Answers with all about an item.
  static func show(
    _ record: StoredRecord<Item>, in store: Store, _ session: Session
  ) throws -> ExitCode {
    let item = record.model
    let settings = session.stores.settings(of: store)
    let view = ItemView(item.summary, problem: record.problem, in: session)
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
