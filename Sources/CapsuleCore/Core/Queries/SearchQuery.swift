/// A question for records of every kind that hold some words.
package struct SearchQuery: Sendable {
  /// Words that say nothing to look for, or too many of them.
  package enum WordError: Error, Hashable, Sendable {
    /// Nothing but blanks and marks.
    case empty(String)
    case tooMany(Int, limit: Int)
  }

  /// The kinds that are searched, in this order.
  package var kinds = RecordKind.allCases
  /// The most hits of each kind that are read; all are counted.
  package var limit = 50
  /// The number of characters of a text that are shown on either side of a found word.
  package var context = 40
  /// Whether the texts in opened capsules are looked through.
  package var looksInside = false
  package let now: Instant

  let folding = TextFolding()
  let words: [[UInt8]]
  let matcher: TextMatcher

  /// - Parameter words: each has to be found, with its blanks as they stand.
  package init(_ words: [String], now: Instant) throws(WordError) {
    guard words.count <= TextMatcher.wordLimit else {
      throw .tooMany(words.count, limit: TextMatcher.wordLimit)
    }
    var folded: [[UInt8]] = []
    for word in words {
      let bytes = folding.fold(word).trimmed
      if bytes.isEmpty { throw .empty(word) }
      folded.append(bytes)
    }
    self.words = folded
    self.now = now
    matcher = TextMatcher(folded)
  }
}

/// A text in which words were found, cut to what stands around them.
package struct SearchMatch: Hashable, Sendable {
  package let field: SearchField
  /// The part of the field's text, its blanks as spaces.
  package let text: String
  /// Whether something stands before and behind it in the field.
  package let isCutBefore: Bool
  package let isCutAfter: Bool
  /// The places of the found words in it, in Unicode scalars from its beginning.
  package let marks: [Range<Int>]
}

/// A record in which every word was found.
package struct SearchHit: Sendable {
  package let kind: RecordKind
  package let id: RecordID
  package let title: String
  /// The places of the found words in its title or name, in Unicode scalars from its beginning.
  package let titleMarks: [Range<Int>]
  /// The found words in its other texts.
  package let matches: [SearchMatch]
}

/// The hits among the records of one kind.
package struct SearchGroup: Sendable {
  package let kind: RecordKind
  /// The hits: first those whose title has every word, then the others; from the last that was made.
  package var hits: [SearchHit]
  /// The number of all hits, of which `hits` may be the first.
  package let total: Int
}

/// The answer to a ``SearchQuery``.
package struct SearchAnswer: Sendable {
  package var groups: [SearchGroup] = []
  /// Opened capsules that could not be looked into without a key, or a beacon.
  package var needingKey = 0
  /// Opened capsules that are damaged.
  package var failures: [(capsule: Capsule, error: OpeningError)] = []

  package init() {}
}

extension [UInt8] {
  /// The bytes without spaces at the ends.
  fileprivate var trimmed: [UInt8] {
    let space = UInt8(ascii: " ")
    guard let first = firstIndex(where: { $0 != space }),
      let last = lastIndex(where: { $0 != space })
    else { return [] }
    return Array(self[first...last])
  }
}
