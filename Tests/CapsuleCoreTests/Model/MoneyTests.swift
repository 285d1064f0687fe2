import CapsuleCore
import Testing

@Suite struct MoneyTests {
  @Test(
    arguments: [
      ("EUR 1200", "EUR 1200.00"), ("1200.5 eur", "EUR 1200.50"), ("JPY 5000", "JPY 5000"),
      ("KWD 1.234", "KWD 1.234"), ("EUR 0", "EUR 0.00"), ("CLF 1.0001", "CLF 1.0001"),
      ("EUR 92233720368547758.07", "EUR 92233720368547758.07"), ("EUR 1.500", "EUR 1.50"),
    ])
  func `an amount is read and told exactly`(text: String, shown: String) throws {
    #expect(try Money(text).description == shown)
  }

  @Test(
    arguments: [
      ("12", .form), ("EUR", .form), ("EUR 1,200", .form), ("EUR 1e3", .form), ("EUR .5", .form),
      ("XXY 1", .unknownCurrency("XXY")), ("JPY 1.5", .tooFine(Currency("JPY"))),
      ("EUR 0.001", .tooFine(Currency("EUR"))), ("EUR -1", .negative),
      ("EUR 92233720368547758.08", .tooLarge),
    ] as [(String, Expected)])
  func `what is no amount is refused with the reason`(text: String, expected: Expected) {
    #expect { try Money(text) } throws: { error in
      switch (error as? Money.Problem, expected) {
      case (.form, .form), (.negative, .negative), (.tooLarge, .tooLarge): true
      case (.unknownCurrency(let one)?, .unknownCurrency(let other)): one == other
      case (.tooFine(let one)?, .tooFine(let other)): one == other
      default: false
      }
    }
  }

  enum Expected: Sendable {
    case form, negative, tooLarge
    case unknownCurrency(String)
    case tooFine(Currency?)
  }

  @Test func `sums over 100,000 items in 20 currencies are exact`() throws {
    let codes = [
      "EUR", "USD", "JPY", "KWD", "CLF", "GBP", "CHF", "SEK", "PLN", "INR", "BRL", "TND", "KRW",
      "ISK", "UYW", "CAD", "AUD", "MXN", "ZAR", "BHD",
    ]
    let currencies = try codes.map { try #require(Currency($0)) }
    var numbers = SeededGenerator(seed: 5)
    var totals = ItemTotals()
    var expected: [String: (units: Int128, items: Int64)] = [:]
    for place in 0..<100_000 {
      let currency = currencies[place % 20]
      var item = Item(
        header: RecordHeader(
          id: RecordID(high: 1, low: UInt64(place)), createdAt: .init(seconds: 0)),
        name: "\(place)")
      let units = Int64.random(in: 0...Int64.max, using: &numbers)
      item.value = Money(minorUnits: units, currency)
      item.quantity = Int64.random(in: 1...3, using: &numbers)
      item.category = "c\(place % 7)"
      totals.add(item.summary)
      expected[currency.code, default: (0, 0)].units += Int128(units) * Int128(item.quantity)
      expected[currency.code, default: (0, 0)].items += 1
    }
    #expect(totals.byCategory.count == 140)
    #expect(totals.all.count == 20)
    for row in totals.all {
      let sum = try #require(expected[row.value.currency.code])
      #expect(row.value.minorUnits == sum.units)
      #expect(row.items == sum.items)
      #expect(ExactDecimal(row.value.amount)?.digits == sum.units)
    }
  }

  @Test(
    arguments: [
      ("1.50", "1.50"), ("-0.5", "-0.5"), ("007", "7"), ("+3", "3"), ("0.000", "0.000"),
      ("123456789012345678901234567", "123456789012345678901234567"),
    ])
  func `a decimal keeps its digits`(text: String, shown: String) {
    #expect(ExactDecimal(text)?.description == shown)
  }

  @Test(arguments: [
    "", ".", "1.", ".1", "1e3", "0x1", "1 2", "--1", "٣", "1234567890123456789012345678",
  ])
  func `what is no decimal is refused`(text: String) {
    #expect(ExactDecimal(text) == nil)
  }
}
