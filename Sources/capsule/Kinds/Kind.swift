import CapsuleCore

/// A record of one kind as lists, its page and JSON show it.
protocol KindView: RecordView, SendableMetatype {
  associatedtype Record: RecordModel

  var summary: Brief<Record> { get }
  var session: Session { get }

  /// - Parameter store: the store that it is of, for what other records and the settings say of it.
  init(_ brief: Brief<Record>, problem: IndexProblem, of store: Store, in session: Session)

  /// The title in its color; the mark of the problem where there is one.
  var titleText: StyledText { get }

  /// Writes the members of the object that no other kind has, but for the fields that are written as they are.
  func writeOwnMembers(to writer: inout some MemberWriter)
  /// Adds the members that only the whole record has to those of the object.
  func add(_ record: Record, to members: inout JSONObject)

  /// Writes the page that shows everything about the record.
  func writePage(of record: Record, _ settings: StoreSettings, to out: TextOutput)

  /// Returns what is wrong with an undamaged record besides.
  static func fault(of record: Record, in store: Store) -> Fault?
  /// Warns of what somebody should do about a record.
  static func warn(of record: Record, _ session: Session)
}

extension KindView {
  var id: RecordID { summary.id }

  func writeMembers(to writer: inout some MemberWriter) {
    writeMembers(of: summary, to: &writer)
    writeOwnMembers(to: &writer)
  }

  /// Writes the members that all kinds have. A view may make its summary at each call, so it is asked for once.
  private func writeMembers(of summary: Brief<Record>, to writer: inout some MemberWriter) {
    let instants = InstantFields(zone: session.zone)
    writer.member("id", summary.id)
    writer.member("kind", Record.kind.rawValue)
    writer.member("problem", problem.jsonName)
    instants.add(summary.record.createdAt, as: "createdAt", to: &writer)
    instants.add(summary.record.updatedAt, as: "updatedAt", to: &writer)
    writer.member("zone", session.localZone.label)
    writer.fields(of: summary.record)
  }

  /// Returns the members of the object with those that only the whole record has, and its long texts whole.
  func members(of record: Record) -> JSONObject {
    var members = members
    members.fields(of: record)
    members["revision"] = record.header.revision.json
    add(record, to: &members)
    return members
  }

  func writeOwnMembers(to writer: inout some MemberWriter) {}
  func add(_ record: Record, to members: inout JSONObject) {}
  static func fault(of record: Record, in store: Store) -> Fault? { nil }
  static func warn(of record: Record, _ session: Session) {}
}

/// A kind of record on the command line, declared once: its words and its fields. The commands that every kind
/// has are made from it; what is particular to one is beside its declaration.
struct Kind<View: KindView>: Sendable {
  typealias Record = View.Record

  /// The word before its verbs; `nil` for capsules, whose verbs stand alone.
  let noun: String?
  /// The operand that means one record.
  let reference: Parameter<String>
  /// The fields that options set, in the order in which help has them and changes are told.
  let fields: [KindField<Record>]

  /// - Parameters:
  ///   - operand: the name of the operand that means a record, and its help.
  init(
    _ noun: String?, operand: String, _ help: String = "An id, the start of one, or a title",
    completing source: Completion.Source, fields: [KindField<Record>] = []
  ) {
    self.noun = noun
    self.fields = fields
    reference = .operand(operand, .reference(source), help)
  }

  /// The options of `add`.
  var addingOptions: Parameters { fields.flatMap(\.adding) }
  /// The options of `edit`.
  var editingOptions: Parameters { fields.flatMap(\.editing) }

  private func path(_ verb: String) -> [String] { [noun, verb].compactMap(\.self) }

  /// Puts what was given into a record.
  func set(_ invocation: Invocation, _ session: Session, _ record: inout Record) throws {
    for field in fields { try field.set(invocation, session, &record) }
  }

  /// Writes the rows of a record's page that are its fields.
  func writeRows(of record: Record, _ session: Session, to sheet: FieldSheet) {
    for row in fields.compactMap(\.row) {
      for (number, line) in row.lines(record, session).enumerated() {
        sheet.field(number == 0 ? row.label : "", ifAny: line)
      }
    }
  }

  /// Finds the fields that differ.
  func changes(_ old: Record, _ new: Record) -> [FieldChange] {
    FieldChange.between(old, new, told)
  }

  /// The fields whose changes are told, by name.
  var told: [(String, (Record) -> String)] {
    fields.compactMap { field in field.told.map { ($0.name, $0.text) } }
  }
}

