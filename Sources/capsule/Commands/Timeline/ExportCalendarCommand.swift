import CapsuleCore

/// `capsule export ics`.
enum ExportCalendarCommand {
  static let output = Option(
    "output", short: "o", value: "FILE", .path, default: "standard output", "Write it to a file")
  static let kind = RepeatableOption(
    "kind", value: "KIND", ValueType<RecordKind>.dated, "Only records of this kind")

  static let command = Command(
    "export", "ics", summary: "Write everything with a date as a calendar",
    discussion: """
      An iCalendar file (RFC 5545) for any calendar program. Each thing keeps its identity, so that \
      a file imported again changes what is there and doubles nothing. A whole day stays that day in \
      every zone; what is repeated at a time is so on the clocks of its zone. The end of a month is \
      taken where a month is too short, as here: calendars that know no such rule (BYSETPOS) may \
      leave it out. Nothing sealed is written; titles and notes are.
      """,
    options: [output, kind],
    examples: [
      Example("capsule export ics > capsule.ics", "Write everything to a file"),
      Example("capsule export ics --kind event --output events.ics", "Write the events alone"),
    ],
    exitCodes: [.refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let store = try session.existingStore()
    let calendar = session.eventCalendar(session.storeSettings(store))
    var series: [Series] = []
    if let store {
      let context = TimelineContext(store, now: session.now, calendar: calendar)
      series = Timeline(context, kinds: invocation[kind]).series()
    }
    var writer = CalendarWriter(calendar)
    for one in series { writer.add(one) }
    let bytes = writer.finished()
    guard let path = invocation[output], path != FilePath("-") else {
      let out = session.console.out
      if out.isTerminal {
        // Lines that a terminal does not act on.
        out.block(String(decoding: bytes.filter { $0 != 0x0d }, as: UTF8.self))
      } else {
        out.bytes(bytes)
      }
      try session.console.out.flush()
      return .ok
    }
    do {
      try session.host.files.writeBeside(path, replacing: false, random: session.host.random) {
        file in try bytes.withUnsafeBytes { try file.write($0) }
      }
    } catch is NameTaken {
      throw Failure(
        .refused, "'\(path.text)' exists already; nothing was written",
        hint: "write to another file, or redirect standard output")
    } catch let error as FileSystemError {
      // The name beside the file means nothing to anybody.
      throw FileSystemError(error.operation, path, code: error.code)
    }
    if !session.isQuiet { session.console.note("Wrote \(series.count) to '\(path.text)'.") }
    return .ok
  }
}
