import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Events with an end, a repetition that ends, and dates that differ.
@Suite struct EventSeriesTests {
  private let calendar: EventCalendar

  init() throws {
    let berlin = try TimeFixtures.zone("Europe/Paris")
    calendar = EventCalendar(zone: berlin, leapDay: .february28) { _ in berlin }
  }

  private func key(_ text: String) throws -> OccurrenceKey { try require(OccurrenceKey(text)) }
  private func instant(_ text: String) throws -> Instant { try require(Instant(rfc3339: text)) }

  private func event(_ start: String, _ rule: String? = nil, length: String? = nil) throws -> Event
  {
    let moment: Moment =
      start.utf8.count == 10
      ? .day(try require(CivilDate(iso8601: start))) : .instant(try instant(start))
    var event = Event(
      header: RecordHeader(id: RecordID(high: 1, low: 2), createdAt: .epoch), title: "T",
      moment: moment, zone: "Europe/Paris")
    event.length = try length.map { try require(EventLength($0)) }
    if let rule {
      let text = try require(RepetitionText(rule))
      (event.series.rule, event.series.times) = (text.rule, text.times)
    }
    event.settle(calendar)
    return event
  }

  private func schedule(_ event: Event) -> EventSchedule { event.timing.schedule(in: calendar) }

  @Test func `a record keeps all of it, and is of the earlier version without`() throws {
    var event = try event("2027-01-04T08:00:00Z", "weekly, 5 times", length: "PT1H")
    event.series.except = [try key("2027-01-11T09:00:00")]
    var move = MovedOccurrence(
      try key("2027-01-18T09:00:00"), at: .day(CivilDate(daysSinceEpoch: 20_850)))
    (move.title, move.alerts, move.color) = ("Other", [], "none")
    event.series.moved = [move]
    event.tags = ["work"]
    expect(event.schemaNeeded, is: 4)
    let read = try Event(fields: event.fields)
    expect(read.fields, is: event.fields)
    expect(
      schedule(read).walk(notOverAt: .earliest).map(\.key),
      is: schedule(event).walk(notOverAt: .earliest).map(\.key))
    (event.series.times, event.series.except, event.series.moved) = (nil, [], [])
    (event.length, event.tags) = (nil, [])
    expect(event.schemaNeeded, is: 1)
    expect(Set(event.fields.keys).isDisjoint(with: ["times", "except", "moved", "length", "tags"]))
  }

  @Test(arguments: [
    "2027-1-4", "2027-01-04T9:00", "2027-01-04t09:00:00", "2027-02-30", "", "0000-01-01",
  ])
  func `a key is written in one way`(text: String) {
    expect(OccurrenceKey(text) == nil)
  }

  @Test func `a length of days is on the clocks, and one of seconds exact`() throws {
    // The clocks go forward on 28 March.
    for (length, end) in [("P1D", "2027-03-28T17:00:00Z"), ("PT24H", "2027-03-28T18:00:00Z")] {
      let event = try event("2027-03-27T18:00:00Z", length: length)
      let schedule = schedule(event)
      expect(schedule.end(of: try require(schedule.first)).rfc3339, is: end)
    }
  }

  @Test func `what has begun goes on until its end, and is not next any more`() throws {
    let event = try event("2026-12-20", length: "P18D")
    let schedule = schedule(event)
    let only = try require(schedule.first)
    expect(only.lastDay?.description, is: "2027-01-06")
    for (time, state) in [
      ("2026-12-19T22:59:59Z", EventState.upcoming), ("2026-12-19T23:00:00Z", .ongoing),
      ("2027-01-06T22:59:59Z", .ongoing), ("2027-01-06T23:00:00Z", .elapsed),
    ] {
      expect(schedule.state(of: only, at: try instant(time)), is: state, "\(time)")
    }
    expect(schedule.next(notOverAt: try instant("2027-01-05T00:00:00Z")) != nil)
    expect(schedule.next(notOverAt: try instant("2027-01-06T23:00:00Z")) == nil)
  }

  @Test func `after its last date an event counts up from that one`() throws {
    let event = try event("2027-01-04T08:00:00Z", "weekly, 3 times")
    let current = schedule(event).current(at: try instant("2028-01-01T00:00:00Z"))
    expect(current?.key.description, is: "2027-01-18T09:00:00")
  }

