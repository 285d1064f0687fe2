import CapsuleCore

/// `capsule event list`.
enum EventListCommand {
  enum Order: String, CaseIterable, Sendable { case date, title, created }

  static let upcoming = Flag("upcoming", "Only those to come, and today's")
  static let elapsed = Flag("elapsed", "Only those that are past, met or over")
  static let deadlines = Flag("deadlines", "Only deadlines")
  static let search = Option(
    "search", value: "TEXT", .text, "Only those with this text in the title or notes")
  static let sort = Option(
    "sort", value: "ORDER", ValueType<Order>.choice, default: "the setting eventSort",
    "What to sort by")
  static let reverse = Flag("reverse", "Sort the other way round")
  static let limit = Option("limit", value: "N", .integer(1...), "At most so many")
  static let details = Flag("details", "Show repetition, alerts and notes too")
  static let plain = Flag("plain", "Columns parted by tabs, nothing cut, for scripts")
  static let exitCode = Flag("exit-code", "Exit with 1 when nothing matches")
  static let at = Option("at", value: "WHEN", .text, "Show them as they will be at this time")

  static let command = Command(
    "event", "list", summary: "List the events, soonest first",
    discussion: """
      Those to come stand first, the soonest at the top, then those that are past, the last at the \
      top. What is repeated stands by its next date. A record that cannot be read, or is not what \
      was written, is marked, and the command ends with 3.
      """,
    options: [
      upcoming, elapsed, deadlines, search, sort, reverse, limit, details, plain, exitCode, at,
    ],
    outputs: [.json, .ndjson],
    examples: [
      Example("capsule event list --upcoming --limit 10", "List the next ten"),
      Example("capsule event list --deadlines --sort title", "List the deadlines by title"),
    ],
    exitCodes: [.none, .partial, .damaged],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let now =
      try invocation[at].map { text in
        try session.when(text, option: "--at").instant
      } ?? session.now
    let store = try session.existingStore()
    let settings = session.storeSettings(store)
    var rows: [EventView] = []
    var isPartial = false
    if let store {
      var listing = EventListing(invocation, session, store, settings, now: now)
      rows = listing.rows()
      isPartial = listing.warn()
    }
    let nothing: ExitCode = rows.isEmpty && invocation[exitCode] ? .none : .ok
    let showsDetails = invocation[details] || settings.showsDetails
    return try session.render(
      ending: isPartial ? .partial : nothing, list: rows,
      writingJSON: { view, writer in writer.value(.object(view.members)) },
      text: { out in
        if rows.isEmpty, !invocation[upcoming], !invocation[elapsed], invocation[search] == nil {
          session.console.note("There are no events yet; 'capsule event add' adds one.")
        }
        out.table(
          table(rows, session, settings, now, details: showsDetails), plain: invocation[plain])
      })
  }

  private static func table(
    _ rows: [EventView], _ session: Session, _ settings: StoreSettings, _ now: Instant,
    details: Bool
  ) -> Table {
    var columns: [Table.Column] = [
      .init("ID"), .init("STATE"), .init("TITLE", flexible: true), .init("WHEN"),
      .init("DATE", flexible: true),
    ]
    if details {
      columns += [
        .init("REPEATED"), .init("ALERTS", flexible: true), .init("NOTES", flexible: true),
      ]
    }
    var table = Table(columns)
    for view in rows {
      let summary = view.summary
      let id = summary.id.description
      let shown = session.console.out.isTerminal ? String(id.prefix(8)) : id
      guard view.problem == .none || !summary.title.isEmpty else {
        table.row(StyledText(shown, .dim), view.stateText)
        continue
      }
      var fields = [
        StyledText(shown, .dim), view.stateText, view.titleText,
        StyledText(session.relative(view.moment, at: now, settings)),
        StyledText(session.text(of: view.moment)),
      ]
      if details {
        fields += [
          StyledText(summary.timing.recurrence?.words ?? ""),
          StyledText(summary.timing.alerts.map(\.description).joined(separator: ", ")),
          StyledText(summary.notes.split(separator: "\n").first.map(String.init) ?? ""),
        ]
      }
      table.append(fields)
    }
    return table
  }
}

/// Which events a list shows, and in which order.
private struct EventListing {
  private let session: Session
  private let store: Store
  private let calendar: EventCalendar
  private let now: Instant
  private let wantsAhead: Bool
  private let wantsPast: Bool
  private let onlyDeadlines: Bool
  private let search: String?
  private let order: EventListCommand.Order
  private let isReversed: Bool
  private let limit: Int
  private var index: RecordIndex

