import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers

/// A store of format 1, made by the first version and kept: every later version opens all of it.
@Suite struct GoldenStoreTests {
  private let home: ProgramStore
  private let identity = BuiltProgram.packageRoot + "Tests/capsuleTests/Golden/identity.txt"

  init() throws {
    home = try ProgramStore()
    home.environment["TZ"] = "UTC"
    let golden = BuiltProgram.packageRoot + "Tests/capsuleTests/Golden/format-1"
    // As a clone or a backup leaves it: without empty directories, and with other permissions.
    try home.walk("mkdir -p .local/share; cp -R '\(golden)' '\(home.store)'")
  }

  private func texts(_ words: String..., input: String = "") throws -> [String?] {
    let opened = try home.json(["open"] + words, input: input)
    return try require(opened["items"]?.array).map { $0["text"]?.string }
  }

  @Test func `every byte of it is what was written`() throws {
    let result = try home.run("verify", "--json")
    expect(result.end, is: .exited(0), "\(result.err)")
    try expect(result.json()["problems"], is: .array([]))
    try expect(result.json()["records"], is: 6)
  }

  @Test func `its capsules are listed with all that may be seen`() throws {
    let list = try require(try home.run("list", "--json").json().array)
    let seen = list.map { [$0["title"]?.string, $0["lock"]?.string, $0["state"]?.string] }
    expect(
      Set(seen),
      is: [
        ["An honest capsule", "honor", "unlocked"],
        ["For one identity", "recipients", "unlocked"],
        ["Behind a passphrase", "passphrase", "unlocked"],
        ["Locked for a long time", "honor", "locked"],
        ["From a round of 2023", "timelock", "unlocked"],
      ])
    let honest = try home.run("show", "An honest capsule", "--json").json()
    expect(honest["notes"], is: "Notes that stay readable.")
    expect(honest["tags"], is: ["family", "été"])
    try expect(home.run("settings", "get", "spanUnits").out, is: "3\n")
  }

  @Test func `what was sealed to the store's own identity opens, files with their times`() throws {
    try expect(texts("An honest capsule"), is: ["Grüße aus 2026.", nil, nil])
    let out = home.path + "/out"
    try expect(home.run("open", "An honest capsule", "--output", out).end, is: .exited(0))
    let tone = try home.run("open", "An honest capsule", "--content", "3")
    expect(tone.output, is: Array("RIFF\u{24}\0\0\0WAVEfmt tone".utf8))
    let times = try home.shell(
      "cd '\(out)' && find . -name dot.png -newermt '2020-02-29 12:34:56Z' "
        + "! -newermt '2020-02-29 12:34:57Z'")
    expect(times.out, is: "./dot.png\n")
  }

  @Test func `what was sealed to a recipient opens with the identity and not without`() throws {
    try expect(home.run("open", "For one identity", "--no-input").end, is: .exited(6))
    try expect(texts("For one identity", "--identity", identity), is: ["Only for you."])
  }

  @Test(.enabled(if: TestScale.isFull, "a passphrase takes a debug build long"))
  func `what was sealed with a passphrase opens with it and not with another`() throws {
    let pass = try home.write("correct horse\n", as: "pass")
    let wrong = try home.write("wrong\n", as: "pass.2")
    try expect(
      home.run("open", "Behind a passphrase", "--passphrase-file", wrong).end, is: .exited(6))
    try expect(texts("Behind a passphrase", "--passphrase-file", pass), is: ["Behind it."])
  }

  @Test func `what was timelocked opens with its beacon, and from then on without`() throws {
    let beacon =
      "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125"
      + "e342b73a8dd2bacbe47e4b6b63ed5e39"
    try expect(
      texts("From a round of 2023", "--beacon", "-", input: beacon), is: ["Round 1000."])
    try expect(texts("From a round of 2023"), is: ["Round 1000."])
  }

  @Test func `what is locked stays locked, and what was deleted comes back`() throws {
    try expect(home.run("open", "Locked for a long time").end, is: .exited(4))
    try expect(home.run("restore", "In the trash").end, is: .exited(0))
    try expect(texts("In the trash"), is: ["Restorable."])
    try expect(home.run("verify").end, is: .exited(0))
  }
}
