import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Post-quantum keys in forms that no command prints.
@Suite struct PostQuantumTests {
  private let home: HostedStore

  init() throws { home = try HostedStore() }

  private func keygen(_ name: String, _ words: String...) throws -> (path: String, key: String) {
    let path = home.path + "/" + name
    try home.done(["keygen", "-o", path] + words)
    return (path, String(try home.done("keygen", "--recipients", path).dropLast()))
  }

  @Test func `the plugin's form of a key opens`() throws {
    let key = try keygen("pq", "--pq")
    let text = try require(try home.text(of: "pq").split(separator: "\n").last)
    let seed = try require(Bech32.decode(String(text))?.bytes)
    let plugin = try home.write(Bech32.encode(hrp: "AGE-PLUGIN-PQ-", seed) + "\n", as: "plugin")
    try expect(home.done("keygen", "--recipients", plugin), is: key.key + "\n")
  }

  @Test func `a key with an error in it is cut in the message`() throws {
    let key = try keygen("pq", "--pq").key
    let wrong = String(key.dropLast()) + (key.hasSuffix("q") ? "p" : "q")
    let message = try home.refusal(.usage, "seal", "-r", wrong)
    expect(message.contains("'\(key.prefix(12))…") && message.utf8.count < 400)
  }

}

/// A store with records of schema 2, made by the first version that writes them and kept: every later
/// version opens all of it.
@Suite struct GoldenPostQuantumTests {
  private let home: HostedStore
  private let golden = BuiltProgram.packageRoot + "Tests/capsuleTests/Golden/format-1-post-quantum"

  init() throws {
    home = try HostedStore(now: "2030-02-28T12:00:00Z")
    let copied = try ProgramRun(
      shell: "mkdir -p '\(home.path)/.local/share' && cp -R '\(golden)/store' '\(home.store)'"
    ).result()
    try require(copied.end == .exited(0))
  }

  @Test func `every byte of it is what was written`() throws {
    let verified = try home.json("verify")
    expect(verified["problems"], is: [])
    expect(verified["records"], is: 8)
  }

  @Test(arguments: [
    ("For a hybrid key", "Closed to quantum computers."),
    ("For an X25519 key", "Only until there are some."), ("With the setting off", "As before."),
    ("From a round of 2023", "Both were needed."),
  ])
  func `its capsules open with the keys of both kinds`(title: String, text: String) throws {
    let opened = try home.json("open", title, "--identity", golden + "/identity.txt")
    expect(opened["items"]?.array?.first?["text"]?.string, is: text)
  }

  @Test(.enabled(if: TestScale.isFull, "a passphrase takes a debug build long"))
  func `its passphrase opens`() throws {
    let passphrase = try home.write("correct horse", as: "passphrase")
    let text = try home.done("open", "Behind a passphrase", "--passphrase-file", passphrase)
    expect(text, is: "Behind it.")
  }

  @Test(arguments: [
    ("For a hybrid key", "The contents stay secret from quantum computers."),
    (
      "From a round of 2023",
      "The contents stay secret from quantum computers. That nobody opens early does not."
    ),
    (
      "Behind a passphrase",
      "Against quantum computers the contents are as secret as the passphrase is hard to guess."
    ),
    (
      "With the setting off",
      "Anyone who copies this store today could read it once there are large quantum computers."
    ),
  ])
  func `what a quantum computer gets from each is said`(title: String, words: String) throws {
    try expect(home.json("show", title)["lockStrengthQuantum"]?.string, is: words)
  }

  @Test func `a change keeps the version that a record needs`() throws {
    try home.done("edit", "For a hybrid key", "--notes", "New")
    try home.done("edit", "For an X25519 key", "--notes", "New")
    let lines = try ProgramRun(shell: "cat '\(home.store)'/*/*/*.json | grep -c '\"schema\": 2'")
      .result()
    expect(lines.out, is: "4\n")
  }
}
