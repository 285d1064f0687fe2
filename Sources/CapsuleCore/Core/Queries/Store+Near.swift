extension StoreQueries {
  /// Finds records whose title or name is near to a word that means none: it begins so, has the word
  /// in it, or is spelled nearly so. The nearest stand first.
  ///
  /// - Parameter limit: At most so many.
  package func near(
    _ word: String, among kinds: [RecordKind], limit: Int, now: Instant
  ) -> [FoundRecord] {
    let key = NameKey(word.trimmed).text
    let length = key.unicodeScalars.count
    // Of one letter everything is near.
    guard length > 1 else { return [] }
    var found: [(distance: Int, record: FoundRecord)] = []
    for kind in kinds where kind != .bequest {
      var index = store.index.open(kind, now: now)
      index.forEach(.ascending) { entry in
        guard let distance = Self.distance(from: key, length, to: NameKey(entry.title).text) else {
          return true
        }
        let record = FoundRecord(kind: kind, id: entry.id, title: entry.title)
        let place = found.firstIndex { distance < $0.distance } ?? found.endIndex
        if place < limit { found.insert((distance, record), at: place) }
        if found.count > limit { found.removeLast() }
        return true
      }
    }
    return found.map(\.record)
  }

  /// Returns how far a title is from what was typed; `nil` where it was hardly meant.
  private static func distance(from key: String, _ length: Int, to title: String) -> Int? {
    let limit = max(1, length / 3)
    let edits = EditDistance.between(key, title, limit: limit)
    if edits <= limit { return edits }
    if title.utf8.starts(with: key.utf8) { return limit + 1 }
    let isWord = title.parts(at: " ").contains { $0.utf8.starts(with: key.utf8) }
    return isWord && length > 2 ? limit + 2 : nil
  }
}
