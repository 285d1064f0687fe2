import RoomTestHelpers

@testable package import CapsuleCore

/// A calendar that is imported where there is no store, at noon on 10 March 2026 in London.
package struct ImportedCalendar {
  package let steps: [ImportStep<Event>]
  /// What is said of the file beside its entries.
  package let fileProblems: [ImportProblem]

  /// - Parameter lines: the lines between those of the `VCALENDAR`.
  package init(_ lines: [String], zones: ZoneDatabase = TimeFixtures.zones) throws {
    try self.init(file: (["BEGIN:VCALENDAR"] + lines + ["END:VCALENDAR"]), zones: zones)
  }

  package init(file lines: [String], zones: ZoneDatabase = TimeFixtures.zones) throws {
    let london = try TimeFixtures.zone("Europe/London")
    let calendar = EventCalendar(zone: london, leapDay: .february28) { name in
      (try? zones.rules(named: name)) ?? ZoneRules(posix: name) ?? .utc
    }
    let source = CalendarImport.Source(
      name: "test.ics", Array(lines.joined(separator: "\r\n").utf8))
    let plan = try ImportPlan(
      CalendarImport(
        [source], calendar, local: LocalZone(rules: london, name: "Europe/London", warning: nil),
        zones: zones),
      into: nil, now: TimeFixtures.instant("2026-03-10T12:00:00Z"))
    (steps, fileProblems) = (plan.steps, plan.problems.map(\.problem))
  }

  /// The events, in order.
  package var events: [Event] { steps.compactMap(\.outcome.model) }
  /// What is said of the entries, in order.
  package var problems: [String] { steps.flatMap(\.problemTexts) }
}

extension ImportStep {
  fileprivate var problemTexts: [String] { problems.map { "\($0.line): \($0.words)" } }
}

extension Event {
  /// When it is first: `2027-07-15T16:00:00Z America/New_York`, or a date.
  package var placed: String {
    moment.wholeDay?.description ?? "\(moment.exactInstant?.rfc3339 ?? "") \(zone)"
  }
}
