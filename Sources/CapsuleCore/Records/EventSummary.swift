/// What a list shows of an event, without its record being read.
package struct EventSummary: Hashable, Identifiable, Sendable {
  package let id: RecordID
  package let title: String
  package let timing: EventTiming
  package let updatedAt: Instant
  package let color: EventColor?
  package let hasImage: Bool
  /// The notes' first part, at most ``CapsuleSummary/notesLimit`` bytes.
  package let notes: String
  /// Whether `notes` is all there is.
  package let hasAllNotes: Bool

  /// A summary of a record that cannot be read: only its id is known.
  package init(unreadable id: RecordID) {
    let never = Instant(seconds: 0)
    self.id = id
    title = ""
    timing = EventTiming(
      moment: .instant(never), zone: "UTC", recurrence: nil, alerts: [], isDeadline: false,
      createdAt: never, doneAt: nil)
    updatedAt = never
    color = nil
    hasImage = false
    notes = ""
    hasAllNotes = true
  }
}

extension Event {
  /// What a list shows of it.
  package var summary: EventSummary { EventSummary(self) }

  package var indexLine: IndexLine {
    let key: Int64
    switch moment {
    case _ where recurrence != nil: key = EventSummary.repeatingKey
    case .day(let date): key = Int64(date.daysSinceEpoch) * 86_400
    case .instant(let instant): key = instant.seconds
    }
    return IndexLine(
      sortKey: key, due: timing.earliestDue, nameHash: NameKey(title).hash,
      summary: summary.encoded)
  }
}

extension EventSummary {
  /// The sort key of what repeats: when it comes next depends on now, so that an index cannot sort
  /// it; it stands behind all that does not.
  package static let repeatingKey: Int64 = 1 << 60
  /// By how many seconds the sort key of a whole day, its midnight in UTC, may differ from its
  /// beginning or end anywhere.
  package static let slack: Int64 = 2 * 86_400

  fileprivate init(_ event: Event) {
    var kept = event.notes
    while kept.utf8.count > CapsuleSummary.notesLimit {
      kept = String(kept.prefix(min(kept.count - 1, CapsuleSummary.notesLimit)))
    }
    id = event.id
    title = event.title
    timing = event.timing
    updatedAt = event.updatedAt
    color = event.color
    hasImage = event.image != nil
    notes = kept
    hasAllNotes = kept.utf8.count == event.notes.utf8.count
  }

  /// The form that the index keeps; the id stands beside it.
  package var encoded: [UInt8] {
    var writer = SummaryWriter()
    writer.text(title)
    timing.write(to: &writer)
    writer.integer(updatedAt.seconds)
    writer.text(color?.description ?? "")
    writer.unsigned(hasImage ? 1 : 0)
    writer.unsigned(hasAllNotes ? 1 : 0)
    writer.text(notes)
    return writer.bytes
  }

  /// Reads the form that the index keeps; `nil` when it is another version's.
  package init?(id: RecordID, encoded: [UInt8]) {
    var reader = SummaryReader(encoded)
    guard let title = reader.text(), let timing = EventTiming(from: &reader),
      let updatedAt = reader.integer(), let color = reader.text(),
      let hasImage = reader.unsigned(), let hasAllNotes = reader.unsigned(),
      let notes = reader.text(), reader.isAtEnd
    else { return nil }
    self.id = id
    self.title = title
    self.timing = timing
    self.updatedAt = Instant(seconds: updatedAt)
    self.color = color.isEmpty ? nil : EventColor(color)
    self.hasImage = hasImage == 1
    self.notes = notes
    self.hasAllNotes = hasAllNotes == 1
  }
}

extension EventTiming {
  /// Reads the timing alone of what the index keeps.
  package init?(encoded: [UInt8]) {
    var reader = SummaryReader(encoded)
    guard reader.skipText() else { return nil }
    self.init(from: &reader)
  }

  fileprivate func write(to writer: inout SummaryWriter) {
    switch moment {
    case .day(let date): writer.integer(Int64(date.daysSinceEpoch))
    case .instant(let instant): writer.integer(instant.seconds)
    }
    // An instant always has a zone.
    writer.text(zone)
    writer.unsigned(recurrence.map { UInt64($0.count) } ?? 0)
    writer.unsigned(UInt64(recurrence?.unit.rawValue ?? 0))
    writer.unsigned(UInt64(alerts.count))
    for alert in alerts {
      for unit in DurationUnit.allCases { writer.unsigned(UInt64(max(0, alert.before[unit]))) }
      writer.unsigned(alert.time.map { UInt64($0.secondsSinceMidnight) + 1 } ?? 0)
    }
    writer.unsigned(isDeadline ? 1 : 0)
    writer.integer(createdAt.seconds)
    writer.optionalInteger(doneAt?.seconds)
  }

  fileprivate init?(from reader: inout SummaryReader) {
    guard let when = reader.integer(), let zone = reader.text(), let count = reader.unsigned(),
      let unit = reader.unsigned().flatMap({ DurationUnit(rawValue: Int(clamping: $0)) }),
      let alerts = Self.alerts(from: &reader), let isDeadline = reader.unsigned(),
      let createdAt = reader.integer(), let doneAt = reader.optionalInteger(),
      when.magnitude < 1 << 40
    else { return nil }
    self.init(
      moment: zone.isEmpty
        ? .day(CivilDate(daysSinceEpoch: Int(when))) : .instant(Instant(seconds: when)),
      zone: zone, recurrence: Recurrence(every: Int(clamping: count), unit),
      alerts: alerts, isDeadline: isDeadline == 1,
      createdAt: Instant(seconds: createdAt), doneAt: doneAt.map { Instant(seconds: $0) })
  }

  private static func alerts(from reader: inout SummaryReader) -> [EventAlert]? {
    guard let count = reader.unsigned(), count <= 1000 else { return nil }
    var alerts: [EventAlert] = []
    for _ in 0..<count {
      var before = CalendarDuration()
      for unit in DurationUnit.allCases {
        guard let value = reader.unsigned() else { return nil }
        before[unit] = Int(clamping: value)
      }
      guard let seconds = reader.unsigned() else { return nil }
      let second = Int(clamping: seconds) - 1
      let time =
        second < 0
        ? nil : CivilTime(hour: second / 3600, minute: second / 60 % 60, second: second % 60)
      guard let alert = EventAlert(before: before, at: time) else { return nil }
      alerts.append(alert)
    }
    return alerts
  }
}
