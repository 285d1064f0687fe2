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
  /// whatever its case.
  ///
  /// - Throws: `.notFound` and `.ambiguous`.
  package func find(
    _ word: String, among kinds: [RecordKind], now: Instant
  ) throws(FindError) -> FoundRecord {
    var found: [FoundRecord] = []
    var hasUnreadable = false
    for kind in kinds {
      if kind == .bequest {
        found += bequests(meantBy: word, now: now)
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
    guard let only = found.first else {
      throw .notFound(word, among: kinds, hasUnreadable: hasUnreadable)
    }
    guard found.count == 1 else { throw .ambiguous(word, found) }
    return only
  }

  /// Finds the one record that a word means among some kinds, and among others only where none of these
  /// has it.
  ///
  /// - Throws: `.notFound` and `.ambiguous`.
  package func find(
    _ word: String, among kinds: [RecordKind], orElse others: [RecordKind], now: Instant
  ) throws(FindError) -> FoundRecord {
    do throws(FindError) {
      return try find(word, among: kinds, now: now)
    } catch {
      guard case .notFound(_, _, let hasUnreadable) = error else { throw error }
      do throws(FindError) {
        return try find(word, among: others, now: now)
      } catch {
        guard case .notFound(_, _, let hasOthers) = error else { throw error }
        throw .notFound(word, among: kinds + others, hasUnreadable: hasUnreadable || hasOthers)
      }
    }
  }

  /// Returns the bequests that a word may mean: by id, the start of one, or the name of what is
  /// left, of the person, or of both; by name those that are closed only where there are no others.
  private func bequests(meantBy word: String, now: Instant) -> [FoundRecord] {
    var index = index(.bequest, now: now)
    let names = RecordNames(self, now: now)
    let key = NameKey(word)
    let isPrefix = word.utf8.count >= RecordID.shortestPrefix
    let id = word.lowercased()
    if let exact = RecordID(id), let entry = index.entry(exact) {
      return [FoundRecord(kind: .bequest, id: exact, title: names.title(of: entry, .bequest))]
    }
    var found: [FoundRecord] = []
    var closed: [FoundRecord] = []
    index.forEach(.ascending) { entry in
      let summary = BequestSummary(id: entry.id, encoded: entry.summary)
      let title = summary.map { names.title($0) } ?? ""
      let record = FoundRecord(kind: .bequest, id: entry.id, title: title)
      let own = [title] + (summary?.references ?? []).compactMap(names.live)
      if isPrefix, entry.id.description.hasPrefix(id) {
        found.append(record)
      } else if own.contains(where: { NameKey($0) == key }) {
        if summary?.isClosed ?? false { closed.append(record) } else { found.append(record) }
      }
      return true
    }
    return found.isEmpty ? closed : found
  }
}
