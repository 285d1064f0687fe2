import CapsulePlatform
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Imports, and new records, beside records that the system does not let be read: one of them may be the
/// same, so that nothing is added.
@Suite struct ImportBesideGapsTests {
  private let files = SimulatedFileSystem()
  private let store: Store
  private let now = StoreScenario.now

  init() throws {
    store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1), now: now)
    try store.insert(Item(header: header(0x21), name: "Ring"))
    var event = Event(
      header: header(0x22), title: "Launch", moment: .day(CivilDate(daysSinceEpoch: 20_000)),
      zone: "")
    event.uid = "launch@example.org"
    try store.insert(event)
    var person = Beneficiary(header: header(0x23), name: "Mia")
    person.cardUID = "urn:uuid:mia"
    try store.insert(person)
  }

  private func header(_ number: UInt8) -> RecordHeader {
    RecordHeader(id: StoreScenario.id(number), createdAt: now)
  }

  /// The ways in which a record of a kind cannot be read: its directory, or its file.
  enum Gap: CaseIterable { case directory, file }

  private func refuse(_ kind: RecordKind, _ number: UInt8, _ gap: Gap) {
    let path = store.layout.record(kind, StoreScenario.id(number))
    // What the index knows by now would hide it.
    files.removeTree(FilePath("/cache"))
    switch gap {
    case .directory: files.plan([.on(.status, path: path.parent.text, .fail(EACCES))])
    case .file: files.plan([.on(.open, path: path.text, .fail(EACCES))])
    }
  }

  private func isRefused(_ body: () throws -> Void) -> Bool {
    do { try body() } catch let fault as Fault { return fault.errno == EACCES } catch {
      Issue.record(error)
    }
    return false
  }

  @Test(arguments: Gap.allCases) func `a table adds no item again that cannot be read`(
    gap: Gap
  ) throws {
    let table = try ItemTable(CommaSeparated(Array("name\nRing\n".utf8)), map: [])
    let terms = ItemImport.Terms(
      currency: nil, directory: FilePath("/"), sources: [], fileLimit: 100, now: now)
    func plan() throws -> ImportPlan<ItemImport> {
      try ImportPlan(ItemImport(table, terms, files), into: store, now: now)
    }
    try expect(!plan().isChange)
    refuse(.item, 0x21, gap)
    expect(isRefused { _ = try plan() })
  }

  @Test(arguments: Gap.allCases) func `a calendar adds no event again that cannot be read`(
    gap: Gap
  ) throws {
    let lines = [
      "BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VEVENT", "UID:launch@example.org",
      "SUMMARY:Launch", "DTSTART;VALUE=DATE:20241004", "END:VEVENT", "END:VCALENDAR", "",
    ]
    let source = CalendarImport.Source(name: "x", Array(lines.joined(separator: "\r\n").utf8))
    func plan() throws -> ImportPlan<CalendarImport> {
      try ImportPlan(
        CalendarImport(
          [source], EventCalendar(zone: .utc, leapDay: .february28) { _ in .utc },
          local: LocalZone(rules: .utc, name: "UTC", warning: nil), zones: TimeFixtures.zones),
        into: store, now: now)
    }
    try expect(!plan().isChange)
    refuse(.event, 0x22, gap)
    expect(isRefused { _ = try plan() })
  }

  @Test(arguments: Gap.allCases) func `a card adds nobody again who cannot be read`(
    gap: Gap
  ) throws {
    let lines = ["BEGIN:VCARD", "VERSION:4.0", "UID:urn:uuid:mia", "FN:Mia", "END:VCARD", ""]
    let cards = ContactFile(Array(lines.joined(separator: "\r\n").utf8))
    func plan() throws {
      let plan = try ImportPlan(
        PeopleImport(cards, acceptsRecipients: false, acceptsAddresses: false), into: store,
        now: now)
      guard case .unchanged? = plan.steps.first?.outcome else { throw Fault.noStateDirectory }
    }
    try plan()
    refuse(.beneficiary, 0x23, gap)
    expect(isRefused { try plan() })
  }

  @Test(arguments: Gap.allCases) func `a name may be that of an item that cannot be read`(
    gap: Gap
  ) throws {
    refuse(.item, 0x21, gap)
    expect(isRefused { try store.insert(Item(header: header(0x31), name: "Ring")) })
    var batch = ModelBatch<Item>()
    batch.add(Item(header: header(0x32), name: "Ring"))
    expect(isRefused { _ = try store.write(batch, now: now) })
    // Records of kinds whose names may repeat come as ever.
    try store.insert(
      Event(
        header: header(0x33), title: "Launch", moment: .day(CivilDate(daysSinceEpoch: 20_000)),
        zone: ""))
  }

  @Test func `an item of that name does not come back from the trash either`() throws {
    try store.insert(Item(header: header(0x31), name: "Watch"))
    try store.trash.delete(.item, StoreScenario.id(0x31), now: now)
    let trashed = try require(store.trash.records(.item).first)
    refuse(.item, 0x21, .directory)
    expect(isRefused { try store.trash.restore(trashed, now: now) })
    files.plan()
    try store.trash.restore(trashed, now: now)
  }
}
