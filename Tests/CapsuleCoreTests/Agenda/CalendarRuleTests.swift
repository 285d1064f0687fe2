import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Rules, alarms and zones of calendars, as an event says them.
@Suite struct CalendarRuleTests {
  private func rule(
    _ text: String, _ start: String, leapDay: LeapDayRule = .february28
  ) throws -> CalendarRule {
    let date = try require(CivilDate(iso8601: start))
    return CalendarRule(
      text, from: CivilDateTime(date: date, time: try require(CivilTime(hour: 9, minute: 0))),
      leapDay: leapDay)
  }

  @Test(
    arguments: [
      ("FREQ=DAILY", "2036-06-15", "daily"),
      ("FREQ=DAILY;INTERVAL=3", "2036-06-15", "every 3 days"),
      ("FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR", "2036-06-16", "weekdays"),
      ("FREQ=WEEKLY;INTERVAL=2", "2036-06-15", "every 2 weeks"),
      ("INTERVAL=1;FREQ=WEEKLY;BYDAY=WE,MO", "2036-06-16", "every Monday and Wednesday"),
      ("FREQ=WEEKLY;INTERVAL=2;BYDAY=SU;WKST=SU", "2036-06-15", "every 2 weeks on Sunday"),
      ("FREQ=WEEKLY;BYDAY=SU,MO;WKST=SU", "2036-06-15", "every Monday and Sunday"),
      ("FREQ=MONTHLY;BYMONTHDAY=15", "2036-06-15", "monthly"),
      ("FREQ=MONTHLY;BYDAY=3SU", "2036-06-15", "3rd Sunday of the month"),
      ("FREQ=MONTHLY;BYDAY=SU;BYSETPOS=3", "2036-06-15", "3rd Sunday of the month"),
      ("FREQ=MONTHLY;INTERVAL=3;BYDAY=-1FR", "2036-06-27", "every 3 months on the last Friday"),
      ("FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1", "2036-01-31", "monthly"),
      ("FREQ=MONTHLY;BYMONTHDAY=-1", "2036-01-31", "monthly"),
      ("FREQ=YEARLY;BYMONTH=6;BYMONTHDAY=15", "2036-06-15", "yearly"),
      ("FREQ=YEARLY;BYHOUR=9;BYMINUTE=0;BYSECOND=0", "2036-06-15", "yearly"),
      ("FREQ=YEARLY;BYMONTH=11;BYDAY=4TH", "2036-11-27", "every 12 months on the 4th Thursday"),
      ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1", "2036-02-29", "yearly"),
    ])
  func `a rule that an event can be repeated by is taken`(
    text: String, start: String, words: String
  ) throws {
    guard case .repeated(let recurrence, nil) = try rule(text, start) else {
      Issue.record("\(text) is not taken")
      return
    }
    expect(recurrence.words, is: words)
  }

  @Test(
    arguments: [
      "FREQ=DAILY;COUNT=3", "FREQ=DAILY;UNTIL=20370101T000000Z", "FREQ=DAILY;INTERVAL=0",
      "FREQ=DAILY;INTERVAL=99999999999", "FREQ=DAILY;INTERVAL=-1", "FREQ=HOURLY", "FREQ=", "",
      "FREQ=WEEKLY;BYDAY=TU", "FREQ=WEEKLY;BYDAY=2SU", "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO;WKST=SU",
      "FREQ=MONTHLY;BYDAY=5SU", "FREQ=MONTHLY;BYDAY=2SU", "FREQ=MONTHLY;BYDAY=SU",
      "FREQ=MONTHLY;BYMONTHDAY=14", "FREQ=MONTHLY;BYMONTHDAY=15,16", "FREQ=YEARLY;BYMONTHDAY=15",
      "FREQ=YEARLY;BYMONTH=5", "FREQ=YEARLY;BYWEEKNO=20", "FREQ=YEARLY;BYYEARDAY=60",
      "FREQ=DAILY;FREQ=DAILY", "FREQ=DAILY;BYHOUR=10", "FREQ=DAILY;X-OTHER=1", "FREQ=DAILY;WKST=XX",
      "FREQ=DAILY;;INTERVAL", "COUNT=1",
    ])
  func `a rule that no event can be repeated by is not guessed at`(text: String) throws {
    try expect(rule(text, "2036-06-15"), is: .unsayable)
  }

  @Test func `a rule that comes once is none`() throws {
    try expect(rule("FREQ=DAILY;COUNT=1", "2036-06-15"), is: .once)
  }

