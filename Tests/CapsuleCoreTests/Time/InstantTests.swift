import CapsuleCalendar
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct InstantTests {
  static let texts: [(Int64, String)] = [
    (0, "1970-01-01T00:00:00Z"),
    (-1, "1969-12-31T23:59:59Z"),
    (2_097_126_000, "2036-06-15T07:00:00Z"),
    (2_147_483_647, "2038-01-19T03:14:07Z"),
    (2_147_483_648, "2038-01-19T03:14:08Z"),
    (4_107_542_400, "2100-03-01T00:00:00Z"),
    (951_782_400, "2000-02-29T00:00:00Z"),
    (-62_135_596_800, "0001-01-01T00:00:00Z"),
    (253_402_300_799, "9999-12-31T23:59:59Z"),
  ]

  @Test(arguments: texts)
  func `an instant is written as RFC 3339 and read back`(seconds: Int64, text: String) {
    let instant = Instant(seconds: seconds)
    expect(instant.rfc3339, is: text)
    expect(Instant(rfc3339: text), is: instant)
  }

  @Test func `an instant outside the years 1 to 9999 is written as the nearest inside`() {
    expect(Instant(seconds: .max).rfc3339, is: "9999-12-31T23:59:59Z")
    expect(Instant(seconds: .min).rfc3339, is: "0001-01-01T00:00:00Z")
    expect(!Instant(seconds: 253_402_300_800).isRepresentable)
    expect(!Instant(seconds: -62_135_596_801).isRepresentable)
  }

  @Test(arguments: [
    ("2036-06-15T09:00:00+02:00", "2036-06-15T07:00:00Z"),
    ("2036-06-15T01:30:00-05:30", "2036-06-15T07:00:00Z"),
    ("2036-06-15T07:00:00-00:00", "2036-06-15T07:00:00Z"),
  ])
  func `an offset is taken into account`(text: String, expected: String) {
    expect(Instant(rfc3339: text)?.rfc3339, is: expected)
  }

  @Test(arguments: [
    "", "2036-06-15", "2036-06-15T07:00Z", "2036-06-15t07:00:00Z", "2036-06-15T07:00:00z",
    "2036-06-15T07:00:00", "2036-06-15 07:00:00Z", "2036-06-15T07:00:60Z", "2036-06-15T24:00:00Z",
    "2036-06-15T07:60:00Z", "2036-02-30T07:00:00Z", "2036-13-01T07:00:00Z", "0000-01-01T00:00:00Z",
    "2036-06-15T07:00:00.0Z", "2036-06-15T07:00:00+0200", "2036-06-15T07:00:00+24:00",
    "2036-06-15T07:00:00+02:60", "2036-06-15T07:00:00Z ", " 2036-06-15T07:00:00Z",
    "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "2036-06-15T07:00:0٠Z",
    "+036-06-15T07:00:00Z", "2036-06-15T-7:00:00Z", "2036-06-15T07:00:00ZZZZZZ",
  ])
  func `what is not exactly an RFC 3339 instant is refused`(text: String) {
    expect(Instant(rfc3339: text) == nil)
  }

  @Test func `adding seconds stops at the ends instead of trapping`() {
    expect(Instant(seconds: .max).adding(seconds: 1).seconds, is: .max)
    expect(Instant(seconds: .min).adding(seconds: -1).seconds, is: .min)
    expect(Instant(seconds: .min).seconds(since: Instant(seconds: 1)), is: .min)
    expect(Instant(seconds: .max).seconds(since: Instant(seconds: -1)), is: .max)
    expect(Instant(seconds: 5).seconds(since: Instant(seconds: 7)), is: -2)
  }
}
