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

  /// What a person at a terminal sees.
  private func start(_ words: String...) throws -> [String] {
    home.columns = 80
    home.inputIsTerminal = true
    let text = try home.done(words + ["--color", "never"])
    home.columns = nil
    home.inputIsTerminal = false
    return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  @Test func `without a store there are four lines to begin, and nothing is made`() throws {
    let lines = try start()
    expect(lines.count == 5 && lines.last == "")
    expect(lines[1].hasPrefix("  capsule create "))
    expect(home.names(in: ""), is: [])
  }

  @Test func `with a store there is what is due, what can be opened and what comes next`() throws {
    try home.done("item", "add", "Filter")
    try home.done("item", "log", "Filter", "--when", "2025-11-01")
    try home.done("item", "remind", "Filter", "--every", "1 month")
    try home.done("event", "add", "Tax", "--on", "2026-01-05", "--deadline")
    try home.createUnlocked("Old letter", "--text", "x")
    try home.done("event", "add", "Launch", "--on", "2026-02-01")
    let text = try start().joined(separator: "\n")
    let headings = text.split(separator: "\n").filter { !$0.hasPrefix(" ") }
    expect(headings, is: ["Due", "Can be opened", "Next"])
    let parts = text.split(separator: "\n\n")
    expect(parts[0].contains("Filter") && parts[0].contains("Tax"), "\(text)")
    expect(parts[1].contains("Old letter") && !parts[2].contains("Old letter"))
    expect(parts[2].contains("Launch") && !parts[2].contains("Filter"), "\(text)")
  }

  @Test func `of many things five are shown, and how many more there are`() throws {
    for number in 1...8 {
      try home.done("event", "add", "Event \(number)", "--on", "2026-02-0\(number)")
    }
    let lines = try start()
    expect(lines.filter { $0.contains("Event ") }.count, is: 5)
    expect(lines.contains("  3 more"))
  }

  @Test func `where nothing is to come it says so`() throws {
    try home.done("item", "add", "Ring")
    try expect(start(), is: ["Nothing is due, and nothing is to come.", ""])
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
