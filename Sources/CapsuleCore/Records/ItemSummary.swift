/// What a list shows of an item, without its record being read.
package struct ItemSummary: Hashable, Identifiable, Sendable {
  package let id: RecordID
  package let name: String
  package let figures: HistoryFigures
  package let reminder: Reminder?
  package let createdAt: Instant
  package let updatedAt: Instant
  package let category: String
  package let location: String
  package let value: Money?
  package let replacementValue: Money?
  package let quantity: Int64
  package let tags: [String]
  package let mediaCount: Int64
  package let lastNotes: String
  /// The description's first part, at most ``CapsuleSummary/notesLimit`` bytes.
  package let description: String
  /// Whether `description` is all there is.
  package let hasAllDescription: Bool

  /// A summary of a record that cannot be read: only its id is known.
  package init(unreadable id: RecordID) {
    self.init(Item(header: RecordHeader(id: id, createdAt: Instant(seconds: 0)), name: ""))
  }

  fileprivate init(_ item: Item) {
    id = item.id
    name = item.name
    figures = HistoryFigures(item.history)
    reminder = item.reminder
    createdAt = item.createdAt
    updatedAt = item.updatedAt
    category = item.category
    location = item.location
    value = item.value
    replacementValue = item.replacementValue
    quantity = item.quantity
    tags = item.tags
    mediaCount = Int64(item.media.count)
    lastNotes = item.history.last?.notes.beginning ?? ""
    description = item.description.beginning
    hasAllDescription = description.utf8.count == item.description.utf8.count
  }

  /// When the reminder is to be done; `nil` where it is off, or there is none.
  package func due(in zone: ZoneRules) -> Instant? {
    guard let reminder, reminder.isOn else { return nil }
    return reminder.due(last: figures.last, in: zone)
  }
}

extension Item {
  /// What a list shows of it.
  package var summary: ItemSummary { ItemSummary(self) }

  package var indexLine: IndexLine {
    IndexLine(
      sortKey: createdAt.seconds, due: reminder?.earliestDue(last: history.last?.at),
      nameHash: NameKey(name).hash, summary: summary.encoded)
  }
}

extension String {
  /// The first part, at most ``CapsuleSummary/notesLimit`` bytes.
  var beginning: String {
    let limit = CapsuleSummary.notesLimit
    guard utf8.count > limit else { return self }
    var end = startIndex
    var size = 0
    while end < endIndex {
      let next = index(after: end)
      size += self[end..<next].utf8.count
      if size > limit { break }
      end = next
    }
    return String(self[..<end])
  }
}

extension ItemSummary {
  /// The form that the index keeps; the id stands beside it.
  package var encoded: [UInt8] {
    var writer = SummaryWriter()
    writer.text(name)
    writer.unsigned(UInt64(figures.count))
    writer.optionalInteger(figures.first?.seconds)
    writer.optionalInteger(figures.last?.seconds)
    writer.optionalInteger(figures.longest)
    writer.text(figures.lastValue?.description ?? "")
    writer.unsigned(UInt64(reminder?.count ?? 0))
    if let reminder {
      writer.unsigned(UInt64(reminder.unit.rawValue))
      writer.text(reminder.name)
      writer.optionalInteger(reminder.from?.seconds)
      writer.optionalInteger(reminder.time.map { Int64($0.secondsSinceMidnight) })
      writer.unsigned(reminder.isOn ? 1 : 0)
      writer.integer(reminder.since.seconds)
    }
    writer.integer(createdAt.seconds)
    writer.integer(updatedAt.seconds)
    writer.text(category)
    writer.text(location)
    for money in [value, replacementValue] {
      writer.text(money?.currency.code ?? "")
      writer.integer(money?.minorUnits ?? 0)
    }
    writer.integer(quantity)
    writer.texts(tags)
    writer.integer(mediaCount)
    writer.text(lastNotes)
    writer.unsigned(hasAllDescription ? 1 : 0)
    writer.text(description)
    return writer.bytes
  }

