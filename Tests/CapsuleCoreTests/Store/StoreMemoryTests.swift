import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// The last time that a machine saw.
@Suite struct LastSeenTests {
  private static let now = StoreScenario.now
  private let files = SimulatedFileSystem()
  private let seen: LastSeen

  init() {
    seen = LastSeen(
      FilePath("/state/seen-times"), environment: StoreScenario.environment(files, seed: 1))
  }

  @Test func `a clock that went back is told of once a jump, with the time before it`() {
    expect(seen.note(Self.now) == nil)
    let back = Self.now.adding(seconds: -1)
    expect(seen.note(back), is: Self.now)
    expect(seen.note(back) == nil)
    expect(seen.note(Self.now) == nil)
  }

  @Test func `it is kept once a minute`() {
    _ = seen.note(Self.now)
    expect(seen.note(Self.now.adding(seconds: 59)) == nil)
    expect(seen.note(Self.now.adding(seconds: -1)), is: Self.now)
    _ = seen.note(Self.now.adding(seconds: 60))
    expect(seen.note(Self.now), is: Self.now.adding(seconds: 60))
  }

  @Test func `a warning is given once a day, and again where the clock went back`() {
    expect(seen.noteWarning(Self.now))
    expect(!seen.noteWarning(Self.now.adding(seconds: 86_399)))
    expect(seen.noteWarning(Self.now.adding(seconds: 86_400)))
    expect(seen.noteWarning(Self.now))
  }

  @Test func `what cannot be kept leaves no file`() {
    _ = seen.note(Self.now)
    let before = files.files()
    files.plan([.on(.rename, .fail(5))])
    expect(seen.note(Self.now.adding(seconds: 3_600)) == nil)
    files.plan()
    expect(files.files(), is: before)
  }
}
