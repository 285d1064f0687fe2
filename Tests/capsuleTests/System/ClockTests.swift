import CapsuleCore
import TestSupport
import Testing

@testable import capsule

@Suite struct ClockTests {
  @Test(
    arguments: [
      (0, 0), (1, 0), (-1, -1), (1_999_999_999, 1), (-1_000_000_000, -1), (.max, 9_223_372_036),
      (.min, -9_223_372_037),
    ] as [(Int64, Int64)])
  func `a time of the clock is the second that it is in`(nanoseconds: Int64, seconds: Int64) {
    expect(Instant(nanoseconds: nanoseconds).seconds, is: seconds)
  }

  @Test(
    arguments: [
      (0, 0), (-2, -2_000_000_000), (9_223_372_036, 9_223_372_036_000_000_000),
      (9_223_372_037, .max), (253_402_300_799, .max), (.max, .max), (-9_223_372_037, .min),
      (.min, .min),
    ] as [(Int64, Int64)])
  func `an instant beyond the clock's reach is waited for as long as the clock can say`(
    seconds: Int64, nanoseconds: Int64
  ) {
    expect(Instant(seconds: seconds).nanoseconds, is: nanoseconds)
  }

  @Test func `a time is waited for without work`() {
    let deadline = SystemClocks.wall() + 300_000_000
    let work = ProcessorTime.seconds {
      SystemClocks.wait(untilWall: deadline, atMost: 300_000_000)
    }
    expect(work < 0.1, "\(work)")
  }
}
