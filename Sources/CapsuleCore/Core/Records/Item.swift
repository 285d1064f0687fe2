/// A thing owned or looked after: what it is, its media, its history, and a reminder.
public struct Item: Hashable, Sendable {
  package var header = RecordHeader()
  /// The name, which no other item has, whatever the case and the Unicode form.
  public var name = ""
  public var description = ""
  /// The owner's own remarks, which are not handed over with it.
  public var notes = ""
  public var category = ""
  /// The value of one piece.
  public var value: Money?
  /// The price of one new piece.
  public var replacementValue: Money?
  /// 1 or more.
  public var quantity: Int64 = 1
  public var location = ""
  public var tags: [String] = []
  public package(set) var media: [Media] = []
  /// In order of time.
  public private(set) var history: [HistoryEntry] = []
  public var reminder: Reminder?
  package private(set) var unknown: JSONObject = [:]

  package static let nameLimit = Capsule.titleLimit
  package static let quantityLimit: Int64 = 1_000_000_000
}

extension Item {
  package init(header: RecordHeader, name: String) {
    self.init()
    self.header = header
    self.name = name
  }

  /// Adds an entry at its place; behind those of the same time.
  public mutating func log(_ entry: HistoryEntry) {
    let place = history.lastIndex { $0.at <= entry.at }.map { $0 + 1 } ?? 0
    history.insert(entry, at: place)
  }

  /// Replaces an entry, by its index from 0, if there is one; the new entry moves to where its
  /// time belongs.
  public mutating func replace(_ place: Int, with entry: HistoryEntry) {
    guard history.indices.contains(place) else { return }
    if history[place].at == entry.at {
      history[place] = entry
    } else {
      history.remove(at: place)
      log(entry)
    }
  }

  /// Takes an entry away, by its place from 0, where there is one.
  public mutating func unlog(_ place: Int) {
    if history.indices.contains(place) { history.remove(at: place) }
  }

  /// The entries of the history, the oldest first.
  package var numberedHistory: [NumberedEntry] {
    history.indices.map { place in
      NumberedEntry(
        number: place + 1, entry: history[place],
        interval: place > 0 ? history[place].at.seconds(since: history[place - 1].at) : nil)
    }
  }

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

extension Item: RecordModel {
  package static var kind: RecordKind { .item }
  package static var blank: Item { Item() }

  package mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try header.code(with: &coder)
    try coder.field("name", &name)
    try coder.optional("description", &description)
    try coder.optional("notes", &notes)
    try coder.optional("category", &category)
    try coder.optional("value", &value)
    try coder.optional("replacementValue", &replacementValue)
    try coder.optional("quantity", &quantity)
    try coder.optional("location", &location)
    try coder.optional("tags", &tags)
    try coder.optional("media", &media)
    try coder.optional("history", &history)
    try coder.optional("reminder", &reminder)
    coder.rest(&unknown)
    try coder.limit("name", name, to: Self.nameLimit)
    guard (1...Self.quantityLimit).contains(quantity) else {
      return try coder.refuse("quantity", .invalid(String(quantity)))
    }
    // Entries that a hand has put in are brought into order; equal ones stay as they stand.
    if !zip(history, history.dropFirst()).allSatisfy({ $0.at <= $1.at }) {
      history = history.enumerated().sorted {
        ($0.element.at, $0.offset) < ($1.element.at, $1.offset)
      }
      .map(\.element)
    }
  }

  package func checkRules() throws(Fault) {
    try RecordFault.check(name: name, of: .item)
    try reminder?.checkRules()
  }

  package var uniqueName: String? { name }
  package var attachments: [Attachment] { media.map(\.file) }
}

/// "It happened": when, with a number and notes where there are any.
public struct HistoryEntry: Hashable, Sendable {
  public package(set) var at = Instant.epoch
  public package(set) var value: ExactDecimal?
  public package(set) var notes = ""
  package private(set) var unknown: JSONObject = [:]

  /// Makes an entry; a time outside the years 1 to 9999 becomes the nearest one inside.
  public init(at: Instant, value: ExactDecimal? = nil, notes: String = "") {
    self.at = at.clamped
    self.value = value
    self.notes = notes
  }
}

