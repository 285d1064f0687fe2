import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// The rules of the switch, which hold whoever sets it.
@Suite struct SwitchRuleTests {
  private static let now = StoreScenario.now
  private let store: Store
  private let mia = StoreScenario.id(0x40)
  private let bea = StoreScenario.id(0x41)

  init() throws {
    store = try Store.openOrCreate(
      at: StoreScenario.root,
      environment: StoreScenario.environment(SimulatedFileSystem(), seed: 4), now: Self.now)
    for (id, name, email) in [(mia, "Mia", "mia@example.org"), (bea, "Bea", "")] {
      var person = Beneficiary(header: RecordHeader(id: id, createdAt: Self.now), name: name)
      person.email = email
      try store.insert(person)
    }
  }

  /// Returns the problem of a change, after seeing that nothing was written then.
  private func problem(_ change: (inout SilenceSwitch) -> Void) throws -> SwitchProblem? {
    let before = try store.settings.intact()
    do throws(Fault) {
      _ = try store.switch.change(now: Self.now) { silenceSwitch throws(Fault) in
        var terms = silenceSwitch ?? SilenceSwitch()
        change(&terms)
        silenceSwitch = terms
      }
      return nil
    } catch {
      guard let problem = error.cause as? SwitchProblem else { throw error }
      try expect(store.settings.intact(), is: before)
      return problem
    }
  }

  @Test func `it has a witness, who can be reached`() throws {
    try expect(problem { _ in }, is: .noWitness)
    try expect(
      problem { $0.witnesses = [mia, bea] }, is: .unreachableWitness(bea, name: "Bea"))
    expect(try problem { $0.witnesses = [mia] } == nil)
    expect(throws: Fault.self) {
      _ = try problem { $0.witnesses = [StoreScenario.id(0x42)] }
    }
    // A witness who lost the address later keeps nobody from changing something else.
    var person = try store.read(Beneficiary.self, mia)
    person.model.email = ""
    _ = try store.update(person, now: Self.now)
    expect(try problem { $0.grace = CalendarDuration(days: 14) } == nil)
  }

  @Test(arguments: [
    (CalendarDuration(), "PT0S"), (CalendarDuration(years: 10, seconds: 1), "P10YT1S"),
    (CalendarDuration(years: 100_000), "P100000Y"),
  ])
  func `its spans are longer than no time, and ten years at most`(
    span: CalendarDuration, text: String
  ) throws {
    expect(try problem { $0.witnesses = [mia] } == nil)
    for field in [\SilenceSwitch.every, \.warn, \.grace] {
      try expect(problem { $0[keyPath: field] = span }, is: .span(iso8601: text))
      expect(try problem { $0[keyPath: field] = CalendarDuration(years: 10) } == nil)
    }
  }
}
