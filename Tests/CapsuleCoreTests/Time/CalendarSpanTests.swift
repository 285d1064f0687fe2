import TestSupport
import Testing

@testable import CapsuleCore

@Suite struct CalendarSpanTests {
  @Test func `400 spans are what python-dateutil counts`() throws {
    let bytes = try #require(TimeFixtures.read(TimeFixtures.directory + "spans.tsv"))
    var count = 0
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      let fields = line.split(separator: "\t").map(String.init)
      let (start, end) = (
        try TimeFixtures.instant(fields[0]), try TimeFixtures.instant(fields[1])
      )
      let span = CalendarSpan(from: start, to: end, in: .utc)
      let found = [span.years, span.months, span.days, span.seconds].map(String.init)
      #expect(found == Array(fields[2...]), "\(line)")
      count += 1
    }
    #expect(count == 400)
  }

  @Test(arguments: [
    // An hour is missing on 29 March 2026 in Paris, and one is there twice on 25 October.
    ("2026-03-28T11:00:00Z", "2026-03-29T10:00:00Z", "1 d 00:00:00"),
    ("2026-03-28T11:00:00Z", "2026-03-29T09:59:59Z", "22:59:59"),
    ("2026-10-24T10:00:00Z", "2026-10-25T11:00:00Z", "1 d 00:00:00"),
    ("2026-10-24T10:00:00Z", "2026-10-25T10:59:59Z", "24:59:59"),
    ("2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "01:00:00"),
    ("2026-10-25T01:30:00Z", "2026-10-26T01:30:00Z", "1 d 00:00:00"),
    ("2027-01-31T11:00:00Z", "2027-02-28T11:00:00Z", "1 mo 00:00:00"),
    ("2028-02-29T11:00:00Z", "2029-02-28T11:00:00Z", "1 y 00:00:00"),
  ])
  func `days are those of the wall clock`(start: String, end: String, text: String) throws {
    let paris = try TimeFixtures.zone("Europe/Paris")
    let (start, end) = (try TimeFixtures.instant(start), try TimeFixtures.instant(end))
    #expect(SpanStyle.full.text(from: start, to: end, in: paris) == text)
    #expect(SpanStyle.full.text(from: end, to: start, in: paris) == text)
  }

  @Test func `a span and its start lead to its end`() throws {
    var random = SeededGenerator(seed: 31)
    let range = Int64(-2_000_000_000)...9_000_000_000
    for name in ["Europe/Paris", "America/Santiago", "Pacific/Apia", "Africa/Casablanca"] {
      let zone = try TimeFixtures.zone(name)
      for _ in 0..<TestScale.count(full: 5_000, debug: 300) {
        let one = Instant(seconds: Int64.random(in: range, using: &random))
        let other = Instant(seconds: Int64.random(in: range, using: &random))
        let (start, end) = (min(one, other), max(one, other))
        let span = CalendarSpan(from: start, to: end, in: zone)
        let ruler = CalendarRuler(start: start, zone: zone)
        let reached = try #require(ruler.instant(months: span.totalMonths, days: span.days))
        #expect(reached.adding(seconds: Int64(span.seconds)) == end)
        #expect(span.months < 12 && span.days < 31 && (0..<100_000).contains(span.seconds))
      }
    }
  }

  @Test func `spans at the ends of time do not trap`() {
    let all = CalendarSpan(from: .earliest, to: .latest, in: .utc)
    #expect([all.years, all.months, all.days, all.seconds] == [9998, 11, 30, 86_399])
    #expect(
      SpanStyle.full.text(from: Instant(seconds: .min), to: Instant(seconds: .max), in: .utc)
        == "9998 y 11 mo 30 d 23:59:59")
    #expect(SpanStyle.tenths.text(from: .earliest, to: .latest, in: .utc) == "9998.9 years")
  }
}
