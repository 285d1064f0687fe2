import CapsuleCalendar
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct SpanStyleTests {
  static let start = "2026-03-10T12:00:00Z"

  @Test(arguments: [
    ("2029-05-14T17:06:07Z", 6, "3 y 2 mo 4 d 05:06:07"),
    ("2029-05-14T17:06:07Z", 9, "3 y 2 mo 4 d 05:06:07"),
    ("2029-05-14T17:06:07Z", 5, "3 y 2 mo 4 d 5 h 6 min"),
    ("2029-05-14T17:06:07Z", 4, "3 y 2 mo 4 d 5 h"),
    ("2029-05-14T17:06:07Z", 3, "3 y 2 mo 4 d"),
    ("2029-05-14T17:06:07Z", 2, "3 y 2 mo"),
    ("2029-05-14T17:06:07Z", 1, "3 y"),
    ("2029-05-14T17:06:07Z", 0, "3 y"),
    ("2029-03-14T12:00:00Z", 6, "3 y 4 d 00:00:00"),
    ("2029-03-14T12:00:00Z", 2, "3 y"),
    ("2026-03-14T12:00:00Z", 6, "4 d 00:00:00"),
    ("2026-03-14T12:00:01Z", 4, "4 d 00:00:01"),
    ("2026-03-14T17:06:01Z", 3, "4 d 5 h 6 min"),
    ("2026-03-10T17:06:07Z", 6, "05:06:07"),
    ("2026-03-10T17:06:07Z", 2, "5 h 6 min"),
    ("2026-03-10T17:06:07Z", 1, "5 h"),
    ("2026-03-10T12:06:07Z", 6, "00:06:07"),
    ("2026-03-10T12:06:07Z", 1, "6 min"),
    ("2026-03-10T12:00:07Z", 6, "00:00:07"),
    ("2026-03-10T12:00:07Z", 1, "7 s"),
    ("2026-03-10T12:00:00Z", 6, "00:00:00"),
    ("2026-03-10T12:00:00Z", 1, "0 s"),
  ])
  func `units stand largest first and are cut where the setting says`(
    end: String, count: Int, text: String
  ) throws {
    let (start, end) = (try TimeFixtures.instant(Self.start), try TimeFixtures.instant(end))
    expect(SpanStyle.subUnits(count).text(from: start, to: end, in: .utc), is: text)
  }

  @Test(arguments: [
    ("2029-05-22T12:00:00Z", "3.2 years"), ("2029-03-10T12:00:00Z", "3.0 years"),
    ("2029-03-10T11:59:59Z", "2.9 years"), ("2027-03-10T12:00:00Z", "1.0 years"),
    ("2026-04-25T12:00:00Z", "1.5 months"), ("2026-04-10T12:00:00Z", "1.0 months"),
    ("2026-04-10T11:59:59Z", "30.9 days"), ("2026-03-15T00:00:00Z", "4.5 days"),
    ("2026-03-10T17:30:00Z", "5.5 hours"), ("2026-03-10T12:05:59Z", "5.9 minutes"),
    ("2026-03-10T12:00:59Z", "59 seconds"), ("2026-03-10T12:00:01Z", "1 second"),
    ("2026-03-10T12:00:00Z", "0 seconds"),
  ])
  func `tenths are of the unit that runs`(end: String, text: String) throws {
    let (start, end) = (try TimeFixtures.instant(Self.start), try TimeFixtures.instant(end))
    expect(SpanStyle.tenths.text(from: start, to: end, in: .utc), is: text)
  }

  @Test(arguments: [
    ("2026-03-10", "0 d", "0 days"), ("2026-03-11", "1 d", "1 day"),
    ("2026-04-09", "30 d", "30 days"),
    ("2026-04-10", "1 mo", "1.0 months"), ("2029-05-14", "3 y 2 mo 4 d", "3.1 years"),
    ("2025-03-10", "1 y", "1.0 years"),
  ])
  func `all-day things count whole days`(end: String, full: String, tenths: String) throws {
    let start = try require(CivilDate(iso8601: "2026-03-10"))
    let end = try require(CivilDate(iso8601: end))
    expect(SpanStyle.full.text(from: start, to: end), is: full)
    expect(SpanStyle.tenths.text(from: start, to: end), is: tenths)
  }
}
