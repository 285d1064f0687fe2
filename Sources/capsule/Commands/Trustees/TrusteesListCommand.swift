import CapsuleCore

/// `capsule trustees list`.
enum TrusteesListCommand {
  static let search = ListOptions.search("Only groups with this text in a name")

  static let command = Command(
    "trustees", "list", summary: "List groups of trustees by name",
    options: [search, ListOptions.limit, ListOptions.plain, ListOptions.exitCode],
    outputs: [.json, .ndjson],
    examples: [
      Example("capsule trustees list", "See all groups of trustees")
    ],
    exitCodes: [.none, .partial, .damaged],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    var query = TrusteeQuery()
    query.text = invocation.search(search)
    query.limit = invocation[ListOptions.limit] ?? .max
    var remarks = ListRemarks()
    if query.text == nil {
      remarks.whenEmpty = "There are no trustees; 'capsule trustees make' gives people shares."
    }
    let store = try session.stores.existing()
    let code = try session.answers.list(
      query, in: store, invocation, remarks, columns: TrusteeView.columns(session)
    ) { TrusteeView($0.summary, problem: $0.problem, in: session) }
    for group in session.records.trusteeGroups(in: store) { session.records.warn(of: group) }
    return code
  }
}

/// `capsule trustees show`.
enum TrusteesShowCommand {
  static let reference = Parameter.operand(
    "TRUSTEES", .reference(.trustees), "A group: an id, the start of one, or its name")

  static let command = Command(
    "trustees", "show", summary: "Show who holds the shares of a group",
    operands: [reference], outputs: .json,
    examples: [
      Example("capsule trustees show family", "See who holds a share, and who confirmed it")
    ],
    exitCodes: [.notFound, .damaged, .version],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let (store, record) = try session.records.required(TrusteeGroup.self, invocation[reference])
    return try show(record, in: store, session)
  }

  /// Answers with all that is kept of a group.
  static func show(
    _ record: StoredRecord<TrusteeGroup>, in store: Store, _ session: Session
  ) throws -> ExitCode {
    let code = session.records.report(damageOf: record, in: store)
    let group = record.model
    let view = TrusteeView(group.summary, problem: record.problem, in: session)
    let result = try session.console.render(
      ending: code, json: .object(view.members(of: group)), text: { text(group, session, $0) })
    session.records.warn(of: group)
    return result
  }

  private static func text(_ group: TrusteeGroup, _ session: Session, _ out: TextOutput) {
    let sheet = FieldSheet(out, width: 12)
    out.line("\(group.name, .bold)")
    sheet.field("Id", group.header.id.description)
    sheet.field("Needed", "any \(group.threshold) of \(group.shares.count)")
    sheet.field(
      "Key",
      "\(group.isPostQuantum ? "post-quantum" : "X25519"), \(RecipientText.shortened(group.recipient))"
    )
    sheet.field("Set", String(group.identifier))
    for earlier in group.earlierIdentifiers {
      sheet.field("Earlier set", "\(earlier); it still opens everything")
    }
    sheet.field(
      "Created",
      "\(session.dates.text(group.header.createdAt)), \(session.dates.relative(group.header.createdAt))"
    )
    for former in group.withFormer.dropFirst() {
      let holders = former.shares.map(\.holder).joined(separator: ", ")
      sheet.field(
        "Replaced",
        "\(former.replacedAt.map { session.dates.relative($0) } ?? ""): any \(former.threshold) of "
          + "\(holders), who still open what was sealed before")
    }
    for (place, share) in group.shares.enumerated() {
      sheet.field("Share \(place + 1)", "\(share.holder, .bold), \(state(of: share, session))")
    }
  }

  private static func state(of share: TrusteeShare, _ session: Session) -> StyledText {
    if let lost = share.lostAt {
      return StyledText("lost \(session.dates.relative(lost))", .boldRed)
    }
    if let confirmed = share.confirmedAt {
      return StyledText("confirmed \(session.dates.relative(confirmed))")
    }
    return StyledText("never confirmed", .yellow)
  }
}
