import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// When events happen, and what they announce, against python-dateutil and zoneinfo
/// (`Vectors/events/generate.py`) and by hand.
@Suite struct EventTimingTests {
  private func calendar(
    _ zone: String = "UTC", leapDay: LeapDayRule = .february28
  ) throws -> EventCalendar {
    EventCalendar(zone: try TimeFixtures.zone(zone), leapDay: leapDay) { name in
      (try? TimeFixtures.zone(name)) ?? .utc
    }
  }

  private func timing(
    _ moment: Moment, zone: String = "", every recurrence: Recurrence? = nil,
    alerts: [EventAlert] = [], isDeadline: Bool = false, doneAt: Instant? = nil
  ) -> EventTiming {
    EventTiming(
      moment: moment, zone: zone, series: EventSeries(recurrence), alerts: alerts,
      isDeadline: isDeadline,
      createdAt: .earliest, doneAt: doneAt)
  }

  private func day(_ text: String) throws -> CivilDate { try require(CivilDate(iso8601: text)) }

  private static func rows(_ name: String) throws -> [[String]] {
    let path = TimeFixtures.directory + "../events/" + name
    let bytes = try require(TimeFixtures.read(path))
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter {
      !$0.hasPrefix("#")
    }
    .map { $0.split(separator: "\t").map(String.init) }
  }

  @Test func `a repetition does not drift in 100 years, in any zone`() throws {
    var checked = 0
    let rows = try Self.rows("repetitions.tsv")
    // Each zone is read once: it takes a debug build long.
    let names = Set(rows.map { $0[4] }).subtracting(["-"])
    let zones = try Dictionary(
      uniqueKeysWithValues: names.map { ($0, try TimeFixtures.zone($0)) })
    for row in rows {
      let (text, zone) = (row[3], row[4])
      let count = try require(Int(row[5]))
      let unit = try require(DurationUnit(word: row[0]))
      let every = try require(Int(row[1]))
      let recurrence = try require(Recurrence(every: every, unit))
      let calendar = EventCalendar(
        zone: .utc, leapDay: row[2] == "mar1" ? .march1 : .february28
      ) { zones[$0] ?? .utc }
      let date = try day(String(text.prefix(10)))
      var moment = Moment.day(date)
      if zone != "-" {
        let clock = text.dropFirst(11).split(separator: ":").compactMap { Int($0) }
        let time = try require(CivilTime(hour: clock[0], minute: clock[1], second: clock[2]))
        let rules = try require(zones[zone])
        moment = .instant(rules.resolve(CivilDateTime(date: date, time: time)).instant)
      }
      let timing = timing(moment, zone: zone == "-" ? "" : zone, every: recurrence)
      let schedule = timing.schedule(in: calendar)
      let found = schedule.moments.prefix(count).map { moment -> String in
        switch moment {
        case .day(let date): date.description
        case .instant(let instant): String(instant.seconds)
        }
      }
      expect(found.count, is: count)
      expect(found.last, is: row[7], "\(row)")
      let lines = Array(found.joined(separator: "\n").utf8) + [10]
      expect(Hex.encode(SHA256.hash(lines)), is: row[6], "\(row)")
      checked += count
    }
    expect(checked > TestScale.count(full: 1_000_000, debug: 30_000))
  }

  @Test func `a whole day begins and ends at local midnight in every zone`() throws {
    for row in try Self.rows("days.tsv") {
      let calendar = try calendar(row[0])
      let timing = timing(.day(try day(row[1])))
      let start = try require(Int64(row[2]))
      let end = try require(Int64(row[3]))
      let expected: [(Int64, EventState)] = [
        (start - 1, .upcoming), (start, .today), (end - 1, .today), (end, .elapsed),
      ]
      for (second, state) in expected {
        let now = Instant(seconds: second)
        expect(
          timing.schedule(in: calendar).state(at: now), is: state,
          "\(row) \(second)")
      }
      expect(timing.moment.start(in: calendar.zone).seconds, is: start)
      expect(timing.moment.end(in: calendar.zone).seconds, is: end)
    }
  }

