import CapsuleCore

/// An occurrence as JSON and in the words that lists use.
struct OccurrenceView {
  let occurrence: Occurrence
  private let session: Session
  private let now: Instant

  init(_ occurrence: Occurrence, _ session: Session, at now: Instant) {
    self.occurrence = occurrence
    self.session = session
    self.now = now
  }

  /// The local date on which it begins.
  var date: CivilDate { occurrence.moment.date(in: session.zone) }

  /// The local time; empty for a whole day.
  var time: String {
    guard case .instant(let instant) = occurrence.moment else { return "" }
    return session.zone.civil(at: instant).time.shortText
  }

  /// Returns how far it is from now: `in 2 days`; of what should have been done before `overdue, 3
  /// days ago`, on its day `due, 2 hours ago`.
  func relative(_ settings: StoreSettings) -> StyledText {
    if let end, isOngoing {
      return StyledText("ends \(session.dates.relative(end, at: now, settings))", .green)
    }
    return words(session.dates.relative(occurrence.moment, at: now, settings))
  }

  /// Whether it has begun and is not over, of what takes some time.
  var isOngoing: Bool { state == .begun && occurrence.end.map { now < $0 } ?? false }

  /// The last day, or the end, of what takes some time.
  private var end: Moment? {
    occurrence.lastDay.map { .day($0) } ?? occurrence.end.map { .instant($0) }
  }

  /// The last local date that it is on: what ends at midnight is not on the day that begins then.
  var lastDate: CivilDate {
    let end = occurrence.end.map { session.zone.civil(at: $0.adding(seconds: -1)).date }
    return max(occurrence.lastDay ?? end ?? date, date)
  }

  /// Returns words for its time, behind `overdue` or `due` where it is that.
  func words(_ words: String) -> StyledText {
    switch state {
    case .overdue: StyledText("overdue, \(words)", .boldRed)
    case .due: StyledText("due, \(words)", .yellow)
    case .begun, .ahead: StyledText(words, .yellow)
    }
  }

  var state: Occurrence.State { occurrence.state(at: now, in: session.zone) }

  /// The way in which the date matters, and more about it: `event, yearly, 9 years`.
  var what: String {
    let (happening, facts) = (occurrence.happening.rawValue, facts)
    return facts.isEmpty ? happening : "\(happening), \(facts)"
  }

  private var facts: String {
    let missed = occurrence.missed.map { $0 > 1 ? "missed \($0) times" : "missed" }
    let years = occurrence.years.map { DurationUnit.year.text($0) }
    return [missed, occurrence.detail, years].compactMap(\.self).filter { !$0.isEmpty }
      .joined(separator: ", ")
  }

  /// Returns more about it, and how long it has been where it is due.
  func details(_ settings: StoreSettings, _ style: Style = .plain) -> StyledText {
    let known = StyledText(facts, style)
    let state = state
    guard state == .overdue || state == .due else { return known }
    return known.isEmpty ? relative(settings) : "\(known)\(", ", style)\(relative(settings))"
  }

  var title: StyledText { StyledText(occurrence.title, occurrence.color.titleStyle) }

  private var detail: String? {
    guard occurrence.isOverdue else { return occurrence.detail }
    return occurrence.detail.map { "\($0), overdue" } ?? "overdue"
  }

  /// The members of the object, for all commands that print an occurrence.
  var members: JSONObject {
    let today = session.zone.civil(at: now).date
    var members: JSONObject = [
      "id": occurrence.id.json,
      "kind": occurrence.kind.rawValue.json,
      "title": occurrence.title.json,
      "what": occurrence.happening.rawValue.json,
      "allDay": occurrence.moment.isAllDay.json,
      "endDate": (occurrence.lastDay?.description).json,
      "missed": occurrence.missed.json,
      "occurrence": (occurrence.key?.description).json,
      "ongoing": isOngoing.json,
      "wasAt": (occurrence.isMoved ? occurrence.key?.description : nil).json,
      "day": date.description.json,
      "detail": detail.json,
      "overdue": occurrence.isOverdue.json,
      "years": occurrence.years.json,
      "color": occurrence.color.json,
      "colorRGB": (occurrence.color?.hex).json,
      "daysUntil": date.days(since: today).json,
      "zone": session.localZone.label.json,
    ]
    EventView.add(
      occurrence.moment, dateAs: "date", instantAs: "at", InstantFields(zone: session.zone),
      to: &members)
    let instants = InstantFields(zone: session.zone)
    instants.add(occurrence.moment.isAllDay ? nil : occurrence.end, as: "end", to: &members)
    if case .instant(let instant) = occurrence.moment {
      members["secondsUntil"] = instant.seconds(since: now).json
    } else {
      members["secondsUntil"] = .null
    }
    return members
  }
}

/// A countdown as a line for people and as the members of JSON.
struct CountdownView {
  let countdown: Countdown
  private let session: Session

  init(_ countdown: Countdown, _ session: Session) {
    self.countdown = countdown
    self.session = session
  }

  /// Reads a record that is to be counted down to.
  init(
    to found: FoundRecord, in context: TimelineContext, _ session: Session, at now: Instant
  ) throws {
    guard let countdown = try Countdown(found.kind, found.id, in: context, at: now) else {
      let isItem = found.kind == .item
      throw Fault(
        .notFound,
        "\(found.kind.word) '\(found.title)' has no \(isItem ? "reminder" : "future date")",
        hint: isItem
          ? "add a reminder: capsule item remind \(found.title.shellWord) --every monthly"
          : "show the bequest: capsule bequest show \(found.id)")
    }
    self.init(countdown, session)
  }

  private var title: StyledText {
    switch countdown.subject {
    case .capsule(let summary): StyledText(summary.record.title, .bold)
    case .event(let summary): StyledText(summary.record.title, summary.record.color.titleStyle)
    case .other(let occurrence): StyledText(occurrence.title, .bold)
    }
  }

  /// Returns the line at a time, the title cut where the terminal has too few columns for both.
  func line(at now: Instant, style: SpanStyle, width: Int?) -> StyledText {
    let (span, title) = row(at: now, style: style)
    return title.followed(by: span, width: width)
  }

  /// Returns the parts of its row in a list: the time, and the title.
  func row(at now: Instant, style: SpanStyle) -> (span: StyledText, title: StyledText) {
    let span = RelativeText.text(countdown.moment, from: now, in: session.zone, style: style)
    if countdown.occurrence(at: now)?.isOverdue == true {
      return ("\("overdue", .boldRed), \(span)", title)
    }
    let time: StyledText =
      switch countdown.state(at: now) {
      case .done: "done, \(span, .green)"
      case .over: "\("over", .boldRed), \(span)"
      case .ongoing:
        countdown.end.map { end in
          "on, ends \(RelativeText.text(.instant(end), from: now, in: session.zone, style: style), .green)"
        } ?? StyledText(span, .green)
      case .elapsed, .today: StyledText(span, .green)
      case .upcoming: StyledText(span, .yellow)
      }
    return (time, title)
  }

  /// Returns the members of the object at a time.
  func members(at now: Instant) -> JSONObject {
    switch countdown.subject {
    case .capsule(let summary):
      CapsuleView(summary, problem: countdown.problem, in: session, at: now).members
    case .event(let summary):
      EventView(summary, countdown.calendar, problem: countdown.problem, in: session, at: now)
        .members
    case .other(let occurrence):
      OccurrenceView(countdown.occurrence(at: now) ?? occurrence, session, at: now).members
    }
  }
}
