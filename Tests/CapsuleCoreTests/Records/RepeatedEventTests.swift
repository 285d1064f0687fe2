import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Repeated events: the local time that they keep, the days of the week that they name, and the age.
@Suite struct RepeatedEventTests {
  private let created = Instant.epoch

  private func event(
    _ moment: Moment, zone: String = "", _ words: String
  ) throws -> Event {
    var event = Event(
      header: RecordHeader(id: RecordID(high: 1, low: 2), createdAt: created), title: "T",
      moment: moment, zone: zone)
    let rule = try require(Recurrence(words: words))
    event.recurrence = rule
    return event
  }

  /// Somebody in UTC, to whom each other zone has these rules.
  private func calendar(_ rules: ZoneRules) -> EventCalendar {
    EventCalendar(zone: .utc, leapDay: .february28) { _ in rules }
  }

  private func instants(_ event: Event, _ calendar: EventCalendar) throws -> [String] {
    let schedule = event.timing.schedule(in: calendar)
    return try (0..<3).map { number in
      try require(schedule.occurrence(number)?.exactInstant).rfc3339
    }
  }

  private func instant(_ text: String) throws -> Instant { try require(Instant(rfc3339: text)) }

  @Test func `what is repeated keeps its clocks when the rules of its zone change`() throws {
    let before = ZoneRules(offset: 43_200).named("Pacific/Auckland")
    let after = ZoneRules(offset: 39_600).named("Pacific/Auckland")
    var event = try event(
      .instant(instant("2031-06-14T21:00:00Z")), zone: "Pacific/Auckland", "weekly")
    event.settle(calendar(before))
    expect(event.local?.description, is: "2031-06-15T09:00:00+12:00")
    let read = try Event(fields: event.fields)
    try expect(
      instants(read, calendar(before)),
      is: ["2031-06-14T21:00:00Z", "2031-06-21T21:00:00Z", "2031-06-28T21:00:00Z"])
    try expect(
      instants(read, calendar(after)),
      is: ["2031-06-14T22:00:00Z", "2031-06-21T22:00:00Z", "2031-06-28T22:00:00Z"])
  }

  @Test func `a record without a local time is read as before`() throws {
    let after = ZoneRules(offset: 39_600).named("Pacific/Auckland")
    let event = try event(
      .instant(instant("2031-06-14T21:00:00Z")), zone: "Pacific/Auckland", "weekly")
    expect(event.fields["local"] == nil)
    try expect(instants(event, calendar(after))[0], is: "2031-06-14T21:00:00Z")
  }

  @Test func `in a zone that is not known the first time is the instant`() throws {
    var event = try event(
      .instant(instant("2031-06-14T21:00:00Z")), zone: "Pacific/Auckland", "weekly")
    event.settle(calendar(ZoneRules(offset: 43_200).named("Pacific/Auckland")))
    expect(event.local != nil)
    try expect(instants(event, calendar(.utc))[0], is: "2031-06-14T21:00:00Z")
  }

  @Test func `where another program has moved the instant, the local time does not count`() throws {
    let rules = ZoneRules(offset: 43_200).named("Pacific/Auckland")
    var event = try event(
      .instant(instant("2031-06-14T21:00:00Z")), zone: "Pacific/Auckland", "weekly")
    event.settle(calendar(rules))
    var fields = event.fields
    fields["at"] = "2031-06-15T20:00:00Z"
    let moved = try Event(fields: fields)
    try expect(instants(moved, calendar(rules))[0], is: "2031-06-15T20:00:00Z")
    expect(moved.fields, is: fields)
  }

  @Test func `a time that the clocks skip is asked for again on the days that have it`() throws {
    let london = try TimeFixtures.zone("Europe/London")
    let asked = CivilDateTime(
      date: try require(CivilDate(iso8601: "2026-03-29")),
      time: try require(CivilTime(hour: 1, minute: 30)))
    var event = try event(
      .instant(london.resolve(asked).instant), zone: london.identifier, "daily")
    event.settle(calendar(london), asked: asked)
    try expect(
      instants(event, calendar(london)),
      is: ["2026-03-29T01:30:00Z", "2026-03-30T00:30:00Z", "2026-03-31T00:30:00Z"])
  }

