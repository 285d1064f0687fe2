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
      every zone; what is repeated at a time is so on the clocks of its zone, reminders of items on \
      those of yours. The end of a month is taken where a month is too short, as here: calendars that \
      know no such rule (BYSETPOS) may leave it out. Alarms are due when `agenda` says, also over \
      changes of the clocks and months of other lengths: an occurrence whose alarm differs from the \
      others' stands on its own, for the year past and the ten to come. Nothing sealed is written; \
      titles and notes are.
      """,
    options: [output, kind],
    examples: [
      Example("capsule export ics > capsule.ics", "Write everything to a file"),
      Example("capsule export ics --kind event --output events.ics", "Write the events alone"),
    ],
    exitCodes: [.partial, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let store = try session.existingStore()
    let calendar = session.eventCalendar(session.storeSettings(store))
    let timeline = store.map { store in
      Timeline(
        TimelineContext(store, now: session.now, calendar: calendar), kinds: invocation[kind])
    }
    try session.export(to: invocation[output], of: ("entry", "entries")) { sink in
      try write(timeline, calendar, session.now, to: sink)
    }
    return session.warn(of: timeline?.gaps) ? .partial : .ok
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
