import CapsuleCore
import TestSupport
import Testing

@testable import CoreTestHelpers

@Suite struct MoneyTests {
  @Test(
    arguments: [
      ("EUR 1200", "EUR 1200.00"), ("1200.5 eur", "EUR 1200.50"), ("JPY 5000", "JPY 5000"),
      ("KWD 1.234", "KWD 1.234"), ("EUR 0", "EUR 0.00"), ("CLF 1.0001", "CLF 1.0001"),
      ("EUR 92233720368547758.07", "EUR 92233720368547758.07"), ("EUR 1.50", "EUR 1.50"),
    ])
  func `an amount is read and told exactly`(text: String, shown: String) throws {
    try expect(Money(text).description, is: shown)
  }

  @Test(
    arguments: [
      ("12", .form), ("EUR", .form), ("EUR 1,200", .form), ("EUR 1e3", .form), ("EUR .5", .form),
      ("XXY 1", .unknownCurrency("XXY")), ("JPY 1.5", .tooFine(Currency("JPY"))),
      ("EUR 0.001", .tooFine(Currency("EUR"))),
      ("EUR 1.200", .tooFine(Currency("EUR"))), ("JPY 1.000", .tooFine(Currency("JPY"))),
      ("EUR -1", .negative),
      ("EUR 92233720368547758.08", .tooLarge),
      ("EUR 1234567890123456789012345678901234567890", .tooLarge), ("EUR 1,200.50", .form),
      ("EUR1200", .form), ("EUR 1 200", .form), ("1200 1200", .unknownCurrency("1200")),
    ] as [(String, Expected)])
  func `what is no amount is refused with the reason`(text: String, expected: Expected) {
    expect {
      try Money(text)
    } throws: { error in
      switch ((error as? Fault)?.cause as? Money.Problem, expected) {
      case (.form, .form), (.negative, .negative), (.tooLarge, .tooLarge): true
      case (.unknownCurrency(let one)?, .unknownCurrency(let other)): one == other
      case (.tooFine(let one)?, .tooFine(let other)): one == other
      default: false
      }
    }
  }

  @Test(
    arguments: [
      ("", "write an amount as a currency and a number, such as EUR 1200.50"),
      ("EUR 1/2", "write an amount as a currency and a number, such as EUR 1200.50"),
      ("EUR 1.200.50,-", "write an amount as a currency and a number, such as EUR 1200.50"),
      ("XXY 1", "'XXY' is not a currency code of ISO 4217"),
      ("JPY 1.5", "an amount in JPY has at most 0 digits after the decimal point"),
      (
        "EUR 0.1234567890123456789012345678901234567890",
        "an amount in EUR has at most 2 digits after the decimal point"
      ),
      ("-5 EUR", "an amount cannot be negative"),
      ("EUR 12345678901234567890123456", "the amount is too large"),
      ("EUR 123456789012345678901234567890", "the amount is too large"),
      ("12", "the amount has no currency"),
      ("1.200", "the amount can mean 1200 or 1.200"),
      ("1.200 EUR", "the amount can mean EUR 1200 or 1.200"),
      ("kr 5", "'kr' can mean SEK, NOK, DKK or ISK"),
    ])
  func `an amount as people write it is refused in words that say why`(text: String, words: String)
  {
    let fault = expect(throws: Fault.self) { try Money(written: text) }
    expect(fault?.description, is: words)
  }

  @Test(
    arguments: [
      ("CHF 1'200.50", "CHF 1200.50"), ("1\u{2019}200,50 €", "EUR 1200.50"),
      ("+5 EUR", "EUR 5.00"), ("1200,- €", "EUR 1200.00"), ("1 200 000 EUR", "EUR 1200000.00"),
    ])
  func `an amount is read as people write it`(text: String, shown: String) throws {
    try expect(Money(written: text).description, is: shown)
  }

