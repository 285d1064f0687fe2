/// The files of records that are looked at when an index is opened, besides the directories: a record
/// that was written over in its place shows in the times of its file alone.
package enum IndexLook: Hashable, Sendable {
  /// No files of records.
  case directories
  /// Every file where there are at most so many records, else none.
  case filesOfFew(Int)
  /// So many files for each minute since the last such opening, those that follow: in turn all of
  /// them. See ``IndexTurn``.
  case filesInTurn(Int)
}

/// The records of one kind without reading them: sorted, found by id and name, and when what is
/// due.
///
/// It is a cache. It answers as reading every record would; it differs only for a
/// record that was edited in place without its directory changing, which may show late: see
/// ``IndexLook``. Where its files turn out to be damaged, however late, every record is read again.
package struct RecordIndex {
  /// The order of the sort keys; among equal ones that in which the records were made.
  package enum Order: Hashable, Sendable {
    case ascending, descending
  }

  private let setup: IndexSetup
  private let now: Instant
  private var content: LoadedIndex

  /// The refusals of the file system while the index was brought up to date: directories that could
  /// not be looked at, whose records are missing here.
  package private(set) var failures: [Fault]

  /// Opens the index, brings it up to date with the store's directories, and keeps what it learned
  /// where it can.
  ///
  /// - Parameters:
  ///   - now: The real time, taken before the call: a file or directory that changed less than two
  ///     seconds before it is looked at again next time.
  ///   - look: The files that are looked at besides the directories.
  package static func open(
    _ setup: IndexSetup, now: Instant, look: IndexLook = .directories
  ) -> RecordIndex {
    do {
      return try RecordIndex(setup, now, look, usingCache: true)
    } catch {
      return rebuilt(setup, now)
    }
  }

  /// Reads every record.
  private static func rebuilt(_ setup: IndexSetup, _ now: Instant) -> RecordIndex {
    do {
      return try RecordIndex(setup, now, .directories, usingCache: false)
    } catch {
      // Without the cache there is nothing that could be damaged.
      return RecordIndex(setup: setup, now: now, content: LoadedIndex(), failures: [])
    }
  }

  private init(
    setup: IndexSetup, now: Instant, content: LoadedIndex, failures: [Fault]
  ) {
    self.setup = setup
    self.now = now
    self.content = content
    self.failures = failures
  }

  private init(
    _ setup: IndexSetup, _ now: Instant, _ look: IndexLook, usingCache: Bool
  ) throws(Malformed) {
    let store = IndexPersistence(setup: setup)
    var log = LoadedIndex.LogReading()
    content = LoadedIndex()
    if usingCache { (content, log) = store.load() }
    let refresh = try content.refresh(setup, now: now, look: look)
    if refresh.hasFolder { try store.save(&content, refresh, log, now: now) }
    self.setup = setup
    self.now = now
    failures = refresh.failures
  }

  /// Notes what a writer, who holds the store's lock, has just done. Its cost does not depend on
  /// how many records there are; a failure is no failure of the change.
  package static func append(_ change: IndexChange, to setup: IndexSetup) {
    append([change], to: setup)
  }

  /// Notes several changes at once.
  package static func append(_ changes: [IndexChange], to setup: IndexSetup) {
    IndexPersistence(setup: setup).append(changes.map(IndexLog.payload))
  }

  /// Writes the files anew, with nothing in them of records that are gone.
  package static func rewrite(_ setup: IndexSetup, now: Instant) {
    guard let base = setup.base, let log = setup.log,
      (try? setup.files.statusIfPresent(base)) != .some(nil)
    else { return }
    let store = IndexPersistence(setup: setup)
    var (content, _) = store.load()
    let old = content.base?.id
    do {
      if try content.refresh(setup, now: now).hasFolder { try store.fold(&content) }
    } catch {}
    if content.base == nil || content.base?.id == old {
      // It could not be written: nothing of it is kept.
      for path in [base, log] { try? setup.files.unlink(path) }
    }
  }

  /// Asks the content; where its files are damaged, that of an index made anew.
  mutating func ask<Answer>(
    _ question: (inout LoadedIndex) throws(Malformed) -> Answer, otherwise: Answer
  ) -> Answer {
    do {
      return try question(&content)
    } catch {
      self = Self.rebuilt(setup, now)
    }
    // If a file that was written a moment ago is damaged too, do without.
    do {
      return try question(&content)
    } catch {
      let kept = IndexSetup(setup, cache: nil)
      self = Self.rebuilt(kept, now)
    }
    do { return try question(&content) } catch { return otherwise }
  }

  /// Returns the path of a name in one of the kind's directories; see ``IndexShard``.
  func path(_ number: Int, _ name: [UInt8]) -> FilePath {
    let directory =
      UInt8(exactly: number).map { setup.directory(shard: $0) } ?? setup.folder
    return directory.appending(bytes: name)
  }
}

