/// A writing and a reading of the compact form in which the index keeps what lists show: ``BriefReader`` fills
/// values from bytes, and ``BriefWriter`` appends them.
///
/// Integers are LEB128 (signed ones zigzagged), text is its length and its UTF-8.
package protocol BriefCoder {
  /// The error of bytes that do not fit; `Never` for a writer.
  associatedtype Failure: Error

  mutating func unsigned(_ value: inout UInt64) throws(Failure)
  mutating func text(_ value: inout String) throws(Failure)
  /// Codes how many values follow, of which each takes a byte at least.
  mutating func elements(_ count: inout Int) throws(Failure)
  /// Codes a text that nobody asks for: a reader steps over it.
  mutating func skipped(_ value: inout String) throws(Failure)
  /// Refuses what was read. A writer has nothing to refuse.
  func refuse() throws(Failure)
}

extension BriefCoder {
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
    var isThere = value != nil
    try presence(&isThere)
    guard isThere else { return value = nil }
    var number = value ?? 0
    try integer(&number)
    value = number
  }

  mutating func optional(_ value: inout Instant?) throws(Failure) {
    var seconds = value?.seconds
    try optional(&seconds)
    value = seconds.map { Instant(seconds: $0) }
  }

  /// Codes whether a value follows.
  mutating func presence(_ isThere: inout Bool) throws(Failure) {
    var count: UInt64 = isThere ? 1 : 0
    try unsigned(&count)
    guard count < 2 else { return try refuse() }
    isThere = count == 1
  }
}

/// The bytes of a brief that is written.
package struct BriefWriter: BriefCoder {
  package typealias Failure = Never

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

  package mutating func elements(_ count: inout Int) {
    append(UInt64(count))
  }

  package mutating func skipped(_ value: inout String) { text(&value) }

  package func refuse() {}
}

/// The bytes of a brief that is read.
package struct BriefReader: BriefCoder {
  private let bytes: ArraySlice<UInt8>
  private var position: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  /// Returns the title or name of a record; every kind's brief begins with it.
  package static func title(of brief: ArraySlice<UInt8>) -> String {
    var reader = BriefReader(brief)
    var title = ""
    do { try reader.text(&title) } catch { return "" }
    return title
  }

  var isAtEnd: Bool { position == bytes.endIndex }

  package mutating func unsigned(_ value: inout UInt64) throws(Malformed) {
    value = try unsigned()
  }

  private mutating func unsigned() throws(Malformed) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while position < bytes.endIndex, shift < 64 {
      let byte = bytes[position]
      position += 1
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    throw Malformed()
  }

  package mutating func text(_ value: inout String) throws(Malformed) {
    value = String(decoding: bytes[try span()], as: UTF8.self)
  }

  package mutating func elements(_ count: inout Int) throws(Malformed) {
    let number = try unsigned()
    guard number <= UInt64(bytes.endIndex - position) else { throw Malformed() }
    count = Int(number)
  }

  package mutating func skipped(_ value: inout String) throws(Malformed) {
    _ = try span()
  }

  /// Steps over a length and so many bytes.
  private mutating func span() throws(Malformed) -> Range<Int> {
    let length = try unsigned()
    guard length <= UInt64(bytes.endIndex - position) else { throw Malformed() }
    defer { position += Int(length) }
    return position..<(position + Int(length))
  }

  package func refuse() throws(Malformed) {
    throw Malformed()
  }
}

/// A walk through the fields that the index keeps.
package struct BriefWalk<Coder: BriefCoder>: FieldWalk {
  package typealias Failure = Coder.Failure

  var coder: Coder
  /// The title, which stands in front.
  fileprivate var title = ""
  /// Whether each text that is kept in part is all there is.
  fileprivate var isWhole = true
  /// The last field that is asked for; `nil` for all. With one, the texts that are kept in part are not.
  fileprivate let last: String?
  /// Whether that field was read.
  fileprivate var isDone = false

  fileprivate init(_ coder: Coder, through last: String? = nil) {
    (self.coder, self.last) = (coder, last)
  }

  package mutating func value<Value: FieldValue>(
    _ key: String, _ value: inout Value, _ facts: FieldFacts, isRequired: Bool
  ) throws(Coder.Failure) {
    if isDone { return }
    if facts.traits.contains(.listed) {
      var found: Value? = value
      try Value.brief(&found, &self)
      if let found { value = found }
      isDone = key == last
    } else if facts.traits.contains(.listedCut) {
      let (beginning, isAll) = value.beginning
      isWhole = isWhole && isAll
      var found: Value? = beginning
      if last == nil {
        try Value.brief(&found, &self)
      } else {
        var none = ""
        try coder.skipped(&none)
      }
      if let found { value = found }
    } else if facts.traits.contains(.title), let title = title as? Value {
      value = title
    }
  }

  package mutating func value<Value: FieldValue>(
    _ key: String, _ value: inout Value?, _ facts: FieldFacts, writesNull: Bool
  ) throws(Coder.Failure) {
    guard facts.traits.contains(.listed), !isDone else { return }
    var isThere = value != nil
    try coder.presence(&isThere)
    if isThere { try Value.brief(&value, &self) } else { value = nil }
    isDone = key == last
  }

  package func refuse(_ key: String, _ problem: FieldError.Problem) throws(Coder.Failure) {
    try coder.refuse()
  }
}

