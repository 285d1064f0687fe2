import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// The zones of times in calendars, by the names that programs give them.
@Suite struct CalendarZonesTests {
  private func event(_ start: String) -> [String] {
    ["BEGIN:VEVENT", "UID:1", "SUMMARY:Call", "DTSTART\(start)", "END:VEVENT"]
  }

  /// A zone with the clocks of the United States since 2007.
  private func zone(
    _ name: String, _ standard: String = "-0500", _ daylight: String = "-0400",
    more: [String] = [], starts: [String] = ["20070311T020000", "20071104T020000"],
    end: String = ""
  ) -> [String] {
    ["BEGIN:VTIMEZONE", "TZID:\(name)"] + more
      + [
        "BEGIN:DAYLIGHT", "DTSTART:\(starts[0])", "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU\(end)",
        "TZOFFSETFROM:\(standard)", "TZOFFSETTO:\(daylight)", "END:DAYLIGHT", "BEGIN:STANDARD",
        "DTSTART:\(starts[1])", "RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU\(end)",
        "TZOFFSETFROM:\(daylight)", "TZOFFSETTO:\(standard)", "END:STANDARD", "END:VTIMEZONE",
      ]
  }

  @Test func `the zone of Lotus Notes is the file's own`() throws {
    let lotus = [
      "BEGIN:VTIMEZONE", "TZID:Eastern", "BEGIN:STANDARD", "DTSTART:19501029T020000",
      "TZOFFSETFROM:-0400", "TZOFFSETTO:-0500",
      "RRULE:FREQ=YEARLY;BYMINUTE=0;BYHOUR=2;BYDAY=-1SU;BYMONTH=10", "END:STANDARD",
      "BEGIN:DAYLIGHT", "DTSTART:19500402T020000", "TZOFFSETFROM:-0500", "TZOFFSETTO:-0400",
      "RRULE:FREQ=YEARLY;BYMINUTE=0;BYHOUR=2;BYDAY=1SU;BYMONTH=4", "END:DAYLIGHT",
      "END:VTIMEZONE",
    ]
    let found = try ImportedCalendar(lotus + event(";TZID=Eastern:20270715T120000"))
    expect(found.events.map(\.placed), is: ["2027-07-15T16:00:00Z <-0500>5<-0400>,M4.1.0,M10.5.0"])
    expect(found.problems, is: [])
  }

  @Test(
    arguments: [
      ("/Europe/Paris", "Europe/Paris"),
      ("/freeassociation.sourceforge.net/Europe/Paris", "Europe/Paris"),
      ("/softwarestudio.org/Olson_20011030_5/America/New_York", "America/New_York"),
      ("europe/paris", "Europe/Paris"), ("Romance Standard Time", "Europe/Paris"),
      ("romance standard time", "Europe/Paris"),
      ("(UTC+01:00) Brussels\\, Copenhagen\\, Madrid\\, Paris", "Europe/Paris"),
      ("(GMT-05:00) Eastern Time (US & Canada)", "America/New_York"),
      ("tzone://Microsoft/Utc", "Etc/UTC"), ("GMT+0200", "+02:00"), ("+02:00", "+02:00"),
    ])
  func `a name that the file does not describe is looked up`(name: String, zone: String) throws {
    let quoted = name.utf8.contains(0x3a) || name.utf8.contains(0x2c) ? "\"\(name)\"" : name
    let plain = quoted.split(separator: "\\").joined()
    let found = try ImportedCalendar(event(";TZID=\(plain):20270715T120000"))
    expect(found.events.map(\.zone), is: [zone])
    expect(found.problems, is: [])
  }

  @Test(arguments: ["EST", "MST", "GMT", "Europe/paris", "Mein Kalender"])
  func `the file's own zone counts before one of the machine with a like name`(name: String) throws
  {
    let found = try ImportedCalendar(zone(name) + event(";TZID=\(name):20270715T120000"))
    expect(found.events.map(\.placed), is: ["2027-07-15T16:00:00Z <-0500>5<-0400>,M3.2.0,M11.1.0"])
  }

  @Test func `a place of the machine counts before what the file says of it`() throws {
    let found = try ImportedCalendar(
      zone("Europe/Paris") + event(";TZID=Europe/Paris:20270715T120000"))
    expect(found.events.map(\.placed), is: ["2027-07-15T10:00:00Z Europe/Paris"])
  }

