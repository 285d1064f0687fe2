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
      Without an access rule the person may have it at once: the next `capsule deliver` hands it \
      over. `--access-after` sets a date instead. `--access upon-passing` waits until somebody \
      runs `capsule passing declare` after your death.

      A capsule that is still locked stays locked for the person too. Without `--to`, the command \
      lists the people at a terminal; choose one, or type a new name.
      """,
    operands: [subject], options: [to] + BequestOptions.options, outputs: .json,
    examples: [
      Example("capsule bequeath Piano --to Lena", "Give the piano to Lena at the next delivery"),
      Example(
        "capsule bequeath 'Gold ring' --to Mia --access upon-passing -m \"It was my mother's.\"",
        "Leave the ring to Mia after your death, with a message"),
      Example(
        "capsule bequeath 'To Mia at 18' --to Mia --access-after '15 June 2044'",
        "Leave Mia a letter for her 18th birthday"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = invocation[subject]
    let kinds = Bequest.subjectKinds
    let store = try session.stores.required(for: reference, among: kinds)
    let found = try session.records.find(reference, among: kinds, in: store)
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
    return try session.answers.changed(bequest, store) { out, view in
      out.line(
        "Left '\(view.subjectText)' to '\(view.personText)', \(view.ruleText): \(bequest.id.description)"
      )
    }
  }

  private static func beneficiary(
    _ name: String, _ store: Store, _ session: Session
  ) throws -> RecordID {
    do {
      return try session.records.find(name, among: [.beneficiary], in: store).id
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
