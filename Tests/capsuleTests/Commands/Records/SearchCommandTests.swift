import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// What `capsule search` leaves behind.
@Suite struct SearchCommandTests {
  private let home: HostedStore

  init() throws { home = try HostedStore() }

  @Test func `what is found inside of a capsule is kept nowhere`() throws {
    try home.createUnlocked("Opened", "--text", "about zanzibar")
    try home.done("open", "Opened")
    try expect(home.strings("title", "search", "zanzibar", "--inside"), is: ["Opened"])
    let kept = try ProgramRun(shell: "grep -rl zanzibar '\(home.path)'").result()
    expect(kept.out.isEmpty)
  }
}
