/// The records of one kind without reading them: sorted, found by id and name, and when what is
/// due.
///
/// It is a cache. It answers as reading every record would; it differs only for a
/// record that was edited in place without its directory changing, which may show late: see
/// ``IndexLook``. Where its file turns out to be damaged, however late, every record is read again.
package struct RecordIndex {
  /// The order of the sort keys; among equal ones that in which the records were made.
  package enum Order: Hashable, Sendable {
    case ascending, descending
  }

  private let setup: IndexSetup
  private let now: Instant
  private var content: LoadedIndex
  /// Whether the file turned out to be damaged.
  private var isAnew = false

  /// The refusals of the file system while the index was brought up to date: directories that could
  /// not be looked at, whose records are missing here.
  package private(set) var failures: [Fault] = []

  private init(_ setup: IndexSetup, _ now: Instant, _ content: LoadedIndex) {
    (self.setup, self.now, self.content) = (setup, now, content)
  }

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
    var index = RecordIndex(setup, now, LoadedIndex(setup))
    do throws(Malformed) { try index.refresh(setup, look) } catch { index.makeAnew() }
    return index
  }

  private mutating func refresh(_ setup: IndexSetup, _ look: IndexLook) throws(Malformed) {
    let refresh = try content.refresh(setup, now: now, look: look)
    failures = refresh.failures
    if refresh.hasFolder { try content.save(refresh.changes, setup, now: now) }
  }

  /// Reads every record. If a file that was written a moment ago is damaged too, it does without.
  private mutating func makeAnew() {
    content = LoadedIndex()
    // Of an index without a base nothing can be damaged.
    try? refresh(isAnew ? setup.uncached : setup, .directories)
    isAnew = true
  }

  /// Asks the content; where its file is damaged, that of an index made anew.
  mutating func ask<Answer>(
    _ question: (inout LoadedIndex) throws(Malformed) -> Answer
  ) -> Answer {
    while true {
      do throws(Malformed) { return try question(&content) } catch { makeAnew() }
    }
  }

  /// Notes what a writer, who holds the store's lock, has just done. Its cost does not depend on
  /// how many records there are; a failure is no failure of the change.
  package static func append(_ changes: [IndexChange], to setup: IndexSetup) {
    IndexBase.append(changes.map(IndexLog.payload), to: setup)
  }

  /// Writes the file anew, with nothing in it of records that are gone.
  package static func rewrite(_ setup: IndexSetup, now: Instant) {
    fold(setup) { content throws(Malformed) in try content.refresh(setup, now: now).hasFolder }
  }

  /// Writes the file of an index that follows another anew, with nothing in it of some records.
  static func forget(_ ids: Set<RecordID>, in setup: IndexSetup) {
    fold(setup) { content in
      for id in ids { content.overlay.remove(id) }
      return true
    }
  }

  /// Writes the file anew when the content was changed; where that fails nothing of it is kept.
  private static func fold(
    _ setup: IndexSetup, _ change: (inout LoadedIndex) throws(Malformed) -> Bool
  ) {
    guard let file = setup.file, (try? setup.files.statusIfPresent(file)) != .some(nil) else {
      return
    }
    var content = LoadedIndex(setup)
    let old = content.base?.id
    do throws(Malformed) {
      if try change(&content) { try content.fold(setup) }
    } catch {}
    if content.base == nil || content.base?.id == old { try? setup.files.unlink(file) }
  }

  /// Opens the index of something else in the records of another index, which says which there are, and
  /// in which state.
  static func following(_ other: RecordIndex, _ setup: IndexSetup) -> RecordIndex {
    var index = RecordIndex(setup, other.now, LoadedIndex(setup))
    do throws(Malformed) { try index.content.follow(other.content, setup, now: other.now) } catch {
      index.makeAnew()
    }
    return index
  }
}

extension RecordIndex {
  /// Hands over the entries of a span, until `body` gives `false`; little more is read.
  private mutating func walk(_ span: IndexSpan, _ body: (IndexEntry) throws -> Bool) rethrows {
    var walk = ask { content throws(Malformed) in try IndexWalk(span, in: &content) }
    /// The last place that was handed over, and the one behind which this walk begins.
    var (last, start): (IndexPlace?, IndexPlace?)
    while !walk.isAtEnd {
      var entries: [IndexEntry]
      do throws(Malformed) { entries = try content.next(&walk) } catch {
        // The walk begins again in an index that is made anew, and passes over what it handed over.
        makeAnew()
        walk = ask { content throws(Malformed) in try IndexWalk(span, in: &content) }
        start = last
        continue
      }
      if let start {
        entries.removeAll { entry in
          let place = span.order.place(of: entry)
          return span.isReversed ? place >= start : place <= start
        }
      }
      // By place, since an iterator would copy each entry twice.
      for place in entries.indices { if try !body(entries[place]) { return } }
      last = entries.last.map(span.order.place) ?? last
    }
  }

