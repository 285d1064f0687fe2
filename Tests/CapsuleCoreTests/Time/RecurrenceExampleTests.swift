import CapsuleCalendar
import RoomTestHelpers
import TestSupport
import Testing

/// The examples of RFC 5545 §3.8.5.3, with the dates that it gives.
@Suite struct RecurrenceExampleTests {
  /// A rule, its first time in New York, and the dates: months and days of a year. Where the rule has no
  /// end, they are the first of its dates.
  struct Example: Sendable {
    let start: String
    let rule: String
    let dates: String
    var isEndless = false
  }

  static let everyDay = "SU,MO,TU,WE,TH,FR,SA"
  static let january = "1998-01-1..31 1999-01-1..31 2000-01-1..31"
  static let twentyMinutes =
    "09:00 09:20 09:40 10:00 10:20 10:40 11:00 11:20 11:40 12:00 12:20 12:40 "
    + "13:00 13:20 13:40 14:00 14:20 14:40 15:00 15:20 15:40 16:00 16:20 16:40"

  static let examples: [Example] = [
    Example(start: "1997-09-02", rule: "FREQ=DAILY;COUNT=10", dates: "1997-09-2..11"),
    Example(
      start: "1997-09-02", rule: "FREQ=DAILY;UNTIL=19971224T000000Z",
      dates: "1997-09-2..30 1997-10-1..31 1997-11-1..30 1997-12-1..23"),
    Example(
      start: "1997-09-02", rule: "FREQ=DAILY;INTERVAL=2",
      dates: "1997-09-2,4,6,8,10,12,14,16,18,20,22,24,26,28,30 "
        + "1997-10-2,4,6,8,10,12,14,16,18,20,22,24,26,28,30 1997-11-1,3,5", isEndless: true),
    Example(
      start: "1997-09-02", rule: "FREQ=DAILY;INTERVAL=10;COUNT=5",
      dates: "1997-09-2,12,22 1997-10-2,12"),
    Example(
      start: "1998-01-01",
      rule: "FREQ=YEARLY;UNTIL=20000131T140000Z;BYMONTH=1;BYDAY=\(everyDay)", dates: january),
    Example(
      start: "1998-01-01", rule: "FREQ=DAILY;UNTIL=20000131T140000Z;BYMONTH=1", dates: january),
    Example(
      start: "1997-09-02", rule: "FREQ=WEEKLY;COUNT=10",
      dates: "1997-09-2,9,16,23,30 1997-10-7,14,21,28 1997-11-4"),
    Example(
      start: "1997-09-02", rule: "FREQ=WEEKLY;UNTIL=19971224T000000Z",
      dates: "1997-09-2,9,16,23,30 1997-10-7,14,21,28 1997-11-4,11,18,25 1997-12-2,9,16,23"),
    Example(
      start: "1997-09-02", rule: "FREQ=WEEKLY;INTERVAL=2;WKST=SU",
      dates: "1997-09-2,16,30 1997-10-14,28 1997-11-11,25 1997-12-9,23 1998-01-6,20 1998-02-3,17",
      isEndless: true),
    Example(
      start: "1997-09-02", rule: "FREQ=WEEKLY;UNTIL=19971007T000000Z;WKST=SU;BYDAY=TU,TH",
      dates: "1997-09-2,4,9,11,16,18,23,25,30 1997-10-2"),
    Example(
      start: "1997-09-02", rule: "FREQ=WEEKLY;COUNT=10;WKST=SU;BYDAY=TU,TH",
      dates: "1997-09-2,4,9,11,16,18,23,25,30 1997-10-2"),
    Example(
      start: "1997-09-01",
      rule: "FREQ=WEEKLY;INTERVAL=2;UNTIL=19971224T000000Z;WKST=SU;BYDAY=MO,WE,FR",
      dates: "1997-09-1,3,5,15,17,19,29 1997-10-1,3,13,15,17,27,29,31 1997-11-10,12,14,24,26,28 "
        + "1997-12-8,10,12,22"),
    Example(
      start: "1997-09-02", rule: "FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH",
      dates: "1997-09-2,4,16,18,30 1997-10-2,14,16"),
    Example(
      start: "1997-09-05", rule: "FREQ=MONTHLY;COUNT=10;BYDAY=1FR",
      dates:
        "1997-09-5 1997-10-3 1997-11-7 1997-12-5 1998-01-2 1998-02-6 1998-03-6 1998-04-3 1998-05-1 "
        + "1998-06-5"),
    Example(
      start: "1997-09-05", rule: "FREQ=MONTHLY;UNTIL=19971224T000000Z;BYDAY=1FR",
      dates: "1997-09-5 1997-10-3 1997-11-7 1997-12-5"),
    Example(
      start: "1997-09-07", rule: "FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU",
      dates: "1997-09-7,28 1997-11-2,30 1998-01-4,25 1998-03-1,29 1998-05-3,31"),
    Example(
      start: "1997-09-22", rule: "FREQ=MONTHLY;COUNT=6;BYDAY=-2MO",
      dates: "1997-09-22 1997-10-20 1997-11-17 1997-12-22 1998-01-19 1998-02-16"),
    Example(
      start: "1997-09-28", rule: "FREQ=MONTHLY;BYMONTHDAY=-3",
      dates: "1997-09-28 1997-10-29 1997-11-28 1997-12-29 1998-01-29 1998-02-26", isEndless: true),
    Example(
      start: "1997-09-02", rule: "FREQ=MONTHLY;COUNT=10;BYMONTHDAY=2,15",
      dates: "1997-09-2,15 1997-10-2,15 1997-11-2,15 1997-12-2,15 1998-01-2,15"),
    Example(
      start: "1997-09-30", rule: "FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1",
      dates: "1997-09-30 1997-10-1,31 1997-11-1,30 1997-12-1,31 1998-01-1,31 1998-02-1"),
    Example(
      start: "1997-09-10", rule: "FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15",
      dates: "1997-09-10..15 1999-03-10..13"),
    Example(
      start: "1997-09-02", rule: "FREQ=MONTHLY;INTERVAL=2;BYDAY=TU",
      dates: "1997-09-2,9,16,23,30 1997-11-4,11,18,25 1998-01-6,13,20,27 1998-03-3,10,17,24,31",
      isEndless: true),
    Example(
      start: "1997-06-10", rule: "FREQ=YEARLY;COUNT=10;BYMONTH=6,7",
      dates:
        "1997-06-10 1997-07-10 1998-06-10 1998-07-10 1999-06-10 1999-07-10 2000-06-10 2000-07-10 "
        + "2001-06-10 2001-07-10"),
    Example(
      start: "1997-03-10", rule: "FREQ=YEARLY;INTERVAL=2;COUNT=10;BYMONTH=1,2,3",
      dates:
        "1997-03-10 1999-01-10 1999-02-10 1999-03-10 2001-01-10 2001-02-10 2001-03-10 2003-01-10 "
        + "2003-02-10 2003-03-10"),
    Example(
      start: "1997-01-01", rule: "FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200",
      dates: "1997-01-1 1997-04-10 1997-07-19 2000-01-1 2000-04-9 2000-07-18 2003-01-1 2003-04-10 "
        + "2003-07-19 2006-01-1"),
    Example(
      start: "1997-05-19", rule: "FREQ=YEARLY;BYDAY=20MO",
      dates: "1997-05-19 1998-05-18 1999-05-17",
      isEndless: true),
    Example(
      start: "1997-05-12", rule: "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO",
      dates: "1997-05-12 1998-05-11 1999-05-17", isEndless: true),
    Example(
      start: "1997-03-13", rule: "FREQ=YEARLY;BYMONTH=3;BYDAY=TH",
      dates: "1997-03-13,20,27 1998-03-5,12,19,26 1999-03-4,11,18,25", isEndless: true),
    Example(
      start: "1997-06-05", rule: "FREQ=YEARLY;BYDAY=TH;BYMONTH=6,7,8",
      dates: "1997-06-5,12,19,26 1997-07-3,10,17,24,31 1997-08-7,14,21,28 1998-06-4,11,18,25 "
        + "1998-07-2,9,16,23,30 1998-08-6,13,20,27 1999-06-3,10,17,24 1999-07-1,8,15,22,29 "
        + "1999-08-5,12,19,26", isEndless: true),
    Example(
      start: "1997-09-13", rule: "FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13",
      dates: "1997-09-13 1997-10-11 1997-11-8 1997-12-13 1998-01-10 1998-02-7 1998-03-7 1998-04-11 "
        + "1998-05-9 1998-06-13", isEndless: true),
    Example(
      start: "1996-11-05",
      rule: "FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8",
      dates: "1996-11-5 2000-11-7 2004-11-2", isEndless: true),
    Example(
      start: "1997-09-04", rule: "FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3",
      dates: "1997-09-4 1997-10-7 1997-11-6"),
    Example(
      start: "1997-09-29", rule: "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2",
      dates: "1997-09-29 1997-10-30 1997-11-27 1997-12-30 1998-01-29 1998-02-26 1998-03-30",
      isEndless: true),
    Example(
      start: "1997-08-05", rule: "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO",
      dates: "1997-08-5,10,19,24"),
    Example(
      start: "1997-08-05", rule: "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU",
      dates: "1997-08-5,17,19,31"),
    Example(
      start: "2007-01-15", rule: "FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5",
      dates: "2007-01-15,30 2007-02-15 2007-03-15,30"),
    // RFC 7529 §4.1.
    Example(
      start: "2014-01-31", rule: "RSCALE=GREGORIAN;FREQ=MONTHLY;SKIP=BACKWARD;COUNT=4",
      dates: "2014-01-31 2014-02-28 2014-03-31 2014-04-30"),
    Example(
      start: "2016-02-29", rule: "RSCALE=GREGORIAN;FREQ=YEARLY;SKIP=BACKWARD;COUNT=4",
      dates: "2016-02-29 2017-02-28 2018-02-28 2019-02-28"),
    Example(
      start: "2016-02-29", rule: "RSCALE=GREGORIAN;FREQ=YEARLY;SKIP=OMIT;COUNT=2",
      dates: "2016-02-29 2020-02-29"),
  ]

