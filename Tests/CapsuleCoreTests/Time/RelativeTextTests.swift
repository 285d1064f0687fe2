import CapsuleCalendar
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct RelativeTextTests {
  static let now = "2026-12-15T08:00:00Z"

  @Test(arguments: [
    ("2036-06-15T07:00:00Z", "in 9 years 6 months"), ("2026-12-17T08:00:00Z", "in 2 days"),
    ("2026-12-17T07:59:58Z", "in 2 days"), ("2026-12-17T13:00:00Z", "in 2 days 5 hours"),
    ("2026-12-19T13:00:00Z", "in 4 days"), ("2026-12-19T20:00:00Z", "in 5 days"),
    ("2026-12-11T08:00:00Z", "4 days ago"), ("2026-12-15T07:55:00Z", "5 minutes ago"),
    ("2026-12-15T07:54:57Z", "5 minutes ago"), ("2026-12-15T08:05:00Z", "in 5 minutes"),
    ("2026-12-15T08:04:59Z", "in 5 minutes"), ("2026-12-15T08:00:00Z", "now"),
    ("2026-12-15T08:00:01Z", "in 1 second"), ("2026-12-15T07:59:01Z", "59 seconds ago"),
    ("2026-12-15T08:01:00Z", "in 1 minute"), ("2026-12-15T08:59:40Z", "in 1 hour"),
    ("2026-12-15T09:30:00Z", "in 1 hour 30 minutes"), ("2026-12-15T18:00:00Z", "in 10 hours"),
    ("2026-12-16T07:59:50Z", "in 1 day"), ("2026-12-16T08:00:00Z", "in 1 day"),
    ("2026-12-22T08:00:00Z", "in 7 days"), ("2027-01-15T08:00:00Z", "in 1 month"),
    ("2027-01-15T01:00:00Z", "in 1 month"), ("2027-01-19T08:00:00Z", "in 1 month 4 days"),
    ("2027-12-15T08:00:00Z", "in 1 year"), ("2027-12-14T23:00:00Z", "in 1 year"),
    ("2025-12-15T08:00:00Z", "1 year ago"), ("2016-06-15T08:00:00Z", "10 years 6 months ago"),
    ("9999-12-31T23:59:59Z", "in 7973 years 1 month"),
    ("0001-01-01T00:00:00Z", "2025 years 11 months ago"),
  ])
  func `an instant is told by its largest units, rounded`(instant: String, text: String) throws {
    let (at, now) = (try TimeFixtures.instant(instant), try TimeFixtures.instant(Self.now))
    expect(RelativeText.words(at, from: now, in: .utc), is: text)
  }

  @Test(arguments: [
    ("2026-12-15", "today"), ("2026-12-16", "tomorrow"), ("2026-12-14", "yesterday"),
    ("2026-12-17", "in 2 days"), ("2026-12-11", "4 days ago"), ("2027-01-15", "in 1 month"),
    ("2027-02-20", "in 2 months 5 days"), ("2036-06-15", "in 9 years 6 months"),
    ("2020-12-15", "6 years ago"),
  ])
  func `a date is told in whole days`(date: String, text: String) throws {
    let today = try require(CivilDate(iso8601: "2026-12-15"))
    expect(RelativeText.words(try require(CivilDate(iso8601: date)), from: today), is: text)
  }

  @Test func `an all-day thing turns at local midnight, in every zone on its own`() throws {
    let day = try require(CivilDate(iso8601: "2036-06-15"))
    let auckland = try TimeFixtures.zone("Pacific/Auckland")
    let angeles = try TimeFixtures.zone("America/Los_Angeles")
    func told(_ instant: String, _ zone: ZoneRules) throws -> String {
      RelativeText.words(day, from: zone.civil(at: try TimeFixtures.instant(instant)).date)
    }
    try expect(told("2036-06-14T11:59:59Z", auckland), is: "tomorrow")
    try expect(told("2036-06-14T12:00:00Z", auckland), is: "today")
    try expect(told("2036-06-15T00:00:00Z", auckland), is: "today")
    try expect(told("2036-06-15T06:59:59Z", angeles), is: "tomorrow")
    try expect(told("2036-06-15T07:00:00Z", angeles), is: "today")
    try expect(told("2036-06-15T19:00:00Z", angeles), is: "today")
  }

  /// Samoa left the 30th of December 2011 out.
  @Test(arguments: [
    "UTC", "Europe/London", "Pacific/Apia", "Africa/Casablanca", "Antarctica/Troll",
  ])
  func `years and months are rounded to the nearer month`(name: String) throws {
    let zone = try TimeFixtures.zone(name)
    var random = SeededGenerator(seed: 28)
    for start in ["2011-12-20T10:00:00Z", "2012-01-05T00:30:00Z", "2024-02-29T23:59:59Z"] {
      let now = try TimeFixtures.instant(start)
      let here = zone.civil(at: now)
      for turn in 0..<300 {
        let months = Int(12 + random.next() % 60) * (random.next() % 2 == 0 ? 1 : -1)
        let date = try require(here.date.adding(months: months))
        let mark = zone.resolve(CivilDateTime(date: date, time: here.time)).instant
        // Anywhere, a few hours from where the months are full, and about halfway between.
        let rest = Int64(random.next() % (31 * 86_400)) - 15 * 86_400
        let away = [rest, rest / 80, rest / 20 + (rest < 0 ? 15 : -15) * 86_400][turn % 3]
        let ruler = CalendarRuler(target: mark.adding(seconds: away), now: now, zone: zone)
        let span = CalendarSpan(to: ruler.lastMark, of: ruler)
        guard span.years > 0 else { continue }
        func distance(_ months: Int) throws -> UInt64 {
          try require(ruler.mark(months: months, days: 0)).seconds(since: now).magnitude
        }
        let below = span.totalMonths
        let nearest = try distance(below) < distance(below + 1) ? below : below + 1
        var words = DurationUnit.year.text(nearest / 12)
        if nearest % 12 != 0 { words += " " + DurationUnit.month.text(nearest % 12) }
        expect(RelativeText.span(ruler.target, from: now, in: zone), is: words, "\(ruler.target)")
      }
    }
  }

  @Test func `a style of the settings is placed before or after now`() throws {
    let now = try TimeFixtures.instant("2026-03-10T12:00:00Z")
    let then = try TimeFixtures.instant("2029-05-14T17:06:07Z")
    let style = SpanStyle.full
    expect(
      RelativeText.text(then, from: now, in: .utc, style: style), is: "in 3 y 2 mo 4 d 05:06:07")
    expect(RelativeText.text(now, from: then, in: .utc, style: .tenths), is: "3.1 years ago")
    expect(RelativeText.text(now, from: now, in: .utc, style: style), is: "now")
    let day = try require(CivilDate(iso8601: "2026-03-10"))
    expect(RelativeText.text(day, from: day, style: style), is: "today")
  }
}
