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
package enum FindError: Error, Sendable {
  /// No record has it as its id, the start of its id, its title or its name.
  ///
  /// - Parameter hasUnreadable: Whether it may mean a record that cannot be read.
  case notFound(String, among: [RecordKind], hasUnreadable: Bool)
  /// No record is known that it means, and where one may be the system does not let anybody look.
  case unlisted(StoreError)
  /// It means several.
  case ambiguous(String, [FoundRecord])
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
  /// - Throws: `.notFound`, `.ambiguous`, and `.unlisted` where it may mean a record that cannot be listed.
  package mutating func find(
    _ word: String, among kinds: [RecordKind]
  ) throws(FindError) -> FoundRecord {
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
        if let gap = gap(in: kind, for: word) { throw .unlisted(gap) }
      }
      throw .notFound(word, among: kinds, hasUnreadable: hasUnreadable)
    }
    guard found.count == 1 else { throw .ambiguous(word, found) }
    return only
  }

  /// Finds the one record that a word means among some kinds, among the next only where none of these
  /// has it, and so on.
  ///
  /// - Throws: `.notFound`, `.ambiguous`, and `.unlisted` where it may mean a record that cannot be listed.
  package mutating func find(
    _ word: String, inTurn turns: [[RecordKind]]
  ) throws(FindError) -> FoundRecord {
    var hasUnreadable = false
    var gap: StoreError?
    for kinds in turns {
      do throws(FindError) {
        return try find(word, among: kinds)
      } catch {
        switch error {
        case .notFound(_, _, let hasMore): hasUnreadable = hasUnreadable || hasMore
        case .unlisted(let error): gap = gap ?? error
        case .ambiguous: throw error
        }
      }
    }
    if let gap { throw .unlisted(gap) }
    throw .notFound(word, among: turns.flatMap(\.self), hasUnreadable: hasUnreadable)
  }

  /// Returns the error for which the record that a word means may be missing from the index of a kind;
  /// `nil` where nothing is missing.
  private mutating func gap(in kind: RecordKind, for word: String) -> StoreError? {
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
        let summary = BequestSummary(id: entry.id, encoded: entry.summary)
        let title = summary.map { names.title($0) } ?? ""
        let record = FoundRecord(kind: .bequest, id: entry.id, title: title)
        let isClosed = summary?.isClosed ?? false
        if isPrefix, entry.id.description.hasPrefix(id) {
          found.append(record)
        } else if NameKey(title) == key {
          if isClosed { titled.closed.append(record) } else { titled.open.append(record) }
        } else if (summary?.references ?? []).compactMap(names.live).contains(where: {
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
