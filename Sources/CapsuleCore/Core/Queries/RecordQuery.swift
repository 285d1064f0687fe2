/// A question about the records of one kind: which of them, in which order, and at most how many.
package protocol RecordQuery {
  /// A record as the answer has it.
  associatedtype Row

  static var kind: RecordKind { get }
  var limit: Int { get }

  /// Returns the row of a record of which only the id is known; `nil` where the answer leaves such
  /// records out.
  func unreadable(_ entry: IndexEntry) -> Row?

  /// Hands over the rows of the records that can be read, in order, until `sink` returns `false`.
  func forEachReadable(
    in index: inout RecordIndex, of store: Store, _ sink: (Row) -> Bool)
}

/// A question whose answer has an order that is chosen.
package protocol SortedQuery: RecordQuery {
  associatedtype Order: RawRepresentable<String>, Sendable
  var order: Order { get set }
  var isReversed: Bool { get set }
  var limit: Int { get set }
}

extension RecordQuery {
  package func unreadable(_ entry: IndexEntry) -> Row? { nil }

  /// Hands over at most `limit` rows, until `sink` returns `false`.
  ///
  /// A record that cannot be read has nothing to be sorted by: it stands first, so that no limit
  /// hides it.
  package func forEach(
    in index: inout RecordIndex, of store: Store, _ sink: (Row) -> Bool
  ) {
    var left = limit
    func give(_ row: Row) -> Bool {
      left -= 1
      return sink(row) && left > 0
    }
    for entry in index.problems() where entry.summary.isEmpty {
      if let row = unreadable(entry), !give(row) { return }
    }
    forEachReadable(in: &index, of: store, give)
  }
}

extension SearchText {
  /// Returns whether one of the texts holds what is searched for.
  ///
  /// - Parameter rest: The texts that an index holds in part, read from the record.
  func matches(_ texts: [String], orRest rest: () -> [String]) -> Bool {
    texts.contains(where: matches) || rest().contains(where: matches)
  }
}

extension StoredRecord {
  /// The problem that the index has for such a record.
  package var problem: IndexProblem { integrity == nil ? .none : .altered }
}

/// A record that a word means.
package struct FoundRecord: Sendable {
  package let kind: RecordKind
  package let id: RecordID
  package let title: String

  package init(kind: RecordKind, id: RecordID, title: String) {
    self.kind = kind
    self.id = id
    self.title = title
  }
}

/// A word does not mean exactly one record.
extension Fault {
  /// Where a record that a word means may be one that cannot be read.
  package struct NoSuchRecord: Sendable {
    package let hasUnreadable: Bool
  }

  /// No record has the word as its id, the start of its id, its title or its name.
  ///
  /// - Parameter hasUnreadable: whether it may mean a record that cannot be read.
  package static func noSuchRecord(
    _ reference: String, among kinds: [RecordKind] = [.capsule], hasUnreadable: Bool = false
  ) -> Fault {
    let message: Message
    var hint: String
    if kinds.count > 2 {
      message = "no record has the id, title or name '\(reference)'"
      hint = "search all texts: capsule search \(reference.shellWord)"
    } else {
      let words = kinds.map(\.word).joined(separator: " or ")
      let isTitled = kinds.contains { $0 == .capsule || $0 == .event }
      message = "no \(words) has the id or \(isTitled ? "title" : "name") '\(reference)'"
      let isShortID =
        reference.utf8.count < RecordID.shortestPrefix && reference.allSatisfy(\.isHexDigit)
      let lists = kinds.map(\.listCommand).joined(separator: "; or: ")
      hint =
        "list what exists: \(lists)"
        + (isShortID ? "; an id needs at least \(RecordID.shortestPrefix) characters" : "")
    }
    if hasUnreadable {
      hint = "some records cannot be read; list them: capsule verify"
    }
    return Fault(
      .noSuchRecord, message, hint: hint, details: ["reference": .string(reference)],
      cause: NoSuchRecord(hasUnreadable: hasUnreadable))
  }

  /// A word means several records.
  package static func severalRecords(_ reference: String, _ found: [FoundRecord]) -> Fault {
    Fault(
      .severalRecords, "several records match '\(reference)'",
      list: found.map { "\($0.kind.word)  '\($0.title)'  \($0.id)" },
      hint: "use an id, or the start of one",
      details: [
        "reference": .string(reference),
        "candidates": .array(
          found.map {
            .object([
              "id": .string($0.id.description), "kind": .string($0.kind.rawValue),
              "title": .string($0.title),
            ])
          }),
      ], cause: found)
  }
}

