/// An amount of a currency, in whole minor units: never a binary fraction.
public struct Money: Hashable, Sendable {
  public private(set) var currency: Currency
  /// Cents of EUR, yen of JPY; not negative.
  public let minorUnits: Int64

  package init(minorUnits: Int64, _ currency: Currency) {
    self.minorUnits = minorUnits
    self.currency = currency
  }

  /// The reason why a text is not an amount.
  public enum Problem: Hashable, Sendable {
    /// It is not a code and a number.
    case form
    case unknownCurrency(String)
    /// More digits behind the point than the currency has.
    case tooFine(Currency)
    case negative
    case tooLarge
    /// A number alone, where no currency was set for such.
    case noCurrency
    /// A symbol of several currencies, none of which was set.
    case sharedSymbol(String, [String])
    /// Its one separator can be between thousands or before decimals.
    case twoReadings(Currency?, whole: String, decimal: String)
  }

  /// Reads `EUR 1200`, `1200.50 EUR`, `JPY 5000`: a code and a number, in either order, with a point
  /// before the minor units, no more of which are written than there are, and nothing between the thousands:
  /// `EUR 1.200` is 1200 elsewhere.
  public init(_ text: some StringProtocol) throws(Fault) {
    let words = text.split(whereSeparator: \.isWhitespace)
    guard words.count == 2 else { throw Fault(Problem.form) }
    let isCodeFirst = words[0].utf8.first.map { !Self.beginsNumber($0) } ?? false
    let (code, number) = isCodeFirst ? (words[0], words[1]) : (words[1], words[0])
    guard let amount = ExactDecimal(number) else {
      // So long a number is one, but it cannot be kept.
      let isNumber = number.utf8.allSatisfy { (0x30...0x39).contains($0) }
      throw Fault(isNumber && !number.isEmpty ? Problem.tooLarge : .form)
    }
    guard let currency = Currency(code) else { throw Fault(Problem.unknownCurrency(String(code))) }
    guard amount.scale <= currency.exponent else { throw Fault(Problem.tooFine(currency)) }
    try self.init(amount, currency)
  }

  /// An amount of a currency, where it is no finer than that can be paid.
  package init(_ amount: ExactDecimal, _ currency: Currency) throws(Fault) {
    guard amount.digits >= 0 else { throw Fault(Problem.negative) }
    guard let units = amount.digits(atScale: currency.exponent) else {
      throw Fault(amount.scale > currency.exponent ? Problem.tooFine(currency) : .tooLarge)
    }
    guard let units = Int64(exactly: units) else { throw Fault(Problem.tooLarge) }
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

  package mutating func walk<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure) {
    var number = amount
    try walk.member("currency", &currency, .listed)
    try walk.member("amount", &number, .listed)
    guard let decimal = ExactDecimal(number), let money = try? Money(decimal, currency) else {
      return try walk.refuse("amount", .invalid(number))
    }
    self = money
  }
}

extension Money {
  package static func brief<Coder: BriefCoder>(
    _ value: inout Money?, _ walk: inout BriefWalk<Coder>
  ) throws(Coder.Failure) {
    var currency = value?.currency
    var units = value?.minorUnits
    try Currency.brief(&currency, &walk)
    try Int64.brief(&units, &walk)
    if let currency, let units { value = Money(minorUnits: units, currency) }
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

  /// The sum as people read it: `EUR 1,200.00`.
  package var grouped: String {
    let amount = amount
    let whole = amount.prefix { $0 != "." }
    var text = ""
    for (place, digit) in whole.enumerated() {
      if place > 0, (whole.count - place).isMultiple(of: 3) { text += "," }
      text.append(digit)
    }
    return "\(currency.code) \(text)\(amount.dropFirst(whole.count))"
  }
}

extension MoneySum: CustomStringConvertible {
  package var description: String { "\(currency.code) \(amount)" }
}

/// A currency or fund by its code of ISO 4217, with the number of digits that its minor unit has.
public struct Currency: Hashable, Sendable {
  /// Three capital letters, as `EUR`.
  public let code: String
  /// The number of digits after the decimal point: 2 for EUR, 0 for JPY.
  public let exponent: Int

  /// The currency of a code, in capitals or not; `nil` for what ISO 4217 does not list.
  package init?(_ code: some StringProtocol) {
    guard code.utf8.count == 3 else { return nil }
    let wanted = code.uppercased()
    guard let exponent = Self.exponents[wanted] else { return nil }
    self.code = wanted
    self.exponent = exponent
  }

  private init(code: String, exponent: Int) {
    self.code = code
    self.exponent = exponent
  }

  /// The currency of an amount that is not read yet.
  static let unread = Currency(code: "", exponent: 0)

