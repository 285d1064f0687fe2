import CapsuleCore
import TestSupport
import Testing

@testable import CoreTestHelpers

@Suite struct UnlockGateTests {
  @Test(
    arguments: [
      (100, 99, nil, 1), (100, 0, nil, 100), (100, 40, 60, 40), (0, -1, nil, 1),
      (Int64.max, Int64.min, nil, Int64.max),
    ] as [(Int64, Int64, Int64?, Int64)])
  func `before its time a capsule stays locked and says how long`(
    unlock: Int64, now: Int64, proven: Int64?, remaining: Int64
  ) {
    let decision = UnlockGate.decide(
      unlock: Instant(seconds: unlock), now: Instant(seconds: now),
      provenTime: proven.map { Instant(seconds: $0) })
    expect(decision, is: .locked(until: Instant(seconds: unlock), remaining: remaining))
  }

  @Test(
    arguments: [
      (100, 100, nil), (100, 101, nil), (100, 101, 5), (Int64.min, Int64.min, nil),
      (100, 3, 100),
    ] as [(Int64, Int64, Int64?)])
  func `from its second on a capsule is let through, by the clock or by a proven time`(
    unlock: Int64, now: Int64, proven: Int64?
  ) throws {
    let unlock = Instant(seconds: unlock)
    let decision = UnlockGate.decide(
      unlock: unlock, now: Instant(seconds: now), provenTime: proven.map { Instant(seconds: $0) })
    guard case .unlocked(let pass, let since) = decision else {
      Issue.record("the gate stayed shut: \(decision)")
      return
    }
    expect(since, is: unlock)
    expect(pass.unlock, is: unlock)
  }
}
