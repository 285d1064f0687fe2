/// An amount as people write it: `1200 €`, `$1,129.99`, `1.200,00 EUR`, `1 200,50 kr`, `EUR1200`.
///
/// It is taken apart into a number and a word or symbol, on either side of it.
struct AmountText {
  private let text: String
  private let word: String
  private var isNegative = false
  /// Whether a dash stands in the place of the decimals.
  private var isWhole = false
  /// The digits of each group, with the separators between them; a space for every blank.
  private let groups: [String]
  private let separators: [Unicode.Scalar]

  init(_ text: String) throws(Fault) {
    let scalars = Array(text.unicodeScalars)
    guard let first = scalars.firstIndex(where: Self.isDigit),
      let last = scalars.lastIndex(where: Self.isDigit)
    else { throw Fault(Money.Problem.form) }
    var around = (before: scalars[..<first], after: scalars[(last + 1)...])
    around.before.removeAll(where: Self.isBlank)
    around.after.removeAll(where: Self.isBlank)
    for sign: Unicode.Scalar in ["-", "\u{2212}", "+"] {
      guard around.before.first == sign || around.before.last == sign else { continue }
      if around.before.first == sign {
        around.before.removeFirst()
      } else {
        around.before.removeLast()
      }
      isNegative = sign != "+"
      break
    }
    // `1200,- €`: a dash in the place of the decimals.
    if let mark = around.after.first, let dash = around.after.dropFirst().first,
      mark == "," || mark == ".", ["-", "\u{2013}", "\u{2014}"].contains(dash)
    {
      around.after.removeFirst(2)
      isWhole = true
    }
    guard around.before.isEmpty || around.after.isEmpty else { throw Fault(Money.Problem.form) }
    var word = String.UnicodeScalarView()
    word.append(contentsOf: around.before.isEmpty ? around.after : around.before)

    var groups = [""]
    var separators: [Unicode.Scalar] = []
    for scalar in scalars[first...last] {
      if Self.isDigit(scalar) {
        groups[groups.count - 1].unicodeScalars.append(scalar)
      } else if let separator = Self.separator(scalar), !groups[groups.count - 1].isEmpty {
        separators.append(separator)
        groups.append("")
      } else {
        throw Fault(Money.Problem.form)
      }
    }
    self.text = text
    self.word = String(word)
    self.groups = groups
    self.separators = separators
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }

  private static func separator(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar {
    case ".", ",": scalar
    case "'", "\u{2019}": "'"
    default: isBlank(scalar) ? " " : nil
    }
  }

  /// Reads the amount.
  ///
  /// - Parameter preferred: the currency of a bare number, and of a symbol that it shares with others.
  func money(preferred: () -> Currency?) throws(Fault) -> Money {
    let currency = try currency(preferred)
    let number = try number(of: currency)
    guard let amount = ExactDecimal(isNegative ? "-" + number : number) else {
      let isFine = number.utf8.contains(UInt8(ascii: "."))
      throw Fault(isFine ? Money.Problem.tooFine(currency) : .tooLarge)
    }
    guard amount.digits < 0 || amount.scale <= currency.exponent else {
      throw Fault(Money.Problem.tooFine(currency))
    }
    return try Money(amount, currency)
  }

  private func currency(_ preferred: () -> Currency?) throws(Fault) -> Currency {
    if word.isEmpty {
      if let currency = preferred() { return currency }
      if isAmbiguous {
        throw Fault(Money.Problem.twoReadings(nil, whole: groups.joined(), decimal: asDecimal))
      }
      throw Fault(Money.Problem.noCurrency)
    }
    if let currency = Currency(word) { return currency }
    guard let codes = Currency.codes(ofSymbol: word) else {
      throw Fault(Money.Problem.unknownCurrency(word))
    }
    if codes.count > 1, let preferred = preferred(), codes.contains(preferred.code) {
      return preferred
    }
    guard codes.count == 1 || Currency.isUsedAlone(symbol: word), let first = Currency(codes[0])
    else { throw Fault(Money.Problem.sharedSymbol(word, codes)) }
    return first
  }

