/// A value that a field of a record can hold.
package protocol FieldValue {
  /// Reads the field's JSON.
  ///
  /// - Throws: ``FieldError``, whose path begins at the value.
  init(json: JSON) throws(FieldError)
  /// The JSON that the field holds.
  var json: JSON { get }
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
}

extension Int64: FieldValue {
  package init(json: JSON) throws(FieldError) {
    guard case .integer(let number) = json else { throw FieldError(.notA("integer")) }
    self = number
  }

  package var json: JSON { .integer(self) }
}

extension Int: FieldValue {
  package init(json: JSON) throws(FieldError) { self.init(clamping: try Int64(json: json)) }
  package var json: JSON { .integer(Int64(self)) }
}

extension Bool: FieldValue {
  package init(json: JSON) throws(FieldError) {
    guard case .bool(let flag) = json else { throw FieldError(.notA("boolean")) }
    self = flag
  }

  package var json: JSON { .bool(self) }
}

extension Array: FieldValue where Element: FieldValue {
  package init(json: JSON) throws(FieldError) {
    guard case .array(let elements) = json else { throw FieldError(.notA("array")) }
    self = []
    reserveCapacity(elements.count)
    for (position, element) in elements.enumerated() {
      do throws(FieldError) { append(try Element(json: element)) } catch {
        throw error.inside("[\(position)]")
      }
    }
  }

  package var json: JSON { .array(map { $0.json }) }
}

/// An instant is RFC 3339 in UTC.
extension Instant: FieldText {
  package init?(fieldText: String) { self.init(rfc3339: fieldText) }
  package var fieldText: String { rfc3339 }
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
}

/// A unit of time is its English word.
extension DurationUnit: FieldText {
  package init?(fieldText: String) {
    guard let unit = Self.allCases.first(where: { $0.name == fieldText }) else { return nil }
    self = unit
  }

  package var fieldText: String { name }
}
