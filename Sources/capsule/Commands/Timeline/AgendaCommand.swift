import CapsuleCore

/// `capsule agenda`.
enum AgendaCommand {
  static let from = Option(
    "from", value: "WHEN", .text, default: "today", "The first day")
  static let to = Option(
    "to", value: "WHEN", .text, default: "30 days later", "The last day, itself included")
  static let kind = RepeatableOption(
    "kind", value: "KIND", ValueType<RecordKind>.dated, "Only records of this kind")
  static let noAlerts = Flag("no-alerts", "Leave out alerts")
  static let limit = Option("limit", value: "N", .integer(1...), "At most so many")
  static let plain = Flag("plain", "Columns parted by tabs, one line each, for scripts")
  static let exitCode = Flag("exit-code", "Exit with 1 when nothing is there")
  static let at = Option("at", value: "WHEN", .text, "Show it as it will be at this time")

  static let command = Command(
    "agenda", summary: "Show what the coming days hold, day by day",
    discussion: """
      One timeline over everything with a date: unlocks, events with every repetition, deadlines, \
      alerts, what the reminders of items say, and what is left to somebody from a date on; what is \
      overdue stands at the beginning.
      """,
    options: [from, to, kind, noAlerts, limit, plain, exitCode, at], outputs: [.json, .ndjson],
    examples: [
      Example("capsule agenda", "Show the coming 30 days"),
      Example("capsule agenda --from 2036-06-01 --to 2036-06-30 --kind event", "Show a month"),
    ],
    exitCodes: [.none],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    func when(_ option: Option<String>) throws -> When? {
      guard let text = invocation[option] else { return nil }
      return try session.when(text, option: "--\(option.spec.name)")
    }
    let now = try when(at)?.instant ?? session.now
    let zone = session.zone
    let today = zone.civil(at: now).date
    let start = try when(from)?.instant ?? zone.startOfDay(today).instant
    let end: Instant
    if let given = try when(to) {
      end = given.date.map { Moment.day($0).end(in: zone) } ?? given.instant
    } else {
      let last = zone.civil(at: start).date.adding(days: 31)
      end = last.map { zone.startOfDay($0).instant } ?? .latest
    }
    guard start <= end else {
      throw Failure.usage("'--to' is before '--from'", hint: "the first day comes first")
    }
    var found: [Occurrence] = []
    if let store = try session.existingStore() {
      let timeline = Timeline(
        session.timelineContext(store, asOf: now), kinds: invocation[kind])
      found = timeline.occurrences(
        in: TimelineSpan(
          from: start, before: end, limit: invocation[limit] ?? .max,
          includesAlerts: !invocation[noAlerts]))
    }
    return try session.render(
      ending: found.isEmpty && invocation[exitCode] ? .none : .ok, list: found,
      json: { .object(OccurrenceView($0, session, at: now).members) },
      text: { out in
        if found.isEmpty { session.console.note("Nothing is there.") }
        if invocation[plain] || !out.isTerminal {
          plainTable(found, session, now, out)
        } else {
          byDay(found, today: today, session, now, out)
        }
      })
  }

  private static func plainTable(
    _ found: [Occurrence], _ session: Session, _ now: Instant, _ out: TextOutput
  ) {
    let columns: [Table.Column] = [
      .init("DATE"), .init("TIME"), .init("WHAT"), .init("TITLE"), .init("DETAIL"), .init("ID"),
    ]
    out.table(columns, plain: true) { body in
      for occurrence in found {
        let view = OccurrenceView(occurrence, session, at: now)
        let goesOn = body([
          StyledText(view.date.description), StyledText(view.time),
          StyledText(occurrence.happening.rawValue), view.title,
          StyledText(occurrence.detail ?? ""),
          StyledText(occurrence.id.description, .dim),
        ])
        if !goesOn { return }
      }
    }
  }

  private static func byDay(
    _ found: [Occurrence], today: CivilDate, _ session: Session, _ now: Instant,
    _ out: TextOutput
  ) {
    var day: CivilDate?
    for occurrence in found {
      let view = OccurrenceView(occurrence, session, at: now)
      if day != view.date {
        if day != nil { out.line() }
        day = view.date
        let relative = RelativeText.words(view.date, from: today)
        out.line(
          view.date == today
            ? "\(view.date.longText, Style(isBold: true, color: .green))  \("today", .green)"
            : "\(view.date.longText, .bold)  \(relative, .dim)")
      }
      let time = view.time.isEmpty ? "all day" : view.time
      let padding = String(repeating: " ", count: max(0, 7 - time.utf8.count))
      let detail = occurrence.detail.map { ", \($0)" } ?? ""
      out.line(
        "  \(time, .dim)\(padding)  \(view.title)  \(occurrence.happening.rawValue + detail, .dim)")
    }
  }
}

extension ValueType<RecordKind> {
  /// One of the kinds that the timeline may be narrowed to.
  static var dated: ValueType { choice(among: DatedKinds.all.map { $0.kind }) }
}
