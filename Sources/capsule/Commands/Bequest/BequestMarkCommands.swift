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

  static let state = Operand(
    "STATE", ValueType<Mark>.choice, "What it came to")
  static let when = Option(
    "when", value: "WHEN", .text, default: "now", formerly: "w", "When that was")
  static let notes = Option("notes", value: "TEXT", .text, "Notes about it")

  static let mark = Command(
    "bequest", "mark", summary: "Say that a bequest was sent, accepted or declined",
    discussion: """
      First it is sent, then accepted or declined; every change is dated and kept. What was \
      accepted or declined stays so.
      """,
    operands: [BequestOptions.reference, state], options: [when, notes], outputs: .json,
    examples: [
      Example("capsule bequest mark 'Gold ring' sent", "It was handed over"),
      Example("capsule bequest mark 3f2a accepted --when yesterday", "They have it"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused]
  ) { invocation, session in
    try change(invocation, to: try invocation[state].state, session)
  }

  static let revoke = Command(
    "bequest", "revoke", summary: "Take a bequest back, and keep that it was",
    discussion: "`capsule bequest delete` moves it to the trash instead.",
    operands: [BequestOptions.reference], options: [when, notes], outputs: .json,
    examples: [Example("capsule bequest revoke 'Gold ring' --notes Sold", "Take it back")],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused]
  ) { invocation, session in
    try change(invocation, to: .revoked, session)
  }

  private static func change(
    _ invocation: Invocation, to state: DeliveryState, _ session: Session
  ) throws -> ExitCode {
    let reference = try invocation[BequestOptions.reference]
    var at = session.now
    if let text = invocation[when] {
      at =
        try session.when(text, option: "--when", preferring: .past, requiring: .notFuture).instant
    }
    var (store, record) = try session.requiredRecord(Bequest.self, reference, intact: true)
    let change = DeliveryChange(state, at: at, notes: invocation[notes] ?? "")
    do throws(BequestMarkError) {
      record = try store.mark(record, change, now: session.now)
    } catch {
      throw Failure(error, of: record.model.id)
    }
    return try session.answer(record.model, store) { out, view in
      out.line("Marked '\(view.title, .bold)' \(state.words): \(record.model.id.description)")
    }
  }
}
