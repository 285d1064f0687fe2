import CapsuleCalendar
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct DateTextTests {
  @Test(arguments: [
    ("2036-06-15T07:00:00Z", "Europe/Paris", "Sun 15 Jun 2036 09:00 CEST (07:00Z)"),
    ("2036-06-14T23:00:00Z", "Europe/Paris", "Sun 15 Jun 2036 01:00 CEST (14 Jun 2036 23:00Z)"),
    ("2026-12-31T23:59:59Z", "Europe/Paris", "Fri 1 Jan 2027 00:59:59 CET (31 Dec 2026 23:59:59Z)"),
    ("2036-06-15T07:00:00Z", "UTC", "Sun 15 Jun 2036 07:00 UTC (07:00Z)"),
    ("2036-06-15T07:00:00Z", "Asia/Kathmandu", "Sun 15 Jun 2036 12:45 +0545 (07:00Z)"),
    ("2036-06-15T07:00:00Z", "America/Los_Angeles", "Sun 15 Jun 2036 00:00 PDT (07:00Z)"),
    (
      "9999-12-31T23:59:59Z", "Pacific/Auckland",
      "Sat 1 Jan 10000 12:59:59 NZDT (31 Dec 9999 23:59:59Z)"
    ),
  ])
  func `an instant is shown on the clocks of the zone and of UTC`(
    instant: String, zone: String, text: String
  ) throws {
    let zone = try TimeFixtures.zone(zone)
    expect(DateText.absolute(try TimeFixtures.instant(instant), in: zone), is: text)
  }

  @Test(arguments: [
    ("2036-06-15 09:00", "Sun 15 Jun 2036 09:00 CEST (07:00Z), in 9 years 6 months"),
    (
      "2036-06-15",
      "Sun 15 Jun 2036 00:00 CEST (14 Jun 2036 22:00Z), in 9 years 6 months; midnight at its start"
    ),
    ("now", "Tue 15 Dec 2026 09:00 CET (08:00Z), now"),
    ("5 minutes ago", "Tue 15 Dec 2026 08:55 CET (07:55Z), 5 minutes ago"),
    (
      "june 2036",
      "Sun 1 Jun 2036 00:00 CEST (31 May 2036 22:00Z), in 9 years 6 months; "
        + "first day of the month, midnight at its start"
    ),
    ("noon", "Tue 15 Dec 2026 12:00 CET (11:00Z), in 3 hours; the next one"),
    (
      "2036-06-15T06:59:59.5Z",
      "Sun 15 Jun 2036 09:00 CEST (07:00Z), in 9 years 6 months; rounded up to the second"
    ),
  ])
  func `the echo tells what was understood and what was taken for granted`(
    expression: String, line: String
  ) throws {
    let paris = try TimeFixtures.zone("Europe/Paris")
    let now = try TimeFixtures.instant("2026-12-15T08:00:00Z")
    let parser = WhenParser(now: now, zone: paris, zones: TimeFixtures.zones)
    expect(DateText.echo(try parser.parse(expression), now: now, in: paris), is: line)
  }

  @Test(arguments: [
    ("in 1 month", "in 1 month (28 days)"), ("90 sec", "in 90 seconds"),
    ("90d", "in 90 days (3 months 1 day)"), ("in a year", "in 1 year"), ("24h", "in 24 hours"),
    ("2 weeks ago", "2 weeks ago"), ("in 0 days", "now"),
    ("in 3 days at 9am", "in 3 days"), ("in 1 day", "in 1 day"), ("tomorrow noon", "tomorrow"),
  ])
  func `a duration is echoed as it was written`(expression: String, text: String) throws {
    let now = try TimeFixtures.instant("2027-01-31T12:00:00Z")
    let parser = WhenParser(now: now, zone: .utc, zones: TimeFixtures.zones)
    let when = try parser.parse(expression)
    expect(DateText.relative(when, now: now, in: .utc), is: text)
  }

  @Test func `the echo names the default time of day`() throws {
    let paris = try TimeFixtures.zone("Europe/Paris")
    let now = try TimeFixtures.instant("2026-12-15T08:00:00Z")
    let time = try require(CivilTime(hour: 9, minute: 0))
    let parser = WhenParser(now: now, zone: paris, zones: TimeFixtures.zones, defaultTime: time)
    expect(
      DateText.echo(try parser.parse("2036-06-15"), now: now, in: paris),
      is: "Sun 15 Jun 2036 09:00 CEST (07:00Z), in 9 years 6 months; 09:00 by default")
  }
}
