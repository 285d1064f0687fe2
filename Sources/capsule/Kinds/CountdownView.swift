import CapsuleCore

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
      throw Failure(
        .notFound,
        "\(found.kind.word) '\(found.title)' has no \(isItem ? "reminder" : "date to come")",
        hint: isItem
          ? "'capsule item remind \(found.title.shellWord) --every monthly' gives it one"
          : "'capsule bequest show \(found.id)' says when it can be handed over")
    }
    self.init(countdown, session)
  }

  private var title: StyledText {
    switch countdown.subject {
    case .capsule(let summary): StyledText(summary.title, .bold)
    case .event(let summary): StyledText(summary.title, summary.color.titleStyle)
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