  /// Returns the number with a point before its decimals, and nothing between its thousands.
  private func number(of currency: Currency) throws(Fault) -> String {
    guard let last = separators.last else { return groups[0] }
    if isWhole {
      guard separators.allSatisfy({ $0 == last }), Self.areThousands(groups) else {
        throw Fault(Money.Problem.form)
      }
      return groups.joined()
    }
    if separators.count == 1, last == "." || last == "," {
      guard isAmbiguous else { return asDecimal }
      let fits = currency.exponent >= 3
      // As the program writes it.
      if last == ".", fits { return asDecimal }
      if last == ",", !fits, !word.isEmpty { return groups.joined() }
      throw Fault(Money.Problem.twoReadings(currency, whole: groups.joined(), decimal: asDecimal))
    }
    let isDecimal =
      (last == "." || last == ",") && separators.dropLast().allSatisfy { $0 != last }
    let whole = isDecimal ? Array(groups.dropLast()) : groups
    let between = isDecimal ? separators.dropLast() : separators[...]
    guard between.allSatisfy({ $0 == between.first }), Self.areThousands(whole) else {
      throw Fault(Money.Problem.form)
    }
    return isDecimal ? asDecimal : groups.joined()
  }

  /// The number where its last separator stands before the decimals.
  private var asDecimal: String {
    groups.dropLast().joined() + "." + groups[groups.count - 1]
  }

  /// Whether the one separator can be between thousands and before decimals.
  private var isAmbiguous: Bool {
    separators.count == 1 && [".", ","].contains(separators[0]) && Self.areThousands(groups)
      && !isWhole
  }

  /// Whether groups are of three digits each behind the first, or of two and then three, as in India.
  private static func areThousands(_ groups: [String]) -> Bool {
    let (first, rest) = (groups[0], groups.dropFirst())
    guard let last = rest.last, last.utf8.count == 3, first.utf8.first != UInt8(ascii: "0")
    else { return false }
    return first.utf8.count <= 3 && rest.allSatisfy { $0.utf8.count == 3 }
      || first.utf8.count <= 2 && rest.dropLast().allSatisfy { $0.utf8.count == 2 }
  }
}

extension Money {
  /// Reads an amount as people write it.
  ///
  /// - Parameter preferred: the currency of a bare number, and of a symbol that it shares with others.
  package init(written text: String, preferred: () -> Currency? = { nil }) throws(Fault) {
    self = try AmountText(text).money(preferred: preferred)
  }
}

extension Currency {
  /// The codes of the currencies that have a symbol, in capitals or not; `nil` for a word that is none.
  static func codes(ofSymbol word: String) -> [String]? { symbols[word.lowercased()] }

  /// Whether a symbol of several currencies is by itself understood to mean the first.
  static func isUsedAlone(symbol: String) -> Bool {
    ["$", "¥", "dollar", "dollars"].contains(symbol.lowercased())
  }

  private static let symbols: [String: [String]] = {
    var symbols: [String: [String]] = [
      "$": [
        "USD", "ARS", "AUD", "BBD", "BMD", "BND", "BSD", "BZD", "CAD", "CLP", "COP", "FJD", "GYD",
        "HKD", "JMD", "KYD", "LRD", "MXN", "NAD", "NZD", "SBD", "SGD", "SRD", "TTD", "TWD", "XCD",
      ],
      "¥": ["JPY", "CNY"], "kr": ["SEK", "NOK", "DKK", "ISK"],
    ]
    for entry in [
      "€ EUR", "£ GBP", "us$ USD", "fr. CHF", "fr CHF", "zł PLN", "kč CZK", "₹ INR", "₽ RUB",
      "₺ TRY", "₩ KRW", "₴ UAH", "r$ BRL", "a$ AUD", "au$ AUD", "c$ CAD", "ca$ CAD", "nz$ NZD",
      "hk$ HKD", "s$ SGD", "mx$ MXN", "₪ ILS", "₫ VND", "฿ THB", "₱ PHP", "₦ NGN", "ft HUF",
      "euro EUR", "euros EUR", "pound GBP", "pounds GBP",
    ] {
      let words = entry.split(separator: " ").map(String.init)
      symbols[words[0]] = [words[1]]
    }
    symbols["kr."] = symbols["kr"]
    symbols["￥"] = symbols["¥"]
    for word in ["dollar", "dollars"] { symbols[word] = symbols["$"] }
    return symbols
  }()
}
