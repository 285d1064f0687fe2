import CapsuleCore

/// `capsule event list`.
enum EventListCommand {
  static let upcoming = Parameter.flag("upcoming", "Only events to come, and today's")
  static let elapsed = Parameter.flag(
    "elapsed", "Only past events, and deadlines that are done or over")
  static let deadlines = Parameter.flag("deadlines", "Only deadlines")
  static let search = ListOptions.search("Only events with this text in the title or notes")
  static let sort: Parameter<EventQuery.Order?> = ListOptions.sort(.eventSort)
  static let details = Parameter.flag("details", "Also show repetitions, alerts and notes")

  static let command = Command(
    "event", "list", summary: "List events, soonest first",
    discussion: """
      Upcoming events come first, the soonest at the top. Past events follow, the latest at the top. \
      Within a day, all-day events come first. A repeated event is listed by its next date.

      If a record is damaged or cannot be read, the list marks it and the command exits with status 3.
      """,
    options: [
      upcoming, elapsed, deadlines, search, sort, ListOptions.reverse, ListOptions.limit, details,
      ListOptions.plain, ListOptions.exitCode, ListOptions.at,
    ],
    outputs: [.json, .ndjson],
    examples: [
      Example("capsule event list --upcoming --limit 10", "List the next ten events"),
      Example("capsule event list --deadlines --sort title", "List the deadlines by title"),
    ],
    exitCodes: [.none, .partial, .damaged],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let now = try session.dates.read(ListOptions.at, invocation) ?? session.now
    let store = try session.stores.existing()
    let settings = session.stores.settings(of: store)
    var query = EventQuery(session.dates.calendar(settings), now: now)
    query.includesAhead = invocation[upcoming] || !invocation[elapsed]
    query.includesPast = invocation[elapsed] || !invocation[upcoming]
    query.onlyDeadlines = invocation[deadlines]
    query.text = invocation.search(search)
    query.order = invocation.sortOrder(sort, settings, .eventSort) ?? .date
    query.isReversed = invocation[ListOptions.reverse]
    query.limit = invocation[ListOptions.limit] ?? .max
    var remarks = ListRemarks()
    if !invocation[upcoming], !invocation[elapsed], query.text == nil {
      remarks.whenEmpty = "There are no events yet; 'capsule event add' adds one."
    }
    return try session.answers.list(
      query, in: store, invocation, remarks,
      columns: session.answers.columns(
        EventView.columns(
          session, settings, at: now,
          details: invocation[details] || session.answers.showsDetails(settings)),
        more: EventView.moreColumns(session), .eventColumns, settings)
    ) { EventView($0, in: session, at: now) }
  }
}
