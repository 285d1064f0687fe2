import CapsuleCore

/// The options by which an event is described, in `event add` and `event edit`.
enum EventOptions {
  static let on = Parameter.option(
    "on", value: "WHEN", .text, formerly: "o", "A date, for an all-day event, or a date and time")
  static let color = Parameter.option(
    "text-color", value: "COLOR", .text, "The title's color: a name such as red, or #rrggbb")
  static let notes = Parameter.option("notes", value: "TEXT", .text, "Notes on the event")
  static let image = Parameter.option(
    "image", value: "FILE", .path, "Store an image with the event")
  static let recurrence = Parameter.option(
    "repeat", value: "RULE", .text,
    "Repeat the event: daily, yearly, '2 weeks', weekdays, 'last friday of the month'")
  static let alert = Parameter.options(
    "alert", value: "ALERT", .text, "Alert you: '1 week before', 'on the day at 09:00'")
  static let deadline = Parameter.flag(
    "deadline", "Make the event a deadline, which `event done` marks as done")

  static func moment(
    _ text: String, _ session: Session
  ) throws -> (moment: Moment, zone: String, when: When) {
    let when = try session.dates.read(text, option: "--on")
    if let date = when.date { return (.day(date), "", when) }
    let zone = when.zone == session.zone ? session.localZone.label : when.zone.identifier
    return (.instant(when.instant), zone, when)
  }

  static func color(_ text: String) throws -> EventColor {
    guard let color = EventColor(text) else {
      throw Failure.usage("'\(text)' is no colour", hint: "it takes \(EventColor.accepted)")
    }
    return color
  }

  static func recurrence(_ text: String) throws -> Recurrence {
    guard let recurrence = Recurrence(words: text) else {
      let near = Recurrence.near(text) { Recurrence(words: $0) != nil }
      throw Failure.usage(
        "'\(text.shortened)' is nothing to repeat by",
        hint: repetitionHint(
          near, such: "weekly, '2 weeks', 'every monday' or 'last friday of the month'"))
    }
    return recurrence
  }

  /// The way out for a rule that is not understood.
  ///
  /// - Parameters:
  ///   - near: the text that was likely meant.
  ///   - examples: some that are understood.
  static func repetitionHint(_ near: String?, such examples: String) -> String {
    (near.map { "did you mean '\($0)'? " } ?? "it takes \(examples); ")
      + "'capsule help repeat' shows all forms"
  }

  static func alerts(_ texts: [String]) throws -> [EventAlert] {
    var alerts: [EventAlert] = []
    for text in texts {
      guard let alert = EventAlert(text) else {
        throw Failure.usage(
          "'\(text)' is no alert",
          hint: text == "none"
            ? "'event edit REF --no-alert' takes them away" : "it takes \(EventAlert.accepted)")
      }
      alerts.append(alert)
    }
    return alerts
  }

  /// Refuses what cannot be kept together.
  static func check(_ event: Event) throws {
    try event.checkRules()
  }
}
