import CapsuleCore

/// `capsule event import`.
enum EventImportCommand {
  static let files = RepeatableOperand(
    "FILE", .path, minimum: 1, "A calendar; `-` is standard input")
  static let dryRun = Flag(
    "dry-run", short: "n", "Show what would be added and changed, and write nothing")
  static let skipBad = Flag("skip-bad", "Pass over what cannot be read, and import the rest")

  static let command = Command(
    "event", "import", summary: "Add and change events from calendars (iCalendar)",
    discussion: """
      It reads iCalendar files (RFC 5545): what `export ics` writes, and the exports of calendar \
      programs, holidays and birthdays. A VEVENT becomes an event; a VTODO that is due becomes a \
      deadline, done where it is completed.

      The UID is the link: an entry with a higher SEQUENCE or LAST-MODIFIED changes its event, the \
      same one changes nothing, and one without either changes it where it says something else. A UID \
      that `export ics` gave goes back to its event. What the entry has wins; colour, image and what \
      it cannot say stay. An entry without a UID is known by its title and start.

      Times without a zone are on your clocks. A zone that this machine does not know is taken from \
      the entry's calendar where it is described there whole. A TRIGGER becomes an alert. A rule (RRULE) \
      is taken where `--repeat` can say it. Otherwise, with COUNT, UNTIL, EXDATE or RDATE, and for an \
      occurrence that was moved or changed, there is one event at the first time: that is told with \
      its line, and the command ends with 3. So is an occurrence that is cancelled, and a yearly 29 \
      February where the setting `leapDay` differs. What else is cancelled is told and changes nothing. \
      The place stands behind the notes; ends, people and attachments are left out.

      All of it is imported, or nothing: what cannot be read is told with its file and line, and \
      `--skip-bad` passes over it and ends with 3. A file has at most 64 MiB and 50,000 entries.
      """,
    operands: [files], options: [dryRun, skipBad], outputs: [.json, .ndjson],
    examples: [
      Example("capsule event import holidays.ics --dry-run", "See what it would do"),
      Example("cat ~/.calendars/home/*.ics | capsule event import -", "Import a folder of khal's"),
    ],
    exitCodes: [.partial, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let isDry = invocation[dryRun]
    let sources = try invocation[files].map { path in
      CalendarImport.Source(
        name: path.inputName,
        try session.input(path, limit: CalendarFile.byteLimit, hint: "export it in parts"))
    }
    var work = EventImport(
      session, sources.map(\.name), isDry: isDry, skipsBad: invocation[skipBad])
    try work.run(sources)
    return try session.render(
      ending: work.code, list: work.results, json: { .object($0.members(session)) },
      text: { out in
        for result in work.results { result.write(to: out, isDry: isDry, isQuiet: session.isQuiet) }
        session.console.note("\(work.summary)")
      })
  }
}