  @Test func `a described zone is kept by the name of a place with the same clocks`() throws {
    for (name, more) in [
      ("/example.org/America/New_York", []), ("Eastern Standard Time", []),
      ("america/new_york", []),
      ("Own", ["X-LIC-LOCATION:America/New_York"]),
    ] {
      let found = try ImportedCalendar(
        zone(name, more: more) + event(";TZID=\(name):20270715T120000"))
      expect(found.events.map(\.placed), is: ["2027-07-15T16:00:00Z America/New_York"])
    }
    // Another one of that name has other clocks.
    let other = try ImportedCalendar(
      zone("Eastern Standard Time", "-0600", "-0500")
        + event(";TZID=Eastern Standard Time:20270715T120000"))
    expect(
      other.events.map(\.placed), is: ["2027-07-15T17:00:00Z <-0600>6<-0500>,M3.2.0,M11.1.0"])
    // So has one whose clocks are the same for a few years only.
    let ended = try ImportedCalendar(
      zone("Eastern Standard Time", end: ";UNTIL=20320101T000000Z")
        + event(";TZID=Eastern Standard Time:20270715T120000"))
    expect(ended.events.map(\.placed), is: ["2027-07-15T16:00:00Z -04:00"])
  }

  @Test func `a time before the description of its zone is remarked on`() throws {
    let found = try ImportedCalendar(zone("Own") + event(";TZID=Own:20000715T120000"))
    expect(found.events.map(\.placed), is: ["2000-07-15T16:00:00Z <-0500>5<-0400>,M3.2.0,M11.1.0"])
    expect(
      found.problems,
      is: ["20: is before the time zone 'Own' on line 2 begins; its first rules are used"])
  }

  @Test func `changes that end give their start the right instant`() throws {
    let lines = [
      "BEGIN:VTIMEZONE", "TZID:Own", "BEGIN:DAYLIGHT", "DTSTART:20200101T000000",
      "RDATE:20270301T030000", "TZOFFSETFROM:+0000", "TZOFFSETTO:+0100", "END:DAYLIGHT",
      "BEGIN:STANDARD", "DTSTART:20270201T030000", "RDATE:20280101T000000", "TZOFFSETFROM:+0100",
      "TZOFFSETTO:+0000", "END:STANDARD", "END:VTIMEZONE",
    ]
    let found = try ImportedCalendar(lines + event(";TZID=Own:20270215T120000"))
    expect(found.events.map(\.placed), is: ["2027-02-15T12:00:00Z +00:00"])
    expect(
      found.problems,
      is: ["20: keeps the offset +00:00, because the time zone 'Own' on line 2 has no yearly rules"]
    )
    let last = try ImportedCalendar(lines + event(";TZID=Own:20290215T120000"))
    expect(last.problems, is: [])
  }

  @Test func `a broken description is passed over where the name is known`() throws {
    let broken = ["BEGIN:VTIMEZONE", "TZID:Romance Standard Time", "END:VTIMEZONE"]
    let found = try ImportedCalendar(
      broken + event(";TZID=Romance Standard Time:20270715T120000"))
    expect(found.events.map(\.placed), is: ["2027-07-15T10:00:00Z Europe/Paris"])
    let unknown = try ImportedCalendar(
      ["BEGIN:VTIMEZONE", "TZID:Own", "END:VTIMEZONE"] + event(";TZID=Own:20270715T120000"))
    expect(
      unknown.problems,
      is: ["5: unknown time zone 'Own', and its description on line 2 is incomplete"])
  }

  @Test func `a time without a zone is on the clocks of its calendar`() throws {
    let name = ["X-WR-TIMEZONE:America/New_York"]
    let found = try ImportedCalendar(
      name + event(":20270715T120000") + event(":20270716T120000") + event(":20270717T120000Z")
        + event(";VALUE=DATE:20270718"))
    // Of several entries with one UID the last counts.
    let uids = try ImportedCalendar(name + event(":20270715T120000"))
    expect(uids.events.map(\.placed), is: ["2027-07-15T16:00:00Z America/New_York"])
    expect(
      uids.problems,
      is: [
        "6: has no time zone, so that of its calendar is used, as for all such times: 'America/New_York'"
      ])
    expect(found.events.map(\.placed), is: ["2027-07-18"])
    let utc = try ImportedCalendar(name + event(":20270717T120000Z"))
    expect(utc.events.map(\.placed), is: ["2027-07-17T12:00:00Z UTC"])
    let unknown = try ImportedCalendar(["X-WR-TIMEZONE:Nowhere"] + event(":20270715T120000"))
    expect(unknown.events.map(\.placed), is: ["2027-07-15T11:00:00Z Europe/London"])
  }

  @Test func `a zone of Windows has the names of IANA, the newest first`() {
    for (name, places) in [
      ("W. Europe Standard Time", ["Europe/Berlin"]),
      ("FLE Standard Time", ["Europe/Kyiv", "Europe/Kiev"]),
      ("(UTC+06:30) Yangon (Rangoon)", ["Asia/Yangon", "Asia/Rangoon"]), ("UTC-11", ["Etc/GMT+11"]),
      ("Nowhere Standard Time", []), ("", []),
    ] {
      expect(WindowsZones.places(of: name), is: places)
    }
  }
}
