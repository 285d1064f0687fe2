import CapsuleCore

/// `capsule bequeath`.
enum BequeathCommand {
  static let subject = Operand(
    "ITEM|CAPSULE", .reference(.bequeathable), "An id, the start of one, a name or a title")
  static let to = Option(
    "to", value: "BENEFICIARY", .reference(.beneficiary),
    "Who shall have it; asked for on a terminal if none")

  static let command = Command(
    "bequeath", summary: "Leave an item or a capsule to somebody",
    discussion: """
      Without a rule it is theirs at once: the next `capsule deliver` hands it over. With \
      `--access-after` it is from a date on, with `--access upon-passing` from when \
      `capsule passing declare` says so. Without `--to` on a terminal the people that are known are \
      offered, and somebody new can be named.

      A capsule that is still locked stays locked for them too.
      """,
    operands: [subject], options: [to] + BequestOptions.options, outputs: .json,
    examples: [
      Example("capsule bequeath 'Gold ring' --to Mia", "Leave it to Mia at once"),
      Example(
        "capsule bequeath 'Gold ring' --to Mia --access upon-passing -m 'It was my mother'\\''s.'",
        "Leave it for later, with a message"),
      Example(
        "capsule bequeath 'To Mia at 18' --to Mia --access-after 2036-06-15",
        "Leave a capsule from a date on"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = try invocation[subject]
    let kinds = Bequest.subjectKinds
    let store = try session.requiredStore(for: reference, among: kinds)
    let found = try session.find(reference, among: kinds, in: store)
    let subject = RecordReference(found.kind, found.id)
    let rule = try BequestOptions.rule(invocation, session) ?? .immediate
    // What can be refused is looked at before anybody is asked, or added.
    let isWritten = invocation.has(BequestOptions.messageEdit)
    var message = isWritten ? nil : try BequestOptions.message(invocation, session, store)
    let person: RecordID
    if let name = invocation[to] {
      person = try beneficiary(name, store, session)
    } else {
      person = try BeneficiaryChoice(session, store).ask(for: found.title)
    }
    var bequest = Bequest(
      header: try store.newHeader(now: session.now), subject: subject, beneficiary: person,
      access: rule)
    if let twin = store.twin(of: bequest, now: session.now) {
      throw Failure.leftTwice(bequest, twin.id, RecordNames(store, now: session.now))
    }
    if isWritten { message = try BequestOptions.message(invocation, session, store) }
    bequest.message = message?.text ?? ""
    bequest = try (message?.drafts ?? []).keeping(session) { try store.insert(bequest) }
    return try session.answer(bequest, store) { out, view in
      out.line(
        "Left '\(view.subjectText)' to '\(view.personText)', \(view.ruleText): \(bequest.id.description)"
      )
    }
  }

  private static func beneficiary(
    _ name: String, _ store: Store, _ session: Session
  ) throws -> RecordID {
    do {
      return try session.find(name, among: [.beneficiary], in: store).id
    } catch {
      var failure = Failure(error)
      guard failure.kind == .notFound else { throw error }
      // Somebody of a name that is near was more likely meant.
      if failure.details["near"] != nil { throw error }
      failure.hint = "'capsule beneficiary add NAME' adds somebody"
      throw failure
    }
  }
}

extension Failure {
  /// A failure that says that another bequest leaves the same thing to the same person.
  static func leftTwice(
    _ bequest: Bequest, _ twin: RecordID, _ names: RecordNames
  ) -> Failure {
    let person = names.live(RecordReference(.beneficiary, bequest.beneficiary)) ?? ""
    return Failure(
      .refused, "'\(names.live(bequest.subject) ?? "")' is left to '\(person)' already",
      hint: "change it with 'capsule bequest edit \(twin)'",
      details: ["id": .string(twin.description)])
  }
}
