import CapsuleCore

/// `capsule event import`.
enum EventImportCommand {
  static let files = Parameter.operands(
    "FILE", .path, minimum: 1, "A calendar file, or a folder of them; `-` is standard input")
  static let skipBad = Parameter.flag(
    "skip-bad", "Skip entries that cannot be read, and import the rest")

  static let calendar = Parameter.option(
    "calendar", value: "NAME", .text, "A name for the calendar, which its events keep")
  static let prune = Parameter.flag(
    "prune", "Move events to the trash that the named calendar no longer has")
  static let past = Parameter.flag("past", "With --prune: also events that are over")
  static let yes = Parameter.flag("yes", short: "y", "Prune without being asked")

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

      - A time without a zone is on the clocks of its calendar (X-WR-TIMEZONE), or else on yours. A \
      zone such as Europe/Paris is this machine's. Any other name means what the calendar describes, or \
      else a zone of Windows.
      - A TRIGGER becomes an alert. The end, every repetition (RRULE, RDATE, EXDATE), and dates that were \
      moved, changed or canceled are kept. The categories become tags.
      - A rule that occurs by minutes or seconds, or is not valid, is reported with its line, and the exit \
      status is 3: the event then occurs once.
      - An event is all-day where Outlook says so, and from midnight to midnight. A birthday of the year \
      1604 has no year: nobody has an age.
      - An entry that is canceled as a whole is reported, and changes nothing.
      - The place and the addresses of web pages and conferences are added after the notes.
      - People, attachments and journal entries are left out, and counted in the answer.

      `--calendar NAME --prune` keeps a subscription up to date: what the calendar no longer has goes to the \
      trash, if it is not over. A calendar that has faults, or lost over half of its events, removes nothing.

      A folder stands for all files in it and below it that end with `.ics`: a calendar of khal or Radicale.

      Everything is imported, or nothing: an entry without a start, or with two, is reported with its \
      file and line. Any other line that cannot be read is reported and left out. `--skip-bad` skips bad \
      entries and exits with status 3. A file may have up to 64 MiB and 50,000 entries.
      """,
    operands: [files], options: [ImportOptions.dryRun, skipBad, calendar, prune, past, yes],
    outputs: [.json, .ndjson],
    examples: [
      Example("capsule event import holidays.ics --dry-run", "See what an import would change"),
      Example("capsule event import ~/.calendars/home", "Import a calendar of khal"),
      Example(
        "curl -fsS https://example.org/holidays.ics | capsule event import -",
        "Import a calendar from the web"),
      Example(
        "curl -fsS https://example.org/team.ics | capsule event import - --calendar team --prune --yes",
        "Keep a subscription up to date, from cron"),
    ],
    exitCodes: [.partial, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let subscription = invocation[calendar].map { name in
      CalendarImport.Subscription(
        name: name, isPruned: invocation[prune], prunesPast: invocation[past])
    }
    if subscription == nil, invocation[prune] {
      throw Fault.usage("--prune needs --calendar", hint: "name the calendar: --calendar NAME")
    }
    try RecordFault.check(name: invocation[calendar] ?? "-", of: .event)
    let paths = try invocation[files].flatMap { path in
      try refuseAddress(path)
      return try session.files.files(below: path, ending: ".ics")
    }
    let sources = try paths.map { path in
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
          "leftOut": step.leftOut.sorted { $0.key < $1.key }.map { name, count in
            ["name": name.json, "count": count.json] as JSONObject
          }.json,
          "problems": step.problemWords.json,
        ]
      },
      subject: { step, problem in
        let place = "\(names[step.source]):\(problem.line): \(subject(step)) "
        guard case .skipped = step.outcome else { return place }
        return place + (problem.weight == .bad ? "cannot be read: " : "is skipped: ")
      },
      place: { names.count > 1 ? "\(names[$0]):\($1)" : "line \($1)" },
      sources: names, leftOutWords: leftOutWords,
      refusal: { bad in
        (
          "\(String.counting(bad, "entry", "entries")) cannot be read",
          hint: "fix the file, or skip bad entries: --skip-bad"
        )
      })
    return try answer.run(
      session, isDry: invocation[ImportOptions.dryRun], skipsBad: invocation[skipBad],
      confirm: !invocation[prune]
        ? nil
        : { removed in
          let count = String.counting(removed, "event")
          try session.ask.confirm(
            "Move \(count) of '\(invocation[calendar] ?? "")' to the trash?",
            unless: invocation[yes])
        }
    ) { store in
      settings = session.stores.settings(of: store)
      return try ImportPlan(
        CalendarImport(
          sources, of: subscription, session.dates.calendar(settings), local: session.localZone,
          zones: session.host.zones),
        into: store, now: session.now)
    }
  }

  /// - Throws: `.usage` for an address of a calendar in the place of a file.
  private static func refuseAddress(_ path: FilePath) throws {
    let text = path.text
    guard
      let rest = ["https://", "http://", "webcal://"].lazy.compactMap({ text.behind($0) }).first
    else { return }
    let scheme = text.behind("http://") == nil ? "https" : "http"
    let isPlain = rest.utf8.allSatisfy { byte in
      byte.isASCIILetter || byte.isASCIIDigit || "-._~:/?#@!$&()*+,;=%".utf8.contains(byte)
    }
    throw Fault.usage(
      "'\(text.shortened)' is an address, not a file",
      hint: "download it: curl -fsS "
        + (isPlain ? "'\(scheme)://\(rest)'" : "URL") + " | capsule event import -")
  }

  /// What of an entry has no place in an event, by the name of the property or of the component.
  private static let leftOutWords = [
    ("ATTENDEE", "attendee", "attendees"), ("ORGANIZER", "organizer", "organizers"),
    ("ATTACH", "attachment", "attachments"), ("COMMENT", "comment", "comments"),
    ("CONTACT", "contact", "contacts"), ("GEO", "coordinate", "coordinates"),
    ("CLASS", "privacy class", "privacy classes"), ("PRIORITY", "priority", "priorities"),
    ("RESOURCES", "list of resources", "lists of resources"),
    ("RELATED-TO", "link to an entry", "links to entries"),
    ("VJOURNAL", "journal entry", "journal entries"), ("VFREEBUSY", "busy time", "busy times"),
  ]

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
