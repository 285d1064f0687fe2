import CapsuleCore

/// `capsule event show`.
enum EventShowCommand {
  static let reference = Parameter.operand(
    "REF", .reference(.event), "An id, the start of one, or a title")

  static let command = Command(
    "event", "show", summary: "Show everything about an event",
    operands: [reference], outputs: .json,
    examples: [
      Example("capsule event show \"Mia's birthday\"", "See when a birthday comes next"),
      Example("capsule event show 'Tax return' --json", "Read an event's details in a script"),
    ],
    exitCodes: [.notFound, .damaged, .version],
    run: run)

  /// The number of next occurrences that are shown.
  private static let occurrenceCount = 5

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = try invocation[reference]
    let (store, record) = try session.records.required(Event.self, reference)
    return try show(record, in: store, session)
  }

  /// Answers with all about an event.
  static func show(
    _ record: StoredRecord<Event>, in store: Store, _ session: Session
  ) throws -> ExitCode {
    let event = record.model
    let settings = session.stores.settings(of: store)
    let calendar = session.dates.calendar(settings)
    let view = EventView(event.summary, calendar, problem: record.problem, in: session)
    return try session.console.render(
      ending: session.records.report(damageOf: record, in: store),
      json: .object(view.members(of: event)),
      text: { text(event, view, calendar, settings, session, $0) })
  }

  private static func text(
    _ event: Event, _ view: EventView, _ calendar: EventCalendar, _ settings: StoreSettings,
    _ session: Session, _ out: TextOutput
  ) {
    let sheet = FieldSheet(out, width: 9)
    out.line(view.titleText)
    sheet.field("Id", event.id.description)
    sheet.field("State", view.stateText)
    let relative = session.dates.relative(view.moment, at: session.now, settings)
    let years = view.yearsText.map { ", \($0)" } ?? ""
    sheet.field(
      event.isDeadline ? "Deadline" : "Date",
      "\(session.dates.text(view.moment)), \(relative)\(years)")
    if let recurrence = event.recurrence {
      sheet.field("Repeated", "\(recurrence.words), since \(session.dates.text(view.first))")
      let next = event.timing.schedule(in: calendar).occurrences(
        from: session.now, before: .latest, limit: occurrenceCount)
      sheet.field("Next", next.map { session.dates.text($0) }.joined(separator: "; "))
    }
    if !event.alerts.isEmpty {
      sheet.field("Alerts", event.alerts.map(\.description).joined(separator: ", "))
    }
    if let doneAt = event.doneAt {
      sheet.field("Done", "\(session.dates.text(doneAt)), \(session.dates.relative(doneAt))")
    }
    if let color = event.color { sheet.field("Color", color.description) }
    if let image = event.image {
      sheet.field("Image", "\(image.displayName), \(image.mediaType), \(ByteSize.text(image.size))")
    }
    sheet.field(
      "Created",
      "\(session.dates.text(event.createdAt)), \(session.dates.relative(event.createdAt))")
    sheet.block(event.notes)
  }
}
