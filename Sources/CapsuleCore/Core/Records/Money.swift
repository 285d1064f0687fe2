/// An amount of a currency, in whole minor units: never a binary fraction.
public struct Money: Hashable, Sendable {
  public private(set) var currency: Currency
  /// Cents of EUR, yen of JPY; not negative.
  public let minorUnits: Int64

  package init(minorUnits: Int64, _ currency: Currency) {
    self.minorUnits = minorUnits
    self.currency = currency
  }

  /// The reason for which a text is no amount.
  public enum Problem: Error, Hashable, Sendable {
    /// It is not a code and a number.
    case form
    case unknownCurrency(String)
    /// More digits behind the point than the currency has.
    case tooFine(Currency)
    case negative
    case tooLarge
  }

  /// Reads `EUR 1200`, `1200.50 EUR`, `JPY 5000`: a code and a number, in either order, with a point
  /// before the minor units, no more of which are written than there are, and nothing between the thousands:
  /// `EUR 1.200` is 1200 elsewhere.
  public init(_ text: some StringProtocol) throws(Problem) {
    let words = text.split(whereSeparator: \.isWhitespace)
    guard words.count == 2 else { throw .form }
    let isCodeFirst = words[0].utf8.first.map { !Self.beginsNumber($0) } ?? false
    let (code, number) = isCodeFirst ? (words[0], words[1]) : (words[1], words[0])
    guard let amount = ExactDecimal(number) else {
      // So long a number is one, but it cannot be kept.
      let isNumber = number.utf8.allSatisfy { (0x30...0x39).contains($0) }
      throw isNumber && !number.isEmpty ? .tooLarge : .form
    }
    guard let currency = Currency(code) else { throw .unknownCurrency(String(code)) }
    guard amount.scale <= currency.exponent else { throw .tooFine(currency) }
    try self.init(amount, currency)
  }

  /// An amount of a currency, where it is no finer than that can be paid.
  package init(_ amount: ExactDecimal, _ currency: Currency) throws(Problem) {
    guard amount.digits >= 0 else { throw .negative }
    guard let units = amount.digits(atScale: currency.exponent) else {
      throw amount.scale > currency.exponent ? .tooFine(currency) : .tooLarge
    }
    guard let units = Int64(exactly: units) else { throw .tooLarge }
    self.init(minorUnits: units, currency)
  }

  private static func beginsNumber(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
      || byte == UInt8(ascii: ".")
  }

  /// The number with all digits of its currency: `1200.00`.
  package var amount: String {
    ExactDecimal(digits: Int128(minorUnits), scale: currency.exponent).description
  }
}

extension Money: CustomStringConvertible {
  public var description: String { "\(currency.code) \(amount)" }
}

extension Money: RecordPart {
  package static var blank: Money { Money(minorUnits: 0, .unread) }

  package mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
    var number = amount
    try coder.field("currency", &currency)
    try coder.field("amount", &number)
    guard let decimal = ExactDecimal(number), let money = try? Money(decimal, currency) else {
      return try coder.refuse("amount", .invalid(number))
    }
    self = money
  }
}

/// A sum of amounts of one currency: exact for as many items as there can be; a sum beyond 128 bits
/// stops at their end.
package struct MoneySum: Hashable, Sendable {
  package let currency: Currency
  package private(set) var minorUnits: Int128 = 0
  /// Whether no amount was added: a sum of nothing is not a sum of 0.
  package private(set) var isEmpty = true

  package init(_ currency: Currency) {
    self.currency = currency
  }

  package mutating func add(_ money: Money, times count: Int64) {
    add(Int128(money.minorUnits) * Int128(count))
    isEmpty = false
  }

  package mutating func add(_ other: MoneySum) {
    add(other.minorUnits)
    isEmpty = isEmpty && other.isEmpty
  }

  private mutating func add(_ units: Int128) {
    minorUnits = minorUnits.addingClamped(units)
  }

  /// The number with all digits of its currency.
  package var amount: String {
    ExactDecimal(digits: minorUnits, scale: currency.exponent).description
  }
}

extension MoneySum: CustomStringConvertible {
  package var description: String { "\(currency.code) \(amount)" }
}
