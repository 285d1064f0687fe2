import CapsuleCalendar
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct EasterTests {
  /// Easter as the church defines it: the Sunday after the fourteenth day of the moon that begins with
  /// the new moon of the epact (Clavius 1603), in days after 21 March.
  ///
  /// Nothing here is shared with the computation of the library but the calendar.
  private static func bySundayAfterFullMoon(_ year: Int) throws -> CivilDate {
    let century = year / 100 + 1
    let solar = 3 * century / 4 - 12
    let lunar = (8 * century + 5) / 25 - 5
    let golden = year % 19 + 1
    var epact = (11 * golden + 20 + lunar - solar) % 30
    if epact < 0 { epact += 30 }
    if epact == 24 || epact == 25 && golden > 11 { epact += 1 }
    // The full moon on or after 21 March.
    let full = 44 - epact
    let fromMarch = full < 21 ? full + 30 : full
    let march1 = try require(CivilDate(year: year, month: 3, day: 1))
    let moon = CivilDate(daysSinceEpoch: march1.daysSinceEpoch + fromMarch - 1)
    return CivilDate(daysSinceEpoch: moon.daysSinceEpoch + 7 - moon.weekday.rawValue % 7)
  }

  @Test func `all 8417 Easters are the Sundays after the full moon of spring`() throws {
    var count = 0
    for year in CivilDate.easterYears {
      let expected = try Self.bySundayAfterFullMoon(year)
      let easter = CivilDate(easterOf: year)
      if easter != expected {
        Issue.record("\(year): \(String(describing: easter)), not \(expected)")
      }
      count += 1
    }
    expect(count, is: 8_417)
  }

  @Test(arguments: [
    "1583-04-10", "1818-03-22", "1943-04-25", "1954-04-18", "1981-04-19", "2000-04-23",
    "2024-03-31", "2025-04-20", "2026-04-05", "2038-04-25", "2285-03-22", "9999-03-28",
  ])
  func `known Easters`(text: String) throws {
    let date = try require(CivilDate(iso8601: text))
    expect(CivilDate(easterOf: date.year), is: date)
  }

  @Test func `there is no Easter before the Gregorian calendar nor past 9999`() {
    expect(CivilDate(easterOf: 1582) == nil)
    expect(CivilDate(easterOf: 10_000) == nil)
    expect(CivilDate(easterOf: .min) == nil)
  }
}
