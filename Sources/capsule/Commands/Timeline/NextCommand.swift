import CapsuleCore

/// `capsule next`.
enum NextCommand {
  static let kind = Parameter.options(
    "kind", value: "KIND", ValueType<RecordKind>.dated, "Only records of this kind")
  static let limit = Parameter.option(
    "limit", value: "N", .integer(1...), default: "1", "Show this many")
  static let exitCode = Parameter.flag("exit-code", "Exit with status 1 when nothing comes next")
  static let at = Parameter.option(
    "at", value: "WHEN", .text, "Show what comes next after this time")

  static let command = Command(
    "next", summary: "Show what comes next",
    discussion: """
      Overdue things come first: missed deadlines, and reminders of earlier days. They stay until they \
      are done. Within a day, things with a time come before all-day things.
      """,
    options: [kind, limit, exitCode, at], outputs: [.json, .ndjson],
    examples: [
      Example("capsule next", "See what comes next"),
      Example("capsule next --kind event --limit 3", "See the next three events"),
    ],
    exitCodes: [.none, .partial],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let now =
      try invocation[at].map { text in
        try session.dates.read(text, option: "--at").instant
      } ?? session.now
    let store = try session.stores.existing()
    let settings = session.stores.settings(of: store)
    var found: [Occurrence] = []
    var isPartial = false
    if let store {
      let timeline = Timeline(
        session.dates.timeline(store, settings, asOf: now), kinds: invocation[kind])
      found = timeline.occurrences(
        in: TimelineSpan(from: now, limit: invocation[limit] ?? 1, by: .next))
      isPartial = session.records.warn(of: timeline.gaps)
    }
    return try session.console.render(
      ending: isPartial ? .partial : found.isEmpty && invocation[exitCode] ? .none : .ok,
      list: found,
      json: { .object(OccurrenceView($0, session, at: now).members) },
      text: { out in
        if found.isEmpty, !isPartial { session.console.note("Nothing is to come.") }
        guard out.isTerminal else {
          for occurrence in found {
            let view = OccurrenceView(occurrence, session, at: now)
            let when = session.dates.text(occurrence.moment)
            out.line("\(view.title)  \(view.relative(settings))  \(when)  \(view.what, .dim)")
          }
          return
        }
        let columns: [RowColumn<OccurrenceView>] = [
          .title("TITLE") { $0.title }, RowColumn("WHEN") { $0.relative(settings) },
          RowColumn("DATE") { session.dates.cell($0.occurrence.moment) },
          RowColumn("WHAT", flexible: true, detail: .contents) { StyledText($0.what, .dim) },
        ]
        var table = Table(columns.map(\.head), header: false)
        for occurrence in found {
          let view = OccurrenceView(occurrence, session, at: now)
          table.append(columns.map { $0.cell(view) })
        }
        out.table(table)
      })
  }
}
