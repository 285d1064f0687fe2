import CapsuleCore

/// `capsule list`.
enum ListCommand {
  static let locked = Parameter.flag("locked", "Only locked capsules")
  static let unlocked = Parameter.flag(
    "unlocked", "Only capsules that are unlocked and not opened yet")
  static let opened = Parameter.flag("opened", "Only opened capsules")
  static let tag = Parameter.options(
    "tag", value: "TAG", .text(completing: .tag),
    "Only capsules with this tag; several tags must all be there")
  static let search = ListOptions.search("Only capsules with this text in the title, notes or tags")
  static let before = Parameter.option(
    "before", value: "WHEN", .text, "Only capsules that unlock before this time")
  static let after = Parameter.option(
    "after", value: "WHEN", .text, "Only capsules that unlock at this time or later")
  static let sort: Parameter<CapsuleQuery.Order?> = ListOptions.sort(.capsuleSort)
  static let at = Parameter.option(
    "at", value: "WHEN", .text, "List them as they will be at this time; nothing is opened")

  static let command = Command(
    "list", summary: "List capsules, soonest first",
    discussion: """
      Locked capsules come first, the soonest to unlock at the top. Unlocked capsules follow, the latest \
      at the top.

      If a record is damaged or cannot be read, the list marks it and the command exits with status 3.
      """,
    options: [
      locked, unlocked, opened, tag, search, before, after, sort, ListOptions.reverse,
      ListOptions.limit, ListOptions.plain, ListOptions.exitCode, at,
    ],
    outputs: [.json, .ndjson],
    examples: [
      Example("capsule list --locked --tag family", "List the locked capsules with a tag"),
      Example(
        "capsule list --json | jq -r '.[] | select(.state == \"unlocked\") | .title'",
        "Print the titles of capsules that can be opened"),
    ],
    exitCodes: [.none, .partial, .damaged],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let now = try session.dates.read(at, invocation) ?? session.now
    var query = CapsuleQuery(now: now)
    if invocation[locked] { query.states.insert(.locked) }
    if invocation[unlocked] { query.states.insert(.unlocked) }
    if invocation[opened] { query.states.insert(.opened) }
    query.tags = invocation[tag].map { NameKey($0) }
    query.text = invocation.search(search)
    query.before = try session.dates.read(before, invocation)
    query.after = try session.dates.read(after, invocation)
    query.isReversed = invocation[ListOptions.reverse]
    query.limit = invocation[ListOptions.limit] ?? .max
    let store = try session.stores.existing()
    let settings = session.stores.settings(of: store)
    query.order = invocation.sortOrder(sort, settings, .capsuleSort) ?? .unlock
    var remarks = ListRemarks(areOfListedOnly: true)
    if store == nil || !query.isNarrowed {
      remarks.whenEmpty = "There are no capsules yet; 'capsule create' makes one."
    }
    return try session.answers.list(
      query, in: store, invocation, remarks,
      columns: session.answers.columns(
        CapsuleView.columns(
          session, settings, at: now, details: session.answers.showsDetails(settings)),
        more: CapsuleView.moreColumns(session), .capsuleColumns, settings)
    ) { CapsuleView($0, in: session) }
  }
}
