import CapsuleCore
import TestSupport
import Testing

@testable import CoreTestHelpers

@Suite struct ReminderTests {
  private func instant(_ text: String) throws -> Instant { try require(Instant(rfc3339: text)) }

  @Test(
    arguments: [
      ("90 minutes", "2026-01-31T11:30:00Z"), ("2 hours", "2026-01-31T12:00:00Z"),
      ("day", "2026-02-01T10:00:00Z"), ("every 2 weeks", "2026-02-14T10:00:00Z"),
      ("1 month", "2026-02-28T10:00:00Z"), ("3 months", "2026-04-30T10:00:00Z"),
      ("yearly", "2027-01-31T10:00:00Z"),
    ])
  func `every unit is counted from the last entry`(rule: String, due: String) throws {
    let (count, unit) = try require(Reminder.rule(rule))
    let reminder = try require(
      Reminder(every: count, unit, since: try instant("2020-01-01T00:00:00Z")))
    let last = try instant("2026-01-31T10:00:00Z")
    expect(reminder.due(last: last, in: .utc) == (try instant(due)))
    let earliest = try require(reminder.earliestDue(last: last))
    expect(earliest <= (try instant(due)).seconds)
  }

  @Test(arguments: ["m", "1 year 2 months", "0 days", "30 seconds", "", "soon", "100001 days"])
  func `what is no rule is refused`(rule: String) {
    expect(Reminder.rule(rule) == nil)
  }

  @Test func `the last missed occurrence counts, and doing it ends that`() throws {
    var reminder = try require(
      Reminder(every: 1, .week, since: try instant("2026-01-01T00:00:00Z")))
    reminder.time = CivilTime(hour: 9, minute: 0)
    let last = try instant("2026-01-05T18:00:00Z")
    expect(reminder.due(last: last, in: .utc) == (try instant("2026-01-12T09:00:00Z")))
    let now = try instant("2026-02-03T00:00:00Z")
    expect(
      reminder.latest(through: now, last: last, in: .utc)?.instant
        == (try instant("2026-02-02T09:00:00Z")))
    expect(reminder.latest(through: now, last: now, in: .utc) == nil)
    reminder.isOn = false
    expect(reminder.latest(through: now, last: last, in: .utc) == nil)
  }

  @Test func `a fixed rule keeps to its times`() throws {
    var reminder = try require(
      Reminder(every: 1, .month, since: try instant("2026-01-10T00:00:00Z")))
    reminder.from = try instant("2026-01-31T08:00:00Z")
    expect(reminder.due(last: nil, in: .utc) == (try instant("2026-01-31T08:00:00Z")))
    let last = try instant("2026-02-10T00:00:00Z")
    expect(reminder.due(last: last, in: .utc) == (try instant("2026-02-28T08:00:00Z")))
    expect(
      reminder.latest(through: try instant("2026-04-01T00:00:00Z"), last: last, in: .utc)?.instant
        == (try instant("2026-03-31T08:00:00Z")))
  }

  @Test func `the latest occurrence is that which counting one by one gives`() throws {
    let since = try instant("2024-01-31T22:30:00Z")
    for unit in Reminder.units {
      for count in [1, 7] {
        let reminder = try require(Reminder(every: count, unit, since: since))
        let now = since.adding(seconds: 3 * 366 * 86_400)
        guard unit != .minute else { continue }
        let latest = reminder.latest(through: now, last: nil, in: .utc)?.instant
        var plain: Instant?
        for number in 1..<30_000 {
          var span = CalendarDuration()
          span[unit] = number * count
          guard let time = span.added(to: since, in: .utc)?.instant, time <= now else { break }
          plain = time
        }
        expect(latest, is: plain, "\(count) \(unit)")
      }
    }
  }

  @Test func `1,000 rules are due when python-dateutil says`() throws {
    let path = TimeFixtures.directory + "../items/reminders.tsv"
    let text = String(decoding: try require(TimeFixtures.read(path)), as: UTF8.self)
    let rows = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
      .map { $0.split(separator: "\t").map(String.init) }
    expect(rows.count, is: 1000)
    for row in rows {
      func instant(_ column: Int) -> Instant? { Int64(row[column]).map { Instant(seconds: $0) } }
      let unit = try require(DurationUnit(word: row[0]))
      let (every, since) = (try require(Int(row[1])), try require(instant(3)))
      var reminder = try require(Reminder(every: every, unit, since: since))
      reminder.from = instant(5)
      let clock = row[6].split(separator: ":").compactMap { Int($0) }
      reminder.time = clock.count == 2 ? CivilTime(hour: clock[0], minute: clock[1]) : nil
      let (zone, last, now) = (try TimeFixtures.zone(row[2]), instant(4), try require(instant(7)))
      let due = reminder.due(last: last, in: zone)
      expect(due, is: instant(8), "\(row)")
      expect(reminder.latest(through: now, last: last, in: zone)?.instant, is: instant(9), "\(row)")
      let earliest = try require(reminder.earliestDue(last: last))
      expect(earliest <= (try require(due)).seconds, "\(row)")
    }
  }

  @Test func `a summary tells what its item does, through the index's form too`() throws {
    var item = Item(
      header: RecordHeader(
        id: RecordID(high: 3, low: 4), createdAt: try instant("2026-01-01T00:00:00Z")),
      name: "Café")
    item.description = String(repeating: "é", count: 3000)
    item.value = try Money("EUR 12.50")
    item.tags = ["a", "b"]
    item.log(
      HistoryEntry(at: try instant("2026-01-03T00:00:00Z"), value: ExactDecimal("1.50"), notes: "n")
    )
    item.log(HistoryEntry(at: try instant("2026-01-01T00:00:00Z"), value: nil, notes: ""))
    item.reminder = Reminder(every: 3, .month, since: item.createdAt)
    let summary = item.brief
    expect(summary.digest.figures.average, is: 172_800)
    expect(!summary.isWhole && summary.record.description.utf8.count <= 2048)
    let encoded = item.indexContribution.summary
    expect(Brief<Item>(id: item.id, encoded: encoded), is: summary)
    let lean = try require(Brief<Item>(id: item.id, encoded: encoded, through: "reminder"))
    expect(lean.record.reminder, is: item.reminder)
    expect(lean.digest, is: summary.digest)
    expect((lean.record.category, lean.record.description) == (item.category, ""))
    expect(lean.record.value, is: item.value)
    try expect(Item(fields: item.fields), is: item)
  }

  @Test(
    arguments: [
      ("CAFE", "Café au lait", true), ("cafe\u{301}", "CAFÉ", true), ("strasse", "Straße", true),
      ("oresund", "Øresund", true), ("tea", "Café", false), ("", "x", true),
      ("ωμεγα", "Ωμέγα", true), ("lodz", "Łódź", true),
    ])
  func `a search looks at neither case nor accents`(wanted: String, text: String, found: Bool) {
    expect(SearchText(wanted).matches(text), is: found)
  }
}