  /// The exponents by their codes: a list of thousands of items asks as often.
  private static let exponents = Dictionary(
    codes.flatMap { entry in
      entry.codes.split(separator: " ").map { (String($0), entry.exponent) }
    }, uniquingKeysWith: { first, _ in first })

  /// List one of ISO 4217 as the maintenance agency (SIX) publishes it, of 2025, by the exponent of
  /// the minor unit; without metals, test codes and what has no minor unit.
  private static let codes: [(exponent: Int, codes: String)] = [
    (
      2,
      """
      AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD \
      CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL \
      GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR \
      LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD \
      PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC \
      SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR \
      ZMW ZWG
      """
    ),
    (0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"),
    (3, "BHD IQD JOD KWD LYD OMR TND"),
    (4, "CLF UYW"),
  ]
}

/// A currency is its code in capitals; a record may have it in others.
extension Currency: FieldText {
  package init?(fieldText: String) { self.init(fieldText) }
  package var fieldText: String { code }
}

/// A decimal number as it was written: whole digits and a count of those behind the point.
///
/// It is never a binary fraction, so that sums and texts are exact.
public struct ExactDecimal: Hashable, Sendable {
  /// The number without its point; at most 27 digits.
  package let digits: Int128
  /// The number of digits behind the point, 0 to 18.
  package let scale: Int

  package static let scaleLimit = 18
  package static let digitLimit = 27

  /// - Parameter scale: taken as the nearest one that there can be.
  package init(digits: Int128, scale: Int) {
    self.digits = digits
    self.scale = min(max(scale, 0), Self.scaleLimit)
  }

  /// Reads `12`, `-0.50`, `+3`; `nil` for anything else: no exponent, no grouping, no bare point.
  public init?(_ text: some StringProtocol) {
    var value: Int128 = 0
    var (digits, scale) = (0, 0)
    var (isNegative, hasPoint, endsInDigit) = (false, false, false)
    for (position, byte) in text.utf8.enumerated() {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        // Zeros in front do not count.
        if digits > 0 || byte != UInt8(ascii: "0") { digits += 1 }
        guard digits <= Self.digitLimit else { return nil }
        value = value * 10 + Int128(byte - UInt8(ascii: "0"))
        if hasPoint { scale += 1 }
        endsInDigit = true
      case UInt8(ascii: ".") where endsInDigit && !hasPoint:
        (hasPoint, endsInDigit) = (true, false)
      case UInt8(ascii: "-") where position == 0: isNegative = true
      case UInt8(ascii: "+") where position == 0: continue
      default: return nil
      }
    }
    guard endsInDigit, scale <= Self.scaleLimit else { return nil }
    self.init(digits: isNegative ? -value : value, scale: scale)
  }

  /// Returns the number with so many digits behind the point; `nil` where some would be lost, or
  /// where it would have too many.
  package func digits(atScale wanted: Int) -> Int128? {
    guard (0...Self.scaleLimit).contains(wanted) else { return nil }
    var value = digits
    for _ in scale..<max(scale, wanted) {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      if overflow { return nil }
      value = product
    }
    for _ in wanted..<max(scale, wanted) {
      guard value % 10 == 0 else { return nil }
      value /= 10
    }
    return value
  }

  /// The nearest binary number, for drawings only.
  package var double: Double {
    Double(description) ?? 0
  }
}

extension ExactDecimal: CustomStringConvertible {
  /// As it was written, without a plus sign or zeros in front.
  public var description: String {
    var text = String(digits.magnitude)
    if scale > 0 {
      text = String(repeating: "0", count: max(0, scale + 1 - text.utf8.count)) + text
      text = "\(text.dropLast(scale)).\(text.suffix(scale))"
    }
    return digits < 0 ? "-" + text : text
  }
}

extension Money.Problem: FaultCause {
  package var code: Fault.Code { .usage }

  package var message: Fault.Message {
    switch self {
    case .form: "write an amount as a currency and a number, such as EUR 1200.50"
    case .unknownCurrency(let code): "\(code.quoted) is not a currency code of ISO 4217"
    case .tooFine(let currency):
      "an amount in \(currency.code) has at most \(currency.exponent) digits after the decimal point"
    case .negative: "an amount cannot be negative"
    case .tooLarge: "the amount is too large"
    case .noCurrency: "the amount has no currency"
    case .sharedSymbol(let symbol, let codes):
      "\(symbol.quoted) can mean \(codes.listed("or"))"
    case .twoReadings(let currency, let whole, let decimal):
      "the amount can mean \([currency?.code, whole].compactMap(\.self).joined(separator: " ")) or \(decimal)"
    }
  }
}
