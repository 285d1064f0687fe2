import Testing

@testable import CapsuleCore

@Suite struct PosixZoneTests {
  @Test func `every form of rule gives the offsets that zoneinfo and glibc give`() throws {
    let bytes = try #require(TimeFixtures.read(TimeFixtures.directory + "posix.tsv"))
    var zone: ZoneRules?
    var count = 0
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      if line.hasPrefix("= ") {
        zone = ZoneRules(posix: String(line.dropFirst(2)))
        continue
      }
      let fields = line.split(separator: "\t")
      let seconds = try #require(Int64(fields[0]))
      let type = try #require(zone).offset(at: Instant(seconds: seconds))
      #expect(
        "\(type.seconds) \(type.abbreviation)" == "\(fields[1]) \(fields[2])",
        "\(zone?.identifier ?? "") at \(seconds)")
      count += 1
    }
    #expect(count == 2640)
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
    #expect(PosixZone(text, defaultRule: true) == nil)
  }

  @Test func `daylight saving without dates follows the United States, but not in a zone file`()
    throws
  {
    let zone = try #require(PosixZone("EST5EDT", defaultRule: true))
    let summer = try TimeFixtures.instant("2026-07-01T00:00:00Z").seconds
    #expect(zone == PosixZone("EST5EDT,M3.2.0,M11.1.0", defaultRule: true))
    #expect(zone.type(at: summer).abbreviation == "EDT")
    #expect(PosixZone("EST5EDT", defaultRule: false) == nil)
  }

  @Test func `daylight saving all year long never stops`() throws {
    let zone = try #require(ZoneRules(posix: "XXX3EDT4,0/0,J365/23"))
    for text in ["2025-12-31T23:00:00Z", "2026-01-01T03:59:59Z", "2026-01-01T04:00:00Z"] {
      #expect(zone.offset(at: try TimeFixtures.instant(text)).abbreviation == "EDT")
    }
    #expect(zone.transitions(after: 1_700_000_000, through: 1_800_000_000).isEmpty)
  }
}
