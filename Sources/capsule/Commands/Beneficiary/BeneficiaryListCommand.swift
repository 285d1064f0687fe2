import CapsuleCore

/// `capsule beneficiary list`.
enum BeneficiaryListCommand {
  static let search = ListOptions.search("Only people with this text in any field")
  static let sort: Parameter<BeneficiaryQuery.Order?> = ListOptions.sort(.beneficiarySort)

  static let command = Command(
    "beneficiary", "list", summary: "List people by name",
    discussion: """
      `--sort created` and `--sort updated` list the latest first. A search covers the name, \
      relationship, contact details and notes, and ignores case and accents.
      """,
    options: [
      search, sort, ListOptions.reverse, ListOptions.limit, ListOptions.plain, ListOptions.exitCode,
    ],
    outputs: [.json, .ndjson],
    examples: [
      Example(
        "capsule beneficiary list --sort updated --limit 5", "List the five people changed last"),
      Example("capsule beneficiary list --search daughter", "Find a person by relationship"),
    ],
    exitCodes: [.none, .partial, .damaged],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    var query = BeneficiaryQuery()
    query.text = invocation.search(search)
    let store = try session.stores.existing()
    let settings = session.stores.settings(of: store)
    query.order = invocation.sortOrder(sort, settings, .beneficiarySort) ?? .name
    query.isReversed = invocation[ListOptions.reverse]
    query.limit = invocation[ListOptions.limit] ?? .max
    var remarks = ListRemarks()
    if query.text == nil {
      remarks.whenEmpty = "There is nobody here; 'capsule beneficiary add' adds a person."
    }
    return try session.answers.list(
      query, in: store, invocation, remarks,
      columns: session.answers.columns(
        BeneficiaryView.columns(session), more: BeneficiaryView.moreColumns(session),
        .beneficiaryColumns, settings)
    ) { BeneficiaryView($0.summary, problem: $0.problem, in: session) }
  }
}
