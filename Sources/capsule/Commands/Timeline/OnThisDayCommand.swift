import CapsuleCore

/// `capsule on-this-day`.
enum OnThisDayCommand {
  static let date = Parameter.operands("DATE", .text, "A day other than today")
  static let exitCode = Parameter.flag(
    "exit-code", "Exit with status 1 when there is nothing to show")

  static let command = Command(
    "on-this-day", summary: "Show what happened on this day in past years",
    discussion: """
      The command lists the capsules that you sealed or opened on this date in past years, and the \
      events of this date.

      - For a day without its year, this year's day is included once it is past, and the column `WHEN` \
      counts from today.
      - Things from 29 February appear in other years on the day that the setting `leapDay` chooses.
      """,
    operands: [date], options: [exitCode], outputs: [.json, .ndjson],
    examples: [
      Example("capsule on-this-day", "Look back on today's date"),
      Example("capsule on-this-day june 15", "Look back on another date"),
      Example("capsule on-this-day 2044-06-15", "Look back from a day in the future"),
    ],
    exitCodes: [.none, .partial],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let today = session.zone.civil(at: session.now).date
    let words = invocation[date]
    let asked =
      try words.isEmpty
      ? Asked(day: today, from: today) : Asked(words.joined(separator: " "), today, session)
    var found: [Occurrence] = []
    var isPartial = false
    if let store = try session.stores.existing() {
      let timeline = Timeline(session.dates.timeline(store, session.stores.settings(of: store)))
      found = timeline.memories(of: asked.day)
      isPartial = session.records.warn(of: timeline.gaps)
    }
    return try session.console.render(
      ending: isPartial ? .partial : found.isEmpty && invocation[exitCode] ? .none : .ok,
      list: found,
      json: { occurrence in
        let view = OccurrenceView(occurrence, session, at: session.now)
        var members = view.members
        members["years"] = .integer(Int64(asked.years(since: view.date)))
        return .object(members)
      },
      text: { out in
        if found.isEmpty, !isPartial { session.console.note("Nothing is known of this day.") }
        var table = Table([
          .init("YEAR"), .init("WHAT"), .init("TITLE", room: .title), .init("WHEN"),
        ])
        for occurrence in found {
          let view = OccurrenceView(occurrence, session, at: session.now)
          table.row(
            StyledText(String(view.date.year)), StyledText(occurrence.happening.rawValue, .dim),
            view.title, StyledText(asked.words(since: view.date)))
        }
        out.table(table)
      })
  }

  /// The day whose earlier years are asked for, and the day that they are counted from.
  private struct Asked {
    let day: CivilDate
    let from: CivilDate

    init(day: CivilDate, from: CivilDate) {
      self.day = day
      self.from = from
    }

    /// Reads the day. One without its year is of every year, and is looked back at from today.
    init(_ text: String, _ today: CivilDate, _ session: Session) throws {
      let when = try session.dates.read(text, option: "DATE")
      let date = when.date ?? session.zone.civil(at: when.instant).date
      let isOfEveryYear = when.assumptions.contains { $0 == .nextOccurrence || $0 == .notToday }
      let isToday = isOfEveryYear && (date.month, date.day) == (today.month, today.day)
      day = isToday ? today : date
      from = isOfEveryYear ? today : date
    }

    /// Returns the whole years since a date.
    func years(since date: CivilDate) -> Int {
      let isBefore = (from.month, from.day) < (date.month, date.day)
      // The day itself stands for the date also where it has another number, as a 29 February.
      return from.year - date.year - (isBefore && from != day ? 1 : 0)
    }

    /// Returns how long ago a date was.
    func words(since date: CivilDate) -> String {
      from == day
        ? DurationUnit.year.text(years(since: date)) + " ago"
        : RelativeText.words(date, from: from)
    }
  }
}
