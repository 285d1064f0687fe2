import CapsuleCalendar
import RoomTestHelpers
import TestSupport
import Testing

/// One rule of RFC 5545: as it is read, and as it is written.
@Suite struct RecurrenceRuleTests {
  static let read: [(String, String?)] = [
    ("FREQ=DAILY", "FREQ=DAILY"),
    ("INTERVAL=2;FREQ=WEEKLY;WKST=SU;BYDAY=WE,MO,MO", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;WKST=SU"),
    ("freq=monthly;byday=-1fr,2TU,+1MO,SU", "FREQ=MONTHLY;BYDAY=SU,1MO,2TU,-1FR"),
    ("FREQ=MONTHLY;BYMONTHDAY=-1,15,1,-2", "FREQ=MONTHLY;BYMONTHDAY=1,15,-1,-2"),
    ("FREQ=YEARLY;BYMONTH=02,2;BYMONTHDAY=29;INTERVAL=1", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29"),
    ("FREQ=YEARLY;BYWEEKNO=20,-1;BYDAY=MO;WKST=MO", "FREQ=YEARLY;BYWEEKNO=20,-1;BYDAY=MO"),
    ("FREQ=YEARLY;BYYEARDAY=1,100,-1", "FREQ=YEARLY;BYYEARDAY=1,100,-1"),
    ("FREQ=DAILY;COUNT=10;", "FREQ=DAILY;COUNT=10"),
    (" FREQ = DAILY ; ; UNTIL = 19971224T000000Z ;; ", "FREQ=DAILY;UNTIL=19971224T000000Z"),
    ("FREQ=DAILY;UNTIL=19971224", "FREQ=DAILY;UNTIL=19971224"),
    ("FREQ=DAILY;UNTIL=19971224T235960", "FREQ=DAILY;UNTIL=19971224T235959"),
    ("FREQ=DAILY;COUNT=3;UNTIL=20300101", "FREQ=DAILY;COUNT=3;UNTIL=20300101"),
    ("FREQ=WEEKLY;BYDAY=MO,TU,,", "FREQ=WEEKLY;BYDAY=MO,TU"),
    ("FREQ=DAILY;X-NOTE=a=b;X-EMPTY", "FREQ=DAILY"),
    ("RSCALE=GREGORIAN;FREQ=MONTHLY", "FREQ=MONTHLY"),
    ("FREQ=MONTHLY;SKIP=OMIT", "FREQ=MONTHLY"),
    ("FREQ=MONTHLY;SKIP=BACKWARD", "RSCALE=GREGORIAN;FREQ=MONTHLY;SKIP=BACKWARD"),
    (
      "FREQ=DAILY;BYHOUR=9,8;BYMINUTE=30;BYSECOND=60,59",
      "FREQ=DAILY;BYHOUR=8,9;BYMINUTE=30;BYSECOND=59"
    ),
    ("FREQ=MONTHLY;BYSETPOS=-1,1;BYDAY=MO,FR", "FREQ=MONTHLY;BYDAY=MO,FR;BYSETPOS=1,-1"),
    ("FREQ=HOURLY;BYMINUTE=0,15,30,45", "FREQ=HOURLY;BYMINUTE=0,15,30,45"),
    ("FREQ=MINUTELY;INTERVAL=15", "FREQ=MINUTELY;INTERVAL=15"),
    ("FREQ=MINUTELY;INTERVAL=10;BYHOUR=9,10,11,12,13,14,15,16", nil),
    ("FREQ=MINUTELY;BYHOUR=9", "FREQ=MINUTELY;BYHOUR=9"),
    ("FREQ=SECONDLY;INTERVAL=900", "FREQ=SECONDLY;INTERVAL=900"),
    ("FREQ=SECONDLY;BYHOUR=9;BYMINUTE=0", "FREQ=SECONDLY;BYHOUR=9;BYMINUTE=0"),
  ]

  @Test(arguments: read)
  func `a rule is read, and written in one form`(text: String, written: String?) throws {
    let written = written ?? text
    let rule = try RecurrenceRule(text)
    expect(rule.description, is: written)
    expect(try RecurrenceRule(written), is: rule)
  }

  static let refused: [(String, RecurrenceRuleError)] = [
    ("", .missingFrequency), ("INTERVAL=2", .missingFrequency),
    ("FREQ", .malformed("FREQ")), ("FREQ=DAILY;=3", .malformed("=3")),
    ("FREQ=DAILY;COUNT=3=4", .malformed("COUNT=3=4")),
    ("FREQ=OFTEN", .invalidValue(part: "FREQ", value: "OFTEN")),
    ("FREQ=DAILY;BYEASTER=0", .unknownPart("BYEASTER")),
    ("FREQ=DAILY;COUNT=1;count=2", .repeatedPart("COUNT")),
    ("FREQ=DAILY;INTERVAL=0", .invalidValue(part: "INTERVAL", value: "0")),
    ("FREQ=DAILY;INTERVAL=-1", .invalidValue(part: "INTERVAL", value: "-1")),
    ("FREQ=DAILY;INTERVAL=1000000000", .invalidValue(part: "INTERVAL", value: "1000000000")),
    ("FREQ=DAILY;COUNT=0", .invalidValue(part: "COUNT", value: "0")),
    ("FREQ=DAILY;COUNT=", .invalidValue(part: "COUNT", value: "")),
    ("FREQ=DAILY;UNTIL=19970229", .invalidValue(part: "UNTIL", value: "19970229")),
    ("FREQ=DAILY;UNTIL=19970228T2400", .invalidValue(part: "UNTIL", value: "19970228T2400")),
    ("FREQ=DAILY;UNTIL=19970228T090000X", .invalidValue(part: "UNTIL", value: "19970228T090000X")),
    ("FREQ=DAILY;BYMONTH=13", .invalidValue(part: "BYMONTH", value: "13")),
    ("FREQ=DAILY;BYMONTH=5L", .invalidValue(part: "BYMONTH", value: "5L")),
    ("FREQ=DAILY;BYMONTH=-1", .invalidValue(part: "BYMONTH", value: "-1")),
    ("FREQ=MONTHLY;BYMONTHDAY=0", .invalidValue(part: "BYMONTHDAY", value: "0")),
    ("FREQ=MONTHLY;BYMONTHDAY=1,,2", .invalidValue(part: "BYMONTHDAY", value: "")),
    ("FREQ=MONTHLY;BYMONTHDAY=,", .invalidValue(part: "BYMONTHDAY", value: ",")),
    ("FREQ=YEARLY;BYYEARDAY=367", .invalidValue(part: "BYYEARDAY", value: "367")),
    ("FREQ=YEARLY;BYWEEKNO=54", .invalidValue(part: "BYWEEKNO", value: "54")),
    ("FREQ=MONTHLY;BYDAY=0MO", .invalidValue(part: "BYDAY", value: "0MO")),
    ("FREQ=MONTHLY;BYDAY=54MO", .invalidValue(part: "BYDAY", value: "54MO")),
    ("FREQ=MONTHLY;BYDAY=MON", .invalidValue(part: "BYDAY", value: "MON")),
    ("FREQ=DAILY;BYHOUR=24", .invalidValue(part: "BYHOUR", value: "24")),
    ("FREQ=DAILY;WKST=1MO", .invalidValue(part: "WKST", value: "1MO")),
    ("RSCALE=HEBREW;FREQ=YEARLY", .unsupportedCalendar("HEBREW")),
    ("FREQ=YEARLY;SKIP=FORWARD", .unsupportedSkip("FORWARD")),
    ("FREQ=MONTHLY;BYWEEKNO=20", .notAllowed(part: "BYWEEKNO", in: .monthly)),
    ("FREQ=DAILY;BYYEARDAY=20", .notAllowed(part: "BYYEARDAY", in: .daily)),
    ("FREQ=WEEKLY;BYMONTHDAY=20", .notAllowed(part: "BYMONTHDAY", in: .weekly)),
    ("FREQ=WEEKLY;BYDAY=TU,1MO", .numberedWeekday("1MO", in: .weekly)),
    ("FREQ=YEARLY;BYWEEKNO=20;BYDAY=1MO", .numberedWeekdayOfWeek("1MO")),
    ("FREQ=MONTHLY;BYSETPOS=1", .positionsAlone),
    ("FREQ=MINUTELY", .tooFrequent(perDay: 1440)),
    ("FREQ=MINUTELY;COUNT=3", .tooFrequent(perDay: 1440)),
    ("FREQ=MINUTELY;INTERVAL=14", .tooFrequent(perDay: 103)),
    ("FREQ=MINUTELY;BYHOUR=9,10", .tooFrequent(perDay: 120)),
    ("FREQ=SECONDLY", .tooFrequent(perDay: 86_400)),
    ("FREQ=SECONDLY;INTERVAL=899;COUNT=2", .tooFrequent(perDay: 97)),
    ("FREQ=HOURLY;BYMINUTE=0,10,20,30,40,50", .tooFrequent(perDay: 144)),
    (
      "FREQ=DAILY;BYHOUR=9,10,11,12;BYMINUTE=0,1,2,3,4;BYSECOND=0,1,2,3,4",
      .tooFrequent(perDay: 100)
    ),
  ]

  @Test(arguments: refused)
  func `what is no rule is refused with its reason`(
    text: String, reason: RecurrenceRuleError
  ) {
    expect(throws: reason) { try RecurrenceRule(text) }
    expect(!reason.description.isEmpty)
  }

  @Test func `of many times a day BYSETPOS keeps few`() throws {
    let text = "FREQ=DAILY;BYHOUR=9,10,11,12;BYMINUTE=0,1,2,3,4;BYSECOND=0,1,2,3,4;BYSETPOS=1,-1"
    expect(try RecurrenceRule(text).occurrencesPerDay, is: 2)
  }

  @Test func `1,000 rules in words are rules of RFC 5545 with the same dates, and come back`()
    throws
  {
    let path = TimeFixtures.directory + "../events/rules.tsv"
    let text = String(decoding: try require(TimeFixtures.read(path)), as: UTF8.self)
    let rows = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
      .map { $0.split(separator: "\t").map(String.init) }
    for row in rows.prefix(TestScale.count(full: 1000, debug: 200)) {
      let words = try require(Recurrence(words: row[0]))
      let leapDay: LeapDayRule = row[1] == "mar1" ? .march1 : .february28
      let anchor = try require(CivilDate(iso8601: row[2]))
      let (rule, start) = try require(words.rule(from: anchor, leapDay: leapDay))
      expect(try RecurrenceRule(rule.description), is: rule)
      let set = try require(
        RecurrenceSet(
          from: CivilDateTime(date: start, time: .midnight), in: nil, occursFirst: false,
          rules: [rule]))
      let count = try require(Int(row[3]))
      var walk = set.occurrences()
      for number in 0..<min(count, 60) {
        let date = words.date(number, from: anchor, leapDay: leapDay)
        expect(walk.next()?.moment.wholeDay, is: date, "\(row) \(number)")
      }
      let last = try require(CivilDate(iso8601: row[5]))
      let found = set.previous(before: Instant(seconds: Int64(last.daysSinceEpoch + 1) * 86_400))
      expect(found?.moment.wholeDay, is: last, "\(row)")
      expect(set.number(of: CivilDateTime(date: last, time: .midnight)), is: count, "\(row)")
      let back = Recurrence(
        rule, from: CivilDateTime(date: start, time: .noon), isAllDay: false, leapDay: leapDay)
      expect(back, is: words, "\(row)")
    }
  }

  static let said: [(String, String, String?)] = [
    ("FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR", "2026-11-30", "weekdays"),
    (
      "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU", "2026-11-30",
      "every Monday, Tuesday, Wednesday, Thursday, Friday, Saturday and Sunday"
    ),
    ("FREQ=DAILY;INTERVAL=14", "2026-11-30", "every 14 days"),
    ("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU;WKST=SU", "2026-12-01", "every 2 weeks on Tuesday"),
    (
      "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=MO", "2026-12-01",
      "every 2 weeks on Tuesday and Sunday"
    ),
    ("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU", "2026-12-01", nil),
    ("FREQ=MONTHLY;BYDAY=TU;BYSETPOS=2", "2026-12-08", "2nd Tuesday of the month"),
    (
      "FREQ=MONTHLY;BYDAY=TU;BYMONTHDAY=8,9,10,11,12,13,14", "2026-12-08",
      "2nd Tuesday of the month"
    ),
    ("FREQ=MONTHLY;BYDAY=2TU;BYHOUR=12;BYMINUTE=0", "2026-12-08", "2nd Tuesday of the month"),
    ("FREQ=YEARLY;BYDAY=-1FR;BYMONTH=11", "2026-11-27", "every 12 months on the last Friday"),
    ("FREQ=YEARLY;BYMONTH=1,2,3,4,5,6,7,8,9,10,11,12;BYMONTHDAY=15", "2026-12-15", "monthly"),
    ("FREQ=MONTHLY;INTERVAL=12", "2026-12-15", "every 12 months"),
    ("FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=15", "2026-12-15", "every 3 months"),
    ("FREQ=MONTHLY;BYMONTHDAY=-1", "2026-10-31", "monthly"),
    ("FREQ=MONTHLY;BYMONTHDAY=-1", "2026-11-30", nil),
    ("FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1", "2026-10-31", "monthly"),
    ("FREQ=MONTHLY;BYMONTHDAY=31", "2026-10-31", nil),
    ("FREQ=MONTHLY", "2026-10-31", nil),
    ("FREQ=MONTHLY;SKIP=BACKWARD", "2026-10-31", "monthly"),
    ("FREQ=YEARLY", "2024-02-29", nil),
    ("FREQ=YEARLY;INTERVAL=4", "2024-02-29", nil),
    ("FREQ=YEARLY;SKIP=BACKWARD", "2024-02-29", "yearly"),
    ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1", "2024-02-29", "yearly"),
    ("FREQ=YEARLY;BYYEARDAY=60", "2024-02-29", nil),
    ("FREQ=YEARLY;BYYEARDAY=-307", "2024-02-29", "yearly"),
    ("FREQ=YEARLY;BYMONTH=6;BYMONTHDAY=15", "2026-06-15", "yearly"),
    ("FREQ=YEARLY;BYYEARDAY=31", "2026-01-31", "yearly"),
    ("FREQ=YEARLY;BYYEARDAY=166", "2026-06-15", nil),
    ("FREQ=YEARLY;BYMONTH=6;BYMONTHDAY=15", "2026-06-14", nil),
    ("FREQ=DAILY;BYHOUR=12,13", "2026-06-14", nil),
    ("FREQ=HOURLY;INTERVAL=24", "2026-06-14", nil),
    ("FREQ=DAILY;INTERVAL=1001", "2026-06-14", "every 143 weeks"),
    ("FREQ=DAILY;INTERVAL=1002", "2026-06-14", nil),
    ("FREQ=YEARLY;INTERVAL=9000", "2026-06-14", nil),
  ]

  @Test(arguments: said)
  func `a rule is said in words where they have exactly its dates`(
    text: String, start: String, words: String?
  ) throws {
    let anchor = CivilDateTime(date: try require(CivilDate(iso8601: start)), time: .noon)
    let found = Recurrence(
      try RecurrenceRule(text), from: anchor, isAllDay: false, leapDay: .february28)
    expect(found?.words, is: words)
  }

  @Test func `29 February is said in words by the setting`() throws {
    let leapDay = CivilDateTime(
      date: try require(CivilDate(iso8601: "2024-02-29")), time: .midnight)
    let rule = try RecurrenceRule("FREQ=YEARLY;BYYEARDAY=60")
    let found = Recurrence(rule, from: leapDay, isAllDay: true, leapDay: .march1)
    expect(found?.words, is: "yearly")
  }
}
