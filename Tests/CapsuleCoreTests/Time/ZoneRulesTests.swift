import CapsuleCalendar
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct ZoneRulesTests {
  @Test(arguments: [
    ("Europe/Paris", "2026-03-29T02:30:00", "2026-03-29T01:30:00Z", LocalTimeFit.gap(shift: 3600)),
    ("Europe/Paris", "2026-10-25T02:30:00", "2026-10-25T00:30:00Z", .twice),
    ("Europe/Paris", "2026-10-25T03:00:00", "2026-10-25T02:00:00Z", .unique),
    ("Australia/Lord_Howe", "2026-10-04T02:15:00", "2026-10-03T15:45:00Z", .gap(shift: 1800)),
    ("Antarctica/Troll", "2026-03-29T01:00:00", "2026-03-29T01:00:00Z", .gap(shift: 7200)),
    ("Pacific/Apia", "2011-12-30T12:00:00", "2011-12-30T22:00:00Z", .gap(shift: 86_400)),
    ("Europe/Paris", "9999-07-01T00:00:00", "9999-06-30T22:00:00Z", .unique),
  ])
  func `a skipped time moves forward by the gap, and of two the first is meant`(
    zone: String, local: String, instant: String, fit: LocalTimeFit
  ) throws {
    let resolved = try TimeFixtures.zone(zone).resolve(try require(CivilDateTime(text: local)))
    expect(resolved.instant.rfc3339, is: instant)
    expect(resolved.fit, is: fit)
  }

  @Test(arguments: [
    ("America/Santiago", "2026-09-06", "2026-09-06T04:00:00Z"),  // 01:00, midnight is skipped
    ("America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z"),
    ("Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z"),  // the day that was not
    ("Europe/Paris", "2036-06-15", "2036-06-14T22:00:00Z"),
    ("America/Nuuk", "2026-03-29", "2026-03-29T01:00:00Z"),
  ])
  func `a day starts at its first instant`(zone: String, date: String, instant: String) throws {
    let start = try TimeFixtures.zone(zone).startOfDay(try require(CivilDate(iso8601: date)))
    expect(start.instant.rfc3339, is: instant)
  }

  @Test func `a day whose midnight lies inside a gap starts where the clocks go on`() throws {
    // From 23:30 to 00:30 on the night to the first Sunday of April.
    let zone = try require(ZoneRules(posix: "AAA0BBB,M4.1.0/-0:30,M10.1.0"))
    let day = try require(CivilDate(iso8601: "2026-04-05"))
    let start = zone.startOfDay(day)
    expect(start.instant.rfc3339, is: "2026-04-04T23:30:00Z")
    expect(zone.civil(at: start.instant).description, is: "2026-04-05T00:30:00")
    expect(zone.civil(at: start.instant.adding(seconds: -1)).date.description, is: "2026-04-04")
  }

  @Test func `a wall time read off an instant leads back to it, or to the first of two`() throws {
    for name in ["Europe/Dublin", "Africa/Casablanca", "Pacific/Apia", "America/Nuuk"] {
      let zone = try TimeFixtures.zone(name)
      var random = SeededGenerator(seed: 1)
      for _ in 0..<TestScale.count(full: 20_000, debug: 1_000) {
        let range = Instant.earliest.seconds...Instant.latest.seconds
        let near = 1_000_000_000...3_000_000_000 as ClosedRange<Int64>
        let picked = Bool.random(using: &random) ? near : range
        let instant = Instant(seconds: Int64.random(in: picked, using: &random))
        let back = zone.resolve(zone.civil(at: instant))
        switch back.fit {
        case .unique: expect(back.instant, is: instant)
        case .twice: expect(back.instant <= instant)
        case .gap: Issue.record("\(name): \(instant.rfc3339) is shown, so it is in no gap")
        }
      }
    }
  }

  @Test func `a date is the same date in London and in Auckland`() throws {
    let date = try require(CivilDate(iso8601: "2036-06-15"))
    for name in ["Europe/London", "Pacific/Auckland", "America/Los_Angeles", "Asia/Kathmandu"] {
      let zone = try TimeFixtures.zone(name)
      expect(zone.civil(at: zone.startOfDay(date).instant).date, is: date)
    }
  }

  @Test func `an offset is a zone of its own`() {
    let zone = ZoneRules(offset: -34_200)
    expect(zone.identifier, is: "-09:30")
    expect(zone.civil(at: Instant(seconds: 0)).description, is: "1969-12-31T14:30:00")
    expect(ZoneRules.offsetText(20_700), is: "+05:45")
    expect(ZoneRules.offsetText(561), is: "+00:09:21")
    expect(ZoneRules.utc.offset(at: .latest).abbreviation, is: "UTC")
  }

  @Test func `the last second of 9999 has a local view in every zone`() throws {
    let civil = try TimeFixtures.zone("Pacific/Auckland").civil(at: .latest)
    expect(civil.description, is: "10000-01-01T12:59:59")
    expect(!civil.date.isRepresentable)
    let first = try TimeFixtures.zone("America/New_York").civil(at: .earliest)
    expect(first.date.year, is: 0)
  }
}
