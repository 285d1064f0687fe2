import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Repetitions, ends and single dates as calendars write them: what is read, and what is written again.
@Suite struct CalendarSeriesTests {
  private static let now = Instant(seconds: 1_796_000_000)  // 2026-11-29T22:53:20Z
  private let store: Store
  private let calendar: EventCalendar
  private let local: LocalZone

  init() throws {
    store = try Store.openOrCreate(
      at: StoreScenario.root,
      environment: StoreScenario.environment(SimulatedFileSystem(), seed: 1), now: Self.now)
    local = LocalZone(
      rules: try TimeFixtures.zone("Europe/London"), name: "Europe/London", warning: nil)
    calendar = EventCalendar(in: local, TimeFixtures.zones, leapDay: .february28) { _ in }
  }

  private func plan(
    _ text: String, into store: Store? = nil, isWhole: Bool = false
  ) throws -> ImportPlan<CalendarImport> {
    let lines =
      isWhole ? text : "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\n\(text)\nEND:VCALENDAR\n"
    return try ImportPlan(
      CalendarImport(
        [CalendarImport.Source(name: "x", Array(lines.utf8))], calendar, local: local,
        zones: TimeFixtures.zones),
      into: store, now: Self.now)
  }

  /// The event that a calendar's lines make, and what is said of it.
  private func event(_ lines: String...) throws -> (event: Event, said: [String]) {
    let plan = try plan(
      (["BEGIN:VEVENT", "UID:u"] + lines + ["END:VEVENT"]).joined(separator: "\n"))
    let step = try require(plan.steps.first)
    return (try require(step.outcome.model), step.problems.map(\.words))
  }

  private func times(_ event: Event, _ count: Int = 6) -> [String] {
    event.timing.schedule(in: calendar).walk(notOverAt: .earliest).prefix(count).map { found in
      switch found.moment {
      case .day(let date): date.description
      case .instant(let instant): instant.rfc3339
      }
    }
  }

