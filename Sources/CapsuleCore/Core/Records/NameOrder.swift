/// The order of names as people sort them: `Box 2` before `Box 10`, `Ärmel` beside `Arm`.
package enum NameOrder {
  /// Returns a text by whose plain order names are sorted: case and accents decide only between names that are
  /// equal otherwise, and a run of digits counts by its value.
  package static func key(_ name: String) -> String {
    let exact = NameKey(name).text
    let isASCII = name.utf8.allSatisfy { $0 < 0x80 }
    let hasDigits = exact.utf8.contains(where: \.isASCIIDigit)
    if isASCII, !hasDigits { return exact }
    let folded = isASCII ? Array(exact.utf8) : folding.fold(name)
    let key = String(decoding: hasDigits ? numbersInOrder(folded) : folded, as: UTF8.self)
    return "\(key)\u{1}\(exact)"
  }

  private static let folding = TextFolding()

  /// The most digits of a number whose length counts: the length is a character of ASCII.
  private static let lengthLimit = 90

  /// Returns the text with the length of each number before its digits, and no zeros in front of them.
  private static func numbersInOrder(_ text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count + 4)
    var start = text.startIndex
    while start < text.endIndex {
      guard text[start].isASCIIDigit else {
        result.append(text[start])
        start += 1
        continue
      }
      let end = text[start...].firstIndex { !$0.isASCIIDigit } ?? text.endIndex
      let digits = text[start..<end].drop { $0 == UInt8(ascii: "0") }
      // The zero keeps numbers where digits are among other characters.
      result.append(UInt8(ascii: "0"))
      result.append(UInt8(ascii: "!") + UInt8(min(digits.count, lengthLimit)))
      result += digits
      start = end
    }
    return result
  }
}
