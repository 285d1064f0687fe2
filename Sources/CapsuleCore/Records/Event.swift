/// An event: a dated thing to count down to, and up from.
public struct Event: Hashable, Identifiable, Sendable {
  package var header = RecordHeader()
  public var title = ""
  public var notes = ""
  /// A date, which is the same in every zone, or an instant: the first of its occurrences.
  package var moment = Moment.instant(.epoch)
  /// The IANA zone that an instant was given in; empty for a date.
  public var zone = ""
  public var color: EventColor?
  public var image: Attachment?
  package var recurrence: Recurrence?
  /// Members of the rule that this version does not know; they go where the rule goes.
  private var unknownOfRepeat: JSONObject = [:]
  package var alerts: [EventAlert] = []
  /// Whether it can be met or missed.
  public var isDeadline = false
  /// When a deadline was met.
  public var doneAt: Instant?
  package private(set) var unknown: JSONObject = [:]

  public var id: RecordID { header.id }
  public var createdAt: Instant { header.createdAt }
  public var updatedAt: Instant { header.updatedAt }
  /// How often the record was written: 1 when new.
  public var revision: Int64 { header.revision }

  /// The facts that its occurrences and announcements follow from.
  package var timing: EventTiming {
    EventTiming(
      moment: moment, zone: moment.isAllDay ? "" : zone.isEmpty ? "UTC" : zone,
      recurrence: recurrence, alerts: alerts, isDeadline: isDeadline, createdAt: createdAt,
      doneAt: doneAt)
  }
}

extension Event {
  package init(header: RecordHeader, title: String, moment: Moment, zone: String) {
    self.init()
    self.header = header
    self.title = title
    self.moment = moment
    self.zone = moment.isAllDay ? "" : zone
  }
}

extension Event: RecordModel {
  package static var kind: RecordKind { .event }
  package static var blank: Event { Event() }

  package mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try header.code(with: &coder)
    try coder.field("title", &title)
    try coder.optional("notes", &notes)
    try moment.code(with: &coder)
    var zone = zone.isEmpty ? nil : zone
    try coder.optional("zone", &zone)
    self.zone = moment.isAllDay ? "" : zone ?? "UTC"
    try coder.optional("color", &color)
    try coder.optional("image", &image)
    var rule = recurrence.map { EventRepeat(recurrence: $0, unknown: unknownOfRepeat) }
    try coder.optional("repeat", &rule)
    recurrence = rule?.recurrence
    unknownOfRepeat = rule?.unknown ?? [:]
    try coder.optional("alerts", &alerts)
    try coder.optional("deadline", &isDeadline)
    try coder.optional("doneAt", &doneAt)
    coder.rest(&unknown)
    try coder.limit("title", title, to: Capsule.titleLimit)
  }

  package func checkRules() throws(RecordFault) {
    try RecordFault.check(name: title, .title, of: .event)
    if case .instant(let instant) = moment { try RecordFault.check(instant, .at) }
    if isDeadline, recurrence != nil { throw .repeatedDeadline }
    guard alerts.count <= EventAlert.countLimit else {
      throw .tooManyAlerts(alerts.count, limit: EventAlert.countLimit)
    }
  }

  package var blobs: [BlobName] {
    [image?.blob].compactMap { $0 }
  }
}

extension Moment {
  /// Names the two fields of which one holds it.
  fileprivate mutating func code<Coder: FieldCoder>(
    with coder: inout Coder
  ) throws(Coder.Failure) {
    var date: CivilDate?
    var instant: Instant?
    switch self {
    case .day(let day): date = day
    case .instant(let time): instant = time
    }
    try coder.optional("date", &date)
    try coder.optional("at", &instant)
    switch (date, instant) {
    case (let date?, nil): self = .day(date)
    case (nil, let instant?): self = .instant(instant)
    case (nil, nil): try coder.refuse("at", .missing)
    case (_?, _?): try coder.refuse("at", .invalid("both a date and an instant"))
    }
  }
}

/// An event's repetition, as its record keeps it.
package struct EventRepeat: RecordPart {
  private var count = 1
  private var unit = DurationUnit.year
  private(set) var unknown: JSONObject = [:]

  package static var blank: EventRepeat { EventRepeat() }

  var recurrence: Recurrence? { Recurrence(every: count, unit) }

  package mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.field("every", &count)
    try coder.field("unit", &unit)
    coder.rest(&unknown)
    guard Recurrence.units.contains(unit) else {
      return try coder.refuse("unit", .invalid(unit.name))
    }
    guard recurrence != nil else { return try coder.refuse("every", .invalid(String(count))) }
  }
}

extension EventRepeat {
  package init(recurrence: Recurrence, unknown: JSONObject = [:]) {
    self.init()
    count = recurrence.count
    unit = recurrence.unit
    self.unknown = unknown
  }
}