// The commands that every kind has.
extension Kind {
  /// - Parameters:
  ///   - name: the operand with what the record is called.
  ///   - more: the operands behind the name.
  ///   - naming: gives a record its name, or refuses it.
  ///   - sources: the files that are taken in: no store is made for one that is not there.
  ///   - stage: takes in the blobs that the record names.
  ///   - remark: asked before the record is added; what it returns is said behind.
  func add(
    _ name: Parameter<String>, operands more: Parameters = [], summary: String,
    discussion: String, examples: [Example], exitCodes: [ExitCode],
    naming: @escaping @Sendable (String, inout Record) throws -> Void,
    from sources: @escaping @Sendable (Invocation) -> [FilePath] = { _ in [] },
    staging stage:
      @escaping @Sendable (Invocation, inout Record, inout [StagedBlob], Store, Session) throws
      -> Void = { _, _, _, _, _ in },
    remark: @escaping @Sendable (Record, Store, Session) -> StyledText? = { _, _, _ in nil }
  ) -> Command {
    Command(
      path("add"), summary: summary, discussion: discussion, operands: [name] + more,
      options: addingOptions, outputs: .json, examples: examples, exitCodes: exitCodes
    ) { invocation, session in
      var record = Record.blank
      try naming(invocation[name], &record)
      try set(invocation, session, &record)
      try session.files.requirePresent(sources(invocation))
      let store = try session.stores.forChange()
      let remark = remark(record, store, session)
      var blobs: [StagedBlob] = []
      do {
        try stage(invocation, &record, &blobs, store, session)
        record = try store.add(record, blobs: blobs, now: session.now)
      } catch {
        store.blobs.discard(blobs)
        throw error
      }
      session.stores.noteFirstUse(of: store)
      if let remark { session.console.note(remark) }
      return answer(record, in: store, session) { out, view in
        out.line("Added '\(view.titleText)' \(view.id.description)")
      }
    }
  }

  /// - Parameters:
  ///   - query: makes the question; it is given the time that was asked for, and what is said where nothing
  ///     is found and nothing was left out.
  ///   - columns: the columns of the table, and those that the setting may add.
  ///   - after: called when the list has arrived.
  func list<Query: RecordQuery & SendableMetatype>(
    summary: String, discussion: String = "", options: Parameters, examples: [Example],
    exitCodes: [ExitCode] = [.none, .partial, .damaged], setting: Setting? = nil,
    remarks: ListRemarks = ListRemarks(),
    query: @escaping @Sendable (ListRequest, inout ListRemarks) throws -> Query,
    columns: @escaping @Sendable (ListRequest) -> [RowColumn<View>],
    more: @escaping @Sendable (Session) -> [RowColumn<View>] = { _ in [] },
    view: @escaping @Sendable (Query.Row, ListRequest) -> View,
    after: @escaping @Sendable (Store?, Session) -> Void = { _, _ in }
  ) -> Command {
    Command(
      path("list"), summary: summary, discussion: discussion, options: options,
      outputs: [.json, .ndjson], examples: examples, exitCodes: exitCodes
    ) { invocation, session in
      let now = try session.dates.read(ListOptions.at, invocation) ?? session.now
      let store = try session.stores.existing()
      let request = ListRequest(
        invocation: invocation, session: session, store: store,
        settings: session.stores.settings(of: store), now: now)
      var remarks = remarks
      let query = try query(request, &remarks)
      return session.answers.list(
        query, in: store, invocation, remarks,
        columns: setting.map {
          session.answers.columns(columns(request), more: more(session), $0, request.settings)
        } ?? columns(request)
      ) { view($0, request) }
      .then { code in
        after(store, session)
        return code
      }
    }
  }

  func show(summary: String, discussion: String = "", examples: [Example]) -> Command {
    Command(
      path("show"), summary: summary, discussion: discussion, operands: [reference],
      outputs: .json, examples: examples, exitCodes: [.notFound, .damaged, .version]
    ) { invocation, session in
      let (store, record) = try session.records.required(Record.self, invocation[reference])
      return try session.answers.page(record, in: store, as: View.self)
    }
  }

