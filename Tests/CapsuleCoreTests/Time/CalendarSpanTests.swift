import CapsuleCalendar
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct CalendarSpanTests {
  @Test func `400 spans are what python-dateutil counts`() throws {
    let bytes = try require(TimeFixtures.read(TimeFixtures.directory + "spans.tsv"))
    var count = 0
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      let fields = line.split(separator: "\t").map(String.init)
      let (now, target) = (
        try TimeFixtures.instant(fields[0]), try TimeFixtures.instant(fields[1])
      )
      let span = CalendarSpan(from: now, to: target, in: .utc)
      let found = [span.years, span.months, span.days, span.seconds].map(String.init)
      expect(found, is: Array(fields[2...]), "\(line)")
      count += 1
    }
    expect(count, is: 400)
  }

  @Test(arguments: [
    // An hour is missing on 29 March 2026 in Paris, and one is there twice on 25 October.
    ("2026-03-28T11:00:00Z", "2026-03-29T10:00:00Z", "1 d 00:00:00"),
    ("2026-03-28T11:00:01Z", "2026-03-29T10:00:00Z", "22:59:59"),
    ("2026-10-24T10:00:00Z", "2026-10-25T11:00:00Z", "1 d 00:00:00"),
    ("2026-10-24T10:00:01Z", "2026-10-25T11:00:00Z", "24:59:59"),
    ("2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "01:00:00"),
    ("2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z", "24:00:00"),
    ("2026-10-26T01:30:00Z", "2026-10-25T01:30:00Z", "1 d 00:00:00"),
    // Back from 28 February a month is 28 January; on from 31 January it is 28 February.
    ("2027-01-31T11:00:00Z", "2027-02-28T11:00:00Z", "28 d 00:00:00"),
    ("2027-02-28T11:00:00Z", "2027-01-31T11:00:00Z", "1 mo 00:00:00"),
    ("2027-02-28T11:00:00Z", "2027-03-31T10:00:00Z", "1 mo 00:00:00"),
    ("2028-02-29T11:00:00Z", "2029-02-28T11:00:00Z", "11 mo 28 d 00:00:00"),
    ("2029-02-28T11:00:00Z", "2028-02-29T11:00:00Z", "1 y 00:00:00"),
  ])
  func `days are those of the wall clock, counted from the target`(
    now: String, target: String, text: String
  ) throws {
    let paris = try TimeFixtures.zone("Europe/Paris")
    let (now, target) = (try TimeFixtures.instant(now), try TimeFixtures.instant(target))
    expect(SpanStyle.full.text(from: now, to: target, in: paris), is: text)
  }

  @Test func `a span and its target lead to now`() throws {
    var random = SeededGenerator(seed: 31)
    let range = Int64(-2_000_000_000)...9_000_000_000
    for name in ["Europe/Paris", "America/Santiago", "Pacific/Apia", "Africa/Casablanca"] {
      let zone = try TimeFixtures.zone(name)
      for _ in 0..<TestScale.count(full: 5_000, debug: 300) {
        let now = Instant(seconds: Int64.random(in: range, using: &random))
        let target = Instant(seconds: Int64.random(in: range, using: &random))
        let span = CalendarSpan(from: now, to: target, in: zone)
        let ruler = CalendarRuler(target: target, now: now, zone: zone)
        let reached = try require(ruler.mark(months: span.totalMonths, days: span.days))
        expect(reached.adding(seconds: Int64(span.seconds * ruler.direction)), is: now)
        expect(span.months < 12 && span.days < 31 && (0..<100_000).contains(span.seconds))
      }
    }
  }

  private struct Parts: Comparable {
    let values: [Int]
    init(_ span: CalendarSpan) { values = [span.years, span.months, span.days, span.seconds] }
    static func < (left: Parts, right: Parts) -> Bool {
      left.values.lexicographicallyPrecedes(right.values)
    }
  }

  @Test func `a countdown never goes up, and what counts up never down`() throws {
    var random = SeededGenerator(seed: 8)
    let names = [
      "Europe/Paris", "America/Santiago", "Pacific/Apia", "Africa/Casablanca",
      "Australia/Lord_Howe", "Asia/Kathmandu", "America/Nuuk", "UTC",
    ]
    let zones = try names.map { try TimeFixtures.zone($0) }
    let first = try TimeFixtures.instant("2011-01-01T00:00:00Z")
    for index in 0..<TestScale.count(full: 400, debug: 16) {
      let zone = zones[index % zones.count]
      let target = first.adding(seconds: Int64.random(in: 0..<20 * 365 * 86_400, using: &random))
      let start = target.adding(seconds: -200 * 86_400)
      var before = Parts(CalendarSpan(from: start, to: target, in: zone))
      for day in 0..<400 {
        // A second before, at and a second after the target's time of day, where days and months turn.
        for second in -1...1 {
          let now = start.adding(seconds: Int64(day * 86_400 + second))
          let parts = Parts(CalendarSpan(from: now, to: target, in: zone))
          if day > 0 || second > -1 {
            expect(
              now <= target ? parts <= before : parts >= before || before.values == parts.values,
              "\(zone.identifier) \(now.rfc3339) to \(target.rfc3339)")
          }
          before = parts
        }
      }
    }
  }

  @Test func `days to a date never go up`() throws {
    let first = try require(CivilDate(iso8601: "2027-01-01"))
    for offset in stride(from: 0, to: 365, by: TestScale.count(full: 1, debug: 7)) {
      let target = try require(first.adding(days: offset))
      var before = Parts(CalendarSpan(from: try require(target.adding(days: -400)), to: target))
      for day in -399...0 {
        let parts = Parts(CalendarSpan(from: try require(target.adding(days: day)), to: target))
        expect(parts < before, "\(day) days to \(target)")
        before = parts
      }
    }
  }

  @Test func `a countdown to 1 March says less on 30 January than a second before`() throws {
    let paris = try TimeFixtures.zone("Europe/Paris")
    let target = try TimeFixtures.instant("2027-02-28T23:00:00Z")
    let told = try ["2027-01-28T22:59:59Z", "2027-01-28T23:00:00Z", "2027-01-29T23:00:00Z"].map {
      SpanStyle.full.text(from: try TimeFixtures.instant($0), to: target, in: paris)
    }
    expect(told, is: ["1 mo 3 d 00:00:01", "1 mo 3 d 00:00:00", "1 mo 2 d 00:00:00"])
  }

  @Test func `spans at the ends of time do not trap`() {
    let all = CalendarSpan(from: .earliest, to: .latest, in: .utc)
    expect([all.years, all.months, all.days, all.seconds], is: [9998, 11, 30, 86_399])
    expect(
      SpanStyle.full.text(from: Instant(seconds: .min), to: Instant(seconds: .max), in: .utc),
      is: "9998 y 11 mo 30 d 23:59:59")
    expect(SpanStyle.tenths.text(from: .earliest, to: .latest, in: .utc), is: "9998.9 years")
  }
}