  @Test(arguments: ["Pacific/Auckland", "Europe/London", "Asia/Kathmandu", "America/Los_Angeles"])
  func `the last day there is can be counted down to`(zone: String) throws {
    let calendar = try calendar(zone)
    let timing = timing(
      .day(try day("9999-12-31")), every: Recurrence(every: 1, .day))
    let before = try TimeFixtures.instant("9999-12-30T00:00:00Z")
    expect(timing.schedule(in: calendar).occurrences(from: before, before: .latest).count, is: 1)
    expect(timing.schedule(in: calendar).occurrence(1) == nil)
  }

  @Test(
    arguments: [
      ("2025-02-28", "2025-02-28", "2025-03-01"), ("2025-03-01", "2026-02-28", "2025-03-01"),
      ("2025-03-02", "2026-02-28", "2026-03-01"), ("2028-02-28", "2028-02-29", "2028-02-29"),
    ])
  func `29 February falls where the setting says`(
    today: String, inFebruary: String, inMarch: String
  ) throws {
    let timing = timing(.day(try day("2024-02-29")), every: Recurrence(every: 1, .year))
    let now = try TimeFixtures.instant(today + "T12:00:00Z")
    expect(
      timing.schedule(in: try calendar()).current(at: now)?.moment, is: .day(try day(inFebruary)))
    expect(
      timing.schedule(in: try calendar(leapDay: .march1)).current(at: now)?.moment,
      is: .day(try day(inMarch))
    )
  }

  @Test(
    arguments: [
      ("daily", "daily"), ("Weekly", "weekly"), ("2 weeks", "every 2 weeks"), ("1 day", "daily"),
      ("every 3 months", "every 3 months"), ("P1Y", "yearly"), ("every year", "yearly"),
      ("4y", "every 4 years"),
    ])
  func `a repetition is read and told again`(text: String, words: String) throws {
    let recurrence = try require(Recurrence(words: text))
    expect(recurrence.words, is: words)
    expect(Recurrence(words: words), is: recurrence)
  }

  @Test(
    arguments: [
      "", "fortnight", "0 days", "1001 days", "1 hour", "1 year 6 months", "-1 day", "m", "5 m",
      "every", "sometimes",
    ])
  func `what is no repetition is refused`(text: String) {
    expect(Recurrence(words: text) == nil)
  }

  @Test(
    arguments: [
      ("1 week before", "1 week before"), ("at the time", "at the time"),
      ("on the day at 9:00", "on the day at 09:00"), ("2h before", "2 hours before"),
      ("1 day before at 18:00", "1 day before at 18:00"), ("the day before", "1 day before"),
      ("on the day", "on the day at 00:00"), ("1 month 2 days before", "1 month 2 days before"),
    ])
  func `an alert is read and told again`(text: String, told: String) throws {
    let alert = try require(EventAlert(text))
    expect(alert.description, is: told)
    expect(EventAlert(told), is: alert)
  }

  @Test(
    arguments: [
      "", "before", "soon", "1 week", "1 week after at 09:00", "2 hours before at 09:00",
      "on the day at 25:00", "101 years before", "at the time at 09:00", "at 09:00",
      "999999999999 years before",
    ])
  func `what is no alert is refused`(text: String) {
    expect(EventAlert(text) == nil)
  }

  @Test func `an alert on the clocks keeps to them over a change of the clocks`() throws {
    // New York is 4 hours behind until 1 November 2026, 5 from then on.
    let start = try TimeFixtures.instant("2026-11-03T14:00:00Z")
    let rules = try TimeFixtures.zone("America/New_York")
    func due(_ text: String) throws -> String? {
      let alert = try require(EventAlert(text))
      return alert.instant(of: .instant(start), in: .utc, eventZone: rules)?.rfc3339
    }
    try expect(due("1 week before"), is: "2026-10-27T13:00:00Z")
    try expect(due("168 hours before"), is: "2026-10-27T14:00:00Z")
    try expect(due("on the day at 08:00"), is: "2026-11-03T13:00:00Z")
    try expect(due("1 week before at 08:00"), is: "2026-10-27T12:00:00Z")
  }

