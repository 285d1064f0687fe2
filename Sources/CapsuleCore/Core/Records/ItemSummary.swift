/// The part of an item that a list shows without its record being read.
package struct ItemSummary: Hashable, Identifiable, Sendable {
  package let id: RecordID
  package private(set) var name = ""
  package private(set) var figures = HistoryFigures()
  package private(set) var reminder: Reminder?
  package private(set) var createdAt = Instant.epoch
  package private(set) var updatedAt = Instant.epoch
  package private(set) var category = ""
  package private(set) var location = ""
  package private(set) var value: Money?
  package private(set) var replacementValue: Money?
  package private(set) var quantity: Int64 = 1
  package private(set) var tags: [String] = []
  package private(set) var mediaCount: Int64 = 0
  package private(set) var lastNotes = ""
  /// The first part of the description, at most ``CapsuleSummary/notesLimit`` bytes.
  package private(set) var description = ""
  /// Whether `description` is all there is.
  package private(set) var hasAllDescription = true
  /// The first part of the notes, as of the description.
  package private(set) var notes = ""
  /// Whether `notes` is all there is.
  package private(set) var hasAllNotes = true

  /// Returns when the reminder is to be done; `nil` where it is off, or there is none.
  package func due(in zone: ZoneRules) -> Instant? {
    guard let reminder, reminder.isOn else { return nil }
    return reminder.due(last: figures.last, in: zone)
  }
}

extension ItemSummary: SummaryPart {
  package static var blank: ItemSummary { ItemSummary(id: .zero) }

  package mutating func code<Coder: SummaryCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.text(&name)
    try figures.code(with: &coder)
    try coder.reminder(&reminder)
    try codeKeys(with: &coder)
    try coder.money(&replacementValue)
    try coder.integer(&quantity)
    try coder.list(&tags)
    try coder.integer(&mediaCount)
    try coder.text(&lastNotes)
    try coder.flag(&hasAllDescription)
    try coder.text(&description)
    try coder.flag(&hasAllNotes)
    try coder.text(&notes)
  }

  /// Names the parts that lists are sorted by.
  private mutating func codeKeys<Coder: SummaryCoder>(
    with coder: inout Coder
  ) throws(Coder.Failure) {
    try coder.integer(&createdAt.seconds)
    try coder.integer(&updatedAt.seconds)
    try coder.text(&category)
    try coder.text(&location)
    try coder.money(&value)
  }

  /// The summary of a record that cannot be read: only its id is known.
  package init(unreadable id: RecordID) { self.init(id: id) }

  /// Reads the form that the index keeps; `nil` when it is another version's.
  package init?(id: RecordID, encoded: [UInt8]) {
    self.init(id: id)
    guard decode(encoded) else { return nil }
  }
}

/// Parts of the summary, read without those behind them: thousands are sorted by these.
extension ItemSummary {
  /// Returns the last entry of the history, and the reminder; `nil` for another version's summary.
  package static func timing(encoded: [UInt8]) -> (last: Instant?, reminder: Reminder?)? {
    var reader = SummaryReader(encoded)
    do throws(SummaryMismatch) { return try timing(&reader) } catch { return nil }
  }

  /// Returns the last entry of the history.
  package static func last(encoded: [UInt8]) -> Instant? { timing(encoded: encoded)?.last }

  package static func category(encoded: [UInt8]) -> String? { keys(encoded: encoded)?.category }

  package static func value(encoded: [UInt8]) -> Money? { keys(encoded: encoded)?.value }

  private static func timing(
    _ reader: inout SummaryReader
  ) throws(SummaryMismatch) -> (last: Instant?, reminder: Reminder?) {
    var figures = HistoryFigures()
    var reminder: Reminder?
    try reader.skipText()
    try figures.codeTimes(with: &reader)
    try reader.skipText()
    try reader.reminder(&reminder)
    return (figures.last, reminder)
  }

  private static func keys(encoded: [UInt8]) -> ItemSummary? {
    var summary = ItemSummary.blank
    var reader = SummaryReader(encoded)
    do throws(SummaryMismatch) {
      _ = try timing(&reader)
      try summary.codeKeys(with: &reader)
    } catch {
      return nil
    }
    return summary
  }
}

extension SummaryCoder {
  /// Codes a reminder, or a count of 0 for none.
  fileprivate mutating func reminder(_ reminder: inout Reminder?) throws(Failure) {
    var rule = reminder ?? .blank
    rule.count = reminder?.count ?? 0
    try count(&rule.count)
    guard rule.count > 0 else { return }
    try position(&rule.unit)
    try text(&rule.name)
    try optional(&rule.from)
    var second = rule.time.map { Int64($0.secondsSinceMidnight) }
    try optional(&second)
    rule.time = second.flatMap { CivilTime(secondOfDay: $0) }
    try flag(&rule.isOn)
    try integer(&rule.since.seconds)
    guard rule.isValid else { return try refuse() }
    reminder = rule
  }

  /// Codes an amount, or no currency for none.
  fileprivate mutating func money(_ money: inout Money?) throws(Failure) {
    var code = money?.currency.code ?? ""
    var units = money?.minorUnits ?? 0
    try text(&code)
    try integer(&units)
    if code.isEmpty { return }
    guard let currency = Currency(code) else { return try refuse() }
    money = Money(minorUnits: units, currency)
  }
}

extension Item {
  /// The part that a list shows.
  package var summary: ItemSummary {
    let (description, hasAllDescription) = description.beginning
    let (notes, hasAllNotes) = notes.beginning
    return ItemSummary(
      id: id, name: name, figures: HistoryFigures(history), reminder: reminder,
      createdAt: createdAt, updatedAt: updatedAt, category: category, location: location,
      value: value, replacementValue: replacementValue, quantity: quantity, tags: tags,
      mediaCount: Int64(media.count), lastNotes: history.last?.notes.beginning.text ?? "",
      description: description, hasAllDescription: hasAllDescription, notes: notes,
      hasAllNotes: hasAllNotes)
  }

  package var indexContribution: IndexContribution {
    IndexContribution(
      sortKey: createdAt.seconds, madeAt: header.madeAt,
      due: reminder?.earliestDue(last: history.last?.at),
      nameHash: NameKey(name).hash, summary: summary.encoded())
  }
}
