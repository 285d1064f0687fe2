import CapsuleCore

/// A bequest as lists and JSON show it.
struct BequestView: KindView {
  private let row: BequestRow
  let session: Session

  init(_ row: BequestRow, in session: Session) {
    self.row = row
    self.session = session
  }

  init(
    _ summary: Brief<Bequest>, problem: IndexProblem = .none, names: RecordNames,
    passing: Passing?, in session: Session
  ) {
    self.init(
      BequestRow(summary, problem: problem, names: names, passing: passing, at: session.now),
      in: session)
  }

  init(_ brief: Brief<Bequest>, problem: IndexProblem, of store: Store, in session: Session) {
    self.init(
      brief, problem: problem, names: RecordNames(store, now: session.now),
      passing: session.stores.settings(of: store).passing, in: session)
  }

  var summary: Brief<Bequest> { row.summary }
  var problem: IndexProblem { row.problem }
  var subjectTitle: String? { row.subjectTitle }
  var personName: String? { row.personName }
  var accessibleAt: Instant? { row.accessibleAt }
  var isAccessible: Bool { row.isAccessible }
  var standing: BequestRow.Standing { row.standing }
  var title: String { row.title }

  func writeOwnMembers(to writer: inout some MemberWriter) {
    let instants = InstantFields(zone: session.zone)
    let summary = row.summary
    writer.object("subject") { writer in
      writer.member("id", summary.record.subject.id)
      writer.member("kind", summary.record.subject.kind.rawValue)
      writer.member("title", subjectTitle)
    }
    writer.object("beneficiary") { writer in
      writer.member("id", summary.record.beneficiary)
      writer.member("name", personName)
    }
    writer.member("access", summary.record.access.name.rawValue)
    instants.add(summary.record.access.date, as: "accessAt", to: &writer)
    instants.add(accessibleAt, as: "accessibleAt", to: &writer)
    writer.member("isAccessible", isAccessible)
    writer.member("hasMessage", summary.digest.hasMessage)
    writer.member("state", summary.digest.state.rawValue)
    instants.add(summary.digest.stateSince, as: "stateAt", to: &writer)
  }

  func add(_ bequest: Bequest, to members: inout JSONObject) {
    members["message"] = bequest.message.json
    members["delivery"] =
      bequest.delivery.map { change in
        session.inner(
          ["state": change.state.rawValue.json, "notes": change.notes.json], at: ["at": change.at])
      }.json
  }

  /// The rule in words: `immediately`, `from Sun 15 Jun 2036 00:00 CEST`, `upon passing`.
  var ruleText: String { FieldWords(session).text(summary.record.access) }

  /// The rule as lists show it.
  private var ruleCell: StyledText {
    guard case .afterDate(let date) = summary.record.access else { return StyledText(ruleText) }
    return "from " + session.dates.cell(date)
  }

  /// The state as lists show it.
  var stateText: StyledText {
    let word = summary.digest.state.words
    return switch summary.digest.state {
    case .notSent where isAccessible: StyledText("\(word), accessible", .yellow)
    case .notSent: StyledText(word)
    case .sent: StyledText(word, .cyan)
    case .accepted: StyledText(word, .green)
    case .declined, .revoked: StyledText(word, .dim)
    }
  }

  var subjectText: StyledText {
    subjectTitle.map { StyledText($0, .bold) } ?? StyledText("gone", .boldRed)
  }

  var personText: StyledText {
    personName.map { StyledText($0) } ?? StyledText("gone", .boldRed)
  }

  /// The columns that a setting may add.
  static func moreColumns(_ session: Session) -> [RowColumn<BequestView>] {
    [RowColumn("CREATED") { session.dates.cell($0.summary.record.createdAt) }]
  }

  /// The columns of a list.
  static func columns(_ session: Session) -> [RowColumn<BequestView>] {
    [
      .id(session), .title("WHAT") { $0.subjectText },
      RowColumn("TO", flexible: true) { $0.personText }, RowColumn("ACCESS") { $0.ruleCell },
      RowColumn("STATE", detail: .state) { $0.stateText },
    ]
  }

  /// The thing that is left.
  var titleText: StyledText { StyledText(title, .bold) }

  func writePage(of bequest: Bequest, _ settings: StoreSettings, to out: TextOutput) {
    let sheet = FieldSheet(out, width: 9)
    out.line("\(title, .bold)")
    sheet.field("Id", bequest.id.description)
    sheet.field("What", "\(subjectText), \(bequest.subject.kind.word)" as StyledText)
    sheet.field("To", personText)
    sheet.field("Access", ruleText)
    sheet.field("State", stateText)
    for change in bequest.delivery {
      let notes = change.notes.isEmpty ? "" : ", \(change.notes)"
      sheet.field("", "\(change.state.words) \(session.dates.text(change.at))\(notes)")
    }
    sheet.field(
      "Created",
      "\(session.dates.text(bequest.createdAt)), \(session.dates.relative(bequest.createdAt))")
    sheet.block(bequest.message)
  }
}

