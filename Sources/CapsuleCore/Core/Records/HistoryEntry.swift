/// "It happened": when, with a number and notes where there are any.
public struct HistoryEntry: Hashable, Sendable {
  public package(set) var at = Instant.epoch
  public package(set) var value: ExactDecimal?
  public package(set) var notes = ""
  package private(set) var unknown: JSONObject = [:]

  /// Makes an entry; in place of a time outside the years 1 to 9999 stands the nearest inside.
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

extension Item {
  /// The entries of the history, the oldest first.
  package var numberedHistory: [NumberedEntry] {
    history.indices.map { place in
      NumberedEntry(
        number: place + 1, entry: history[place],
        interval: place > 0 ? history[place].at.seconds(since: history[place - 1].at) : nil)
    }
  }
}