extension HistoryEntry: RecordPart {
  package static var blank: HistoryEntry { HistoryEntry(at: .epoch) }

  package mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.field("at", &at)
    try coder.optional("value", &value)
    try coder.optional("notes", &notes)
    coder.rest(&unknown)
  }
}

/// A decimal is a JSON number with exactly its digits.
extension ExactDecimal: FieldValue {
  package init(json: JSON) throws(FieldError) {
    switch json {
    case .integer(let number): self.init(digits: Int128(number), scale: 0)
    case .number(let number):
      guard let decimal = ExactDecimal(number.text) else {
        throw FieldError(.invalid(number.text))
      }
      self = decimal
    default: throw FieldError(.notA("number"))
    }
  }

  package var json: JSON {
    if scale == 0, let number = Int64(exactly: digits) { return .integer(number) }
    return .number(JSONNumber(checked: description))
  }
}

/// The figures that a history comes to.
package struct HistoryFigures: Hashable, Sendable {
  package private(set) var count: Int64 = 0
  package private(set) var first: Instant?
  package private(set) var last: Instant?
  package private(set) var lastValue: ExactDecimal?
  /// The seconds of the longest time between two entries; `nil` with fewer than two.
  package private(set) var longest: Int64?

  package init() {}

  /// - Parameter history: the entries in order of time.
  package init(_ history: [HistoryEntry]) {
    count = Int64(history.count)
    first = history.first?.at
    last = history.last?.at
    lastValue = history.last?.value
    longest = zip(history, history.dropFirst()).map { $1.at.seconds(since: $0.at) }.max()
  }

  /// The seconds between two entries on average, rounded down; `nil` with fewer than two.
  package var average: Int64? {
    guard let first, let last, count > 1 else { return nil }
    return last.seconds(since: first) / (count - 1)
  }
}

extension HistoryFigures: SummaryPart {
  package static var blank: HistoryFigures { HistoryFigures() }

  package mutating func code<Coder: SummaryCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try codeTimes(with: &coder)
    var number = lastValue?.description ?? ""
    try coder.text(&number)
    lastValue = ExactDecimal(number)
  }

  mutating func codeTimes<Coder: SummaryCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.count(&count)
    try coder.optional(&first)
    try coder.optional(&last)
    try coder.optional(&longest)
  }
}

