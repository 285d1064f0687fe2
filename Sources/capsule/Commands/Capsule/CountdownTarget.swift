import CapsuleCore

/// Something that is counted down to, whatever its kind.
struct CountdownTarget {
  let kind: RecordKind
  let id: RecordID
  /// What is counted to; for what is repeated the next time, or today's.
  let moment: Moment
  private let title: StyledText
  private let isDeadline: Bool
  private let isDone: Bool
  /// The object of it at a time.
  let members: (Instant) -> JSONObject

  init(_ record: StoredRecord<Capsule>, _ session: Session) {
    let summary = record.model.summary
    let problem: IndexProblem = record.integrity == nil ? .none : .altered
    kind = .capsule
    id = summary.id
    moment = .instant(summary.unlockAt)
    title = StyledText(summary.title, .bold)
    isDeadline = false
    isDone = false
    members = { CapsuleView(summary, problem: problem, in: session, at: $0).members }
  }

  init(
    _ record: StoredRecord<Event>, _ session: Session, _ settings: StoreSettings, at now: Instant
  ) {
    let summary = record.model.summary
    let problem: IndexProblem = record.integrity == nil ? .none : .altered
    let calendar = session.eventCalendar(settings)
    kind = .event
    id = summary.id
    moment = summary.timing.current(at: now, calendar)
    title = StyledText(summary.title, summary.color.titleStyle)
    isDeadline = summary.timing.isDeadline
    isDone = summary.timing.doneAt != nil
    members = { EventView(summary, calendar, problem: problem, in: session, at: $0).members }
  }

  /// The line for people.
  func line(at now: Instant, style: SpanStyle, in zone: ZoneRules) -> StyledText {
    let span: String
    switch moment {
    case .instant(let instant):
      span = RelativeText.text(instant, from: now, in: zone, style: style)
    case .day(let date):
      span = RelativeText.text(date, from: zone.civil(at: now).date, style: style)
    }
    if isDone { return "\(title)  \("done", .green), \(span)" }
    if moment.end(in: zone) <= now {
      return isDeadline ? "\(title)  \("over", .boldRed), \(span)" : "\(title)  \(span, .green)"
    }
    let isNow = moment.start(in: zone) <= now
    return "\(title)  \(span, isNow ? .green : .yellow)"
  }

  /// The targets that words mean, of capsules and events.
  static func find(
    _ references: [String], _ session: Session, at now: Instant
  ) throws -> [CountdownTarget] {
    let kinds: [RecordKind] = [.capsule, .event]
    let store = try session.requiredStore(for: references.first ?? "", among: kinds)
    var targets: [CountdownTarget] = []
    for reference in references {
      let found = try session.find(reference, among: kinds, in: store)
      targets.append(try target(found.kind, found.id, store, session, at: now))
    }
    return targets
  }

  /// What comes next; none where nothing does.
  static func next(_ session: Session, at now: Instant) throws -> [CountdownTarget] {
    guard let store = try session.existingStore() else { return [] }
    let timeline = Timeline(session.timelineContext(store), kinds: [.capsule, .event])
    // The index may be late by an edit in place: what it says is looked at.
    for occurrence in timeline.occurrences(
      in: TimelineSpan(from: now.adding(seconds: 1), limit: 8))
    {
      guard let target = try? target(occurrence.kind, occurrence.id, store, session, at: now)
      else { continue }
      return [target]
    }
    return []
  }

  private static func target(
    _ kind: RecordKind, _ id: RecordID, _ store: Store, _ session: Session, at now: Instant
  ) throws -> CountdownTarget {
    if kind == .event {
      return CountdownTarget(
        try store.read(Event.self, id), session, session.storeSettings(store), at: now)
    }
    return CountdownTarget(try store.read(Capsule.self, id), session)
  }
}