  /// - Parameter after: called with the record as it is then, also where nothing changed.
  func edit(
    summary: String, discussion: String, examples: [Example], exitCodes: [ExitCode],
    after: @escaping @Sendable (Record, Invocation, Store) -> Void = { _, _, _ in }
  ) -> Command {
    Command(
      path("edit"), summary: summary, discussion: discussion + "\n\n" + EditSheet.help,
      operands: [reference],
      options: editingOptions, outputs: .json, examples: examples, exitCodes: exitCodes
    ) { invocation, session in
      try invocation.changing(reference, by: editingOptions, session) {
        let (store, record) = try session.records.required(Record.self, invocation[reference])
        return (store, record.model.header.id, fields.compactMap { $0.line(of: record.model) })
      } _: { invocation in
        let (store, change) = try change(invocation, session) {
          try set(invocation, session, &$0)
        }
        after(change.after, invocation, store)
        let changes = changes(change.before, change.after)
        return answer(
          change.after, isChanged: !changes.isEmpty, in: store, session,
          adding: ["changes": changes.map(\.members).json]
        ) { out, view in
          out.line("Changed '\(view.titleText)' \(view.id.description)")
          for change in changes { out.line(change.line) }
        }
      }
    }
  }

  /// - Parameters:
  ///   - isLeft: whether bequests may name such a record.
  ///   - help: the help of its operand, where that is not the one of ``reference``.
  func delete(
    summary: String, discussion: String, isLeft: Bool = false, reference help: String? = nil,
    examples: [Example],
    exitCodes: [ExitCode] = [.partial, .notFound, .damaged, .busy, .version, .refused]
  ) -> Command {
    let references = Parameter.operands(
      reference.name,
      ValueType<String>(completion: reference.completion) { bytes throws(Fault) in
        try ValueType.reference(.record).parse(bytes)
      }, minimum: 1, help ?? reference.help)
    return Command(
      path("delete"), summary: summary, discussion: discussion, operands: [references],
      options: isLeft ? [DeleteCommand.yes, DeleteCommand.withBequests] : [DeleteCommand.yes],
      outputs: .json, examples: examples, exitCodes: exitCodes
    ) { invocation, session in
      try DeleteCommand.delete(
        invocation[references], kind: Record.kind, isConfirmed: invocation[DeleteCommand.yes],
        withBequests: invocation[DeleteCommand.withBequests], session)
    }
  }
}

// What the other verbs share that change one thing of a record.
extension Kind {
  /// - Parameters:
  ///   - more: the operands behind the one that means the record.
  ///   - run: changes the record, mostly by ``change(_:_:_:)``, and answers with it.
  func mark(
    _ verb: String, summary: String, discussion: String = "", operands more: Parameters = [],
    options: Parameters = [], examples: [Example], run: @escaping Command.Run
  ) -> Command {
    Command(
      path(verb), summary: summary, discussion: discussion, operands: [reference] + more,
      options: options, outputs: .json, examples: examples,
      exitCodes: [.notFound, .damaged, .busy, .version, .refused], run: run)
  }

  /// Finds, changes and writes the record that the operand means.
  ///
  /// - Parameter change: changes the record; it is called again where another process changed it
  ///   meanwhile.
  func change(
    _ invocation: Invocation, _ session: Session, _ change: (inout Record) throws -> Void
  ) throws -> (store: Store, record: RecordChange<Record>) {
    let word = invocation[reference]
    let store = try session.stores.required(for: word, among: [Record.kind])
    return (store, try session.records.change(Record.self, word, in: store, change))
  }

  /// Answers with a record that was made or changed.
  ///
  /// - Parameters:
  ///   - isChanged: whether it was; there is no text otherwise.
  ///   - more: members that the object has besides.
  ///   - quiet: what `--quiet` leaves; the id if omitted.
  func answer(
    _ record: Record, isChanged: Bool = true, in store: Store, _ session: Session,
    adding more: JSONObject = [:], quiet: Answer.Quiet? = nil,
    text: @escaping (TextOutput, View) -> Void
  ) -> Answer {
    let view = View(record.brief, problem: .none, of: store, in: session)
    let members = more.reduce(into: view.members(of: record)) { $0[$1.key] = $1.value }
    return Answer(members, quiet: quiet ?? .id(record.header.id)) { out in
      if isChanged { text(out, view) }
    }
    .noting(isChanged ? nil : "Nothing changed.")
  }
}

/// What a list is asked for with, and where it is asked.
struct ListRequest {
  let invocation: Invocation
  let session: Session
  let store: Store?
  let settings: StoreSettings
  /// The time at which the records are listed.
  let now: Instant
}

