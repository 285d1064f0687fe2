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

/// `capsule show`.
enum ShowCommand {
  static let reference = Parameter.operand(
    "REF", .reference(.record), "An id, the start of one, or a title")

  static let command = Command(
    "show", summary: "Show everything about a capsule except its contents",
    discussion: """
      `show` never opens a capsule, locked or not. It lists the kind and the sealed size of each part, \
      and when the part was added.

      If no capsule has the id or title, `show` looks for an event, item, person, bequest or trustee \
      group instead. The page is the same as that of `event show`, `item show` and so on. In JSON, the \
      member `kind` says which kind it is.
      """,
    operands: [reference], outputs: .json,
    examples: [
      Example("capsule show 3f2a", "Show a capsule by the start of its id"),
      Example("capsule show 'To Mia at 18' --json", "Read a capsule's details in a script"),
    ],
    exitCodes: [.notFound, .damaged, .version],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = invocation[reference]
    let store = try session.stores.required(for: reference)
    let found = try session.records.find(
      reference, inTurn: [[.capsule], [.event, .item, .beneficiary, .bequest, .trustees]],
      in: store)
    switch found.kind {
    case .capsule: return try show(try store.read(Capsule.self, found.id), in: store, session)
    case .event:
      return try EventShowCommand.show(try store.read(Event.self, found.id), in: store, session)
    case .item:
      return try ItemShowCommand.show(try store.read(Item.self, found.id), in: store, session)
    case .beneficiary:
      return try BeneficiaryShowCommand.show(
        try store.read(Beneficiary.self, found.id), in: store, session)
    case .bequest:
      return try BequestShowCommand.show(
        try store.read(Bequest.self, found.id), in: store, session)
    case .trustees:
      return try TrusteesShowCommand.show(
        try store.read(TrusteeGroup.self, found.id), in: store, session)
    }
  }

  /// Answers with all that may be seen of a capsule.
  private static func show(
    _ record: StoredRecord<Capsule>, in store: Store, _ session: Session
  ) throws -> ExitCode {
    let capsule = record.model
    var code = session.records.report(damageOf: record, in: store)
    var problem = record.problem
    let identities = capsule.lock.kind == .honor ? store.keys.all() : []
    if code == .ok, let fault = store.capsules.lockProblem(of: capsule, with: identities) {
      let path = store.layout.record(.capsule, capsule.id).text
      code = session.console.report(Fault.lock(fault, path: path))
      problem = .damaged
    }
    let view = CapsuleView(capsule.brief, problem: problem, in: session)
    let bequests = BequestSection(of: RecordReference(.capsule, capsule.id), session, store)
    var members = members(capsule, view, session)
    members["bequests"] = bequests.json
    return try session.console.render(
      ending: code, json: .object(members),
      text: { out in
        text(capsule, view, session, session.stores.settings(of: store), out)
        bequests.text(out)
      })
  }

  /// The members of the object: those of a list, and those that only the record has.
  static func members(_ capsule: Capsule, _ view: CapsuleView, _ session: Session) -> JSONObject {
    var members = view.members
    members["notes"] = .string(capsule.notes)
    members["revision"] = .integer(capsule.revision)
    members["lockStrength"] = .string(capsule.lock.strength(until: capsule.unlockAt))
    members["lockStrengthQuantum"] = capsule.quantumWords.map { .string($0) } ?? .null
    members["recipient"] = .string(capsule.lock.recipient)
    members["timelock"] =
      capsule.lock.timelock.map {
        .object(TimelockView($0, unlockAt: capsule.unlockAt, session).members)
      } ?? .null
    let instants = InstantFields(zone: session.zone)
    members["items"] = .array(
      capsule.contents.enumerated().map { position, content in
        var item: JSONObject = [
          "number": .integer(Int64(position + 1)),
          "id": .string(content.id.description),
          "kind": .string(content.kind.rawValue),
          "sealedSize": .integer(content.sealedSize),
        ]
        instants.add(content.addedAt, as: "addedAt", to: &item)
        return .object(item)
      })
    return members
  }

  private static func text(
    _ capsule: Capsule, _ view: CapsuleView, _ session: Session, _ settings: StoreSettings,
    _ out: TextOutput
  ) {
    func when(_ instant: Instant) -> String {
      let relative = session.dates.relative(.instant(instant), at: session.now, settings)
      return "\(session.dates.text(instant)), \(relative)"
    }
    let sheet = FieldSheet(out, width: 9)
    out.line("\(capsule.title, .bold)")
    sheet.field("Id", capsule.id.description)
    sheet.field("State", view.stateText)
    sheet.field("Unlocks", when(capsule.dueAt))
    sheet.field("Created", when(capsule.createdAt))
    if let openedAt = capsule.openedAt { sheet.field("Opened", when(openedAt)) }
    let isSound = view.problem == .none
    let kind = capsule.lock.kind
    sheet.field(
      "Lock",
      isSound ? capsule.lock.strength(until: capsule.unlockAt) : "\(kind.rawValue), says the record"
    )
    if isSound, let words = capsule.quantumWords { sheet.field("Quantum", words) }
    if let timelock = capsule.lock.timelock {
      for (name, text) in TimelockView(timelock, unlockAt: capsule.unlockAt, session)
        .lines(promising: isSound)
      {
        sheet.field(name, text)
      }
    }
    if !capsule.tags.isEmpty {
      sheet.field("Tags", StyledText(capsule.tags.joined(separator: ", "), .cyan))
    }
    if view.state == .locked { sheet.field("Progress", bar(capsule, session, out)) }
    sheet.block(capsule.notes)
    out.line()
    guard !capsule.contents.isEmpty else {
      out.line("It holds nothing yet.")
      return
    }
    let columns: [RowColumn<(offset: Int, element: Content)>] = [
      .text("#", .trailing) { String($0.offset + 1) }, .text("KIND") { $0.element.kind.rawValue },
      .text("SEALED SIZE", .trailing) { ByteSize.text($0.element.sealedSize) },
      RowColumn("DATE") { session.dates.cell($0.element.addedAt) },
    ]
    out.table(Table(columns, capsule.contents.enumerated()))
  }

  /// Returns a bar of the part of the time from creation to unlock that has gone.
  private static func bar(
    _ capsule: Capsule, _ session: Session, _ out: TextOutput
  ) -> StyledText {
    let whole = capsule.dueAt.seconds(since: capsule.createdAt)
    let gone = max(0, session.now.seconds(since: capsule.createdAt))
    guard whole > 0 else { return "0 %" }
    let share = Double(gone) / Double(whole)
    let percent = Int(share * 100)
    let columns = min(30, max(10, (out.width ?? 80) - 30))
    let filled = min(columns, Int(share * Double(columns)))
    let bar = String(repeating: "█", count: filled)
    let rest = String(repeating: "░", count: columns - filled)
    return "\(bar, .green)\(rest, .dim) \(percent) %"
  }
}
