import CapsuleCore

/// `capsule bequeath`.
enum BequeathCommand {
  static let subject = Parameter.operand(
    "ITEM|CAPSULE", .reference(.bequeathable), "An id, the start of one, a name or a title")
  static let to = Parameter.option(
    "to", value: "BENEFICIARY", .reference(.beneficiary),
    "The person who inherits; asked for at a terminal if omitted")

  static let command = Command(
    "bequeath", summary: "Leave an item or a capsule to a person",
    discussion: """
      An access rule says when the person may have it; the command asks for it at a terminal. \
      With `--access immediate` the next `capsule deliver` hands it over. `--access-after` sets a date. \
      `--access upon-passing` waits until somebody runs `capsule passing declare` after your death.

      A capsule that is still locked stays locked for the person too. Without `--to`, the command \
      lists the people at a terminal; choose one, or type a new name.

      A capsule may go to several people. If an item goes to more people than there are pieces, the \
      command warns, and so does `capsule deliver --dry-run`.
      """,
    operands: [subject], options: [to] + BequestOptions.options, outputs: .json,
    examples: [
      Example(
        "capsule bequeath Piano --to Lena --access immediate",
        "Give the piano to Lena at the next delivery"),
      Example(
        "capsule bequeath 'Gold ring' --to Mia --access upon-passing -m \"It was my mother's.\"",
        "Leave the ring to Mia after your death, with a message"),
      Example(
        "capsule bequeath 'To Mia at 18' --to Mia --access-after '15 June 2044'",
        "Leave Mia a letter for her 18th birthday"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let reference = invocation[subject]
    let kinds = Bequest.subjectKinds
    let store = try session.stores.required(for: reference, among: kinds)
    let found = try session.records.find(reference, among: kinds, in: store)
    let subject = RecordReference(found.kind, found.id)
    let rule = try BequestOptions.rule(invocation, session)
    // What can be refused is looked at before anybody is asked, or added.
    let isWritten = invocation.has(BequestOptions.messageEdit)
    var message = isWritten ? nil : try BequestOptions.message(invocation, session, store)
    if rule == nil, !asksRule(session) { throw noRule }
    let person: RecordID
    var newPerson: Beneficiary?
    if let name = invocation[to] {
      person = try beneficiary(name, store, session)
    } else {
      (person, newPerson) = try BeneficiaryChoice(session, store).ask(for: found.title)
    }
    let access = try rule ?? askRule(for: found.title, session)
    var bequest = Bequest(
      header: try store.newHeader(now: session.now), subject: subject, beneficiary: person,
      access: access)
    if let twin = store.relations.twin(of: bequest, now: session.now) {
      throw Fault.leftTwice(bequest, twin.id, RecordNames(store, now: session.now))
    }
    if isWritten { message = try BequestOptions.message(invocation, session, store) }
    bequest.message = message?.text ?? ""
    if let newPerson { try store.insert(newPerson) }
    bequest = try (message?.drafts ?? []).keeping(session) { try store.insert(bequest) }
    let capsule =
      subject.kind == .capsule ? try? store.read(Capsule.self, subject.id).model : nil
    let lack = capsule.flatMap { mailObstacle(of: $0, session) }
    let wait = capsule.flatMap { opening(of: $0, after: access, session) }
    ScarceItems(in: store, session).warn(of: subject)
    return BequestKind.kind.answer(bequest, in: store, session) { out, view in
      out.line(
        "Left '\(view.subjectText)' to '\(view.personText)', \(view.ruleText): \(bequest.id.description)"
      )
    }
    .noting(lack.map { StyledText($0) })
    .noting(wait.map { StyledText($0) })
  }

  /// Returns that a capsule opens later than its heir may have it; `nil` where it does not.
  private static func opening(
    of capsule: Capsule, after access: AccessRule, _ session: Session
  ) -> String? {
    guard case .afterDate(let date) = access, date < capsule.unlockAt else { return nil }
    return "The capsule opens later than that, on \(session.dates.text(capsule.unlockAt))."
  }

  /// Returns why a capsule cannot go to its heir by mail as it is; `nil` where it can.
  private static func mailObstacle(of capsule: Capsule, _ session: Session) -> String? {
    let lock = capsule.lock.timelock?.inner ?? capsule.lock.kind
    let bytes = capsule.contents.reduce(0) { $0 + ($1.blob == nil ? 0 : $1.sealedSize) }
    let limit = (try? MailConfiguration(session).limit) ?? MailConfiguration.standardLimit
    let reason: String? =
      switch lock {
      case .passphrase: "it needs a passphrase"
      case .recipients: "it needs a key"
      default:
        bytes / 19 * 26 > limit
          ? "it is larger than the limit of \(ByteSize.text(limit)) for a message" : nil
      }
    return reason.map {
      "The capsule cannot be mailed as it is, because \($0). It can be delivered as a folder: "
        + "capsule deliver --output DIR"
    }
  }

  private static func asksRule(_ session: Session) -> Bool {
    session.ask.isInteractive && session.options.form == .text
  }

  private static var noRule: Fault {
    .usage(
      "no access rule given",
      hint: "use --access immediate, --access upon-passing, or --access-after DATE")
  }

  /// Asks when the person may have it.
  private static func askRule(for title: String, _ session: Session) throws -> AccessRule {
    try session.ask.until(
      "When is '\(title)' handed over? [n]ow, upon [p]assing, or a date: ",
      unanswered: noRule
    ) { answer in
      switch answer.lowercased() {
      case "n", "now", "immediate": return .immediate
      case "p", "passing", "upon passing", "upon-passing": return .uponPassing
      default:
        let when = try session.dates.read(answer, option: BequestOptions.accessAfter.term)
        session.console.note("From \(session.dates.echo(when))")
        return .afterDate(when.instant)
      }
    }
  }

  private static func beneficiary(
    _ name: String, _ store: Store, _ session: Session
  ) throws -> RecordID {
    do {
      return try session.records.find(name, among: [.beneficiary], in: store).id
    } catch {
      var failure = Fault(error)
      guard failure.kind == .notFound else { throw error }
      // Somebody of a name that is near was more likely meant.
      if failure.details["near"] != nil { throw error }
      failure.hint = "add the person: capsule beneficiary add \(name.shellWord)"
      throw failure
    }
  }
}

extension Fault {
  /// A failure that says that another bequest leaves the same thing to the same person.
  static func leftTwice(
    _ bequest: Bequest, _ twin: RecordID, _ names: RecordNames
  ) -> Fault {
    let person = names.live(RecordReference(.beneficiary, bequest.beneficiary)) ?? ""
    return Fault(
      .refused, "'\(names.live(bequest.subject) ?? "")' is already left to '\(person)'",
      hint: "edit the bequest: capsule bequest edit \(twin)",
      details: ["id": twin.description.json])
  }
}

/// Asks on the terminal who shall have something: somebody who is known, or somebody new.
struct BeneficiaryChoice {
  private let session: Session
  private let store: Store
  private let people: [(id: RecordID, name: String, relationship: String)]

  init(_ session: Session, _ store: Store) {
    self.session = session
    self.store = store
    var index = store.index.open(.beneficiary, now: session.now)
    var people: [(id: RecordID, name: String, relationship: String)] = []
    index.forEach(.ascending) { entry in
      if let summary = Brief<Beneficiary>(entry) {
        people.append((entry.id, summary.record.name, summary.record.relationship))
      }
      return true
    }
    self.people = people.sorted {
      let (one, other) = (NameKey($0.name).text, NameKey($1.name).text)
      return (one, $0.id) < (other, $1.id)
    }
  }

  /// - Parameter title: the title of the thing that somebody shall have.
  /// - Returns: the person, and their record where it is still to be added.
  func ask(for title: String) throws -> (id: RecordID, new: Beneficiary?) {
    let unanswered = Fault.usage(
      "no person given", hint: "choose a person: --to NAME")
    guard session.ask.isPossible else { throw unanswered }
    for (position, person) in people.enumerated() {
      let relation = person.relationship.isEmpty ? "" : ", \(person.relationship)"
      session.console.err.line(
        "\(String(position + 1), .cyan)  \(person.name, .bold)\(relation, .dim)")
    }
    try session.console.err.flush()
    let question =
      people.isEmpty
      ? "Who will inherit '\(title)'? Name: "
      : "Who will inherit '\(title)'? Number or name: "
    return try session.ask.until(question, unanswered: unanswered) { answer in
      guard !answer.isEmpty else { throw unanswered }
      if let number = Int(answer) {
        guard number > 0, number <= people.count else {
          throw Fault.usage(
            "invalid number \(number)", hint: "use a number from 1 to \(people.count)")
        }
        return (people[number - 1].id, nil)
      }
      if let known = try known(answer) { return (known, nil) }
      let new = try add(answer, unanswered)
      return (new.id, new)
    }
  }

  /// Finds a person by name, or by a part of it that only one has.
  private func known(_ name: String) throws -> RecordID? {
    do {
      return try session.records.find(name, among: [.beneficiary], in: store).id
    } catch let fault as Fault where fault.code == .noSuchRecord {
      return nil
    }
  }

  /// Makes the record of somebody who is not known yet.
  private func add(_ name: String, _ unanswered: Fault) throws -> Beneficiary {
    try RecordFault.check(name: name, of: .beneficiary)
    let isNew = try session.ask.isYes(
      "'\(name)' is not known yet. Add this person?", unanswered: unanswered, ended: .canceled())
    guard isNew else { throw Fault.canceled() }
    var person = Beneficiary(header: try store.newHeader(now: session.now), name: name)
    person.relationship = try session.ask.until(
      "Relationship (may stay empty): ", unanswered: unanswered
    ) { text in
      guard text.utf8.count <= Beneficiary.nameLimit else {
        throw Fault.usage(
          "the answer has \(text.utf8.count) bytes; the limit is \(Beneficiary.nameLimit)")
      }
      return text
    }
    return person
  }
}

/// Items of which fewer pieces are kept than people are to have one.
struct ScarceItems {
  private let store: Store
  private let session: Session
  /// The people of each item, by the bequests that were not declined or revoked.
  private var heirs: [RecordID: Set<RecordID>] = [:]

  init(in store: Store, _ session: Session) {
    (self.store, self.session) = (store, session)
    var index = store.index.open(.bequest, now: session.now)
    index.forEach(.ascending) { entry in
      if let brief = Brief<Bequest>(entry), !brief.isClosed, brief.record.subject.kind == .item {
        heirs[brief.record.subject.id, default: []].insert(brief.record.beneficiary)
      }
      return true
    }
  }

  /// Warns where a record is an item that more people are to have than there are pieces.
  func warn(of subject: RecordReference) {
    guard subject.kind == .item, let count = heirs[subject.id]?.count, count > 1,
      let item = try? store.read(Item.self, subject.id).model, item.quantity < count
    else { return }
    session.console.warning(
      "'\(item.name)' is left to \(count) people, and there "
        + (item.quantity == 1 ? "is 1 piece" : "are \(item.quantity) pieces"),
      hint: "see who inherits it: capsule item show \(item.id)", details: ["id": item.id.json])
  }

  /// Warns of all such items.
  func warnOfAll() {
    for id in heirs.keys.sorted() { warn(of: RecordReference(.item, id)) }
  }
}

/// `capsule bequest edit`.
enum BequestEditCommand {
  static let command = BequestKind.kind.mark(
    "edit", summary: "Change the access rule or the message of a bequest",
    discussion: """
      Only what you give changes. An empty `--message` removes the message. A bequest that was \
      sent cannot be changed: revoke it, and leave the item or capsule again.

      \(EditSheet.help)
      """,
    options: BequestOptions.options,
    examples: [
      Example(
        "capsule bequest edit 'Gold ring' --access upon-passing",
        "Leave the ring only after your death"),
      Example("capsule bequest edit 3f2a --message-edit", "Write the message in an editor"),
    ]
  ) { invocation, session in
    try invocation.changing(
      BequestKind.kind.reference, by: BequestOptions.options, session
    ) {
      let (store, record) = try session.records.required(
        Bequest.self, invocation[BequestKind.kind.reference], intact: true)
      try record.model.requireNotSent()
      return (store, record.model.id, BequestOptions.lines(of: record.model, session))
    } _: {
      try change($0, session)
    }
  }

  private static func change(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let reference = invocation[BequestKind.kind.reference]
    var (store, record) = try session.records.required(Bequest.self, reference, intact: true)
    try record.model.requireNotSent()
    let before = record.model
    if let rule = try BequestOptions.rule(invocation, session) { record.model.access = rule }
    let message = try BequestOptions.message(
      invocation, before: before.message, session, store)
    if let message { record.model.message = message.text }
    let changed = record
    let bequest = try (message?.drafts ?? []).keeping(session) {
      if changed.model == before { return before }
      return try store.update(changed, now: session.now).model
    }
    return BequestKind.kind.answer(
      bequest, isChanged: bequest != before, in: store, session
    ) { out, view in
      out.line("Changed '\(view.title, .bold)': \(bequest.id.description)")
      if bequest.access != before.access { out.line("  \("access", .dim)  \(view.ruleText)") }
      if bequest.message != before.message { out.line("  \("message", .dim)  changed") }
    }
  }
}

/// `capsule bequest mark` and `capsule bequest revoke`.
enum BequestMarkCommands {
  enum Mark: String, CaseIterable, Sendable {
    case sent, accepted, declined

    var state: DeliveryState {
      switch self {
      case .sent: .sent
      case .accepted: .accepted
      case .declined: .declined
      }
    }
  }

  static let state = Parameter.operand(
    "STATE", ValueType<Mark>.choice, "The new state: sent, accepted or declined")
  static let when = Parameter.option(
    "when", value: "WHEN", .text, otherwise: "now", formerly: "w", "When it happened")
  static let notes = Parameter.option("notes", value: "TEXT", .text, "Notes about the change")

  static let mark = BequestKind.kind.mark(
    "mark", summary: "Mark a bequest as sent, accepted or declined",
    discussion: """
      A bequest is first sent, then accepted or declined. Every change is kept with its date. \
      Accepted and declined are final.
      """,
    operands: [state], options: [when, notes],
    examples: [
      Example("capsule bequest mark 'Gold ring' sent", "Mark the ring as sent"),
      Example(
        "capsule bequest mark 3f2a accepted --when yesterday", "Note that it was accepted yesterday"
      ),
    ]
  ) { invocation, session in
    try change(invocation, to: invocation[state].state, session)
  }

  static let revoke = BequestKind.kind.mark(
    "revoke", summary: "Revoke a bequest, and keep its record",
    discussion: "`capsule bequest delete` moves the bequest to the trash instead.",
    options: [when, notes],
    examples: [
      Example(
        "capsule bequest revoke 'Gold ring' --notes Sold",
        "Revoke a bequest because you sold the ring")
    ]
  ) { invocation, session in
    try change(invocation, to: .revoked, session)
  }

  private static func change(
    _ invocation: Invocation, to state: DeliveryState, _ session: Session
  ) throws -> Answer {
    let reference = invocation[BequestKind.kind.reference]
    let at = try session.dates.readPast(when, invocation)
    var (store, record) = try session.records.required(Bequest.self, reference, intact: true)
    let change = DeliveryChange(state, at: at, notes: invocation[notes] ?? "")
    record = try store.handover.mark(record, change, now: session.now)
    return BequestKind.kind.answer(record.model, in: store, session) { out, view in
      out.line("Marked '\(view.title, .bold)' \(state.words): \(record.model.id.description)")
    }
  }
}
