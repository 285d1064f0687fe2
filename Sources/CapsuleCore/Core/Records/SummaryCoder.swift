/// A walk through the parts of a record's summary, in the compact form in which the index keeps it:
/// ``SummaryReader`` fills them from bytes, and ``SummaryWriter`` appends them.
///
/// Integers are LEB128 (signed ones zigzagged), text is its length and its UTF-8.
package protocol SummaryCoder {
  /// The error of bytes that do not fit; `Never` for a writer.
  associatedtype Failure: Error

  mutating func unsigned(_ value: inout UInt64) throws(Failure)
  mutating func text(_ value: inout String) throws(Failure)
  /// Codes a count and so many parts.
  mutating func list<Part: SummaryPart>(_ parts: inout [Part]) throws(Failure)
  /// Refuses what was read. A writer has nothing to refuse.
  func refuse() throws(Failure)
}

/// A value that the index keeps as several parts.
package protocol SummaryPart {
  /// An empty one, which a reader fills.
  static var blank: Self { get }
  /// Names every part, in one list that reads and writes.
  mutating func code<Coder: SummaryCoder>(with coder: inout Coder) throws(Coder.Failure)
}

extension SummaryPart {
  /// The form that the index keeps.
  consuming func encoded() -> [UInt8] {
    var part = self
    var writer = SummaryWriter()
    part.code(with: &writer)
    return writer.bytes
  }

  /// Reads the form that the index keeps, all of it.
  ///
  /// - Returns: `false` when it is another version's.
  mutating func decode(_ bytes: [UInt8]) -> Bool {
    var reader = SummaryReader(bytes)
    do { try code(with: &reader) } catch { return false }
    return reader.isAtEnd
  }
}

extension SummaryCoder {
  mutating func flag(_ value: inout Bool) throws(Failure) {
    var bit: UInt64 = value ? 1 : 0
    try unsigned(&bit)
    value = bit == 1
  }

  /// Codes a number that is not negative.
  mutating func count<Number: FixedWidthInteger>(_ value: inout Number) throws(Failure) {
    var magnitude = UInt64(clamping: value)
    try unsigned(&magnitude)
    value = Number(clamping: magnitude)
  }

  mutating func integer(_ value: inout Int64) throws(Failure) {
    var zigzag = UInt64(bitPattern: value << 1 ^ value >> 63)
    try unsigned(&zigzag)
    value = Int64(bitPattern: zigzag >> 1) ^ -Int64(bitPattern: zigzag & 1)
  }

  mutating func optional(_ value: inout Int64?) throws(Failure) {
    var count: UInt64 = value == nil ? 0 : 1
    try unsigned(&count)
    guard count > 0 else {
      value = nil
      return
    }
    guard count == 1 else { return try refuse() }
    var number = value ?? 0
    try integer(&number)
    value = number
  }

  mutating func optional(_ value: inout Instant?) throws(Failure) {
    var seconds = value?.seconds
    try optional(&seconds)
    value = seconds.map { Instant(seconds: $0) }
  }

  /// Codes a value as the text that records hold.
  mutating func value<Value: FieldText>(_ value: inout Value) throws(Failure) {
    var fieldText = value.fieldText
    try text(&fieldText)
    guard let new = Value(fieldText: fieldText) else { return try refuse() }
    value = new
  }

  /// Codes one of an enumeration's cases by its position.
  mutating func position<Value: CaseIterable & Equatable>(
    _ value: inout Value
  ) throws(Failure) where Value.AllCases == [Value] {
    let cases = Value.allCases
    var position = cases.firstIndex(of: value) ?? 0
    try count(&position)
    guard position < cases.count else { return try refuse() }
    value = cases[position]
  }
}

extension String: SummaryPart {
  package static var blank: String { "" }

  package mutating func code<Coder: SummaryCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try coder.text(&self)
  }
}

