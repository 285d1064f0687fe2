import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Calendars: zones, rules and alarms, by their lines.
@Suite struct CalendarWriterTests {
  private static let now = Instant(seconds: 1_800_000_000)  // 2027-01-15T08:00:00Z
  private let files = SimulatedFileSystem()
  private let store: Store

  init() throws {
    store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1),
      now: Self.now)
  }

  private func context(in zone: ZoneRules) -> TimelineContext {
    TimelineContext(
      store, now: Self.now,
      calendar: EventCalendar(
        in: LocalZone(rules: zone, name: zone.identifier, warning: nil),
        TimeFixtures.zones, leapDay: .february28
      ) { _ in })
  }

  /// The unfolded lines of a calendar of these.
  private func lines(_ context: TimelineContext, _ all: [Series?]) throws -> [String] {
    var writer = CalendarWriter(context.calendar, now: Self.now)
    let all = try all.map { try require($0) }
    for series in all { writer.note(series) }
    let bytes = writer.beginning() + all.flatMap { writer.component(of: $0) } + writer.end()
    let text = String(decoding: bytes, as: UTF8.self)
    return text.split(separator: "\r\n").reduce(into: []) { lines, line in
      if line.unicodeScalars.first == " ", let last = lines.popLast() {
        lines.append(last + line.dropFirst())
      } else {
        lines.append(String(line))
      }
    }
  }

  private func event(
    _ moment: Moment, zone: String = "", _ rule: String? = nil, alerts: [String] = [],
    _ context: TimelineContext
  ) throws -> Event {
    var event = Event(
      header: RecordHeader(id: StoreScenario.id(1), createdAt: Self.now), title: "T",
      moment: moment, zone: zone)
    event.recurrence = rule.flatMap { Recurrence(words: $0) }
    event.alerts = alerts.compactMap { EventAlert($0) }
    event.settle(context.calendar)
    return event
  }

  private func day(_ text: String) throws -> Moment {
    .day(try require(CivilDate(iso8601: text)))
  }

  private func instant(_ text: String) throws -> Instant { try require(Instant(rfc3339: text)) }

  // MARK: Rules

  @Test(
    arguments: [
      ("weekdays", "FREQ=WEEKLY;INTERVAL=1;BYDAY=MO,TU,WE,TH,FR"),
      ("every other sunday", "FREQ=WEEKLY;INTERVAL=2;BYDAY=SU;WKST=MO"),
      ("every 2nd tuesday", "FREQ=MONTHLY;INTERVAL=1;BYDAY=2TU"),
      ("every 3 months on the last friday", "FREQ=MONTHLY;INTERVAL=3;BYDAY=-1FR"),
    ])
  func `a day of the week is written as calendars name it`(words: String, rule: String) throws {
    let context = context(in: .utc)
    let lines = try lines(
      context, [try event(day("2027-02-01"), words, context).series(context)])
    expect(lines.contains("RRULE:\(rule)"))
  }

  // MARK: Reminders

  private func reminder(
    every count: Int, _ unit: DurationUnit, from: String? = nil, at time: CivilTime? = nil,
    last: String? = nil, in zone: ZoneRules
  ) throws -> [String] {
    var item = Item(
      header: RecordHeader(id: StoreScenario.id(2), createdAt: Self.now), name: "Filter")
    var rule = try require(
      Reminder(every: count, unit, since: try instant("2026-01-01T00:00:00Z")))
    rule.from = try from.map(instant)
    rule.time = time
    item.reminder = rule
    if let last { item.log(HistoryEntry(at: try instant(last), value: nil, notes: "")) }
    let context = context(in: zone)
    return try lines(context, [item.series(context)])
  }

  @Test func `a reminder is on the clocks of its zone`() throws {
    let lines = try reminder(
      every: 1, .month, from: "2027-01-31T19:00:00Z", in: TimeFixtures.zone("Pacific/Auckland"))
    // It is 08:00 on 1 February there.
    expect(lines.contains("DTSTART;TZID=Pacific/Auckland:20270201T080000"))
    expect(lines.contains("RRULE:FREQ=MONTHLY;INTERVAL=1"))
    expect(lines.contains("TZID:Pacific/Auckland"))
  }

  @Test func `after an entry a reminder keeps to the day of its own anchor`() throws {
    let lines = try reminder(
      every: 3, .month, from: "2026-11-30T09:00:00Z", last: "2026-12-05T10:00:00Z", in: .utc)
    expect(lines.contains("DTSTART:20270228T090000Z"))
    expect(lines.contains("RRULE:FREQ=MONTHLY;INTERVAL=3;BYMONTHDAY=28,29,30;BYSETPOS=-1"))
  }

  @Test func `a reminder is counted from the day of the entry`() throws {
    let lines = try reminder(
      every: 1, .month, at: CivilTime(hour: 9, minute: 0), last: "2027-01-31T10:00:00Z", in: .utc)
    expect(lines.contains("DTSTART:20270228T090000Z"))
    expect(lines.contains("RRULE:FREQ=MONTHLY;INTERVAL=1;BYMONTHDAY=28,29,30,31;BYSETPOS=-1"))
  }

  @Test func `a reminder of hours stands once`() throws {
    let lines = try reminder(every: 90, .minute, last: "2027-01-15T08:00:00Z", in: .utc)
    expect(lines.contains("DTSTART:20270115T093000Z"))
    expect(!lines.contains { $0.utf8.starts(with: "RRULE".utf8) })
  }

  // MARK: Zones

  @Test(arguments: ["No/Where", "x\"y\u{1}", "a;b:c", "\r\nX:1"])
  func `of a zone that is not known the one whose clocks are taken is named`(zone: String) throws {
    let context = context(in: try TimeFixtures.zone("Europe/London"))
    var event = try event(
      .instant(instant("2027-07-01T08:00:00Z")), zone: "Europe/London", "weekly", context)
    event.zone = zone
    let lines = try lines(context, [event.series(context)])
    expect(lines.contains("DTSTART;TZID=Europe/London:20270701T090000"))
    expect(lines.filter { $0.utf8.starts(with: "TZID".utf8) }, is: ["TZID:Europe/London"])
  }

  @Test func `a zone whose name is a rule is named without signs that parsers trip over`() throws {
    let zone = try require(ZoneRules(posix: "EST5EDT,M3.2.0,M11.1.0"))
    let lines = try reminder(every: 1, .day, last: "2027-01-14T08:00:00Z", in: zone)
    expect(lines.contains("TZID:EST5EDT-M3.2.0-M11.1.0"))
    expect(lines.contains("DTSTART;TZID=EST5EDT-M3.2.0-M11.1.0:20270115T030000"))
  }

  @Test func `a zone is described for all years, by rules where its table ends`() throws {
    let context = context(in: .utc)
    let old = try event(
      .instant(instant("1950-06-01T12:00:00Z")), zone: "Europe/London", "yearly", context)
    let lines = try lines(context, [old.series(context)])
    expect(lines.contains("RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU"))
    expect(lines.contains("RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU"))
    expect(lines.contains { $0 == "DTSTART:19500416T020000" || $0 == "RDATE:19500416T020000" })
  }

  @Test(
    arguments: [
      ("IST-2IDT,M3.4.4/26,M10.5.0", "BYMONTH=3;BYMONTHDAY=23,24,25,26,27,28,29;BYDAY=FR"),
      ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "BYMONTH=3;BYMONTHDAY=24,25,26,27,28,29,30;BYDAY=SA"),
      ("AAA0BBB,J60,J300", "BYMONTH=3;BYMONTHDAY=1"), ("AAA0BBB,59,299", "BYYEARDAY=60"),
      ("AAA0BBB,M4.1.0/3,M10.1.0", "BYMONTH=4;BYDAY=1SU"),
    ])
  func `a yearly change is a rule, also on another day than it is counted from`(
    posix: String, rule: String
  ) throws {
    let zone = CalendarZone(try require(ZoneRules(posix: posix)), from: Self.now)
    expect(zone.lines(now: Self.now).contains("RRULE:FREQ=YEARLY;\(rule)"))
  }

  @Test func `a change that no rule can say is written out for a hundred years`() throws {
    let zone = CalendarZone(
      try require(ZoneRules(posix: "AAA0BBB,M2.5.0/30,M10.1.0")), from: Self.now)
    let lines = zone.lines(now: Self.now)
    expect(!lines.contains { $0.utf8.starts(with: "RRULE".utf8) })
    expect(lines.filter { $0.utf8.starts(with: "RDATE".utf8) }.count > 190)
  }

  // MARK: Alarms

  private func triggers(_ lines: [String]) -> [String] {
    lines.filter { $0.utf8.starts(with: "TRIGGER".utf8) }
  }

  @Test(
    arguments: [
      // 28 days of February, and 59 for two months.
      (
        "2027-03-31T10:00:00Z", "UTC", "1 month before",
        "TRIGGER;X-CAPSULE-ALERT=\"1 month before\":-P31D"
      ),
      (
        "2027-03-31T10:00:00Z", "UTC", "2 months before",
        "TRIGGER;X-CAPSULE-ALERT=\"2 months before\":-P59D"
      ),
      // The clocks change between: the start is written in UTC.
      ("2027-03-30T09:00:00Z", "Europe/London", "1 week before", "TRIGGER:-P6DT23H"),
      (
        "2027-03-30T09:00:00Z", "Europe/London", "36 hours before",
        "TRIGGER;X-CAPSULE-ALERT=\"36 hours before\":-P1DT12H"
      ),
    ])
  func `the alarm of what comes once is at its instant`(
    at: String, zone: String, alert: String, trigger: String
  ) throws {
    let context = context(in: .utc)
    let event = try event(.instant(instant(at)), zone: zone, alerts: [alert], context)
    try expect(triggers(lines(context, [event.series(context)])), is: [trigger])
  }

  @Test func `on a day on which the clocks change an alarm of that day is an instant`() throws {
    let context = context(in: try TimeFixtures.zone("Europe/London"))
    func alarms(_ date: String) throws -> [String] {
      let event = try event(day(date), alerts: ["on the day at 09:00"], context)
      return try triggers(lines(context, [event.series(context)]))
    }
    try expect(alarms("2027-03-28"), is: ["TRIGGER;VALUE=DATE-TIME:20270328T080000Z"])
    try expect(alarms("2027-03-29"), is: ["TRIGGER:PT9H"])
  }

  @Test func `an occurrence whose alarm differs stands on its own`() throws {
    let context = context(in: try TimeFixtures.zone("Europe/London"))
    let event = try event(
      day("2020-03-15"), "yearly", alerts: ["1 month before", "1 week before"], context)
    let lines = try lines(context, [event.series(context)])
    // In leap years February has a day more.
    // The alert that no trigger says goes with it, so that it is read back.
    expect(
      triggers(lines).prefix(2),
      is: ["TRIGGER;X-CAPSULE-ALERT=\"1 month before\":-P28D", "TRIGGER:-P7D"])
    expect(
      lines.filter { $0.utf8.starts(with: "RECURRENCE-ID".utf8) },
      is: ["20280315", "20320315", "20360315"].map { "RECURRENCE-ID;VALUE=DATE:\($0)" })
    expect(lines.contains("TRIGGER;VALUE=DATE-TIME:20280215T000000Z"))
    expect(lines.filter { $0.utf8.starts(with: "RRULE".utf8) }.count, is: 1)
  }

  @Test func `an alarm of days and hours is the same at every occurrence`() throws {
    let context = context(in: .utc)
    let event = try event(
      .instant(instant("2027-01-31T10:00:00Z")), zone: "Europe/London", "daily",
      alerts: ["1 week 36 hours before", "at the time"], context)
    let lines = try lines(context, [event.series(context)])
    expect(triggers(lines), is: ["TRIGGER:-P7DT36H", "TRIGGER:PT0S"])
  }
}