  init(
    _ invocation: Invocation, _ session: Session, _ store: Store, _ settings: StoreSettings,
    now: Instant
  ) {
    self.session = session
    self.store = store
    self.now = now
    calendar = session.eventCalendar(settings)
    let (ahead, past) = (
      invocation[EventListCommand.upcoming], invocation[EventListCommand.elapsed]
    )
    wantsAhead = ahead || !past
    wantsPast = past || !ahead
    onlyDeadlines = invocation[EventListCommand.deadlines]
    search = invocation[EventListCommand.search]?.lowercased()
    let preferred = settings[.eventSort].string.flatMap { EventListCommand.Order(rawValue: $0) }
    order = invocation[EventListCommand.sort] ?? preferred ?? .date
    isReversed = invocation[EventListCommand.reverse]
    limit = invocation[EventListCommand.limit] ?? .max
    index = store.index(.event, now: session.now)
  }

  mutating func rows() -> [EventView] {
    var unreadable: [EventView] = []
    for entry in index.problems() where entry.summary.isEmpty {
      unreadable.append(
        EventView(EventSummary(unreadable: entry.id), calendar, problem: entry.problem, in: session)
      )
    }
    return Array((unreadable + sorted()).prefix(limit))
  }

  /// Says what is wrong; whether anything is.
  mutating func warn() -> Bool { session.warn(of: &index) }

  private func sorted() -> [EventView] {
    var first = FirstSorted<(key: EventSortKey, entry: IndexEntry)>(limit: limit) { left, right in
      isReversed ? right.key < left.key : left.key < right.key
    }
    forEachMatch(limit: order == .date && !isReversed ? limit : .max) { key, entry in
      first.insert((key, entry))
    }
    return first.elements.compactMap { _, entry in
      EventSummary(id: entry.id, encoded: entry.summary).map {
        EventView($0, calendar, problem: entry.problem, in: session, at: now)
      }
    }
  }

  /// Enough of them: of those to come the first `limit` at least, and of the others the last.
  private func forEachMatch(limit: Int, _ body: (EventSortKey, IndexEntry) -> Void) {
    var index = index
    var (ahead, past) = (0, 0)
    func take(_ entry: IndexEntry) {
      guard let timing = EventTiming(encoded: entry.summary), !onlyDeadlines || timing.isDeadline
      else { return }
      let moment = timing.current(at: now, calendar)
      let isAhead = timing.state(of: moment, at: now, calendar).isAhead
      guard isAhead ? wantsAhead : wantsPast, matches(entry) else { return }
      if isAhead { ahead += 1 } else { past += 1 }
      body(
        EventSortKey(
          entry, order, timing, start: moment.start(in: calendar.zone), isPast: !isAhead), entry)
    }
    index.forEach(.ascending, from: EventSummary.repeatingKey) { entry in
      take(entry)
      return true
    }
    let repeating = ahead
    var last = Int64.max
    index.forEach(.ascending, from: now.seconds - EventSummary.slack) { entry in
      guard entry.sortKey < EventSummary.repeatingKey, entry.sortKey <= last else { return false }
      if !wantsAhead, entry.sortKey > now.seconds + EventSummary.slack { return false }
      take(entry)
      if ahead - repeating >= limit, last == .max {
        last = entry.sortKey.addingClamped(EventSummary.slack)
      }
      return true
    }
    guard wantsPast, ahead < limit else { return }
    last = .min
    index.forEach(.descending, from: now.seconds - EventSummary.slack - 1) { entry in
      guard entry.sortKey >= last else { return false }
      take(entry)
      if ahead.addingClamped(past) >= limit, last == .min {
        last = entry.sortKey.addingClamped(-EventSummary.slack)
      }
      return true
    }
  }

  private func matches(_ entry: IndexEntry) -> Bool {
    guard let search else { return true }
    guard let summary = EventSummary(id: entry.id, encoded: entry.summary) else { return false }
    if summary.title.lowercased().contains(search) { return true }
    if summary.notes.lowercased().contains(search) { return true }
    // Long notes are not all in the index.
    guard !summary.hasAllNotes, let record = try? store.read(Event.self, summary.id) else {
      return false
    }
    return record.model.notes.lowercased().contains(search)
  }
}

/// Where an event stands in a list: by date those to come first, from the soonest, then those that
/// are past, from the last; at the end by its id.
private struct EventSortKey: Comparable {
  private var isPast = false
  private var text = ""
  private var number: Int64 = 0
  private let id: RecordID

  init(
    _ entry: IndexEntry, _ order: EventListCommand.Order, _ timing: EventTiming, start: Instant,
    isPast: Bool
  ) {
    id = entry.id
    switch order {
    case .date:
      self.isPast = isPast
      number = isPast ? -start.seconds : start.seconds
    case .title: text = RecordKind.event.title(of: entry).lowercased()
    case .created: number = timing.createdAt.seconds
    }
  }

  static func < (left: EventSortKey, right: EventSortKey) -> Bool {
    if left.isPast != right.isPast { return right.isPast }
    if left.text != right.text { return left.text < right.text }
    if left.number != right.number { return left.number < right.number }
    return left.isPast ? left.id > right.id : left.id < right.id
  }
}
