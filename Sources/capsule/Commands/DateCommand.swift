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
    let now =
      try invocation[at].map { text in
        try session.dates.read(text, option: "--at").instant
      } ?? session.now
    let settings = session.stores.settings(of: try? session.stores.existingQuietly())
    let when = try session.dates.read(
      text, option: "WHEN", preferring: invocation[past] ? .past : .future,
      defaultMinutes: invocation[past] ? 0 : settings.timeOfDayMinutes, now: now)
    var members: JSONObject = [
      "expression": .string(text),
      "date": when.date.map { .string($0.description) } ?? .null,
      "readIn": .string(when.zone.identifier),
      "zone": .string(session.localZone.label),
      "secondsFromNow": .integer(when.instant.seconds - now.seconds),
      "relative": .string(DateText.relative(when, now: now, in: session.zone)),
      "duration": when.duration.map { .string($0.iso8601) } ?? .null,
      "assumptions": .array(when.assumptions.map { .string($0.words) }),
    ]
    add(when.fit, to: &members)
    let local = session.zone.civil(at: when.instant)
    members["weekday"] = .string(local.date.weekday.name.lowercased())
    InstantFields(zone: session.zone).add(when.instant, as: "at", to: &members)
    return Answer(members) { out in
      out.line(StyledText(DateText.echo(when, now: now, in: session.zone)))
    }
  }

  /// Adds how the local time met a change of the clocks: `gap` when they skip it, and by how much it was
  /// moved; `twice` when they show it twice, and the first was taken; `null` otherwise.
  private static func add(_ fit: LocalTimeFit, to members: inout JSONObject) {
    switch fit {
    case .unique: (members["clockChange"], members["shiftSeconds"]) = (.null, 0)
    case .gap(let shift):
      (members["clockChange"], members["shiftSeconds"]) = ("gap", .integer(Int64(shift)))
    case .twice: (members["clockChange"], members["shiftSeconds"]) = ("twice", 0)
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