  private static let leapDays: [(LeapDayRule, String, CalendarRule.Difference?)] = [
    (.february28, "FREQ=MONTHLY;BYMONTHDAY=29", .shortMonths),
    (.february28, "FREQ=YEARLY", .commonYears),
    (.march1, "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", .commonYears),
    (.march1, "FREQ=YEARLY;BYYEARDAY=60", nil),
    (.february28, "FREQ=YEARLY;BYYEARDAY=60", .leapDay),
    (.march1, "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=28,29;BYSETPOS=-1", .leapDay),
  ]

  @Test(arguments: leapDays)
  func `a rule that says other days of short months or years is taken, and it is said`(
    leapDay: LeapDayRule, text: String, difference: CalendarRule.Difference?
  ) throws {
    guard case .repeated(_, let found) = try rule(text, "2036-02-29", leapDay: leapDay) else {
      Issue.record("\(text) is not taken")
      return
    }
    expect(found, is: difference)
  }

  // MARK: Alarms

  @Test(
    arguments: [
      ("-PT15M", "15 minutes before", "1 day before at 23:45"),
      ("-P1W", "1 week before", "1 week before"),
      ("PT0S", "at the time", "at the time"),
      ("-P1DT2H", "1 day 2 hours before", "2 days before at 22:00"),
      ("PT9H", "on the day at 18:00", "on the day at 09:00"),
      ("-PT6H", "6 hours before", "1 day before at 18:00"),
    ])
  func `an alarm is an alert of a time and of a whole day`(
    trigger: String, ofTime: String, ofDay: String
  ) throws {
    let date = try require(CivilDate(iso8601: "2036-06-15"))
    let read = try require(CalendarTrigger(duration: trigger))
    let local = CivilDateTime(date: date, time: try require(CivilTime(hour: 9, minute: 0)))
    let instant = Instant(seconds: local.secondsAsUTC)
    let time = CalendarStart(.instant(instant), at: instant, local, in: .utc)
    expect(EventAlert(read, of: time)?.description, is: ofTime)
    let midnight = CivilDateTime(date: date, time: .midnight)
    let day = CalendarStart(
      .day(date), at: Instant(seconds: midnight.secondsAsUTC), midnight, in: .utc)
    expect(EventAlert(read, of: day)?.description, is: ofDay)
  }

  @Test(
    arguments: [
      "", "P", "PT", "-P", "P1", "PT1", "P1H", "PT1D", "P99999999999D", "P-1D", "1D", "P1DT", "p1d",
      "PT9999999999999999999S",
    ])
  func `a text that is no duration is none`(text: String) {
    expect(CalendarTrigger(duration: text) == nil)
  }

  @Test(
    arguments: [
      "", "2036061", "00000101", "100000101", "20360230", "20361301", "20360615T", "20360615T0900",
      "20360615T250000", "20360615T090000X", "2036-06-15", "20360615T090000ZZ", "+2036061",
    ])
  func `a text that is no date or time is none`(text: String) {
    expect(CalendarTime(text, zone: nil) == nil)
  }

  // MARK: Zones

  private func zone(_ observances: [String]...) -> CalendarZoneRules? {
    var lines = ["BEGIN:VCALENDAR", "BEGIN:VTIMEZONE", "TZID:Own"]
    for observance in observances {
      lines.append("BEGIN:\(observance[0])")
      lines += observance.dropFirst()
      lines.append("END:\(observance[0])")
    }
    lines += ["END:VTIMEZONE", "END:VCALENDAR"]
    let file = CalendarFile(Array(lines.joined(separator: "\r\n").utf8))
    return file.calendars[0].zones["Own"]?.rules
  }

  @Test func `a zone with two changes a year is a POSIX zone`() {
    let zone = zone(
      [
        "STANDARD", "DTSTART:16011028T030000", "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10",
        "TZOFFSETFROM:+0200", "TZOFFSETTO:+0100",
      ],
      [
        "DAYLIGHT", "DTSTART:16010325T020000", "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3",
        "TZOFFSETFROM:+0100", "TZOFFSETTO:+0200", "TZNAME:CEST",
      ])
    expect(zone?.rules.identifier, is: "<+0100>-1CEST,M3.5.0,M10.5.0/3")
    expect(zone?.begin == nil)
  }

  @Test func `a zone whose changes are of days of a month is the week that they stand in`() {
    let zone = zone(
      [
        "STANDARD", "DTSTART:20200405T030000", "TZOFFSETFROM:+1030", "TZOFFSETTO:+0930",
        "RRULE:FREQ=YEARLY;BYMONTH=4;BYMONTHDAY=1,2,3,4,5,6,7;BYDAY=SU", "TZNAME:ACST",
      ],
      [
        "DAYLIGHT", "DTSTART:20201004T020000", "TZOFFSETFROM:+0930", "TZOFFSETTO:+1030",
        "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=1SU", "TZNAME:ACDT",
      ])
    expect(zone?.rules.identifier, is: "ACST-9:30ACDT,M10.1.0,M4.1.0/3")
    expect(zone?.begin?.date.description, is: "2020-10-04")
  }

