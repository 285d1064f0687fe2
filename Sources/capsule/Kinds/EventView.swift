import CapsuleCore

/// An event as lists and JSON show it.
struct EventView: KindView {
  private let row: EventRow
  let session: Session
  private let now: Instant

  init(_ row: EventRow, in session: Session, at now: Instant) {
    self.row = row
    self.session = session
    self.now = now
  }

  init(
    _ summary: Brief<Event>, _ calendar: EventCalendar, problem: IndexProblem = .none,
    in session: Session, at now: Instant? = nil
  ) {
    let now = now ?? session.now
    self.init(EventRow(summary, calendar, problem: problem, at: now), in: session, at: now)
  }

  init(_ brief: Brief<Event>, problem: IndexProblem, of store: Store, in session: Session) {
    let settings = session.stores.settings(of: store)
    self.init(brief, session.dates.calendar(settings), problem: problem, in: session)
  }

  var summary: Brief<Event> { row.summary }
  var moment: Moment { row.moment }
  /// The first occurrence.
  var first: Moment { row.first }
  /// The number of years from the first occurrence to `moment`, for a yearly event: `9 years`.
  var yearsText: String? { row.years.map { DurationUnit.year.text($0) } }
  var state: EventState { row.state }
  var problem: IndexProblem { row.problem }
  var isBlank: Bool { problem != .none && summary.record.title.isEmpty }

  func writeOwnMembers(to writer: inout some MemberWriter) {
    let instants = InstantFields(zone: session.zone)
    let record = summary.record
    let timing = record.timing
    let series = timing.series
    writer.member("state", state.rawValue)
    writer.member("tags", record.tags)
    writer.member("colorRGB", record.color?.hex)
    writer.member("hasImage", summary.digest.hasImage)
    writer.member("uid", record.uid.flatMap { $0.isEmpty ? nil : $0 })
    // The first time.
    writer.member("allDay", first.isAllDay)
    writer.member("date", first.wholeDay?.description)
    instants.add(first.exactInstant, as: "at", to: &writer)
    writer.member("eventZone", ifAny: timing.zone)
    writer.member("floating", record.isFloating)
    writer.member("length", timing.length?.description)
    // The time that it is about now.
    writer.member("nextDate", moment.wholeDay?.description)
    instants.add(moment.exactInstant, as: "nextAt", to: &writer)
    let today = session.zone.civil(at: now).date
    writer.member("daysUntil", Int64(moment.date(in: session.zone).days(since: today)))
    writer.member("secondsUntil", moment.exactInstant?.seconds(since: now))
    writer.member("endDate", row.lastDay?.description)
    writer.member("end", row.end?.rfc3339)
    writer.member("endLocal", row.end.map(instants.local))
    writer.member("occurrence", row.key?.description)
    writer.member("years", row.years.map { Int64($0) })
    // Its repetition.
    writer.member("repeat", series.ruleWords)
    writer.member("rule", row.ruleText)
    writer.member("until", series.until?.description)
    writer.member("times", series.times.map { Int64($0) })
    writer.member("left", row.left.map { Int64($0) })
    writer.member("missed", Int64(row.missed))
    writer.member("also", series.also.map(\.description))
    writer.member("except", series.except.map(\.description))
    writer.member("moved", series.moved.map(\.key.description))
    writer.member("settled", series.settled.map(\.key.description))
    // What is to be announced and done.
    writer.member("alerts", timing.alerts.map(\.description))
    writer.member("deadline", timing.isDeadline)
    instants.add(timing.doneAt, as: "doneAt", to: &writer)
  }

  func add(_ event: Event, to members: inout JSONObject) {
    members["notes"] = event.notes.json
    members["image"] =
      event.image.map { image in
        [
          "name": image.displayName.json, "mediaType": image.mediaType.json,
          "size": image.size.json,
        ]
      } ?? .null
  }

  /// Adds a date or an instant; the other is `null`.
  static func add(
    _ moment: Moment, dateAs date: String, instantAs instant: String, _ instants: InstantFields,
    to members: inout JSONObject
  ) {
    members.member(date, moment.wholeDay?.description)
    instants.add(moment.exactInstant, as: instant, to: &members)
  }

  /// How far it is from a time: `in 2 days`; of what goes on when it ends. All dates of a series may be left out.
  func when(at now: Instant, _ settings: StoreSettings) -> String {
    if row.occurrence == nil { return "no date left" }
    let end = row.lastDay.map { Moment.day($0) } ?? row.end.map { .instant($0) }
    guard state == .ongoing, let end else {
      return session.dates.relative(moment, at: now, settings)
    }
    return "ends \(session.dates.relative(end, at: now, settings))"
  }

