import CapsuleCalendar
import RoomTestHelpers
import TestSupport
import Testing

/// Series: rules together with what is left out, added and moved, on the clocks of a zone.
@Suite struct RecurrenceSetTests {
  private static func local(_ text: String) throws -> CivilDateTime {
    let text = text.utf8.count == 10 ? text + "T00:00:00" : text
    return CivilDateTime(secondsAsUTC: try TimeFixtures.instant(text + "Z").seconds)
  }

  private static func set(
    _ start: String, _ zone: String?, _ rules: String..., occursFirst: Bool = true,
    until: RecurrenceRule.Until? = nil, times: Int? = nil, except: [String] = [],
    also: [String] = [], moved: [String: RecurrenceSet.Move] = [:]
  ) throws -> RecurrenceSet {
    var moves: [CivilDateTime: RecurrenceSet.Move] = [:]
    for (key, move) in moved { moves[try local(key)] = move }
    return try require(
      RecurrenceSet(
        from: try local(start), in: try zone.map { try TimeFixtures.zone($0) },
        occursFirst: occursFirst, rules: try rules.map { try RecurrenceRule($0) }, until: until,
        times: times, except: try except.map { try local($0) },
        also: try also.map { try local($0) },
        moved: moves))
  }

  /// What occurs: the key, and the instant or the date; both ways.
  private static func told(_ set: RecurrenceSet, _ count: Int = 20) throws -> [String] {
    let found = Array(set.occurrences().prefix(count))
    let back = Array(set.occurrences(before: try require(found.last?.place).adding(seconds: 1)))
    expect(Array(back.reversed()), is: found)
    return found.map { occurrence in
      let key = occurrence.key.description
      return switch occurrence.moment {
      case .day(let date): "\(key.prefix(10)) \(date)"
      case .instant(let instant): "\(key) \(instant.rfc3339)"
      }
    }
  }

  // MARK: Clocks

  @Test func `clocks that are skipped are moved behind the gap and counted`() throws {
    let set = try Self.set("2026-03-28T02:30:00", "Europe/Paris", "FREQ=DAILY;COUNT=3")
    expect(
      try Self.told(set),
      is: [
        "2026-03-28T02:30:00 2026-03-28T01:30:00Z", "2026-03-29T02:30:00 2026-03-29T01:30:00Z",
        "2026-03-30T02:30:00 2026-03-30T00:30:00Z",
      ])
    expect(set.number(of: try Self.local("2026-03-29T02:30:00")), is: 2)
  }

