import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Bequests and a passing, on a real terminal and by several processes.
@Suite struct BequestTests {
  @Test func `on a real terminal a name is asked for, and typed`() throws {
    let real = try ProgramStore()
    try real.done("item", "add", "Ring")
    try real.done("beneficiary", "add", "Mia", "--relationship", "daughter")
    let terminal = try TerminalRun(
      ProgramRun("bequeath", "Ring", environment: real.environment))
    try terminal.wait(for: "Mia")
    try terminal.wait(for: "daughter")
    try terminal.wait(for: "Who will inherit 'Ring'? Number or name: ")
    terminal.send("1\n")
    try terminal.wait(for: "or a date: ")
    terminal.send("now\n")
    let run = terminal.finish()
    expect(run.end == .exited(0) && run.out.contains("to 'Mia', immediately"))
  }

  @Test func `on a real terminal a passing is declared by typing the name`() throws {
    let real = try ProgramStore()
    try real.done("item", "add", "Ring")
    try real.done("settings", "set", "owner", "Anna Berg")
    let terminal = try TerminalRun(
      ProgramRun("passing", "declare", environment: real.environment))
    try terminal.wait(for: "Type the owner's name to declare it: ")
    terminal.send("Anna Berg\n")
    try terminal.wait(for: "Anna Berg passed away")
    expect(terminal.finish().end, is: .exited(0))
  }

  @Test func `at the same time it is left once, and declared once`() throws {
    let real = try ProgramStore()
    try real.done("item", "add", "Watch")
    try real.done("beneficiary", "add", "Mia")
    try real.done("settings", "set", "owner", "Anna")
    let line = """
      for i in 1 2 3 4; do
        { $capsule bequeath Watch --to Mia --access immediate -q; echo $? >> left; } 2>/dev/null &
        { $capsule passing declare --owner Anna -q; echo $? >> declared; } 2>/dev/null &
      done
      wait
      grep -c '^0$' left; grep -c '^0$' declared
      """
    try expect(real.shell(line).lines.suffix(2), is: ["1", "1"])
    try expect(real.json("bequest", "list").array?.count, is: 1)
  }
}
