/// A value that a field of a record can hold.
package protocol FieldValue {
  /// Reads the field's JSON.
  ///
  /// - Throws: ``FieldError``, whose path begins at the value.
  init(json: JSON) throws(FieldError)
  /// The JSON that the field holds.
  var json: JSON { get }
  /// Goes to the value in the form in which the index keeps it: it is there when it is written, and when it
  /// was read.
  static func brief<Coder: BriefCoder>(
    _ value: inout Self?, _ walk: inout BriefWalk<Coder>) throws(Coder.Failure)
  /// The value without what the index does not keep of a long one, and whether that is all of it.
  var beginning: (value: Self, isAll: Bool) { get }
  /// Adds the texts in it that a search looks through.
  ///
  /// - Parameter name: the name of the field.
  func addTexts(_ name: SearchField.Name, to fields: inout [SearchField])
  /// Adds the fields in it to a fingerprint.
  static func fingerprint(_ walk: inout FieldFingerprint)
}

extension FieldValue {
  package var beginning: (value: Self, isAll: Bool) { (self, true) }
  package func addTexts(_ name: SearchField.Name, to fields: inout [SearchField]) {}
  package static func fingerprint(_ walk: inout FieldFingerprint) {}
}

/// A value that a field holds as text.
package protocol FieldText: FieldValue {
  init?(fieldText: String)
  var fieldText: String { get }
}

extension FieldText {
  package init(json: JSON) throws(FieldError) {
    let text = try String(json: json)
    guard let value = Self(fieldText: text) else { throw FieldError(.invalid(text)) }
    self = value
  }

  package var json: JSON { .string(fieldText) }

  package static func brief<Coder: BriefCoder>(
    _ value: inout Self?, _ walk: inout BriefWalk<Coder>
  ) throws(Coder.Failure) {
    var text = value?.fieldText ?? ""
    try walk.coder.text(&text)
    value = Self(fieldText: text)
    if value == nil { try walk.coder.refuse() }
  }
}

extension FieldText where Self: RawRepresentable<String> {
  package init?(fieldText: String) { self.init(rawValue: fieldText) }
  package var fieldText: String { rawValue }
}

extension FieldText where Self: LosslessStringConvertible {
  package init?(fieldText: String) { self.init(fieldText) }
  package var fieldText: String { description }
}

extension String: FieldValue {
  package init(json: JSON) throws(FieldError) {
    guard case .string(let text) = json else { throw FieldError(.notA("string")) }
    self = text
  }

  package var json: JSON { .string(self) }

  package static func brief<Coder: BriefCoder>(
    _ value: inout String?, _ walk: inout BriefWalk<Coder>
  ) throws(Coder.Failure) {
    var text = value ?? ""
    try walk.coder.text(&text)
    value = text
  }

  package var beginning: (value: String, isAll: Bool) { BriefText.beginning(of: self) }

  package func addTexts(_ name: SearchField.Name, to fields: inout [SearchField]) {
    fields.append(SearchField(name, self))
  }
}

extension Int64: FieldValue {
  package init(json: JSON) throws(FieldError) {
    guard case .integer(let number) = json else { throw FieldError(.notA("integer")) }
    self = number
  }

  package var json: JSON { .integer(self) }

  package static func brief<Coder: BriefCoder>(
    _ value: inout Int64?, _ walk: inout BriefWalk<Coder>
  ) throws(Coder.Failure) {
    var number = value ?? 0
    try walk.coder.integer(&number)
    value = number
  }
}

extension Int: FieldValue {
  package init(json: JSON) throws(FieldError) { self.init(clamping: try Int64(json: json)) }
  package var json: JSON { .integer(Int64(self)) }

  package static func brief<Coder: BriefCoder>(
    _ value: inout Int?, _ walk: inout BriefWalk<Coder>
  ) throws(Coder.Failure) {
    var number = value.map { Int64($0) }
    try Int64.brief(&number, &walk)
    value = number.map { Int(clamping: $0) }
  }
}

extension Bool: FieldValue {
  package init(json: JSON) throws(FieldError) {
    guard case .bool(let flag) = json else { throw FieldError(.notA("boolean")) }
    self = flag
  }

  package var json: JSON { .bool(self) }

  package static func brief<Coder: BriefCoder>(
    _ value: inout Bool?, _ walk: inout BriefWalk<Coder>
  ) throws(Coder.Failure) {
    var flag = value ?? false
    try walk.coder.flag(&flag)
    value = flag
  }
}

