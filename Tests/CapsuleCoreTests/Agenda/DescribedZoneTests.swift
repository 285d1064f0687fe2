import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Zones as calendars describe them.
@Suite struct DescribedZoneTests {
  private func zone(_ observances: [String]...) -> DescribedZone? {
    var lines = ["BEGIN:VCALENDAR", "BEGIN:VTIMEZONE", "TZID:Own"]
    for observance in observances {
      lines.append("BEGIN:\(observance[0])")
      lines += observance.dropFirst()
      lines.append("END:\(observance[0])")
    }
    lines += ["END:VTIMEZONE", "END:VCALENDAR"]
    let file = CalendarFile(Array(lines.joined(separator: "\r\n").utf8))
    return file.calendars[0].zones["Own"].flatMap { DescribedZone($0) }
  }

  /// The name of a zone in a record, behind all changes.
  private func name(_ zone: DescribedZone?) -> String? { zone?.name(after: .latest).name }

  /// What the clocks of a zone show at an instant.
  private func clocks(_ zone: DescribedZone?, _ instant: String) throws -> String? {
    zone?.rules.civil(at: try require(Instant(rfc3339: instant))).time.shortText
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
    expect(name(zone), is: "<+0100>-1CEST,M3.5.0,M10.5.0/3")
    expect(zone?.begin == nil)
  }

  @Test(
    arguments: [
      "BYMINUTE=0;BYHOUR=2;BYDAY=-1SU;BYMONTH=10", "BYMONTH=10;BYDAY=SU;BYSETPOS=-1",
      "BYMONTH=10;BYMONTHDAY=25,26,27,28,29,30,31;BYDAY=SU",
    ])
  func `a rule may repeat the time of its start, and count days otherwise`(rule: String) {
    let zone = zone(
      [
        "STANDARD", "DTSTART:19501029T020000", "RRULE:FREQ=YEARLY;\(rule)",
        "TZOFFSETFROM:-0400", "TZOFFSETTO:-0500",
      ],
      [
        "DAYLIGHT", "DTSTART:19500402T020000", "TZOFFSETFROM:-0500", "TZOFFSETTO:-0400",
        "RRULE:FREQ=YEARLY;BYMINUTE=0;BYHOUR=2;BYDAY=1SU;BYMONTH=4",
      ])
    expect(name(zone), is: "<-0500>5<-0400>,M4.1.0,M10.5.0")
  }

  @Test(arguments: [("DTSTART 19701025T020000", 1), ("END:DAYLIGHT", 1), ("RDATE:1", 1 << 20)])
  func `a zone with a line that cannot be read is none`(start: String, length: Int) {
    // The argument is printed: its last character is repeated here.
    let line = start + String(repeating: String(start.suffix(1)), count: length - 1)
    let observance = [
      "STANDARD", "DTSTART:19701025T020000", "TZOFFSETFROM:+0100", "TZOFFSETTO:+0100",
    ]
    expect(zone(observance) != nil)
    expect(zone(observance + [line]) == nil)
    expect(zone(observance + ["COMMENT 1"]) != nil)
  }

  @Test func `a change of a day of a month does not count 29 February`() {
    let zone = zone(
      [
        "STANDARD", "DTSTART:19700922T000000", "RRULE:FREQ=YEARLY;BYMONTH=9;BYMONTHDAY=22",
        "TZOFFSETFROM:+0430", "TZOFFSETTO:+0330",
      ],
      [
        "DAYLIGHT", "DTSTART:19700322T000000", "RRULE:FREQ=YEARLY", "TZOFFSETFROM:+0330",
        "TZOFFSETTO:+0430",
      ])
    expect(name(zone), is: "<+0330>-3:30<+0430>,J81/0,J265/0")
  }

  @Test func `a change of a day of the year counts 29 February`() {
    let zone = zone(
      [
        "STANDARD", "DTSTART:19700922T000000", "RRULE:FREQ=YEARLY;BYYEARDAY=265",
        "TZOFFSETFROM:+0430", "TZOFFSETTO:+0330",
      ],
      [
        "DAYLIGHT", "DTSTART:19700322T000000", "RRULE:FREQ=YEARLY;BYYEARDAY=81",
        "TZOFFSETFROM:+0330", "TZOFFSETTO:+0430",
      ])
    expect(name(zone), is: "<+0330>-3:30<+0430>,80/0,264/0")
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
    expect(name(zone), is: "ACST-9:30ACDT,M10.1.0,M4.1.0/3")
    expect(zone?.begin?.date.description, is: "2020-10-04")
  }

