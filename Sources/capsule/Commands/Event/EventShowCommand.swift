import CapsuleCore

/// `capsule event show`.
enum EventShowCommand {
  static let reference = Operand("REF", .reference(.event), "An id, the start of one, or a title")

  static let command = Command(
    "event", "show", summary: "Show all about an event",
    operands: [reference], outputs: .json,
    examples: [
      Example("capsule event show Launch", "Show an event"),
      Example("capsule event show Launch --json", "Tell a script all about it"),
    ],
    exitCodes: [.notFound, .damaged, .version],
    run: run)

  /// How many of the next occurrences are shown.
  private static let occurrenceCount = 5

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = try invocation[reference]
    let store = try session.requiredStore(for: reference, among: [.event])
    let record = try session.event(reference, in: store)
    let event = record.model
    let settings = session.storeSettings(store)
    let calendar = session.eventCalendar(settings)
    let view = EventView(
      event.summary, calendar, problem: record.integrity == nil ? .none : .altered, in: session)
    if let damage = record.integrity {
      session.console.report(
        Failure(.damaged(damage, path: store.layout.record(.event, event.id).text)))
    }
    return try session.render(
      ending: record.integrity == nil ? .ok : .damaged, json: .object(members(event, view)),
      text: { text(event, view, calendar, settings, session, $0) })
  }

  /// The members of the object: those of a list, and what only the record tells.
  static func members(_ event: Event, _ view: EventView) -> JSONObject {
    var members = view.members
    members["notes"] = .string(event.notes)
    members["revision"] = .integer(event.revision)
    members["image"] =
      event.image.map { image in
        .object([
          "name": .string(image.displayName), "mediaType": .string(image.mediaType),
          "size": .integer(image.size),
        ])
      } ?? .null
    return members
  }

  private static func text(
    _ event: Event, _ view: EventView, _ calendar: EventCalendar, _ settings: StoreSettings,
    _ session: Session, _ out: TextOutput
  ) {
    func field(_ name: String, _ value: StyledText) {
      let padding = String(repeating: " ", count: max(0, 9 - name.count))
      out.line("\(name, .dim)\(padding) \(value)")
    }
    out.line(view.titleText)
    field("Id", StyledText(event.id.description))
    field("State", view.stateText)
    let relative = session.relative(view.moment, at: session.now, settings)
    field(
      event.isDeadline ? "Deadline" : "Date", "\(session.text(of: view.moment)), \(relative)")
    if let recurrence = event.recurrence {
      field("Repeated", "\(recurrence.words), since \(session.text(of: event.moment))")
      let next = event.timing.occurrences(
        from: session.now, before: .latest, limit: occurrenceCount, calendar)
      field("Next", StyledText(next.map { session.text(of: $0) }.joined(separator: "; ")))
    }
    if !event.alerts.isEmpty {
      field("Alerts", StyledText(event.alerts.map(\.description).joined(separator: ", ")))
    }
    if let doneAt = event.doneAt {
      field("Done", "\(session.dateTime(doneAt)), \(session.relative(doneAt))")
    }
    if let color = event.color { field("Color", StyledText(color.description)) }
    if let image = event.image {
      field("Image", "\(image.displayName), \(image.mediaType), \(ByteSize.text(image.size))")
    }
    field(
      "Created", "\(session.dateTime(event.createdAt)), \(session.relative(event.createdAt))")
    if !event.notes.isEmpty {
      out.line()
      out.block(event.notes)
    }
  }
}
