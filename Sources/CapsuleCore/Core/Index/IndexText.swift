/// The texts of one record, folded, as a search goes through them.
package struct IndexText: Sendable {
  /// The byte between two texts, which no folded text has.
  package static let separator: UInt8 = 0xff

  /// The time at which the record was made, in nanoseconds since 1970.
  package var madeAt: Int64 = 0
  /// The records that it names.
  package var links: [RecordID] = []
  /// The number of the bytes that are its title or name.
  package var titleCount = 0
  package var bytes: [UInt8] = []

  package init() {}
}

/// A record in which a search found something.
package struct TextHit: Sendable {
  package let id: RecordID
  /// The time at which the record was made, in nanoseconds since 1970.
  package let madeAt: Int64
  /// The records that it names.
  package let links: [RecordID]
  /// The words that were found, a bit each.
  package let words: UInt64
  /// The words among them that its title or name has.
  package let titleWords: UInt64
}

/// Folded words that are looked for in folded texts.
package struct TextMatcher: Sendable {
  /// The most words that are looked for at once.
  package static let wordLimit = 32

  private let words: [[UInt8]]

  /// - Parameter words: at most ``wordLimit``, none of them empty.
  package init(_ words: [[UInt8]]) {
    self.words = Array(words.prefix(Self.wordLimit))
  }

  /// The bits of all words.
  package var all: UInt64 { (1 << UInt64(words.count)) - 1 }

  /// Returns the words that a text has, a bit each.
  package func words(in text: [UInt8]) -> UInt64 {
    text.withUnsafeBytes { words(in: $0) }
  }

  func words(in text: UnsafeRawBufferPointer) -> UInt64 {
    var found: UInt64 = 0
    for (number, word) in words.enumerated() {
      let isThere = word.withUnsafeBytes { Self.contains(text, $0) }
      if isThere { found |= 1 << UInt64(number) }
    }
    return found
  }

  private typealias Lanes = SIMD16<UInt8>

  /// Returns whether a text holds a word. Places where the first and the last byte fit are found
  /// sixteen at once.
  private static func contains(
    _ text: UnsafeRawBufferPointer, _ word: UnsafeRawBufferPointer
  ) -> Bool {
    let count = word.count
    guard text.count >= count, let first = word.first,
      let last = word.last
    else { return word.isEmpty }
    let firsts = Lanes(repeating: first)
    let lasts = Lanes(repeating: last)
    let end = text.count - count + 1
    var start = 0
    while start + Lanes.scalarCount <= end {
      let heads = text.loadUnaligned(fromByteOffset: start, as: Lanes.self)
      let tails = text.loadUnaligned(fromByteOffset: start + count - 1, as: Lanes.self)
      let fits = (heads .== firsts) .& (tails .== lasts)
      let halves = unsafeBitCast(fits, to: SIMD2<UInt64>.self)
      if halves.x | halves.y != 0 {
        for lane in 0..<Lanes.scalarCount where fits[lane] {
          if isSame(text, start + lane, word) { return true }
        }
      }
      start += Lanes.scalarCount
    }
    while start < end {
      if text[start] == first, isSame(text, start, word) { return true }
      start += 1
    }
    return false
  }

  private static func isSame(
    _ text: UnsafeRawBufferPointer, _ start: Int, _ word: UnsafeRawBufferPointer
  ) -> Bool {
    for place in 0..<word.count where text[start + place] != word[place] { return false }
    return true
  }
}
