import CapsuleCalendar
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct LocalZoneTests {
  static func file(_ zone: String, link: String?) throws -> LocalZone.File {
    let path = TimeFixtures.directory + "zoneinfo/" + zone
    let bytes: [UInt8] = try require(TimeFixtures.read(path))
    return LocalZone.File(bytes: bytes, linkTarget: link)
  }

  static func resolve(
    _ tz: String?, _ file: LocalZone.File? = nil, others: [String: LocalZone.File] = [:]
  ) -> LocalZone {
    LocalZone.resolve(tz: tz, database: TimeFixtures.zones) { path in
      path == "/etc/localtime" ? file : others[path]
    }
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
    expect(zone.label, is: label)
    expect(zone.warning == nil)
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
    expect(zone.label, is: label)
    expect(zone.warning, is: .unresolvedTZ(tz, used: label))
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
    expect(zone.name, is: name)
    expect(zone.rules.identifier, is: name)
  }

  @Test(arguments: [
    nil, "/opt/my.zone", "/usr/share/zoneinfo/../x", "/usr/share/zoneinfo/\u{301}Europe/Paris",
  ])
  func `a copied zone file is known by its bytes`(link: String?) throws {
    let zone = Self.resolve(nil, try Self.file("Europe/Paris", link: link))
    expect(zone.name, is: "Europe/Paris")
    expect(zone.warning == nil)
  }

  @Test func `the name beside a copied zone file is taken where it is that of the file`() throws {
    let file = try Self.file("Europe/Paris", link: nil)
    func named(_ text: String) -> String? {
      let name = LocalZone.File(bytes: Array(text.utf8), linkTarget: nil)
      return Self.resolve(nil, file, others: ["/etc/timezone": name]).name
    }
    expect(named("Europe/Paris\n"), is: "Europe/Paris")
    expect(named("Asia/Tokyo\n"), is: "Europe/Paris")
    expect(named("../../etc/passwd"), is: "Europe/Paris")
  }

  @Test func `a zone file that no zone of the machine has goes by its own rule`() throws {
    var bytes = try require(TimeFixtures.read(TimeFixtures.directory + "zoneinfo/Europe/Paris"))
    bytes[5] = 1  // a byte without use
    let zone = Self.resolve(nil, LocalZone.File(bytes: bytes, linkTarget: nil))
    expect(zone.name == nil)
    expect(zone.label, is: "CET-1CEST,M3.5.0,M10.5.0/3")
    expect(zone.warning == nil)
  }

  @Test func `a link that leads nowhere is told, but for one to a zone that is known anyway`() {
    let lost = "/usr/share/zoneinfo/Europe/Nowhere"
    let zone = Self.resolve(nil, LocalZone.File(bytes: nil, linkTarget: lost))
    expect(zone.label, is: "UTC")
    expect(zone.warning, is: .danglingLocaltime(lost))
    let utc = LocalZone.File(bytes: nil, linkTarget: "/usr/share/zoneinfo/Etc/UTC")
    expect(Self.resolve(nil, utc).warning == nil)
  }

  @Test func `a machine without time zones is known, and dates say so`() {
    let none = ZoneDatabase { _ in nil }
    expect(none.isEmpty)
    expect(!TimeFixtures.zones.isEmpty)
    for (zones, kind) in [(none, WhenError.Kind.noZones), (TimeFixtures.zones, .unknownZone)] {
      let parser = WhenParser(
        now: Instant(seconds: 0), zone: .utc, zones: zones, defaultTime: .midnight)
      let error = expect(throws: WhenError.self) {
        try parser.parse("2030-01-01 10:00 Europe/Nowhere")
      }
      expect(error?.kind, is: kind)
    }
  }

  @Test func `TZ with the path of a file is that file`() throws {
    let files = ["/opt/tokyo": try Self.file("Asia/Tokyo", link: nil)]
    expect(Self.resolve("/opt/tokyo", others: files).label, is: "Asia/Tokyo")
    expect(Self.resolve(":/opt/tokyo", others: files).warning == nil)
    expect(
      Self.resolve("/opt/paris", others: files).warning,
      is: .unresolvedTZ("/opt/paris", used: "UTC"))
    // A path below a folder of zones is the file there, not the machine's zone of that name.
    let other = ["/srv/zoneinfo/Europe/Paris": try Self.file("Asia/Tokyo", link: nil)]
    expect(Self.resolve("/srv/zoneinfo/Europe/Paris", others: other).label, is: "Asia/Tokyo")
  }

  @Test func `the names of the machine's own files are no zones`() throws {
    let zones = ZoneDatabase { _ in TimeFixtures.read(TimeFixtures.directory + "zoneinfo/Etc/UTC") }
    for name in ["localtime", "posixrules", "LOCALTIME"] {
      expect(throws: ZoneError.badName(name)) { try zones.rules(named: name) }
    }
    let tokyo = try Self.file("Asia/Tokyo", link: "/usr/share/zoneinfo/Asia/Tokyo")
    expect(Self.resolve("localtime", tokyo).label, is: "Asia/Tokyo")
  }

  @Test func `a machine without a zone is on UTC, and one with a damaged file is told`() throws {
    expect(Self.resolve(nil), is: LocalZone(rules: .utc, name: "UTC", warning: nil))
    let damaged = LocalZone.File(bytes: Array("TZif2".utf8), linkTarget: nil)
    expect(Self.resolve(nil, damaged).warning, is: .damagedLocaltime)
    expect(
      Self.resolve(":/etc/localtime", try Self.file("Asia/Tokyo", link: nil)).label,
      is: "Asia/Tokyo")
  }
}
