/// An estimate of how many guesses a passphrase withstands, for a warning where one is chosen.
///
/// It knows how people choose: words, names and years, runs of a keyboard, one character again and again,
/// digits in place of letters. Each part that it finds counts as many bits as there are choices for it, and
/// what is left counts by the kinds of characters in it. The result is a hint and no proof: a line of a poem
/// counts as its words, and whoever knows the poem needs fewer guesses.
package struct PassphraseStrength: Hashable, Sendable {
  /// The base-2 logarithm of the guesses, rounded down.
  package let bits: Int

  /// The bits below which a passphrase counts as weak.
  ///
  /// A guess at scrypt's work factor 18 takes a processor core half a second. A million cores make 2^51
  /// guesses in thirty years, and machines that become five hundred times faster meanwhile bring that to
  /// 2^60. Five words drawn by dice withstand it (64 bits), four do not (52).
  package static let leastBits = 60

  package var isWeak: Bool { bits < Self.leastBits }

  /// The bytes that are looked at: more of them make no passphrase weak.
  private static let byteLimit = 256

  package init(_ passphrase: Passphrase) {
    bits = passphrase.bytes.withUnsafeBytes { bytes in
      var reader = PassphraseReader(UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.byteLimit)))
      return Int(reader.bits())
    }
  }
}

/// Takes a passphrase apart. It borrows the bytes, and copies none of them.
private struct PassphraseReader {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0
  /// The bits of the parts that were found.
  private var found = 0.0
  /// The characters that belong to no part, and the kinds of them.
  private var singles = 0
  private var kinds: Set<Kind> = []
  /// The signs between words, other than spaces.
  private var separators: Set<UInt8> = []
  private var followsWord = false

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  mutating func bits() -> Double {
    // The whole of it again and again.
    for length in 1..<max(1, bytes.count / 2 + 1)
    where bytes.indices.allSatisfy({ bytes[$0] == bytes[$0 % length] }) {
      var first = PassphraseReader(UnsafeRawBufferPointer(rebasing: bytes[..<length]))
      return first.bits() + Self.log2(Double(bytes.count) / Double(length))
    }
    while position < bytes.count {
      if let (length, bits) = run() ?? year() {
        take(length, bits, isWord: false)
      } else if let (length, bits) = common() ?? word() {
        take(length, bits, isWord: true)
      } else if followsWord, position + 1 < bytes.count, Self.separators.contains(bytes[position]) {
        if bytes[position] != UInt8(ascii: " ") { separators.insert(bytes[position]) }
        position += 1
      } else {
        single()
      }
    }
    let choices = kinds.reduce(0) { $0 + $1.count }
    return found + Double(singles) * Self.log2(Double(max(choices, 1)))
      + Double(separators.count) * Self.separatorBits
  }

  private mutating func take(_ length: Int, _ bits: Double, isWord: Bool) {
    position += length
    found += bits
    followsWord = isWord
  }

  private mutating func single() {
    let kind = Kind(bytes[position])
    kinds.insert(kind)
    singles += 1
    followsWord = false
    position += 1
    // The rest of a character in UTF-8 adds no choice.
    while kind == .other, position < bytes.count, bytes[position] & 0xc0 == 0x80 { position += 1 }
  }

  // MARK: Parts

  private typealias Part = (length: Int, bits: Double)

  /// Finds one character again and again, neighbours such as `abc` and `321`, or keys in a row.
  private func run() -> Part? {
    let first = bytes[position]
    let kind = Kind(first)
    var longest = bytes[position...].prefix { $0 == first }.count
    if kind != .sign, kind != .other {
      for step in [1, -1] {
        var end = position + 1
        while end < bytes.count, Kind(bytes[end]) == kind,
          Int(bytes[end]) - Int(bytes[end - 1]) == step
        {
          end += 1
        }
        longest = max(longest, end - position)
      }
    }
    for row in Self.keyRows {
      let keys = Array(row.utf8)
      for keys in [keys, keys.reversed()] {
        guard let start = keys.firstIndex(of: Self.lowercase(first)) else { continue }
        let length = zip(keys[start...], bytes[position...])
          .prefix { $0 == Self.lowercase($1) }.count
        if length >= 4 { longest = max(longest, length) }
      }
    }
    guard longest >= 3 else { return nil }
    return (longest, Self.log2(Double(kind.count)) + Self.log2(Double(longest)))
  }

  /// A year of these two centuries.
  private func year() -> Part? {
    let digits = bytes[position...].prefix(4)
    guard digits.count == 4, digits.allSatisfy({ Kind($0) == .digit }),
      digits.starts(with: "19".utf8) || digits.starts(with: "20".utf8)
    else { return nil }
    return (4, Self.commonBits)
  }

  /// Finds one of the passphrases that are most often chosen, however it is spelled.
  private func common() -> Part? {
    let rest = bytes[position...]
    var length = 0
    for word in Self.commonWords where word.utf8.count > max(length, 0) {
      if rest.count >= word.utf8.count, zip(word.utf8, rest).allSatisfy({ $0 == Self.letter($1) }) {
        length = word.utf8.count
      }
    }
    guard length > 0 else { return nil }
    return (length, Self.commonBits + (isLowercase(length) ? 0 : 1))
  }