  /// Returns the first entries of a span.
  ///
  /// - Parameter ids: those of the entries that are wanted; all if `nil`.
  private mutating func entries(
    _ span: IndexSpan, limit: Int = .max, ids: ClosedRange<RecordID>? = nil
  ) -> [IndexEntry] {
    var found: [IndexEntry] = []
    if limit <= 0 { return found }
    walk(span) { entry in
      if ids?.contains(entry.id) ?? true { found.append(entry) }
      return found.count < limit
    }
    return found
  }

  /// What falls due after one instant and not after another.
  private static func span(
    dueAfter start: Int64, through end: Int64, sorted: Range<Int64>? = nil
  ) -> IndexSpan {
    // Nothing falls due at the greatest of instants.
    IndexSpan(order: .due, first: start.addingClamped(1), last: end, sorted: sorted)
  }

  /// Returns how many records there are.
  package mutating func count() -> Int {
    ask { content throws(Malformed) in try content.count(IndexSpan(order: .ids)) }
  }

  /// Returns a stamp that is another one where an entry or a stray changed since an earlier opening. It
  /// is mostly the same where none did, but not after the changes were folded into the base.
  package mutating func stamp() -> UInt64 { content.stamp() }

  /// Hands over the entries in order, until `body` gives `false`.
  ///
  /// - Parameter start: The sort key to begin at, itself included; `nil` for the order's first.
  package mutating func forEach(
    _ order: Order, from start: Int64? = nil, _ body: (IndexEntry) throws -> Bool
  ) rethrows {
    let span =
      order == .ascending
      ? IndexSpan(order: .listed, first: start ?? .min)
      : IndexSpan(order: .listed, last: start ?? .max, isReversed: true)
    try walk(span, body)
  }

  /// Returns the entry of one record.
  package mutating func entry(_ id: RecordID) -> IndexEntry? {
    ask { content throws(Malformed) in try content.entry(id) }
  }

  /// Returns the entries whose ids begin with these digits, by id.
  ///
  /// - Parameter prefix: At least one hexadecimal digit of either case; hyphens only where an id has
  ///   them. Anything else finds nothing.
  package mutating func entries(
    idPrefix prefix: some StringProtocol, limit: Int
  ) -> [IndexEntry] {
    guard let range = RecordID.range(prefix: prefix) else { return [] }
    let span = IndexSpan(
      order: .ids, first: range.lowerBound.lead, last: range.upperBound.lead)
    return entries(span, limit: limit, ids: range)
  }

  /// Returns the entries with this hash of their name, in order. Another name may have the same.
  package mutating func entries(nameHash: UInt64) -> [IndexEntry] {
    let lead = Int64(bitPattern: nameHash)
    return entries(IndexSpan(order: .named, first: lead, last: lead))
  }

  /// Returns the entries that fall due after one instant and not after another, by when they do,
  /// then in order.
  ///
  /// - Parameter sorted: the sort keys of the entries; others are not read. All if `nil`.
  package mutating func entries(
    dueAfter start: Int64, through end: Int64, sorted: Range<Int64>? = nil
  ) -> [IndexEntry] {
    entries(Self.span(dueAfter: start, through: end, sorted: sorted))
  }

  /// Hands over ``entries(dueAfter:through:sorted:)`` one by one, until `body` gives `false`;
  /// little more is read.
  package mutating func forEach(
    dueAfter start: Int64, through end: Int64, sorted: Range<Int64>? = nil,
    _ body: (IndexEntry) throws -> Bool
  ) rethrows {
    try walk(Self.span(dueAfter: start, through: end, sorted: sorted), body)
  }

  /// Returns how many entries fall due after one instant and not after another.
  package mutating func count(dueAfter start: Int64, through end: Int64) -> Int {
    ask { content throws(Malformed) in try content.count(Self.span(dueAfter: start, through: end)) }
  }

  /// Returns the entries with a problem, by id.
  package mutating func problems() -> [IndexEntry] {
    ask { content throws(Malformed) in
      var found: [IndexEntry] = []
      for row in content.problems() {
        if let entry = try content.entry(row.id) { found.append(entry) }
      }
      return found
    }
  }

  /// Returns the files among the records that are none, such as a synchroniser's conflict copies,
  /// by path; of the names that begin with a dot only those of records that are away.
  package mutating func strays() -> [FilePath] {
    others().filter { !$0.isAwayRecord && !BystanderName.contains($0.lastComponent) }
  }

  /// Returns the files that stand for records that iCloud has taken off this machine.
  package mutating func away() -> [FilePath] { others().filter(\.isAwayRecord) }

  private func others() -> [FilePath] {
    var paths = content.strays.map { setup.folder.appending(bytes: $0) }
    for shard in UInt8.min...UInt8.max {
      let names = content.directories[Int(shard)].strays
      if names.isEmpty { continue }
      let directory = setup.directory(shard: shard)
      paths += names.map { directory.appending(bytes: $0) }
    }
    return paths.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }
}

extension FilePath {
  fileprivate var isAwayRecord: Bool { AwayName.record(lastComponent) != nil }
}
