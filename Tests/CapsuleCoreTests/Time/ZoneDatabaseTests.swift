import CapsuleCalendar
import RoomTestHelpers
import Synchronization
import TestSupport
import Testing

@Suite struct ZoneDatabaseTests {
  @Test(arguments: [
    "Europe/Paris", "europe/paris", "EUROPE/PARIS", "america/new_york", "Asia/Kathmandu",
  ])
  func `a zone is found whatever the case of its name, under the name of the lists`(
    name: String
  ) throws {
    let rules = try TimeFixtures.zones.rules(named: name)
    expect(rules.identifier.lowercased(), is: name.lowercased())
    expect(TimeFixtures.zones.names().contains(rules.identifier))
  }

  @Test func `a zone that is not known costs no look for similar names`() throws {
    let lists = Mutex(0)
    let zones = ZoneDatabase { name in
      if name == "tzdata.zi" { lists.withLock { $0 += 1 } }
      return TimeFixtures.zones.contents(of: name)
    }
    for name in ["Europe/Nowhere", "europe/nowhere", "nowhere"] {
      try expect(zones.knownRules(named: name) { _ in nil } == nil)
    }
    expect(lists.withLock { $0 }, is: 0)
    let found = try zones.knownRules(named: "europe/paris") { _ in "Europe/Paris" }
    expect(found?.identifier, is: "Europe/Paris")
    expect(throws: ZoneError.self) { try zones.rules(named: "Europe/Nowhere") }
  }

  @Test(arguments: [
    "", ".", "..", "../x", "/etc/passwd", "Europe/../x", "Europe/./Paris", "Europe//Paris",
    "Europe/Paris/", "tzdata.zi", "a b", "Europe\\Paris", "Zürich", "-x", "x\0y",
    String(repeating: "a", count: 65),
  ])
  func `a name that could lead elsewhere is never looked for`(name: String) {
    let asked = Mutex(0)
    let zones = ZoneDatabase { _ in
      asked.withLock { $0 += 1 }
      return nil
    }
    expect(throws: ZoneError.badName(name)) { try zones.rules(named: name) }
    expect(asked.withLock { $0 }, is: 0)
  }

  @Test func `an unknown zone names those that may be meant`() {
    let zones = TimeFixtures.zones
    expect(throws: ZoneError.unknown("Europe/Pariss", similar: ["Europe/Paris"])) {
      try zones.rules(named: "Europe/Pariss")
    }
    expect(throws: ZoneError.unknown("paris", similar: ["Europe/Paris"])) {
      try zones.rules(named: "paris")
    }
    expect(throws: ZoneError.unknown("Asia/Katmandu", similar: ["Asia/Kathmandu"])) {
      try zones.rules(named: "Asia/Katmandu")
    }
    expect(throws: ZoneError.unknown("Mars/Olympus", similar: [])) {
      try zones.rules(named: "Mars/Olympus")
    }
  }

  @Test func `a damaged zone file is told from a missing one`() {
    let zones = ZoneDatabase { $0 == "A/B" ? Array("TZif2".utf8) : nil }
    expect(throws: ZoneError.damaged(.truncated)) { try zones.rules(named: "A/B") }
  }

  @Test func `UTC is known where there are no zone files at all`() throws {
    let zones = ZoneDatabase { _ in nil }
    try expect(zones.rules(named: "UTC"), is: .utc)
    try expect(zones.rules(named: "Etc/UTC"), is: .utc)
    expect(throws: ZoneError.unknown("Europe/Paris", similar: [])) {
      try zones.rules(named: "Europe/Paris")
    }
  }

  @Test func `the names come from the table of zones where the compact list is missing`() {
    let table = "# code\nFR,MC\t+4852+00220\tEurope/Paris\nNP\t+2743+08519\tAsia/Kathmandu\n"
    let zones = ZoneDatabase { $0 == "zone1970.tab" ? Array(table.utf8) : nil }
    expect(zones.names(), is: ["Europe/Paris", "Asia/Kathmandu"])
  }
}
