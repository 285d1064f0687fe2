import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// A later unlock time, which nothing undoes.
@Suite struct EditUnlockTests {
  private let home: HostedStore

  init() throws {
    home = try HostedStore()
    try home.create("Bet", "--unlock", "2030-01-01", "--text", "t")
  }

  private func unlockAt(_ title: String = "Bet") throws -> String? {
    try home.json("show", title)["unlockAt"]?.string
  }

  @Test func `without a terminal a later time is taken, and both are said`() throws {
    let run = try home.run("edit", "Bet", "--unlock", "2031-01-01")
    expect(run.err.contains("Unlocks Tue 1 Jan 2030 00:00 UTC → Wed 1 Jan 2031 00:00 UTC"))
    try expect(unlockAt(), is: "2031-01-01T00:00:00Z")
  }

  @Test func `on a terminal a later time is asked about with both`() throws {
    home.inputIsTerminal = true
    home.answers = ["n"]
    let refused = try home.run("edit", "Bet", "--unlock", "2031-01-01")
    expect(refused.code, is: .refused)
    let question = try require(refused.questions.first)
    for date in ["Tue 1 Jan 2030", "Wed 1 Jan 2031"] { expect(question.contains(date)) }
    try expect(unlockAt(), is: "2030-01-01T00:00:00Z")
    home.answers = ["y"]
    try home.done("edit", "Bet", "--unlock", "2031-01-01")
    try expect(unlockAt(), is: "2031-01-01T00:00:00Z")
  }

  @Test func `what does not move the time is not asked about`() throws {
    home.inputIsTerminal = true
    for words in [["--title", "Bet"], ["-u", "2030-01-01"], ["-u", "2031", "--yes"]] {
      home.answers = []
      let run = try home.run(["edit", "Bet"] + words)
      expect(run.code == .ok && run.questions == [], "\(words)")
    }
  }

  @Test func `an earlier time is refused before anything is asked`() throws {
    home.inputIsTerminal = true
    home.answers = ["y"]
    let run = try home.run("edit", "Bet", "--unlock", "2029-01-01")
    expect(run.code == .refused && run.questions == [] && run.err.contains("cannot move earlier"))
  }

  // MARK: Opened ones

  @Test func `an opened capsule is locked again only on purpose`() throws {
    try home.createUnlocked("Old", "--text", "t")
    try home.done("open", "Old")
    let message = try home.refusal(.refused, "edit", "Old", "--unlock", "2031-01-01")
    expect(message.contains("--lock-again"))
    try home.refusal(.refused, "edit", "Old", "--unlock", "2031-01-01", "--yes")
    try expect(home.json("show", "Old")["state"], is: "opened")
    try home.done("edit", "Old", "--title", "Older")
  }

  @Test func `one that was locked again stays opened once, and takes nothing more`() throws {
    try home.createUnlocked("Old", "--text", "t")
    try home.done("open", "Old")
    let openedAt = try home.json("show", "Old")["openedAt"]
    try home.done("edit", "Old", "--unlock", "2031-01-01", "--lock-again")
    let shown = try home.json("show", "Old")
    expect(shown["state"] == "locked" && shown["openedAt"] == openedAt && openedAt != .null)
    try home.refusal(.locked, "open", "Old")
    try home.refusal(.refused, "add", "Old", "--text", "more")
  }
}
