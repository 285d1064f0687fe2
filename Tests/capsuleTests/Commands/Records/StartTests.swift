import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// `capsule` without a command.
@Suite struct StartTests {
  private let home: HostedStore

  init() throws {
    home = try HostedStore(now: "2026-01-10T09:00:00Z", zone: "Europe/Paris")
  }

  @Test func `elsewhere than at a terminal it is the help`() throws {
    let help = try home.done("help")
    try expect(home.done(), is: help)
    home.columns = 80
    // Standard input is no terminal.
    expect(try home.done().contains("Usage:"))
    home.inputIsTerminal = true
    expect(try home.done("--help").contains("Usage:"))
    expect(try home.done("--json").hasPrefix("{"))
  }
}
