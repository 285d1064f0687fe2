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

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let now = try session.dates.read(at, invocation) ?? session.now
    let zone = session.zone
    let today = zone.civil(at: now).date
    let (start, end) = try span(invocation, session, today: today, now)
    let found = try FoundOccurrences(session, asOf: now, kinds: invocation[kind]) {
      $0.occurrences(
        in: TimelineSpan(
          from: start, before: end, limit: invocation[limit] ?? .max,
          includesAlerts: !invocation[noAlerts]))
    }
    return Answer(
      rows: found.views, ending: found.code(noneIfEmpty: invocation[exitCode]), json: \.members
    ) { out in
      if invocation[plain] || !out.isTerminal {
        plainTable(found, out)
      } else {
        let last = zone.civil(at: end.adding(seconds: -1)).date
        let days = AgendaDay.days(of: found.views, zone.civil(at: start).date, last, today: today)
        byDay(days, found.settings, today: today, out)
      }
    }
    .noting(
      found.isNothing
        ? StyledText(
          nothing(
            from: zone.civil(at: start).date, to: zone.civil(at: end.adding(seconds: -1)).date,
            today: today)) : nil)
  }

  private static func nothing(
    from first: CivilDate, to last: CivilDate, today: CivilDate
  ) -> String {
    if first == today { return "Nothing until \(last.longText)." }
    if first == last { return "Nothing on \(first.longText)." }
    return "Nothing from \(first.longText) to \(last.longText)."
  }

  private static func plainTable(_ found: FoundOccurrences, _ out: TextOutput) {
    let columns: [Table.Column] = [
      .init("DATE"), .init("TIME"), .init("WHAT"), .init("TITLE"), .init("DETAIL"), .init("ID"),
    ]
    out.table(columns, plain: true) { body in
      for view in found.views {
        let goesOn = body([
          StyledText(view.date.description, detail: nil), StyledText(view.time, detail: nil),
          StyledText(view.occurrence.happening.rawValue, detail: nil), view.title,
          view.details(found.settings),
          StyledText(view.occurrence.id.description, .dim),
        ])
        if !goesOn { return }
      }
    }
  }

  /// The cells that a title has at least.
  private static let leastTitle = 24

  private static func byDay(
    _ days: [AgendaDay], _ settings: StoreSettings, today: CivilDate, _ out: TextOutput
  ) {
    // Some times have seconds.
    let width = days.flatMap(\.lines).map(\.time.utf8.count).max() ?? 0
    for (place, day) in days.enumerated() {
      if place > 0 { out.line() }
      let relative = RelativeText.words(day.date, from: today)
      out.line(
        day.date == today
          ? "\(day.date.longText, Style(isBold: true, color: .green))  \("today", .green)"
          : "\(day.date.longText, .bold)  \(relative, .dim)")
      for line in day.lines {
        let padding = String(repeating: " ", count: width - line.time.utf8.count)
        let what = line.view.occurrence.happening.rawValue
        let details = line.details(settings)
        let begin: StyledText = "  \(line.time, .dim)\(padding)  "
        let end: StyledText = "\(details.isEmpty ? what : what + ", ", .dim)\(details)"
        // A long title gives way first, down to so much that a person knows it by.
        let room = (out.width ?? .max) - begin.width
        let title = line.view.title.cut(to: max(leastTitle, room - 2 - end.width))
        out.line((begin + title + "  " + end).cut(to: out.width ?? .max))
      }
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
        try session.dates.read($0, option: option.term, now: now)
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
      throw Fault.usage("'--to' is before '--from'", hint: "use a later day for --to")
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

/// A day of the agenda for people: what takes several days stands on each of them, and what comes often a day on one
/// line.
private struct AgendaDay {
  struct Line {
    let view: OccurrenceView
    let time: String
    /// `day 3 of 18`, `24 times`; empty for nothing.
    let remark: String

    func details(_ settings: StoreSettings) -> StyledText {
      let details = view.details(settings, .dim)
      if remark.isEmpty { return details }
      return details.isEmpty
        ? StyledText(remark, .dim) : "\(details)\(", ", .dim)\(remark, .dim)"
    }
  }

  let date: CivilDate
  private(set) var lines: [Line] = []

  /// From so many times a day on a series has one line.
  private static let manyTimes = 4

  /// Returns the days of a span that have something, in order.
  static func days(
    of views: [OccurrenceView], _ first: CivilDate, _ last: CivilDate, today: CivilDate
  ) -> [AgendaDay] {
    var days: [CivilDate: [Line]] = [:]
    var counts: [SeriesDay: Int] = [:]
    for view in views { counts[SeriesDay(view), default: 0] += 1 }
    var said: Set<SeriesDay> = []
    for view in views {
      let begin = view.date
      // What is overdue stands on the day when it was due.
      guard view.lastDate > begin, !view.occurrence.isOverdue else {
        let key = SeriesDay(view)
        let count = counts[key] ?? 1
        let isMany = count >= manyTimes && view.occurrence.key != nil
        if isMany, !said.insert(key).inserted { continue }
        days[begin, default: []].append(
          Line(
            view: view, time: view.time.isEmpty ? "all day" : view.time,
            remark: isMany ? "\(count) times" : ""))
        continue
      }
      let total = view.lastDate.days(since: begin) + 1
      var date = max(begin, first)
      while date <= min(view.lastDate, last) {
        let number = date.days(since: begin) + 1
        let time = number == 1 && !view.time.isEmpty ? view.time : "all day"
        days[date, default: []].insert(
          Line(view: view, time: time, remark: "day \(number) of \(total)"),
          at: number == 1 ? days[date]?.count ?? 0 : 0)
        guard let next = date.adding(days: 1) else { break }
        date = next
      }
    }
    return days.sorted { $0.key < $1.key }.map { AgendaDay(date: $0.key, lines: $0.value) }
  }

  /// An event on one day.
  private struct SeriesDay: Hashable {
    let id: RecordID
    let happening: Occurrence.Happening
    let date: CivilDate

    init(_ view: OccurrenceView) {
      (id, happening, date) = (view.occurrence.id, view.occurrence.happening, view.date)
    }
  }
}

/// The things that a command found on the timeline; it warns of what is missing.
private struct FoundOccurrences {
  let views: [OccurrenceView]
  let settings: StoreSettings
  let isPartial: Bool

  /// - Parameter kinds: the kinds of records that are looked at; all if empty.
  init(
    _ session: Session, asOf now: Instant, kinds: [RecordKind] = [],
    _ find: (Timeline) -> [Occurrence]
  ) throws {
    let store = try session.stores.existing()
    let settings = session.stores.settings(of: store)
    let timeline = store.map {
      Timeline(session.dates.timeline($0, settings, asOf: now), kinds: kinds)
    }
    views = (timeline.map(find) ?? []).map { OccurrenceView($0, session, at: now) }
    isPartial = session.records.warn(of: timeline?.gaps)
    self.settings = settings
  }

  /// Whether nothing was found, and nothing is missing.
  var isNothing: Bool { views.isEmpty && !isPartial }

  func code(noneIfEmpty asksForNone: Bool) -> ExitCode {
    isPartial ? .partial : views.isEmpty && asksForNone ? .none : .ok
  }
}

extension ValueType<RecordKind> {
  /// The type of the kinds that the timeline may be narrowed to.
  static var dated: ValueType { choice(among: DatedKinds.all.map { $0.kind }) }
}

/// `capsule next`.
enum NextCommand {
  static let kind = Parameter.options(
    "kind", value: "KIND", ValueType<RecordKind>.dated, "Only records of this kind")
  static let limit = Parameter.option(
    "limit", value: "N", .integer(1...), default: "1", "Show this many")
  static let exitCode = Parameter.flag("exit-code", "Exit with status 1 when nothing comes next")
  static let at = Parameter.option(
    "at", value: "WHEN", .text, "Show what comes next after this time")

  static let command = Command(
    "next", summary: "Show what comes next",
    discussion: """
      Overdue things come first: missed deadlines, and reminders of earlier days. They stay until they \
      are done. Within a day, things with a time come before all-day things.
      """,
    options: [kind, limit, exitCode, at], outputs: [.json, .ndjson],
    examples: [
      Example("capsule next", "See what comes next"),
      Example("capsule next --kind event --limit 3", "See the next three events"),
    ],
    exitCodes: [.none, .partial],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let now = try session.dates.read(at, invocation) ?? session.now
    let found = try FoundOccurrences(session, asOf: now, kinds: invocation[kind]) {
      $0.occurrences(
        in: TimelineSpan(
          from: now, limit: invocation[limit], includesOngoing: false, by: .next))
    }
    return Answer(
      rows: found.views, ending: found.code(noneIfEmpty: invocation[exitCode]), json: \.members
    ) { out in
      guard out.isTerminal else {
        for view in found.views {
          let when = session.dates.text(view.occurrence.moment)
          let relative = view.relative(found.settings)
          out.line("\(view.title)  \(relative)  \(when)  \(view.what, .dim)")
        }
        return
      }
      let columns: [RowColumn<OccurrenceView>] = [
        .title("TITLE") { $0.title }, RowColumn("WHEN") { $0.relative(found.settings) },
        RowColumn("DATE") { session.dates.cell($0.occurrence.moment) },
        RowColumn("WHAT", flexible: true, detail: .contents) { StyledText($0.what, .dim) },
      ]
      var table = Table(columns.map(\.head), header: false)
      for view in found.views { table.append(columns.map { $0.cell(view) }) }
      out.table(table)
    }
    .noting(found.isNothing ? "Nothing is to come." : nil)
  }
}

/// `capsule on-this-day`.
enum OnThisDayCommand {
  static let date = Parameter.operands("DATE", .text, "A day other than today")
  static let exitCode = Parameter.flag(
    "exit-code", "Exit with status 1 when there is nothing to show")

  static let command = Command(
    "on-this-day", summary: "Show what happened on this day in past years",
    discussion: """
      The command lists the capsules that you sealed or opened on this date in past years, and the \
      events of this date.

      - For a day without its year, this year's day is included once it is past, and the column `WHEN` \
      counts from today.
      - Things from 29 February appear in other years on the day that the setting `leapDay` chooses.
      """,
    operands: [date], options: [exitCode], outputs: [.json, .ndjson],
    examples: [
      Example("capsule on-this-day", "Look back on today's date"),
      Example("capsule on-this-day june 15", "Look back on another date"),
      Example("capsule on-this-day 2044-06-15", "Look back from a day in the future"),
    ],
    exitCodes: [.none, .partial],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let today = session.zone.civil(at: session.now).date
    let words = invocation[date]
    let asked =
      try words.isEmpty
      ? Asked(day: today, from: today) : Asked(words.joined(separator: " "), today, session)
    let found = try FoundOccurrences(session, asOf: session.now) { $0.memories(of: asked.day) }
    return Answer(
      rows: found.views, ending: found.code(noneIfEmpty: invocation[exitCode]),
      columns: [
        .text("YEAR") { String($0.date.year) },
        RowColumn("WHAT") { StyledText($0.occurrence.happening.rawValue, .dim) },
        .title("TITLE") { $0.title }, .text("WHEN") { asked.words(since: $0.date) },
      ]
    ) { view in
      var members = view.members
      members["years"] = asked.years(since: view.date).json
      return members
    }
    .noting(found.isNothing ? "Nothing is known of this day." : nil)
  }

  /// The day whose earlier years are asked for, and the day that they are counted from.
  private struct Asked {
    let day: CivilDate
    let from: CivilDate

    init(day: CivilDate, from: CivilDate) {
      self.day = day
      self.from = from
    }

    /// Reads the day. One without its year is of every year, and is looked back at from today.
    init(_ text: String, _ today: CivilDate, _ session: Session) throws {
      let when = try session.dates.read(text, option: "DATE")
      let date = when.date ?? session.zone.civil(at: when.instant).date
      let isOfEveryYear = when.assumptions.contains { $0 == .nextOccurrence || $0 == .notToday }
      let isToday = isOfEveryYear && (date.month, date.day) == (today.month, today.day)
      day = isToday ? today : date
      from = isOfEveryYear ? today : date
    }

    /// Returns the whole years since a date.
    func years(since date: CivilDate) -> Int {
      let isBefore = (from.month, from.day) < (date.month, date.day)
      // The day itself stands for the date also where it has another number, as a 29 February.
      return from.year - date.year - (isBefore && from != day ? 1 : 0)
    }

    /// Returns how long ago a date was.
    func words(since date: CivilDate) -> String {
      from == day
        ? DurationUnit.year.text(years(since: date)) + " ago"
        : RelativeText.words(date, from: from)
    }
  }
}

/// `capsule export ics`.
enum ExportCalendarCommand {
  static let output = Parameter.option(
    "output", short: "o", value: "FILE", .path, otherwise: "standard output",
    "Write the calendar to a file")
  static let kind = Parameter.options(
    "kind", value: "KIND", ValueType<RecordKind>.dated, "Only records of this kind")

  static let command = Command(
    "export", "ics", summary: "Export everything with a date as a calendar (iCalendar)",
    discussion: """
      The output is an iCalendar file (RFC 5545) for any calendar program. Each entry keeps its \
      identity: importing the file again updates entries and duplicates none. Titles and notes are \
      exported; sealed contents are not.

      - An all-day event has the same date in every zone. An event with a time repeats on the clocks of \
      its zone, a reminder of an item on yours.
      - A repetition on the 31st falls on the last day of a shorter month, as in this program. Calendars \
      without that rule (BYSETPOS) may omit the shorter months.
      - Alarms are due when `agenda` shows them, even if clocks change or months differ in length. An \
      occurrence with a different alarm becomes a separate entry, from one year ago to ten years ahead.
      """,
    options: [output, kind],
    examples: [
      Example("capsule export ics > capsule.ics", "Export everything to a file"),
      Example("capsule export ics --kind event --output events.ics", "Export only the events"),
    ],
    exitCodes: [.partial, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let store = try session.stores.existing()
    let calendar = session.dates.calendar(session.stores.settings(of: store))
    let timeline = store.map { store in
      Timeline(
        TimelineContext(store, now: session.now, calendar: calendar), kinds: invocation[kind])
    }
    try session.files.export(to: invocation[output], of: ("entry", "entries")) { sink in
      try write(timeline, calendar, session.now, to: sink)
    }
    return .ended(session.records.warn(of: timeline?.gaps) ? .partial : .ok)
  }

  /// Writes the calendar in pieces that end with whole lines.
  ///
  /// - Returns: the number of records in it.
  private static func write(
    _ timeline: Timeline?, _ calendar: EventCalendar, _ now: Instant,
    to sink: ([UInt8]) throws -> Void
  ) throws -> Int {
    var writer = CalendarWriter(calendar, now: now)
    var piece: [UInt8] = []
    var count = 0
    func add(_ bytes: [UInt8]) throws {
      piece += bytes
      guard piece.count >= 65_536 else { return }
      try sink(piece)
      piece.removeAll(keepingCapacity: true)
    }
    if let timeline {
      try timeline.forEachSeries(
        noting: { writer.note($0) }, beginning: { try add(writer.beginning()) }
      ) { series in
        count += 1
        try add(writer.component(of: series))
      }
    } else {
      try add(writer.beginning())
    }
    try sink(piece + writer.end())
    return count
  }
}
