import CapsuleCore

/// `capsule agenda`.
enum AgendaCommand {
  static let period = Parameter.operands(
    "PERIOD", .text,
    "The days, instead of options: a month, a year, a day, 'this week', 'next month', '2027-W24'")
  static let from = Parameter.option(
    "from", value: "WHEN", .text, otherwise: "today", "The first day")
  static let to = Parameter.option(
    "to", value: "WHEN", .text, otherwise: "30 days later", "The last day, included")
  static let days = Parameter.option(
    "days", value: "N", .integer(1...), "The number of days, including the first")
  static let kind = Parameter.options(
    "kind", value: "KIND", ValueType<RecordKind>.dated, "Only records of this kind")
  static let noAlerts = Parameter.flag("no-alerts", "Leave out alerts")
  static let limit = Parameter.option("limit", value: "N", .integer(1...), "List at most this many")
  static let plain = Parameter.flag(
    "plain", "Print one line for each, with columns separated by tabs, for scripts")
  static let exitCode = Parameter.flag("exit-code", "Exit with status 1 when the agenda is empty")
  static let at = Parameter.option(
    "at", value: "WHEN", .text, "Show the agenda as it will be at this time")

  static let command = Command(
    "agenda", summary: "Show what is coming, day by day",
    discussion: """
      The agenda lists everything with a date: unlock times, events with every repetition, deadlines, \
      alerts, reminders of items, and bequests with a date.

      Overdue things come first, under the day when they were due: missed deadlines, and reminders of \
      earlier days. They stay until they are done.
      """,
    operands: [period], options: [from, to, days, kind, noAlerts, limit, plain, exitCode, at],
    outputs: [.json, .ndjson],
    examples: [
      Example("capsule agenda", "See the next 30 days"),
      Example("capsule agenda june", "See the current or the next June"),
      Example("capsule agenda --days 7", "See today and the next six days"),
      Example(
        "capsule agenda --from 2027-06-01 --to 2027-06-30 --kind event",
        "See the events of one month"),
    ],
    exitCodes: [.none, .partial],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let now = try session.dates.read(at, invocation) ?? session.now
    let zone = session.zone
    let today = zone.civil(at: now).date
    let (start, end) = try span(invocation, session, today: today, now)
    let store = try session.stores.existing()
    let settings = session.stores.settings(of: store)
    var found: [Occurrence] = []
    var isPartial = false
    if let store {
      let timeline = Timeline(
        session.dates.timeline(store, settings, asOf: now), kinds: invocation[kind])
      found = timeline.occurrences(
        in: TimelineSpan(
          from: start, before: end, limit: invocation[limit] ?? .max,
          includesAlerts: !invocation[noAlerts]))
      isPartial = session.records.warn(of: timeline.gaps)
    }
    return try session.console.render(
      ending: isPartial ? .partial : found.isEmpty && invocation[exitCode] ? .none : .ok,
      list: found,
      json: { .object(OccurrenceView($0, session, at: now).members) },
      text: { out in
        if found.isEmpty, !isPartial {
          let first = session.zone.civil(at: start).date
          let last = session.zone.civil(at: end.adding(seconds: -1)).date
          session.console.note(StyledText(nothing(from: first, to: last, today: today)))
        }
        if invocation[plain] || !out.isTerminal {
          plainTable(found, session, settings, now, out)
        } else {
          byDay(found, today: today, session, settings, now, out)
        }
      })
  }

  private static func nothing(
    from first: CivilDate, to last: CivilDate, today: CivilDate
  ) -> String {
    if first == today { return "Nothing until \(last.longText)." }
    if first == last { return "Nothing on \(first.longText)." }
    return "Nothing from \(first.longText) to \(last.longText)."
  }

  private static func plainTable(
    _ found: [Occurrence], _ session: Session, _ settings: StoreSettings, _ now: Instant,
    _ out: TextOutput
  ) {
    let columns: [Table.Column] = [
      .init("DATE"), .init("TIME"), .init("WHAT"), .init("TITLE"), .init("DETAIL"), .init("ID"),
    ]
    out.table(columns, plain: true) { body in
      for occurrence in found {
        let view = OccurrenceView(occurrence, session, at: now)
        let goesOn = body([
          StyledText(view.date.description, detail: nil), StyledText(view.time, detail: nil),
          StyledText(occurrence.happening.rawValue, detail: nil), view.title,
          view.details(settings),
          StyledText(occurrence.id.description, .dim),
        ])
        if !goesOn { return }
      }
    }
  }

