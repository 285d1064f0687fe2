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

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let filter = try ListFilter(invocation, session)
    let store = try session.existingStore()
    var index = store?.index(.capsule, now: session.now)
    var isPartial = false
    for failure in index?.failures ?? [] {
      session.console.report(Failure(failure))
      isPartial = true
    }
    for stray in index?.strays() ?? [] {
      session.console.warning(
        "'\(stray.text)' is not a record", hint: "is it a synchroniser's conflict copy?",
        details: ["path": .string(stray.text)])
    }
    var isEmpty = true
    var hasProblem = false
    func each(_ body: (CapsuleView) -> Bool) {
      guard let store else { return }
      filter.forEach(in: &index, store, session) { view in
        isEmpty = false
        if view.problem != .none { hasProblem = true }
        return body(view)
      }
    }
    let code = try session.render(
      ending: isEmpty && invocation[exitCode] ? .none : .ok, each: each,
      writingJSON: { view, writer in view.write(to: &writer) },
      text: { out in
        let settings = session.storeSettings(store)
        out.table(columns(notes: settings.showsDetails), plain: invocation[plain]) { body in
          each { body(row($0, session, filter.now, settings)) }
        }
        if isEmpty, store == nil || !filter.isRestrictive {
          session.console.note("There are no capsules yet; 'capsule create' makes one.")
        }
      })
    if hasProblem {
      session.console.warning(
        "some records are not what was written",
        hint: "'capsule verify' says which, 'capsule repair' mends what can be mended")
    }
    return isPartial || hasProblem ? .partial : code
  }

  private static func columns(notes: Bool) -> [Table.Column] {
    let columns: [Table.Column] = [
      .init("ID"), .init("STATE"), .init("TITLE", flexible: true), .init("UNLOCKS"),
      .init("WHEN"), .init("CONTENTS", flexible: true), .init("TAGS", flexible: true),
    ]
    return notes ? columns + [.init("NOTES", flexible: true)] : columns
  }

  private static func row(
    _ view: CapsuleView, _ session: Session, _ now: Instant, _ settings: StoreSettings
  ) -> [StyledText] {
    let summary = view.summary
    let id = summary.id.description
    // Programs get all of it; eight digits tell a person's capsules apart.
    let shown = session.console.out.isTerminal ? String(id.prefix(8)) : id
    guard view.problem == .none || !summary.title.isEmpty else {
      return [StyledText(shown, .dim), view.stateText]
    }
    var fields = [
      StyledText(shown, .dim), view.stateText, StyledText(summary.title, .bold),
      StyledText(session.relative(.instant(summary.unlockAt), at: now, settings)),
      StyledText(session.dateTime(summary.unlockAt)), StyledText(view.contentsText),
      StyledText(summary.tags.joined(separator: ", "), .cyan),
    ]
    if settings.showsDetails {
      fields.append(StyledText(summary.notes.split(separator: "\n").first.map(String.init) ?? ""))
    }
    return fields
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

  init(_ invocation: Invocation, _ session: Session) throws {
    func instant(_ option: Option<String>) throws -> Instant? {
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

  /// Hands over the views in order, until `body` gives `false`; those in the order of unlocking
  /// without holding them all.
  func forEach(
    in index: inout RecordIndex?, _ store: Store, _ session: Session,
    _ body: (CapsuleView) -> Bool
  ) {
    var left = limit
    func give(_ view: CapsuleView) -> Bool {
      left -= 1
      return body(view) && left > 0
    }
    // What cannot be read has no date: it stands first, so that no limit hides it.
    for entry in index?.problems() ?? [] where entry.summary.isEmpty {
      if !give(Self.unreadable(entry, session)) { return }
    }
    func view(_ entry: IndexEntry) -> CapsuleView? {
      guard let summary = CapsuleSummary(id: entry.id, encoded: entry.summary) else { return nil }
      let view = CapsuleView(summary, problem: entry.problem, in: session, at: now)
      return matches(view, store) ? view : nil
    }
    guard order == .unlock else {
      var views: [CapsuleView] = []
      index?.forEach(.ascending, from: nil) { entry in
        if let view = view(entry) { views.append(view) }
        return true
      }
      for view in sorted(views) where !give(view) { return }
      return
    }
    // The locked ones rise from now, the unlocked ones fall from it; reversed, each the other way.
    var goesOn = true
    func take(_ entry: IndexEntry) -> Bool {
      if let view = view(entry) { goesOn = give(view) }
      return goesOn
    }
    if isReversed {
      index?.forEach(.ascending, from: nil) { $0.sortKey <= now.seconds && take($0) }
      guard goesOn else { return }
      index?.forEach(.descending, from: nil) { $0.sortKey > now.seconds && take($0) }
    } else {
      index?.forEach(.ascending, from: now.seconds + 1, take)
      if goesOn { index?.forEach(.descending, from: now.seconds, take) }
    }
  }

  private func sorted(_ views: [CapsuleView]) -> [CapsuleView] {
    let sorted: [CapsuleView]
    if order == .title {
      let keyed = views.map { ($0.summary.title.lowercased(), $0) }
      sorted = keyed.sorted { ($0.0, $0.1.summary.id) < ($1.0, $1.1.summary.id) }.map(\.1)
    } else {
      sorted = views.sorted {
        ($0.summary.createdAt, $0.summary.id) < ($1.summary.createdAt, $1.summary.id)
      }
    }
    return isReversed ? sorted.reversed() : sorted
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
