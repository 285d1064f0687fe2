import CapsuleCore

/// `capsule on-this-day`.
enum OnThisDayCommand {
  static let date = OptionalOperand("DATE", .text, "Another day than today")
  static let exitCode = Flag("exit-code", "Exit with 1 when nothing is there")

  static let command = Command(
    "on-this-day", summary: "Show what this day of other years brought",
    discussion: """
      What was sealed, what was opened and what happened on this date in earlier years. What was \
      on a 29 February is told on the day of the setting `leapDay` in other years.
      """,
    operands: [date], options: [exitCode], outputs: [.json, .ndjson],
    examples: [
      Example("capsule on-this-day", "Look back"),
      Example("capsule on-this-day 2036-06-15", "Look back from another day"),
    ],
    exitCodes: [.none],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let day =
      try invocation[date].map { try Self.day($0, session) }
      ?? session.zone.civil(at: session.now).date
    var found: [Occurrence] = []
    if let store = try session.existingStore() {
      found = Timeline(session.timelineContext(store)).memories(of: day)
    }
    return try session.render(
      ending: found.isEmpty && invocation[exitCode] ? .none : .ok, list: found,
      json: { occurrence in
        let view = OccurrenceView(occurrence, session, at: session.now)
        var members = view.members
        members["years"] = .integer(Int64(day.year - view.date.year))
        return .object(members)
      },
      text: { out in
        if found.isEmpty { session.console.note("Nothing is known of this day.") }
        var table = Table([
          .init("YEAR"), .init("WHAT"), .init("TITLE", room: .title), .init("WHEN"),
        ])
        for occurrence in found {
          let view = OccurrenceView(occurrence, session, at: session.now)
          table.row(
            StyledText(String(view.date.year)), StyledText(occurrence.happening.rawValue, .dim),
            view.title,
            StyledText(DurationUnit.year.text(day.year - view.date.year) + " ago"))
        }
        out.table(table)
      })
  }

  /// Returns the date that a text names; a day of every year that today is, is today.
  private static func day(_ text: String, _ session: Session) throws -> CivilDate {
    let when = try session.when(text, option: "DATE")
    let date = when.date ?? session.zone.civil(at: when.instant).date
    let today = session.zone.civil(at: session.now).date
    let isToday =
      when.assumptions.contains(.notToday) && (date.month, date.day) == (today.month, today.day)
    return isToday ? today : date
  }
}
