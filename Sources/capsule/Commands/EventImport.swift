import CapsuleCore

/// `capsule event import`.
enum EventImportCommand {
  static let files = Parameter.operands(
    "FILE", .path, minimum: 1, "A calendar file; `-` is standard input")
  static let dryRun = Parameter.flag(
    "dry-run", short: "n", "Show what would be added and changed, and write nothing")
  static let skipBad = Parameter.flag(
    "skip-bad", "Skip entries that cannot be read, and import the rest")

  static let command = Command(
    "event", "import", summary: "Add and update events from calendars (iCalendar)",
    discussion: """
      The command reads iCalendar files (RFC 5545): the output of `export ics`, and exports of calendar \
      programs, holidays and birthdays. A VEVENT becomes an event. A VTODO with a due date becomes a \
      deadline, marked as done if it is completed.

      When you import a calendar again, its UIDs find the events:

      - An entry with a higher SEQUENCE or LAST-MODIFIED changes its event; the same entry changes \
      nothing. An entry without either changes its event where the two differ.
      - A UID from `export ics` leads back to the event that was exported.
      - An entry without a UID is recognized by its title and start.
      - The entry's fields win. The color, the image, and everything that an entry cannot express stay.

      How an entry becomes an event:

      - A time without a zone is on your clocks. For a zone that this machine does not know, the \
      calendar must describe the zone completely.
      - A TRIGGER becomes an alert. A rule (RRULE) becomes a repetition if `--repeat` can express it.
      - Any other rule makes one event at the first time. So do COUNT, UNTIL, EXDATE and RDATE, and an \
      occurrence that was moved or changed.
      - Each of these is reported with its line, and the exit status is 3. The same holds for a canceled \
      occurrence, and for a yearly 29 February that differs from the setting `leapDay`.
      - Other canceled entries are reported, and change nothing.
      - The place is added after the notes. Ends, people and attachments are ignored.

      Everything is imported, or nothing: an entry that cannot be read is reported with its file and \
      line. `--skip-bad` skips such entries and exits with status 3. A file may have up to 64 MiB and 50,000 \
      entries.
      """,
    operands: [files], options: [dryRun, skipBad], outputs: [.json, .ndjson],
    examples: [
      Example("capsule event import holidays.ics --dry-run", "See what an import would change"),
      Example(
        "cat ~/.calendars/home/*.ics | capsule event import -", "Import the calendars of khal"),
    ],
    exitCodes: [.partial, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let isDry = invocation[dryRun]
    let sources = try invocation[files].map { path in
      CalendarImport.Source(
        name: path.inputName,
        try session.files.read(path, limit: CalendarFile.byteLimit, hint: "export it in parts"))
    }
    var work = EventImport(
      session, sources.map(\.name), isDry: isDry, skipsBad: invocation[skipBad])
    try work.run(sources)
    return try session.console.render(
      ending: work.code, list: work.results, json: { .object($0.members(session)) },
      text: { out in
        for result in work.results { result.write(to: out, isDry: isDry, isQuiet: session.isQuiet) }
        session.console.note("\(work.summary)")
      })
  }
}

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
        Fault(
          .refused,
          "\(String.counting(bad, "entry", "entries")) cannot be read; nothing \(isDry ? "would be" : "was") imported",
          hint: "fix the file, or skip bad entries: --skip-bad")
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
        "\(place): \(step.subject) \(problem.isBad ? "cannot be read" : "is skipped"): \(problem.words(names))"
      guard problem.isLoss else {
        return session.console.warning(message, hint: problem.hint)
      }
      // Where one is bad nothing is imported, unless bad ones are passed over.
      let isRefused = problem.isBad && !skipsBad
      session.console.report(
        Fault(isRefused ? .refused : .partial, message, hint: problem.hint))
      code = ExitCode.worst(code, .partial)
      return
    }
    for remark in step.remarks {
      let message = "\(names[step.source]):\(remark.line): \(step.subject) \(remark.words)"
      guard remark.isLoss else {
        session.console.warning(message)
        continue
      }
      session.console.report(Fault(.partial, message, hint: remark.hint))
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
    guard let title else { return "the entry" }
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
        .object(EventView(event.brief, calendar, in: session).members(of: event))
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

extension CalendarImport.Problem {
  /// The reason why the entry is not imported, behind its line.
  ///
  /// - Parameter names: the names of the files.
  func words(_ names: [String]) -> String {
    switch self {
    case .fault(let cause): return cause.words
    case .rule(let fault): return "\(fault.message)"
    case .cancelled(let event, let isOccurrence):
      return "the entry is canceled" + (event == nil ? "" : "; the event stays")
        + (isOccurrence ? "; the repeated event still occurs at that time" : "")
    case .undated: return "a task without a due date"
    case .notAnEvent(.unlock?): return "the entry is the unlock date of a capsule, not an event"
    case .notAnEvent(.reminder?): return "the entry is the reminder of an item, not an event"
    case .notAnEvent: return "the entry is the date of another record, not an event"
    case .replaced(let line, let source, let hasUID):
      let file = names.count > 1 ? "\(names[source]):\(line)" : "line \(line)"
      return
        "the entry at \(file) has the same \(hasUID ? "UID" : "title and start") and is used instead"
    case .severalOfUID: return "several events have the UID of the entry"
    case .unreadable(let id): return "the record '\(id)' of the event cannot be read"
    }
  }

  var hint: String? {
    switch self {
    case .fault(let cause): cause.hint
    case .cancelled(let event?, _): "delete the event: capsule event delete \(event.id)"
    case .severalOfUID: "delete the extra events: capsule event delete"
    case .unreadable: "list the damage: capsule verify; then fix it: capsule repair"
    case .rule, .cancelled, .undated, .notAnEvent, .replaced: nil
    }
  }
}

extension CalendarFault.Cause {
  var words: String {
    switch self {
    case .noCalendar: "not part of a calendar (expected BEGIN:VCALENDAR)"
    case .noEnd(let name): "'\(name.shortened)' has no END line"
    case .noBegin(let name): "'\(name.shortened)' has no BEGIN line"
    case .notAProperty: "the line is not a property"
    case .charset(let name): "unknown character set '\(name.shortened)'"
    case .noTime(let name): "no \(name)"
    case .notATime(let property, let text):
      "\(property) '\(text.shortened)' is not a date or time in the years 1 to 9999"
    case .unknownZone(let name):
      "unknown time zone '\(name.shortened)', which the calendar does not describe"
    case .brokenZone(let name, let line):
      "unknown time zone '\(name.shortened)', and its description on line \(line) is incomplete"
    case .beforeZone(let name, let line):
      "the date is before the last rules of the time zone '\(name.shortened)' on line \(line), and only "
        + "those are supported"
    case .tooLong(let property, let limit): "\(property) has more than \(limit) bytes"
    case .tooLarge(let limit): "more than \(limit) bytes, alarms or changes"
    case .tooMany(let limit): "more than \(limit) entries"
    }
  }

  fileprivate var hint: String? {
    switch self {
    case .noCalendar: "use an iCalendar file, which begins with BEGIN:VCALENDAR"
    case .noEnd: "export the file again; it may be incomplete"
    case .notAProperty: "write a property as a name, a colon and a value"
    case .charset: "save the file in UTF-8"
    case .unknownZone, .brokenZone, .beforeZone:
      "set a time zone such as Europe/Paris in the program that exported the file"
    case .tooLong, .tooLarge: "shorten the text in the program that exported the file"
    case .tooMany: "import the file in parts"
    case .noBegin, .noTime, .notATime: nil
    }
  }
}

extension CalendarImport.Remark {
  /// The words for the part that an event cannot hold, behind the entry's title.
  var words: String {
    switch matter {
    case .rule(let rule):
      "is imported without its repetition, which is not supported: '\(rule.shortened)'"
    case .dates(let name): "is imported once: events have no \(name)"
    case .occurrence: "is imported as a separate event: it changes one date of a repeated event"
    case .deadline: "is imported once: deadlines do not repeat"
    case .alarm: "loses an alarm that alerts cannot express"
    case .alarms(let limit): "has more than \(limit) alarms; the rest was skipped"
    case .shortened: "occurs on the last day of months without that day"
    case .leapDay(let day, isLeftOut: true):
      "occurs on \(day.words) in years without 29 February, which the file skips"
    case .leapDay(let day, isLeftOut: false):
      "occurs on \(day.words) in years without 29 February, but on \(day.other.words) in the file"
    case .skipped(let seconds):
      "is \(seconds / 60) minutes later, because the clocks skip that time"
    case .twice: "occurs twice that day, because the clocks go back; the first time is used"
    }
  }

  var hint: String? {
    switch matter {
    case .rule, .dates: "list the supported repetitions: capsule help repeat"
    case .occurrence:
      "the repeated event keeps that date; delete the one you do not want: capsule event delete REF"
    case .leapDay(let day, isLeftOut: false):
      "change the day of all such events: capsule settings set leapDay "
        + (day == .february28 ? "mar1" : "feb28")
    case .deadline, .alarm, .alarms, .shortened, .leapDay, .skipped, .twice: nil
    }
  }
}

extension LeapDayRule {
  fileprivate var words: String { self == .february28 ? "28 February" : "1 March" }

  fileprivate var other: Self { self == .february28 ? .march1 : .february28 }
}
