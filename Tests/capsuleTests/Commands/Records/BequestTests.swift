import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Bequests, deliveries marked by hand, and a passing.
@Suite struct BequestTests {
  private let home: HostedStore

  init() throws {
    home = try HostedStore(zone: "Europe/Paris")
    try home.done("item", "add", "Gold ring")
    try home.done("item", "add", "Watch")
    try home.done("beneficiary", "add", "Mia", "--relationship", "daughter")
  }

  private func bequestCount() throws -> Int? {
    try home.json("bequest", "list").array?.count
  }

  // MARK: What is left, and when

  @Test func `the message comes from the editor, which begins with what is there`() throws {
    try home.done("bequeath", "Gold ring", "--to", "Mia", "-m", "Pipe")
    home.environment["EDITOR"] = "sed -i s/Pipe/Written/"
    home.process = SystemProcess.run
    try home.done("bequest", "edit", "Gold ring", "--message-edit")
    try expect(home.json("bequest", "show", "Gold ring")["message"], is: "Written")
    // What cannot be kept stays in its draft.
    home.environment["EDITOR"] = "head -c \(Bequest.messageLimit + 1) /dev/zero | tr '\\0' x >"
    let refusal = try home.refusal(.refused, "bequest", "edit", "Gold ring", "--message-edit")
    expect(refusal.contains("the draft is kept in"), "\(refusal)")
  }

  // MARK: Somebody who is chosen

  @Test func `on a real terminal a name is asked for, and typed`() throws {
    let real = try ProgramStore()
    try real.done("item", "add", "Ring")
    try real.done("beneficiary", "add", "Mia", "--relationship", "daughter")
    let terminal = try TerminalRun(
      ProgramRun("bequeath", "Ring", environment: real.environment))
    try terminal.wait(for: "Mia")
    try terminal.wait(for: "daughter")
    try terminal.wait(for: "Who shall have 'Ring'? A number, or another name: ")
    terminal.send("1\n")
    let run = terminal.finish()
    expect(run.end == .exited(0) && run.out.contains("to 'Mia', immediately"))
  }

  // MARK: A passing

  private func setOwner() throws { try home.done("settings", "set", "owner", "Anna Berg") }

  @Test func `whether somebody is alive is not guessed from settings that were changed`() throws {
    try setOwner()
    try home.replace("Anna", with: "Hanna", in: ".local/share/capsule/settings.json")
    expect(try home.refusal(.damaged, "passing", "show").contains("settings.json"))
    let message = try home.refusal(.damaged, "passing", "declare", "--owner", "Hanna Berg")
    expect(message.contains("repair"))
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

  // MARK: What belongs together

  @Test func `what waits for its other side is named, and comes back with it`() throws {
    let id = try require(try home.json("bequeath", "Gold ring", "--to", "Mia")["id"]?.string)
    try home.done("beneficiary", "delete", "Mia", "--yes", "--with-bequests")
    try home.pass(seconds: 2)
    try home.done("item", "delete", "Gold ring", "--yes")
    let first = try home.run("restore", "Mia")
    expect(first.code == .ok && first.err.contains("capsule restore \(id)"))
    try home.done("restore", "Gold ring")
    try expect(home.run("restore", id, "Nothing else").code, is: .notFound)
    try home.done("restore", id)
    try expect(bequestCount(), is: 1)
  }

  @Test func `at the same time it is left once, and declared once`() throws {
    let real = try ProgramStore()
    try real.done("item", "add", "Watch")
    try real.done("beneficiary", "add", "Mia")
    try real.done("settings", "set", "owner", "Anna")
    let line = """
      for i in 1 2 3 4; do
        { $capsule bequeath Watch --to Mia -q; echo $? >> left; } 2>/dev/null &
        { $capsule passing declare --owner Anna -q; echo $? >> declared; } 2>/dev/null &
      done
      wait
      grep -c '^0$' left; grep -c '^0$' declared
      """
    try expect(real.shell(line).lines.suffix(2), is: ["1", "1"])
    try expect(real.json("bequest", "list").array?.count, is: 1)
  }
}
