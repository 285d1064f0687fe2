import CapsulePlatform
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// The trash as it is listed, and what asks its owner for something.
@Suite struct TrashAndDemandsTests {
  private static let now = Instant(seconds: 1_700_000_000)
  private let files = SimulatedFileSystem()
  private let store: Store

  init() throws {
    store = try Store.openOrCreate(
      at: StoreScenario.root,
      environment: StoreScenario.environment(files, seed: 1), now: Self.now)
  }

  private func header(_ number: UInt8) -> RecordHeader {
    RecordHeader(id: StoreScenario.id(number), createdAt: Self.now)
  }

  private func delete(_ number: UInt8, _ name: String, at time: Instant = now) throws {
    try store.insert(Item(header: header(number), name: name))
    _ = try store.trash.delete(.item, StoreScenario.id(number), now: time)
  }

  @Test func `a record in the trash is meant by its name, its id, or the start of it`() throws {
    try delete(0x12, "Ring")
    try delete(0x13, "Caf\u{e9}")
    let trash = try TrashListing(store, now: Self.now)
    try expect(trash.find("RING").record.id, is: StoreScenario.id(0x12))
    try expect(trash.find("1300").title, is: "Caf\u{e9}")
    try expect(trash.find(StoreScenario.id(0x12).description.uppercased()).title, is: "Ring")
    expect {
      try trash.find("Necklace")
    } throws: { error in
      (error as? Fault) == .noSuchRecord("Necklace", among: [])
    }
  }

  @Test func `of several the word means none, of one that was deleted twice the last`() throws {
    try delete(0x12, "Ring")
    try delete(0x13, "Ring")
    expect {
      try TrashListing(store, now: Self.now).find("Ring")
    } throws: { error in
      (error as? Fault)?.code == .severalRecords && (error as? Fault)?.list.count == 2
    }
    try delete(0x14, "Watch")
    try delete(0x14, "Watch", at: Self.now.adding(seconds: 60))
    let found = try TrashListing(store, now: Self.now).find("Watch")
    expect(found.record.deletedAt, is: Self.now.adding(seconds: 60))
  }

  @Test func `a record that another process takes out of the trash meanwhile is not listed`() throws
  {
    try delete(0x12, "Ring")
    try delete(0x13, "Watch")
    files.plan([.on(.open, path: "/s/trash/items/12", .fail(ENOENT))])
    let gone = try TrashListing(store, now: Self.now)
    expect(gone.entries.map(\.title), is: ["Watch"])
    expect(!gone.hasDamage)
    files.plan([.on(.open, path: "/s/trash/items/12", .fail(EACCES))])
    let unreadable = try TrashListing(store, now: Self.now)
    expect(unreadable.entries.map(\.problem).contains(.unreadable))
  }

  @Test func `of a record that lies there twice one may go meanwhile`() throws {
    try delete(0x12, "Ring")
    try delete(0x12, "Ring", at: Self.now.adding(seconds: 60))
    let later = Self.now.adding(seconds: 60).seconds
    files.plan([.on(.open, path: ".\(later).json", .fail(ENOENT))])
    try expect(store.trash.records(.item).map(\.deletedAt), is: [Self.now])
  }

  @Test func `what has waited longest asks first, and bequests last`() throws {
    let calendar = EventCalendar(zone: .utc, leapDay: .february28) { _ in .utc }
    let later = Self.now.adding(seconds: 10 * 86_400)
    var plant = Item(header: header(1), name: "Plant")
    plant.reminder = Reminder(every: 2, .day, since: Self.now)
    var tax = Event(
      header: header(2), title: "Tax", moment: .instant(Self.now.adding(seconds: 60)), zone: "UTC")
    tax.isDeadline = true
    var met = Event(
      header: header(3), title: "Met", moment: .instant(Self.now.adding(seconds: 60)), zone: "UTC")
    met.isDeadline = true
    try met.meet(at: Self.now)
    try store.insert(plant)
    try store.insert(tax)
    try store.insert(met)
    try store.insert(Beneficiary(header: header(4), name: "Mia"))
    try store.insert(
      Bequest(
        header: header(5), subject: RecordReference(.item, plant.id),
        beneficiary: StoreScenario.id(4), access: .immediate))
    // One that its own time alone opens asks for nothing before that.
    try store.insert(StoreScenario.capsule(0x42))
    try store.insert(
      Bequest(
        header: header(6), subject: RecordReference(.capsule, StoreScenario.id(0x42)),
        beneficiary: StoreScenario.id(4), access: .immediate))
    func names(at now: Instant) -> [String] {
      store.queries.demands(calendar, passing: nil, now: now).map { demand in
        switch demand {
        case .reminder(let row): row.summary.record.name
        case .deadline(let row): row.summary.record.title
        case .bequest(let row): row.title
        }
      }
    }
    expect(names(at: Self.now), is: ["Plant to Mia"])
    expect(names(at: later), is: ["Tax", "Plant", "Plant to Mia"])
  }

  @Test(
    arguments: [
      (DeliveryState.notSent, AccessRule.immediate, BequestRow.Standing.now),
      (.notSent, .uponPassing, .uponPassing),
      (.notSent, .afterDate(Instant(seconds: 1_700_000_060)), .later),
      (.notSent, .afterDate(Instant(seconds: 1_699_999_999)), .now),
      (.sent, .immediate, .sent), (.accepted, .uponPassing, .sent),
      (.declined, .immediate, .over), (.revoked, .uponPassing, .over),
    ])
  func `a bequest has one place among what a person receives`(
    state: DeliveryState, access: AccessRule, standing: BequestRow.Standing
  ) {
    var bequest = Bequest(
      header: RecordHeader(id: StoreScenario.id(5), createdAt: Self.now),
      subject: RecordReference(.item, StoreScenario.id(1)), beneficiary: StoreScenario.id(4),
      access: access)
    let states: [DeliveryState] =
      [.accepted, .declined].contains(state) ? [.sent, state] : [state]
    for state in states where state != .notSent {
      _ = bequest.mark(DeliveryChange(state, at: Self.now, notes: ""), now: Self.now)
    }
    expect(bequest.state, is: state)
    let row = BequestRow(
      bequest.brief, names: RecordNames(store, now: Self.now), passing: nil, at: Self.now)
    expect(row.standing, is: standing)
  }

  @Test func `an occurrence is ahead, begun, due or overdue`() {
    func state(
      _ happening: Occurrence.Happening, after seconds: Int64, isOverdue: Bool = false
    ) -> Occurrence.State {
      var occurrence = Occurrence(
        kind: .item, id: StoreScenario.id(1), title: "Plant", happening: happening,
        moment: .instant(Self.now.adding(seconds: seconds)))
      occurrence.isOverdue = isOverdue
      return occurrence.state(at: Self.now, in: .utc)
    }
    expect(state(.reminder, after: 1), is: .ahead)
    expect(state(.reminder, after: 0), is: .due)
    expect(state(.event, after: 0), is: .begun)
    expect(state(.deadline, after: -60, isOverdue: true), is: .overdue)
  }
}