  @Test func `an alert of a whole day is due by the clocks of where one is`() throws {
    let alert = try require(EventAlert("1 day before at 18:00"))
    let moment = Moment.day(try day("2026-06-15"))
    for (zone, due) in [
      ("Pacific/Auckland", "2026-06-14T06:00:00Z"), ("America/Los_Angeles", "2026-06-15T01:00:00Z"),
    ] {
      let rules = try TimeFixtures.zone(zone)
      expect(alert.instant(of: moment, in: rules, eventZone: rules)?.rfc3339, is: due)
    }
  }

  @Test func `of a repeated alert that was missed only the last is announced`() throws {
    let alert = try require(EventAlert("on the day at 09:00"))
    let timing = timing(
      .day(try day("2026-01-01")), every: Recurrence(every: 1, .day), alerts: [alert])
    let found = timing.schedule(in: try calendar()).announcements(
      after: try TimeFixtures.instant("2026-01-05T00:00:00Z"),
      through: try TimeFixtures.instant("2026-03-05T08:00:00Z"))
    expect(found.map(\.instant.rfc3339), is: ["2026-03-04T09:00:00Z"])
  }

  @Test func `a deadline is over at the end of its day, and not once it is met`() throws {
    let calendar = try calendar("Europe/London")
    let end = try TimeFixtures.instant("2026-06-15T23:00:00Z")
    let open = timing(.day(try day("2026-06-15")), isDeadline: true)
    expect(
      open.schedule(in: calendar).announcements(after: .earliest, through: end).map(\.instant),
      is: [
        end
      ])
    expect(
      open.schedule(in: calendar).announcements(after: .earliest, through: end.adding(seconds: -1))
        .isEmpty)
    let met = timing(.day(try day("2026-06-15")), isDeadline: true, doneAt: end)
    expect(met.schedule(in: calendar).announcements(after: .earliest, through: end).isEmpty)
    expect(met.schedule(in: calendar).state(at: end), is: .done)
  }

  @Test func `an event that was made by a clock that was ahead is announced all the same`() throws {
    let calendar = try calendar("Europe/London")
    let end = try TimeFixtures.instant("2026-06-15T23:00:00Z")
    var timing = timing(.day(try day("2026-06-15")), isDeadline: true)
    timing.createdAt = end.adding(seconds: 1)
    let start = end.adding(seconds: -86_400)
    expect(
      timing.schedule(in: calendar).announcements(after: start, through: end).map(\.instant),
      is: [
        end
      ])
    timing.createdAt = end
    expect(timing.schedule(in: calendar).announcements(after: start, through: end).isEmpty)
  }

  @Test func `an alert whose time had come when its event was made is due`() throws {
    let calendar = try calendar("Europe/London")
    var timing = timing(
      .day(try day("2026-06-15")), alerts: [try require(EventAlert("1 week before"))])
    timing.createdAt = try TimeFixtures.instant("2026-06-13T12:00:00Z")
    let schedule = timing.schedule(in: calendar)
    func due(_ start: String, _ end: String) throws -> [String] {
      try schedule.announcements(
        after: TimeFixtures.instant(start), through: TimeFixtures.instant(end)
      ).map(\.instant.rfc3339)
    }
    try expect(due("2026-06-01T00:00:00Z", "2026-06-13T12:01:00Z"), is: ["2026-06-07T23:00:00Z"])
    // Not once it is over, nor of what was made before.
    try expect(due("2026-06-01T00:00:00Z", "2026-06-16T00:00:00Z"), is: [])
    try expect(due("2026-06-13T13:00:00Z", "2026-06-14T00:00:00Z"), is: [])
  }