  @Test func `what comes once has no local time`() throws {
    var event = try event(.instant(instant("2031-06-14T21:00:00Z")), zone: "UTC", "weekly")
    event.settle(calendar(.utc))
    expect(event.local != nil)
    event.recurrence = nil
    event.settle(calendar(.utc))
    expect(event.fields["local"] == nil)
  }

  @Test(arguments: [("2026-11-22", "2026-11-23"), ("2026-11-24", "2026-11-24")])
  func `the first time is the first day of the rule`(given: String, first: String) throws {
    var event = try event(.day(try require(CivilDate(iso8601: given))), "weekdays")
    event.settle(calendar(.utc))
    expect(event.moment.wholeDay?.description, is: first)
  }

  @Test(
    arguments: [
      ("weekly", 1, [:]), ("weekdays", 3, ["weekdays": 5]),
      ("every 3 months on the last friday", 3, ["weekdays": 1, "nth": 1]),
    ] as [(String, Int64, [String: Int])])
  func `days of the week are of record format 3`(
    words: String, schema: Int64, members: [String: Int]
  ) throws {
    let event = try event(.day(try require(CivilDate(iso8601: "2026-11-22"))), words)
    expect(event.schemaNeeded, is: schema)
    let rule = try require(event.fields["repeat"]?.object)
    expect(Set(rule.map(\.key)), is: Set(members.keys).union(["every", "unit"]))
    try expect(Event(fields: event.fields), is: event)
    let encoded = event.indexContribution.summary
    expect(
      Brief<Event>(id: event.id, encoded: encoded, through: "doneAt")?.record.timing,
      is: event.timing
    )
    expect(Brief<Event>(id: event.id, encoded: encoded), is: event.brief)
  }

  @Test(
    arguments: [
      ["every": 1, "unit": "week", "weekdays": []],
      ["every": 1, "unit": "day", "weekdays": ["monday"]],
      ["every": 1, "unit": "week", "weekdays": ["monday"], "nth": 1],
      ["every": 1, "unit": "month", "weekdays": ["monday"]],
      ["every": 1, "unit": "month", "weekdays": ["monday", "friday"], "nth": 1],
      ["every": 1, "unit": "month", "weekdays": ["monday"], "nth": 5],
      ["every": 1, "unit": "month", "nth": 1], ["every": 1, "unit": "week", "weekdays": ["Mon"]],
    ] as [JSON])
  func `a rule whose days do not go together is damage`(rule: JSON) throws {
    var fields = try event(.day(CivilDate(daysSinceEpoch: 0)), "weekly").fields
    fields["repeat"] = rule
    expect(throws: FieldError.self) { _ = try Event(fields: fields) }
  }

  @Test(arguments: ["2031-06-15T09:00:00Z", "2031-06-15", "", "2031-06-15T09:00:00+24:00", "é"])
  func `a local time has an offset`(text: String) {
    expect(LocalTime(text) == nil)
  }

  @Test func `a yearly event has the age that is reached`() throws {
    let born = try require(CivilDate(iso8601: "2016-02-29"))
    let calendar = calendar(.utc)
    let yearly = try event(.day(born), "yearly").timing.schedule(in: calendar)
    func age(_ number: Int) throws -> Int? {
      yearly.years(at: try require(Array(yearly.walk(notOverAt: .earliest).prefix(19))[number]))
    }
    expect(try age(0) == nil)
    try expect(age(1), is: 1)
    try expect(age(18), is: 18)
    let monthly = try event(.day(born), "monthly").timing.schedule(in: calendar)
    expect(
      monthly.years(at: try require(Array(monthly.walk(notOverAt: .earliest).prefix(25)).last))
        == nil)
  }
}
