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

/// The folded texts of one kind's records, and the searches through them.
///
/// They lie in a file of their own, which is made by the first search of many records and read by
/// searches only. The index says which records there are, and in which state: a text of another state
/// is read from its record, and the file is written anew when there are many such.
package struct RecordTexts {
  /// Makes the text of a record from its file's bytes; `nil` for what cannot be read. It may be called
  /// on several threads at once.
  package typealias Fold = @Sendable (RecordID, [UInt8]) -> IndexText?

  /// The most records, and the most bytes of their files, that each search reads rather than writing
  /// their texts down.
  private static let staleLimit = (records: 256, bytes: Int64(1 << 20))
  /// The most bytes of files that are read at once.
  private static let batchBytes: Int64 = 4 << 20

  private let setup: IndexSetup
  private let version: UInt32
  private let fold: Fold

  /// - Parameter version: changes whenever the texts do, so that old ones are not used.
  package init(_ setup: IndexSetup, version: UInt32, fold: @escaping Fold) {
    self.setup = setup
    self.version = version
    self.fold = fold
  }

  /// Hands over the records in which something is found, and all that name others, by id.
  package func search(
    _ index: inout RecordIndex, for matcher: TextMatcher, _ body: (TextHit) -> Void
  ) {
    let reader = self.reader
    var writer: TextFileWriter?
    if reader == nil, index.count() > Self.staleLimit.records { writer = newWriter }
    let stale = walk(&index, reader, &writer) { (text: TextInFile) in
      if let hit = text.hit(matcher) { body(hit) }
    }
    if writer?.commit() == true { return }
    guard stale.isMuch, setup.texts != nil else { return }
    writer = newWriter
    guard writer != nil else { return }
    _ = walk(&index, self.reader, &writer) { _ in }
    _ = writer?.commit()
  }

  /// Takes the texts of some records out of the file at once.
  package func forget(_ ids: Set<RecordID>) {
    guard let path = setup.texts, (try? setup.files.statusIfPresent(path)) != .some(nil)
    else { return }
    do throws(Malformed) {
      var reader = try TextFileReader(path, setup: setup, version: version)
      guard var writer = newWriter else { throw Malformed() }
      var isOther = false
      do {
        while let entry = try reader.next() {
          if ids.contains(entry.id) {
            isOther = true
          } else {
            writer.append(reader.bytes(of: entry))
          }
        }
      } catch {
        writer.abandon()
        throw error
      }
      if !isOther { return writer.abandon() }
      guard writer.commit() else { throw Malformed() }
    } catch {
      try? setup.files.unlink(path)
    }
  }

  private var reader: TextFileReader? {
    guard let path = setup.texts else { return nil }
    return try? TextFileReader(path, setup: setup, version: version)
  }

  private var newWriter: TextFileWriter? { TextFileWriter(setup, version: version) }

  /// The texts that are not in the file as they are in the records.
  private struct Stale {
    var records = 0
    var bytes: Int64 = 0
    /// Texts of records that are gone.
    var gone = 0
    var isDamaged = false

    var isMuch: Bool {
      isDamaged || records > staleLimit.records || bytes > staleLimit.bytes
        || gone > staleLimit.records
    }
  }

  /// A text where it lies.
  private struct TextInFile {
    let id: RecordID
    let madeAt: Int64
    let titleCount: Int
    let links: [RecordID]
    let bytes: UnsafeRawBufferPointer

    /// Returns what a search finds in it; `nil` where that is nothing.
    func hit(_ matcher: TextMatcher) -> TextHit? {
      let words = matcher.words(in: bytes)
      if words == 0, links.isEmpty { return nil }
      let title = UnsafeRawBufferPointer(rebasing: bytes[..<titleCount])
      return TextHit(
        id: id, madeAt: madeAt, links: links, words: words,
        titleWords: words == 0 ? 0 : matcher.words(in: title))
    }
  }

  /// Goes through the texts of all records, in a file or read, and writes them into another file.
  private func walk(
    _ index: inout RecordIndex, _ file: TextFileReader?, _ writer: inout TextFileWriter?,
    _ body: (TextInFile) -> Void
  ) -> Stale {
    var file = file
    var stale = Stale()
    var entry: TextFile.Entry?
    func advance() {
      do {
        entry = try file?.next()
        if entry == nil { file = nil }
      } catch {
        (entry, file) = (nil, nil)
        stale.isDamaged = true
      }
    }
    advance()
    for shard in UInt8.min...UInt8.max {
      var unread: [IndexRow] = []
      for row in index.rows(shard: shard) {
        while let old = entry, old.id < row.id {
          stale.gone += 1
          advance()
        }
        if let old = entry, old.id == row.id, row.isTrusted, old.stampHash == row.stamp.hash,
          let links = try? file?.links(of: old)
        {
          if writer != nil {
            read(unread, &writer, body)
            unread = []
            if let bytes = file?.bytes(of: old) { writer?.append(bytes) }
          }
          file?.withText(of: old) { text in
            body(
              TextInFile(
                id: old.id, madeAt: old.madeAt, titleCount: old.titleCount, links: links,
                bytes: text))
          }
        } else {
          unread.append(row)
          if row.isTrusted {
            stale.records += 1
            stale.bytes = stale.bytes.addingClamped(max(0, row.stamp.size))
          }
        }
        if entry?.id == row.id { advance() }
      }
      read(unread, &writer, body)
    }
    return stale
  }

  /// The text of a record that was read.
  private struct Reading: Sendable {
    var id: RecordID
    var text: IndexText
    var stampHash: UInt64
  }

  /// Reads records, and goes through their texts.
  private func read(
    _ rows: [IndexRow], _ writer: inout TextFileWriter?, _ body: (TextInFile) -> Void
  ) {
    var rest = rows[...]
    while let first = rest.first {
      var batch = [first]
      var bytes = first.stamp.size
      for row in rest.dropFirst() {
        bytes = bytes.addingClamped(max(0, row.stamp.size))
        guard bytes <= Self.batchBytes else { break }
        batch.append(row)
      }
      rest = rest.dropFirst(batch.count)
      let threads = batch.count < 32 ? 1 : setup.threads
      for reading in Workers.map(batch, threads: threads, { read($0) }) {
        guard let reading else { continue }
        writer?.append(reading.text, reading.id, stampHash: reading.stampHash)
        reading.text.bytes.withUnsafeBytes { bytes in
          body(
            TextInFile(
              id: reading.id, madeAt: reading.text.madeAt, titleCount: reading.text.titleCount,
              links: reading.text.links, bytes: bytes))
        }
      }
    }
  }

  /// Reads one record; `nil` where it is not there.
  private func read(_ row: IndexRow) -> Reading? {
    let path = setup.directory(shard: row.id.shard).appending(bytes: row.id.fileName)
    guard (try? setup.files.status(path))?.kind == .regular,
      let file = try? setup.files.open(path, .read)
    else { return nil }
    defer { try? setup.files.close(file) }
    // The stamp is from before it is read.
    guard let status = try? setup.files.status(file), status.size <= Int64(setup.recordLimit),
      let bytes = try? setup.files.readAll(
        file, limit: setup.recordLimit, expecting: Int(status.size))
    else { return nil }
    let stamp = FileStamp(status)
    return Reading(
      id: row.id, text: fold(row.id, bytes) ?? IndexText(),
      stampHash: row.isTrusted && stamp == row.stamp ? stamp.hash : 0)
  }
}
