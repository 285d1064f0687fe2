import CapsuleCore
import CoreTestHelpers
import TestSupport
import Testing

/// Values at the ends of what the types can hold: everything answers, and nothing ends the process.
@Suite struct TimeExtremesTests {
  static let counts = [Int.min, Int.min + 1, -1 << 40, -1, 0, 1, 1 << 40, Int.max - 1, Int.max]

  static func zones() throws -> [ZoneRules] {
    let paris = try TimeFixtures.zone("Europe/Paris")
    let strange = ["EST5EDT", "<-24>24:59:59<-23>,J1/167,J365/-167", "AAA-24:59:59BBB,0/0,365/167"]
    return [.utc, paris] + counts.map { ZoneRules(offset: $0) }
      + (try strange.map { try require(ZoneRules(posix: $0)) })
  }

  @Test(arguments: TimeFixtures.extremes)
  func `every count of seconds is an instant with a date and a text`(seconds: Int64) throws {
    let instant = Instant(seconds: seconds)
    expect(Instant(rfc3339: instant.rfc3339), is: instant.clamped)
    for zone in try Self.zones() {
      let civil = zone.civil(at: instant)
      expect((0...10_000).contains(civil.date.year))
      expect(abs(civil.secondsAsUTC) < 400_000_000_000)
      _ = zone.resolve(civil)
      _ = zone.startOfDay(civil.date)
      _ = zone.transitions(after: seconds, through: instant.adding(seconds: 100_000_000).seconds)
      expect(!DateText.absolute(instant, in: zone).isEmpty)
      expect(Moment.instant(instant).end(in: zone), is: instant)
    }
    expect(TlockRecipient(chain: .quicknet, until: instant).round >= 1)
    _ = FileTime(seconds: seconds, nanoseconds: seconds).rfc3339
  }

  @Test(arguments: TimeFixtures.extremes)
  func `between any two instants lies a span`(seconds: Int64) throws {
    let zone = try TimeFixtures.zone("Europe/Paris")
    let one = Instant(seconds: seconds)
    for other in TimeFixtures.extremes.map({ Instant(seconds: $0) }) {
      let span = CalendarSpan(from: one, to: other, in: zone)
      expect((0...9999).contains(span.years))
      expect(!SpanStyle.full.text(from: one, to: other, in: zone).isEmpty)
      expect(!SpanStyle.tenths.text(from: one, to: other, in: zone).isEmpty)
      expect(!RelativeText.words(one, from: other, in: zone).isEmpty)
      switch UnlockGate.decide(unlock: one, now: other) {
      case .locked(_, let remaining): expect(one > other && remaining > 0)
      case .unlocked: expect(one <= other)
      }
    }
    for count in [Int.min, 0, .max] {
      expect(!SpanStyle.subUnits(count).text(from: one, to: Instant(seconds: 0), in: zone).isEmpty)
    }
  }

  @Test(arguments: counts) func `every count of days is a date`(count: Int) {
    let date = CivilDate(daysSinceEpoch: count)
    expect((0...10_000).contains(date.year))
    expect(abs(date.daysSinceEpoch) <= 2_933_262)
    _ = (date.weekday, date.isoWeek, date.dayOfYear, date.startOfWeek, date.longText)
    expect([52, 53].contains(CivilDate.weeks(inYear: count)))
    expect((28...31).contains(CivilDate.days(inMonth: count, of: count)))
    expect(CivilDate(year: count, month: count, day: count) == nil || count == 1)
    expect(CivilDate(isoYear: count, week: count, weekday: .sunday) == nil || count == 1)
    expect(CivilDate(year: count, dayOfYear: count) == nil || count == 1)
    expect(CivilTime(hour: count, minute: count, second: count) == nil || (0...1).contains(count))
    for number in Self.counts {
      _ = Recurrence(every: 1000, .week)?.date(number, from: date, leapDay: .march1)
      _ = date.adding(days: number)
      _ = date.adding(months: number)
      _ = date.anniversary(years: number, leapDay: .march1)
    }
  }

  @Test func `a span of any counts is added or is too much`() throws {
    let date = try require(CivilDate(iso8601: "2026-03-10"))
    let anchor = try TimeFixtures.instant("2026-03-10T12:00:00Z")
    for unit in DurationUnit.allCases {
      for other in DurationUnit.allCases {
        for count in Self.counts {
          for otherCount in Self.counts {
            var span = CalendarDuration()
            span[unit] = count
            span[other] = otherCount
            _ = (span.words, span.iso8601, span.exactSeconds)
            _ = span.added(to: date)
            _ = span.added(to: anchor, in: .utc)
            _ = span.times(otherCount)
            _ = EventAlert(before: span, at: nil)
            _ = Recurrence(every: count, unit)
            _ = Reminder(every: count, unit, since: anchor)
          }
        }
      }
    }
  }

  @Test(arguments: TimeFixtures.extremes) func `a file's time has nanoseconds of one second`(
    count: Int64
  ) {
    let time = FileTime(seconds: count, nanoseconds: count)
    expect((0..<1_000_000_000).contains(time.nanoseconds))
    expect(FileTime(rfc3339: time.rfc3339) != nil)
    for other in TimeFixtures.extremes {
      expect((time.seconds(since: FileTime(seconds: other)) > 0) == (count > other))
    }
  }

  @Test func `an offset of many digits is an error, and none is computed`() throws {
    let parser = WhenParser(now: Instant(seconds: 0), zone: .utc, zones: TimeFixtures.zones)
    for digits in 1...40 {
      let text = "2030-01-01T00:00:00+" + String(repeating: "9", count: digits)
      expect(throws: WhenError.self) { try parser.parse(text) }
    }
  }
}