/// Bequests on the command line.
enum BequestKind {
  static let kind = Kind<BequestView>(
    "bequest", operand: "REF",
    "An id, its start, or the name of the item, capsule or person if only one bequest has it",
    completing: .bequest)

  private static let to = Parameter.option(
    "to", value: "BENEFICIARY", .reference(.beneficiary), "Only bequests to this person")
  private static let of = Parameter.option(
    "of", value: "ITEM|CAPSULE", .reference(.bequeathable), "Only bequests of this item or capsule")
  private static let state = Parameter.options(
    "state", value: "STATE", ValueType<DeliveryState>.word, "Only bequests in this state")
  private static let accessible = Parameter.flag(
    "accessible", "Only bequests that the person may have now")
  private static let sort: Parameter<BequestQuery.Order?> = ListOptions.sort(.bequestSort)

  static let list = kind.list(
    summary: "List bequests and who receives them",
    discussion: """
      The list begins with the bequest that was made first. `--sort access` begins with what the \
      person may have now, then lists bequests by date, then those that wait for your death.
      """,
    options: [
      to, of, state, accessible, sort, ListOptions.reverse, ListOptions.limit, ListOptions.plain,
      ListOptions.exitCode,
    ],
    examples: [
      Example(
        "capsule bequest list --accessible --state not-sent", "List what can be delivered now"),
      Example("capsule bequest list --to Mia", "List what Mia receives"),
    ],
    exitCodes: [.none, .partial, .notFound, .damaged], setting: .bequestColumns,
    remarks: ListRemarks(noun: "bequests", areOfStrays: false),
    query: { request, remarks in
      let (invocation, session) = (request.invocation, request.session)
      var query = BequestQuery(passing: request.settings.passing, now: request.now)
      let named: [(Parameter<String?>, [RecordKind])] = [
        (to, [.beneficiary]), (of, Bequest.subjectKinds),
      ]
      for (option, kinds) in named {
        guard let name = invocation[option] else { continue }
        guard let store = request.store else { throw Fault.noSuchRecord(name, among: kinds) }
        let found = try session.records.find(name, among: kinds, in: store)
        query.references.append(RecordReference(found.kind, found.id))
      }
      query.states = Set(invocation[state])
      query.onlyAccessible = invocation[accessible]
      query.take(sort, .bequestSort, otherwise: .created, request)
      let narrowing: Parameters = [to, of, state, accessible]
      if !narrowing.contains(where: { invocation.has($0) }) {
        remarks.whenEmpty = "Nothing is left to anybody; 'capsule bequeath' leaves something."
      }
      return query
    },
    columns: { BequestView.columns($0.session) }, more: BequestView.moreColumns,
    view: { BequestView($0, in: $1.session) })

  static let show = kind.show(
    summary: "Show the details of a bequest",
    examples: [
      Example("capsule bequest show 'Gold ring'", "See who receives the ring, and when")
    ])

  static let delete = kind.delete(
    summary: "Move bequests to the trash",
    discussion: """
      The item or capsule and the person stay. `capsule restore` puts a bequest back while both \
      exist.
      """,
    reference: "An id, the start of one, or the name of the item, capsule or person",
    examples: [
      Example("capsule bequest delete 'Gold ring' --yes", "Delete a bequest")
    ])
}

extension BequestView {
  /// The bequests that name one of some records, as far as they can be read, in the order in which they were
  /// made.
  static func all(
    of records: Set<RecordReference>, in store: Store, _ session: Session
  ) -> [BequestView] {
    var query = BequestQuery(passing: session.stores.settings(of: store).passing, now: session.now)
    query.named = records
    var index = store.index.open(.bequest, now: session.now)
    var found: [BequestView] = []
    query.forEach(in: &index, of: store) { row in
      found.append(BequestView(row, in: session))
      return true
    }
    return found
  }
}

/// The bequests of an item, a capsule or a person, as the `show` of that one has them.
struct BequestSection {
  private let views: [BequestView]
  private let isOfPerson: Bool

  init(of record: RecordReference, _ session: Session, _ store: Store) {
    views = BequestView.all(of: [record], in: store, session)
    isOfPerson = record.kind == .beneficiary
  }

  /// The member of the object.
  var json: JSON { views.map(\.members).json }

  private static func heading(_ standing: BequestRow.Standing) -> String {
    switch standing {
    case .now: "Receives now"
    case .later: "Receives from a date"
    case .uponPassing: "Receives upon passing"
    case .sent: "Was sent"
    case .over: "Declined or revoked"
    }
  }

