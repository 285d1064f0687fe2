/// An event: a dated thing to count down to, and up from.
public struct Event: Hashable, Identifiable, Sendable {
  package var header: RecordHeader
  public var title: String
  public var notes: String
  /// A date, which is the same in every zone, or an instant: the first of its occurrences.
  package var moment: Moment
  /// The IANA zone that an instant was given in; empty for a date.
  public var zone: String
  public var color: EventColor?
  public var image: Attachment?
  package var recurrence: Recurrence?
  /// Members of the rule that this version does not know; they go where the rule goes.
  private let unknownOfRepeat: JSONObject
  package var alerts: [EventAlert]
  /// Whether it can be met or missed.
  public var isDeadline: Bool
  /// When a deadline was met.
  public var doneAt: Instant?
  package let unknown: JSONObject

  public var id: RecordID { header.id }
  public var createdAt: Instant { header.createdAt }
  public var updatedAt: Instant { header.updatedAt }
  /// How often the record was written: 1 when new.
  public var revision: Int64 { header.revision }

  package init(header: RecordHeader, title: String, moment: Moment, zone: String) {
    self.header = header
    self.title = title
    self.moment = moment
    self.zone = moment.isAllDay ? "" : zone
    notes = ""
    alerts = []
    isDeadline = false
    unknownOfRepeat = [:]
    unknown = [:]
  }

  /// What its occurrences and announcements follow from.
  package var timing: EventTiming {
    EventTiming(
      moment: moment, zone: zone, recurrence: recurrence, alerts: alerts,
      isDeadline: isDeadline, createdAt: createdAt, doneAt: doneAt)
  }
}

extension Event: RecordModel {
  package static var kind: RecordKind { .event }

  package init(reading reader: inout FieldReader) throws(FieldError) {
    header = try RecordHeader(reading: &reader)
    title = try reader.string("title")
    notes = try reader.optionalString("notes") ?? ""
    let date = try reader.optionalDate("date")
    let instant = try reader.optionalInstant("at")
    switch (date, instant) {
    case (let date?, nil): moment = .day(date)
    case (nil, let instant?): moment = .instant(instant)
    case (nil, nil): throw reader.error("at", .missing)
    case (_?, _?): throw reader.error("at", .invalid("both a date and an instant"))
    }
    let zone = try reader.optionalString("zone")
    self.zone = date == nil ? zone ?? "UTC" : ""
    color = try reader.optionalText("color", as: EventColor.init)
    image = try reader.optionalModel("image", as: Attachment.self)
    let rule = try reader.optionalModel("repeat", as: EventRepeat.self)
    recurrence = rule?.recurrence
    unknownOfRepeat = rule?.unknown ?? [:]
    var alerts: [EventAlert] = []
    for (position, text) in (try reader.optionalStrings("alerts") ?? []).enumerated() {
      guard let alert = EventAlert(text) else {
        throw reader.error("alerts[\(position)]", .invalid(text))
      }
      alerts.append(alert)
    }
    self.alerts = alerts
    isDeadline = try reader.optionalBool("deadline") ?? false
    doneAt = try reader.optionalInstant("doneAt")
    unknown = reader.rest
    guard title.utf8.count <= Capsule.titleLimit else {
      throw reader.error("title", .invalid("over \(Capsule.titleLimit) bytes"))
    }
  }

  package var fields: JSONObject {
    var fields = unknown
    header.write(into: &fields)
    fields["title"] = .string(title)
    fields["notes"] = .string(notes)
    fields["date"] = .null
    fields["at"] = .null
    switch moment {
    case .day(let date): fields["date"] = .string(date.description)
    case .instant(let instant): fields["at"] = .instant(instant)
    }
    fields["zone"] = zone.isEmpty ? .null : .string(zone)
    fields["color"] = color.map { .string($0.description) } ?? .null
    fields["image"] = image.map { .object($0.fields) } ?? .null
    fields["repeat"] =
      recurrence.map { rule in
        .object(EventRepeat(recurrence: rule, unknown: unknownOfRepeat).fields)
      } ?? .null
    fields["alerts"] = .array(alerts.map { .string($0.description) })
    fields["deadline"] = .bool(isDeadline)
    fields["doneAt"] = doneAt.map { .instant($0) } ?? .null
    return fields
  }

  package var blobs: [BlobName] {
    [image?.blob].compactMap { $0 }
  }
}

/// How an event's record keeps its repetition.
package struct EventRepeat: RecordPart {
  let recurrence: Recurrence
  let unknown: JSONObject

  package init(recurrence: Recurrence, unknown: JSONObject = [:]) {
    self.recurrence = recurrence
    self.unknown = unknown
  }

  package init(reading reader: inout FieldReader) throws(FieldError) {
    let count = try reader.integer("every")
    let text = try reader.string("unit")
    guard let unit = Recurrence.units.first(where: { $0.name == text }) else {
      throw reader.error("unit", .invalid(text))
    }
    guard let recurrence = Recurrence(every: Int(clamping: count), unit) else {
      throw reader.error("every", .invalid(String(count)))
    }
    self.recurrence = recurrence
    unknown = reader.rest
  }

  package var fields: JSONObject {
    var fields = unknown
    fields["every"] = .integer(Int64(recurrence.count))
    fields["unit"] = .string(recurrence.unit.name)
    return fields
  }
}

extension FieldReader {
  /// Takes a date, `YYYY-MM-DD`, or none.
  package mutating func optionalDate(_ key: String) throws(FieldError) -> CivilDate? {
    try optionalText(key) { CivilDate(iso8601: $0) }
  }

  /// Takes a text that stands for a value, or none.
  package mutating func optionalText<Value>(
    _ key: String, as make: (String) -> Value?
  ) throws(FieldError) -> Value? {
    guard let text = try optionalString(key) else { return nil }
    guard let value = make(text) else { throw error(key, .invalid(text)) }
    return value
  }
}
