/// A text that is searched for, without regard to case, accents and the Unicode form.
package struct SearchText: Sendable {
  private let table: [Unicode.Scalar: String]
  private let wanted: [UInt8]

  /// A search for a text; an empty one is found everywhere.
  package init(_ wanted: String) {
    var table: [Unicode.Scalar: String] = [:]
    for group in Self.groups {
      for letter in group.letters.unicodeScalars { table[letter] = group.base }
    }
    self.table = table
    self.wanted = Self.fold(wanted, table)
  }

  /// Whether a text holds the one that is searched for.
  package func matches(_ text: String) -> Bool {
    let bytes = Self.fold(text, table)
    guard let first = wanted.first else { return true }
    guard bytes.count >= wanted.count else { return false }
    for start in 0...(bytes.count - wanted.count)
    where bytes[start] == first && bytes[start..<(start + wanted.count)].elementsEqual(wanted) {
      return true
    }
    return false
  }

  private static func fold(_ text: String, _ table: [Unicode.Scalar: String]) -> [UInt8] {
    var bytes: [UInt8] = []
    let lower = text.lowercased()
    if lower.utf8.allSatisfy({ $0 < 0x80 }) { return Array(lower.utf8) }
    for scalar in lower.unicodeScalars {
      if scalar.isASCII {
        bytes.append(UInt8(truncatingIfNeeded: scalar.value))
      } else if let base = table[scalar] {
        bytes += Array(base.utf8)
      } else if scalar.properties.generalCategory != .nonspacingMark {
        bytes += Array(String(Character(scalar)).utf8)
      }
    }
    return bytes
  }
}
