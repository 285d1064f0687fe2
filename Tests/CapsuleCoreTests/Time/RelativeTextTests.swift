import CapsuleCalendar
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct RelativeTextTests {
  static let now = "2026-12-15T08:00:00Z"

  @Test(arguments: [
    ("2036-06-15T07:00:00Z", "in 9 years 6 months"), ("2026-12-17T08:00:00Z", "in 2 days"),
    ("2026-12-17T07:59:58Z", "in 2 days"), ("2026-12-17T13:00:00Z", "in 2 days"),
    ("2026-12-19T13:00:00Z", "in 4 days"), ("2026-12-19T20:00:00Z", "in 4 days"),
    ("2026-12-11T08:00:00Z", "4 days ago"), ("2026-12-15T07:55:00Z", "5 minutes ago"),
    ("2026-12-15T07:54:57Z", "5 minutes ago"), ("2026-12-15T08:05:00Z", "in 5 minutes"),
    ("2026-12-15T08:04:59Z", "in 5 minutes"), ("2026-12-15T08:00:00Z", "now"),
    ("2026-12-15T08:00:01Z", "in 1 second"), ("2026-12-15T07:59:01Z", "59 seconds ago"),
    ("2026-12-15T08:01:00Z", "in 1 minute"), ("2026-12-15T08:59:40Z", "in 1 hour"),
    ("2026-12-15T09:30:00Z", "in 1 hour 30 minutes"), ("2026-12-15T18:00:00Z", "in 10 hours"),
    ("2026-12-16T07:59:00Z", "in 23 hours 59 minutes"),
    ("2026-12-16T23:59:59Z", "tomorrow"), ("2026-12-14T00:00:00Z", "yesterday"),
    ("2026-12-16T07:59:50Z", "tomorrow"), ("2026-12-16T08:00:00Z", "tomorrow"),
    ("2026-12-22T08:00:00Z", "in 7 days"), ("2027-01-15T08:00:00Z", "in 1 month"),
    ("2027-01-15T01:00:00Z", "in 1 month"), ("2027-01-19T08:00:00Z", "in 1 month 4 days"),
    ("2027-12-15T08:00:00Z", "in 1 year"), ("2027-12-14T23:00:00Z", "in 11 months 30 days"),
    ("2025-12-15T08:00:00Z", "1 year ago"), ("2016-06-15T08:00:00Z", "10 years 6 months ago"),
    ("9999-12-31T23:59:59Z", "in 7973 years 1 month"),
    ("0001-01-01T00:00:00Z", "2025 years 11 months ago"),
  ])
  func `an instant is told by its largest units`(instant: String, text: String) throws {
    let (at, now) = (try TimeFixtures.instant(instant), try TimeFixtures.instant(Self.now))
    expect(RelativeText.words(at, from: now, in: .utc), is: text)
  }

  @Test(arguments: [
    ("2026-12-15", "today"), ("2026-12-16", "tomorrow"), ("2026-12-14", "yesterday"),
    ("2026-12-17", "in 2 days"), ("2026-12-11", "4 days ago"), ("2027-01-15", "in 1 month"),
    ("2027-02-20", "in 2 months 5 days"), ("2036-06-15", "in 9 years 6 months"),
    ("2020-12-15", "6 years ago"), ("2028-12-01", "in 1 year 11 months"),
    ("2025-01-08", "1 year 11 months ago"),
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

  @Test func `all that is on one date is as far away`() throws {
    let paris = try TimeFixtures.zone("Europe/Paris")
    for now in ["2026-03-10T23:30:00Z", "2026-03-11T12:00:00Z", "2026-03-11T22:30:00Z"] {
      let now = try TimeFixtures.instant(now)
      let today = paris.civil(at: now).date
      for days in [-364, -40, -3, -2, 2, 3, 30, 364] {
        let date = try require(today.adding(days: days))
        let words = RelativeText.words(date, from: today)
        for hour in [0, 9, 23] {
          let time = try require(CivilTime(hour: hour, minute: 59))
          let instant = paris.resolve(CivilDateTime(date: date, time: time)).instant
          expect(RelativeText.words(instant, from: now, in: paris), is: words)
        }
      }
    }
  }

  @Test func `a day of 25 hours is told in hours while it lasts`() throws {
    let paris = try TimeFixtures.zone("Europe/Paris")
    let now = try TimeFixtures.instant("2026-10-24T22:10:00Z")  // 00:10
    let late = try TimeFixtures.instant("2026-10-25T22:50:00Z")  // 23:50 of that day
    expect(RelativeText.words(late, from: now, in: paris), is: "in 24 hours 40 minutes")
    expect(RelativeText.words(now, from: late, in: paris), is: "24 hours 40 minutes ago")
  }

  @Test func `a span has no direction, and tomorrow is 1 day`() throws {
    let now = try TimeFixtures.instant(Self.now)
    let tomorrow = try TimeFixtures.instant("2026-12-16T20:00:00Z")
    expect(RelativeText.span(tomorrow, from: now, in: .utc), is: "1 day")
    expect(RelativeText.span(now, from: tomorrow, in: .utc), is: "1 day")
  }

  @Test func `years and months to an instant are rounded to the nearer month`() throws {
    let now = try TimeFixtures.instant("2024-02-29T23:59:59Z")
    let today = ZoneRules.utc.civil(at: now).date
    for days in 380...2_200 {
      for direction in [1, -1] {
        let date = try require(today.adding(days: days * direction))
        func distance(_ months: Int) throws -> Int {
          abs(try require(date.adding(months: -months * direction)).days(since: today))
        }
        let full = CalendarSpan(from: today, to: date).totalMonths
        let nearest = try distance(full) < distance(full + 1) ? full : full + 1
        var words = DurationUnit.year.text(nearest / 12)
        if nearest % 12 != 0 { words += " " + DurationUnit.month.text(nearest % 12) }
        let instant = ZoneRules.utc.startOfDay(date).instant
        expect(RelativeText.span(instant, from: now, in: .utc), is: words, "\(date)")
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
