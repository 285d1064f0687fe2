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
  /// The price of one piece anew.
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

  /// Puts an entry in the place of another, by its place from 0, where there is one; it moves to where its
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

  package func checkRules() throws(RecordFault) {
    try RecordFault.check(name: name, of: .item)
    try reminder?.checkRules()
  }

  package var uniqueName: String? { name }
  package var attachments: [Attachment] { media.map(\.file) }
}
