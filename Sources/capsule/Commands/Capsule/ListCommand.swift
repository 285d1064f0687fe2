import CapsuleCore

/// `capsule list`.
enum ListCommand {
  enum Order: String, CaseIterable, Sendable { case unlock, created, title }

  static let locked = Flag("locked", "Only those that are locked")
  static let unlocked = Flag("unlocked", "Only those that are unlocked and were not opened yet")
  static let opened = Flag("opened", "Only those that were opened")
  static let tag = RepeatableOption(
    "tag", value: "TAG", .text(completing: .tag), "Only those with this tag; of several, all")
  static let search = Option(
    "search", value: "TEXT", .text, "Only those with this text in the title, notes or tags")
  static let before = Option(
    "before", value: "WHEN", .text, "Only those that unlock before this time")
  static let after = Option(
    "after", value: "WHEN", .text, "Only those that unlock at this time or later")
  static let sort = Option(
    "sort", value: "ORDER", ValueType<Order>.choice, default: "unlock", "What to sort by")
  static let reverse = Flag("reverse", "Sort the other way round")
  static let limit = Option("limit", value: "N", .integer(1...), "At most so many")
  static let plain = Flag("plain", "Columns parted by tabs, nothing cut, for scripts")
  static let exitCode = Flag("exit-code", "Exit with 1 when nothing matches")
  static let at = Option(
    "at", value: "WHEN", .text, "Show them as they will be at this time; it opens nothing")

  static let command = Command(
    "list", summary: "List the capsules, soonest first",
    discussion: """
      Those that are locked come first, the soonest to unlock at the top; then those that are \
      unlocked, the last unlocked at the top. A record that cannot be read, or is not what was \
      written, is marked, and the command ends with 3.
      """,
    options: [
      locked, unlocked, opened, tag, search, before, after, sort, reverse, limit, plain, exitCode,
      at,
    ],
    outputs: [.json, .ndjson],
    examples: [
      Example("capsule list --locked --tag family", "List what is locked and has a tag"),
      Example(
        "capsule list --json | jq -r '.[] | select(.state == \"unlocked\") | .title'",
        "Tell the titles of what can be opened"),
    ],
    exitCodes: [.none, .partial, .damaged],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws(Failure) -> ExitCode {
    let filter = try ListFilter(invocation, session)
    let store = try session.existingStore()
    var rows: [CapsuleView] = []
    var strays: [FilePath] = []
    var isPartial = false
    if let store {
      var index = store.index(.capsule, now: session.now)
      for failure in index.failures {
        session.console.report(Failure(failure))
        isPartial = true
      }
      strays = index.strays()
      rows = try filter.rows(from: &index, store, session)
      isPartial = isPartial || rows.contains { $0.problem != .none }
    }
    for stray in strays {
      session.console.warning(
        "'\(stray.text)' is not a record", hint: "is it a synchroniser's conflict copy?",
        details: ["path": .string(stray.text)])
    }
    if rows.contains(where: { $0.problem != .none }) {
      session.console.warning(
        "some records are not what was written",
        hint: "'capsule verify' says which, 'capsule repair' mends what can be mended")
    }
    let nothing: ExitCode = rows.isEmpty && invocation[exitCode] ? .none : .ok
    return try session.render(
      ending: isPartial ? .partial : nothing, list: rows,
      writingJSON: { view, writer in writer.value(.object(view.members)) },
      text: { out in
        if rows.isEmpty, store == nil || !filter.isRestrictive {
          session.console.note("There are no capsules yet; 'capsule create' makes one.")
        }
        let showsNotes = session.storeSettings(store).showsDetails
        out.table(
          table(rows, session, filter.now, notes: showsNotes), plain: invocation[plain])
      })
  }

  private static func table(
    _ rows: [CapsuleView], _ session: Session, _ now: Instant, notes: Bool
  ) -> Table {
    var columns: [Table.Column] = [
      .init("ID"), .init("STATE"), .init("TITLE", flexible: true), .init("UNLOCKS"),
      .init("WHEN"), .init("CONTENTS", flexible: true),
      .init("TAGS", flexible: true),
    ]
    if notes { columns.append(.init("NOTES", flexible: true)) }
    var table = Table(columns)
    for view in rows {
      let summary = view.summary
      let id = summary.id.description
      // Programs get all of it; eight digits tell a person's capsules apart.
      let shown = session.console.out.isTerminal ? String(id.prefix(8)) : id
      guard view.problem == .none || !summary.title.isEmpty else {
        table.row(StyledText(shown, .dim), view.stateText)
        continue
      }
      var fields = [
        StyledText(shown, .dim), view.stateText, StyledText(summary.title, .bold),
        StyledText(RelativeText.words(summary.unlockAt, from: now, in: session.zone)),
        StyledText(session.dateTime(summary.unlockAt)), StyledText(view.contentsText),
        StyledText(summary.tags.joined(separator: ", "), .cyan),
      ]
      if notes {
        fields.append(StyledText(summary.notes.split(separator: "\n").first.map(String.init) ?? ""))
      }
      table.append(fields)
    }
    return table
  }
}

/// Which capsules a list shows, and in which order.
private struct ListFilter {
  let now: Instant
  private let states: Set<CapsuleState>
  private let tags: [String]
  private let search: String?
  private let before: Instant?
  private let after: Instant?
  private let order: ListCommand.Order
  private let isReversed: Bool
  private let limit: Int

