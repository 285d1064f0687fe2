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
  /// The amount that one piece was bought for.
  public var price: Money?
  /// 1 or more.
  public var quantity: Int64 = 1
  public var location = ""
  public var serial = ""
  public var boughtOn: CivilDate?
  public var boughtFrom = ""
  /// The last day of the warranty.
  public var warrantyUntil: CivilDate?
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

  package var digest: ItemDigest { ItemDigest(self) }
  package var title: String { name }
  package var earliestDue: Int64? {
    // Its day begins up to 14 hours earlier elsewhere.
    let end = warrantyUntil.map {
      Moment.day($0).start(in: .utc).adding(seconds: -86_400).seconds
    }
    return [reminder?.earliestDue(last: history.last?.at), end].compactMap(\.self).min()
  }
}

extension Item: RecordModel {
  package static var kind: RecordKind { .item }
  package static var blank: Item { Item() }

  package mutating func walk<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure) {
    try header.walk(&walk)
    try walk.field("name", &name, [.title, .searched, .answered], .siblings)
    try walk.optional("description", &description, [.listedCut, .searched], .siblings)
    try walk.optional("notes", &notes, [.listedCut, .searched, .answered], .siblings)
    try walk.optional("category", &category, [.listed, .searched, .answered], .siblings)
    try walk.optional("value", &value, [.listed, .answered], .siblings)
    try walk.optional("replacementValue", &replacementValue, [.listed, .answered], .siblings)
    try walk.optional("price", &price, [.listed, .answered], .siblings)
    try walk.optional("quantity", &quantity, [.listed, .answered], .siblings)
    try walk.optional("location", &location, [.listed, .searched, .answered], .siblings)
    try walk.optional("serial", &serial, [.listed, .searched, .answered], .siblings)
    try walk.optional("boughtOn", &boughtOn, [.listed, .answered], .siblings)
    try walk.optional("boughtFrom", &boughtFrom, [.listed, .searched, .answered], .siblings)
    try walk.optional("warrantyUntil", &warrantyUntil, [.listed, .answered], .siblings)
    try walk.optional("tags", &tags, [.listed, .searched, .answered], .elements)
    try walk.optional("media", &media, .searched, .elements(knownBy: "blob", "addedAt"))
    try walk.optional("history", &history, .searched, .elements)
    try walk.optional("reminder", &reminder, [.listed, .searched], .siblings)
    walk.rest(&unknown)
    try walk.limit("name", name, to: Self.nameLimit)
    try walk.require(
      (1...Self.quantityLimit).contains(quantity), "quantity", .invalid(String(quantity)))
    try walk.limit("boughtOn", boughtOn)
    try walk.limit("warrantyUntil", warrantyUntil)
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

  package mutating func walk<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure) {
    try walk.member("at", &at)
    try walk.optionalMember("value", &value)
    try walk.optionalMember("notes", &notes)
    walk.rest(&unknown)
  }

  package func addTexts(_ name: SearchField.Name, to fields: inout [SearchField]) {
    fields.append(SearchField(name, notes, at: at))
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

  package static func brief<Coder: BriefCoder>(
    _ value: inout ExactDecimal?, _ walk: inout BriefWalk<Coder>
  ) throws(Coder.Failure) {
    var text = value?.description ?? ""
    try walk.coder.text(&text)
    value = ExactDecimal(text)
    if value == nil { try walk.coder.refuse() }
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

/// What lists show of an item's history and media.
package struct ItemDigest: RecordDigest {
  package private(set) var figures = HistoryFigures()
  package private(set) var mediaCount: Int64 = 0
  /// The beginning of the last entry's notes.
  package private(set) var lastNotes = ""

  package init() {}

  fileprivate init(_ item: Item) {
    figures = HistoryFigures(item.history)
    mediaCount = Int64(item.media.count)
    lastNotes = item.history.last?.notes.beginning.value ?? ""
  }

  package mutating func code<Coder: BriefCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try figures.code(with: &coder)
    try coder.integer(&mediaCount)
    try coder.text(&lastNotes)
  }
}

extension HistoryFigures {
  fileprivate mutating func code<Coder: BriefCoder>(
    with coder: inout Coder
  ) throws(Coder.Failure) {
    try coder.count(&count)
    try coder.optional(&first)
    try coder.optional(&last)
    try coder.optional(&longest)
    var number = lastValue?.description ?? ""
    try coder.text(&number)
    lastValue = ExactDecimal(number)
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

extension Brief<Item> {
  /// Returns when the reminder is to be done; `nil` where it is off, or there is none.
  package func due(in zone: ZoneRules) -> Instant? {
    guard let reminder = record.reminder, reminder.isOn else { return nil }
    return reminder.due(last: digest.figures.last, in: zone)
  }
}

/// What items are put together by.
package enum ItemGroup: Sendable {
  case category, location

  func name(of item: Item) -> String {
    switch self {
    case .category: item.category
    case .location: item.location
    }
  }
}

/// The worth of items together, by category or place, and by currency.
package struct ItemTotals: Sendable {
  /// The sums of one currency.
  package struct Row: Sendable {
    /// The category or place.
    package let group: String
    package var items: Int64 = 0
    package var value: MoneySum
    package var replacement: MoneySum
  }

  private struct Key: Hashable {
    let group: NameKey
    let currency: Currency
  }

  private var rows: [Key: Row] = [:]
  private let group: ItemGroup
  /// The spelling of each group: of several one, whatever their order.
  private var names: GroupNames
  package private(set) var items: Int64 = 0
  /// The number of items that have neither a value nor a replacement value.
  package private(set) var withoutValue: Int64 = 0

  package init(by group: ItemGroup = .category) {
    self.group = group
    names = GroupNames(group)
  }

  /// Adds the worth of all pieces of an item.
  package mutating func add(_ item: Brief<Item>) {
    items += 1
    let currencies = Set(
      [item.record.value?.currency, item.record.replacementValue?.currency].compactMap { $0 })
    if currencies.isEmpty { withoutValue += 1 }
    let group = NameKey(group.name(of: item.record))
    names.add(item)
    for currency in currencies {
      let key = Key(group: group, currency: currency)
      var row =
        rows[key]
        ?? Row(group: "", value: MoneySum(currency), replacement: MoneySum(currency))
      row.items += 1
      if let money = item.record.value, money.currency == currency {
        row.value.add(money, times: item.record.quantity)
      }
      if let money = item.record.replacementValue, money.currency == currency {
        row.replacement.add(money, times: item.record.quantity)
      }
      rows[key] = row
    }
  }

  /// The sums by category or place, then by currency; items without one stand last.
  package var byGroup: [Row] {
    rows.sorted { left, right in
      let (one, other) = (
        NameOrder.key(left.key.group.text), NameOrder.key(right.key.group.text)
      )
      if one.isEmpty != other.isEmpty { return other.isEmpty }
      return (one, left.key.currency.code) < (other, right.key.currency.code)
    }.map { key, row in
      Row(
        group: names[key.group], items: row.items, value: row.value,
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
        ?? Row(group: "", value: MoneySum(currency), replacement: MoneySum(currency))
      sum.items += row.items
      sum.value.add(row.value)
      sum.replacement.add(row.replacement)
      sums[currency] = sum
    }
    return sums.sorted { $0.key.code < $1.key.code }.map(\.value)
  }
}

/// The spellings of categories or places: those that differ in case only are shown in one way everywhere.
package struct GroupNames: Sendable {
  private let group: ItemGroup
  private var firsts: [NameKey: (name: String, since: Instant, id: RecordID)] = [:]

  package init(_ group: ItemGroup) { self.group = group }

  /// Takes the spelling of an item; that of the first item counts, as lists sort them.
  package mutating func add(_ item: Brief<Item>) {
    let name = group.name(of: item.record)
    let key = NameKey(name)
    if let known = firsts[key], (known.since, known.id) < (item.record.createdAt, item.id) {
      return
    }
    firsts[key] = (name, item.record.createdAt, item.id)
  }

  /// The spelling of a group; empty where no item has it.
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