extension RecordIndex {
  /// Returns how many records there are.
  package mutating func count() -> Int {
    ask({ content throws(Malformed) in try content.count() }, otherwise: 0)
  }

  /// Returns a stamp that is another one where an entry or a stray changed since an earlier opening. It
  /// is mostly the same where none did, but not after the changes were folded into the base.
  package mutating func stamp() -> UInt64 {
    ask({ content throws(Malformed) in try content.stamp() }, otherwise: 0)
  }

  /// Hands over the entries in order, until `body` gives `false`.
  ///
  /// - Parameter start: The sort key to begin at, itself included; `nil` for the order's first.
  package mutating func forEach(
    _ order: Order, from start: Int64? = nil, _ body: (IndexEntry) throws -> Bool
  ) rethrows {
    var start = start.map { IndexWalk.Start.at($0) } ?? .end
    var walk: IndexWalk?
    while true {
      let entry = ask(
        { content throws(Malformed) in
          // A walk is good for the content that it was begun in.
          var current: IndexWalk
          if let walk {
            current = walk
          } else {
            current = try IndexWalk(order, from: start, of: &content)
          }
          walk = nil
          let entry = try current.next(&content)
          walk = current
          return entry
        }, otherwise: nil)
      guard let entry else { return }
      start = .past(entry.key)
      if try !body(entry) { return }
    }
  }

  /// Returns the first entries in order.
  package mutating func entries(
    _ order: Order, from start: Int64? = nil, limit: Int
  ) -> [IndexEntry] {
    var found: [IndexEntry] = []
    if limit <= 0 { return found }
    forEach(order, from: start) { entry in
      found.append(entry)
      return found.count < limit
    }
    return found
  }

  /// Returns the entry of one record.
  package mutating func entry(_ id: RecordID) -> IndexEntry? {
    ask({ content throws(Malformed) in try content.entry(id) }, otherwise: nil)
  }

  /// Returns the entries whose ids begin with these digits, by id.
  ///
  /// - Parameter prefix: At least one hexadecimal digit of either case; hyphens only where an id has
  ///   them. Anything else finds nothing.
  package mutating func entries(
    idPrefix prefix: some StringProtocol, limit: Int
  ) -> [IndexEntry] {
    guard let range = RecordID.range(prefix: prefix) else { return [] }
    return ask(
      { content throws(Malformed) in try content.entries(ids: range, limit: limit) },
      otherwise: [])
  }

  /// Returns the entries with this hash of their name, in order. Another name may have the same.
  package mutating func entries(nameHash: UInt64) -> [IndexEntry] {
    ask(
      { content throws(Malformed) in try content.entries(nameHash: nameHash) }, otherwise: [])
  }

  /// Returns the entries that fall due after one instant and not after another, by when they do,
  /// then in order.
  ///
  /// - Parameter sorted: the sort keys of the entries; others are not read. All if `nil`.
  package mutating func entries(
    dueAfter start: Int64, through end: Int64, sorted: Range<Int64>? = nil
  ) -> [IndexEntry] {
    ask(
      { content throws(Malformed) in
        try content.entries(dueAfter: start, through: end, sorted: sorted)
      }, otherwise: [])
  }

  /// Hands over ``entries(dueAfter:through:sorted:)`` one by one, until `body` gives `false`;
  /// little more is read.
  package mutating func forEach(
    dueAfter start: Int64, through end: Int64, sorted: Range<Int64>? = nil,
    _ body: (IndexEntry) throws -> Bool
  ) rethrows {
    var passed: IndexDueKey?
    var walk: IndexDueWalk?
    while true {
      let entry = ask(
        { content throws(Malformed) in
          // As above.
          var current: IndexDueWalk
          if let walk {
            current = walk
          } else {
            current = try IndexDueWalk(
              after: start, through: end, sorted: sorted, past: passed, of: &content)
          }
          walk = nil
          let entry = try current.next(&content)
          walk = current
          return entry
        }, otherwise: nil)
      guard let entry else { return }
      passed = entry.dueKey
      if try !body(entry) { return }
    }
  }

