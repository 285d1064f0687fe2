import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Drafts by real programs.
@Suite struct DraftProgramTests {
  private let home: ProgramStore

  init() throws {
    home = try ProgramStore()
    try home.done("beneficiary", "add", "Mia", "--relationship", "daughter")
    try home.done("item", "add", "Ring", "--description", "From 1912")
    try home.done("bequeath", "--access", "immediate", "Ring", "--to", "Mia")
  }

  @Test func `a program that hangs or floods is ended, with all that it started`() throws {
    let start = ContinuousClock.now
    // Both ignore SIGTERM, and the second one holds the pipe.
    let hanging = try home.run(
      "draft", "message", "Ring", "--time-limit", "1", "--with",
      "trap '' TERM; (echo $$ > \"$HOME/group\"; sleep 61) & echo Dear; sleep 61")
    expect(
      hanging.end == .exited(10) && hanging.err.contains("longer than 1 second"), "\(hanging.err)")
    try expectNobody(in: "group")
    let flooding = try home.run("draft", "message", "Ring", "--with", "yes")
    expect(flooding.end == .exited(12) && flooding.err.contains("more than 64 KiB"))
    expect(ContinuousClock.now - start < .seconds(40))
  }

  /// Waits until no process is left in the group whose number a file holds.
  private func expectNobody(in name: String) throws {
    let group = try require(Int32(try home.text(of: name).trimmed))
    for _ in 0..<100 where kill(-group, 0) == 0 { usleep(20_000) }
    expect(kill(-group, 0) != 0)
  }

  @Test func `a program that leaves another one behind is not waited for, and that one ends`()
    throws
  {
    let start = ContinuousClock.now
    let run = try home.run(
      "draft", "message", "Ring", "--with",
      "trap '' TERM; echo $$ > \"$HOME/group\"; sleep 62 & echo Dear")
    expect(run.end == .exited(0) && run.out == "Dear\n")
    expect(ContinuousClock.now - start < .seconds(40))
    try expectNobody(in: "group")
  }

  @Test func `a program that does not heed the signal which ends the command ends with it`() throws
  {
    let run = home.program([
      "draft", "message", "Ring", "--with",
      "trap '' TERM; echo $$ > \"$HOME/group\"; kill -TERM $PPID; sleep 63",
    ])
    try expect(run.result().end, is: .signalled(SIGTERM))
    try expectNobody(in: "group")
  }

  @Test func `a program that a signal ended drafted nothing`() throws {
    let said = try home.refusal(.io, "draft", "message", "Ring", "--with", "echo Dear; kill -9 $$")
    expect(said.contains("signal 9 ended it"), "\(said)")
  }

  @Test func `a program may read nothing of what it is asked`() throws {
    try expect(home.done("draft", "message", "Ring", "--with", "echo Dear"), is: "Dear\n")
  }

  @Test(.enabled(if: OtherPrograms.areExpected("jq"), "jq is not installed"))
  func `the template in contrib drafts all three`() throws {
    let template = BuiltProgram.packageRoot + "contrib/assistants/template"
    try expect(
      home.done("draft", "message", "Ring", "--with", template),
      is: "Dear Mia,\n\nthis is for you: Ring. From 1912\n")
    try expect(home.done("draft", "suggest", "Ring", "--with", template), is: "Mia: daughter\n")
    try expect(home.done("draft", "describe", "Ring", "--with", template), is: "From 1912\n")
  }
}
