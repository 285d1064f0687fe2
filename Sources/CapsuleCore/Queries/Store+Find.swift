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
  /// It means several.
  case ambiguous(String, [FoundRecord])
}

extension Store {
  /// Finds the one record that a word means: an id, the start of one, or an exact title or name,
  /// whatever its case. A bequest is meant by the name of what is left or of the person too, where
  /// nothing else has the word.
  ///
  /// - Throws: `.notFound` and `.ambiguous`.
  package func find(
    _ word: String, among kinds: [RecordKind], now: Instant
  ) throws(FindError) -> FoundRecord {
    var found: [FoundRecord] = []
    var byPart: [FoundRecord] = []
    var hasUnreadable = false
    for kind in kinds {
      if kind == .bequest {
        let bequests = bequests(meantBy: word, now: now)
        found += bequests.whole
        byPart = bequests.byPart
        continue
      }
      var index = index(kind, now: now)
      if let id = RecordID(word.lowercased()), let entry = index.entry(id) {
        return FoundRecord(kind: kind, id: id, title: entry.title)
      }
      var entries: [IndexEntry] = []
      if word.utf8.count >= RecordID.shortestPrefix {
        entries += index.entries(idPrefix: word, limit: 20)
      }
      let key = NameKey(word)
      for entry in index.entries(nameHash: key.hash)
      where NameKey(entry.title) == key && !entries.contains(where: { $0.id == entry.id }) {
        entries.append(entry)
      }
      found += entries.map { FoundRecord(kind: kind, id: $0.id, title: $0.title) }
      if entries.isEmpty { hasUnreadable = hasUnreadable || !index.problems().isEmpty }
    }
    // The things that are left, and the people, have a better right to their own names than bequests.
    if found.isEmpty { found = byPart }
    guard let only = found.first else {
      throw .notFound(word, among: kinds, hasUnreadable: hasUnreadable)
    }
    guard found.count == 1 else { throw .ambiguous(word, found) }
    return only
  }

  /// Finds the one record that a word means among some kinds, among the next only where none of these
  /// has it, and so on.
  ///
  /// - Throws: `.notFound` and `.ambiguous`.
  package func find(
    _ word: String, inTurn turns: [[RecordKind]], now: Instant
  ) throws(FindError) -> FoundRecord {
    var hasUnreadable = false
    for kinds in turns {
      do throws(FindError) {
        return try find(word, among: kinds, now: now)
      } catch {
        guard case .notFound(_, _, let hasMore) = error else { throw error }
        hasUnreadable = hasUnreadable || hasMore
      }
    }
    throw .notFound(word, among: turns.flatMap(\.self), hasUnreadable: hasUnreadable)
  }

  /// Returns the bequests that a word may mean: by id, the start of one, or their title, and those
  /// that it may mean by a part of it, the name of the thing that is left or of the person.
  /// Bequests that are closed count by name only where there are no others.
  private func bequests(
    meantBy word: String, now: Instant
  ) -> (whole: [FoundRecord], byPart: [FoundRecord]) {
    var index = index(.bequest, now: now)
    let names = RecordNames(self, now: now)
    let key = NameKey(word)
    let isPrefix = word.utf8.count >= RecordID.shortestPrefix
    let id = word.lowercased()
    if let exact = RecordID(id), let entry = index.entry(exact) {
      let title = names.title(of: entry, .bequest)
      return ([FoundRecord(kind: .bequest, id: exact, title: title)], [])
    }
    var found: [FoundRecord] = []
    var titled = (open: [FoundRecord](), closed: [FoundRecord]())
    var partly = titled
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
    found += titled.open
    return (
      found.isEmpty ? titled.closed : found, partly.open.isEmpty ? partly.closed : partly.open
    )
  }
}