  @Test(arguments: examples)
  func `a rule has the dates of its example`(example: Example) throws {
    let dates = try Self.dates(example.dates)
    let set = try Self.set(example.start, [example.rule])
    var walk = set.occurrences()
    for date in dates {
      expect(walk.next()?.key.description, is: "\(date)T09:00:00", "\(example.rule)")
    }
    expect(set.isEndless, is: example.isEndless)
    if !example.isEndless {
      expect(walk.next() == nil, "\(example.rule)")
      expect(set.last?.key.date, is: dates.last)
      let back = Array(set.occurrences(before: .latest)).reversed().map(\.key.date)
      expect(back, is: dates)
    }
    let number = set.number(of: try Self.local("\(try require(dates.last))T09:00:00"))
    expect(number, is: dates.count)
    // Whole days are the same dates.
    let days = try Self.set(example.start, [example.rule], zone: nil)
    expect(Array(days.occurrences().prefix(dates.count)).map(\.moment.wholeDay), is: dates)
  }

  @Test(
    arguments: [
      ("FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T210000Z", "09:00 12:00 15:00"),
      // As it is printed in the RFC, at 13:00 in New York.
      ("FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T170000Z", "09:00 12:00"),
      ("FREQ=MINUTELY;INTERVAL=15;COUNT=6", "09:00 09:15 09:30 09:45 10:00 10:15"),
      ("FREQ=MINUTELY;INTERVAL=90;COUNT=4", "09:00 10:30 12:00 13:30"),
      ("FREQ=DAILY;BYHOUR=9,10,11,12,13,14,15,16;BYMINUTE=0,20,40;COUNT=24", twentyMinutes),
      ("FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10,11,12,13,14,15,16;COUNT=24", twentyMinutes),
    ])
  func `a rule of hours has the times of its example`(rule: String, times: String) throws {
    let set = try Self.set("1997-09-02", [rule])
    let found = set.occurrences().map { $0.key.time.shortText }
    expect(found.joined(separator: " "), is: times)
    let next = try Self.set("1997-09-02", [try RecurrenceRule(rule).withoutEnd.description])
    expect(
      next.occurrences().prefix(60).map(\.key).prefix(found.count),
      is: set.occurrences().map(\.key)[...])
  }

