import CapsuleCore
import Testing

/// A store of format 1, made by the first version and kept: every later version opens all of it.
@Suite struct GoldenStoreTests {
  private let folder: TemporaryFolder
  private let environment: [String: String]
  private let identity = BuiltProgram.packageRoot + "Tests/capsuleTests/Golden/identity.txt"

  init() throws {
    folder = try TemporaryFolder()
    let golden = BuiltProgram.packageRoot + "Tests/capsuleTests/Golden/format-1"
    // As a clone or a backup leaves it: without empty directories, and with other permissions.
    let copy = try ProgramRun(shell: "cp -R '\(golden)' '\(folder.path)/store'").result()
    try #require(copy.end == .exited(0))
    environment = [
      "CAPSULE_STORE": folder.path + "/store", "HOME": folder.path, "TZ": "UTC",
    ]
  }

  private func run(_ words: String..., input: String = "") throws -> ProgramRun.Result {
    var run = ProgramRun(environment: environment, input: input)
    run.arguments = words.map { Array($0.utf8) }
    run.timeLimit = 120
    return try run.result()
  }

  private func texts(_ words: String..., input: String = "") throws -> [String?] {
    var run = ProgramRun(environment: environment, input: input)
    run.arguments = (["open"] + words + ["--json"]).map { Array($0.utf8) }
    let result = try run.result()
    try #require(result.end == .exited(0), "\(result.err)")
    return try #require(try result.json()["items"]?.array).map { $0["text"]?.string }
  }

  @Test func `every byte of it is what was written`() throws {
    let result = try run("verify", "--json")
    #expect(result.end == .exited(0), "\(result.err)")
    #expect(try result.json()["problems"] == .array([]))
    #expect(try result.json()["records"] == 6)
  }

  @Test func `its capsules are listed with all that may be seen`() throws {
    let list = try #require(try run("list", "--json").json().array)
    let seen = list.map { [$0["title"]?.string, $0["lock"]?.string, $0["state"]?.string] }
    #expect(
      Set(seen) == [
        ["An honest capsule", "honor", "unlocked"],
        ["For one identity", "recipients", "unlocked"],
        ["Behind a passphrase", "passphrase", "unlocked"],
        ["Locked for a long time", "honor", "locked"],
        ["From a round of 2023", "timelock", "unlocked"],
      ])
    let honest = try run("show", "An honest capsule", "--json").json()
    #expect(honest["notes"] == "Notes that stay readable.")
    #expect(honest["tags"] == ["family", "été"])
    #expect(try run("settings", "get", "spanUnits").out == "3\n")
  }

  @Test func `what was sealed to the store's own identity opens, files with their times`() throws {
    #expect(try texts("An honest capsule") == ["Grüße aus 2026.", nil, nil])
    let out = folder.path + "/out"
    #expect(try run("open", "An honest capsule", "--output", out).end == .exited(0))
    let tone = try run("open", "An honest capsule", "--content", "3")
    #expect(tone.output == Array("RIFF\u{24}\0\0\0WAVEfmt tone".utf8))
    let times = try ProgramRun(
      shell: "cd '\(out)' && find . -name dot.png -newermt '2020-02-29 12:34:56Z' "
        + "! -newermt '2020-02-29 12:34:57Z'"
    ).result()
    #expect(times.out == "./dot.png\n")
  }

  @Test func `what was sealed to a recipient opens with the identity and not without`() throws {
    #expect(try run("open", "For one identity", "--no-input").end == .exited(6))
    #expect(try texts("For one identity", "--identity", identity) == ["Only for you."])
  }

  #if !DEBUG
    @Test func `what was sealed with a passphrase opens with it and not with another`() throws {
      let pass = folder.path + "/pass"
      _ = try ProgramRun(shell: "echo correct horse > '\(pass)'; echo wrong > '\(pass).2'").result()
      #expect(
        try run("open", "Behind a passphrase", "--passphrase-file", pass + ".2").end == .exited(6))
      #expect(try texts("Behind a passphrase", "--passphrase-file", pass) == ["Behind it."])
    }
  #endif

  @Test func `what was timelocked opens with its beacon, and from then on without`() throws {
    let beacon =
      "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125"
      + "e342b73a8dd2bacbe47e4b6b63ed5e39"
    #expect(
      try texts("From a round of 2023", "--beacon", "-", input: beacon) == ["Round 1000."])
    #expect(try texts("From a round of 2023") == ["Round 1000."])
  }

  @Test func `what is locked stays locked, and what was deleted comes back`() throws {
    #expect(try run("open", "Locked for a long time").end == .exited(4))
    #expect(try run("restore", "In the trash").end == .exited(0))
    #expect(try texts("In the trash") == ["Restorable."])
    #expect(try run("verify").end == .exited(0))
  }
}
