import CapsuleCore

/// `capsule event import`.
enum EventImportCommand {
  static let files = Parameter.operands(
    "FILE", .path, minimum: 1, "A calendar file; `-` is standard input")
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
      - A TRIGGER becomes an alert. The end, every repetition (RRULE, RDATE, EXDATE), and dates that were \
      moved, changed or canceled are kept. The categories become tags.
      - A rule that occurs by minutes or seconds, or is not valid, is reported with its line, and the exit \
      status is 3: the event then occurs once.
      - An entry that is canceled as a whole is reported, and changes nothing.
      - The place is added after the notes. People and attachments are ignored.

      Everything is imported, or nothing: an entry that cannot be read is reported with its file and \
      line. `--skip-bad` skips such entries and exits with status 3. A file may have up to 64 MiB and 50,000 \
      entries.
      """,
    operands: [files], options: [ImportOptions.dryRun, skipBad], outputs: [.json, .ndjson],
    examples: [
      Example("capsule event import holidays.ics --dry-run", "See what an import would change"),
      Example(
        "cat ~/.calendars/home/*.ics | capsule event import -", "Import the calendars of khal"),
    ],
    exitCodes: [.partial, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let sources = try invocation[files].map { path in
      CalendarImport.Source(
        name: path.inputName,
        try session.files.read(path, limit: CalendarFile.byteLimit, hint: "export it in parts"))
    }
    let names = sources.map(\.name)
    var settings = StoreSettings()
    let answer = ImportAnswer<Event>(
      entry: "event", member: "event", fields: importedFields,
      record: { event in
        EventView(event.brief, session.dates.calendar(settings), in: session).members(of: event)
      },
      members: { step in
        [
          "file": names[step.source].json, "title": step.name.json,
          "uid": step.uid.json,
          "problems": step.problemWords.json,
        ]
      },
      subject: { step, problem in
        let place = "\(names[step.source]):\(problem.line): \(subject(step)) "
        guard case .skipped = step.outcome else { return place }
        return place + (problem.weight == .bad ? "cannot be read: " : "is skipped: ")
      },
      place: { names.count > 1 ? "\(names[$0]):\($1)" : "line \($1)" },
      refusal: { bad in
        (
          "\(String.counting(bad, "entry", "entries")) cannot be read",
          hint: "fix the file, or skip bad entries: --skip-bad"
        )
      })
    return try answer.run(
      session, isDry: invocation[ImportOptions.dryRun], skipsBad: invocation[skipBad]
    ) {
      store in
      settings = session.stores.settings(of: store)
      return try ImportPlan(
        CalendarImport(
          sources, session.dates.calendar(settings), local: session.localZone,
          zones: session.host.zones),
        into: store, now: session.now)
    }
  }

  /// The entry in a sentence.
  private static func subject(_ step: ImportStep<Event>) -> String {
    guard let title = step.name else { return "the entry" }
    return title.isEmpty ? "an entry without a title" : "'\(title.shortened)'"
  }

  /// The fields that an import changes, by name.
  private static var importedFields: [(String, (Event) -> String)] {
    [
      ("title", { $0.title }), ("notes", { $0.notes }),
      ("date", { $0.moment.wholeDay?.description ?? "" }),
      ("at", { $0.moment.exactInstant?.rfc3339 ?? "" }), ("zone", { $0.zone }),
      ("length", { $0.length?.words ?? "" }),
      ("repeat", { $0.series.words ?? "" }),
      ("alerts", { $0.alerts.map(\.description).joined(separator: "\n") }),
      ("tags", { $0.tags.joined(separator: ", ") }),
      ("color", { $0.color?.description ?? "" }),
      ("deadline", { $0.isDeadline ? "yes" : "no" }),
      ("doneAt", { $0.doneAt?.rfc3339 ?? "" }),
    ]
  }
}
