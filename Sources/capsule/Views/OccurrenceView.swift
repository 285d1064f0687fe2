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

  var title: StyledText { StyledText(occurrence.title, occurrence.color.titleStyle) }

  /// The members of the object, for all commands that print an occurrence.
  var members: JSONObject {
    let today = session.zone.civil(at: now).date
    var members: JSONObject = [
      "id": .string(occurrence.id.description),
      "kind": .string(occurrence.kind.rawValue),
      "title": .string(occurrence.title),
      "what": .string(occurrence.happening.rawValue),
      "allDay": .bool(occurrence.moment.isAllDay),
      "day": .string(date.description),
      "detail": occurrence.detail.map { .string($0) } ?? .null,
      "color": occurrence.color.map { .string($0.description) } ?? .null,
      "colorRGB": occurrence.color.map { .string($0.hex) } ?? .null,
      "daysUntil": .integer(Int64(date.days(since: today))),
      "zone": .string(session.localZone.label),
    ]
    EventView.add(
      occurrence.moment, dateAs: "date", instantAs: "at", InstantFields(zone: session.zone),
      to: &members)
    if case .instant(let instant) = occurrence.moment {
      members["secondsUntil"] = .integer(instant.seconds(since: now))
    } else {
      members["secondsUntil"] = .null
    }
    return members
  }
}
