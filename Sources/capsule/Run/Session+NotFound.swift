import CapsuleCore

extension Session {
  /// Returns a failure that says of a word that means no record, or several, what is there instead:
  /// the same name among other kinds, names that are near, or the records that it may mean, a line
  /// each. A record of another kind is never taken for it.
  ///
  /// - Parameter kinds: the kinds that were looked at.
  func failure(_ error: FindError, besides kinds: [RecordKind], in store: Store) -> Failure {
    var failure = Failure(error)
    switch error {
    case .notFound(let word, _, _):
      let others = RecordKind.allCases.filter { !kinds.contains($0) }
      if let kind = others.first(where: { isMeant(word, $0, store) }) {
        failure.hint =
          "it is \(kind.wordWithArticle): \(kind.command(like: verb)) \(word.shellWord)"
        return failure
      }
      let near = store.near(word, among: kinds, limit: 3, now: now)
      var titles: [String] = []
      for title in near.map({ "'\($0.title)'" }) where !titles.contains(title) {
        titles.append(title)
      }
      if titles.isEmpty { break }
      failure.hint = "did you mean \(titles.listed("or"))?"
      failure.details["near"] = .array(near.map { .object(Self.members($0)) })
    case .ambiguous(_, let found):
      failure.list = candidates(found, in: store)
    case .unlisted: break
    }
    return failure
  }

  /// Whether a word means a record of a kind, or several.
  private func isMeant(_ word: String, _ kind: RecordKind, _ store: Store) -> Bool {
    do throws(FindError) {
      var finder = RecordFinder(store, now: now)
      _ = try finder.find(word, among: [kind])
      return true
    } catch {
      if case .ambiguous = error { return true }
      return false
    }
  }

  /// The lines of what a word may mean: kind, title, date, id.
  private func candidates(_ found: [FoundRecord], in store: Store) -> [String] {
    let shown = found.prefix(20)
    var table = Table([.init("KIND"), .init("TITLE"), .init("DATE"), .init("ID")], header: false)
    for record in shown {
      table.row(
        StyledText(record.kind.word), StyledText("'\(record.title)'"),
        StyledText(date(of: record, in: store)), StyledText(record.id.description))
    }
    let more = found.count - shown.count
    return table.lines(width: .max).map(\.plain) + (more > 0 ? ["and \(more) more"] : [])
  }

  /// Returns the date by which a person can tell a record from another: when it unlocks, when it
  /// is, or when it was added.
  private func date(of record: FoundRecord, in store: Store) -> String {
    var index = store.index(record.kind, now: now)
    guard let entry = index.entry(record.id) else { return "" }
    switch record.kind {
    case .capsule:
      return CapsuleSummary(id: entry.id, encoded: entry.summary).map { dateTime($0.unlockAt) }
        ?? ""
    case .event:
      let calendar = eventCalendar(storeSettings(store))
      return EventSummary(id: entry.id, encoded: entry.summary)
        .map { text(of: $0.timing.schedule(in: calendar).current(at: now)) } ?? ""
    case .item:
      return ItemSummary(id: entry.id, encoded: entry.summary).map { dateTime($0.createdAt) } ?? ""
    case .beneficiary:
      return BeneficiarySummary(id: entry.id, encoded: entry.summary)
        .map { dateTime($0.createdAt) } ?? ""
    case .bequest:
      return BequestSummary(id: entry.id, encoded: entry.summary).map { dateTime($0.createdAt) }
        ?? ""
    case .trustees:
      return TrusteeSummary(id: entry.id, encoded: entry.summary).map { dateTime($0.createdAt) }
        ?? ""
    }
  }

  private static func members(_ record: FoundRecord) -> JSONObject {
    [
      "id": .string(record.id.description), "kind": .string(record.kind.rawValue),
      "title": .string(record.title),
    ]
  }
}
