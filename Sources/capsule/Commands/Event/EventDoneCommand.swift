import CapsuleCore

/// `capsule event done`.
enum EventDoneCommand {
  static let reference = Parameter.operand(
    "REF", .reference(.event), "An id, the start of one, or a title")
  static let undo = Parameter.flag("undo", "Mark the deadline as not done")

  static let command = Command(
    "event", "done", summary: "Mark a deadline as done",
    operands: [reference], options: [undo], outputs: .json,
    examples: [Example("capsule event done 'Tax return'", "Mark the tax return as done")],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = invocation[reference]
    let isUndone = invocation[undo]
    let store = try session.stores.required(for: reference, among: [.event])
    let change = try session.records.change(Event.self, reference, in: store) { event in
      try event.meet(at: isUndone ? nil : event.doneAt ?? session.now)
    }
    let (event, isChanged) = (change.after, change.isWritten)
    if !isChanged { session.console.note("Nothing changed.") }
    let view = EventView(
      event.summary, session.dates.calendar(session.stores.settings(of: store)), in: session)
    return try session.console.render(json: .object(view.members(of: event))) { out in
      guard isChanged, !session.isQuiet else { return }
      let word: StyledText = isUndone ? "Not met" : "Met"
      out.line("\(word): '\(view.titleText)' \(event.id.description)")
    }
  }
}
