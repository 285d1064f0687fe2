import CapsuleCore

/// `capsule since`.
enum SinceCommand {
  static let references = Parameter.operands(
    "ITEM", .reference(.item),
    "An id, the start of one, or a name; all items with a history if omitted")
  static let reverse = Parameter.flag("reverse", "List the most recent first")
  static let details = Parameter.flag(
    "details", "Show the count, the average, the longest time and the notes")
  static let style = Parameter.option(
    "style", value: "STYLE", ValueType<Style>.choice, otherwise: "the setting durationStyle",
    "Whole units, or tenths of the largest")
  static let watch = Parameter.flag("watch", formerly: "w", "Refresh the list every second")
  static let at = Parameter.option("at", value: "WHEN", .text, "Show the list as of this time")

  enum Style: String, CaseIterable, Sendable { case subUnits, tenths }

  static let command = Command(
    "since", summary: "Show how long ago things were last done",
    discussion: """
      The list has every item with a history, the longest ago first. It shows the last entry, the \
      time since then and the state of the reminder.

      `--watch` also shows what other commands log in the meantime. It refreshes the list in place \
      at a terminal; with `--ndjson` it prints an object for each item every second.
      """,
    operands: [references],
    options: [ListOptions.limit, reverse, details, style, watch, ListOptions.plain, at],
    outputs: [.json, .ndjson],
    examples: [
      Example("capsule since", "See how long ago everything was done"),
      Example(
        "capsule since 'Water filter' --watch --style tenths",
        "Watch the time since the last change"),
    ],
    exitCodes: [.notFound, .partial, .damaged],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    try invocation.refuse(watch, with: [at])
    let now = try session.dates.read(at, invocation) ?? session.now
    let store = try session.stores.existing()
    let settings = session.stores.settings(of: store)
    let style: SpanStyle =
      switch invocation[style] {
      case .tenths: .tenths
      case .subUnits: .subUnits(session.answers.inUse(settings).spanUnits)
      case nil: session.answers.inUse(settings).spanStyleInUse
      }
    let columns = ItemView.sinceColumns(
      session, settings, style: style,
      details: invocation[details] || session.answers.showsDetails(settings))
    var query = SinceQuery(now: now, zone: session.zone)
    query.isReversed = invocation[reverse]
    query.limit = invocation[ListOptions.limit] ?? .max
    var found = try find(invocation[references], query, store, session)
    var isPartial = found.contains { $0.problem != .none }
    if let store, invocation[references].isEmpty {
      var index = store.index.open(.item, now: session.now)
      isPartial = session.records.warn(of: &index) || isPartial
    }
    func views(_ now: Instant) -> [ItemView] {
      found.map { ItemView($0.summary, problem: $0.problem, in: session, at: now) }
    }
    func table(_ now: Instant) -> Table {
      var table = Table(columns.map(\.head))
      for view in views(now) {
        // Without a history there is nothing to add up.
        let hasHistory = view.summary.digest.figures.last != nil
        table.append(columns.prefix(hasHistory ? columns.count : 4).map { $0.cell(view) })
      }
      return table
    }
    if invocation[watch] {
      func look() {
        found = (try? find(invocation[references], query, store, session)) ?? found
      }
      switch session.options.form {
      case .ndjson:
        try session.live.everySecond { now in
          look()
          return views(now).map(\.members)
        }
      case .text where session.live.isPossible:
        try session.live.draw(quit: {}) { now in
          look()
          return table(now).lines(width: session.live.columns)
        }
        return .done
      default: break
      }
    }
    return Answer(rows: views(now), ending: isPartial ? .partial : .ok, json: \.members) {
      $0.table(table(now), plain: invocation[ListOptions.plain])
    }
    .noting(
      found.isEmpty && !isPartial
        ? "No item has a history yet. Add an entry: capsule item log" : nil)
  }

  /// Finds the items that are named, or all that the query asks for.
  private static func find(
    _ references: [String], _ query: SinceQuery, _ store: Store?, _ session: Session
  ) throws -> [ItemRow] {
    guard let store else {
      if let first = references.first { throw Fault.noSuchRecord(first, among: [.item]) }
      return []
    }
    guard references.isEmpty else {
      let named = try session.records.all(Item.self, references, in: store).map { record in
        ItemRow(record.model.brief, problem: record.problem, at: query.now, in: query.zone)
      }
      return query.answer(of: named)
    }
    var index = store.index.open(.item, now: session.now)
    var found: [ItemRow] = []
    query.forEach(in: &index, of: store) { row in
      found.append(row)
      return true
    }
    return found
  }
}
