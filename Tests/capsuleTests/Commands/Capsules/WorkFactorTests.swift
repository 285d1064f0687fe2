import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Files whose passphrase asks for more work than is done for somebody else's file.
@Suite struct WorkFactorTests {
  private let home: HostedStore
  private let passphrase: [String]

  init() throws {
    home = try HostedStore()
    passphrase = ["--passphrase-file", try home.write("correct horse\n", as: "passphrase")]
  }

  /// A file that cannot be opened, but says how much work a try would be.
  private func file(asking workFactor: Int) throws -> String {
    let text =
      "age-encryption.org/v1\n-> scrypt AAAAAAAAAAAAAAAAAAAAAA \(workFactor)\n"
      + String(repeating: "A", count: 43) + "\n--- " + String(repeating: "A", count: 43) + "\n"
    return try home.write(text + String(repeating: "x", count: 100), as: "costly.age")
  }

  @Test(arguments: [(21, "2.0 GiB"), (22, "4.0 GiB")])
  func `a file of somebody else's is refused before its passphrase is asked for`(
    workFactor: Int, memory: String
  ) throws {
    let file = try file(asking: workFactor)
    for words in [["unseal", file], ["unseal", file] + passphrase, ["import", "archive", file]] {
      home.answers = ["correct horse"]
      home.inputIsTerminal = true
      let run = home.run(words, input: "")
      expect(run.code, is: .refused, "\(words): \(run.err)")
      expect(run.questions, is: [])
      expect(run.output.isEmpty)
      expect(
        run.err.contains(
          "has a passphrase with a work factor of \(workFactor) (\(memory) of memory), and the limit is 20"
        ),
        "\(run.err)")
      expect(run.err.contains("--max-work-factor \(workFactor)"), "\(run.err)")
    }
  }

  @Test func `the work of a file above 2 to the 22 is damage, as before`() throws {
    try home.refusal(.damaged, ["unseal", file(asking: 23)] + passphrase)
    try home.refusal(.usage, ["unseal", "--max-work-factor", "23", file(asking: 21)])
  }

  @Test func `an option sets the limit of a file and of a capsule`() throws {
    let sealed = home.run(["seal", "--armor"] + passphrase, input: "x").out
    let path = try home.write(sealed, as: "sealed.age")
    // The host of the tests seals with a work factor of 2.
    try home.refusal(.refused, ["unseal", "--max-work-factor", "1", path] + passphrase)
    try expect(home.done(["unseal", "--max-work-factor", "2", path] + passphrase), is: "x")
    try home.done(
      ["create", "A", "-u", "2020-01-01", "--allow-past", "--text", "x"] + passphrase)
    let refusal = try home.refusal(.refused, ["open", "A", "--max-work-factor", "1"] + passphrase)
    expect(refusal.contains("the lock in"), "\(refusal)")
    try expect(home.done(["open", "A", "--max-work-factor", "2"] + passphrase), is: "x")
  }

  @Test func `a carrier whose identities ask for too much work is not joined`() throws {
    try home.done("item", "add", "Ring")
    let carrier = home.path + "/carrier"
    try home.done(["sync", "add", "meet", carrier] + passphrase)
    _ = try file(asking: 22)
    try home.write(home.bytes(of: "costly.age"), as: "carrier/identities.age")
    let second = try HostedStore()
    let refusal = try second.refusal(.refused, ["sync", "join", carrier] + passphrase)
    expect(
      refusal.contains("has a passphrase with a work factor of 22, and the limit is 20"),
      "\(refusal)")
  }
}
