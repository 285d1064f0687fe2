import CapsuleCore
import TestSupport
import Testing

@testable import CoreTestHelpers

@Suite struct UnlockGateTests {
  /// The time of quicknet's round 1000, from which the seconds of the tests count.
  private static let start: Int64 = 1_692_806_364

  private func decide(_ unlock: Int64, _ now: Int64, isProven: Bool) throws -> GateDecision {
    let chains = KnownChains(StoreScenario.environment(SimulatedFileSystem(), seed: 1))
    let proven = chains.time(provenBy: try TlockVectors.beacon("quicknet", round: 1000))
    expect(proven?.instant, is: Instant(seconds: Self.start))
    return UnlockGate.decide(
      unlock: Instant(seconds: Self.start.addingClamped(unlock)),
      now: Instant(seconds: Self.start.addingClamped(now)), provenTime: isProven ? proven : nil)
  }

  @Test(
    arguments: [
      (100, 99, false, 1), (100, 0, false, 100), (40, -20, true, 40), (0, -1, false, 1),
      (60, 20, true, 40), (Int64.max, Int64.min, false, Int64.max),
    ] as [(Int64, Int64, Bool, Int64)])
  func `before its time a capsule stays locked and says how long`(
    unlock: Int64, now: Int64, isProven: Bool, remaining: Int64
  ) throws {
    try expect(
      decide(unlock, now, isProven: isProven),
      is: .locked(
        until: Instant(seconds: Self.start.addingClamped(unlock)), remaining: remaining))
  }

  @Test(
    arguments: [
      (100, 100, false), (100, 101, false), (95, 96, true), (Int64.min, Int64.min, false),
      (0, -97, true), (-1, Int64.min, true),
    ] as [(Int64, Int64, Bool)])
  func `from its second on a capsule is let through, by the clock or by a proven time`(
    unlock: Int64, now: Int64, isProven: Bool
  ) throws {
    let decision = try decide(unlock, now, isProven: isProven)
    guard case .unlocked(let pass, let since) = decision else {
      Issue.record("the gate stayed shut: \(decision)")
      return
    }
    expect(since, is: Instant(seconds: Self.start.addingClamped(unlock)))
    expect(pass.unlock, is: since)
  }
}
