import CapsuleCore

/// `capsule date`.
enum DateCommand {
  static let expression = Parameter.operands(
    "WHEN", .text, minimum: 1, "A date expression; several words are one expression")
  static let at = Parameter.option(
    "at", value: "WHEN", .text, "Read the expression as if this were the current time")
  static let past = Parameter.flag("past", "Read the expression as a date in the past")

  static let command = Command(
    "date", summary: "Show which date an expression means",
    discussion: """
      The command reads WHEN like `create --unlock`, and changes nothing. `capsule help dates` lists \
      what you can write.
      """,
    operands: [expression], options: [past, at], outputs: .json,
    examples: [
      Example("capsule date 'in 3 months'", "Find the date three months from now"),
      Example("capsule date 2044-06-15 09:00 Europe/Paris --json", "Convert a time for a script"),
    ],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let text = invocation[expression].joined(separator: " ")
    let now = try session.dates.read(at, invocation) ?? session.now
    let settings = session.stores.settings(of: try? session.stores.existingQuietly())
    let when = try session.dates.read(
      text, option: "WHEN", preferring: invocation[past] ? .past : .future,
      defaultMinutes: invocation[past] ? 0 : settings.timeOfDayMinutes, now: now)
    let (change, shift) = clockChange(when.fit)
    let weekday = session.zone.civil(at: when.instant).date.weekday.name.lowercased()
    let members: JSONObject = [
      "expression": text.json, "date": when.date.json, "readIn": when.zone.identifier.json,
      "secondsFromNow": (when.instant.seconds - now.seconds).json,
      "relative": DateText.relative(when, now: now, in: session.zone).json,
      "duration": (when.duration?.iso8601).json,
      "assumptions": when.assumptions.map(\.words).json, "clockChange": change.json,
      "shiftSeconds": shift.json, "weekday": weekday.json,
    ]
    return Answer(session.object(members, at: ["at": when.instant])) { out in
      out.line(StyledText(DateText.echo(when, now: now, in: session.zone)))
    }
  }

  /// Returns how the local time met a change of the clocks: `gap` when they skip it, and by how much it was
  /// moved; `twice` when they show it twice, and the first was taken; `nil` otherwise.
  private static func clockChange(_ fit: LocalTimeFit) -> (String?, shift: Int) {
    switch fit {
    case .unique: (nil, 0)
    case .gap(let shift): ("gap", shift)
    case .twice: ("twice", 0)
    }
  }
}

extension WhenAssumption {
  /// The name of an assumption in machine output.
  var words: String {
    switch self {
    case .startOfDay: "startOfDay"
    case .defaultTime: "defaultTime"
    case .firstOfMonth: "firstOfMonth"
    case .firstOfYear: "firstOfYear"
    case .nextOccurrence: "nextOccurrence"
    case .lastOccurrence: "lastOccurrence"
    case .notToday: "notToday"
    case .roundedUp: "roundedUp"
    case .roundedDown: "roundedDown"
    }
  }
}
