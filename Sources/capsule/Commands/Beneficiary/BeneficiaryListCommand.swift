import CapsuleCore

/// `capsule beneficiary list`.
enum BeneficiaryListCommand {
  enum Order: String, CaseIterable, Sendable { case name, created, updated }

  static let search = Option(
    "search", value: "TEXT", .text, "Only those with this text in any field")
  static let sort = Option(
    "sort", value: "ORDER", ValueType<Order>.choice, default: "name", "What to sort by")
  static let reverse = Flag("reverse", "Sort the other way round")
  static let limit = Option("limit", value: "N", .integer(1...), "At most so many")
  static let plain = Flag("plain", "Columns parted by tabs, nothing cut, for scripts")
  static let exitCode = Flag("exit-code", "Exit with 1 when nothing matches")

  static let command = Command(
    "beneficiary", "list", summary: "List the people, by name",
    discussion: """
      By `created` and `updated` the last stands first. A search looks at the name, the \
      relationship, the ways to reach them and the notes, and at neither case nor accents.
      """,
    options: [search, sort, reverse, limit, plain, exitCode], outputs: [.json, .ndjson],
    examples: [
      Example("capsule beneficiary list --sort updated --limit 5", "List the last five changed"),
      Example("capsule beneficiary list --search daughter", "Find a person"),
    ],
    exitCodes: [.none, .partial, .damaged],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    var rows: [BeneficiaryView] = []
    var isPartial = false
    if let store = try session.existingStore() {
      var listing = BeneficiaryListing(session, store)
      listing.search = invocation[search].map { SearchText($0) }
      rows = listing.rows(sortedBy: invocation[sort] ?? .name, reversed: invocation[reverse])
      rows = Array(rows.prefix(invocation[limit] ?? .max))
      isPartial = listing.warn()
    }
    let nothing: ExitCode = rows.isEmpty && invocation[exitCode] ? .none : .ok
    return try session.render(
      ending: isPartial ? .partial : nothing, list: rows,
      writingJSON: { view, writer in writer.value(.object(view.members)) },
      text: { out in
        if rows.isEmpty, invocation[search] == nil {
          session.console.note("There is nobody here; 'capsule beneficiary add' adds a person.")
        }
        out.table(table(rows, session), plain: invocation[plain])
      })
  }

  private static func table(_ rows: [BeneficiaryView], _ session: Session) -> Table {
    var table = Table([
      .init("ID"), .init("NAME", flexible: true), .init("RELATIONSHIP", flexible: true),
      .init("EMAIL", flexible: true), .init("PHONE", flexible: true),
    ])
    for view in rows {
      let summary = view.summary
      let id = summary.id.description
      table.row(
        StyledText(session.console.out.isTerminal ? String(id.prefix(8)) : id, .dim),
        view.nameText, StyledText(summary.relationship), StyledText(summary.email),
        StyledText(summary.phone))
    }
    return table
  }
}

/// Which people a list shows, and in which order.
struct BeneficiaryListing {
  var search: SearchText?
  private let session: Session
  private let store: Store
  private var index: RecordIndex

  init(_ session: Session, _ store: Store) {
    self.session = session
    self.store = store
    index = store.index(.beneficiary, now: session.now)
  }

  /// Those that are wanted, what cannot be read first.
  mutating func rows(
    sortedBy order: BeneficiaryListCommand.Order, reversed: Bool
  ) -> [BeneficiaryView] {
    let unreadable = index.problems().filter(\.summary.isEmpty).map { entry in
      BeneficiaryView(
        BeneficiarySummary(unreadable: entry.id), problem: entry.problem, in: session)
    }
    var found: [BeneficiaryView] = []
    var index = index
    index.forEach(.descending) { entry in
      guard let summary = BeneficiarySummary(id: entry.id, encoded: entry.summary) else {
        return true
      }
      if matches(summary) {
        found.append(BeneficiaryView(summary, problem: entry.problem, in: session))
      }
      return true
    }
    switch order {
    case .created: break
    case .name:
      found = found.map { (NameKey($0.summary.name).text, $0) }
        .sorted { ($0.0, $0.1.summary.id) < ($1.0, $1.1.summary.id) }.map(\.1)
    case .updated: found = found.stablySorted { $0.summary.updatedAt > $1.summary.updatedAt }
    }
    if reversed { found.reverse() }
    return unreadable + found
  }

  /// Says what is wrong; whether anything is.
  mutating func warn() -> Bool { session.warn(of: &index) }

  private func matches(_ summary: BeneficiarySummary) -> Bool {
    guard let search else { return true }
    let texts = [
      summary.name, summary.relationship, summary.email, summary.phone, summary.contact,
      summary.notes,
    ]
    if texts.contains(where: search.matches) { return true }
    // A long text is not all in the index.
    guard !summary.hasAllText, let record = try? store.read(Beneficiary.self, summary.id) else {
      return false
    }
    return search.matches(record.model.contact) || search.matches(record.model.notes)
  }
}
