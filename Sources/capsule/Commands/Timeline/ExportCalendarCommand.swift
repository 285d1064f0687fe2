import CapsuleCore

/// `capsule export ics`.
enum ExportCalendarCommand {
  static let output = Parameter.option(
    "output", short: "o", value: "FILE", .path, otherwise: "standard output",
    "Write the calendar to a file")
  static let kind = Parameter.options(
    "kind", value: "KIND", ValueType<RecordKind>.dated, "Only records of this kind")

  static let command = Command(
    "export", "ics", summary: "Export everything with a date as a calendar (iCalendar)",
    discussion: """
      The output is an iCalendar file (RFC 5545) for any calendar program. Each entry keeps its \
      identity: importing the file again updates entries and duplicates none. Titles and notes are \
      exported; sealed contents are not.

      - An all-day event has the same date in every zone. An event with a time repeats on the clocks of \
      its zone, a reminder of an item on yours.
      - A repetition on the 31st falls on the last day of a shorter month, as in this program. Calendars \
      without that rule (BYSETPOS) may omit the shorter months.
      - Alarms are due when `agenda` shows them, even if clocks change or months differ in length. An \
      occurrence with a different alarm becomes a separate entry, from one year ago to ten years ahead.
      """,
    options: [output, kind],
    examples: [
      Example("capsule export ics > capsule.ics", "Export everything to a file"),
      Example("capsule export ics --kind event --output events.ics", "Export only the events"),
    ],
    exitCodes: [.partial, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let store = try session.stores.existing()
    let calendar = session.dates.calendar(session.stores.settings(of: store))
    let timeline = store.map { store in
      Timeline(
        TimelineContext(store, now: session.now, calendar: calendar), kinds: invocation[kind])
    }
    try session.files.export(to: invocation[output], of: ("entry", "entries")) { sink in
      try write(timeline, calendar, session.now, to: sink)
    }
    return session.records.warn(of: timeline?.gaps) ? .partial : .ok
  }

  /// Writes the calendar in pieces that end with whole lines.
  ///
  /// - Returns: the number of records in it.
  private static func write(
    _ timeline: Timeline?, _ calendar: EventCalendar, _ now: Instant,
    to sink: ([UInt8]) throws -> Void
  ) throws -> Int {
    var writer = CalendarWriter(calendar, now: now)
    var piece: [UInt8] = []
    var count = 0
    func add(_ bytes: [UInt8]) throws {
      piece += bytes
      guard piece.count >= 65_536 else { return }
      try sink(piece)
      piece.removeAll(keepingCapacity: true)
    }
    if let timeline {
      try timeline.forEachSeries(
        noting: { writer.note($0) }, beginning: { try add(writer.beginning()) }
      ) { series in
        count += 1
        try add(writer.component(of: series))
      }
    } else {
      try add(writer.beginning())
    }
    try sink(piece + writer.end())
    return count
  }
}