/// The bytes of a summary that is written.
package struct SummaryWriter: SummaryCoder {
  package private(set) var bytes: [UInt8] = []

  package mutating func unsigned(_ value: inout UInt64) {
    append(value)
  }

  private mutating func append(_ value: UInt64) {
    var rest = value
    while rest > 0x7f {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  package mutating func text(_ value: inout String) {
    let utf8 = value.utf8
    append(UInt64(utf8.count))
    bytes.append(contentsOf: utf8)
  }

  package mutating func list<Part: SummaryPart>(_ parts: inout [Part]) {
    append(UInt64(parts.count))
    for var part in parts { part.code(with: &self) }
  }

  package func refuse() {}
}

/// The bytes of a summary that is read.
package struct SummaryReader: SummaryCoder {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Returns the title or name of a record; every kind's summary begins with it.
  package static func title(of summary: [UInt8]) -> String {
    var reader = SummaryReader(summary)
    var title = ""
    do { try reader.text(&title) } catch { return "" }
    return title
  }

  var isAtEnd: Bool { position == bytes.count }

  package mutating func unsigned(_ value: inout UInt64) throws(Malformed) {
    value = try unsigned()
  }

  private mutating func unsigned() throws(Malformed) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while position < bytes.count, shift < 64 {
      let byte = bytes[position]
      position += 1
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    throw Malformed()
  }

  package mutating func text(_ value: inout String) throws(Malformed) {
    let range = try textRange()
    value = String(decoding: bytes[range], as: UTF8.self)
  }

  package mutating func list<Part: SummaryPart>(_ parts: inout [Part]) throws(Malformed) {
    parts = []
    // Each part takes a byte at least, so that a count that is too large ends with the bytes.
    for _ in 0..<Int(clamping: try unsigned()) {
      var part = Part.blank
      try part.code(with: &self)
      parts.append(part)
    }
  }

  /// Steps over a text.
  mutating func skipText() throws(Malformed) {
    _ = try textRange()
  }

  private mutating func textRange() throws(Malformed) -> Range<Int> {
    let length = try unsigned()
    guard length <= UInt64(bytes.count - position) else { throw Malformed() }
    defer { position += Int(length) }
    return position..<(position + Int(length))
  }

  package func refuse() throws(Malformed) {
    throw Malformed()
  }
}

/// The part of a record that the index keeps, as the record's model gives it.
package struct IndexContribution: Hashable, Sendable {
  /// The number of Unix seconds by which lists are sorted.
  package let sortKey: Int64
  /// The time at which the record was made, in nanoseconds: the order among equal sort keys.
  package let madeAt: Int64
  /// The earliest Unix second at which something may have to be announced; `nil` for never.
  package let due: Int64?
  /// The hash of the record's name or title (``NameKey``).
  package let nameHash: UInt64
  /// The summary of the record, in the form of ``SummaryCoder``.
  package let summary: [UInt8]
}

/// A text of a record, as a search looks through it.
package struct SearchField: Hashable, Sendable {
  /// The name of the text.
  package enum Name: String, Sendable {
    case title, name, notes, tags, description, category, location, media, history, reminder
    case relationship, email, phone, contact, message, delivery, image, holder
    /// A text in an opened capsule, a file's name there, and a caption.
    case content

    /// Whether it is what a record is called.
    package var isTitle: Bool { self == .title || self == .name }
  }

  package let name: Name
  package let text: String
  /// The time of an entry of a history.
  package let at: Instant?
  /// The number of a content, from 1.
  package let number: Int?

  package init(_ name: Name, _ text: String, at: Instant? = nil, number: Int? = nil) {
    self.name = name
    self.text = text
    self.at = at
    self.number = number
  }
}

extension Capsule {
  /// The title, the notes and the tags; the contents and their names are sealed.
  package var searchFields: [SearchField] {
    [SearchField(.title, title), SearchField(.notes, notes)]
      + tags.map { SearchField(.tags, $0) }
  }
}

extension Event {
  package var searchFields: [SearchField] {
    [SearchField(.title, title), SearchField(.notes, notes)]
      + (image.map { [SearchField(.image, $0.displayName)] } ?? [])
  }
}

extension Item {
  package var searchFields: [SearchField] {
    var fields = [
      SearchField(.name, name), SearchField(.description, description), SearchField(.notes, notes),
      SearchField(.category, category), SearchField(.location, location),
    ]
    fields += tags.map { SearchField(.tags, $0) }
    for medium in media {
      fields.append(SearchField(.media, medium.file.displayName))
      fields.append(SearchField(.media, medium.title))
    }
    fields += history.map { SearchField(.history, $0.notes, at: $0.at) }
    if let reminder { fields.append(SearchField(.reminder, reminder.name)) }
    return fields
  }
}

extension Beneficiary {
  package var searchFields: [SearchField] {
    [
      SearchField(.name, name), SearchField(.relationship, relationship),
      SearchField(.email, email), SearchField(.phone, phone), SearchField(.contact, contact),
      SearchField(.notes, notes),
    ]
  }
}

extension Bequest {
  /// The message and the notes of the delivery; the records that it names hold the other texts.
  package var searchFields: [SearchField] {
    [SearchField(.message, message)]
      + delivery.map { SearchField(.delivery, $0.notes, at: $0.at) }
  }
}

extension TrusteeGroup {
  package var searchFields: [SearchField] {
    [SearchField(.name, name)] + shares.map { SearchField(.holder, $0.holder) }
  }
}
