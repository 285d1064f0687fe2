import CapsuleCore

/// `capsule trustees confirm` and `capsule trustees lost`.
enum TrusteesMarkCommands {
  static let holders = Parameter.operands(
    "HOLDER", .text, minimum: 1, "A holder's name, or the number of the share")
  static let when = Parameter.option(
    "when", value: "WHEN", .text, otherwise: "now", formerly: "w", "When it happened")

  static let confirm = Command(
    "trustees", "confirm", summary: "Confirm that holders still have their shares",
    discussion: """
      Ask the holders to look at the sheet, not to read it to you. Do this once a year, for at \
      least one holder more than needed. `capsule trustees list` warns if fewer are confirmed.

      Confirming a lost share marks it as found.
      """,
    operands: [TrusteesShowCommand.reference, holders], options: [when], outputs: .json,
    examples: [
      Example("capsule trustees confirm family Zoe Lena", "Note that both looked at their sheets")
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused]
  ) { invocation, session in
    try mark(invocation, session, "Confirmed") { $0.confirm($1, at: $2) }
  }

  static let lost = Command(
    "trustees", "lost", summary: "Mark shares as lost",
    discussion: """
      This revokes nothing. Somebody who finds a lost share can still use it, together with enough \
      others. `capsule trustees replace` gives the group a new key.
      """,
    operands: [TrusteesShowCommand.reference, holders], options: [when], outputs: .json,
    examples: [
      Example("capsule trustees lost family 'Dr Okoye'", "Note that the lawyer's sheet is lost")
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused]
  ) { invocation, session in
    try mark(invocation, session, "Lost") { $0.lose($1, at: $2) }
  }

  private static func mark(
    _ invocation: Invocation, _ session: Session, _ word: String,
    _ body: (inout TrusteeGroup, Int, Instant) -> Void
  ) throws -> ExitCode {
    let reference = invocation[TrusteesShowCommand.reference]
    var at = session.now
    if let text = invocation[when] {
      at =
        try session.dates.read(text, option: "--when", preferring: .past, requiring: .notFuture)
        .instant
    }
    let store = try session.stores.required(for: reference, among: [.trustees])
    var places: [Int] = []
    let group = try session.records.change(TrusteeGroup.self, reference, in: store) { group in
      places = try invocation[holders].map { try group.place(ofHolder: $0) }
      for place in places { body(&group, place, at) }
    }.after
    session.records.warn(of: group)
    let view = TrusteeView(group.summary, in: session)
    return try session.answers.changed(view.members(of: group), group.header.id) { out in
      for place in places {
        out.line(
          "\(word): share \(place + 1) of '\(group.name, .bold)', \(group.shares[place].holder)'s")
      }
    }
  }
}

/// `capsule trustees delete`.
enum TrusteesDeleteCommand {
  static let references = Parameter.operands(
    "TRUSTEES", .reference(.trustees), minimum: 1, "A group: an id, the start of one, or its name")

  static let command = Command(
    "trustees", "delete", summary: "Move groups of trustees to the trash",
    discussion: """
      Only the store's record of the group is deleted. The shares still open everything that was \
      sealed to the group, until they are destroyed. `capsule restore` puts the record back.
      """,
    operands: [references], options: [DeleteCommand.yes], outputs: .json,
    examples: [
      Example("capsule trustees delete family --yes", "Move a group to the trash")
    ],
    exitCodes: [.partial, .notFound, .damaged, .busy, .version]
  ) { invocation, session in
    try DeleteCommand.delete(
      invocation[references], kind: .trustees, isConfirmed: invocation[DeleteCommand.yes], session)
  }
}
