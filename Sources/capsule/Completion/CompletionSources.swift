import CapsuleCore

/// The words that only a run of the program can offer a shell: those of the store.
enum CompletionSources {
  /// Finds every word of the source that begins with the prefix, in capitals or not.
  ///
  /// A record that cannot be read is left out in silence: a shell shows no errors.
  static func candidates(
    _ source: Completion.Source, prefix: String, _ table: CommandTable, _ session: Session
  ) throws -> [Completer.Candidate] {
    func found(_ find: (Store) -> [Completer.Candidate]) throws -> [Completer.Candidate] {
      try session.existingStore().map(find) ?? []
    }
    switch source {
    case .topic: return topics(prefix, table)
    case .setting:
      return SettingKey.allCases.map { Completer.Candidate($0.rawValue, $0.summary) }
        .filter { $0.value.hasPrefix(prefix) }
    case .capsule: return try found { capsules(prefix, $0, session) }
    case .event: return try found { records([.event], prefix, $0, session) }
    case .item: return try found { records([.item], prefix, $0, session) }
    case .beneficiary: return try found { records([.beneficiary], prefix, $0, session) }
    case .bequest: return try found { records([.bequest], prefix, $0, session) }
    case .bequeathable:
      return try found { records(Bequest.subjectKinds, prefix, $0, session) }
    case .record:
      return try found {
        capsules(prefix, $0, session) + records([.event], prefix, $0, session)
      }
    case .tag: return try found { tags(prefix, $0, session) }
    case .category: return try found { categories(prefix, $0, session) }
    case .trash: return try found { trash(prefix, $0, session) }
    }
  }

  private static func topics(_ prefix: String, _ table: CommandTable) -> [Completer.Candidate] {
    let words = table.firstWords.map { word in
      Completer.Candidate(
        word, table.command([word])?.summary ?? table.noun(word)?.summary ?? "")
    }
    let topics = table.topics.map { Completer.Candidate($0.name, $0.summary) }
    return (words + topics).filter { $0.value.hasPrefix(prefix) }
  }

  /// Finds titles, and ids from the second digit on. A title that several have, or that a shell
  /// could not give back, is offered by its id.
  private static func capsules(
    _ prefix: String, _ store: Store, _ session: Session
  ) -> [Completer.Candidate] {
    var index = store.index(.capsule, now: session.now)
    var found: [CapsuleSummary] = []
    walk(&index, session) { summary in
      if hasPrefix(summary.title, prefix) { found.append(summary) }
      return found.count < limit
    }
    var counts: [NameKey: Int] = [:]
    for summary in found { counts[NameKey(summary.title), default: 0] += 1 }
    var candidates = found.map { summary in
      let title = summary.title
      let when = session.relative(summary.unlockAt)
      let isPlain = SafeText.line(title) == title && !title.isEmpty
      return isPlain && counts[NameKey(title)] == 1
        ? Completer.Candidate(title, when) : Completer.Candidate(short(summary.id), title)
    }
    if prefix.utf8.count >= 2 {
      for entry in index.entries(idPrefix: prefix, limit: limit) {
        let title = CapsuleSummary(id: entry.id, encoded: entry.summary)?.title ?? ""
        let isLong = prefix.utf8.count > 8
        candidates.append(
          Completer.Candidate(isLong ? entry.id.description : short(entry.id), title))
      }
    }
    return candidates
  }