  /// Returns how many entries fall due after one instant and not after another.
  package mutating func count(dueAfter start: Int64, through end: Int64) -> Int {
    ask(
      { content throws(Malformed) in
        try content.count(dueAfter: start, through: end)
      }, otherwise: 0)
  }

  /// Returns the rows of a shard, by id.
  mutating func rows(shard: UInt8) -> [IndexRow] {
    ask({ content throws(Malformed) in try content.rows(shard: shard) }, otherwise: [])
  }

  /// Returns the entries with a problem, by id.
  package mutating func problems() -> [IndexEntry] {
    ask(
      { content throws(Malformed) in
        var found: [IndexEntry] = []
        for id in try content.problems() {
          guard let entry = try content.entry(id) else { throw Malformed() }
          found.append(entry)
        }
        return found
      }, otherwise: [])
  }

  /// Returns the files among the records that are none, such as a synchroniser's conflict copies,
  /// by path; names that begin with a dot are left out.
  package mutating func strays() -> [FilePath] {
    let strays = ask(
      { content throws(Malformed) in try content.allStrays() }, otherwise: [:])
    var paths: [FilePath] = []
    for (number, names) in strays {
      for name in names { paths.append(path(number, name)) }
    }
    return paths.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }
}

/// The first entries of an index in an order of their own, which come in any other.
///
/// An entry is held in few bytes, as the index's files have it, until it is handed over: all records of
/// a large store may be among the first.
package struct FirstEntries<Key> {
  private struct Element {
    let key: Key
    let piece: Int32
    let offset: Int32
  }

  private static var pieceSize: Int { 1 << 20 }

  private var first: FirstSorted<Element>
  /// The entries, one behind the other.
  private var pieces: [[UInt8]] = []

  /// - Parameters:
  ///   - isReversed: Whether the last entry of the order stands first.
  ///   - isBefore: A strict order of the keys, in which no two are equal.
  package init(
    limit: Int, reversed isReversed: Bool = false, by isBefore: @escaping (Key, Key) -> Bool
  ) {
    first = FirstSorted(limit: limit, reversed: isReversed) { isBefore($0.key, $1.key) }
  }

  package mutating func insert(_ entry: IndexEntry, by key: Key) {
    let last = pieces.count - 1
    let isFull =
      last < 0
      || pieces[last].count + IndexEntryCoding.headCount + entry.summary.count > Self.pieceSize
    let element = Element(
      key: key, piece: Int32(truncatingIfNeeded: isFull ? last + 1 : last),
      offset: isFull ? 0 : Int32(truncatingIfNeeded: pieces[last].count))
    guard first.admits(element) else { return }
    if isFull {
      var piece: [UInt8] = []
      piece.reserveCapacity(Self.pieceSize)
      pieces.append(piece)
    }
    IndexEntryCoding.append(entry, to: &pieces[pieces.count - 1])
    first.insert(element)
  }

  /// Hands over the entries in order, until `body` gives `false`.
  package func forEach(_ body: (IndexEntry) -> Bool) {
    for element in first.elements {
      // It was written as it is read.
      guard var decoder = try? IndexDecoder(pieces[Int(element.piece)], from: Int(element.offset)),
        let entry = try? IndexEntryCoding.read(&decoder)
      else { continue }
      if !body(entry) { return }
    }
  }
}

/// The first elements of an order, out of many that come in any order; the others are let go of.
package struct FirstSorted<Element> {
  private let limit: Int
  private let isBefore: (Element, Element) -> Bool
  private var kept: [Element] = []
  /// The last of the first `limit`, once there are so many: an element that is not before it is not
  /// among the first.
  package private(set) var bound: Element?

  /// - Parameters:
  ///   - isReversed: Whether the last element of the order stands first.
  ///   - isBefore: A strict order.
  package init(
    limit: Int, reversed isReversed: Bool = false,
    by isBefore: @escaping (Element, Element) -> Bool
  ) {
    self.limit = limit
    self.isBefore = isReversed ? { isBefore($1, $0) } : isBefore
  }

  /// Whether an element would be kept now.
  package func admits(_ element: Element) -> Bool {
    bound.map { isBefore(element, $0) } ?? true
  }

  package mutating func insert(_ element: Element) {
    guard admits(element) else { return }
    kept.append(element)
    // Sorted now and then, so that an insertion costs little on average.
    guard kept.count >= limit, bound == nil || kept.count >= limit.addingClamped(limit) else {
      return
    }
    kept = elements
    bound = kept.last
  }

  /// The first elements in order, at most `limit`.
  package var elements: [Element] {
    Array(kept.sorted(by: isBefore).prefix(max(0, limit)))
  }
}