  init(_ invocation: Invocation, _ session: Session) throws(Failure) {
    func instant(_ option: Option<String>) throws(Failure) -> Instant? {
      guard let text = invocation[option] else { return nil }
      return try session.when(text, option: "--\(option.spec.name)").instant
    }
    now = try instant(ListCommand.at) ?? session.now
    var states: Set<CapsuleState> = []
    if invocation[ListCommand.locked] { states.insert(.locked) }
    if invocation[ListCommand.unlocked] { states.insert(.unlocked) }
    if invocation[ListCommand.opened] { states.insert(.opened) }
    self.states = states
    tags = invocation[ListCommand.tag]
    search = invocation[ListCommand.search]?.lowercased()
    before = try instant(ListCommand.before)
    after = try instant(ListCommand.after)
    order = invocation[ListCommand.sort] ?? .unlock
    isReversed = invocation[ListCommand.reverse]
    limit = invocation[ListCommand.limit] ?? .max
  }

  /// Whether it can leave anything out.
  var isRestrictive: Bool {
    !states.isEmpty || !tags.isEmpty || search != nil || before != nil || after != nil
  }

  func rows(
    from index: inout RecordIndex, _ store: Store, _ session: Session
  ) throws(Failure) -> [CapsuleView] {
    var rows: [CapsuleView] = []
    // What cannot be read has no date: it stands first, so that no limit hides it.
    for entry in index.problems() where entry.summary.isEmpty {
      rows.append(Self.unreadable(entry, session))
    }
    func take(_ entry: IndexEntry) -> Bool {
      guard let summary = CapsuleSummary(id: entry.id, encoded: entry.summary) else { return true }
      let view = CapsuleView(summary, problem: entry.problem, in: session, at: now)
      if matches(view, store) { rows.append(view) }
      return order != .unlock || rows.count < limit
    }
    switch (order, isReversed) {
    case (.unlock, false):
      index.forEach(.ascending, from: now.seconds + 1, take)
      if rows.count < limit { index.forEach(.descending, from: now.seconds, take) }
    case (.unlock, true):
      index.forEach(.ascending, from: nil) { entry in
        entry.sortKey <= now.seconds ? take(entry) : false
      }
      if rows.count < limit {
        index.forEach(.descending, from: nil) { entry in
          entry.sortKey > now.seconds ? take(entry) : false
        }
      }
    case (.created, _):
      index.forEach(.ascending, from: nil, take)
      rows.sort { ($0.summary.createdAt, $0.summary.id) < ($1.summary.createdAt, $1.summary.id) }
      if isReversed { rows.reverse() }
    case (.title, _):
      index.forEach(.ascending, from: nil, take)
      let keyed = rows.map { ($0.summary.title.lowercased(), $0) }
      rows = keyed.sorted { ($0.0, $0.1.summary.id) < ($1.0, $1.1.summary.id) }.map(\.1)
      if isReversed { rows.reverse() }
    }
    return Array(rows.prefix(limit))
  }

  private func matches(_ view: CapsuleView, _ store: Store) -> Bool {
    let summary = view.summary
    if !states.isEmpty, !states.contains(view.state) { return false }
    for tag in tags where !summary.tags.contains(where: { NameKey($0) == NameKey(tag) }) {
      return false
    }
    if let before, summary.unlockAt >= before { return false }
    if let after, summary.unlockAt < after { return false }
    guard let search else { return true }
    if summary.title.lowercased().contains(search) { return true }
    if summary.tags.contains(where: { $0.lowercased().contains(search) }) { return true }
    if summary.notes.lowercased().contains(search) { return true }
    // Long notes are not all in the index.
    guard !summary.hasAllNotes, let record = try? store.read(Capsule.self, summary.id) else {
      return false
    }
    return record.model.notes.lowercased().contains(search)
  }

  private static func unreadable(_ entry: IndexEntry, _ session: Session) -> CapsuleView {
    CapsuleView(
      CapsuleSummary(unreadable: entry.id), problem: entry.problem, in: session)
  }
}