  enum Expected: Sendable {
    case form, negative, tooLarge
    case unknownCurrency(String)
    case tooFine(Currency?)
  }

  @Test func `sums over 100,000 items in 20 currencies are exact`() throws {
    let count = TestScale.count(full: 100_000, debug: 10_000)
    let codes = [
      "EUR", "USD", "JPY", "KWD", "CLF", "GBP", "CHF", "SEK", "PLN", "INR", "BRL", "TND", "KRW",
      "ISK", "UYW", "CAD", "AUD", "MXN", "ZAR", "BHD",
    ]
    let currencies = try codes.map { try require(Currency($0)) }
    expect(Set(currencies.map(\.exponent)), is: [0, 2, 3, 4])
    var numbers = SeededGenerator(seed: 5)
    var totals = ItemTotals()
    var expected: [String: DigitSum] = [:]
    for place in 0..<count {
      let currency = currencies[place % 20]
      var item = Item(
        header: RecordHeader(
          id: RecordID(high: 1, low: UInt64(place)), createdAt: .init(seconds: 0)),
        name: "\(place)")
      let units = Int64.random(in: 0...Int64.max, using: &numbers)
      let money = Money(minorUnits: units, currency)
      item.value = money
      item.quantity = Int64.random(in: 1...3, using: &numbers)
      item.category = "c\(place % 7)"
      totals.add(item.brief)
      for _ in 0..<item.quantity {
        expected[currency.code, default: DigitSum()].add(money.amount)
      }
    }
    expect(totals.byGroup.count, is: 140)
    expect(totals.all.count, is: 20)
    for row in totals.all {
      expect(row.value.amount, is: expected[row.value.currency.code]?.text)
      expect(row.items == count / 20)
    }
  }

  @Test func `the most that can be kept adds up without overflow`() throws {
    let currency = try require(Currency("EUR"))
    var sum = MoneySum(currency)
    let most = Money(minorUnits: .max, currency)
    for _ in 0..<1000 { sum.add(most, times: Item.quantityLimit) }
    // By Python: (2**63 - 1) * 10**12, in cents.
    expect(sum.amount, is: "92233720368547758070000000000.00")
  }

  /// A sum of decimal texts, added by hand: digit under digit with a carry.
  private struct DigitSum {
    /// The least first.
    private var digits: [UInt8] = []
    private var scale = 0

    mutating func add(_ amount: String) {
      scale = amount.split(separator: ".").dropFirst().first?.count ?? 0
      var carry: UInt8 = 0
      for (place, digit) in amount.utf8.reversed().filter({ $0 != 0x2e }).enumerated() {
        if place == digits.count { digits.append(0) }
        let sum = digits[place] + digit - 0x30 + carry
        digits[place] = sum % 10
        carry = sum / 10
      }
      var place = amount.utf8.count - (scale > 0 ? 1 : 0)
      while carry > 0 {
        if place == digits.count { digits.append(0) }
        let sum = digits[place] + carry
        digits[place] = sum % 10
        carry = sum / 10
        place += 1
      }
    }

    var text: String {
      let all = String(decoding: digits.reversed().map { $0 + 0x30 }, as: UTF8.self)
      return scale > 0 ? "\(all.dropLast(scale)).\(all.suffix(scale))" : all
    }
  }

  @Test(
    arguments: [
      ("1.50", "1.50"), ("-0.5", "-0.5"), ("007", "7"), ("+3", "3"), ("0.000", "0.000"),
      ("123456789012345678901234567", "123456789012345678901234567"),
    ])
  func `a decimal keeps its digits`(text: String, shown: String) {
    expect(ExactDecimal(text)?.description, is: shown)
  }

  @Test(arguments: [
    "", ".", "1.", ".1", "1e3", "0x1", "1 2", "--1", "٣", "1234567890123456789012345678",
  ])
  func `what is no decimal is refused`(text: String) {
    expect(ExactDecimal(text) == nil)
  }
}
