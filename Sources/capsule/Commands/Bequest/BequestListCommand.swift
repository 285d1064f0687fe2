import CapsuleCore

/// `capsule bequest list`.
enum BequestListCommand {
  enum Order: String, CaseIterable, Sendable { case created, person, subject, access, state }

  static let to = Option(
    "to", value: "BENEFICIARY", .reference(.beneficiary), "Only what is left to this person")
  static let of = Option(
    "of", value: "ITEM|CAPSULE", .reference(.bequeathable), "Only those of this item or capsule")
  static let state = RepeatableOption(
    "state", value: "STATE", ValueType<DeliveryState>.choice, "Only those in this state")
  static let accessible = Flag("accessible", "Only what the beneficiary may have now")
  static let sort = Option(
    "sort", value: "ORDER", ValueType<Order>.choice, default: "created", "What to sort by")
  static let reverse = Flag("reverse", "Sort the other way round")
  static let limit = Option("limit", value: "N", .integer(1...), "At most so many")
  static let plain = Flag("plain", "Columns parted by tabs, nothing cut, for scripts")
  static let exitCode = Flag("exit-code", "Exit with 1 when nothing matches")

  static let command = Command(
    "bequest", "list", summary: "List what is left to whom",
    discussion: """
      In the order in which they were made. Sorted by access, what may be had now stands first, \
      then by date, then what waits for a passing.
      """,
    options: [to, of, state, accessible, sort, reverse, limit, plain, exitCode],
    outputs: [.json, .ndjson],
    examples: [
      Example("capsule bequest list --accessible --state notSent", "List what can be delivered"),
      Example("capsule bequest list --to Mia", "List what Mia receives"),
    ],
    exitCodes: [.none, .partial, .notFound, .damaged],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    var rows: [BequestView] = []
    var isPartial = false
    if let store = try session.existingStore() {
      var wanted: [RecordReference] = []
      if let name = invocation[to] {
        let found = try session.find(name, among: [.beneficiary], in: store)
        wanted.append(RecordReference(found.kind, found.id))
      }
      if let name = invocation[of] {
        let found = try session.find(name, among: Bequest.subjectKinds, in: store)
        wanted.append(RecordReference(found.kind, found.id))
      }
      let states = invocation[state]
      (rows, isPartial) = all(store, session) { view in
        wanted.allSatisfy(view.summary.references.contains)
          && (states.isEmpty || states.contains(view.summary.state))
          && (!invocation[accessible] || view.isAccessible)
      }
      rows = sorted(rows, by: invocation[sort] ?? .created)
      if invocation[reverse] { rows.reverse() }
      rows = Array(rows.prefix(invocation[limit] ?? .max))
    } else if let name = invocation[to] ?? invocation[of] {
      throw Failure.notFound(name)
    }
    let narrowing: [any OptionDeclaration] = [to, of, state, accessible]
    let isNarrowed = narrowing.contains { invocation.has($0) }
    let nothing: ExitCode = rows.isEmpty && invocation[exitCode] ? .none : .ok
    return try session.render(
      ending: isPartial ? .partial : nothing, list: rows, json: { .object($0.members) },
      text: { out in
        if rows.isEmpty, !isPartial, !isNarrowed {
          session.console.note("Nothing is left to anybody; 'capsule bequeath' does.")
        }
        out.table(table(rows, session), plain: invocation[plain])
      })
  }

  /// The bequests that are asked for, and whether some could not be read.
  private static func all(
    _ store: Store, _ session: Session, where isWanted: (BequestView) -> Bool
  ) -> (rows: [BequestView], isPartial: Bool) {
    var index = store.index(.bequest, now: session.now)
    let names = RecordNames(store, now: session.now)
    let passing = session.storeSettings(store).passing
    var rows: [BequestView] = []
    index.forEach(.ascending) { entry in
      if let summary = BequestSummary(id: entry.id, encoded: entry.summary) {
        let view = BequestView(
          summary, problem: entry.problem, names: names, passing: passing, in: session)
        if isWanted(view) { rows.append(view) }
      }
      return true
    }
    for failure in index.failures { session.console.report(Failure(failure)) }
    let hasProblems = !index.problems().isEmpty
    if hasProblems {
      session.console.warning(
        "some bequests are not what was written",
        hint: "'capsule verify' says which, 'capsule repair' mends what can be mended")
    }
    return (rows, hasProblems || !index.failures.isEmpty)
  }

  private static func sorted(_ rows: [BequestView], by order: Order) -> [BequestView] {
    func byText(_ text: (BequestView) -> String) -> [BequestView] {
      rows.map { (NameKey(text($0)).text, $0) }.stablySorted { $0.0 < $1.0 }.map(\.1)
    }
    switch order {
    case .created: return rows
    case .person: return byText { $0.personName ?? "" }
    case .subject: return byText { $0.subjectTitle ?? "" }
    case .access:
      return rows.stablySorted { ($0.accessibleAt ?? .latest) < ($1.accessibleAt ?? .latest) }
    case .state:
      let order = DeliveryState.allCases
      return rows.stablySorted { left, right in
        let place = { (view: BequestView) in order.firstIndex(of: view.summary.state) ?? 0 }
        return place(left) < place(right)
      }
    }
  }

  private static func table(_ rows: [BequestView], _ session: Session) -> Table {
    var table = Table([
      .init("ID"), .init("WHAT", flexible: true), .init("TO", flexible: true), .init("ACCESS"),
      .init("STATE"),
    ])
    for view in rows {
      let id = view.summary.id.description
      table.row(
        StyledText(session.console.out.isTerminal ? String(id.prefix(8)) : id, .dim),
        view.subjectText, view.personText, StyledText(view.ruleText), view.stateText)
    }
    return table
  }
}