/// Finds the records that words mean. Each kind's index is opened once, however many words there are.
package struct RecordFinder {
  private let store: Store
  private var indexes: OpenIndexes
  private let names: RecordNames

  /// - Parameter now: the real time, for the indexes.
  package init(_ store: Store, now: Instant) {
    self.store = store
    indexes = OpenIndexes(store, now: now)
    names = RecordNames(store, now: now)
  }

  /// Finds the one record that a word means: an id, the start of one, or an exact title or name,
  /// whatever its case. A bequest is meant by the name of what is left or of the person too, where
  /// nothing else has the word.
  ///
  /// - Throws: `.noSuchRecord`, `.severalRecords`, and `.io` where it may mean a record that cannot be listed.
  package mutating func find(
    _ word: String, among kinds: [RecordKind]
  ) throws(Fault) -> FoundRecord {
    var found: [FoundRecord] = []
    var byPart: [FoundRecord] = []
    var hasUnreadable = false
    for kind in kinds {
      if kind == .bequest {
        let bequests = bequests(meantBy: word)
        found += bequests.whole
        byPart = bequests.byPart
        continue
      }
      if let id = RecordID(word.lowercased()),
        let entry = indexes.ask(kind, { $0.entry(id) })
      {
        return FoundRecord(kind: kind, id: id, title: entry.title)
      }
      let entries = indexes.ask(kind) { Self.entries(meantBy: word, in: &$0) }
      found += entries.map { FoundRecord(kind: kind, id: $0.id, title: $0.title) }
      if entries.isEmpty, !hasUnreadable {
        hasUnreadable = indexes.ask(kind) { !$0.problems().isEmpty }
      }
    }
    // The things that are left, and the people, have a better right to their own names than bequests.
    if found.isEmpty { found = byPart }
    guard let only = found.first else {
      for kind in kinds {
        if let gap = gap(in: kind, for: word) { throw gap }
      }
      throw .noSuchRecord(word, among: kinds, hasUnreadable: hasUnreadable)
    }
    guard found.count == 1 else { throw .severalRecords(word, found) }
    return only
  }

  /// Finds the one record that a word means among some kinds, among the next only where none of these
  /// has it, and so on.
  ///
  /// - Throws: `.noSuchRecord`, `.severalRecords`, and `.io` where it may mean a record that cannot be listed.
  package mutating func find(
    _ word: String, inTurn turns: [[RecordKind]]
  ) throws(Fault) -> FoundRecord {
    var hasUnreadable = false
    var gap: Fault?
    for kinds in turns {
      do {
        return try find(word, among: kinds)
      } catch {
        if error.code == .severalRecords { throw error }
        if let missing = error.cause as? Fault.NoSuchRecord {
          hasUnreadable = hasUnreadable || missing.hasUnreadable
        } else {
          gap = gap ?? error
        }
      }
    }
    if let gap { throw gap }
    throw .noSuchRecord(
      word, among: turns.flatMap(\.self), hasUnreadable: hasUnreadable)
  }

  /// Finds the records whose titles or names hold a text, in any case and with or without accents: as whole
  /// words, and anywhere. Of bequests the open ones count.
  package mutating func find(
    part text: String, among kinds: [RecordKind]
  ) -> (words: [FoundRecord], parts: [FoundRecord]) {
    let (search, names) = (SearchText(text), names)
    var words: [FoundRecord] = []
    var parts: [FoundRecord] = []
    for kind in kinds {
      indexes.ask(kind) { index in
        index.forEach(.ascending) { entry in
          if kind == .bequest, Brief<Bequest>(entry)?.isClosed ?? true { return true }
          let title = names.title(of: entry, kind)
          guard search.matches(title) else { return true }
          let record = FoundRecord(kind: kind, id: entry.id, title: title)
          parts.append(record)
          if search.matchesWords(title) { words.append(record) }
          return true
        }
      }
    }
    return (words, parts)
  }

  /// Returns the error for which the record that a word means may be missing from the index of a kind;
  /// `nil` where nothing is missing.
  private mutating func gap(in kind: RecordKind, for word: String) -> Fault? {
    let id = RecordID(word.lowercased())
    if let gap = indexes.gap(in: kind, for: id) { return gap }
    // A bequest is meant by the names of the two that it names too.
    return kind == .bequest && id == nil ? names.gap(in: kind.namedKinds) : nil
  }

  /// Returns the entries of an index that a word may mean: by the start of their id, then by their name.
  private static func entries(
    meantBy word: String, in index: inout RecordIndex
  ) -> [IndexEntry] {
    var entries: [IndexEntry] = []
    if word.utf8.count >= RecordID.shortestPrefix {
      entries += index.entries(idPrefix: word, limit: 20)
    }
    let key = NameKey(word)
    for entry in index.entries(nameHash: key.hash)
    where NameKey(entry.title) == key && !entries.contains(where: { $0.id == entry.id }) {
      entries.append(entry)
    }
    return entries
  }

  /// Returns the bequests that a word may mean: by id, the start of one, or their title, and those
  /// that it may mean by a part of it, the name of the thing that is left or of the person.
  /// Bequests that are closed count by name only where there are no others.
  private mutating func bequests(
    meantBy word: String
  ) -> (whole: [FoundRecord], byPart: [FoundRecord]) {
    let key = NameKey(word)
    let isPrefix = word.utf8.count >= RecordID.shortestPrefix
    let id = word.lowercased()
    let names = names
    if let exact = RecordID(id), let entry = indexes.ask(.bequest, { $0.entry(exact) }) {
      let title = names.title(of: entry, .bequest)
      return ([FoundRecord(kind: .bequest, id: exact, title: title)], [])
    }
    var found: [FoundRecord] = []
    var titled = (open: [FoundRecord](), closed: [FoundRecord]())
    var partly = titled
    indexes.ask(.bequest) { index in
      index.forEach(.ascending) { entry in
        let summary = Brief<Bequest>(entry)
        let title = summary.map { names.title($0.record) } ?? ""
        let record = FoundRecord(kind: .bequest, id: entry.id, title: title)
        let isClosed = summary?.isClosed ?? false
        if isPrefix, entry.id.description.hasPrefix(id) {
          found.append(record)
        } else if NameKey(title) == key {
          if isClosed { titled.closed.append(record) } else { titled.open.append(record) }
        } else if (summary?.record.references ?? []).compactMap(names.live).contains(where: {
          NameKey($0) == key
        }) {
          if isClosed { partly.closed.append(record) } else { partly.open.append(record) }
        }
        return true
      }
    }
    found += titled.open
    return (
      found.isEmpty ? titled.closed : found, partly.open.isEmpty ? partly.closed : partly.open
    )
  }
}

