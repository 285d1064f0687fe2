import CapsuleCore

/// An event as lists and JSON show it.
struct EventView: RecordView {
  private let row: EventRow
  private let session: Session
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

  var id: RecordID { row.summary.id }
  var summary: Brief<Event> { row.summary }
  var moment: Moment { row.moment }
  /// The first occurrence.
  var first: Moment { row.first }
  /// The number of years from the first occurrence to `moment`, for a yearly event: `9 years`.
  var yearsText: String? { row.years.map { DurationUnit.year.text($0) } }
  var state: EventState { row.state }
  var problem: IndexProblem { row.problem }
  var isBlank: Bool { problem != .none && summary.record.title.isEmpty }

  func writeMembers(to writer: inout some MemberWriter) {
    let instants = InstantFields(zone: session.zone)
    let timing = summary.record.timing
    writer.member("alerts", timing.alerts.map(\.description))
    writer.member("allDay", first.isAllDay)
    instants.add(first.exactInstant, as: "at", to: &writer)
    writer.member("color", summary.record.color?.description)
    writer.member("colorRGB", summary.record.color?.hex)
    instants.add(timing.createdAt, as: "createdAt", to: &writer)
    writer.member("date", first.wholeDay?.description)
    let today = session.zone.civil(at: now).date
    writer.member("daysUntil", Int64(moment.date(in: session.zone).days(since: today)))
    writer.member("deadline", timing.isDeadline)
    instants.add(timing.doneAt, as: "doneAt", to: &writer)
    writer.member("eventZone", ifAny: timing.zone)
    writer.member("hasImage", summary.digest.hasImage)
    writer.member("id", summary.id)
    writer.member("kind", "event")
    instants.add(moment.exactInstant, as: "nextAt", to: &writer)
    writer.member("nextDate", moment.wholeDay?.description)
    writer.member("problem", problem.jsonName)
    writer.member("repeat", timing.recurrence?.words)
    writer.member("secondsUntil", moment.exactInstant?.seconds(since: now))
    writer.member("state", state.rawValue)
    writer.member("title", summary.record.title)
    writer.member("uid", summary.record.uid.flatMap { $0.isEmpty ? nil : $0 })
    instants.add(summary.record.updatedAt, as: "updatedAt", to: &writer)
    writer.member("years", row.years.map { Int64($0) })
    writer.member("zone", session.localZone.label)
  }

  /// The members of the object with those that only the record has.
  func members(of event: Event) -> JSONObject {
    var members = members
    members["notes"] = .string(event.notes)
    members["revision"] = .integer(event.header.revision)
    members["image"] =
      event.image.map { image in
        .object([
          "name": .string(image.displayName), "mediaType": .string(image.mediaType),
          "size": .integer(image.size),
        ])
      } ?? .null
    return members
  }

  /// Adds a date or an instant; the other is `null`.
  static func add(
    _ moment: Moment, dateAs date: String, instantAs instant: String, _ instants: InstantFields,
    to members: inout JSONObject
  ) {
    members.member(date, moment.wholeDay?.description)
    instants.add(moment.exactInstant, as: instant, to: &members)
  }

  /// The state as lists show it.
  var stateText: StyledText {
    problem.mark ?? StyledText(state.rawValue, state.style)
  }

  /// The title in its colour.
  var titleText: StyledText { StyledText(summary.record.title, summary.record.color.titleStyle) }

  /// The columns that a setting may add.
  static func moreColumns(_ session: Session) -> [RowColumn<EventView>] {
    let created = RowColumn<EventView>("CREATED") {
      session.dates.cell($0.summary.record.timing.createdAt)
    }
    return detailColumns(session) + [created]
  }

  private static func detailColumns(_ session: Session) -> [RowColumn<EventView>] {
    [
      .beneath("REPEATED") { $0.summary.record.timing.recurrence?.words ?? "" },
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
      .text("WHEN") { session.dates.relative($0.moment, at: now, settings) },
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
    case .today: .green
    case .elapsed, .done: .dim
    case .over: .boldRed
    }
  }
}

/// The options by which an event is described, in `event add` and `event edit`.
enum EventOptions {
  static let on = Parameter.option(
    "on", value: "WHEN", .text, formerly: "o", "A date, for an all-day event, or a date and time")
  static let color = Parameter.option(
    "text-color", value: "COLOR", .text, "The title's color: a name such as red, or #rrggbb")
  static let notes = Parameter.option("notes", value: "TEXT", .text, "Notes on the event")
  static let image = Parameter.option(
    "image", value: "FILE", .path, "Store an image with the event")
  static let recurrence = Parameter.option(
    "repeat", value: "RULE", .text,
    "Repeat the event: daily, yearly, '2 weeks', weekdays, 'last friday of the month'")
  static let alert = Parameter.options(
    "alert", value: "ALERT", .text, "Alert you: '1 week before', 'on the day at 09:00'")
  static let deadline = Parameter.flag(
    "deadline", "Make the event a deadline, which `event done` marks as done")

  static func moment(
    _ text: String, _ session: Session
  ) throws -> (moment: Moment, zone: String, when: When) {
    let when = try session.dates.read(text, option: "--on")
    if let date = when.date { return (.day(date), "", when) }
    let zone = when.zone == session.zone ? session.localZone.label : when.zone.identifier
    return (.instant(when.instant), zone, when)
  }

  static func color(_ text: String) throws -> EventColor {
    guard let color = EventColor(text) else {
      throw Fault.usage("invalid color '\(text)'", hint: "use \(EventColor.accepted)")
    }
    return color
  }

  static func recurrence(_ text: String) throws -> Recurrence {
    guard let recurrence = Recurrence(words: text) else {
      let near = Recurrence.near(text) { Recurrence(words: $0) != nil }
      throw Fault.usage(
        "invalid repetition '\(text.shortened)'",
        hint: repetitionHint(
          near, such: "use weekly, '2 weeks', 'every monday' or 'last friday of the month'"))
    }
    return recurrence
  }

  /// The way out for a rule that is not understood.
  ///
  /// - Parameters:
  ///   - near: the text that was likely meant.
  ///   - examples: some that are understood.
  static func repetitionHint(_ near: String?, such examples: String) -> String {
    (near.map { "did you mean '\($0)'? " } ?? "\(examples); ")
      + "list all forms: capsule help repeat"
  }

  static func alerts(_ texts: [String]) throws -> [EventAlert] {
    var alerts: [EventAlert] = []
    for text in texts {
      guard let alert = EventAlert(text) else {
        throw Fault.usage(
          "invalid alert '\(text)'",
          hint: text == "none"
            ? "remove alerts: capsule event edit REF --no-alert" : "use \(EventAlert.accepted)")
      }
      alerts.append(alert)
    }
    return alerts
  }

  /// Refuses what cannot be kept together.
  static func check(_ event: Event) throws {
    try event.checkRules()
  }
}
