import CapsuleCore

/// `capsule show`.
enum ShowCommand {
  static let reference = Operand(
    "REF", .reference(.capsule), "An id, the start of one, or a title")

  static let command = Command(
    "show", summary: "Show all that may be seen of a capsule",
    discussion: """
      Nothing of what is sealed is shown, whether the capsule is locked or not: of its contents \
      only their kinds, their sizes while sealed, and when they were added.
      """,
    operands: [reference], outputs: .json,
    examples: [
      Example("capsule show 3f2a", "Show a capsule by the start of its id"),
      Example("capsule show 'To Mia at 18' --json", "Tell a script all about a capsule"),
    ],
    exitCodes: [.notFound, .damaged, .version],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = try invocation[reference]
    let store = try session.requiredStore(for: reference)
    let record = try session.capsule(reference, in: store)
    let capsule = record.model
    let view = CapsuleView(
      capsule.summary, problem: record.integrity == nil ? .none : .altered, in: session)
    if let damage = record.integrity {
      session.console.report(
        Failure(.damaged(damage, path: store.layout.record(.capsule, capsule.id).text)))
    }
    let bequests = BequestSection(of: RecordReference(.capsule, capsule.id), session, store)
    var members = members(capsule, view, session)
    members["bequests"] = bequests.json
    return try session.render(
      ending: record.integrity == nil ? .ok : .damaged,
      json: .object(members),
      text: { out in
        text(capsule, view, session, session.storeSettings(store), out)
        bequests.text(out)
      })
  }

  /// The members of the object: those of a list, and what only the record tells.
  static func members(_ capsule: Capsule, _ view: CapsuleView, _ session: Session) -> JSONObject {
    var members = view.members
    members["notes"] = .string(capsule.notes)
    members["revision"] = .integer(capsule.revision)
    members["lockStrength"] = .string(capsule.lock.kind.strength)
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
      let relative = session.relative(.instant(instant), at: session.now, settings)
      return "\(session.dateTime(instant)), \(relative)"
    }
    func field(_ name: String, _ value: StyledText) {
      let padding = String(repeating: " ", count: max(0, 9 - name.count))
      out.line("\(name, .dim)\(padding) \(value)")
    }
    out.line("\(capsule.title, .bold)")
    field("Id", StyledText(capsule.id.description))
    field("State", view.stateText)
    field("Unlocks", StyledText(when(capsule.unlockAt)))
    field("Created", StyledText(when(capsule.createdAt)))
    if let openedAt = capsule.openedAt { field("Opened", StyledText(when(openedAt))) }
    field("Lock", StyledText(capsule.lock.kind.strength))
    if let timelock = capsule.lock.timelock {
      for (name, text) in TimelockView(timelock, unlockAt: capsule.unlockAt, session).lines {
        field(name, StyledText(text))
      }
    }
    if !capsule.tags.isEmpty {
      field("Tags", StyledText(capsule.tags.joined(separator: ", "), .cyan))
    }
    if view.state == .locked { field("Progress", bar(capsule, session, out)) }
    if !capsule.notes.isEmpty {
      out.line()
      out.block(capsule.notes)
    }
    out.line()
    guard !capsule.contents.isEmpty else {
      out.line("It holds nothing yet.")
      return
    }
    var table = Table([
      .init("#", .trailing), .init("KIND"), .init("SEALED SIZE", .trailing),
      .init("ADDED", flexible: true),
    ])
    for (position, content) in capsule.contents.enumerated() {
      table.row(
        StyledText(String(position + 1)), StyledText(content.kind.rawValue),
        StyledText(ByteSize.text(content.sealedSize)),
        StyledText(session.dateTime(content.addedAt)))
    }
    out.table(table)
  }

  /// How far the time from creation to unlock has gone.
  private static func bar(
    _ capsule: Capsule, _ session: Session, _ out: TextOutput
  ) -> StyledText {
    let whole = capsule.unlockAt.seconds - capsule.createdAt.seconds
    let gone = max(0, session.now.seconds - capsule.createdAt.seconds)
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