  private func written(_ events: [Event]) throws -> String {
    let context = TimelineContext(store, now: Self.now, calendar: calendar)
    var writer = CalendarWriter(calendar, now: Self.now)
    let all = try events.map { try require($0.series(context)) }
    for series in all { writer.note(series) }
    let bytes = writer.beginning() + all.flatMap { writer.component(of: $0) } + writer.end()
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func `a first time that is left out is no date, and the anchor stays`() throws {
    let (event, said) = try event(
      "SUMMARY:Friday 13th", "DTSTART:20270902T090000", "EXDATE:20270902T090000",
      "RRULE:FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13")
    expect(said, is: [])
    expect(
      times(event, 3),
      is: ["2028-10-13T08:00:00Z", "2029-04-13T08:00:00Z", "2029-07-13T08:00:00Z"])
    expect(event.moment, is: .instant(try require(Instant(rfc3339: "2027-09-02T08:00:00Z"))))
  }

  @Test func `a count counts the first time, and those that are left out`() throws {
    let event = try event(
      "SUMMARY:C", "DTSTART;TZID=Europe/Paris:20261201T090000",
      "RRULE:FREQ=WEEKLY;COUNT=4;BYDAY=TH", "EXDATE;TZID=Europe/Paris:20261203T090000"
    ).event
    expect(
      times(event),
      is: ["2026-12-01T08:00:00Z", "2026-12-10T08:00:00Z", "2026-12-17T08:00:00Z"])
    expect(event.series.times, is: 4)
    expect(event.schemaNeeded, is: 4)
  }

  @Test(
    arguments: [
      // The last time in UTC is that of the clocks, also behind a change of them.
      (
        "20270329T073000Z",
        ["2027-03-27T08:30:00Z", "2027-03-28T07:30:00Z", "2027-03-29T07:30:00Z"]
      ),
      ("20270328T073000Z", ["2027-03-27T08:30:00Z", "2027-03-28T07:30:00Z"]),
      ("20270328T092959", ["2027-03-27T08:30:00Z"]),
      ("20270328", ["2027-03-27T08:30:00Z", "2027-03-28T07:30:00Z"]),
      // Before the start: the start alone.
      ("20200101T000000Z", ["2027-03-27T08:30:00Z"]),
    ])
  func `an end is inclusive, on the clocks of the series`(until: String, dates: [String]) throws {
    let event = try event(
      "DTSTART;TZID=Europe/Paris:20270327T093000", "RRULE:FREQ=DAILY;UNTIL=\(until)"
    ).event
    expect(times(event), is: dates)
  }

  @Test func `dates beside the rule come in any form, with lengths of their own`() throws {
    let event = try event(
      "DTSTART;TZID=Europe/Paris:20261201T090000", "DTEND;TZID=Europe/Paris:20261201T100000",
      "RDATE:20261202T110000Z", "RDATE;TZID=America/New_York:20261203T090000",
      "RDATE;VALUE=PERIOD:20261204T080000Z/PT3H,20261205T080000Z/20261205T083000Z"
    ).event
    let schedule = event.timing.schedule(in: calendar)
    let found = Array(schedule.walk(notOverAt: .earliest))
    expect(
      found.map { schedule.end(of: $0).seconds(since: $0.moment.start(in: .utc)) },
      is: [3600, 3600, 3600, 10_800, 1800])
    expect(
      found.map { $0.key.description },
      is: [
        "2026-12-01T09:00:00", "2026-12-02T12:00:00", "2026-12-03T15:00:00",
        "2026-12-04T09:00:00", "2026-12-05T09:00:00",
      ])
  }

  @Test func `a moved date is once at its new time, whatever else is different`() throws {
    let plan = try plan(
      """
      BEGIN:VEVENT
      UID:1
      SUMMARY:Weekly
      DTSTART:20270104T090000
      RRULE:FREQ=WEEKLY
      CATEGORIES:Work,Team\\, all
      END:VEVENT
      BEGIN:VEVENT
      UID:1
      RECURRENCE-ID:20270111T090000
      SUMMARY:Weekly
      DTSTART:20270112T150000
      CATEGORIES:Work,Team\\, all
      END:VEVENT
      BEGIN:VEVENT
      UID:1
      RECURRENCE-ID:20270118T090000
      STATUS:CANCELLED
      SUMMARY:Weekly
      DTSTART:20270118T090000
      END:VEVENT
      """)
    expect(plan.steps.count, is: 1)
    let event = try require(plan.steps.first?.outcome.model)
    expect(
      times(event, 3),
      is: ["2027-01-04T09:00:00Z", "2027-01-12T15:00:00Z", "2027-01-25T09:00:00Z"])
    expect(event.tags, is: ["Work", "Team, all"])
    expect(event.series.moved.map(\.fields.count), is: [2], "\(event.series.moved)")
    expect(event.series.except.map(\.description), is: ["2027-01-18T09:00:00"])
  }

  @Test(
    arguments: [
      "FREQ=MINUTELY;INTERVAL=30", "FREQ=SECONDLY;COUNT=5", "FREQ=HOURLY;BYMINUTE=0,10,20,30,40",
      "FREQ=DAILY;INTERVAL=0", "FREQ=DAILY;COUNT=0", "FREQ=WEEKLY;BYDAY=1MO",
      "FREQ=MONTHLY;BYSETPOS=1", "INTERVAL=2", "FREQ=FORTNIGHTLY",
    ])
  func `a rule that is none leaves the first time, and is told`(rule: String) throws {
    let (event, said) = try event("DTSTART:20261201T090000Z", "RRULE:\(rule)")
    expect(times(event), is: ["2026-12-01T09:00:00Z"])
    expect(said.count, is: 1)
    expect(event.schemaNeeded, is: 1)
  }

  @Test(
    arguments: [
      ("DTEND;VALUE=DATE:20270107", "P18D", 0), ("DTEND;VALUE=DATE:20261221", nil, 0),
      ("DURATION:P2W", "P14D", 0), ("DURATION:P1D", nil, 0), ("DTEND;VALUE=DATE:20261219", nil, 1),
      ("DTEND:20261221T090000Z", nil, 1), ("SUMMARY:none", nil, 0),
    ] as [(String, String?, Int)])
  func `an all-day event ends with its last day`(line: String, length: String?, faults: Int) throws
  {
    let (event, said) = try event("DTSTART;VALUE=DATE:20261220", line)
    expect(event.length?.description, is: length)
    expect(said.count, is: faults)
  }

  @Test func `alarms may be after the start, or counted from the end, or several`() throws {
    func alarm(_ lines: String...) -> String {
      (["BEGIN:VALARM", "ACTION:DISPLAY"] + lines + ["END:VALARM"]).joined(separator: "\n")
    }
    let event = try event(
      "DTSTART:20261201T090000Z", "DTEND:20261201T100000Z", "RRULE:FREQ=DAILY",
      alarm("TRIGGER;RELATED=END:-PT10M"), alarm("TRIGGER:PT15M"),
      alarm("TRIGGER:-PT30M", "REPEAT:2", "DURATION:PT10M")
    ).event
    expect(
      event.alerts.map(\.description),
      is: [
        "10 minutes before the end", "15 minutes after", "30 minutes before", "20 minutes before",
        "10 minutes before",
      ])
    let start = try require(Instant(rfc3339: "2026-12-01T00:00:00Z"))
    let due = event.timing.schedule(in: calendar)
      .alerts(from: start, before: start.adding(seconds: 86_400))
    expect(due.map { $0.instant.seconds(since: start) / 60 }, is: [510, 520, 530, 555, 590])
  }

  @Test func `single occurrences that stand alone fold into their series when it comes`() throws {
    let part = """
      BEGIN:VEVENT
      UID:1
      RECURRENCE-ID:20270111T090000Z
      SUMMARY:Moved
      DTSTART:20270112T150000Z
      END:VEVENT
      """
    let whole = """
      BEGIN:VEVENT
      UID:1
      SUMMARY:Weekly
      DTSTART:20270104T090000Z
      RRULE:FREQ=WEEKLY
      END:VEVENT
      """
    var first = try plan(part, into: store)
    try first.write()
    expect(Array(store.records(Event.self)).map(\.title), is: ["Moved"])
    var second = try plan(whole + "\n" + part, into: store)
    try second.write()
    let events = store.records(Event.self)
    expect(events.map(\.title), is: ["Weekly"])
    expect(times(try require(events.first), 2).last, is: "2027-01-12T15:00:00Z")
    // A file without the series changes its occurrence alone.
    var third = try plan(part.replacing("T150000Z", by: "T160000Z"), into: store)
    try third.write()
    let changed = try require(store.records(Event.self).first)
    expect(times(changed, 2), is: ["2027-01-04T09:00:00Z", "2027-01-12T16:00:00Z"])
    try expect(!plan(part.replacing("T150000Z", by: "T160000Z"), into: store).isChange)
  }

  @Test func `what an earlier version read as one date is read anew, unless it was changed`() throws
  {
    let lines = """
      BEGIN:VEVENT
      UID:1
      SUMMARY:Class
      LAST-MODIFIED:20260101T000000Z
      DTSTART:20270104T090000Z
      RRULE:FREQ=WEEKLY;COUNT=3
      END:VEVENT
      """
    let once = try require(Instant(rfc3339: "2027-01-04T09:00:00Z"))
    for (title, isRead) in [("Class", true), ("My class", false)] {
      var event = Event(
        header: RecordHeader(id: StoreScenario.id(isRead ? 1 : 2), createdAt: Self.now),
        title: title, moment: .instant(once), zone: "UTC")
      event.uid = "1"
      event.imported.modified = Instant(rfc3339: "2026-01-01T00:00:00Z")
      event = try store.insert(event)
      try expect(plan(lines, into: store).isChange, is: isRead, "\(title)")
      try store.trash.delete(.event, event.id, now: Self.now)
    }
  }

  private static let weekly = """
    BEGIN:VEVENT
    UID:1
    SUMMARY:Choir
    DTSTART;TZID=Europe/Paris:20270104T090000
    DTEND;TZID=Europe/Paris:20270104T100000
    RRULE:FREQ=WEEKLY;COUNT=6
    END:VEVENT
    BEGIN:VEVENT
    UID:1
    SUMMARY:Once
    RECURRENCE-ID;TZID=Europe/Paris:20270125T090000
    DTSTART;TZID=Europe/Paris:20270125T090000
    DTEND;TZID=Europe/Paris:20270125T100000
    END:VEVENT
    BEGIN:VEVENT
    UID:1
    SUMMARY:Saturdays
    RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Paris:20270118T090000
    DTSTART;TZID=Europe/Paris:20270116T180000
    DTEND;TZID=Europe/Paris:20270116T200000
    END:VEVENT
    """

  /// The start, the end and the title of each date.
  private func told(_ event: Event) -> [String] {
    let schedule = event.timing.schedule(in: calendar)
    return schedule.walk(notOverAt: .earliest).map { found in
      let title = schedule.move(of: found)?.title ?? event.title
      let end = schedule.end(of: found).rfc3339.dropFirst(11).prefix(5)
      return "\(found.moment.start(in: .utc).rfc3339.prefix(16)) \(end) \(title)"
    }
  }

  @Test func `a change holds for all later dates, but for those that say otherwise`() throws {
    let plan = try plan(Self.weekly)
    var event = try require(plan.steps.first?.outcome.model)
    let changed = [
      "2027-01-04T08:00 09:00 Choir", "2027-01-11T08:00 09:00 Choir",
      "2027-01-16T17:00 19:00 Saturdays", "2027-01-25T08:00 09:00 Once",
      "2027-01-30T17:00 19:00 Saturdays", "2027-02-06T17:00 19:00 Saturdays",
    ]
    expect(told(event), is: changed)
    expect(
      plan.steps.first?.problems.map(\.words),
      is: ["changes all later dates too; few other programs read that"])
    // The first of them is left out; the rest stays as it is.
    let first = try require(OccurrenceKey("2027-01-18T09:00:00"))
    event.series.forgetMove(of: first, event.timing.schedule(in: calendar))
    event.series.except = [first]
    expect(told(event), is: changed.enumerated().filter { $0.offset != 2 }.map(\.element))
    let last = try require(OccurrenceKey("2027-02-08T09:00:00"))
    event.series.forgetMove(of: last, event.timing.schedule(in: calendar))
    expect(told(event), is: changed.enumerated().filter { $0.offset != 2 }.map(\.element))
  }

  @Test(
    arguments: [
      ("20270201T080000Z", "2027-01-25T08:00"), ("20270118T080000Z", "2027-01-11T08:00"),
    ])
  func `a series ends before the date from which on it is canceled`(
    id: String, last: String
  ) throws {
    let canceled = """
      BEGIN:VEVENT
      UID:1
      STATUS:CANCELLED
      RECURRENCE-ID;RANGE=THISANDFUTURE:\(id)
      DTSTART:\(id)
      END:VEVENT
      """
    let whole = Self.weekly.replacing(";RANGE=THISANDFUTURE", by: "").replacing(
      "20270116T180000", by: "20270118T090000")
    let event = try require(try plan(whole + "\n" + canceled).steps.first?.outcome.model)
    expect(told(event).last?.prefix(16).description, is: last)
  }

  @Test func `what names a whole day by a time means its date in the zone of that`() throws {
    // Exchange names dates in summer by midnight in its zone, which is the day before in UTC.
    let plan = try plan(
      """
      BEGIN:VEVENT
      UID:1
      SUMMARY:Bin
      DTSTART;VALUE=DATE:20270401
      RRULE:FREQ=WEEKLY;COUNT=4
      EXDATE;TZID=GMT Standard Time:20270422T000000
      END:VEVENT
      BEGIN:VEVENT
      UID:1
      SUMMARY:Bin
      RECURRENCE-ID;TZID=GMT Standard Time:20270408T000000
      DTSTART;VALUE=DATE:20270409
      END:VEVENT
      """)
    let event = try require(plan.steps.first?.outcome.model)
    expect(times(event), is: ["2027-04-01", "2027-04-09", "2027-04-15"])
  }

  @Test(arguments: [("1", 3), ("2", 4), ("3", 4)])
  func `a date that a later version leaves out stays out`(sequence: String, count: Int) throws {
    let plan = try plan(
      """
      BEGIN:VEVENT
      UID:1
      SUMMARY:S
      DTSTART:20270401T090000Z
      RRULE:FREQ=WEEKLY;COUNT=4
      EXDATE:20270408T090000Z
      SEQUENCE:2
      END:VEVENT
      BEGIN:VEVENT
      UID:1
      SUMMARY:S
      RECURRENCE-ID:20270408T090000Z
      DTSTART:20270409T090000Z
      SEQUENCE:\(sequence)
      END:VEVENT
      """)
    let event = try require(plan.steps.first?.outcome.model)
    expect(times(event).count, is: count, "\(times(event))")
  }

  @Test func `an only date that is left out is none`() throws {
    let (event, _) = try event(
      "DTSTART:20270401T090000Z", "RRULE:FREQ=DAILY;COUNT=1", "EXDATE:20270401T090000Z")
    expect(times(event), is: [])
  }

  @Test func `a rule may be escaped as other texts are`() throws {
    let (event, said) = try event("DTSTART:20270401T090000Z", "RRULE:FREQ=DAILY\\;COUNT=3")
    expect(times(event).count, is: 3)
    expect(said, is: [])
  }

  @Test func `an entry alone is read without a calendar around it`() throws {
    let entry = "BEGIN:VEVENT\nUID:1\nSUMMARY:Alone\nDTSTART:20270401T090000Z\nEND:VEVENT\n"
    let plan = try plan(entry + entry.replacing("UID:1", by: "UID:2"), isWhole: true)
    expect(plan.steps.compactMap(\.outcome.model?.title), is: ["Alone", "Alone"])
    expect(plan.steps.flatMap(\.problems).map(\.words), is: [])
    let cut = try self.plan("Hello", isWhole: true)
    expect(cut.steps.compactMap(\.outcome.model).count, is: 0)
  }

  @Test func `more dates than a record keeps are left out, and told`() throws {
    let dates = (0..<5003).map { number in
      let date = CivilDate(daysSinceEpoch: 21_000 + number)
      return CalendarText.basic(date)
    }
    // An exception that is not a date of the series takes no room.
    let (event, said) = try event(
      "DTSTART;VALUE=DATE:20270101", "RDATE;VALUE=DATE:" + dates.joined(separator: ","),
      "EXDATE;VALUE=DATE:20000101")
    expect(event.series.also.count, is: EventSeries.namedLimit)
    expect(said, is: ["names over 5000 dates; 3 of them were left out"])
  }

  @Test(
    arguments: [
      (["RRULE:FREQ=DAILY;COUNT=2", "RRULE:FREQ=WEEKLY;COUNT=3"], 4, ""),
      (
        ["RRULE:FREQ=DAILY;COUNT=5001", "RRULE:FREQ=WEEKLY"], 6,
        "has a rule of more than 5000 dates, left out"
      ),
      (
        (1...9).map { "RRULE:FREQ=WEEKLY;INTERVAL=\($0)" }, 6,
        "has more than 8 rules; the rest was left out"
      ),
      (
        ["RRULE:FREQ=DAILY;COUNT=3", "RDATE;TZID=Nowhere:20270501T090000"], 3,
        "has a date in an unknown time zone"
      ),
      (
        ["RRULE:FREQ=DAILY;COUNT=3", "EXDATE;TZID=Nowhere:20270402T090000"], 3,
        "has a date in an unknown time zone"
      ),
      (["RRULE:FREQ=DAILY;COUNT=4", "EXRULE:FREQ=DAILY;INTERVAL=2;COUNT=2"], 2, ""),
      (
        ["RRULE:FREQ=DAILY;COUNT=4", "EXRULE:FREQ=DAILY;INTERVAL=2"], 4,
        "keeps the dates that an EXRULE leaves out: 'FREQ=DAILY;INTERVAL=2'"
      ),
      (["RDATE:20270402T090000Z,soon"], 2, "has an invalid date in its list of dates"),
      (["RDATE:20270402T090000Z,20270401T090000Z,20270402T090000Z"], 2, ""),
      (["DURATION:-PT1H"], 1, "has a DURATION below zero, which is left out"),
      (["DURATION:PT0S"], 1, ""), (["DURATION:soon"], 1, ""),
      (["BEGIN:VALARM", "END:VALARM"], 1, "loses an alarm that alerts cannot express"),
      (
        ["BEGIN:VALARM", "TRIGGER:-P100000D", "END:VALARM"], 1,
        "loses an alarm that alerts cannot express"
      ),
      (
        ["BEGIN:VALARM", "TRIGGER:-PT5H", "REPEAT:30", "DURATION:PT5M", "END:VALARM"], 1,
        "has more than 20 alarms; the rest was skipped"
      ),
    ])
  func `a calendar's event keeps what it can, and the rest is told`(
    lines: [String], count: Int, said: String
  ) throws {
    let step = try require(
      plan(
        (["BEGIN:VEVENT", "UID:u", "DTSTART:20270401T090000Z"] + lines + ["END:VEVENT"])
          .joined(separator: "\n")
      ).steps.first)
    expect(times(try require(step.outcome.model)).count, is: count)
    expect(step.problems.map(\.words).joined(separator: "; "), is: said)
  }

  @Test(
    arguments: [
      ("-PT15H", "1 day before at 09:00"), ("PT9H", "on the day at 09:00"),
      ("-P1DT1H", "2 days before at 23:00"), ("PT33H", "33 hours after"),
      ("-PT30S", "30 seconds before"), ("PT0S", "at the time"),
    ])
  func `an alarm of a whole day is at a time of day where it can be`(
    trigger: String, alert: String
  ) throws {
    let event = try event(
      "DTSTART;VALUE=DATE:20270401", "RRULE:FREQ=WEEKLY", "BEGIN:VALARM", "TRIGGER:\(trigger)",
      "END:VALARM"
    ).event
    expect(event.alerts.map(\.description), is: [alert])
  }

  @Test(
    arguments: [
      (
        "RRULE:FREQ=WEEKLY;COUNT=3", "RECURRENCE-ID;TZID=Nowhere:20270408T090000", "20270409",
        ["2027-04-01T09:00:00Z", "2027-04-08T09:00:00Z", "2027-04-15T09:00:00Z"],
        "is left out: its RECURRENCE-ID is in no known zone"
      ),
      (
        "RRULE:FREQ=WEEKLY;COUNT=3", "RECURRENCE-ID;RANGE=THISANDFUTURE:20270408T090000Z",
        "20270409", ["2027-04-01T09:00:00Z", "2027-04-09", "2027-04-15T09:00:00Z"],
        "moves one date alone, because it is a whole day"
      ),
      (
        "STATUS:CONFIRMED", "RECURRENCE-ID:20270401T090000Z", "20270402", ["2027-04-02"], ""
      ),
      (
        "STATUS:CONFIRMED", "STATUS:CANCELLED\nRECURRENCE-ID:20270401T090000Z", "20270402",
        ["2027-04-01T09:00:00Z"], "is canceled; the event stays"
      ),
      (
        "RRULE:FREQ=WEEKLY;COUNT=2", "STATUS:CANCELLED\nRECURRENCE-ID:20270409T090000Z",
        "20270409", ["2027-04-01T09:00:00Z", "2027-04-08T09:00:00Z"], ""
      ),
    ])
  func `a changed date counts where it is one of the series`(
    rule: String, id: String, start: String, dates: [String], said: String
  ) throws {
    let step = try require(
      plan(
        """
        BEGIN:VEVENT
        UID:1
        DTSTART:20270401T090000Z
        \(rule)
        END:VEVENT
        BEGIN:VEVENT
        UID:1
        \(id)
        DTSTART;VALUE=DATE:\(start)
        END:VEVENT
        """
      ).steps.first)
    expect(times(try require(step.outcome.model)), is: dates)
    expect(step.problems.map(\.words).joined(separator: "; "), is: said)
  }

  @Test(
    arguments: [
      (["COMPLETED:20270401T093000Z"], "2027-04-01T09:30:00Z"),
      (["STATUS:COMPLETED", "LAST-MODIFIED:20270402T100000Z"], "2027-04-02T10:00:00Z"),
      (["STATUS:COMPLETED"], "2027-04-01T09:00:00Z"), (["STATUS:NEEDS-ACTION"], nil),
    ] as [([String], String?)])
  func `a task is a deadline that is done when it says, or was changed, or begins`(
    lines: [String], doneAt: String?
  ) throws {
    func task(_ more: String...) throws -> Event {
      let all = ["BEGIN:VTODO", "UID:t", "DTSTART:20270401T090000Z"] + more + lines + ["END:VTODO"]
      return try require(plan(all.joined(separator: "\n")).steps.first?.outcome.model)
    }
    let repeated = try task("RRULE:FREQ=DAILY;COUNT=3")
    expect(repeated.isDeadline && repeated.doneAt == nil)
    expect(repeated.series.settled.map { $0.doneAt?.rfc3339 }, is: doneAt.map { [$0] } ?? [])
    expect(times(repeated).count, is: 3)
    let once = try task("DUE:20270401T090000Z")
    expect(once.isDeadline && once.series.settled.isEmpty)
    expect(once.doneAt?.rfc3339, is: doneAt)
  }

  @Test func `an invalid start of a task matters only where an alarm is counted from it`() throws {
    func task(_ alarm: [String]) throws -> ImportStep<Event> {
      let lines = ["BEGIN:VTODO", "UID:t", "DTSTART:soon", "DUE:20270401T090000Z"]
      return try require(plan((lines + alarm + ["END:VTODO"]).joined(separator: "\n")).steps.first)
    }
    for alarm in [[], ["BEGIN:VALARM", "TRIGGER;RELATED=END:-PT15M", "END:VALARM"]] {
      try expect(times(require(task(alarm).outcome.model)), is: ["2027-04-01T09:00:00Z"])
    }
    let refused = try task(["BEGIN:VALARM", "TRIGGER:-PT15M", "END:VALARM"])
    expect(refused.outcome.model == nil)
    expect(
      refused.problems.map(\.words),
      is: ["DTSTART 'soon' is not a date or time in the years 1 to 9999"])
  }

  // MARK: Round trips

  @Test(
    arguments: [
      (
        ["DTSTART:20270401T090000Z", "RDATE;VALUE=PERIOD:20270402T080000Z/PT3H"],
        ["RDATE;VALUE=PERIOD:20270402T080000Z/PT3H"]
      ),
      (
        ["DTSTART;TZID=Europe/Paris:20270401T090000", "DURATION:P2D"],
        ["DTSTART;TZID=Europe/Paris:20270401T090000", "DURATION:P2D"]
      ),
      (
        ["DTSTART;TZID=Europe/Paris:20270401T090000", "DURATION:P1D"],
        ["DTSTART;TZID=Europe/Paris:20270401T090000", "DURATION:P1D"]
      ),
      // A time that takes no day, and comes once, is the same in UTC.
      (["DTSTART;TZID=Europe/Paris:20270401T090000"], ["DTSTART:20270401T070000Z"]),
      (
        [
          "DTSTART;TZID=Europe/Paris:20270401T090000",
          "DTEND;TZID=America/New_York:20270401T060000",
          "RRULE:FREQ=WEEKLY",
        ],
        ["DTEND;TZID=America/New_York:20270401T060000"]
      ),
      (
        ["DTSTART:20270401T090000", "DURATION:PT1H"],
        ["DTSTART:20270401T090000", "DTEND:20270401T100000"]
      ),
    ])
  func `what a calendar says of times is written as it was read`(
    lines: [String], expected: [String]
  ) throws {
    let all = ["BEGIN:VEVENT", "UID:1"] + lines + ["END:VEVENT"]
    let event = try require(
      plan(all.joined(separator: "\n")).steps.first?.outcome.model)
    let text = try written([event])
    let found = text.split(whereSeparator: \.isNewline).map(String.init)
    expect(expected.filter { !found.contains($0) }, is: [], "\(text)")
  }

  @Test func `of two ends the first is written, and a skipped date stays skipped`() throws {
    var event = try event("DTSTART:20270401T090000Z", "RRULE:FREQ=DAILY;COUNT=9").event
    event.series.until = OccurrenceKey("2027-04-04T09:00:00")
    event.isDeadline = true
    event.series.settle([try require(OccurrenceKey("2027-04-02T09:00:00"))], doneAt: nil)
    let text = try written([event])
    for line in ["RRULE:FREQ=DAILY;INTERVAL=1;UNTIL=20270404T090000Z", "X-CAPSULE-SKIPPED:TRUE"] {
      expect(text.split(whereSeparator: \.isNewline).contains { $0 == line }, "\(text)")
    }
    let read = try require(plan(text, isWhole: true).steps.first?.outcome.model)
    expect(times(read).count, is: 4)
    expect(read.series.settled, is: event.series.settled)
  }

  private static let rules = [
    "FREQ=DAILY;INTERVAL=3", "FREQ=WEEKLY;BYDAY=MO,TH",
    "FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU,MO",
    "FREQ=MONTHLY", "FREQ=MONTHLY;BYMONTHDAY=1,15,-1", "FREQ=MONTHLY;BYDAY=-1FR",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", "FREQ=YEARLY", "FREQ=YEARLY;BYWEEKNO=20",
    "FREQ=YEARLY;BYMONTH=3,10;BYDAY=-1SU", "FREQ=HOURLY;INTERVAL=7", "FREQ=YEARLY;BYYEARDAY=-1",
  ]

  private func random(_ seed: UInt64) throws -> String {
    var random = SeededGenerator(seed: seed)
    func chance() -> Bool { Bool.random(using: &random) }
    func pick<T>(_ values: [T]) throws -> T { try require(values.randomElement(using: &random)) }
    let isAllDay = chance() && chance()
    let day = Int.random(in: 10...31, using: &random)
    let date = "202612\(day)"
    let rule = try pick(isAllDay ? Self.rules.filter { !$0.hasPrefix("FREQ=HOURLY") } : Self.rules)
    let zone = try pick([";TZID=Europe/Paris", ";TZID=America/New_York", "", "Z"])
    func time(_ date: String, _ hour: Int) -> String {
      if isAllDay { return ";VALUE=DATE:\(date)" }
      let clock = "T\(hour < 10 ? "0" : "")\(hour)0000"
      return zone == "Z" ? ":\(date)\(clock)Z" : "\(zone):\(date)\(clock)"
    }
    let hour = Int.random(in: 0...23, using: &random)
    var lines = ["BEGIN:VEVENT", "UID:1", "SUMMARY:S", "DTSTART\(time(date, hour))"]
    if chance() { lines.append(try pick(["DURATION:PT90M", "DURATION:P2D", "DURATION:P1DT1H"])) }
    let end = try pick([
      "", "", ";COUNT=7", isAllDay ? ";UNTIL=20280301" : ";UNTIL=20280301T120000Z",
    ])
    lines.append("RRULE:\(rule)\(end)")
    if chance() { lines.append("RDATE\(time("20270214", hour))") }
    if chance() { lines.append("EXDATE\(time(date, hour))") }
    if chance() {
      lines += ["BEGIN:VALARM", "ACTION:DISPLAY"]
      lines.append(try pick(["TRIGGER:-PT15M", "TRIGGER:-P1D", "TRIGGER;RELATED=END:PT0S"]))
      lines.append("END:VALARM")
    }
    lines.append("END:VEVENT")
    if chance() {
      let range = chance() ? ";RANGE=THISANDFUTURE" : ""
      lines += ["BEGIN:VEVENT", "UID:1", "RECURRENCE-ID\(range)\(time("20270214", hour))"]
      lines += ["SUMMARY:Other", "DTSTART\(time("20270215", hour))", "END:VEVENT"]
    }
    return lines.joined(separator: "\n")
  }

  @Test(arguments: 0..<UInt64(TestScale.count(full: 3000, debug: 150)))
  func `what is written again is the same, and has the same dates`(seed: UInt64) throws {
    let lines = try random(seed)
    var event = try require(plan(lines).steps.first?.outcome.model)
    event.header = RecordHeader(id: StoreScenario.id(1), createdAt: Self.now)
    let text = try written([event])
    let again = try plan(text, isWhole: true)
    expect(again.steps.count, is: 1, "\(lines)\n\(text)")
    var read = try require(again.steps.first?.outcome.model, "\(lines)\n\(text)")
    expect(times(read, 40), is: times(event, 40), "\(lines)\n\(text)")
    // What is different in a record of the same dates is the version, and which entry it is from.
    (read.header, read.imported, read.uid) = (event.header, event.imported, event.uid)
    for place in read.series.moved.indices {
      read.series.moved[place].imported = event.series.moved[place].imported
    }
    expect(read.fields, is: event.fields, "\(lines)\n\(text)")
  }
}

extension String {
  fileprivate func replacing(_ text: String, by other: String) -> String {
    guard let start = utf8.indices.first(where: { utf8[$0...].starts(with: text.utf8) }) else {
      return self
    }
    return String(self[..<start]) + other + String(self[start...].dropFirst(text.count))
  }
}