/// The records in the trash, with the titles as far as they can be read.
package struct TrashListing: Sendable {
  /// A record in the trash and its title or name; empty where that cannot be read.
  package struct Entry: Sendable {
    package let record: TrashedRecord
    package private(set) var title = ""
    package private(set) var problem = IndexProblem.none
    /// The place among records of one second.
    fileprivate private(set) var madeAt: Int64 = 0

    /// - Parameter known: what an index would have of it.
    fileprivate init(_ record: TrashedRecord, _ known: IndexEntry, _ names: RecordNames) {
      self.record = record
      title = names.title(of: known, record.kind)
      (problem, madeAt) = (known.problem, known.madeAt)
    }

    fileprivate init(_ record: TrashedRecord) {
      self.record = record
    }
  }

  /// The entries by kind; of each kind the last deleted first, of one second in the order in which they
  /// were made.
  package let entries: [Entry]
  private let byRecord: [TrashedRecord: Entry]

  /// - Throws: `.io` where the trash cannot be read.
  package init(_ store: Store, now: Instant) throws(Fault) {
    var entries: [Entry] = []
    let names = RecordNames(store, now: now)
    for kind in RecordKind.allCases {
      var found: [Entry] = []
      for record in try store.trash.records(kind) {
        guard let known = store.trash.entry(of: record) else { continue }
        found.append(Entry(record, known, names))
      }
      entries += Self.asMade(found)
    }
    self.entries = entries
    byRecord = Dictionary(
      entries.map { ($0.record, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Whether some of the records have a problem.
  package var hasDamage: Bool { entries.contains { $0.problem != .none } }

  /// Puts what was deleted in one second into the order in which it was made; the rest stays where it is.
  private static func asMade(_ entries: [Entry]) -> [Entry] {
    var ordered: [Entry] = []
    var rest = entries[...]
    while let first = rest.first {
      let burst = rest.prefix { $0.record.deletedAt == first.record.deletedAt }
      ordered += burst.enumerated().sorted { one, other in
        (one.element.madeAt, one.element.record.id, one.offset)
          < (other.element.madeAt, other.element.record.id, other.offset)
      }.map(\.element)
      rest = rest.dropFirst(burst.count)
    }
    return ordered
  }

  /// Returns a record as it was when the trash was read, wherever it is by now.
  package func entry(_ record: TrashedRecord) -> Entry {
    byRecord[record] ?? Entry(record)
  }

  /// Returns the record that a word means: an id, the start of one, or an exact title. Of a record that
  /// was deleted twice the last time counts.
  package func find(_ word: String) throws(Fault) -> Entry {
    let key = NameKey(word)
    let start = word.lowercased()
    let isPrefix = word.utf8.count >= RecordID.shortestPrefix
    let found = entries.filter { entry in
      let id = entry.record.id.description
      return NameKey(entry.title) == key || id == start || (isPrefix && id.hasPrefix(start))
    }
    guard let first = found.first else {
      throw .noSuchRecord(word, among: [], hasUnreadable: hasDamage)
    }
    guard found.allSatisfy({ $0.record.id == first.record.id }) else {
      throw .severalRecords(
        word,
        found.map { FoundRecord(kind: $0.record.kind, id: $0.record.id, title: $0.title) })
    }
    return first
  }
}
