/// An amount as a spreadsheet writes it: `$1,129.99`, `1.129,99 €`, `CHF 1'129.50`.
struct SpreadsheetAmount {
  private let words: [String]

  init(_ text: String) {
    var pieces: [String] = []
    var isNumber = false
    for scalar in text.unicodeScalars where !scalar.properties.isWhitespace {
      // A point behind letters is theirs: `Fr. 120`.
      let isDigit =
        "0123456789-+".unicodeScalars.contains(scalar)
        || (isNumber || pieces.isEmpty) && ".,'\u{2019}".unicodeScalars.contains(scalar)
      if pieces.isEmpty || isDigit != isNumber { pieces.append("") }
      pieces[pieces.count - 1].unicodeScalars.append(scalar)
      isNumber = isDigit
    }
    words = pieces.map { Self.plainNumber($0) ?? $0 }
  }

  /// Returns the currency's code and the number, in their order. A symbol that several currencies have is that of
  /// the one that was given for all.
  func words(of given: Currency?) -> [String] {
    words.map { word in
      guard let codes = Self.codes(word) else { return word }
      return codes.count == 1 ? codes[0] : given?.code ?? word
    }
  }

  /// Returns a symbol in it that is not one of a currency; `nil` where there is none.
  func symbol(notOf currency: Currency) -> String? {
    words.first { word in
      Self.isSymbol(word) && Self.codes(word)?.contains(currency.code) == false
    }
  }

  private static func codes(_ word: String) -> [String]? {
    Currency(word) == nil ? Currency.codes(ofSymbol: word) : nil
  }

  /// Whether a word is a symbol that several currencies have.
  static func isSymbol(_ word: String) -> Bool { (codes(word)?.count ?? 0) > 1 }

  /// Returns a number with a point before its decimals, and nothing between its thousands; `nil` where it is not
  /// certain which sign is which.
  private static func plainNumber(_ text: String) -> String? {
    let number = String(
      String.UnicodeScalarView(
        text.unicodeScalars.filter { $0 != "'" && $0 != "\u{2019}" }))
    let signs = number.unicodeScalars.filter { $0 == "," || $0 == "." }
    guard let last = signs.last else { return number }
    let parts = number.unicodeScalars.split(omittingEmptySubsequences: false) {
      $0 == "," || $0 == "."
    }.map(String.init)
    let groups = parts.dropFirst()
    let areThousands = groups.allSatisfy { $0.utf8.count == 3 }
    // The last sign is another one than all before it, or the same one throughout.
    if signs.allSatisfy({ $0 == last }) {
      if signs.count > 1 { return areThousands ? parts.joined() : nil }
      let isDecimal = last == "." || (1...2).contains(parts[1].utf8.count)
      return isDecimal ? parts.joined(separator: ".") : nil
    }
    guard signs.filter({ $0 == last }).count == 1,
      groups.dropLast().allSatisfy({ $0.utf8.count == 3 })
    else { return nil }
    return parts.dropLast().joined() + "." + parts[parts.count - 1]
  }
}
