import CapsuleCalendar
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct DurationParserTests {
  @Test(arguments: [
    ("1y6mo", "P1Y6M", "1 year 6 months"), ("1 year 6 months", "P1Y6M", "1 year 6 months"),
    ("90d", "P90D", "90 days"), ("2w", "P2W", "2 weeks"),
    ("3h30min45s", "PT3H30M45S", "3 hours 30 minutes 45 seconds"),
    ("P1Y6M2DT3H", "P1Y6M2DT3H", "1 year 6 months 2 days 3 hours"),
    ("pt5m", "PT5M", "5 minutes"), ("0d", "PT0S", "0 seconds"), ("P0D", "PT0S", "0 seconds"),
    (" 2 Weeks ", "P2W", "2 weeks"), ("30s 2h", "PT2H30S", "2 hours 30 seconds"),
    ("999999999999s", "PT999999999999S", "999999999999 seconds"),
    ("1.5h", "PT1H30M", "1 hour 30 minutes"), ("half an hour", "PT30M", "30 minutes"),
    ("an hour and a half", "PT1H30M", "1 hour 30 minutes"), ("half a day", "PT12H", "12 hours"),
    ("two and a half years", "P2Y6M", "2 years 6 months"), ("0.25 min", "PT15S", "15 seconds"),
    ("1 hour and a half minute", "PT1H30S", "1 hour 30 seconds"),
    ("a fortnight", "P2W", "2 weeks"), ("half a fortnight", "P7D", "7 days"),
    ("a decade and 2 years", "P12Y", "12 years"), ("half a century", "P50Y", "50 years"),
  ])
  func `a duration is read, and written back in ISO 8601 and in words`(
    text: String, iso8601: String, words: String
  ) throws {
    let duration = try DurationParser.parse(text)
    expect(duration.iso8601, is: iso8601)
    expect(duration.words, is: words)
    try expect(DurationParser.parse(iso8601), is: duration)
    try expect(DurationParser.parse(words), is: duration)
  }

  @Test(arguments: [
    ("", "empty"), ("  ", "empty"), ("-3d", "negative"), ("3", "missingUnit"),
    ("3 d ago", "unexpected"), ("in 3d", "unknownWord"), ("+3d", "unexpected"),
    ("5m", "ambiguous"), ("1.5 weeks", "fraction"), ("1,5 h", "fraction"),
    ("half a month", "fraction"),
    ("0.0001h", "fraction"), ("1.5s", "fraction"), ("3 dayz", "unknownUnit"),
    ("1d1d", "repeatedUnit"),
    ("1000000000000s", "numberTooLarge"), ("P", "unknownWord"), ("P1", "missingUnit"),
    ("a decade 1 decade", "repeatedUnit"), ("99999999999 centuries", "numberTooLarge"),
    ("P1YT", "incomplete"), ("P1Yx", "unexpected"), ("P1D1Y", "unexpected"),
  ])
  func `what is no duration has an error that says why`(text: String, kind: String) {
    do throws(WhenError) {
      let duration = try DurationParser.parse(text)
      Issue.record("\(text) was read as \(duration)")
    } catch {
      expect("\(error.kind)".prefix { $0 != "(" } == kind)
    }
  }

  @Test func `a bare m offers minutes and months`() {
    do throws(WhenError) {
      _ = try DurationParser.parse("2h 5m")
    } catch {
      expect(error.suggestions.map(\.expression), is: ["2h 5min", "2h 5mo"])
      expect(error.position, is: 4)
      expect(error.word, is: "m")
    }
  }

  @Test func `repetitions are counted from the anchor, so that the 31st comes back`() throws {
    let paris = try TimeFixtures.zone("Europe/Paris")
    let anchor = try TimeFixtures.instant("2027-01-31T08:00:00Z")
    let monthly = CalendarDuration(months: 1)
    let dates = (0...4).compactMap { count in
      monthly.times(count)?.added(to: anchor, in: paris).map {
        paris.civil(at: $0.instant).description
      }
    }
    expect(
      dates,
      is: [
        "2027-01-31T09:00:00", "2027-02-28T09:00:00", "2027-03-31T09:00:00",
        "2027-04-30T09:00:00", "2027-05-31T09:00:00",
      ])
  }

  @Test func `arithmetic beyond the year 9999 gives nothing instead of trapping`() throws {
    let now = Instant(seconds: 1_770_000_000)
    let huge = CalendarDuration(years: 999_999_999_999, seconds: 999_999_999_999)
    expect(huge.added(to: now, in: .utc) == nil)
    expect(huge.times(2) == nil)
    expect(huge.times(-1)?.added(to: now, in: .utc) == nil)
    expect(CalendarDuration(seconds: 999_999_999_999).added(to: now, in: .utc) == nil)
    expect(CalendarDuration(days: 999_999_999_999).times(Int.max) == nil)
  }

  @Test(arguments: [
    ("5", ["5h", "5min"]), ("5m", ["5min"]), ("5 hurs", ["5 hrs", "5 hours"]),
    ("1h 5", ["1h 5min"]),
    ("5 dayz", []), ("P1", []),
  ])
  func `of an exact length only texts are offered that are one`(text: String, offers: [String]) {
    do throws(WhenError) {
      _ = try DurationParser.exactSeconds(text)
      Issue.record("\(text) was read")
    } catch {
      expect(error.suggestions.map(\.expression), is: offers)
    }
  }

  @Test func `an exact length has no days`() throws {
    try expect(DurationParser.exactSeconds("1h 1 min 5s"), is: 3665)
    try expect(DurationParser.exactSeconds("1 day"), is: nil)
    try expect(DurationParser.exactSeconds("0s"), is: nil)
  }
}