  @Test func `a repeated deadline is missed until it is done or skipped`() throws {
    var event = try event("2027-01-04", "every 3 days")
    event.isDeadline = true
    let now = try instant("2027-01-15T12:00:00Z")
    // Days of the 4th, 7th, 10th and 13th are over.
    var missed = schedule(event).missed(at: now)
    expect(missed.count, is: 4)
    expect(schedule(event).current(at: now)?.key.description, is: "2027-01-04")
    event.series.settle([try key("2027-01-04")], doneAt: now)
    event.series.settle([try key("2027-01-10")], doneAt: nil)
    missed = schedule(event).missed(at: now)
    expect(missed.oldest?.key.description, is: "2027-01-07")
    expect(missed.newest?.key.description, is: "2027-01-13")
    // What is met is not skipped, and what was skipped may be met.
    event.series.settle([try key("2027-01-04")], doneAt: nil)
    event.series.settle([try key("2027-01-10")], doneAt: now)
    expect(event.series.settled.map { $0.doneAt != nil }, is: [true, true])
    event.series.settle([try key("2027-01-07"), try key("2027-01-13")], doneAt: now)
    expect(schedule(event).current(at: now)?.key.description, is: "2027-01-16")
    // Only the newest is announced.
    event.series.open([try key("2027-01-07"), try key("2027-01-13")])
    let due = schedule(event).announcements(after: .epoch, through: now)
    expect(due.map(\.occurrence.key.description), is: ["2027-01-13"])
  }

  @Test func `an hourly deadline of an old record costs no more than what is told`() throws {
    var event = try event("0005-01-01T00:00:00Z", "FREQ=HOURLY")
    event.header = RecordHeader(
      id: RecordID(high: 1, low: 2), createdAt: try instant("0001-01-02T00:00:00Z"))
    event.isDeadline = true
    event.alerts = [try require(EventAlert("1 minute before"))]
    var move = MovedOccurrence(try key("2020-01-01T00:00:00"))
    move.alerts = []
    event.series.moved = [move]
    let now = try instant("2027-01-15T12:30:00Z")
    let missed = schedule(event).missed(at: now)
    expect(missed.count, is: 1000)
    let newest = try require(missed.newest?.moment.exactInstant)
    expect(newest <= now && newest > now.adding(seconds: -3600))
    let due = schedule(event).announcements(after: now.adding(seconds: -3600), through: now)
    expect(due.map(\.instant), is: [newest.adding(seconds: -60), newest])
  }

  @Test func `dates move along with the clocks, and those of another rule go`() throws {
    var event = try event("2027-01-04T08:00:00Z", "weekly")
    event.series.except = [try key("2027-01-11T09:00:00")]
    event.series.moved = [
      MovedOccurrence(
        try key("2027-07-05T09:00:00"), at: .instant(try instant("2027-07-06T07:00:00Z")))
    ]
    var later = event
    later.moment = .instant(try instant("2027-01-05T09:30:00Z"))
    later.settle(calendar)
    expect(later.rekey(from: event, calendar), is: 0)
    expect(later.series.except.map(\.description), is: ["2027-01-12T10:30:00"])
    expect(later.series.moved.map(\.key.description), is: ["2027-07-06T10:30:00"])
    var allDay = event
    (allDay.moment, allDay.zone) = (.day(try require(CivilDate(iso8601: "2027-01-04"))), "")
    allDay.settle(calendar)
    expect(allDay.rekey(from: event, calendar), is: 0)
    expect(allDay.series.except.map(\.description), is: ["2027-01-11"])
    var monthly = event
    monthly.recurrence = Recurrence(words: "monthly")
    monthly.settle(calendar)
    expect(monthly.rekey(from: event, calendar), is: 2)
    expect(monthly.series.except.isEmpty && monthly.series.moved.isEmpty)
  }

  @Test func `an end, added dates and settled ones move along with the clocks`() throws {
    var event = try event("2027-01-04T08:00:00Z", "weekly")
    event.isDeadline = true
    event.series.also = [
      AddedOccurrence(try key("2027-01-06T09:00:00"), length: EventLength("PT2H"))
    ]
    event.series.settle([try key("2027-01-11T09:00:00")], doneAt: .epoch)
    for (until, moved) in [
      ("2027-01-18T09:00:00", "2027-01-18T10:30:00"), ("2027-01-18", "2027-01-18"),
    ] {
      event.series.until = try key(until)
      var later = event
      later.moment = .instant(try instant("2027-01-04T09:30:00Z"))
      later.settle(calendar)
      expect(later.rekey(from: event, calendar), is: 0)
      expect(later.series.until, is: try key(moved))
      expect(
        later.series.also,
        is: [AddedOccurrence(try key("2027-01-06T10:30:00"), length: EventLength("PT2H"))])
      expect(later.series.settled.map(\.key.description), is: ["2027-01-11T10:30:00"])
      later.recurrence = Recurrence(words: "monthly")
      expect(later.rekey(from: event, calendar), is: 1)
      expect(later.series.settled, is: [])
    }
  }

  @Test func `an alert of one date alone is due on that date alone`() throws {
    var event = try event("2027-01-04T08:00:00Z", "weekly, 4 times")
    event.isDeadline = true
    event.alerts = [try require(EventAlert("10 minutes before"))]
    var move = MovedOccurrence(try key("2027-01-11T09:00:00"))
    move.alerts = [try require(EventAlert("1 hour before"))]
    event.series.moved = [move]
    event.series.settle([try key("2027-01-18T09:00:00")], doneAt: .epoch)
    let due = schedule(event).alerts(
      from: try instant("2027-01-01T00:00:00Z"), before: try instant("2027-03-01T00:00:00Z"))
    expect(
      due.map(\.instant.rfc3339),
      is: ["2027-01-04T07:50:00Z", "2027-01-11T07:00:00Z", "2027-01-25T07:50:00Z"])
  }

