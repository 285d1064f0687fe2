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
    // One that is about to be made is none to warn of.
    let existing = isDry ? try session.existingStore() : try session.existingStoreQuietly()
    var settings = session.storeSettings(existing)
    var work = try plan(sources, existing, settings)
    let bad = work.steps.count { $0.isBad }
    for step in work.steps { report(step) }
    if bad > 0, !skipsBad {
      throw Failure(
        .refused,
        "\(String.counting(bad, "entry", "entries")) cannot be read; nothing \(isDry ? "would be" : "was") imported",
        hint: "mend the file, or pass over what is bad: '--skip-bad'")
    }
    if !isDry, work.steps.contains(where: \.isChange) {
      let store = try session.storeForChange()
      if existing == nil {
        settings = session.storeSettings(store)
        work = try plan(sources, store, settings)
      }
      try work.write()
      session.noteFirstUse(of: store)
    }
    results = work.steps.map {
      EventImportResult($0, file: names[$0.source], session.eventCalendar(settings), isDry: isDry)
    }
  }

  private mutating func plan(
    _ sources: [CalendarImport.Source], _ store: Store?, _ settings: StoreSettings
  ) throws -> CalendarImport {
    let work = try CalendarImport(
      sources, into: store, session.eventCalendar(settings), local: session.localZone,
      zones: session.host.zones, now: session.now)
    // An event that cannot be read is known by no UID.
    if var index = work.index, session.warn(of: &index) { code = .partial }
    return work
  }

  /// Says what of an entry is bad, is left out, or is taken otherwise.
  private mutating func report(_ step: CalendarImport.Step) {
    let place = "\(names[step.source]):\(step.line)"
    if case .skipped(let problem) = step.kind {
      let message =
        "\(place): \(step.subject) \(problem.isBad ? "cannot be read" : "is left out"): \(problem.words(names))"
      guard problem.isBad else {
        return session.console.warning(message, hint: problem.hint)
      }
      session.console.report(Failure(.partial, message, hint: problem.hint))
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
  var isBad: Bool {
    if case .skipped(let problem) = kind { problem.isBad } else { false }
  }

  var isChange: Bool {
    switch kind {
    case .added, .updated: true
    case .unchanged, .skipped: false
    }
  }

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
    switch step.kind {
    // An event that is added only in a dry run has no id.
    case .added(let event): (state, self.event, changes) = (.added, isDry ? nil : event, [])
    case .unchanged(let event): (state, self.event, changes) = (.unchanged, event, [])
    case .updated(let old, let new):
      (state, event) = (.updated, new)
      changes = FieldChange.between(old, new, Event.importedFields)
    case .skipped(let problem):
      (state, event, changes) = (.skipped, nil, [])
      problems = [problem.words([])]
      return
    }
    problems = step.remarks.map(\.words)
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