  @Test func `every Friday the 13th is not the first time, which is left out`() throws {
    let set = try require(
      RecurrenceSet(
        from: try Self.local("1997-09-02T09:00:00"), in: try TimeFixtures.zone("America/New_York"),
        occursFirst: true, rules: [try RecurrenceRule("FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13")],
        except: [try Self.local("1997-09-02T09:00:00")]))
    let dates = try Self.dates("1998-02-13 1998-03-13 1998-11-13 1999-08-13 2000-10-13")
    expect(set.occurrences().prefix(5).map(\.key.date), is: dates)
  }

  private static func set(
    _ start: String, _ rules: [String], zone: String? = "America/New_York"
  ) throws -> RecurrenceSet {
    try require(
      RecurrenceSet(
        from: try local("\(start)T09:00:00"), in: try zone.map { try TimeFixtures.zone($0) },
        occursFirst: true, rules: try rules.map { try RecurrenceRule($0) }))
  }

  private static func local(_ text: String) throws -> CivilDateTime {
    CivilDateTime(secondsAsUTC: try TimeFixtures.instant(text + "Z").seconds)
  }

  /// Reads `1997-09-2,4,10..12`.
  private static func dates(_ text: String) throws -> [CivilDate] {
    try text.split(separator: " ").flatMap { month in
      let parts = month.split(separator: "-")
      return try parts[2].split(separator: ",").flatMap { days in
        let ends = try days.split(separator: ".").map { try require(Int($0)) }
        return try (ends[0]...ends[ends.count - 1]).map { day in
          try require(
            CivilDate(
              year: try require(Int(parts[0])), month: try require(Int(parts[1])), day: day))
        }
      }
    }
  }
}
