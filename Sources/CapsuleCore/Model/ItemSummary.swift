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
    guard let name = reader.text(), let (figures, reminder) = Self.head(&reader),
      let createdAt = reader.integer(), let updatedAt = reader.integer(),
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

  /// Reads the history's figures and the reminder alone of what the index keeps.
  package static func head(
    encoded: [UInt8]
  ) -> (figures: HistoryFigures, reminder: Reminder?)? {
    var reader = SummaryReader(encoded)
    guard reader.skipText() else { return nil }
    return head(&reader)
  }

  private static func head(
    _ reader: inout SummaryReader
  ) -> (figures: HistoryFigures, reminder: Reminder?)? {
    guard let count = reader.unsigned(), let first = reader.optionalInteger(),
      let last = reader.optionalInteger(), let longest = reader.optionalInteger(),
      let lastValue = reader.text(), let every = reader.unsigned()
    else { return nil }
    var figures = HistoryFigures()
    figures.count = Int64(clamping: count)
    figures.first = first.map { Instant(seconds: $0) }
    figures.last = last.map { Instant(seconds: $0) }
    figures.longest = longest
    figures.lastValue = ExactDecimal(lastValue)
    guard every > 0 else { return (figures, nil) }
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
    return (figures, reminder)
  }

  private static func money(_ reader: inout SummaryReader) -> Money?? {
    guard let code = reader.text(), let units = reader.integer() else { return nil }
    if code.isEmpty { return .some(nil) }
    guard let currency = Currency(code) else { return nil }
    return .some(Money(minorUnits: units, currency))
  }
}
