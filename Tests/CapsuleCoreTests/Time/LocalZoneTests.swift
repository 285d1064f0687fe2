import Testing

@testable import CapsuleCore

@Suite struct LocalZoneTests {
  static func file(_ zone: String, link: String?) throws -> LocalZone.File {
    let path = TimeFixtures.directory + "zoneinfo/" + zone
    return LocalZone.File(bytes: try #require(TimeFixtures.read(path)), linkTarget: link)
  }

  static func resolve(_ tz: String?, _ file: LocalZone.File? = nil) -> LocalZone {
    LocalZone.resolve(tz: tz, localtime: file, database: TimeFixtures.zones)
  }

  @Test(arguments: [
    ("Europe/Paris", "Europe/Paris"), (":Europe/Paris", "Europe/Paris"),
    ("europe/paris", "Europe/Paris"), ("", "UTC"), (":", "UTC"), ("UTC", "UTC"),
    ("JST-9", "JST-9"), (":JST-9", "JST-9"), ("EST5EDT,M3.2.0,M11.1.0", "EST5EDT,M3.2.0,M11.1.0"),
    ("EST5EDT", "EST5EDT"), ("<+03>-3", "<+03>-3"),
    ("/usr/share/zoneinfo/Europe/Paris", "Europe/Paris"),
    (":/usr/share/zoneinfo/posix/Europe/Paris", "Europe/Paris"),
  ])
  func `TZ decides, in every form that systems take`(tz: String, label: String) {
    let zone = Self.resolve(tz)
    #expect(zone.label == label)
    #expect(zone.warning == nil)
  }

  @Test(arguments: [
    "Europe/Nowhere", "CEST", "Foo", "../../etc/passwd", "/etc/passwd", "EST5EDT,",
    ":/etc/localtime",
    "Zürich", ":\u{301}Europe/Paris", "/usr/share/zoneinfo/\u{301}Europe/Paris",
  ])
  func `a TZ that names no zone is warned about and the machine's zone is taken`(tz: String) throws
  {
    let file =
      tz == ":/etc/localtime"
      ? LocalZone.File(bytes: [0], linkTarget: nil)
      : try Self.file("Asia/Tokyo", link: "/usr/share/zoneinfo/Asia/Tokyo")
    let zone = Self.resolve(tz, file)
    let label = tz == ":/etc/localtime" ? "UTC" : "Asia/Tokyo"
    #expect(zone.label == label)
    #expect(zone.warning == .unresolvedTZ(tz, used: label))
  }

  @Test(arguments: [
    ("/usr/share/zoneinfo/Europe/Paris", "Europe/Paris"),
    ("../usr/share/zoneinfo/Europe/Paris", "Europe/Paris"),
    ("/var/db/timezone/zoneinfo/Europe/Paris", "Europe/Paris"),
    ("/usr/share/zoneinfo.default/Europe/Paris", "Europe/Paris"),
    ("/usr/share/zoneinfo/posix/Europe/Paris", "Europe/Paris"),
  ])
  func `without TZ the link of the machine's zone names it`(link: String, name: String) throws {
    let zone = Self.resolve(nil, try Self.file("Europe/Paris", link: link))
    #expect(zone.name == name)
    #expect(zone.rules.identifier == name)
  }

  @Test(arguments: [
    nil, "/opt/my.zone", "/usr/share/zoneinfo/../x", "/usr/share/zoneinfo/\u{301}Europe/Paris",
  ])
  func `a copied zone file goes by its own rule`(link: String?) throws {
    let zone = Self.resolve(nil, try Self.file("Europe/Paris", link: link))
    #expect(zone.name == nil)
    #expect(zone.label == "CET-1CEST,M3.5.0,M10.5.0/3")
    #expect(zone.warning == nil)
  }

  @Test func `a machine without a zone is on UTC, and one with a damaged file is told`() throws {
    #expect(Self.resolve(nil) == LocalZone(rules: .utc, name: "UTC", warning: nil))
    let damaged = LocalZone.File(bytes: Array("TZif2".utf8), linkTarget: nil)
    #expect(Self.resolve(nil, damaged).warning == .damagedLocaltime(.truncated))
    #expect(
      Self.resolve(":/etc/localtime", try Self.file("Asia/Tokyo", link: nil)).label == "JST-9")
  }
}
