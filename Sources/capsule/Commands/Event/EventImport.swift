import CapsuleCore

/// One run of `event import`: reports what became of each entry, and keeps it for the answer.
struct EventImport {
  private(set) var results: [EventImportResult] = []
  private(set) var code = ExitCode.ok
  private let session: Session
  private let names: [String]
  private let isDry: Bool
  private let skipsBad: Bool

  init(_ session: Session, _ names: [String], isDry: Bool, skipsBad: Bool) {
    self.session = session
    self.names = names
    self.isDry = isDry
    self.skipsBad = skipsBad
  }

  mutating func run(_ sources: [CalendarImport.Source]) throws {
    var settings = StoreSettings()
    let run = try CalendarImport.run(
      session,
      isDry: isDry, skipsBad: skipsBad,
      plan: { store in
        settings = session.stores.settings(of: store)
        return try CalendarImport(
          sources, into: store, session.dates.calendar(settings), local: session.localZone,
          zones: session.host.zones, now: session.now)
      },
      report: { report($0) },
      refusal: { bad in
        Failure(
          .refused,
          "\(String.counting(bad, "entry", "entries")) cannot be read; nothing \(isDry ? "would be" : "was") imported",
          hint: "mend the file, or pass over what is bad: '--skip-bad'")
      })
    if run.isPartial { code = ExitCode.worst(code, .partial) }
    results = run.plan.steps.map {
      EventImportResult($0, file: names[$0.source], session.dates.calendar(settings), isDry: isDry)
    }
  }

  /// Says what of an entry is bad, is left out, or is taken otherwise.
  private mutating func report(_ step: CalendarImport.Step) {
    let place = "\(names[step.source]):\(step.line)"
    if case .skipped(let problem) = step.kind {
      let message =
        "\(place): \(step.subject) \(problem.isBad ? "cannot be read" : "is left out"): \(problem.words(names))"
      guard problem.isLoss else {
        return session.console.warning(message, hint: problem.hint)
      }
      // Where one is bad nothing is imported, unless bad ones are passed over.
      let isRefused = problem.isBad && !skipsBad
      session.console.report(
        Failure(isRefused ? .refused : .partial, message, hint: problem.hint))
      code = ExitCode.worst(code, .partial)
      return
    }
    for remark in step.remarks {
      let message = "\(names[step.source]):\(remark.line): \(step.subject) \(remark.words)"
      guard remark.isLoss else {
        session.console.warning(message)
        continue
      }
      session.console.report(Failure(.partial, message, hint: remark.hint))
      code = ExitCode.worst(code, .partial)
    }
  }

  /// The counts of the outcomes, in a sentence.
  var summary: String {
    if results.isEmpty { return "There is no event in it." }
    return ImportedRow.summary(of: results.map(\.state), isDry: isDry)
  }
}

extension CalendarImport.Step {
  /// The entry in a sentence.
  var subject: String {
    guard let title else { return "this" }
    return title.isEmpty ? "an entry without a title" : "'\(title.shortened)'"
  }
}

/// The outcome of one entry, as JSON and as text.
struct EventImportResult {
  let state: ImportedRow.State
  private let file: String
  /// The physical line on which the entry begins.
  private let line: Int
  private let title: String?
  private let uid: String?
  /// The event as the store has it now; `nil` where there is none.
  private let event: Event?
  private let changes: [FieldChange]
  /// The reason why it was skipped, or the parts of it that were left out.
  private let problems: [String]
  private let calendar: EventCalendar

  init(_ step: CalendarImport.Step, file: String, _ calendar: EventCalendar, isDry: Bool) {
    (self.file, self.calendar) = (file, calendar)
    (line, title, uid) = (step.line, step.title, step.uid)
    (state, event) = (step.kind.state, step.kind.record(isDry: isDry))
    changes = step.kind.changes(Event.importedFields)
    problems = step.kind.problem.map { [$0.words([])] } ?? step.remarks.map(\.words)
  }

  func members(_ session: Session) -> JSONObject {
    [
      "state": .string(state.rawValue), "file": .string(file), "line": .integer(Int64(line)),
      "title": title.map { .string($0) } ?? .null, "uid": uid.map { .string($0) } ?? .null,
      "event": event.map { event in
        .object(EventView(event.summary, calendar, in: session).members(of: event))
      } ?? .null,
      "changes": .array(changes.map { .object($0.members) }),
      "problems": .array(problems.map { .string($0) }),
    ]
  }

  func write(to out: TextOutput, isDry: Bool, isQuiet: Bool) {
    ImportedRow(
      state: state, name: event?.title ?? title ?? "", id: event?.id.description ?? "",
      changes: changes
    ).write(to: out, isDry: isDry, isQuiet: isQuiet)
  }
}

extension Event {
  /// The fields that an import changes, by name.
  fileprivate static var importedFields: [(String, (Event) -> String)] {
    [
      ("title", { $0.title }), ("notes", { $0.notes }),
      ("date", { $0.moment.wholeDay?.description ?? "" }),
      ("at", { $0.moment.exactInstant?.rfc3339 ?? "" }), ("zone", { $0.zone }),
      ("repeat", { $0.recurrence?.words ?? "" }),
      ("alerts", { $0.alerts.map(\.description).joined(separator: "\n") }),
      ("color", { $0.color?.description ?? "" }),
      ("deadline", { $0.isDeadline ? "yes" : "no" }),
      ("doneAt", { $0.doneAt?.rfc3339 ?? "" }),
    ]
  }
}