  @Test func `what the index keeps gives the event back, and bounds when it is due`() throws {
    let id = RecordID(high: 1, low: 2)
    let now = try TimeFixtures.instant("2026-01-01T00:00:00Z")
    let moments: [Moment] = [
      .day(try day("2026-06-15")), .instant(now), .day(try day("0001-01-01")),
    ]
    for moment in moments {
      for text in ["1 month before", "at the time", "on the day at 09:00"] {
        var event = Event(
          header: RecordHeader(id: id, createdAt: .earliest), title: "Tïtle", moment: moment,
          zone: "Asia/Kathmandu")
        event.alerts = [text, "1 day before"].compactMap { EventAlert($0) }
        event.color = EventColor("#AABBCC")
        event.notes = String(repeating: "n", count: 5000)
        let summary = event.brief
        let encoded = event.indexContribution.summary
        expect(Brief<Event>(id: id, encoded: encoded), is: summary)
        expect(
          Brief<Event>(id: event.id, encoded: encoded, through: "doneAt")?.record.timing,
          is: event.timing)
        expect(!summary.isWhole)
        let due = try require(event.indexContribution.due)
        for zone in ["Pacific/Auckland", "America/Los_Angeles"] {
          let calendar = try calendar(zone)
          for alert in event.alerts {
            guard
              let instant = alert.instant(
                of: moment, in: calendar.zone, eventZone: calendar.rules(of: event.timing))
            else { continue }
            expect(due <= instant.seconds)
          }
        }
      }
    }
  }

  @Test func `a record gives the event back, and unknown members too`() throws {
    let id = RecordID(high: 1, low: 2)
    var event = Event(
      header: RecordHeader(id: id, createdAt: Instant(seconds: 0)), title: "T",
      moment: .day(try day("2024-02-29")), zone: "")
    event.recurrence = Recurrence(every: 2, .week)
    event.alerts = [try require(EventAlert("1 week before"))]
    event.image = Attachment(
      name: [0xff, 0x41], mediaType: "image/png", size: 3, modified: nil,
      blob: BlobName(digest: SHA256.hash([])))
    var fields = event.fields
    fields["other"] = "kept"
    fields["repeat"] = ["every": 2, "unit": "week", "until": "2040-01-01", "days": ["mo"]]
    let read = try Event(fields: fields)
    expect(read.recurrence, is: event.recurrence)
    expect(read.alerts, is: event.alerts)
    expect(read.image?.name, is: [0xff, 0x41])
    expect(read.fields, is: fields)
    // They belong to the rule, and go with it.
    var changed = read
    changed.recurrence = Recurrence(every: 3, .month)
    fields["repeat"] = ["every": 3, "unit": "month", "until": "2040-01-01", "days": ["mo"]]
    expect(changed.fields, is: fields)
    changed.recurrence = nil
    expect(changed.fields["repeat"], is: .null)
  }

  @Test(
    arguments: [
      ("date", "2026-02-30"), ("at", "2026-01-01"), ("color", "puce"), ("alerts", "x"),
      ("repeat", "daily"), ("image", "x"), ("deadline", "yes"),
    ])
  func `a record with a wrong field is damaged`(key: String, value: String) throws {
    let event = Event(
      header: RecordHeader(id: RecordID(high: 1, low: 2), createdAt: Instant(seconds: 0)),
      title: "T", moment: .day(try day("2024-02-29")), zone: "")
    var fields = event.fields
    fields[key] = .string(value)
    expect(throws: FieldError.self) {
      _ = try Event(fields: fields)
    }
  }

  @Test(arguments: ["red", "RED", "#ff8800", "Grey", "#FF8800"])
  func `a colour is a name or its digits`(text: String) throws {
    let color = try require(EventColor(text))
    expect(EventColor(color.description), is: color)
    expect(EventColor(color.hex)?.hex, is: color.hex)
  }

  @Test(arguments: ["", "puce", "#fff", "#gg0000", "ff8800", "#ff88001", "# ff880"])
  func `what is no colour is refused`(text: String) {
    expect(EventColor(text) == nil)
  }
}