/// Texts that the index keeps in part.
package enum BriefText {
  /// The most bytes that it keeps of one.
  package static let limit = 2048

  /// Returns the first part of a text, at most ``limit`` bytes, and whether that is all.
  package static func beginning(of text: String) -> (value: String, isAll: Bool) {
    let utf8 = text.utf8
    guard utf8.count > limit else { return (text, true) }
    var end = utf8.index(text.startIndex, offsetBy: limit)
    while UTF8.isContinuation(utf8[end]) { end = utf8.index(before: end) }
    return (String(text[..<end]), false)
  }
}

/// A record as far as the index keeps it, for lists: the fields that are listed, and what the others come to.
package struct Brief<Record: RecordModel>: Identifiable, Sendable {
  /// The record; its fields that are not listed are blank, and its long texts are cut.
  package private(set) var record = Record.blank
  package private(set) var digest = Record.Digest()
  /// Whether no text was cut.
  package private(set) var isWhole = true

  package var id: RecordID { record.header.id }

  /// The brief of a record that cannot be read: only its id is known.
  package init(unreadable id: RecordID) {
    record.header.take(id)
  }

  /// Reads the form that the index keeps; `nil` when it is another version's.
  ///
  /// - Parameter last: the last field that is asked for, where thousands are looked through: those behind it are
  ///   blank, and so are the texts that are kept in part.
  package init?(_ entry: IndexEntry, through last: String? = nil) {
    var walk = BriefWalk(BriefReader(entry.summary), through: last)
    do { try Self.code(&record, &digest, &walk) } catch { return nil }
    guard walk.coder.isAtEnd || walk.isDone else { return nil }
    isWhole = walk.isWhole
    record.header.take(entry.id)
  }

  package init?(id: RecordID, encoded: [UInt8], through last: String? = nil) {
    self.init(IndexEntry(id: id, summary: encoded[...]), through: last)
  }

  /// Reads what the fields that are not listed come to, and nothing else: thousands are sorted by that.
  package static func digest(_ entry: IndexEntry) -> Record.Digest? {
    var (reader, digest, title) = (BriefReader(entry.summary), Record.Digest(), "")
    do {
      try reader.skipped(&title)
      try digest.code(with: &reader)
    } catch {
      return nil
    }
    return digest
  }

  /// The brief that the index would have of a record.
  package init(of record: Record) {
    self =
      Brief(id: record.header.id, encoded: Self.encoded(record))
      ?? Brief(unreadable: record.header.id)
  }

  /// Returns the form that the index keeps of a record.
  package static func encoded(_ record: Record) -> [UInt8] {
    var (record, digest) = (record, record.digest)
    var walk = BriefWalk(BriefWriter())
    code(&record, &digest, &walk)
    return walk.coder.bytes
  }

  private static func code<Coder: BriefCoder>(
    _ record: inout Record, _ digest: inout Record.Digest, _ walk: inout BriefWalk<Coder>
  ) throws(Coder.Failure) {
    walk.title = record.title
    try walk.coder.text(&walk.title)
    try digest.code(with: &walk.coder)
    try record.walk(&walk)
    if walk.isDone { return }
    try walk.coder.flag(&walk.isWhole)
  }
}

extension Brief: Equatable where Record: Equatable {}
extension Brief: Hashable where Record: Hashable {}

/// What a list shows of fields that the index does not keep.
package protocol RecordDigest: Hashable, Sendable {
  init()
  /// Names every part, in one list that reads and writes.
  mutating func code<Coder: BriefCoder>(with coder: inout Coder) throws(Coder.Failure)
}

/// The digest of a kind of which the index keeps all that lists show.
package struct NoDigest: RecordDigest {
  package init() {}
  package mutating func code<Coder: BriefCoder>(with coder: inout Coder) {}
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
  /// The brief of the record, in the form of ``BriefCoder``.
  package let summary: [UInt8]
}

/// A text of a record, as a search looks through it.
package struct SearchField: Hashable, Sendable {
  /// The name of the text: that of its field, and `holder` for the shares of trustees.
  package struct Name: Hashable, Sendable, ExpressibleByStringLiteral {
    package let rawValue: String

    package init(stringLiteral name: String) { rawValue = name }

    package init(field key: String) { rawValue = key == "shares" ? "holder" : key }

    /// A text in an opened capsule, a file's name there, and a caption.
    package static let content: Name = "content"

    /// Whether it is what a record is called.
    package var isTitle: Bool { self == "title" || self == "name" }
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

/// A walk through the fields that a search looks through.
private struct SearchWalk: FieldWalk {
  typealias Failure = Never

  var fields: [SearchField] = []

  mutating func value<Value: FieldValue>(
    _ key: String, _ value: inout Value, _ facts: FieldFacts, isRequired: Bool
  ) {
    add(key, value, facts)
  }

  mutating func value<Value: FieldValue>(
    _ key: String, _ value: inout Value?, _ facts: FieldFacts, writesNull: Bool
  ) {
    if let value { add(key, value, facts) }
  }

  private mutating func add(_ key: String, _ value: some FieldValue, _ facts: FieldFacts) {
    guard facts.traits.contains(.searched) else { return }
    value.addTexts(SearchField.Name(field: key), to: &fields)
  }
}

extension RecordModel {
  package var searchFields: [SearchField] {
    var walk = SearchWalk()
    var record = self
    record.walk(&walk)
    return walk.fields
  }
}
