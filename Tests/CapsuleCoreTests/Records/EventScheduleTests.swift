import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// What a schedule finds in a span, against every occurrence from the first on.
@Suite struct EventScheduleTests {
  private static let rules = [
    "daily", "every 3 days", "weekly", "every 2 weeks on monday and saturday", "monthly",
    "every 5 months", "last friday of the month", "yearly", "every 4 years",
  ]
  private static let alerts = [
    "at the time", "2 hours before", "on the day at 09:00", "1 week before",
    "1 month before at 23:30", "3 days before",
  ]
  private static let zones = [
    "UTC", "Pacific/Auckland", "America/Los_Angeles", "Asia/Kathmandu", "Europe/London",
  ]

  private static func random(_ seed: UInt64) throws -> (EventTiming, EventCalendar) {
    var random = SeededGenerator(seed: seed)
    let rules = try zones.map { try TimeFixtures.zone($0) }
    let home = try require(rules.randomElement(using: &random))
    let place = Int.random(in: zones.indices, using: &random)
    var timing = EventTiming()
    timing.series = EventSeries(
      Recurrence(words: try require(Self.rules.randomElement(using: &random))))
    timing.alerts = Self.alerts.shuffled(using: &random).prefix(2).compactMap { EventAlert($0) }
    let second = Int64.random(in: 1_735_689_600..<1_767_225_600, using: &random)
    if Bool.random(using: &random) {
      timing.moment = .day(CivilDateTime(secondsAsUTC: second).date)
      timing.zone = ""
    } else {
      timing.moment = .instant(Instant(seconds: second / 1800 * 1800))
      timing.zone = zones[place]
    }
    let leapDay = try require(LeapDayRule.allCases.randomElement(using: &random))
    let calendar = EventCalendar(zone: home, leapDay: leapDay) { _ in rules[place] }
    var event = Event(
      header: RecordHeader(id: .zero, createdAt: .epoch), title: "T", moment: timing.moment,
      zone: timing.zone)
    event.series = timing.series
    event.settle(calendar)
    timing.moment = event.moment
    timing.local = event.timing.local
    return (timing, calendar)
  }

  @Test(arguments: 0..<UInt64(TestScale.count(full: 2000, debug: 60)))
  func `a span has just the occurrences and alerts that fall into it`(seed: UInt64) throws {
    let (timing, calendar) = try Self.random(seed)
    let schedule = timing.schedule(in: calendar)
    let rules = calendar.rules(of: timing)
    let zone = calendar.zone
    // The years 2025 to 2029.
    let last = Instant(seconds: 1_893_456_000)
    var all: [Moment] = []
    for moment in schedule.moments {
      guard moment.start(in: zone) < last else { break }
      all.append(moment)
    }
    let alerts = timing.alerts.flatMap { alert in
      Set(all.compactMap { alert.instant(of: $0, in: zone, eventZone: rules) })
    }
    var random = SeededGenerator(seed: seed &+ 1_000_000)
    for days in [0, 1, 7, 31, 400] as [Int64] {
      // Often at the very second of an occurrence, or of its end.
      let near = all.randomElement(using: &random)?.end(in: zone) ?? .epoch
      let start = near.adding(seconds: Int64.random(in: -1...1, using: &random))
      let end = start.adding(seconds: days * 86_400)
      guard end.adding(seconds: 40 * 86_400) < last else { continue }
      func isOver(_ moment: Moment) -> Bool {
        switch moment {
        case .day(let date): date < zone.civil(at: start).date
        case .instant(let instant): instant < start
        }
      }
      let expected = all.filter { !isOver($0) && $0.start(in: zone) < end }
      expect(schedule.occurrences(from: start, before: end).map(\.moment), is: expected)
      expect(
        schedule.occurrences(from: start, before: end, limit: 2).map(\.moment),
        is: Array(expected.prefix(2)))
      let next = all.first { !isOver($0) }
      if let next { expect(schedule.next(notOverAt: start)?.moment, is: next) }
      expect(
        schedule.alerts(from: start, before: end).map(\.instant),
        is: alerts.filter { start <= $0 && $0 < end }.sorted())
    }
  }

  @Test func `alerts of several days that fall on one day are one, each with its words`() throws {
    var timing = EventTiming()
    timing.moment = .day(try require(CivilDate(iso8601: "2026-03-28")))
    timing.series = EventSeries(Recurrence(every: 1, .day))
    timing.alerts = try ["1 month before", "28 days before"].map { try require(EventAlert($0)) }
    let schedule = timing.schedule(in: EventCalendar(zone: .utc, leapDay: .march1) { _ in .utc })
    let start = try require(Instant(rfc3339: "2026-02-28T00:00:00Z"))
    let alerts = schedule.alerts(from: start, before: start.adding(seconds: 86_400))
    expect(
      alerts.map { "\($0.occurrence.moment.date(in: .utc)) \($0.topic)" }.count, is: 2,
      "\(alerts)")
  }

  @Test func `nothing asks for a zone that nothing depends on`() throws {
    var timing = EventTiming()
    timing.zone = "Mars/Olympus"
    func isAsked() -> Bool {
      var isAsked = false
      let calendar = EventCalendar(zone: .utc, leapDay: .march1) { _ in
        isAsked = true
        return .utc
      }
      let schedule = timing.schedule(in: calendar)
      _ = schedule.occurrences(from: .epoch, before: .latest, limit: 1)
      _ = schedule.alerts(from: .epoch, before: .latest)
      return isAsked
    }
    expect(!isAsked())
    timing.alerts = [try require(EventAlert("on the day at 09:00"))]
    expect(isAsked())
    timing.alerts = []
    timing.series = EventSeries(Recurrence(every: 1000, .year))
    expect(isAsked())
  }
}