extension Array: FieldValue where Element: FieldValue {
  package init(json: JSON) throws(FieldError) {
    guard case .array(let elements) = json else { throw FieldError(.notA("array")) }
    self = []
    reserveCapacity(elements.count)
    for (position, element) in elements.enumerated() {
      do { append(try Element(json: element)) } catch {
        throw error.inside("[\(position)]")
      }
    }
  }

  package var json: JSON { .array(map { $0.json }) }

  package static func brief<Coder: BriefCoder>(
    _ value: inout [Element]?, _ walk: inout BriefWalk<Coder>
  ) throws(Coder.Failure) {
    let own = value ?? []
    var count = own.count
    try walk.coder.elements(&count)
    var elements: [Element] = []
    for place in 0..<count {
      var element = own.indices.contains(place) ? own[place] : nil
      try Element.brief(&element, &walk)
      if let element { elements.append(element) }
    }
    value = elements
  }

  package func addTexts(_ name: SearchField.Name, to fields: inout [SearchField]) {
    for element in self { element.addTexts(name, to: &fields) }
  }

  package static func fingerprint(_ walk: inout FieldFingerprint) { Element.fingerprint(&walk) }
}

/// An instant is RFC 3339 in UTC.
extension Instant: FieldText {
  package init?(fieldText: String) { self.init(rfc3339: fieldText) }
  package var fieldText: String { rfc3339 }

  package static func brief<Coder: BriefCoder>(
    _ value: inout Instant?, _ walk: inout BriefWalk<Coder>
  ) throws(Coder.Failure) {
    var seconds = value?.seconds
    try Int64.brief(&seconds, &walk)
    value = seconds.map { Instant(seconds: $0) }
  }
}

/// A file's time is RFC 3339 in UTC, with nine digits of fraction unless they are zero.
extension FileTime: FieldText {
  package init?(fieldText: String) { self.init(rfc3339: fieldText) }
  package var fieldText: String { rfc3339 }
}

/// A date is `YYYY-MM-DD`.
extension CivilDate: FieldText {
  package init?(fieldText: String) { self.init(iso8601: fieldText) }
  package var fieldText: String { description }

  package static func brief<Coder: BriefCoder>(
    _ value: inout CivilDate?, _ walk: inout BriefWalk<Coder>
  ) throws(Coder.Failure) {
    var days = value.map { Int64($0.daysSinceEpoch) }
    try Int64.brief(&days, &walk)
    guard let days, days.magnitude < 1 << 40 else { return try walk.coder.refuse() }
    value = CivilDate(daysSinceEpoch: Int(days))
  }
}

/// A time of day is `HH:MM`.
extension CivilTime: FieldText {
  package init?(fieldText: String) {
    guard let minutes = Setting.minutes(fieldText) else { return nil }
    self.init(hour: minutes / 60, minute: minutes % 60)
  }

  package var fieldText: String { shortText }
}

/// A local time is RFC 3339 with its offset.
extension LocalTime: FieldText {}

/// A day of the week is its English word.
extension Weekday: FieldText {
  package init?(fieldText: String) {
    guard let day = Self.allCases.first(where: { $0.fieldText == fieldText }) else { return nil }
    self = day
  }

  package var fieldText: String { name.lowercased() }

  package static func brief<Coder: BriefCoder>(
    _ value: inout Weekday?, _ walk: inout BriefWalk<Coder>
  ) throws(Coder.Failure) {
    var number = value?.rawValue
    try Int.brief(&number, &walk)
    value = number.flatMap { Self(rawValue: $0) }
    if value == nil { try walk.coder.refuse() }
  }
}

/// A unit of time is its English word.
extension DurationUnit: FieldText {
  package init?(fieldText: String) {
    guard let unit = Self.allCases.first(where: { $0.name == fieldText }) else { return nil }
    self = unit
  }

  package var fieldText: String { name }

  package static func brief<Coder: BriefCoder>(
    _ value: inout DurationUnit?, _ walk: inout BriefWalk<Coder>
  ) throws(Coder.Failure) {
    var number = value?.rawValue
    try Int.brief(&number, &walk)
    value = number.flatMap { Self(rawValue: $0) }
    if value == nil { try walk.coder.refuse() }
  }
}
