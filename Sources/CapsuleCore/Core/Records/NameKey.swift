/// The form by which names and titles are compared: without regard to case, and by Unicode's
/// canonical equivalence (UAX #15), which is that of `String`'s `==`.
package struct NameKey: Hashable, Sendable {
  /// The folded form.
  package let text: String

  package init(_ name: String) {
    text = name.utf8.allSatisfy { $0 < 0x80 } ? name.lowercased() : Self.folded(name)
  }

  /// Returns the full case folding (The Unicode Standard §3.13): `ß` is `ss`, and a sigma at a word's
  /// end is any sigma. The dotless `ı` stays as it is.
  private static func folded(_ name: String) -> String {
    var folded = String.UnicodeScalarView()
    for scalar in name.unicodeScalars {
      guard scalar != "\u{131}" else {
        folded.append(scalar)
        continue
      }
      let upper = scalar.properties.lowercaseMapping.unicodeScalars.flatMap {
        $0.properties.uppercaseMapping.unicodeScalars
      }
      for scalar in upper {
        folded.append(contentsOf: scalar.properties.lowercaseMapping.unicodeScalars)
      }
    }
    return String(folded)
  }

  /// A 64-bit hash that is the same on every machine and for every equivalent spelling.
  ///
  /// Characters outside ASCII count, but not which: two spellings of one character have different
  /// bytes. Names with the same hash are compared in full.
  package var hash: UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325  // FNV-1a
    func mix(_ byte: UInt8) {
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      text.utf8.forEach(mix)
      return hash
    }
    for character in text {
      if character.unicodeScalars.allSatisfy(\.isASCII) {
        character.utf8.forEach(mix)
      } else {
        // The two scalars whose canonical form is a single ASCII character.
        switch character.unicodeScalars.first {
        case "\u{37E}" where character.unicodeScalars.count == 1: mix(UInt8(ascii: ";"))
        case "\u{1FEF}" where character.unicodeScalars.count == 1: mix(UInt8(ascii: "`"))
        default: mix(0x80)
        }
      }
    }
    return hash
  }
}
