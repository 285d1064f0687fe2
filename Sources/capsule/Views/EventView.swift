import CapsuleCore

/// What is seen of an event in lists and wherever one is told: as JSON and as text.
struct EventView {
  let summary: EventSummary
  /// The occurrence that matters now: the next one, or today's.
  let moment: Moment
  let state: EventState
  /// What is wrong with its record.
  let problem: IndexProblem
  private let session: Session
  private let now: Instant

  init(
    _ summary: EventSummary, _ calendar: EventCalendar, problem: IndexProblem = .none,
    in session: Session, at now: Instant? = nil
  ) {
    let now = now ?? session.now
    self.summary = summary
    self.problem = problem
    self.session = session
    self.now = now
    moment = summary.timing.current(at: now, calendar)
    state = summary.timing.state(of: moment, at: now, calendar)
  }

  /// The members of the object, for all commands that tell of an event.
  var members: JSONObject {
    let instants = InstantFields(zone: session.zone)
    let timing = summary.timing
    var members: JSONObject = [
      "id": .string(summary.id.description),
      "kind": "event",
      "title": .string(summary.title),
      "state": .string(state.rawValue),
      "allDay": .bool(timing.moment.isAllDay),
      "eventZone": timing.zone.isEmpty ? .null : .string(timing.zone),
      "color": summary.color.map { .string($0.description) } ?? .null,
      "colorRGB": summary.color.map { .string($0.hex) } ?? .null,
      "repeat": timing.recurrence.map { .string($0.words) } ?? .null,
      "alerts": .array(timing.alerts.map { .string($0.description) }),
      "deadline": .bool(timing.isDeadline),
      "hasImage": .bool(summary.hasImage),
      "zone": .string(session.localZone.label),
      "problem": problem == .none ? .null : .string(problem.words),
    ]
    Self.add(timing.moment, dateAs: "date", instantAs: "at", instants, to: &members)
    Self.add(moment, dateAs: "nextDate", instantAs: "nextAt", instants, to: &members)
    let today = session.zone.civil(at: now).date
    members["daysUntil"] = .integer(Int64(moment.date(in: session.zone).days(since: today)))
    if case .instant(let instant) = moment {
      members["secondsUntil"] = .integer(instant.seconds(since: now))
    } else {
      members["secondsUntil"] = .null
    }
    instants.add(timing.doneAt, as: "doneAt", to: &members)
    instants.add(timing.createdAt, as: "createdAt", to: &members)
    instants.add(summary.updatedAt, as: "updatedAt", to: &members)
    return members
  }

  /// Adds a date or an instant; the other is `null`.
  static func add(
    _ moment: Moment, dateAs date: String, instantAs instant: String, _ instants: InstantFields,
    to members: inout JSONObject
  ) {
    switch moment {
    case .day(let day):
      members[date] = .string(day.description)
      instants.add(nil, as: instant, to: &members)
    case .instant(let time):
      members[date] = .null
      instants.add(time, as: instant, to: &members)
    }
  }

  /// The state as lists show it.
  var stateText: StyledText {
    if problem != .none { return StyledText("damaged", .boldRed) }
    return StyledText(state.rawValue, state.style)
  }

  /// The title in its colour.
  var titleText: StyledText { StyledText(summary.title, summary.color.titleStyle) }
}

extension EventColor? {
  /// How a title of this colour looks.
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
