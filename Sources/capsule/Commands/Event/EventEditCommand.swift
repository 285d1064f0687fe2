import CapsuleCore

/// `capsule event edit`.
enum EventEditCommand {
  static let reference = Parameter.operand(
    "REF", .reference(.event), "An id, the start of one, or a title")
  static let title = Parameter.option("title", value: "TITLE", .text, "Change the title")
  static let noImage = Parameter.flag("no-image", "Remove the image")
  static let noAlert = Parameter.flag("no-alert", "Remove all alerts, before new ones are added")
  static let noDeadline = Parameter.flag("no-deadline", "Make the deadline a plain event")

  private static let changes: Parameters = [
    title, EventOptions.on, EventOptions.color, EventOptions.notes, EventOptions.image,
    noImage, EventOptions.recurrence, EventOptions.alert, noAlert, EventOptions.deadline,
    noDeadline,
  ]

  static let command = Command(
    "event", "edit", summary: "Change an event",
    discussion: """
      Only what you name changes. `none` removes the color or the repetition. `--alert` adds an alert to \
      the existing ones.
      """,
    operands: [reference], options: changes, outputs: .json,
    examples: [
      Example("capsule event edit 'Tax return' --on 2027-08-31", "Move a deadline"),
      Example(
        "capsule event edit 'Book club' --repeat none --no-alert",
        "Stop repeating an event, and remove its alerts"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = invocation[reference]
    try invocation.requireAny(of: changes, session)
    for (one, other) in [
      (EventOptions.image as any OptionDeclaration, noImage),
      (EventOptions.deadline, noDeadline),
    ] where invocation.has(one) && invocation.has(other) {
      throw UsageProblem.contradiction("--\(one.spec.name)", "--\(other.spec.name)")
    }
    let store = try session.stores.required(for: reference, among: [.event])
    let settings = session.stores.settings(of: store)
    let change = try session.records.change(
      Event.self, reference, in: store,
      staging: { blobs -> Attachment? in
        guard let path = invocation[EventOptions.image] else { return nil }
        let staged = try store.stageImage(path, limit: settings.maxFileSize)
        blobs.append(staged.blob)
        return staged.attachment
      }
    ) { event, image in
      try apply(invocation, to: &event, session, settings)
      try EventOptions.check(event)
      if let image { event.image = image }
    }
    let (event, isChanged) = (change.after, change.isWritten)
    if !isChanged { session.console.note("Nothing changed.") }
    let view = EventView(event.summary, session.dates.calendar(settings), in: session)
    if isChanged, !session.isQuiet,
      invocation.has(EventOptions.on) || invocation.has(EventOptions.recurrence),
      let next = EventAddCommand.repetition(view, session, settings)
    {
      session.console.note(StyledText(next))
    }
    return try session.answers.changed(event, view, did: isChanged ? "Changed" : nil)
  }

  private static func apply(
    _ invocation: Invocation, to event: inout Event, _ session: Session, _ settings: StoreSettings
  ) throws {
    if let title = invocation[title] { event.title = title }
    if let notes = invocation[EventOptions.notes] { event.notes = notes }
    if let text = invocation[EventOptions.color] {
      event.color = text == "none" ? nil : try EventOptions.color(text)
    }
    if let text = invocation[EventOptions.recurrence] {
      event.recurrence = text == "none" ? nil : try EventOptions.recurrence(text)
    }
    if invocation[noAlert] { event.alerts = [] }
    event.alerts =
      (event.alerts + (try EventOptions.alerts(invocation[EventOptions.alert]))).unique
    if invocation[EventOptions.deadline] { event.isDeadline = true }
    if invocation[noDeadline] { event.isDeadline = false }
    if invocation[noImage] { event.image = nil }
    let calendar = session.dates.calendar(settings)
    if let text = invocation[EventOptions.on] {
      let (moment, zone, when) = try EventOptions.moment(text, session)
      event.moment = moment
      event.zone = zone
      event.settle(calendar, asked: when.asked)
      if !session.isQuiet {
        session.console.note("On \(EventAddCommand.echo(event, when, session, settings))")
      }
    } else if invocation.has(EventOptions.recurrence) {
      event.settle(calendar)
    }
  }
}
