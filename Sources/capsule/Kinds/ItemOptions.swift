import CapsuleCore

/// The options by which an item is described, in `item add` and `item edit`.
enum ItemOptions {
  static let reference = Parameter.operand(
    "ITEM", .reference(.item), "An id, the start of one, or a name")
  static let description = Parameter.option(
    "description", value: "TEXT", .text, "A description of the item")
  static let notes = Parameter.option(
    "notes", value: "TEXT", .text, "Private notes, which are not handed over")
  static let category = Parameter.option(
    "category", value: "CATEGORY", .text(completing: .category), "A category, such as Jewelry")
  static let value = Parameter.option(
    "value", value: "MONEY", .text, "The value of one piece, such as 'EUR 1200'")
  static let replacementValue = Parameter.option(
    "replacement-value", value: "MONEY", .text, "The price of a new one")
  static let quantity = Parameter.option(
    "quantity", value: "N", .integer(1...Int(Item.quantityLimit)), "How many pieces there are")
  static let location = Parameter.option("location", value: "PLACE", .text, "Where the item is")
  static let tag = Parameter.options("tag", value: "TAG", .text, "A word to find the item by")

  static let all: Parameters = [
    description, notes, category, value, replacementValue, quantity, location, tag,
  ]

  static func check(name: String) throws {
    try RecordFault.check(name: name, of: .item)
  }

  /// Reads an amount; an empty text and `none` are no amount.
  static func money(_ text: String, option: String) throws -> Money? {
    if text.isEmpty || text == "none" { return nil }
    do throws(Money.Problem) { return try Money(text) } catch {
      let hint = "give a currency of ISO 4217 and a number, as 'EUR 1200' or '49.90 USD'"
      switch error {
      case .form where text.utf8.contains(UInt8(ascii: ",")):
        throw Failure.usage(
          "'\(text)' is no amount for '\(option)'",
          hint: "a point stands before the cents, and nothing between the thousands: 'EUR 1200.50'")
      case .form: throw Failure.usage("'\(text)' is no amount for '\(option)'", hint: hint)
      case .unknownCurrency(let code):
        throw Failure.usage("'\(code)' is no currency of ISO 4217", hint: hint)
      case .tooFine(let currency):
        throw Failure.usage(
          "'\(text)' is finer than \(currency.code) can be paid",
          hint:
            "\(currency.code) has \(currency.exponent) digits behind the point, which never stands between "
            + "thousands: 'EUR 1200'")
      case .negative:
        throw Failure.usage("'\(text)' is less than nothing", hint: "values are 0 or more")
      case .tooLarge:
        throw Failure.usage(
          "'\(text)' is more than can be kept",
          hint: "at most 9223372036854775807 of the smallest unit")
      }
    }
  }

  /// Puts what was given into an item.
  static func apply(_ invocation: Invocation, to item: inout Item) throws {
    if let text = invocation[description] { item.description = text }
    if let text = invocation[notes] { item.notes = text }
    if let text = invocation[category] { item.category = text.trimmed }
    if let text = invocation[location] { item.location = text.trimmed }
    if let text = invocation[value] { item.value = try money(text, option: "--value") }
    if let text = invocation[replacementValue] {
      item.replacementValue = try money(text, option: "--replacement-value")
    }
    if let count = invocation[quantity] { item.quantity = Int64(count) }
    for tag in invocation[tag] where !item.tags.contains(tag) { item.tags.append(tag) }
  }

  /// A decimal number of the command line.
  static func decimal(_ text: String, option: String) throws -> ExactDecimal {
    if let value = ExactDecimal(text) { return value }
    let isOfDigits = text.utf8.allSatisfy { byte in
      byte.isASCIIDigit || [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+")].contains(byte)
    }
    throw Failure.usage(
      "'\(text.shortened)' is no number for '\(option)'",
      hint: isOfDigits && text.utf8.count > ExactDecimal.scaleLimit
        ? "it takes \(ExactDecimal.digitLimit) digits, at most \(ExactDecimal.scaleLimit) of them "
          + "behind the point"
        : "give digits with at most a sign and a point, as 42 or 12.5")
  }
}
