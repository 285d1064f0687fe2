import CapsuleCalendar
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct PosixZoneTests {
  @Test func `every form of rule gives the offsets that zoneinfo and glibc give`() throws {
    let bytes = try require(TimeFixtures.read(TimeFixtures.directory + "posix.tsv"))
    var zone: ZoneRules?
    var count = 0
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      if line.hasPrefix("= ") {
        zone = ZoneRules(posix: String(line.dropFirst(2)))
        continue
      }
      let fields = line.split(separator: "\t")
      let seconds = try require(Int64(fields[0]))
      let type = try require(zone).offset(at: Instant(seconds: seconds))
      expect(
        "\(type.seconds) \(type.abbreviation)", is: "\(fields[1]) \(fields[2])",
        "\(zone?.identifier ?? "") at \(seconds)")
      count += 1
    }
    expect(count, is: 2640)
  }

  @Test(arguments: [
    "", "U", "UT0", "UTC", "UTC+", "UTC25", "UTC0:60", "UTC0:0:60", "UTC0x", " UTC0", "UTC0 ",
    "<+03-3", "<>3", "<+0>3", "A1C0", "EST5EDT,", "EST5EDT,M3.2.0", "EST5EDT,M3.2.0,",
    "EST5EDT,M13.2.0,M11.1.0", "EST5EDT,M0.2.0,M11.1.0", "EST5EDT,M3.6.0,M11.1.0",
    "EST5EDT,M3.0.0,M11.1.0", "EST5EDT,M3.2.7,M11.1.0", "EST5EDT,J0,J365", "EST5EDT,J366,J1",
    "EST5EDT,366,1", "EST5EDT,M3.2.0/168,M11.1.0", "EST5EDT,M3.2.0/2:60,M11.1.0",
    "EST5EDT,M3.2.0,M11.1.0,", "EST5EDT4:,M3.2.0,M11.1.0", "Europe/Paris", "EST5EDT,1000,1",
    "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJ5", "ÉST5",
  ])
  func `what is no POSIX zone is refused`(text: String) {
    expect(PosixZone(text, defaultRule: true) == nil)
  }

  @Test func `daylight saving without dates follows the United States, but not in a zone file`()
    throws
  {
    let zone = try require(PosixZone("EST5EDT", defaultRule: true))
    let summer = try TimeFixtures.instant("2026-07-01T00:00:00Z").seconds
    expect(zone, is: PosixZone("EST5EDT,M3.2.0,M11.1.0", defaultRule: true))
    expect(zone.type(at: summer).abbreviation, is: "EDT")
    expect(PosixZone("EST5EDT", defaultRule: false) == nil)
  }

  @Test func `daylight saving all year long never stops`() throws {
    let zone = try require(ZoneRules(posix: "XXX3EDT4,0/0,J365/23"))
    for text in ["2025-12-31T23:00:00Z", "2026-01-01T03:59:59Z", "2026-01-01T04:00:00Z"] {
      expect(zone.offset(at: try TimeFixtures.instant(text)).abbreviation, is: "EDT")
    }
    expect(zone.transitions(after: 1_700_000_000, through: 1_800_000_000).isEmpty)
  }

  /// Of a window it is said at once that one offset holds in it, or nothing.
  @Test(arguments: [
    "CET-1CEST,M3.5.0,M10.5.0/3", "EST5EDT,M3.2.0,M11.1.0", "IST-1GMT0,M10.5.0,M3.5.0/1",
    "AEST-10AEDT,M10.1.0,M4.1.0/3", "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "JST-9",
    "AAA0BBB,M1.5.0/-167,M12.1.6/167", "AAA0BBB,M12.1.6/167,M1.5.0/-167", "AAA0BBB,M4.1.0,M5.1.0",
    "AAA0BBB,60,J300",
  ])
  func `what holds throughout a window holds in all of it`(rule: String) throws {
    let zone = try require(PosixZone(rule, defaultRule: true))
    var random = SeededGenerator(seed: 7)
    var known = 0
    for _ in 0..<120 {
      let start = Int64.random(in: -100 * 31_556_952..<300 * 31_556_952, using: &random)
      let end = start + Int64.random(in: 0..<60, using: &random) * 3600
      guard let type = zone.type(throughout: start, end) else { continue }
      known += 1
      for seconds in stride(from: start, through: end, by: 7200) {
        expect(zone.slowType(at: seconds), is: type, "\(rule) at \(seconds)")
      }
    }
    let isUnusual = rule.contains("M4.1.0,M5") || rule.contains("J300")
    expect(isUnusual ? known == 0 : known > 70)
  }
}

extension PosixZone {
  /// The local time by the changes of three years, as it stands in RFC 9636.
  fileprivate func slowType(at seconds: Int64) -> LocalTimeType {
    guard let daylight else { return standard }
    let year = CivilDateTime(secondsAsUTC: seconds).date.year
    var changes: [(at: Int64, isDaylight: Bool)] = []
    for year in year - 2...year + 2 {
      changes.append((moment(daylight.start, year) - Int64(standard.seconds), true))
      changes.append((moment(daylight.end, year) - Int64(daylight.type.seconds), false))
    }
    changes.sort { $0.at < $1.at }
    let last = changes.last { $0.at <= seconds }
    return last?.isDaylight == true ? daylight.type : standard
  }

  private func moment(_ change: Change, _ year: Int) -> Int64 {
    guard case .weekday(let month, let week, let weekday) = change.day,
      let first = CivilDate(year: year, month: month, day: 1)
    else { return 0 }
    let length = CivilDate.days(inMonth: month, of: year)
    let days = (first.daysSinceEpoch..<first.daysSinceEpoch + length)
      .filter { CivilDate(daysSinceEpoch: $0).weekday.rawValue % 7 == weekday }
    return Int64(days[min(week, days.count) - 1] * 86_400 + change.time)
  }
}