  /// Finds titles of records of these kinds, and ids from the second digit on; a title that several
  /// have is offered by its id.
  private static func records(
    _ kinds: [RecordKind], _ prefix: String, _ store: Store, _ session: Session
  ) -> [Completer.Candidate] {
    var candidates: [Completer.Candidate] = []
    let end = session.host.monotonicClock() + patience
    let names = RecordNames(store, now: session.now)
    for kind in kinds {
      var index = store.index(kind, now: session.now)
      var found: [(id: RecordID, title: String)] = []
      var count = 0
      index.forEach(.descending) { entry in
        count += 1
        if count.isMultiple(of: 256), session.host.monotonicClock() > end { return false }
        let title = names.title(of: entry, kind)
        if hasPrefix(title, prefix) { found.append((entry.id, title)) }
        return found.count < limit
      }
      var counts: [NameKey: Int] = [:]
      for record in found { counts[NameKey(record.title), default: 0] += 1 }
      for (id, title) in found {
        let isPlain = SafeText.line(title) == title && !title.isEmpty
        candidates.append(
          isPlain && counts[NameKey(title)] == 1
            ? Completer.Candidate(title, kind.word) : Completer.Candidate(short(id), title))
      }
      guard prefix.utf8.count >= 2 else { continue }
      for entry in index.entries(idPrefix: prefix, limit: limit) {
        let id = prefix.utf8.count > 8 ? entry.id.description : short(entry.id)
        candidates.append(Completer.Candidate(id, names.title(of: entry, kind)))
      }
    }
    return candidates
  }

  private static func tags(
    _ prefix: String, _ store: Store, _ session: Session
  ) -> [Completer.Candidate] {
    var index = store.index(.capsule, now: session.now)
    var counts: [String: Int] = [:]
    walk(&index, session) { summary in
      for tag in summary.tags where hasPrefix(tag, prefix) { counts[tag, default: 0] += 1 }
      return true
    }
    return counts.sorted { $0.key < $1.key }
      .map { Completer.Candidate($0.key, $0.value == 1 ? "1 capsule" : "\($0.value) capsules") }
  }

  private static func categories(
    _ prefix: String, _ store: Store, _ session: Session
  ) -> [Completer.Candidate] {
    let end = session.host.monotonicClock() + patience
    var index = store.index(.item, now: session.now)
    var counts: [String: Int] = [:]
    var count = 0
    index.forEach(.descending) { entry in
      count += 1
      if count.isMultiple(of: 256), session.host.monotonicClock() > end { return false }
      guard let summary = ItemSummary(id: entry.id, encoded: entry.summary) else { return true }
      let category = summary.category
      if !category.isEmpty, hasPrefix(category, prefix) { counts[category, default: 0] += 1 }
      return true
    }
    return counts.sorted { $0.key < $1.key }
      .map { Completer.Candidate($0.key, $0.value == 1 ? "1 item" : "\($0.value) items") }
  }

  private static func trash(
    _ prefix: String, _ store: Store, _ session: Session
  ) -> [Completer.Candidate] {
    let records = RecordKind.allCases.flatMap { (try? store.trash($0)) ?? [] }
    return records.filter { $0.id.description.hasPrefix(prefix.lowercased()) }.prefix(limit)
      .map { record in
        let when = session.relative(record.deletedAt)
        return Completer.Candidate(short(record.id), "\(record.kind.rawValue), deleted \(when)")
      }
  }

  /// The most words that a shell is offered.
  private static let limit = 200
  /// The longest search, in nanoseconds: a key press must not wait.
  private static let patience: Int64 = 30_000_000

  /// Goes over the capsules, the last to unlock first, until `body` has enough or time is up.
  private static func walk(
    _ index: inout RecordIndex, _ session: Session, _ body: (CapsuleSummary) -> Bool
  ) {
    let end = session.host.monotonicClock() + patience
    var count = 0
    index.forEach(.descending) { entry in
      count += 1
      if count.isMultiple(of: 256), session.host.monotonicClock() > end { return false }
      return CapsuleSummary(id: entry.id, encoded: entry.summary).map(body) ?? true
    }
  }

  private static func hasPrefix(_ text: String, _ prefix: String) -> Bool {
    prefix.isEmpty || text.lowercased().hasPrefix(prefix.lowercased())
  }

  private static func short(_ id: RecordID) -> String {
    String(id.description.prefix(8))
  }
}