// What a filter means.
extension ListRequest {
  /// Returns the names that words mean among those that the records of a kind have: the name itself, whatever its
  /// case, or the only one that holds the word, whatever its case and accents. A word that none holds stays.
  ///
  /// - Parameters:
  ///   - option: the filter, and the word for several of what it names.
  ///   - names: returns the names that a record has.
  /// - Throws: a fault that lists the names, where several hold a word.
  func meant(
    _ words: [String], by option: (any ParameterDeclaration, plural: String), of kind: RecordKind,
    _ names: (IndexEntry) -> [String]
  ) throws -> [NameKey] {
    let words = words.map(\.trimmed)
    guard let store, words.contains(where: { !$0.isEmpty }) else {
      return words.map { NameKey($0) }
    }
    var known: [NameKey: String] = [:]
    var index = store.index.open(kind, now: session.now)
    index.forEach(.ascending) { entry in
      for name in names(entry) where !name.isEmpty { known[NameKey(name)] = name }
      return true
    }
    return try words.map { word in
      let key = NameKey(word)
      guard !word.isEmpty, known[key] == nil else { return key }
      let part = SearchText(word)
      let parts = known.filter { part.matches($0.value) }
      let whole = parts.filter { part.matchesWords($0.value) }
      let found = whole.isEmpty ? parts : whole
      guard found.count < 2 else { throw Self.several(word, found.values.map(\.self), option) }
      return found.first?.key ?? key
    }
  }

  /// The most names that a failure lists.
  private static let mostNames = 20

  private static func several(
    _ word: String, _ names: [String], _ option: (any ParameterDeclaration, plural: String)
  ) -> Fault {
    let names = names.sorted { NameOrder.key($0) < NameOrder.key($1) }
    var fault = Fault.usage(
      "several \(option.plural) match '\(word)'",
      hint: "use one of them: \(option.0.term) \(names[0].shellWord)")
    let more = names.count - mostNames
    fault.list = names.prefix(mostNames).map { "'\($0)'" } + (more > 0 ? ["and \(more) more"] : [])
    fault.details["candidates"] = names.json
    return fault
  }
}

extension Answers {
  /// Answers with the page of a record that was found. The one place that knows the view of each kind.
  func page(of found: FoundRecord, in store: Store) throws -> Answer {
    let id = found.id
    return switch found.kind {
    case .capsule: try page(store.read(Capsule.self, id), in: store, as: CapsuleView.self)
    case .event: try page(store.read(Event.self, id), in: store, as: EventView.self)
    case .item: try page(store.read(Item.self, id), in: store, as: ItemView.self)
    case .beneficiary:
      try page(store.read(Beneficiary.self, id), in: store, as: BeneficiaryView.self)
    case .bequest: try page(store.read(Bequest.self, id), in: store, as: BequestView.self)
    case .trustees: try page(store.read(TrusteeGroup.self, id), in: store, as: TrusteeView.self)
    }
  }

  /// Answers with the page of a record.
  func page<View: KindView>(
    _ record: StoredRecord<View.Record>, in store: Store, as type: View.Type
  ) throws -> Answer {
    let model = record.model
    var code = session.records.report(damageOf: record, in: store)
    var problem = record.problem
    if code == .ok, let fault = View.fault(of: model, in: store) {
      code = session.console.report(fault)
      problem = .damaged
    }
    let view = View(model.brief, problem: problem, of: store, in: session)
    let kind = View.Record.kind
    let bequests =
      kind == .beneficiary || Bequest.subjectKinds.contains(kind)
      ? BequestSection(of: RecordReference(kind, model.id), session, store) : nil
    func members() -> JSONObject {
      var members = view.members(of: model)
      if let bequests { members["bequests"] = bequests.json }
      return members
    }
    return Answer(members(), ending: code) { out in
      view.writePage(of: model, session.stores.settings(of: store), to: out)
      bequests?.text(out)
    }
    .then { code in
      View.warn(of: model, session)
      return code
    }
  }
}

extension RecordQuery where Self: SortedQuery {
  /// Takes the order that was asked for, and how many records at most.
  mutating func take(
    _ sort: Parameter<Order?>, _ setting: Setting, otherwise order: Order, _ request: ListRequest
  ) {
    let invocation = request.invocation
    self.order = invocation.sortOrder(sort, request.settings, setting) ?? order
    isReversed = invocation[ListOptions.reverse]
    limit = invocation[ListOptions.limit] ?? .max
  }
}
