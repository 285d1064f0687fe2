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
  @_optimize(speed)
  package func words(in text: ArraySlice<UInt8>) -> UInt64 {
    text.withUnsafeBytes { text in
      var found: UInt64 = 0
      for (number, word) in words.enumerated() {
        let isThere = word.withUnsafeBytes { Self.contains(text, $0) }
        if isThere { found |= 1 << UInt64(number) }
      }
      return found
    }
  }

  private typealias Lanes = SIMD16<UInt8>

  /// Returns whether a text holds a word. Places where the first and the last byte fit are found
  /// sixteen at once.
  @_optimize(speed)
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

/// The folded texts of one kind's records, and the searches through them.
///
/// They are the summaries of an index of their own, which follows that of the records and is brought up to
/// date by searches alone.
package struct RecordTexts {
  /// Makes the text of a record from its file's bytes; `nil` for what cannot be read. It may be called
  /// on several threads at once.
  package typealias Fold = @Sendable (RecordID, [UInt8]) -> IndexText?

  /// The most records that each search reads rather than writing their texts down.
  private static let few = 256

  private let setup: IndexSetup

  /// - Parameter version: changes whenever the texts do, so that old ones are not used.
  package init(_ setup: IndexSetup, version: UInt32, fold: @escaping Fold) {
    self.setup = setup.with(ending: "texts", version: version) { id, bytes in
      // All have the same sort key: they are listed by id.
      IndexEntry(id: id, sortKey: 0, summary: fold(id, bytes)?.encoded[...] ?? [])
    }
  }

  /// Hands over the records in which something is found, and all that name others, by id.
  package func search(
    _ index: inout RecordIndex, for matcher: TextMatcher, _ body: (TextHit) -> Void
  ) {
    if index.count() <= Self.few {
      // Nothing stays of the texts of many that are gone.
      if let file = setup.file { try? setup.files.unlink(file) }
      var ids: [RecordID] = []
      index.forEach(.ascending) { entry in
        ids.append(entry.id)
        return true
      }
      let hits = Workers.map(ids.sorted(), threads: setup.threads) { hit(in: $0, for: matcher) }
      for case let hit? in hits { body(hit) }
      return
    }
    var texts = RecordIndex.following(index, setup)
    texts.forEach(.ascending) { entry in
      if let hit = try? matcher.hit(in: entry.summary, of: entry.id) { body(hit) }
      return true
    }
  }

  /// Reads a record, and looks through it.
  private func hit(in id: RecordID, for matcher: TextMatcher) -> TextHit? {
    let path = setup.directory(shard: id.shard).appending(bytes: id.fileName)
    guard let bytes = try? setup.files.readFile(path, limit: setup.recordLimit) else { return nil }
    return try? matcher.hit(in: setup.summarize(id, bytes).summary, of: id)
  }

  /// Takes the texts of some records out of the files at once.
  package func forget(_ ids: Set<RecordID>) {
    RecordIndex.forget(ids, in: setup)
  }
}

extension IndexText {
  /// The form in which the index keeps it.
  var encoded: [UInt8] {
    var encoder = IndexEncoder()
    encoder.bytes.reserveCapacity(16 + 16 * links.count + bytes.count)
    encoder.put(madeAt)
    encoder.put(UInt32(titleCount))
    encoder.put(UInt32(links.count))
    for link in links { encoder.put(link) }
    encoder.bytes += bytes
    return encoder.bytes
  }
}

extension TextMatcher {
  /// Returns what a search finds in a text where it lies; `nil` where that is nothing.
  @_optimize(speed)
  func hit(in summary: ArraySlice<UInt8>, of id: RecordID) throws(Malformed) -> TextHit? {
    if summary.isEmpty { return nil }
    var decoder = IndexDecoder(summary)
    let madeAt = try decoder.next(Int64.self)
    let titleCount = try Int(decoder.next(UInt32.self))
    var links: [RecordID] = []
    for _ in 0..<(try decoder.next(UInt32.self)) { links.append(try decoder.id()) }
    let text = try decoder.take(decoder.rest)
    let words = words(in: text)
    if words == 0, links.isEmpty { return nil }
    return TextHit(
      id: id, madeAt: madeAt, links: links, words: words,
      titleWords: words == 0 ? 0 : self.words(in: text.prefix(titleCount)))
  }
}
