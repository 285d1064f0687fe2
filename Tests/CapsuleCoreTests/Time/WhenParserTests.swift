import CapsuleCalendar
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct WhenParserTests {
  static let now = "2026-03-10T12:00:00Z"

  static func parser(
    _ preference: WhenParser.Preference = .future, _ requirement: WhenParser.Requirement = .none
  ) throws -> WhenParser {
    WhenParser(
      now: try TimeFixtures.instant(now), zone: try TimeFixtures.zone("Europe/Paris"),
      zones: TimeFixtures.zones, preferring: preference, requiring: requirement)
  }

  static func error(_ text: String, _ parser: WhenParser) -> WhenError? {
    do throws(WhenError) {
      _ = try parser.parse(text)
      return nil
    } catch {
      return error
    }
  }

  @Test func `an unlock time must not be past`() throws {
    let parser = try Self.parser(.future, .notPast)
    let past = try TimeFixtures.instant("2026-03-09T23:00:00Z")
    expect(Self.error("today", parser)?.kind, is: .inThePast(past))
    expect(Self.error(" today ", parser)?.word, is: "today")
    expect(Self.error("now", parser) == nil)
    expect(Self.error("1 second ago", parser) != nil)
    expect(Self.error("tomorrow", parser) == nil)
  }

  @Test func `a history entry must not be in the future`() throws {
    let parser = try Self.parser(.past, .notFuture)
    let future = try TimeFixtures.instant("2026-03-10T23:00:00Z")
    expect(Self.error("tomorrow", parser)?.kind, is: .inTheFuture(future))
    expect(Self.error("in 90d", parser) != nil)
    expect(Self.error("90d", parser) == nil)
    expect(Self.error("now", parser) == nil)
    expect(Self.error("today", parser) == nil)
  }

  @Test(arguments: [
    ("0000-001", "the year must be from 0001 to 9999 (UTC)"),
    ("0000-W01", "the year must be from 0001 to 9999 (UTC)"),
    ("5 march 0000", "the year must be from 0001 to 9999 (UTC)"),
    ("monday of 0000-03", "unexpected 'of'"),
    ("last day of 0000-03", "the year must be from 0001 to 9999 (UTC)"),
    ("last day of 2030-13", "there is no month '13'"),
    ("292277026596y after tomorrow", "the year must be from 0001 to 9999 (UTC)"),
    ("easter 1500", "Easter is known for the years 1583 to 9999"),
    (
      "2030-05-05T10:00+05:00[Europe/Paris]",
      "the offset of the time zone is +02:00 on that date"
    ),
  ])
  func `what is wrong with a date is told in words`(text: String, words: String) throws {
    expect(Self.error(text, try Self.parser())?.message.description, is: words)
  }

  @Test func `each reading of an ambiguous duration is given with its instant`() throws {
    let error = try require(Self.error("in 5m", try Self.parser()))
    expect(error.kind, is: .ambiguous)
    expect(
      error.suggestions,
      is: [
        WhenReading(
          expression: "in 5min", instant: try TimeFixtures.instant("2026-03-10T12:05:00Z")),
        WhenReading(
          expression: "in 5mo", instant: try TimeFixtures.instant("2026-08-10T11:00:00Z")),
      ])
    expect(error.word, is: "m")
    expect(error.position, is: 4)
  }

  @Test(arguments: [("99991231 2400", 9), ("9999-12-31T24:00", 11)])
  func `the end of the last day is an error at its time`(text: String, position: Int) throws {
    let error = try require(Self.error(text, try Self.parser()))
    expect(error.kind, is: .yearOutOfRange)
    expect(error.word, is: String(text.dropFirst(position)))
    expect(error.position, is: position)
  }

  @Test(arguments: [
    ("tomorow", ["tomorrow"]), ("fridya", ["friday"]), ("3 dayz", ["3 days"]),
    ("2036-06-15 09:00 paris", ["2036-06-15 09:00 Europe/Paris"]),
    ("2036-06-15 09:00 +2", ["2036-06-15 09:00 +02:00"]), ("2036-6", ["2036-06"]),
    ("25/12", ["2026-12-25"]), ("15th", ["15 Mar 2026"]), ("2030 May", ["May 2030"]),
    ("2036-06-15 09:00 GMT+2", ["2036-06-15 09:00 +02:00"]), ("june 36", ["June 2036"]),
    ("2036-06-15 09:00 CET", ["2036-06-15 09:00 Europe/Paris", "2036-06-15 09:00 +01:00"]),
    ("this monday", ["next monday"]), ("this morning", ["tomorrow morning"]),
    ("in 3 hours at 9am", ["in 3 hours"]), ("09:00 +3 days", ["in 3 days at 09:00"]),
    ("crhistmas", ["christmas"]), ("new yaer", ["new year"]),
    ("weekend", ["this weekend", "next weekend"]), ("end of the mounth", ["end of the month"]),
    ("-3d", ["3d ago"]), ("2036-06-15 9", ["2036-06-15 9:00"]),
    (
      "2036-06-15T09:00:00+01:00[Europe/Paris]",
      ["2036-06-15T09:00:00+01:00", "2036-06-15T09:00:00[Europe/Paris]"]
    ),
    ("3 days agp", ["3 days ago"]), ("tomorow 09:00", ["tomorrow 09:00"]),
    ("next fridya", ["next friday"]), ("3d from", ["3d from now"]), ("90", ["90d", "90y"]),
    ("1d 2", ["1d 2y"]), ("15h30", ["15:30", "15h30d", "15h30y"]), ("in -3 days", ["3 days ago"]),
    ("15.6.", ["2026-06-15"]),
    ("friday week", ["1 week from friday"]), ("1,5 hours", ["1.5 hours"]),
    ("good firday", ["good friday"]),
    ("2359", ["23:59", "2359-01-01"]), ("monday this week", ["monday next week"]),
    ("at 8", ["at 8:00"]),
    ("13:00 GP", []), ("“tomorow”", ["tomorrow"]), ("2036–06–15 9", ["2036-06-15 9:00"]),
  ])
  func `an error proposes what may have been meant`(text: String, suggestions: [String]) throws {
    let error = Self.error(text, try Self.parser())
    expect(error?.suggestions.map(\.expression), is: suggestions)
  }

  @Test func `tonight is refused after eight, with the hour that is left and tomorrow`() throws {
    let paris = try TimeFixtures.zone("Europe/Paris")
    func offered(_ text: String, at now: String) throws -> [String]? {
      let parser = WhenParser(
        now: try TimeFixtures.instant(now), zone: paris, zones: TimeFixtures.zones)
      return Self.error(text, parser)?.suggestions.map(\.expression)
    }
    try expect(offered("tonight", at: "2026-03-10T18:59:59Z") == nil)
    try expect(
      offered("tonight", at: "2026-03-10T20:15:00Z"), is: ["tonight at 22:00", "tomorrow night"])
    try expect(offered("tonight", at: "2026-03-10T22:15:00Z"), is: ["tomorrow night"])
    try expect(offered("tonight at 9", at: "2026-03-10T20:15:00Z"), is: ["tomorrow night at 9"])
  }

  @Test func `an error of a text with dashes and quotes of the web points into that text`() throws {
    let error = try require(Self.error(" “2036–06–15 nöon” ", try Self.parser()))
    expect(error.word, is: "nöon")
    expect(error.position, is: 19)
  }

  @Test(arguments: [
    ("june 2028", "2028-06-30"), ("2028-02", "2028-02-29"), ("02/2028", "2028-02-29"),
    ("2028", "2028-12-31"),
    ("august, 2028", "2028-08-31"), ("June", "2026-06-30"), ("march", "2026-03-31"),
    ("this week", "2026-03-15"), ("next week", "2026-03-22"), ("2026-W24", "2026-06-14"),
    ("next month", "2026-04-30"), ("this year", "2026-12-31"), ("15 june 2028", "2028-06-15"),
    ("friday", "2026-03-13"), ("today", "2026-03-10"), ("1 month after june 2028", "2028-07-01"),
    ("“next week”", "2026-03-22"), ("1 june", "2026-06-01"),
  ])
  func `the end of a month, a year or a week is its last day`(text: String, date: String) throws {
    try expect(Self.parser(.future, .notPast).end(of: text).date?.description, is: date)
  }

  @Test func `the end of a date with a time is that time, and what is over is refused`() throws {
    let parser = try Self.parser(.future, .notPast)
    try expect(parser.end(of: "june 2028 9am"), is: parser.parse("june 2028 9am"))
    expect(try parser.end(of: "15:00").date == nil)
    for text in ["february 2026", "2025", "last week", "yesterday"] {
      expect(throws: WhenError.self) { try parser.end(of: text) }
    }
    try expect(parser.end(of: "june 2028").assumptions, is: [.startOfDay])
  }

  @Test func `the last day that exists is named`() throws {
    let parser = try Self.parser()
    expect(Self.error("30 February 2026", parser)?.kind, is: .noSuchDay(last: 28))
    expect(Self.error("2028-02-30", parser)?.kind, is: .noSuchDay(last: 29))
    expect(Self.error("2028-02-30", parser)?.word, is: "30")
    expect(Self.error("2028-367", parser)?.kind, is: .noSuchDayOfYear(last: 366))
    expect(Self.error("2025-W53", parser)?.kind, is: .noSuchWeek(last: 52))
    let sunday = try require(CivilDate(iso8601: "2036-06-15"))
    expect(Self.error("mon 15 jun 2036", parser)?.kind, is: .wrongWeekday(of: sunday))
    expect(
      Self.error("2036-06-15T09:00+01:00[Europe/Paris]", parser)?.kind,
      is: .offsetMismatch(actual: 7200))
  }

  @Test func `the zone that was named is kept, and a date alone stays a date`() throws {
    let parser = try Self.parser()
    let when = try parser.parse("2036-06-15 asia/kathmandu")
    expect(when.zone.identifier, is: "Asia/Kathmandu")
    expect(when.date?.description, is: "2036-06-15")
    expect(when.assumptions, is: [.startOfDay])
    try expect(parser.parse("2036-06-15 09:00 +05:45").zone.identifier, is: "+05:45")
    expect(try parser.parse("2036-06-15 09:00").date == nil)
    expect(try parser.parse("2036-06-15 00:00").date == nil)
    try expect(parser.parse("2 weeks after 2036-06-15").date?.description, is: "2036-06-29")
    expect(try parser.parse("90d").date == nil)
  }

  @Test func `a skipped and a doubled time say what was asked for`() throws {
    let parser = try Self.parser()
    let gap = try parser.parse("2026-03-29 02:30")
    expect(gap.fit, is: .gap(shift: 3600))
    expect(gap.asked?.description, is: "2026-03-29T02:30:00")
    try expect(parser.parse("2026-10-25 02:30").fit, is: .twice)
    // Twenty days on, at 13:00, nothing is skipped.
    try expect(parser.parse("20d").fit, is: .unique)
  }

  @Test func `what was assumed on the way is told in the end`() throws {
    let parser = try Self.parser()
    try expect(parser.parse("3 hours after 2036-06-15").assumptions, is: [.startOfDay])
    let rounded = try parser.parse("2036-06-15T06:59:59.5Z[Europe/Paris]")
    expect(rounded.assumptions, is: [.roundedUp])
    expect(rounded.instant.rfc3339, is: "2036-06-15T07:00:00Z")
    try expect(parser.parse("2 weeks after june").assumptions.count, is: 3)
  }

  @Test func `a damaged zone file is not an unknown zone`() throws {
    let good = try Self.parser()
    let parser = WhenParser(
      now: good.now, zone: good.zone, zones: ZoneDatabase { _ in Array("TZif2".utf8) })
    expect(
      Self.error("2036-06-15 09:00 Europe/Paris", parser)?.kind, is: .damagedZone(.truncated))
  }

  @Test func `nothing is suggested that would be refused too`() throws {
    let future = try Self.parser(.future, .notPast)
    // Of both readings one is past.
    expect(Self.error("04/03/2026", future)?.suggestions.map(\.expression), is: ["2026-04-03"])
    expect(Self.error("-3d", future)?.suggestions, is: [])
  }

  @Test func `a duration from now is kept as it was written`() throws {
    let parser = try Self.parser()
    try expect(parser.parse("in 1 month").duration, is: CalendarDuration(months: 1))
    try expect(parser.parse("90 sec").duration, is: CalendarDuration(seconds: 90))
    try expect(parser.parse("2 weeks ago").duration, is: CalendarDuration(weeks: -2))
    try expect(parser.parse("now + 3 days").duration, is: CalendarDuration(days: 3))
    expect(try parser.parse("2 weeks from friday").duration == nil)
    expect(try parser.parse("friday").duration == nil)
  }

  @Test func `a day that comes again is said not to be today`() throws {
    let parser = try Self.parser()  // a Tuesday, 10 March
    try expect(parser.parse("10 march").assumptions, is: [.nextOccurrence, .notToday, .startOfDay])
    try expect(parser.parse("tuesday 9am").assumptions, is: [.notToday])
    try expect(parser.parse("11 march").assumptions, is: [.nextOccurrence, .startOfDay])
    try expect(
      Self.parser(.past).parse("10 march").assumptions, is: [.lastOccurrence, .startOfDay])
  }

  @Test func `a day of the week in the past is the last one up to now`() throws {
    let parser = try Self.parser(.past, .notFuture)  // a Tuesday, 10 March, 13:00 in Paris
    for (text, day) in [
      ("tuesday", "2026-03-10"), ("monday", "2026-03-09"), ("wednesday", "2026-03-04"),
      ("tuesday 12:00", "2026-03-10"), ("tuesday 14:00", "2026-03-03"),
      ("last tuesday", "2026-03-03"),
    ] {
      let when = try parser.parse(text)
      expect(when.zone.civil(at: when.instant).date.description, is: day, "\(text)")
    }
    try expect(Self.parser().parse("tuesday").date?.description, is: "2026-03-17")
  }

  @Test func `months are added once and clamped once`() throws {
    let parser = WhenParser(
      now: try TimeFixtures.instant("2028-02-29T12:00:00Z"), zone: .utc, zones: TimeFixtures.zones)
    // One year and then a month would be 28 March 2029.
    try expect(parser.parse("in 1 year and 1 month").instant.rfc3339, is: "2029-03-29T12:00:00Z")
    try expect(parser.parse("in 1 month, 1 year").instant.rfc3339, is: "2029-03-29T12:00:00Z")
  }

  #if !DEBUG
    @Test func `a date is read in well under 100 microseconds and a zone in under 200`() throws {
      let parser = try Self.parser()
      let expressions = [
        "2036-06-15 09:00", "1 year 6 months", "next friday 9am", "2036-06-15T07:00Z",
      ]
      let clock = ContinuousClock()
      let parsing = try clock.measure {
        for _ in 0..<1_000 { for text in expressions { _ = try parser.parse(text) } }
      }
      let bytes = try TZifTests.paris()
      let loading = try clock.measure {
        for _ in 0..<500 { _ = try ZoneRules(tzif: bytes, identifier: "Europe/Paris") }
      }
      print("date expressions: \(parsing / 4_000) each; a zone file: \(loading / 500)")
      expect(parsing / 4_000 < .microseconds(100))
      expect(loading / 500 < .microseconds(200))
    }
  #endif
}