  /// Finds letters that look like those of a word or a name, digits in place of some included.
  private func word() -> Part? {
    guard Kind(bytes[position]).isLetter else { return nil }
    var (length, replaced) = letters(withReplaced: true)
    if replaced > 0, length < 5 || replaced * 3 > length {
      (length, replaced) = letters(withReplaced: false)
    }
    guard length >= 3, isWritten(length) else { return nil }
    let letters = bytes[position..<(position + length)].map { Self.letter($0) }
    var bits = Self.listBits
    if WordList.index(of: letters) == nil {
      let rarity = letters.reduce(0) { $0 + Self.rarity[Int($1 - UInt8(ascii: "a"))] }
      guard length == 3 || rarity < Self.wordRarity * length else { return nil }
      bits = Self.wordBits * Double(length <= 12 ? 1 : (length + 2) / 6)
    }
    bits += Double(replaced) + (isLowercase(length) ? 0 : 1)
    return bits < Double(length) * Self.log2(26) ? (length, bits) : nil
  }

  /// Counts the letters from here to the next word: a capital behind a small letter begins one.
  private func letters(withReplaced takesReplaced: Bool) -> (length: Int, replaced: Int) {
    var end = position
    var replaced = 0
    while end < bytes.count {
      let kind = Kind(bytes[end])
      if kind.isLetter {
        if end > position, kind == .capital, Kind(bytes[end - 1]) == .small { break }
      } else if takesReplaced, Kind(Self.letter(bytes[end])).isLetter, end + 1 < bytes.count,
        Kind(bytes[end + 1]).isLetter
      {
        replaced += 1
      } else {
        break
      }
      end += 1
    }
    return (end - position, replaced)
  }

  /// Whether the letters are all small or all capitals, but for the first.
  private func isWritten(_ length: Int) -> Bool {
    let kinds = bytes[position..<(position + length)].lazy.map { Kind($0) }
    return !kinds.dropFirst().contains(.capital) || !kinds.contains(.small)
  }

  private func isLowercase(_ length: Int) -> Bool {
    !bytes[position..<(position + length)].contains { Kind($0) == .capital }
  }

  // MARK: Facts

  /// The bits of a choice among the most common ones.
  private static let commonBits = 7.0
  /// The bits of a word out of ``WordList``.
  private static let listBits = 10.0
  /// The bits of any other word or name: about as many as there are in lists for dice, 7776.
  private static let wordBits = 13.0
  /// The bits of a sign that stands between all words.
  private static let separatorBits = 3.0

  private static let separators = Array(" -._,".utf8)

  private static let keyRows = [
    "qwertyuiop", "qwertzuiop", "azertyuiop", "asdfghjkl", "zxcvbnm", "1234567890",
  ]

  private static let commonWords = [
    "password", "passwort", "passwd", "pass", "secret", "geheim", "admin", "login", "welcome",
    "letmein", "qwerty", "iloveyou", "loveyou", "monkey", "dragon", "master", "football",
    "baseball",
    "sunshine", "princess", "shadow", "superman", "batman", "trustno", "starwars", "hello", "hallo",
    "freedom", "whatever", "michael", "jordan", "charlie", "ashley", "schatz", "love", "test",
    "capsule",
  ]

  /// The rarity of each letter in English: ten times the bits of its frequency, from `a` to `z`.
  private static let rarity = [
    36, 61, 52, 45, 30, 55, 56, 40, 38, 94, 70, 46, 54, 39, 37, 57, 100, 41, 40, 35, 52, 67, 54, 94,
    56, 104,
  ]

  /// The mean of ``rarity`` below which letters look like a word's: 5 of 6 words are below, and 1 of 20
  /// rows of 12 random letters.
  private static let wordRarity = 47

  private static func lowercase(_ byte: UInt8) -> UInt8 {
    Kind(byte) == .capital ? byte | 0x20 : byte
  }

  /// The small letter that a byte is or stands for; any other byte itself.
  private static func letter(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "0"): UInt8(ascii: "o")
    case UInt8(ascii: "1"), UInt8(ascii: "!"): UInt8(ascii: "i")
    case UInt8(ascii: "3"): UInt8(ascii: "e")
    case UInt8(ascii: "4"), UInt8(ascii: "@"): UInt8(ascii: "a")
    case UInt8(ascii: "5"), UInt8(ascii: "$"): UInt8(ascii: "s")
    case UInt8(ascii: "7"): UInt8(ascii: "t")
    default: lowercase(byte)
    }
  }

  /// The base-2 logarithm, to a tenth: between powers of two along a straight line.
  private static func log2(_ number: Double) -> Double {
    Double(number.exponent) + number.significand - 1
  }

  private enum Kind: Hashable {
    case small, capital, digit, sign, other

    init(_ byte: UInt8) {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): self = .small
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): self = .capital
      case UInt8(ascii: "0")...UInt8(ascii: "9"): self = .digit
      case 0..<0x80: self = .sign
      default: self = .other
      }
    }

    var isLetter: Bool { self == .small || self == .capital }

    /// The number of such characters; of other scripts, about as many as one has.
    var count: Int {
      switch self {
      case .small, .capital: 26
      case .digit: 10
      case .sign: 33
      case .other: 100
      }
    }
  }
}