  @Test func `a time that the clocks show twice may be the second one, if the event begins so`()
    throws
  {
    // On 31 October the clocks go back from 03:00 to 02:00.
    let event = try event("2027-10-31T01:30:00Z", "daily, 3 times")
    expect(
      schedule(event).walk(notOverAt: .earliest).map { $0.moment.start(in: .utc).rfc3339 },
      is: ["2027-10-31T01:30:00Z", "2027-11-01T01:30:00Z", "2027-11-02T01:30:00Z"])
  }

  @Test(
    arguments: [
      ("FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=15", true), ("FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU", true),
      ("FREQ=YEARLY;BYMONTH=3,10;BYDAY=-1SU", false), ("FREQ=YEARLY;BYMONTH=3;BYDAY=SU", false),
      ("FREQ=YEARLY;BYMONTH=3;BYDAY=MO,SU;BYSETPOS=1", true),
      ("FREQ=MONTHLY;BYMONTHDAY=15", false),
    ])
  func `years count where a calendar's rule has one date in each`(rule: String, isYearly: Bool)
    throws
  {
    var event = try event("2027-03-15")
    event.series.rule = EventRepeat(rules: [try RecurrenceRule(rule)])
    expect(event.series.isYearly, is: isYearly)
  }

  @Test func `an index finds what is long or repeated behind all else, by its end`() throws {
    let short = try event("2027-01-04T08:00:00Z", length: "PT1H")
    let long = try event("2027-01-04T08:00:00Z", length: "P30D")
    let ended = try event("2027-01-04T08:00:00Z", "weekly, 3 times")
    let endless = try event("2027-01-04T08:00:00Z", "weekly")
    expect(short.sortKey, is: try instant("2027-01-04T08:00:00Z").seconds)
    expect(long.sortKey > Event.spanKey(endingAt: try instant("2027-02-03T08:00:00Z")))
    expect(ended.sortKey > Event.spanKey(endingAt: try instant("2027-01-18T08:00:00Z")))
    expect(ended.sortKey < Event.spanKey(endingAt: try instant("2027-01-25T08:00:00Z")))
    expect(endless.sortKey, is: Event.endlessKey)
  }

  @Test(
    arguments: [
      ("weekly until june 2028", "weekly", "june 2028", nil, []),
      ("monthly, 10 times", "monthly", nil, 10, []), ("daily for 3 times", "daily", nil, 3, []),
      (
        "weekdays except 24 dec, 25 dec and 31 dec", "weekdays", nil, nil,
        ["24 dec", "25 dec", "31 dec"]
      ),
      ("every 2 weeks until friday except tomorrow", "every 2 weeks", "friday", nil, ["tomorrow"]),
      ("FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=3", "monthly on the last day", nil, 3, []),
    ] as [(String, String, String?, Int?, [String])])
  func `a repetition says where it ends, and what it leaves out`(
    text: String, words: String, until: String?, times: Int?, except: [String]
  ) throws {
    let found = try require(RepetitionText(text))
    expect(found.rule.words, is: words)
    expect(found.until, is: until)
    expect(found.times, is: times)
    expect(found.except, is: except)
  }

  @Test(
    arguments: [
      ("", ""), ("weekly until", ""), ("weekly except", ""), ("weekly, 0 times", ""),
      ("weekly except a,,b", ""), ("10 times", ""), ("FREQ=SECONDLY", ""), ("until june", ""),
    ])
  func `what is no repetition is none`(text: String, _: String) {
    expect(RepetitionText(text) == nil)
  }

  @Test(
    arguments: [
      ("FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=1,15", "every 2 months on the 1st and the 15th"),
      ("FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU", "yearly in March on the last Sunday"),
      ("FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", "monthly on the 13th if that is a Friday"),
      ("FREQ=DAILY;BYHOUR=9,17;BYMINUTE=30", "daily at 09:30 and 17:30"),
      ("FREQ=YEARLY;BYWEEKNO=20,-1", "yearly in week 20 and the last week"),
      (
        "FREQ=YEARLY;BYYEARDAY=100,-2",
        "yearly on the 100th day of the year and the 2nd last day of the year"
      ),
      ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "monthly on the last weekday"),
      ("FREQ=MONTHLY;BYDAY=MO,FR;BYSETPOS=2", "monthly on the 2nd Monday or Friday"),
      ("FREQ=HOURLY;INTERVAL=6", "every 6 hours"),
    ])
  func `the rule of a calendar has words`(rule: String, words: String) throws {
    expect(try RecurrenceRule(rule).words, is: words)
  }
}