  /// The last day, or the end, of what takes some time, and how long that is.
  var endText: String? {
    guard let length = row.occurrence?.length else { return nil }
    if let last = row.lastDay { return "\(last.longText), \(DurationUnit.day.text(length.days))" }
    return row.end.map { "\(session.dates.text($0)), \(length.words)" }
  }

  /// The state as lists show it.
  var stateText: StyledText {
    problem.mark ?? StyledText(state.rawValue, state.style)
  }

  /// The title in its colour.
  var titleText: StyledText { StyledText(summary.record.title, summary.record.color.titleStyle) }

  /// The number of next occurrences that the page shows.
  private static let occurrenceCount = 5

  func writePage(of event: Event, _ settings: StoreSettings, to out: TextOutput) {
    let sheet = FieldSheet(out, width: 9)
    out.line(titleText)
    sheet.field("Id", event.id.description)
    sheet.field("State", stateText)
    let relative = when(at: session.now, settings)
    let years = yearsText.map { ", \($0)" } ?? ""
    sheet.field(
      event.isDeadline ? "Deadline" : "Date",
      row.occurrence == nil ? relative : "\(session.dates.text(moment)), \(relative)\(years)")
    if let end = endText { sheet.field("Until", end) }
    if row.missed > 0 {
      sheet.field("Missed", "\(String.counting(row.missed, "time"))")
    }
    if let words = event.series.words {
      let since = event.isYearUnknown ? "" : ", since \(session.dates.text(first))"
      sheet.field("Repeated", words + since)
      let next = event.timing.schedule(in: session.dates.calendar(settings)).occurrences(
        from: session.now, before: .latest, limit: Self.occurrenceCount)
      if !next.isEmpty {
        sheet.field("Next", next.map { session.dates.text($0.moment) }.joined(separator: "; "))
      }
    }
    if !event.alerts.isEmpty {
      sheet.field("Alerts", event.alerts.map(\.description).joined(separator: ", "))
    }
    if let doneAt = event.doneAt {
      sheet.field("Done", "\(session.dates.text(doneAt)), \(session.dates.relative(doneAt))")
    }
    if !event.tags.isEmpty { sheet.field("Tags", event.tags.joined(separator: ", ")) }
    if let color = event.color { sheet.field("Color", color.description) }
    if let image = event.image {
      sheet.field("Image", "\(image.displayName), \(image.mediaType), \(ByteSize.text(image.size))")
    }
    sheet.field(
      "Created",
      "\(session.dates.text(event.createdAt)), \(session.dates.relative(event.createdAt))")
    sheet.block(event.notes)
  }

  /// The columns that a setting may add.
  static func moreColumns(_ session: Session) -> [RowColumn<EventView>] {
    let created = RowColumn<EventView>("CREATED") {
      session.dates.cell($0.summary.record.timing.createdAt)
    }
    return detailColumns(session) + [created]
  }

  private static func detailColumns(_ session: Session) -> [RowColumn<EventView>] {
    [
      .beneath("REPEATED") { $0.summary.record.series.words ?? "" },
      .beneath("ALERTS") {
        $0.summary.record.timing.alerts.map(\.description).joined(separator: ", ")
      },
      .beneath("NOTES") { session.answers.shown(notes: $0.summary.record.notes) },
    ]
  }

  /// The columns of a list.
  static func columns(
    _ session: Session, _ settings: StoreSettings, at now: Instant, details: Bool
  ) -> [RowColumn<EventView>] {
    let columns: [RowColumn<EventView>] = [
      .id(session), RowColumn("STATE", detail: .state) { $0.stateText },
      .title("TITLE") { $0.titleText },
      .text("WHEN") { $0.when(at: now, settings) },
      RowColumn("DATE") { session.dates.cell($0.moment) },
    ]
    return details ? columns + detailColumns(session) : columns
  }
}

extension EventColor? {
  /// The style of a title in this colour.
  var titleStyle: Style {
    guard let color = self else { return .bold }
    return Style(isBold: true, color: .rgb(color.red, color.green, color.blue))
  }
}

extension EventState {
  var style: Style {
    switch self {
    case .upcoming: .yellow
    case .today, .ongoing: .green
    case .elapsed, .done: .dim
    case .over: .boldRed
    }
  }
}