  @Test func `a zone whose clocks never change is its offset`() {
    let zone = zone(
      ["STANDARD", "DTSTART:19700101T000000", "TZOFFSETFROM:+0545", "TZOFFSETTO:+0545"])
    expect(zone?.rules.identifier, is: "+05:45")
  }

  @Test(
    arguments: [
      // Both rules end with 2016: the last change is that of October.
      ("3;BYDAY=-1SU;UNTIL=20161231T235959Z", "10;BYDAY=-1SU;UNTIL=20161231T235959Z", "+02:00"),
      ("3;BYDAY=-1SU;UNTIL=20161231T235959Z", "10;BYDAY=-1SU;UNTIL=20161101T000000Z", "+02:00"),
      // The end is the last change itself, or the second before it.
      ("3;BYDAY=-1SU;UNTIL=20161231", "10;BYDAY=-1SU;UNTIL=20161030T010000Z", "+02:00"),
      ("3;BYDAY=-1SU;UNTIL=20161231", "10;BYDAY=-1SU;UNTIL=20161030T005959Z", "+03:00"),
      // A rule that ends before it begins says its first change alone.
      ("3;BYDAY=-1SU;UNTIL=20161231", "10;BYDAY=-1SU;UNTIL=20000101", "+03:00"),
    ])
  func `a zone whose rules end has the offset of the last change`(
    summer: String, winter: String, offset: String
  ) {
    let zone = zone(
      [
        "DAYLIGHT", "DTSTART:20070325T030000", "RRULE:FREQ=YEARLY;BYMONTH=\(summer)",
        "TZOFFSETFROM:+0200", "TZOFFSETTO:+0300",
      ],
      [
        "STANDARD", "DTSTART:20071028T040000", "RRULE:FREQ=YEARLY;BYMONTH=\(winter)",
        "TZOFFSETFROM:+0300", "TZOFFSETTO:+0200",
      ])
    expect(zone?.rules.identifier, is: offset)
    expect(zone?.begin?.date.description, is: offset == "+02:00" ? "2016-10-30" : "2016-03-27")
  }

  @Test(arguments: ["FREQ=YEARLY;INTERVAL=2;BYMONTH=10;BYDAY=-1SU", "FREQ=MONTHLY;BYDAY=-1SU"])
  func `a zone whose last change cannot be computed is none`(rule: String) {
    let summer = ["DAYLIGHT", "DTSTART:20160327T020000", "TZOFFSETFROM:+0100", "TZOFFSETTO:+0200"]
    func zone(until end: String) -> CalendarZoneRules? {
      self.zone(
        summer,
        [
          "STANDARD", "DTSTART:20071028T030000", "RRULE:\(rule);UNTIL=\(end)",
          "TZOFFSETFROM:+0200", "TZOFFSETTO:+0100",
        ])
    }
    expect(zone(until: "20161231T000000Z") == nil)
    // The last change is another one.
    expect(zone(until: "20160101T000000Z")?.rules.identifier, is: "+02:00")
  }

  @Test func `a change that is named by itself holds until the next one of the rules`() {
    let zone = zone(
      [
        "STANDARD", "DTSTART:20071104T020000", "RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU",
        "TZOFFSETFROM:-0400", "TZOFFSETTO:-0500",
      ],
      [
        "DAYLIGHT", "DTSTART:20070311T020000", "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU",
        "TZOFFSETFROM:-0500", "TZOFFSETTO:-0400",
      ],
      ["STANDARD", "DTSTART:20260101T000000", "TZOFFSETFROM:-0500", "TZOFFSETTO:-0300"])
    expect(zone?.rules.identifier, is: "<-0500>5<-0400>,M3.2.0,M11.1.0")
    expect(zone?.begin?.date.description, is: "2026-03-08")
  }

  @Test(
    arguments: [
      ["STANDARD", "DTSTART:19700101T000000", "TZOFFSETTO:+0100"],
      ["STANDARD", "TZOFFSETFROM:+0100", "TZOFFSETTO:+0100"],
      ["STANDARD", "DTSTART:19700101T000000", "TZOFFSETFROM:+0100", "TZOFFSETTO:+9900"],
      [
        "STANDARD", "DTSTART:19700101T000000", "TZOFFSETFROM:+0200", "TZOFFSETTO:+0100",
        "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU",
      ],
      ["OTHER"],
    ])
  func `a description that is not whole is none`(observance: [String]) {
    expect(zone(observance) == nil)
  }
}
