import CapsuleCalendar
import TestSupport
import Testing

@Suite struct CivilDateTests {
  /// The digest of `Vectors/time/calendar_digest.py`, which walks the same days in Python.
  struct Digest {
    var value: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ number: Int) {
      value = (value ^ UInt64(truncatingIfNeeded: number)) &* 0x100_0000_01b3
    }

    mutating func add(_ date: CivilDate) {
      add(date.year)
      add(date.month)
      add(date.day)
      add(date.weekday.rawValue)
      let week = date.isoWeek
      add(week.year)
      add(week.week)
      add(date.dayOfYear)
    }
  }

  @Test func `every day is the day that Python says, with its weekday, ISO week and ordinal`()
    throws
  {
    let last = TestScale.isFull ? (9999, 12, 31) : (2051, 1, 1)
    let first = try require(CivilDate(year: 1, month: 1, day: 1))
    let end = try require(CivilDate(year: last.0, month: last.1, day: last.2))
    var digest = Digest()
    for day in first.daysSinceEpoch...end.daysSinceEpoch {
      digest.add(CivilDate(daysSinceEpoch: day))
    }
    expect(digest.value == (TestScale.isFull ? 0x27de_12c4_54e5_b909 : 0x0662_8a9d_9ae0_d1fe))
  }

  @Test func `every day comes back from its number, its ordinal, its week and its text`() throws {
    let first = try require(CivilDate(year: 1, month: 1, day: 1)).daysSinceEpoch
    let last = try require(CivilDate(year: 9999, month: 12, day: 31)).daysSinceEpoch
    expect(last - first + 1, is: 3_652_059)
    var wrong = 0
    for number in stride(from: first, through: last, by: TestScale.isFull ? 1 : 37) {
      let date = CivilDate(daysSinceEpoch: number)
      let week = date.isoWeek
      if date.daysSinceEpoch != number
        || CivilDate(year: date.year, month: date.month, day: date.day) != date
        || CivilDate(year: date.year, dayOfYear: date.dayOfYear) != date
        || (week.year <= 9999
          && CivilDate(isoYear: week.year, week: week.week, weekday: date.weekday) != date)
      {
        wrong += 1
      }
      if number.isMultiple(of: 101), CivilDate(iso8601: date.description) != date { wrong += 1 }
    }
    expect(wrong, is: 0)
  }

  @Test(arguments: [
    (2026, 2, 29), (2100, 2, 29), (1900, 2, 29), (2026, 2, 30), (2026, 4, 31), (2026, 13, 1),
    (2026, 0, 1), (2026, 1, 0), (2026, 1, 32), (0, 1, 1), (10_000, 1, 1), (-5, 1, 1),
  ])
  func `a day that does not exist cannot be made`(year: Int, month: Int, day: Int) {
    expect(CivilDate(year: year, month: month, day: day) == nil)
  }

  @Test(arguments: [
    ("2027-01-31", 1, "2027-02-28"), ("2028-01-31", 1, "2028-02-29"),
    ("2027-01-31", 3, "2027-04-30"), ("2028-02-29", 12, "2029-02-28"),
    ("2028-02-29", 48, "2032-02-29"), ("2027-03-31", -1, "2027-02-28"),
    ("2027-01-15", -1, "2026-12-15"), ("2026-12-31", 2, "2027-02-28"),
    ("2026-05-05", 0, "2026-05-05"), ("0001-02-01", -1, "0001-01-01"),
  ])
  func `months keep the day or take the month's last`(from: String, months: Int, to: String) throws
  {
    let date = try require(CivilDate(iso8601: from))
    expect(date.adding(months: months)?.description, is: to)
  }

  @Test func `arithmetic ends with the years 1 and 9999 instead of trapping`() throws {
    let first = try require(CivilDate(year: 1, month: 1, day: 1))
    let last = try require(CivilDate(year: 9999, month: 12, day: 31))
    expect(first.adding(days: -1) == nil)
    expect(first.adding(months: -1) == nil)
    expect(last.adding(days: 1) == nil)
    expect(last.adding(months: 1) == nil)
    for extreme in [Int.max, Int.min] {
      expect(first.adding(days: extreme) == nil)
      expect(first.adding(months: extreme) == nil)
      expect(first.anniversary(years: extreme, leapDay: .march1) == nil)
    }
    expect(first.adding(days: 3_652_058), is: last)
  }

  @Test func `a yearly 29 February falls on the day of the setting in common years`() throws {
    let leap = try require(CivilDate(iso8601: "2024-02-29"))
    let expected: [(Int, LeapDayRule, String)] = [
      (1, .february28, "2025-02-28"), (1, .march1, "2025-03-01"), (4, .february28, "2028-02-29"),
      (4, .march1, "2028-02-29"), (76, .february28, "2100-02-28"), (76, .march1, "2100-03-01"),
    ]
    for (years, rule, text) in expected {
      expect(leap.anniversary(years: years, leapDay: rule)?.description, is: text)
    }
    let other = try require(CivilDate(iso8601: "2024-02-28"))
    expect(other.anniversary(years: 1, leapDay: .march1)?.description, is: "2025-02-28")
  }

  @Test(arguments: ["2036-6-15", "2036-06-15 ", "", "20360615", "2036/06/15", "2036-06-1x"])
  func `only YYYY-MM-DD is the text of a date`(text: String) {
    expect(CivilDate(iso8601: text) == nil)
  }

  @Test func `a date is shown with its weekday and month by name`() throws {
    let date = try require(CivilDate(iso8601: "2036-06-15"))
    expect(date.longText, is: "Sun 15 Jun 2036")
    expect(CivilDate(iso8601: "0900-01-05")?.longText, is: "Tue 5 Jan 0900")
  }
}
