/// A text that is searched for, without regard to case, accents and the Unicode form.
package struct SearchText: Sendable {
  private let table: [Unicode.Scalar: String]
  private let wanted: [UInt8]
  /// The wanted text in lower case, where folding leaves letters that Unicode can write in several
  /// ways; else `nil`.
  private let exact: String?

  /// A search for a text; an empty one is found everywhere.
  package init(_ wanted: String) {
    var table: [Unicode.Scalar: String] = [:]
    for group in Self.groups {
      for letter in group.letters.unicodeScalars { table[letter] = group.base }
    }
    self.table = table
    self.wanted = Self.fold(wanted, table)
    exact = self.wanted.allSatisfy { $0 < 0x80 } ? nil : wanted.lowercased()
  }

  /// Returns whether a text holds what is searched for.
  package func matches(_ text: String) -> Bool {
    let found = text.utf8.withContiguousStorageIfAvailable { bytes in
      bytes.allSatisfy { $0 < 0x80 } ? isFound(in: bytes) : nil
    }
    // Most texts are ASCII only: nothing has to be made of them.
    if case .some(.some(let isFound)) = found { return isFound }
    if isFound(in: Self.fold(text, table)) { return true }
    return exact.map { text.lowercased().contains(run: $0) } ?? false
  }

  /// Returns whether a text holds what is searched for as whole words: no letter or digit is beside it.
  package func matchesWords(_ text: String) -> Bool {
    let bytes = Self.fold(text, table)
    guard let first = wanted.first, bytes.count >= wanted.count else { return false }
    func isOfWord(_ place: Int) -> Bool {
      guard bytes.indices.contains(place) else { return false }
      let byte = bytes[place]
      return byte >= 0x80 || byte.isASCIIDigit || (byte | 0x20) &- 0x61 < 26
    }
    return (0...(bytes.count - wanted.count)).contains { start in
      let end = start + wanted.count
      return bytes[start] == first && bytes[start..<end].elementsEqual(wanted)
        && !isOfWord(start - 1) && !isOfWord(end)
    }
  }

  /// Returns whether bytes hold the wanted ones; a capital of ASCII counts as its small letter.
  private func isFound(in bytes: some RandomAccessCollection<UInt8>) -> Bool {
    guard let first = wanted.first else { return true }
    func small(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
    var start = bytes.startIndex
    while bytes.distance(from: start, to: bytes.endIndex) >= wanted.count {
      if small(bytes[start]) == first, zip(wanted, bytes[start...]).allSatisfy({ $0 == small($1) })
      {
        return true
      }
      start = bytes.index(after: start)
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

/// Text with letters and their marks composed, as far as names of files need it: some programs that
/// unpack an archive compose them (UAX #15, form C), and a link to the name has to find it then.
enum ComposedText {
  /// The letters of Latin, Greek and Cyrillic with marks, kana with marks, and the syllables of Hangul.
  ///
  /// Equal characters are those that are canonically equivalent, so a set gives back the composed form
  /// of whatever is equal to it. The earlier scalar of two equal ones is that of form C.
  private static let letters: Set<Character> = {
    var letters: Set<Character> = []
    let ranges: [ClosedRange<UInt32>] = [
      0xc0...0x24f, 0x386...0x3ce, 0x400...0x4f9, 0x1e00...0x1eff, 0x1f00...0x1ffc, 0x304c...0x30fa,
      0xac00...0xd7a3,
    ]
    for value in ranges.joined() {
      if let scalar = Unicode.Scalar(value) { letters.insert(Character(scalar)) }
    }
    return letters
  }()

  /// Returns the text, composed.
  static func of(_ text: String) -> String {
    if text.unicodeScalars.allSatisfy({ $0.value < 0x300 }) { return text }
    return String(text.map(composed))
  }

  /// Returns a character whose longest beginning for which there is one scalar is that scalar.
  private static func composed(_ character: Character) -> Character {
    let scalars = Array(character.unicodeScalars)
    for count in stride(from: min(scalars.count, 4), to: 1, by: -1) {
      let beginning = String(String.UnicodeScalarView(scalars[..<count]))
      guard beginning.count == 1, let first = beginning.first,
        let place = letters.firstIndex(of: first)
      else { continue }
      var result = String.UnicodeScalarView(letters[place].unicodeScalars)
      result.append(contentsOf: scalars[count...])
      let text = String(result)
      return text.count == 1 ? Character(text) : character
    }
    return character
  }
}

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