  /// The cells that a title has at least.
  private static let leastTitle = 24

  private static func byDay(
    _ found: [Occurrence], today: CivilDate, _ session: Session, _ settings: StoreSettings,
    _ now: Instant, _ out: TextOutput
  ) {
    let views = found.map { OccurrenceView($0, session, at: now) }
    let times = views.map { $0.time.isEmpty ? "all day" : $0.time }
    // Some times have seconds.
    let width = times.map(\.utf8.count).max() ?? 0
    var day: CivilDate?
    for (view, time) in zip(views, times) {
      if day != view.date {
        if day != nil { out.line() }
        day = view.date
        let relative = RelativeText.words(view.date, from: today)
        out.line(
          view.date == today
            ? "\(view.date.longText, Style(isBold: true, color: .green))  \("today", .green)"
            : "\(view.date.longText, .bold)  \(relative, .dim)")
      }
      let padding = String(repeating: " ", count: width - time.utf8.count)
      let what = view.occurrence.happening.rawValue
      let details = view.details(settings, .dim)
      let begin: StyledText = "  \(time, .dim)\(padding)  "
      let end: StyledText = "\(details.isEmpty ? what : what + ", ", .dim)\(details)"
      // A long title gives way first, down to so much that a person knows it by.
      let room = (out.width ?? .max) - begin.width
      let title = view.title.cut(to: max(leastTitle, room - 2 - end.width))
      out.line((begin + title + "  " + end).cut(to: out.width ?? .max))
    }
  }

  /// Returns the days that are asked for: those of the operands, or those of the options.
  private static func span(
    _ invocation: Invocation, _ session: Session, today: CivilDate, _ now: Instant
  ) throws -> (start: Instant, end: Instant) {
    let zone = session.zone
    try invocation.refuse(period, with: [from, to, days])
    if !invocation[period].isEmpty {
      let named = try named(
        invocation[period].joined(separator: " "), session, today: today, now)
      return (zone.startOfDay(named.first).instant, Moment.day(named.last).end(in: zone))
    }
    func when(_ option: Parameter<String?>) throws -> When? {
      try invocation[option].map {
        try session.dates.read($0, option: "--\(option.spec.name)", now: now)
      }
    }
    let start = try when(from)?.instant ?? zone.startOfDay(today).instant
    if let count = invocation[days] {
      try invocation.refuse(days, with: [to])
      let behind = zone.civil(at: start).date.adding(days: count)
      return (start, behind.map { zone.startOfDay($0).instant } ?? .latest)
    }
    guard let last = try when(to) else {
      let behind = zone.civil(at: start).date.adding(days: 31)
      return (start, behind.map { zone.startOfDay($0).instant } ?? .latest)
    }
    let end = last.date.map { Moment.day($0).end(in: zone) } ?? last.instant
    guard start <= end else {
      throw Failure.usage("'--to' is before '--from'", hint: "the first day comes first")
    }
    return (start, end)
  }

  /// Returns the days that words name: a period, or those of a date expression.
  private static func named(
    _ text: String, _ session: Session, today: CivilDate, _ now: Instant
  ) throws -> DayPeriod {
    if let period = DayPeriod(text, today: today) { return period }
    let when = try session.dates.read(text, option: "PERIOD", now: now)
    let date = when.date ?? session.zone.civil(at: when.instant).date
    if when.assumptions.contains(.firstOfYear), let year = DayPeriod.year(of: date) { return year }
    if when.assumptions.contains(.firstOfMonth), let month = DayPeriod.month(of: date) {
      return month
    }
    return DayPeriod(date, through: date)
  }
}

extension ValueType<RecordKind> {
  /// The type of the kinds that the timeline may be narrowed to.
  static var dated: ValueType { choice(among: DatedKinds.all.map { $0.kind }) }
}
