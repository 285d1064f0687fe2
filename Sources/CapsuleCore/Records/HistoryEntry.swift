/// "It happened": when, with a number and notes where there are any.
package struct HistoryEntry: Hashable, Sendable {
  package let at: Instant
  package let value: ExactDecimal?
  package let notes: String
  package let unknown: JSONObject

  package init(at: Instant, value: ExactDecimal?, notes: String) {
    self.at = at
    self.value = value
    self.notes = notes
    unknown = [:]
  }
}

extension HistoryEntry: RecordPart {
  package init(reading reader: inout FieldReader) throws(FieldError) {
    at = try reader.instant("at")
    notes = try reader.optionalString("notes") ?? ""
    switch reader.take("value") {
    case nil: value = nil
    case .integer(let number)?: value = ExactDecimal(digits: Int128(number), scale: 0)
    case .number(let number)?:
      guard let decimal = ExactDecimal(number.text) else {
        throw reader.error("value", .invalid(number.text))
      }
      value = decimal
    case _?: throw reader.error("value", .notA("number"))
    }
    unknown = reader.rest
  }

  package var fields: JSONObject {
    var fields = unknown
    fields["at"] = .instant(at)
    fields["value"] = value?.json ?? .null
    fields["notes"] = .string(notes)
    return fields
  }
}

extension ExactDecimal {
  /// A JSON number with exactly these digits.
  package var json: JSON {
    JSONNumber(description).map { number in
      Int64(number.text).flatMap { $0 == 0 && number.text != "0" ? nil : .integer($0) }
        ?? .number(number)
    } ?? .null
  }
}

/// What a history comes to.
package struct HistoryFigures: Hashable, Sendable {
  package var count: Int64 = 0
  package var first: Instant?
  package var last: Instant?
  package var lastValue: ExactDecimal?
  /// Seconds of the longest time between two entries; `nil` with fewer than two.
  package var longest: Int64?

  package init() {}

  /// - Parameter history: in order of time.
  package init(_ history: [HistoryEntry]) {
    count = Int64(history.count)
    first = history.first?.at
    last = history.last?.at
    lastValue = history.last?.value
    longest = zip(history, history.dropFirst()).map { $1.at.seconds(since: $0.at) }.max()
  }

  /// Seconds between two entries on average, rounded down; `nil` with fewer than two.
  package var average: Int64? {
    guard let first, let last, count > 1 else { return nil }
    return last.seconds(since: first) / (count - 1)
  }
}
