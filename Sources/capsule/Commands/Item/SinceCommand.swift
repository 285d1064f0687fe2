import CapsuleCore

/// `capsule since`.
enum SinceCommand {
  static let references = RepeatableOperand(
    "ITEM", .reference(.item), "An id, the start of one, or a name; all with a history if none")
  static let limit = Option("limit", value: "N", .integer(1...), "At most so many")
  static let reverse = Flag("reverse", "What was done last stands first")
  static let details = Flag("details", "Show the count, the average, the longest time and notes")
  static let style = Option(
    "style", value: "STYLE", ValueType<Style>.choice, default: "the setting spanStyle",
    "Whole units, or tenths of the largest")
  static let watch = Flag("watch", short: "w", "Draw it again each second")
  static let plain = Flag("plain", "Columns parted by tabs, nothing cut, for scripts")
  static let at = Option("at", value: "WHEN", .text, "Show it as it will be at this time")

  enum Style: String, CaseIterable, Sendable { case subUnits, tenths }

  static let command = Command(
    "since", summary: "Show how long ago things were last done",
    discussion: """
      Every item with a history, what was done the longest ago at the top, its last entry, the time \
      since and what its reminder says. `--watch` is live, also to what other commands log \
      meanwhile: on a terminal it is drawn in place, with `--ndjson` it is an object a second for each.
      """,
    operands: [references], options: [limit, reverse, details, style, watch, plain, at],
    outputs: [.json, .ndjson],
    examples: [
      Example("capsule since", "See how long ago everything was"),
      Example("capsule since 'Water filter' --watch --style tenths", "Watch one"),
    ],
    exitCodes: [.notFound, .partial, .damaged],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let now =
      try invocation[at].map { text in
        try session.when(text, option: "--at").instant
      } ?? session.now
    let store = try session.existingStore()
    let settings = session.storeSettings(store)
    let style: SpanStyle =
      switch invocation[style] {
      case .tenths: .tenths
      case .subUnits: .subUnits(settings.spanUnits)
      case nil: settings.spanStyleInUse
      }
    guard let store else {
      if let first = invocation[references].first { throw Failure.notFound(first, among: [.item]) }
      return try session.render(list: [ItemView](), json: { .object($0.members) }, text: { _ in })
    }
    var found = try find(invocation, store, session)
    var isPartial = found.contains { $0.problem != .none }
    if invocation[references].isEmpty {
      var listing = ItemListing(session, store)
      isPartial = listing.warn() || isPartial
    }
    func views(_ now: Instant) -> [ItemView] {
      found.map { ItemView($0.summary, problem: $0.problem, in: session, at: now) }
    }
    func table(_ now: Instant) -> Table {
      Self.table(
        views(now), now, style, session, settings,
        details: invocation[details] || settings.showsDetails)
    }
    if invocation[watch], invocation[at] == nil {
      switch session.options.form {
      case .ndjson:
        return try session.everySecond { now in
          found = (try? find(invocation, store, session)) ?? found
          for view in views(now) { session.console.out.jsonLine(.object(view.members)) }
          try session.console.out.flush()
        }
      case .text where session.canDrawLive:
        return try session.live { now in
          found = (try? find(invocation, store, session)) ?? found
          return table(now).lines(width: session.console.out.width ?? 80)
        }
      default: break
      }
    }
    return try session.render(
      ending: isPartial ? .partial : .ok, list: views(now), json: { .object($0.members) },
      text: { out in
        if found.isEmpty, !isPartial {
          session.console.note("Nothing has a history yet; 'capsule item log' begins one.")
        }
        out.table(table(now), plain: invocation[plain])
      })
  }

  private static func find(
    _ invocation: Invocation, _ store: Store, _ session: Session
  ) throws -> [(summary: ItemSummary, problem: IndexProblem)] {
    var found: [(summary: ItemSummary, problem: IndexProblem)] = []
    let references = invocation[references]
    for reference in references {
      let record = try session.item(reference, in: store)
      found.append((record.model.summary, record.integrity == nil ? .none : .altered))
    }
    guard references.isEmpty else { return found }
    // Only the ends of the histories are looked at until it is known which are shown.
    let isReversed = invocation[reverse]
    var listing = ItemListing(session, store)
    var first = FirstSorted<(last: Instant, entry: IndexEntry)>(
      limit: invocation[limit] ?? .max
    ) { left, right in
      if left.last != right.last {
        return isReversed ? left.last > right.last : left.last < right.last
      }
      return left.entry.id < right.entry.id
    }
    listing.forEach { entry in
      if let last = ItemSummary.last(encoded: entry.summary) { first.insert((last, entry)) }
    }
    for (_, entry) in first.elements {
      if let summary = ItemSummary(id: entry.id, encoded: entry.summary) {
        found.append((summary, entry.problem))
      }
    }
    return found
  }

  private static func table(
    _ views: [ItemView], _ now: Instant, _ style: SpanStyle, _ session: Session,
    _ settings: StoreSettings, details: Bool
  ) -> Table {
    var columns: [Table.Column] = [
      .init("NAME", flexible: true), .init("SINCE"), .init("LAST"), .init("DUE"),
    ]
    if details {
      columns += [
        .init("TIMES", .trailing), .init("AVERAGE"), .init("LONGEST"), .init("VALUE", .trailing),
        .init("NOTES", flexible: true),
      ]
    }
    var table = Table(columns)
    for view in views {
      let figures = view.summary.figures
      guard let last = figures.last else {
        table.row(view.nameText, "never", "", view.dueText(settings))
        continue
      }
      var fields: [StyledText] = [
        view.nameText, StyledText(style.text(from: last, to: now, in: session.zone)),
        StyledText(session.dateTime(last)), view.dueText(settings),
      ]
      if details {
        func span(_ seconds: Int64?) -> StyledText {
          StyledText(
            seconds.map {
              style.text(from: last.adding(seconds: -$0), to: last, in: session.zone)
            } ?? "")
        }
        fields += [
          StyledText(String(figures.count)), span(figures.average), span(figures.longest),
          StyledText(figures.lastValue?.description ?? ""),
          StyledText(view.summary.lastNotes.split(separator: "\n").first.map(String.init) ?? ""),
        ]
      }
      table.append(fields)
    }
    return table
  }
}