  /// Reads the form that the index keeps; `nil` when it is another version's.
  package init?(id: RecordID, encoded: [UInt8]) {
    var reader = SummaryReader(encoded)
    guard let name = reader.text(), let figures = HistoryFigures(from: &reader),
      let reminder = Self.reminder(&reader), let createdAt = reader.integer(),
      let updatedAt = reader.integer(),
      let category = reader.text(), let location = reader.text(),
      let value = Self.money(&reader), let replacementValue = Self.money(&reader),
      let quantity = reader.integer(), let tags = reader.texts(),
      let mediaCount = reader.integer(), let lastNotes = reader.text(),
      let hasAll = reader.unsigned(), let description = reader.text(), reader.isAtEnd
    else { return nil }
    self.id = id
    self.name = name
    self.figures = figures
    self.reminder = reminder
    self.createdAt = Instant(seconds: createdAt)
    self.updatedAt = Instant(seconds: updatedAt)
    self.category = category
    self.location = location
    self.value = value
    self.replacementValue = replacementValue
    self.quantity = quantity
    self.tags = tags
    self.mediaCount = mediaCount
    self.lastNotes = lastNotes
    self.description = description
    hasAllDescription = hasAll == 1
  }

  private static func reminder(_ reader: inout SummaryReader) -> Reminder?? {
    guard let every = reader.unsigned() else { return nil }
    guard every > 0 else { return .some(nil) }
    guard let unit = reader.unsigned().flatMap({ DurationUnit(rawValue: Int(clamping: $0)) }),
      let name = reader.text(), let from = reader.optionalInteger(),
      let time = reader.optionalInteger(), let isOn = reader.unsigned(),
      let since = reader.integer(),
      var reminder = Reminder(
        every: Int(clamping: every), unit, since: Instant(seconds: since))
    else { return nil }
    reminder.name = name
    reminder.from = from.map { Instant(seconds: $0) }
    reminder.time = time.flatMap { seconds in
      let second = Int(clamping: seconds)
      return CivilTime(hour: second / 3600, minute: second / 60 % 60, second: second % 60)
    }
    reminder.isOn = isOn == 1
    return .some(reminder)
  }

  private static func money(_ reader: inout SummaryReader) -> Money?? {
    guard let code = reader.text(), let units = reader.integer() else { return nil }
    if code.isEmpty { return .some(nil) }
    guard let currency = Currency(code) else { return nil }
    return .some(Money(minorUnits: units, currency))
  }
}

/// Parts of what the index keeps, read without the others being made: what thousands are sorted by.
extension ItemSummary {
  /// The last entry of the history, and the reminder.
  package static func timing(encoded: [UInt8]) -> (last: Instant?, reminder: Reminder?)? {
    var reader = SummaryReader(encoded)
    guard reader.skipText(), let last = Self.last(&reader),
      let reminder = Self.reminder(&reader)
    else {
      return nil
    }
    return (last, reminder)
  }

  /// The last entry of the history.
  package static func last(encoded: [UInt8]) -> Instant? {
    var reader = SummaryReader(encoded)
    guard reader.skipText(), let last = Self.last(&reader) else { return nil }
    return last
  }

  package static func category(encoded: [UInt8]) -> String? {
    var reader = SummaryReader(encoded)
    guard skipToCategory(&reader) else { return nil }
    return reader.text()
  }

  package static func value(encoded: [UInt8]) -> Money? {
    var reader = SummaryReader(encoded)
    guard skipToCategory(&reader), reader.skipText(), reader.skipText(),
      let value = Self.money(&reader)
    else { return nil }
    return value
  }

  /// Passes over the figures, but for the last entry.
  private static func last(_ reader: inout SummaryReader) -> Instant?? {
    guard reader.skipInteger(), reader.optionalInteger() != nil,
      let last = reader.optionalInteger(), reader.optionalInteger() != nil, reader.skipText()
    else { return nil }
    return .some(last.map { Instant(seconds: $0) })
  }

  private static func skipToCategory(_ reader: inout SummaryReader) -> Bool {
    guard reader.skipText(), last(&reader) != nil, let every = reader.unsigned() else {
      return false
    }
    if every > 0 {
      guard reader.skipInteger(), reader.skipText(), reader.optionalInteger() != nil,
        reader.optionalInteger() != nil, reader.skipInteger(), reader.skipInteger()
      else { return false }
    }
    return reader.skipInteger() && reader.skipInteger()
  }
}

extension HistoryFigures {
  fileprivate init?(from reader: inout SummaryReader) {
    guard let count = reader.unsigned(), let first = reader.optionalInteger(),
      let last = reader.optionalInteger(), let longest = reader.optionalInteger(),
      let lastValue = reader.text()
    else { return nil }
    self.init()
    self.count = Int64(clamping: count)
    self.first = first.map { Instant(seconds: $0) }
    self.last = last.map { Instant(seconds: $0) }
    self.longest = longest
    self.lastValue = ExactDecimal(lastValue)
  }
}