  @Test func `a zone whose clocks never change is its offset`() {
    let zone = zone(
      ["STANDARD", "DTSTART:19700101T000000", "TZOFFSETFROM:+0545", "TZOFFSETTO:+0545"])
    expect(name(zone), is: "+05:45")
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
  ) throws {
    let zone = zone(
      [
        "DAYLIGHT", "DTSTART:20070325T030000", "RRULE:FREQ=YEARLY;BYMONTH=\(summer)",
        "TZOFFSETFROM:+0200", "TZOFFSETTO:+0300",
      ],
      [
        "STANDARD", "DTSTART:20071028T040000", "RRULE:FREQ=YEARLY;BYMONTH=\(winter)",
        "TZOFFSETFROM:+0300", "TZOFFSETTO:+0200",
      ])
    expect(name(zone), is: offset)
    expect(try clocks(zone, "2014-07-01T12:00:00Z"), is: "15:00")
    expect(zone?.begin?.date.description, is: "2007-03-25")
  }

  @Test func `all that the clocks did is listed, by rules and one by one`() throws {
    let zone = zone(
      ["STANDARD", "DTSTART:19000101T000000", "TZOFFSETFROM:+0205", "TZOFFSETTO:+0200"],
      [
        "DAYLIGHT", "DTSTART:20100430T000000", "RDATE:20230428T000000,20240426T000000",
        "RDATE:20250425T000000", "TZOFFSETFROM:+0200", "TZOFFSETTO:+0300",
      ],
      [
        "STANDARD", "DTSTART:20100811T000000", "RDATE:20231027T000000,20241101T000000",
        "RDATE;VALUE=DATE-TIME:20251031T000000", "TZOFFSETFROM:+0300", "TZOFFSETTO:+0200",
      ])
    for (instant, expected) in [
      ("1899-01-01T12:00:00Z", "14:05"), ("2010-05-01T12:00:00Z", "15:00"),
      ("2010-09-01T12:00:00Z", "14:00"), ("2023-06-01T12:00:00Z", "15:00"),
      ("2025-06-01T12:00:00Z", "15:00"), ("2030-06-01T12:00:00Z", "14:00"),
    ] {
      expect(try clocks(zone, instant), is: expected)
    }
    let before = try require(Instant(rfc3339: "2025-06-01T12:00:00Z"))
    expect(zone?.name(after: before).name, is: "+03:00")
    expect(zone?.name(after: before).isWhole, is: false)
    expect(zone?.name(after: before.adding(seconds: 200 * 86_400)).isWhole, is: true)
  }

  @Test func `rules without end go on behind what is listed`() throws {
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
    expect(name(zone), is: "<-0500>5<-0400>,M3.2.0,M11.1.0")
    expect(try clocks(zone, "2025-12-01T12:00:00Z"), is: "07:00")
    expect(try clocks(zone, "2026-02-01T12:00:00Z"), is: "09:00")
    expect(try clocks(zone, "2026-07-01T12:00:00Z"), is: "08:00")
    expect(try clocks(zone, "2090-12-01T12:00:00Z"), is: "07:00")
  }

  @Test func `changes that no POSIX zone says are listed`() throws {
    let zone = zone(
      [
        "DAYLIGHT", "DTSTART:20160327T020000", "RRULE:FREQ=YEARLY;INTERVAL=2;BYMONTH=3;BYDAY=-1SU",
        "TZOFFSETFROM:+0100", "TZOFFSETTO:+0200",
      ],
      [
        "STANDARD", "DTSTART:20161030T030000", "RRULE:FREQ=YEARLY;INTERVAL=2;BYMONTH=10;BYDAY=-1SU",
        "TZOFFSETFROM:+0200", "TZOFFSETTO:+0100",
      ])
    expect(try clocks(zone, "2026-07-01T12:00:00Z"), is: "14:00")
    expect(try clocks(zone, "2027-07-01T12:00:00Z"), is: "13:00")
    let instant = try require(Instant(rfc3339: "2026-07-01T12:00:00Z"))
    expect(zone?.name(after: instant).name, is: "+02:00")
    expect(zone?.name(after: instant).isWhole, is: false)
  }

  @Test(
    arguments: [
      ["STANDARD", "DTSTART:19700101T000000", "TZOFFSETTO:+0100"],
      ["STANDARD", "TZOFFSETFROM:+0100", "TZOFFSETTO:+0100"],
      ["STANDARD", "DTSTART:19700101T000000", "TZOFFSETFROM:+0100", "TZOFFSETTO:+9900"],
      [
        "STANDARD", "DTSTART:19700101T000000", "TZOFFSETFROM:+0200", "TZOFFSETTO:+0100",
        "RRULE:FREQ=SECONDLY",
      ],
      ["OTHER"],
    ])
  func `a description that is not whole is none`(observance: [String]) {
    expect(zone(observance) == nil)
  }

  @Test func `a description with too many changes is none`() {
    let hourly = "RRULE:FREQ=DAILY;BYHOUR=1,2,3,4,5,6,7,8,9"
    let zone = zone(
      ["STANDARD", "DTSTART:19700101T000000", hourly, "TZOFFSETFROM:+0200", "TZOFFSETTO:+0100"],
      ["DAYLIGHT", "DTSTART:19700101T003000", hourly, "TZOFFSETFROM:+0100", "TZOFFSETTO:+0200"])
    expect(zone == nil)
  }
}
