import CapsuleCore

/// `capsule bequest list`.
enum BequestListCommand {
  static let to = Parameter.option(
    "to", value: "BENEFICIARY", .reference(.beneficiary), "Only bequests to this person")
  static let of = Parameter.option(
    "of", value: "ITEM|CAPSULE", .reference(.bequeathable), "Only bequests of this item or capsule")
  static let state = Parameter.options(
    "state", value: "STATE", ValueType<DeliveryState>.word, "Only bequests in this state")
  static let accessible = Parameter.flag("accessible", "Only bequests that the person may have now")
  static let sort: Parameter<BequestQuery.Order?> = ListOptions.sort(.bequestSort)

  static let command = Command(
    "bequest", "list", summary: "List bequests and who receives them",
    discussion: """
      The list begins with the bequest that was made first. `--sort access` begins with what the \
      person may have now, then lists bequests by date, then those that wait for your death.
      """,
    options: [
      to, of, state, accessible, sort, ListOptions.reverse, ListOptions.limit, ListOptions.plain,
      ListOptions.exitCode,
    ],
    outputs: [.json, .ndjson],
    examples: [
      Example(
        "capsule bequest list --accessible --state not-sent", "List what can be delivered now"),
      Example("capsule bequest list --to Mia", "List what Mia receives"),
    ],
    exitCodes: [.none, .partial, .notFound, .damaged],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let store = try session.stores.existing()
    var references: [RecordReference] = []
    let named: [(Parameter<String?>, [RecordKind])] = [
      (to, [.beneficiary]), (of, Bequest.subjectKinds),
    ]
    for (option, kinds) in named {
      guard let name = invocation[option] else { continue }
      guard let store else { throw Failure.notFound(name, among: kinds) }
      let found = try session.records.find(name, among: kinds, in: store)
      references.append(RecordReference(found.kind, found.id))
    }
    let settings = session.stores.settings(of: store)
    var query = BequestQuery(passing: settings.passing, now: session.now)
    query.references = references
    query.states = Set(invocation[state])
    query.onlyAccessible = invocation[accessible]
    query.order = invocation.sortOrder(sort, settings, .bequestSort) ?? .created
    query.isReversed = invocation[ListOptions.reverse]
    query.limit = invocation[ListOptions.limit] ?? .max
    var remarks = ListRemarks(noun: "bequests", areOfStrays: false)
    let narrowing: Parameters = [to, of, state, accessible]
    if !narrowing.contains(where: { invocation.has($0) }) {
      remarks.whenEmpty = "Nothing is left to anybody; 'capsule bequeath' leaves something."
    }
    return try session.answers.list(
      query, in: store, invocation, remarks,
      columns: session.answers.columns(
        BequestView.columns(session), more: BequestView.moreColumns(session), .bequestColumns,
        settings)
    ) { BequestView($0, in: session) }
  }
}
