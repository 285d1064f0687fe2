import CapsuleCore

extension Session {
  /// Says of a word that means no record, or several, what is there instead: the same name among
  /// other kinds, names that are near, or the records that it may mean, a line each.
  func failure(_ error: FindError, in store: Store) -> Failure {
    var failure = Failure(error)
    switch error {
    case .notFound(let word, let kinds, _):
      let others = RecordKind.allCases.filter { !kinds.contains($0) && $0 != .bequest }
      if let found = others.lazy.compactMap({ self.only(word, $0, store) }).first {
        let name = "\(found.kind.article) \(found.kind.word)"
        failure.hint = "there is \(name) of that name: \(command(for: found.kind, word))"
        failure.details["elsewhere"] = .array([.object(Self.members(found))])
        return failure
      }
      let near = store.near(word, among: kinds, limit: 3, now: now)
      guard !near.isEmpty else { break }
      let titles = near.map { "'\($0.title)'" }
      failure.hint =
        "did you mean \(titles.dropLast().joined(separator: ", "))"
        + "\(titles.count > 1 ? " or " : "")\(titles.last ?? "")?"
      failure.details["near"] = .array(near.map { .object(Self.members($0)) })
    case .ambiguous(_, let found):
      failure.list = candidates(found, in: store)
    }
    return failure
  }

  /// The record of a kind that a word means, where it means one.
  private func only(_ word: String, _ kind: RecordKind, _ store: Store) -> FoundRecord? {
    try? store.find(word, among: [kind], now: now)
  }

  /// The command that does to a record of another kind what was asked for, else the one that shows it.
  private func command(for kind: RecordKind, _ word: String) -> String {
    let asked = verb.split(separator: " ").last.map(String.init) ?? ""
    let verb = ["delete", "edit"].contains(asked) ? asked : "show"
    let noun = kind == .capsule ? "" : "\(kind.rawValue) "
    return "capsule \(noun)\(verb) \(ShellWord.quoted(word))"
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

  /// The date that a person tells a record from another by: when it unlocks, when it is, or when it
  /// was added.
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
        .map { text(of: $0.timing.current(at: now, calendar)) } ?? ""
    case .item:
      return ItemSummary(id: entry.id, encoded: entry.summary).map { dateTime($0.createdAt) } ?? ""
    case .beneficiary:
      return BeneficiarySummary(id: entry.id, encoded: entry.summary)
        .map { dateTime($0.createdAt) } ?? ""
    case .bequest:
      return BequestSummary(id: entry.id, encoded: entry.summary).map { dateTime($0.createdAt) }
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