  /// Writes who receives it, or what the person receives when.
  func text(_ out: TextOutput) {
    if isOfPerson {
      for standing in BequestRow.Standing.allCases {
        list(Self.heading(standing), views.filter { $0.standing == standing }, out)
      }
    } else {
      list("Left to", views, out)
    }
  }

  private func list(_ heading: String, _ views: [BequestView], _ out: TextOutput) {
    guard !views.isEmpty else { return }
    out.line()
    out.line(StyledText(heading, .dim))
    for view in views {
      let other = isOfPerson ? view.subjectText : view.personText
      out.line(
        "  \(other)  \(view.ruleText)  \(view.stateText)  \(view.summary.id.description, .dim)")
    }
  }
}

extension ValueType<DeliveryState> {
  /// One of the states, written as words of the command line are; as JSON has it, too.
  static var word: ValueType {
    let words = DeliveryState.allCases.map { $0.words.parts(at: " ").joined(separator: "-") }
    return ValueType(completion: .choices(words)) { bytes throws(Fault) in
      let text = String(decoding: bytes, as: UTF8.self)
      for (state, word) in zip(DeliveryState.allCases, words)
      where text == word || text == state.rawValue { return state }
      throw Fault(ValueProblem.notAChoice(words))
    }
  }
}

/// The operands and options by which a bequest is described.
enum BequestOptions {
  enum Access: String, CaseIterable, Sendable {
    case immediate
    case uponPassing = "upon-passing"
  }

  static let access = Parameter.option(
    "access", value: "RULE", ValueType<Access>.choice,
    "When the person may have it: at once, or after `passing declare`")
  static let accessAfter = Parameter.option(
    "access-after", value: "WHEN", .text, "The date from which the person may have it")
  static let message = Parameter.option(
    "message", short: "m", value: "TEXT", .text, "A personal message to the person")
  static let messageFile = Parameter.option(
    "message-file", value: "FILE", .path, "Read the message from a file, or `-` for standard input")
  static let messageEdit = Parameter.flag(
    "message-edit", "Write the message in `$VISUAL` or `$EDITOR`")

  static let options: Parameters = [
    access, accessAfter, message, messageFile, messageEdit,
  ]

  /// The lines of a bequest in the editor.
  static func lines(of bequest: Bequest, _ session: Session) -> [EditSheet.Field] {
    var (rule, date) = ("", "")
    switch bequest.access {
    case .immediate: rule = Access.immediate.rawValue
    case .uponPassing: rule = Access.uponPassing.rawValue
    case .afterDate(let instant): date = session.dates.written(instant)
    }
    return [
      .init(access, .value(rule)), .init(accessAfter, .value(date)),
      .init(message, .value(bequest.message)),
    ]
  }

  /// The rule that was asked for; `nil` for none.
  static func rule(
    _ invocation: Invocation, _ session: Session
  ) throws -> AccessRule? {
    guard let text = invocation[accessAfter] else {
      return invocation[access].map { $0 == .immediate ? .immediate : .uponPassing }
    }
    guard invocation[access] == nil else {
      throw Fault.usage(
        "'--access' and '--access-after' cannot be given together", hint: "use one of the two")
    }
    let when = try session.dates.read(text, option: "--access-after")
    session.console.note("From \(session.dates.echo(when))")
    return .afterDate(when.instant)
  }

  /// The message that was asked for, and its draft where it was written; `nil` for none.
  ///
  /// - Parameter before: the text that the editor begins with.
  static func message(
    _ invocation: Invocation, before: String = "", _ session: Session, _ store: Store
  ) throws -> (text: String, drafts: [PrivateFile])? {
    let given = [
      invocation.has(message), invocation.has(messageFile), invocation.has(messageEdit),
    ].count { $0 }
    guard given > 0 else { return nil }
    guard given == 1 else {
      throw Fault.usage(
        "more than one message given",
        hint: "use one of --message, --message-file and --message-edit")
    }
    var drafts: [PrivateFile] = []
    var text = invocation[message] ?? ""
    if let path = invocation[messageFile] { text = try read(path, session) }
    if invocation[messageEdit] {
      let written = try EditorText.write(session, beginning: before, in: store)
      drafts = [written.draft]
      text = written.text
    }
    do { try RecordFault.check(text, .message, limit: Bequest.messageLimit) } catch {
      for draft in drafts { draft.nameKept(session) }
      throw error
    }
    return (text, drafts)
  }

  private static func read(_ path: FilePath, _ session: Session) throws -> String {
    let bytes = try session.files.bytes(of: path, limit: Bequest.messageLimit + 1)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Fault(
        .refused, "'\(path.text)' is not text in UTF-8", hint: "use a text file",
        details: ["path": path.json])
    }
    return text
  }
}