/// An entry of a history with its number.
package struct NumberedEntry: Hashable, Sendable {
  /// 1 for the oldest.
  package let number: Int
  package let entry: HistoryEntry
  /// The seconds since the entry before; `nil` for the oldest.
  package let interval: Int64?
}

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

  // Parts of the summary, read without those behind them: thousands are sorted by these.

  /// Returns the last entry of the history, and the reminder; `nil` for another version's summary.
  package static func timing(encoded: [UInt8]) -> (last: Instant?, reminder: Reminder?)? {
    var reader = SummaryReader(encoded)
    do { return try timing(&reader) } catch { return nil }
  }

  /// Returns the last entry of the history.
  package static func last(encoded: [UInt8]) -> Instant? { timing(encoded: encoded)?.last }

  package static func category(encoded: [UInt8]) -> String? { keys(encoded: encoded)?.category }

  package static func value(encoded: [UInt8]) -> Money? { keys(encoded: encoded)?.value }

  private static func timing(
    _ reader: inout SummaryReader
  ) throws(Malformed) -> (last: Instant?, reminder: Reminder?) {
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
    do {
      _ = try timing(&reader)
      try summary.codeKeys(with: &reader)
    } catch {
      return nil
    }
    return summary
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

/// The worth of items together, by category and currency.
package struct ItemTotals: Sendable {
  /// The sums of one currency.
  package struct Row: Sendable {
    package let category: String
    package var items: Int64 = 0
    package var value: MoneySum
    package var replacement: MoneySum
  }

  private struct Key: Hashable {
    let category: NameKey
    let currency: Currency
  }

  private var rows: [Key: Row] = [:]
  /// The spelling of each category: of several one, whatever their order.
  private var names = CategoryNames()
  package private(set) var items: Int64 = 0
  /// The number of items that have neither a value nor a replacement value.
  package private(set) var withoutValue: Int64 = 0

  package init() {}

  /// Adds the worth of all pieces of an item.
  package mutating func add(_ item: ItemSummary) {
    items += 1
    let currencies = Set([item.value?.currency, item.replacementValue?.currency].compactMap { $0 })
    if currencies.isEmpty { withoutValue += 1 }
    let category = NameKey(item.category)
    names.add(item)
    for currency in currencies {
      let key = Key(category: category, currency: currency)
      var row =
        rows[key]
        ?? Row(category: "", value: MoneySum(currency), replacement: MoneySum(currency))
      row.items += 1
      if let money = item.value, money.currency == currency {
        row.value.add(money, times: item.quantity)
      }
      if let money = item.replacementValue, money.currency == currency {
        row.replacement.add(money, times: item.quantity)
      }
      rows[key] = row
    }
  }

  /// The sums by category, then by currency; items without a category stand last.
  package var byCategory: [Row] {
    rows.sorted { left, right in
      let (one, other) = (left.key.category.text, right.key.category.text)
      if one.isEmpty != other.isEmpty { return other.isEmpty }
      return (one, left.key.currency.code) < (other, right.key.currency.code)
    }.map { key, row in
      Row(
        category: names[key.category], items: row.items, value: row.value,
        replacement: row.replacement)
    }
  }

  /// The sums by currency alone.
  package var all: [Row] {
    var sums: [Currency: Row] = [:]
    for row in rows.values {
      let currency = row.value.currency
      var sum =
        sums[currency]
        ?? Row(category: "", value: MoneySum(currency), replacement: MoneySum(currency))
      sum.items += row.items
      sum.value.add(row.value)
      sum.replacement.add(row.replacement)
      sums[currency] = sum
    }
    return sums.sorted { $0.key.code < $1.key.code }.map(\.value)
  }
}

/// The spellings of categories: those that differ in case only are shown in one way everywhere.
package struct CategoryNames: Sendable {
  private var firsts: [NameKey: (name: String, since: Instant, id: RecordID)] = [:]

  package init() {}

  /// Takes the spelling of an item; that of the first item counts, as lists sort them.
  package mutating func add(_ item: ItemSummary) {
    let key = NameKey(item.category)
    if let known = firsts[key], (known.since, known.id) < (item.createdAt, item.id) { return }
    firsts[key] = (item.category, item.createdAt, item.id)
  }

  /// The spelling of a category; empty where no item has it.
  package subscript(_ key: NameKey) -> String { firsts[key]?.name ?? "" }
}

extension Item {
  /// Makes an item that no store has yet.
  public init(name: String) {
    self.init(header: RecordHeader(), name: name)
  }
}

extension Reminder {
  /// Makes a rule by which something is to be done again.
  ///
  /// - Parameters:
  ///   - rule: how often: `3 months`, `every other week`, `90 minutes`.
  ///   - since: the time that it is counted from while the item has no entry in its history.
  ///   - name: what is to be done.
  ///   - first: the first time of a rule with fixed times; `nil` to count from the last entry.
  ///   - time: the time of day, `09:00` or `9am`, for days and longer; empty for that of what it is
  ///     counted from.
  /// - Returns: `nil` for an invalid rule or time of day, and for a time of day with minutes or hours.
  public init?(
    every rule: String, since: Instant, name: String = "", from first: Instant? = nil,
    at time: String = ""
  ) {
    guard let (count, unit) = Reminder.rule(rule) else { return nil }
    self.init(every: count, unit, since: since.clamped)
    self.name = name
    from = first?.clamped
    guard !time.isEmpty else { return }
    guard isOfDays, let clock = TimeOfDayParser.minute(time) else { return nil }
    self.time = clock
  }
}

extension Store {
  /// Adds an entry to an item's history: it happened.
  ///
  /// - Parameters:
  ///   - time: when it happened; now where it is `nil`.
  ///   - value: a number that belongs to it.
  /// - Returns: the item as it is then.
  /// - Throws: ``Fault``: those of ``change(_:_:_:)``.
  @discardableResult
  public func log(
    _ id: RecordID, at time: Instant? = nil, value: ExactDecimal? = nil, notes: String = ""
  ) throws(Fault) -> Item {
    let now = now
    let entry = HistoryEntry(at: time ?? now, value: value, notes: notes)
    return try change(Item.self, id) { $0.log(entry) }
  }
}