  @Test func `of clocks that are shown twice the first is meant`() throws {
    let set = try Self.set("2026-10-24T02:30:00", "Europe/Paris", "FREQ=DAILY;COUNT=3")
    expect(
      try Self.told(set).map { $0.suffix(20) },
      is: ["2026-10-24T00:30:00Z", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"])
  }

  @Test func `hours step on clocks, and two at one instant are one`() throws {
    let spring = try Self.set("2026-03-29T00:30:00", "Europe/Paris", "FREQ=HOURLY;COUNT=5")
    expect(
      try Self.told(spring),
      is: [
        "2026-03-29T00:30:00 2026-03-28T23:30:00Z", "2026-03-29T01:30:00 2026-03-29T00:30:00Z",
        "2026-03-29T03:30:00 2026-03-29T01:30:00Z", "2026-03-29T04:30:00 2026-03-29T02:30:00Z",
      ])
    let fall = try Self.set("2026-10-25T01:30:00", "Europe/Paris", "FREQ=HOURLY;COUNT=3")
    expect(
      try Self.told(fall).map { $0.suffix(20) },
      is: ["2026-10-24T23:30:00Z", "2026-10-25T00:30:00Z", "2026-10-25T02:30:00Z"])
  }

  @Test func `times behind a gap are in the order of instants`() throws {
    let set = try Self.set(
      "2026-03-29T01:45:00", "Europe/Paris", "FREQ=DAILY;BYHOUR=2,3;BYMINUTE=20,40;COUNT=5")
    expect(
      try Self.told(set),
      is: [
        "2026-03-29T01:45:00 2026-03-29T00:45:00Z", "2026-03-29T03:20:00 2026-03-29T01:20:00Z",
        "2026-03-29T03:40:00 2026-03-29T01:40:00Z",
      ])
    let other = try Self.set(
      "2026-03-29T01:45:00", "Europe/Paris", "FREQ=DAILY;BYHOUR=2;BYMINUTE=20,40;COUNT=3",
      "FREQ=DAILY;BYHOUR=3;BYMINUTE=0,30;COUNT=3")
    expect(
      try Self.told(other).map { $0.prefix(16) },
      is: [
        "2026-03-29T01:45", "2026-03-29T03:00", "2026-03-29T02:20", "2026-03-29T03:30",
        "2026-03-29T02:40",
      ])
  }

  @Test func `a day that a zone skips occurs with the next`() throws {
    let timed = try Self.set("2011-12-29T09:00:00", "Pacific/Apia", "FREQ=DAILY;COUNT=4")
    expect(
      try Self.told(timed).map { $0.prefix(10) }, is: ["2011-12-29", "2011-12-31", "2012-01-01"])
    let days = try Self.set("2011-12-29", nil, "FREQ=DAILY;COUNT=4")
    expect(
      try Self.told(days).map { $0.suffix(10) },
      is: ["2011-12-29", "2011-12-30", "2011-12-31", "2012-01-01"])
  }

  @Test func `a time that is left out at a gap is that which clocks show`() throws {
    let skipped = try Self.set(
      "2026-03-29T00:30:00", "Europe/Paris", "FREQ=HOURLY;COUNT=5", except: ["2026-03-29T02:30:00"])
    expect(try Self.told(skipped).count, is: 4)
    let shown = try Self.set(
      "2026-03-29T00:30:00", "Europe/Paris", "FREQ=HOURLY;COUNT=5", except: ["2026-03-29T03:30:00"])
    expect(
      try Self.told(shown).map { $0.prefix(16) },
      is: ["2026-03-29T00:30", "2026-03-29T01:30", "2026-03-29T04:30"])
  }

  // MARK: The first time and the end

  @Test func `an anchor beside the rule occurs and counts where it is asked for`() throws {
    let dates = ["2026-12-02", "2026-12-04", "2026-12-11"]
    let set = try Self.set("2026-12-02", nil, "FREQ=WEEKLY;BYDAY=FR;COUNT=3")
    expect(try Self.told(set).map { $0.suffix(10) }, is: dates.map { $0.suffix(10) })
    expect(set.number(of: try Self.local("2026-12-02")), is: 1)
    expect(set.number(of: try Self.local("2026-12-04")), is: 2)
    expect(set.number(of: try Self.local("2026-12-05")) == nil)
    let other = try Self.set("2026-12-02", nil, "FREQ=WEEKLY;BYDAY=FR;COUNT=2", occursFirst: false)
    expect(try Self.told(other).map { $0.suffix(10) }, is: dates[1...].map { $0.suffix(10) })
    expect(other.number(of: try Self.local("2026-12-04")), is: 1)
    let once = try Self.set("2026-12-02", nil, "FREQ=WEEKLY;BYDAY=FR;COUNT=1")
    expect(try Self.told(once), is: ["2026-12-02 2026-12-02"])
    let twice = try Self.set("2026-12-04", nil, "FREQ=WEEKLY;BYDAY=FR;COUNT=2")
    expect(try Self.told(twice).map { $0.suffix(10) }, is: dates[1...].map { $0.suffix(10) })
  }

  static let ends: [(RecurrenceRule.Until, Int)] = [
    (.local(CivilDateTime(secondsAsUTC: 1_796_202_000)), 3),
    (.local(CivilDateTime(secondsAsUTC: 1_796_201_999)), 2),
    // 09:00 in New York.
    (.utc(Instant(seconds: 1_796_220_000)), 3), (.utc(Instant(seconds: 1_796_219_999)), 2),
    (.date(CivilDateTime(secondsAsUTC: 1_796_202_000).date), 3),
    (.date(CivilDateTime(secondsAsUTC: 1_796_115_600).date), 2),
    (.date(CivilDateTime(secondsAsUTC: 1_700_000_000).date), 1),
  ]

  @Test(arguments: ends)
  func `the last time is included, on the clocks of the zone`(
    until: RecurrenceRule.Until, count: Int
  ) throws {
    // 1,796,202,000 is 2026-12-02T09:00:00 as UTC's clocks show it.
    let set = try Self.set("2026-11-30T09:00:00", "America/New_York", "FREQ=DAILY", until: until)
    expect(try Self.told(set).count, is: count)
    let inRule = try Self.set(
      "2026-11-30T09:00:00", "America/New_York", "FREQ=DAILY;UNTIL=\(until)")
    expect(try Self.told(inRule).count, is: count)
    let other = try Self.set(
      "2026-11-30T09:00:00", "America/New_York", "FREQ=DAILY;COUNT=2", until: until, times: 5)
    expect(try Self.told(other).count, is: min(count, 2))
  }

  @Test func `before the first time no end leaves anything but an anchor`() throws {
    let until = RecurrenceRule.Until.date(try require(CivilDate(iso8601: "2026-01-01")))
    let set = try Self.set(
      "2026-12-02", nil, "FREQ=DAILY", occursFirst: false, until: until)
    expect(set.occurrences().map(\.key), is: [])
    expect(set.last == nil && !set.isEndless)
  }

  @Test func `the times of several rules are one series`() throws {
    let set = try Self.set(
      "2026-12-01", nil, "FREQ=WEEKLY;BYDAY=TU", "FREQ=MONTHLY;BYMONTHDAY=1,15",
      "FREQ=DAILY;INTERVAL=10;COUNT=2", times: 6)
    expect(
      try Self.told(set).map { $0.suffix(5) },
      is: ["12-01", "12-08", "12-11", "12-15", "12-22", "12-29"])
    expect(set.last?.key.date.description, is: "2026-12-29")
    let rules = Array(repeating: try RecurrenceRule("FREQ=DAILY"), count: 9)
    let anchor = try Self.local("2026-12-01")
    expect(RecurrenceSet(from: anchor, in: nil, occursFirst: true, rules: rules) == nil)
    let two = Array(rules.prefix(2))
    expect(
      RecurrenceSet(from: anchor, in: nil, occursFirst: true, rules: two, times: 1_000_001) == nil)
  }

  @Test func `without a rule there is what is named`() throws {
    let set = try Self.set("2026-12-02", nil, also: ["2027-01-01", "2026-06-01", "2027-01-01"])
    expect(
      try Self.told(set).map { $0.suffix(10) }, is: ["2026-06-01", "2026-12-02", "2027-01-01"])
    expect(set.last?.key.date.description, is: "2027-01-01")
  }

  // MARK: What is left out, added and moved

  @Test func `what is left out and what is moved counts`() throws {
    let paris = try TimeFixtures.zone("Europe/Paris")
    let tokyo = try TimeFixtures.zone("Asia/Tokyo")
    let set = try Self.set(
      "2026-12-01T09:00:00", "Europe/Paris", "FREQ=DAILY;COUNT=6",
      except: ["2026-12-02T09:00:00", "2026-12-04T09:00:00", "2027-01-01T09:00:00"],
      also: ["2026-12-03T12:00:00", "2026-12-24T18:00:00"],
      moved: [
        "2026-12-03T09:00:00": .instant(
          paris.resolve(try Self.local("2026-12-20T10:00:00")).instant),
        "2026-12-04T09:00:00": .instant(
          tokyo.resolve(try Self.local("2026-12-01T09:00:00")).instant),
        "2026-12-05T09:00:00": .canceled,
        "2026-12-06T09:00:00": .date(try require(CivilDate(iso8601: "2026-12-30"))),
        "2026-12-31T09:00:00": .instant(
          paris.resolve(try Self.local("2026-12-31T10:00:00")).instant),
      ])
    expect(
      try Self.told(set),
      is: [
        // One that is moved stands even where it is left out.
        "2026-12-04T09:00:00 2026-12-01T00:00:00Z", "2026-12-01T09:00:00 2026-12-01T08:00:00Z",
        "2026-12-03T12:00:00 2026-12-03T11:00:00Z", "2026-12-03T09:00:00 2026-12-20T09:00:00Z",
        "2026-12-24T18:00:00 2026-12-24T17:00:00Z", "2026-12-06 2026-12-30",
        // And one that the series does not have.
        "2026-12-31T09:00:00 2026-12-31T09:00:00Z",
      ])
    expect(set.unmatchedCount, is: 1)
    expect(set.occurrences().map(\.isMoved), is: [true, false, false, true, false, true, true])
    expect(set.last?.isMoved, is: true)
    let after = try TimeFixtures.instant("2026-12-03T11:00:00Z")
    expect(set.next(after: after)?.key.description, is: "2026-12-03T09:00:00")
    expect(set.previous(before: after)?.key.description, is: "2026-12-01T09:00:00")
  }

  @Test func `a key of another time means the only one of its day`() throws {
    let daily = try Self.set(
      "2026-12-01T09:00:00", "Europe/Paris", "FREQ=DAILY;COUNT=3", except: ["2026-12-02T00:00:00"])
    expect(try Self.told(daily).count == 2 && daily.unmatchedCount == 0)
    let twice = try Self.set(
      "2026-12-01T09:00:00", "Europe/Paris", "FREQ=DAILY;BYHOUR=9,18;COUNT=4",
      except: ["2026-12-02T00:00:00"])
    expect(try Self.told(twice).count == 4 && twice.unmatchedCount == 1)
    let first = try Self.set(
      "2026-12-01T09:00:00", "Europe/Paris", "FREQ=DAILY;COUNT=2", except: ["2026-12-01T09:00:00"])
    expect(try Self.told(first).map { $0.prefix(10) }, is: ["2026-12-02"])
  }

  @Test func `what a calendar names is found by time, instant and date`() throws {
    let set = try Self.set(
      "2026-12-01T09:00:00", "Europe/Paris", "FREQ=DAILY;BYHOUR=9;COUNT=3",
      also: ["2026-12-02T18:00:00"])
    func keys(_ pointer: RecurrenceSet.Pointer) -> [String] { set.keys(pointer).map(\.description) }
    let (date, other) = (try Self.local("2026-12-02").date, try Self.local("2026-12-03").date)
    expect(keys(.date(date)), is: ["2026-12-02T09:00:00", "2026-12-02T18:00:00"])
    expect(keys(.local(try Self.local("2026-12-02T18:00:00"))), is: ["2026-12-02T18:00:00"])
    expect(keys(.local(try Self.local("2026-12-02T10:00:00"))), is: [])
    expect(keys(.local(try Self.local("2026-12-03T10:00:00"))), is: ["2026-12-03T09:00:00"])
    expect(
      keys(.instant(try TimeFixtures.instant("2026-12-02T17:00:00Z"))), is: ["2026-12-02T18:00:00"])
    expect(
      keys(.instant(try TimeFixtures.instant("2026-12-03T02:00:00Z"))), is: ["2026-12-03T09:00:00"])
    expect(keys(.instant(try TimeFixtures.instant("2026-12-04T02:00:00Z"))), is: [])
    let days = try Self.set("2026-12-01", nil, "FREQ=DAILY;COUNT=3")
    for pointer: RecurrenceSet.Pointer in [
      .date(other), .local(try Self.local("2026-12-03T10:00:00")),
      .instant(try TimeFixtures.instant("2026-12-03T02:00:00Z")),
    ] {
      expect(days.keys(pointer).map(\.date), is: [other])
    }
    // A time that clocks skip, by the instant that it has.
    let skipped = try Self.set("2026-03-28T02:30:00", "Europe/Paris", "FREQ=DAILY;COUNT=3")
    let instant = try TimeFixtures.instant("2026-03-29T01:30:00Z")
    expect(skipped.keys(.instant(instant)).map(\.description), is: ["2026-03-29T02:30:00"])
  }

  // MARK: Dates that are not there, and years

  @Test(
    arguments: [
      ("2024-02-29", "FREQ=YEARLY", "2028-02-29 2032-02-29"),
      ("2096-02-29", "FREQ=YEARLY", "2104-02-29 2108-02-29"),
      ("2024-02-29", "FREQ=YEARLY;INTERVAL=3", "2036-02-29 2048-02-29"),
      ("2024-01-31", "FREQ=MONTHLY", "2024-03-31 2024-05-31"),
      ("2024-01-30", "FREQ=MONTHLY;SKIP=BACKWARD", "2024-02-29 2024-03-30"),
      ("2024-01-31", "FREQ=MONTHLY;BYMONTHDAY=30,31;SKIP=BACKWARD", "2024-02-29 2024-03-30"),
      ("2023-12-31", "FREQ=YEARLY;BYYEARDAY=366", "2024-12-31 2028-12-31"),
      ("2023-12-31", "FREQ=YEARLY;BYYEARDAY=366;SKIP=BACKWARD", "2024-12-31 2025-12-31"),
      ("2023-12-31", "FREQ=YEARLY;BYYEARDAY=-366", "2024-01-01 2028-01-01"),
      ("2020-12-31", "FREQ=YEARLY;INTERVAL=4", "2024-12-31 2028-12-31"),
      ("2026-12-28", "FREQ=YEARLY;BYWEEKNO=53", "2032-12-27 2037-12-28"),
      ("2018-12-31", "FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO", "2019-12-30 2021-01-04"),
      ("2018-12-31", "FREQ=YEARLY;BYWEEKNO=1", "2019-12-30 2021-01-04"),
      ("2020-01-01", "FREQ=YEARLY;BYWEEKNO=53;BYDAY=FR", "2021-01-01 2027-01-01"),
      ("2020-01-01", "FREQ=YEARLY;BYWEEKNO=-1;BYDAY=SU", "2021-01-03 2022-01-02"),
      ("2038-12-27", "FREQ=YEARLY;BYWEEKNO=52;BYDAY=SA", "2039-01-01 2039-12-31"),
      ("2018-12-31", "FREQ=YEARLY;BYWEEKNO=-52;BYDAY=MO", "2020-01-06 2021-01-04"),
      ("2024-12-29", "FREQ=WEEKLY;BYDAY=SU,WE;BYSETPOS=-1;WKST=SU", "2025-01-01 2025-01-08"),
      ("2024-12-30", "FREQ=WEEKLY;BYDAY=MO,TU,WE;BYSETPOS=3;BYMONTH=12,1", "2025-01-01 2025-01-08"),
      ("2024-12-30", "FREQ=WEEKLY;BYDAY=MO,TU,WE;BYSETPOS=2;BYMONTH=12", "2024-12-31 2025-12-02"),
      ("2024-12-31", "FREQ=DAILY;INTERVAL=366", "2026-01-01 2027-01-02"),
      ("2024-12-31", "FREQ=MONTHLY;INTERVAL=14", "2029-08-31 2030-10-31"),
    ])
  func `a day that is not there is left out or clamped`(
    start: String, rule: String, next: String
  ) throws {
    let set = try Self.set(start, nil, rule)
    let found = try Self.told(set, 3).map { $0.suffix(10) }
    expect(found.joined(separator: " "), is: "\(start) \(next)")
  }

  /// The places of BYSETPOS count the times of a period: the same one may be named from both ends.
  @Test(
    arguments: [
      ("FREQ=WEEKLY;BYDAY=MO,WE;BYHOUR=9,18;BYSETPOS=1,-1,-4", "06T09 08T18 13T09 15T18 20T09"),
      ("FREQ=MONTHLY;BYDAY=MO,WE;BYHOUR=9,18;BYSETPOS=2,-2", "06T09 29T09 03T18 26T09 03T18"),
      (
        "FREQ=YEARLY;BYMONTH=1;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=9,18;BYSETPOS=11,13,-1",
        "06T09 07T09 31T18 06T09 07T09"
      ),
    ])
  func `of several times a day a rule keeps some, and counts them`(
    rule: String, days: String
  ) throws {
    for count in 3...5 {
      let set = try Self.set("2025-01-06T09:00:00", "UTC", "\(rule);COUNT=\(count)")
      let found = try Self.told(set, 9).map { $0.dropFirst(8).prefix(5) }
      expect(found, is: Array(days.split(separator: " ").prefix(count)))
      expect(set.last.flatMap { set.number(of: $0.key) }, is: count)
    }
  }

  @Test func `hours that step over days are whole days where the start has no time`() throws {
    let set = try Self.set("2025-01-06", nil, "FREQ=HOURLY;INTERVAL=36;COUNT=3")
    expect(
      try Self.told(set, 9).map { String($0.suffix(10)) },
      is: [
        "2025-01-06", "2025-01-07", "2025-01-09",
      ])
  }

  @Test func `a series ends with the year 9999, and begins with the year 1`() throws {
    let set = try Self.set("9999-12-30T23:30:00", "America/New_York", "FREQ=HOURLY")
    // 10000-01-01T04:30:00Z cannot be written.
    expect(try Self.told(set, 30).count, is: 20)
    expect(set.next(after: .latest) == nil)
    let days = try Self.set("9999-12-30", nil, "FREQ=DAILY")
    expect(try Self.told(days).count, is: 2)
    let early = try Self.set("0001-01-01T00:30:00", "Asia/Tokyo", "FREQ=DAILY;COUNT=2")
    expect(early.occurrences().map(\.key.description), is: ["0001-01-02T00:30:00"])
    expect(early.occurrences(before: .latest).map(\.key.description), is: ["0001-01-02T00:30:00"])
  }

  // MARK: Bounds

  @Test(
    arguments: [
      "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=31",
      "FREQ=DAILY;INTERVAL=1000;BYMONTH=2;BYMONTHDAY=30", "FREQ=HOURLY;BYMONTH=4;BYMONTHDAY=31",
      "FREQ=YEARLY;INTERVAL=400;BYMONTH=2;BYMONTHDAY=29;BYDAY=WE",
      "FREQ=YEARLY;BYMONTH=1;BYYEARDAY=60", "FREQ=MONTHLY;BYDAY=6MO",
      "FREQ=YEARLY;BYDAY=MO;BYSETPOS=54",
      "FREQ=DAILY;BYHOUR=9;BYSETPOS=2", "FREQ=HOURLY;INTERVAL=24;BYHOUR=5",
      "FREQ=HOURLY;INTERVAL=168;BYDAY=TU", "FREQ=HOURLY;INTERVAL=14;BYHOUR=5;BYDAY=MO",
      "FREQ=MINUTELY;INTERVAL=60;BYMINUTE=30", "FREQ=MINUTELY;INTERVAL=10080;BYDAY=WE",
      "FREQ=SECONDLY;INTERVAL=86400;BYHOUR=7", "FREQ=SECONDLY;INTERVAL=604800;BYDAY=WE,SU",
      "FREQ=SECONDLY;INTERVAL=3600;BYSETPOS=2;BYMINUTE=0",
    ])
  func `a rule that never occurs is told after each year was looked at once`(rule: String) throws {
    let set = try Self.set("2024-02-29T06:00:00", "Europe/Paris", rule)
    expect(try Self.told(set), is: ["2024-02-29T06:00:00 2024-02-29T05:00:00Z"])
    expect(!set.isEndless && set.last?.key.date.year == 2024)
    var walk = set.occurrences()
    while walk.next() != nil {}
    expect(walk.steps < 8100, "\(rule) \(walk.steps)")
    var back = set.occurrences(before: .latest)
    while back.next() != nil {}
    expect(back.steps < 3 * 8100, "\(rule) \(back.steps)")
    let short = try Self.set("2024-02-29T06:00:00", "Europe/Paris", rule, occursFirst: false)
    expect(short.next(after: .earliest) == nil && short.previous(before: .latest) == nil)
  }

  @Test(
    arguments: [
      "FREQ=DAILY", "FREQ=WEEKLY;INTERVAL=99;BYDAY=MO", "FREQ=YEARLY;INTERVAL=1000",
      "FREQ=HOURLY;INTERVAL=5",
      "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9,18;BYSETPOS=1,-1",
      "FREQ=YEARLY;INTERVAL=3;BYWEEKNO=53",
      "FREQ=MINUTELY;INTERVAL=15", "FREQ=SECONDLY;INTERVAL=99999;BYMONTH=2",
    ])
  func `ten years take a step for each day at most`(rule: String) throws {
    let set = try Self.set("2024-02-29T06:00:00", "Europe/Paris", rule)
    let start = try TimeFixtures.instant("2030-01-01T00:00:00Z")
    let end = try TimeFixtures.instant("2039-12-31T23:59:59Z")
    var walk = set.occurrences(from: start, through: end)
    var count = 0
    while walk.next() != nil, count < 3000 { count += 1 }
    expect(walk.steps < 3700, "\(walk.steps)")
  }

  @Test(
    arguments: [
      ("FREQ=DAILY;COUNT=100000", "2297-12-13"), ("FREQ=YEARLY;COUNT=1000", "6144-02-29"),
      ("FREQ=HOURLY;COUNT=10000000", "3164-12-15"),
      ("FREQ=MINUTELY;INTERVAL=17;COUNT=1000000", "2056-06-25"),
      ("FREQ=HOURLY;BYDAY=MO;COUNT=10000", "2032-02-23"),
      ("FREQ=WEEKLY;BYDAY=MO,WE,FR;COUNT=1001", "2030-07-19"),
    ])
  func `the last of many times is found by years`(rule: String, last: String) throws {
    let set = try Self.set("2024-02-29T06:00:00", "Etc/UTC", rule)
    expect(set.last?.key.date.description, is: last)
    expect(set.occurrences().steps < 8100)
    let count = try require(try RecurrenceRule(rule).count)
    expect(set.number(of: try require(set.last?.key)), is: count)
  }

  // MARK: Both ways, and from anywhere

  static let mixed: [(String, String?, [String])] = [
    ("2026-03-20T02:30:00", "Europe/Paris", ["FREQ=HOURLY;INTERVAL=7", "FREQ=DAILY;BYHOUR=2,3"]),
    ("2026-10-20T01:15:00", "America/New_York", ["FREQ=MINUTELY;INTERVAL=45;BYDAY=SU,MO"]),
    ("2026-09-25T02:10:00", "Australia/Lord_Howe", ["FREQ=DAILY;BYHOUR=1,2;BYMINUTE=0,10,40"]),
    ("2011-12-20T23:00:00", "Pacific/Apia", ["FREQ=HOURLY;INTERVAL=5", "FREQ=WEEKLY;BYDAY=FR,SA"]),
    ("2026-01-30", nil, ["FREQ=MONTHLY;BYMONTHDAY=1,30;SKIP=BACKWARD", "FREQ=YEARLY;BYWEEKNO=10"]),
  ]

  @Test(arguments: mixed)
  func `any time has the next and the previous that listing all finds`(
    start: String, zone: String?, rules: [String]
  ) throws {
    let anchor = try Self.local(start)
    let key = CivilDateTime(secondsAsUTC: anchor.secondsAsUTC + 5 * 86_400)
    let set = try require(
      RecurrenceSet(
        from: anchor, in: try zone.map { try TimeFixtures.zone($0) }, occursFirst: true,
        rules: try rules.map { try RecurrenceRule($0) }, except: [key], also: [key],
        moved: [anchor: .date(CivilDateTime(secondsAsUTC: anchor.secondsAsUTC + 86_400 * 3).date)]))
    let start = Instant(seconds: anchor.secondsAsUTC - 86_400 * 2)
    let all = Array(
      set.occurrences(
        from: start, through: start.adding(seconds: 86_400 * (zone == nil ? 400 : 30))))
    expect(all.count > 3)
    for (one, other) in zip(all, all.dropFirst()) { expect(one.place <= other.place) }
    let places = Set(
      all.dropLast().flatMap { [$0.place.seconds - 1, $0.place.seconds, $0.place.seconds + 1] })
    for place in places.sorted() {
      let instant = Instant(seconds: place)
      expect(set.next(after: instant), is: all.first { $0.place > instant }, "\(instant)")
      expect(set.previous(before: instant), is: all.last { $0.place < instant }, "\(instant)")
    }
    let end = try require(all.last).place
    let back = Array(set.occurrences(before: end.adding(seconds: 1), from: all[1].place))
    expect(Array(back.reversed()), is: all.filter { $0.place >= all[1].place })
  }

  @Test(
    arguments: [
      ("2026-03-20T02:30:00", "Europe/Paris", "FREQ=DAILY", [8: -3 * 86_400 - 7200, 15: 5400]),
      ("2026-03-20T02:30:00", "Europe/Paris", "FREQ=HOURLY;INTERVAL=5", [2: 200_000, 30: -90_000]),
      ("2026-10-20T01:15:00", "America/New_York", "FREQ=WEEKLY;BYDAY=MO,TH", [4: -20 * 86_400]),
      ("2026-01-30", nil, "FREQ=MONTHLY;BYMONTHDAY=1,30", [3: 86_400 * 40, 7: -86_400 * 100]),
      ("2011-12-20T23:00:00", "Pacific/Apia", "FREQ=DAILY", [5: 86_400, 9: -86_400, 20: 0]),
    ] as [(String, String?, String, [Int: Int64])])
  func `what is shifted from a time on is in the order of its new times`(
    start: String, zone: String?, rule: String, shifts: [Int: Int64]
  ) throws {
    let anchor = try Self.local(start)
    let zone = try zone.map { try TimeFixtures.zone($0) }
    func set(_ shifts: [CivilDateTime: Int64]) throws -> RecurrenceSet {
      try require(
        RecurrenceSet(
          from: anchor, in: zone, occursFirst: true, rules: [try RecurrenceRule(rule)], times: 60,
          shifts: shifts))
    }
    let plain = Array(try set([:]).occurrences())
    expect(plain.count > 58)
    var changed: [CivilDateTime: Int64] = [:]
    for (number, seconds) in shifts { changed[plain[number].key] = seconds }
    let shifted = try set(changed)
    // Each by itself, and then in order: two at one instant are one.
    var expected: [(key: CivilDateTime, place: Int64)] = []
    for occurrence in plain {
      let last = changed.filter { $0.key <= occurrence.key }.max { $0.key < $1.key }
      let shown = CivilDateTime(
        secondsAsUTC: occurrence.key.secondsAsUTC + (last?.value ?? 0))
      let place = zone?.resolve(shown).instant.seconds ?? shown.secondsAsUTC
      if !expected.contains(where: { $0.place == place }) {
        expected.append((occurrence.key, place))
      }
    }
    expected.sort { $0.place < $1.place }
    let all = Array(shifted.occurrences())
    expect(all.map(\.place.seconds), is: expected.map(\.place))
    for place in all.map(\.place) {
      expect(shifted.next(after: place), is: all.first { $0.place > place }, "\(place)")
      expect(shifted.previous(before: place), is: all.last { $0.place < place }, "\(place)")
      expect(Array(shifted.occurrences(from: place, through: place)).count, is: 1, "\(place)")
    }
    for occurrence in all { expect(shifted.place(of: occurrence.key), is: occurrence.place) }
    expect(shifted.last, is: all.last)
  }

  @Test func `a shifted time is there where the time that it falls on is left out`() throws {
    let keys = try ["2027-01-04", "2027-01-11", "2027-01-18", "2027-01-25"].map {
      try Self.local($0)
    }
    let set = try require(
      RecurrenceSet(
        from: keys[0], in: nil, occursFirst: true,
        rules: [try RecurrenceRule("FREQ=WEEKLY;COUNT=4")],
        except: [keys[1]], shifts: [keys[2]: -14 * 86_400]))
    expect(
      try Self.told(set),
      is: ["2027-01-04 2027-01-04", "2027-01-25 2027-01-11"])
  }
}
