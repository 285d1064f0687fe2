import CapsuleCore

/// `capsule bequest show`.
enum BequestShowCommand {
  static let command = Command(
    "bequest", "show", summary: "Show all about a bequest",
    operands: [BequestOptions.reference], outputs: .json,
    examples: [Example("capsule bequest show 'Gold ring'", "Show what is left to whom, and when")],
    exitCodes: [.notFound, .damaged, .version],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = try invocation[BequestOptions.reference]
    let store = try session.requiredStore(for: reference, among: [.bequest])
    let record = try session.record(Bequest.self, reference, in: store)
    if let failure = session.failure(of: record, in: store) { session.console.report(failure) }
    let view = view(record.model, record.integrity, session, store)
    return try session.render(
      ending: record.integrity == nil ? .ok : .damaged,
      json: .object(members(record.model, view, session)),
      text: { text(record.model, view, session, $0) })
  }

  /// Tells of a bequest that was made or changed.
  static func tell(
    _ bequest: Bequest, _ session: Session, _ store: Store,
    text: (TextOutput, BequestView) -> Void
  ) throws -> ExitCode {
    let view = view(bequest, nil, session, store)
    return try session.render(json: .object(members(bequest, view, session))) { out in
      if session.isQuiet {
        out.line("\(bequest.id.description)")
      } else {
        text(out, view)
      }
    }
  }

  private static func view(
    _ bequest: Bequest, _ damage: RecordDamage?, _ session: Session, _ store: Store
  ) -> BequestView {
    BequestView(
      bequest.summary, problem: damage == nil ? .none : .altered,
      names: RecordNames(store, now: session.now),
      passing: session.storeSettings(store).passing, in: session)
  }

  /// The members of the object: those of a list, and what only the record tells.
  private static func members(
    _ bequest: Bequest, _ view: BequestView, _ session: Session
  ) -> JSONObject {
    let instants = InstantFields(zone: session.zone)
    var members = view.members
    members["message"] = .string(bequest.message)
    members["revision"] = .integer(bequest.header.revision)
    members["delivery"] = .array(
      bequest.delivery.map { change in
        var object: JSONObject = [
          "state": .string(change.state.rawValue), "notes": .string(change.notes),
        ]
        instants.add(change.at, as: "at", to: &object)
        return .object(object)
      })
    return members
  }

  private static func text(
    _ bequest: Bequest, _ view: BequestView, _ session: Session, _ out: TextOutput
  ) {
    func field(_ name: String, _ value: StyledText) {
      let padding = String(repeating: " ", count: max(0, 9 - name.count))
      out.line("\(name, .dim)\(padding) \(value)")
    }
    out.line("\(view.title, .bold)")
    field("Id", StyledText(bequest.id.description))
    field("What", "\(view.subjectText), \(bequest.subject.kind.word)")
    field("To", view.personText)
    field("Access", StyledText(view.ruleText))
    field("State", view.stateText)
    for change in bequest.delivery {
      let notes = change.notes.isEmpty ? "" : ", \(change.notes)"
      field("", "\(change.state.words) \(session.dateTime(change.at))\(notes)")
    }
    field(
      "Created", "\(session.dateTime(bequest.createdAt)), \(session.relative(bequest.createdAt))")
    if !bequest.message.isEmpty {
      out.line()
      out.block(bequest.message)
    }
  }
}
