import CapsuleCore

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

  static let mark = Command(
    "bequest", "mark", summary: "Mark a bequest as sent, accepted or declined",
    discussion: """
      A bequest is first sent, then accepted or declined. Every change is kept with its date. \
      Accepted and declined are final.
      """,
    operands: [BequestOptions.reference, state], options: [when, notes], outputs: .json,
    examples: [
      Example("capsule bequest mark 'Gold ring' sent", "Mark the ring as sent"),
      Example(
        "capsule bequest mark 3f2a accepted --when yesterday", "Note that it was accepted yesterday"
      ),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused]
  ) { invocation, session in
    try change(invocation, to: invocation[state].state, session)
  }

  static let revoke = Command(
    "bequest", "revoke", summary: "Revoke a bequest, and keep its record",
    discussion: "`capsule bequest delete` moves the bequest to the trash instead.",
    operands: [BequestOptions.reference], options: [when, notes], outputs: .json,
    examples: [
      Example(
        "capsule bequest revoke 'Gold ring' --notes Sold",
        "Revoke a bequest because you sold the ring")
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused]
  ) { invocation, session in
    try change(invocation, to: .revoked, session)
  }

  private static func change(
    _ invocation: Invocation, to state: DeliveryState, _ session: Session
  ) throws -> ExitCode {
    let reference = invocation[BequestOptions.reference]
    var at = session.now
    if let text = invocation[when] {
      at =
        try session.dates.read(text, option: "--when", preferring: .past, requiring: .notFuture)
        .instant
    }
    var (store, record) = try session.records.required(Bequest.self, reference, intact: true)
    let change = DeliveryChange(state, at: at, notes: invocation[notes] ?? "")
    do throws(BequestMarkError) {
      record = try store.mark(record, change, now: session.now)
    } catch {
      throw Failure(error, of: record.model.id)
    }
    return try session.answers.changed(record.model, store) { out, view in
      out.line("Marked '\(view.title, .bold)' \(state.words): \(record.model.id.description)")
    }
  }
}
