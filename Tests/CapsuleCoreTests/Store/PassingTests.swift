import CapsuleCore
import TestSupport
import Testing

@testable import CoreTestHelpers

/// Rules of bequests and of the passing that some of them wait for.
@Suite struct PassingTests {
  private static let now = StoreScenario.now

  private static func store() throws -> Store {
    try Store.openOrCreate(
      at: StoreScenario.root,
      environment: StoreScenario.environment(SimulatedFileSystem(), seed: 1), now: now)
  }

  /// The rule that refuses a change; `nil` where it is made.
  private static func problem(
    _ change: () throws(Fault) -> Void
  ) throws -> PassingProblem? {
    do throws(Fault) { try change() } catch {
      guard let problem = error.cause as? PassingProblem else { throw error }
      return problem
    }
    return nil
  }

  @Test func `a passing is declared once, by the owner's name, and can be withdrawn`() throws {
    let store = try Self.store()
    func declare(_ name: String) throws -> PassingProblem? {
      try Self.problem { () throws(Fault) in
        _ = try store.settings.declarePassing(at: Self.now, owner: name, now: Self.now)
      }
    }
    func withdraw() throws -> PassingProblem? {
      try Self.problem { () throws(Fault) in _ = try store.settings.withdrawPassing() }
    }
    func setOwner(_ name: JSON?) throws -> PassingProblem? {
      try Self.problem { () throws(Fault) in try store.settings.set(.owner, to: name) }
    }
    try expect(declare("Anna"), is: .ownerUnknown)
    try expect(withdraw(), is: .notDeclared)
    expect(try setOwner("Anna") == nil)
    try expect(declare(" Bea "), is: .otherName("Bea"))
    expect(try store.settings.intact().passing == nil)
    expect(try declare(" Anna\n") == nil)
    try expect(store.settings.intact().passing?.at, is: Self.now)
    try expect(declare("Anna"), is: .declared)
    try expect(setOwner(nil), is: .ownerStays)
    try expect(store.settings.intact().owner, is: "Anna")
    expect(try withdraw() == nil)
    expect(try setOwner(nil) == nil)
    try expect(store.settings.intact(), is: StoreSettings())
  }

  @Test func `a bequest is marked while the thing and the person are there, or taken back`() throws
  {
    let files = SimulatedFileSystem()
    let store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1), now: Self.now)
    func header(_ number: UInt64) -> RecordHeader {
      RecordHeader(id: RecordID(high: 1, low: number), createdAt: Self.now)
    }
    try store.insert(Beneficiary(header: header(1), name: "Mia"))
    try store.insert(Item(header: header(2), name: "Ring"))
    let item = RecordReference(.item, header(2).id)
    try store.insert(Bequest(header: header(3), subject: item, beneficiary: header(1).id))
    let record = try store.readIntact(Bequest.self, header(3).id)
    try files.unlink(store.layout.record(.item, item.id))
    func mark(_ state: DeliveryState, at time: Instant = Self.now) -> Fault? {
      do throws(Fault) {
        _ = try store.handover.mark(
          record, DeliveryChange(state, at: time, notes: ""), now: Self.now)
      } catch {
        return error
      }
      return nil
    }
    guard mark(.sent)?.cause as? RecordReference == item else {
      Issue.record("it was marked without its item")
      return
    }
    expect(mark(.revoked) == nil)
    try expect(store.read(Bequest.self, record.model.id).model.state, is: .revoked)
  }
}
