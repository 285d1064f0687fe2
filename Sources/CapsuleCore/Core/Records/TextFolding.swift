/// The form in which texts are searched: small letters without accents, in one spelling of the many
/// that Unicode has for some, with a space for each blank.
///
/// The folding of a text is that of its scalars, one behind the other: what a text holds, its folding
/// holds.
package struct TextFolding: Sendable {
  /// The folding of small letters that do not stay as they are.
  private let table: [Unicode.Scalar: [UInt8]]

  package init() {
    var table: [Unicode.Scalar: [UInt8]] = [:]
    table.reserveCapacity(3000)
    for entry in Self.decompositions.unicodeScalars.split(separator: " ") {
      guard let letter = entry.first, !letter.properties.isWhitespace else { continue }
      table[letter] = Array(String(entry.dropFirst()).utf8)
    }
    for group in SearchText.groups {
      let base = Array(group.base.utf8)
      for letter in group.letters.unicodeScalars { table[letter] = base }
    }
    self.table = table
  }

  /// Returns the folding of a text.
  package func fold(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    fold(text, to: &bytes)
    return bytes
  }

  /// Appends the folding of a text.
  package func fold(_ text: String, to bytes: inout [UInt8]) {
    let utf8 = text.utf8
    bytes.makeRoom(for: utf8.count)
    if utf8.allSatisfy({ $0 < 0x80 }) {
      for byte in utf8 { bytes.append(Self.folded(byte)) }
    } else {
      for scalar in text.unicodeScalars { fold(scalar, to: &bytes) }
    }
  }

  /// Appends the folding of a scalar.
  func fold(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
    if scalar.isASCII {
      return bytes.append(Self.folded(UInt8(truncatingIfNeeded: scalar.value)))
    }
    if let base = table[scalar] { return bytes.append(contentsOf: base) }
    if let jamo = Self.jamo(of: scalar) { return bytes.append(contentsOf: jamo) }
    let properties = scalar.properties
    if properties.isWhitespace { return bytes.append(UInt8(ascii: " ")) }
    for small in properties.lowercaseMapping.unicodeScalars {
      if small.isASCII {
        bytes.append(Self.folded(UInt8(truncatingIfNeeded: small.value)))
      } else if let base = table[small] {
        bytes.append(contentsOf: base)
      } else if small.properties.generalCategory != .nonspacingMark {
        bytes.append(contentsOf: String(small).utf8)
      }
    }
  }

  private static func folded(_ byte: UInt8) -> UInt8 {
    if byte &- 0x41 < 26 { return byte | 0x20 }
    return byte &- 9 < 5 ? 0x20 : byte
  }

  /// Returns the letters of a syllable of Hangul (The Unicode Standard, §3.12).
  private static func jamo(of scalar: Unicode.Scalar) -> String.UTF8View? {
    guard (0xac00..<0xd7a4).contains(scalar.value) else { return nil }
    let place = scalar.value - 0xac00
    let parts = [0x1100 + place / 588, 0x1161 + place % 588 / 28, 0x11a7 + place % 28]
    let letters = parts.prefix(place % 28 == 0 ? 2 : 3).compactMap(Unicode.Scalar.init)
    return String(String.UnicodeScalarView(letters)).utf8
  }
}
