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
