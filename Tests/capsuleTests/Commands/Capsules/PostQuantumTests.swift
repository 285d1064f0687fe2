import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Post-quantum keys in the commands that take keys.
@Suite struct PostQuantumTests {
  private let home: HostedStore

  init() throws { home = try HostedStore() }

  private func keygen(_ name: String, _ words: String...) throws -> (path: String, key: String) {
    let path = home.path + "/" + name
    try home.done(["keygen", "-o", path] + words)
    return (path, String(try home.done("keygen", "-y", path).dropLast()))
  }

  @Test func `keygen makes a post-quantum key, and tells its recipient whole`() throws {
    let key = try keygen("pq", "--pq")
    expect(key.key.hasPrefix("age1pq1") && key.key.count == 1959)
    let lines = try home.text(of: "pq").split(separator: "\n")
    expect(lines[1], is: "# public key: \(key.key)")
    expect(lines[2].hasPrefix("AGE-SECRET-KEY-PQ-1") && lines[2].count == 77)
  }

  @Test func `without being asked keygen makes an X25519 key`() throws {
    try expect(keygen("classic").key.count, is: 62)
  }

  @Test func `the filters seal to a post-quantum key and open with it, in armor and in binary`()
    throws
  {
    let key = try keygen("pq", "--pq")
    let plain = try home.write("now or later", as: "plain")
    for armor in [[], ["--armor"]] {
      let sealed = home.path + "/sealed\(armor.count)"
      try home.done(["seal", "-r", key.key, "-o", sealed, plain] + armor)
      try expect(home.done("unseal", "-i", key.path, sealed), is: "now or later")
    }
    let other = try keygen("other", "--pq")
    try home.refusal(.key, "unseal", "-i", other.path, home.path + "/sealed0")
  }

  @Test func `the plugin's form of a key opens`() throws {
    let key = try keygen("pq", "--pq")
    let text = try require(try home.text(of: "pq").split(separator: "\n").last)
    let seed = try require(Bech32.decode(String(text))?.bytes)
    let plugin = try home.write(Bech32.encode(hrp: "AGE-PLUGIN-PQ-", seed) + "\n", as: "plugin")
    try expect(home.done("keygen", "-y", plugin), is: key.key + "\n")
  }

  @Test(arguments: [["seal"], ["create", "C", "-u", "2090", "--empty"]])
  func `keys of two kinds are refused together, by name, and nothing is made`(
    words: [String]
  ) throws {
    let (hybrid, classic) = (try keygen("pq", "--pq"), try keygen("classic"))
    let message = try home.refusal(.usage, words + ["-r", hybrid.key, "-r", classic.key])
    expect(
      message.contains(
        "'\(hybrid.key.prefix(12))…\(hybrid.key.suffix(4))' is post-quantum, '\(classic.key)' is not"
      ), "\(message)")
    expect(home.files(below: ".local"), is: [])
  }

  @Test func `a key with an error in it is cut in the message`() throws {
    let key = try keygen("pq", "--pq").key
    let wrong = String(key.dropLast()) + (key.hasSuffix("q") ? "p" : "q")
    let message = try home.refusal(.usage, "seal", "-r", wrong)
    expect(message.contains("'\(key.prefix(12))…") && message.utf8.count < 400)
  }

  @Test func `a capsule for a post-quantum key keeps it from quantum computers, and says so`()
    throws
  {
    let key = try keygen("pq", "--pq")
    let id = try home.createUnlocked("C", "-r", key.key, "--text", "secret")
    let shown = try home.json("show", id)
    expect(
      shown["lockStrengthQuantum"], is: "The contents stay secret from quantum computers.")
    expect(shown["recipient"]?.string?.hasPrefix("age1pq1"), is: true)
    expect(try home.done("show", id).contains("stay secret from quantum computers"))
    try expect(home.done("open", id, "-i", key.path), is: "secret")
    try home.done("verify")
  }

  @Test func `a capsule for an X25519 key is said to be readable for them one day`() throws {
    let key = try keygen("classic")
    let made = try home.run("create", "C", "-u", "2090", "-r", key.key, "--text", "t")
    let words =
      "Whoever copies this store today could read it once there are large quantum computers."
    expect(made.err.contains(words) && made.err.contains("keygen --pq"))
    try expect(home.json("show", "C")["lockStrengthQuantum"]?.string, is: words)
  }

  @Test func `of an honor lock nothing is claimed`() throws {
    let id = try home.create("C", "-u", "2090", "--text", "t")
    try expect(home.json("show", id)["lockStrengthQuantum"], is: .null)
    expect(try !home.done("show", id).contains("quantum"))
  }

  @Test func `with the setting off a capsule has an X25519 key, and nothing is said`() throws {
    try home.done("settings", "set", "postQuantum", "off")
    let key = try keygen("pq", "--pq")
    let made = try home.run("create", "C", "-u", "2090", "-r", key.key, "--text", "t")
    expect(!made.err.contains("quantum"))
    let shown = try home.json("show", "C")
    expect(shown["recipient"]?.string?.count, is: 62)
    expect(shown["lockStrengthQuantum"]?.string?.hasPrefix("Whoever copies"), is: true)
    try home.refusal(.usage, "settings", "set", "postQuantum", "maybe")
  }

  @Test func `a person keeps a post-quantum key, whole in JSON and cut in text`() throws {
    let key = try keygen("pq", "--pq").key
    try home.done("beneficiary", "add", "Mia", "--recipient", key)
    try expect(home.json("beneficiary", "show", "Mia")["recipient"]?.string, is: key)
    let text = try home.done("beneficiary", "show", "Mia")
    expect(text.contains("\(key.prefix(12))…\(key.suffix(4))") && !text.contains(key))
    try expect(home.strings("recipient", "beneficiary", "list"), is: [key])
    let other = try keygen("pq2", "--pq").key
    let change = try home.done("beneficiary", "edit", "Mia", "--recipient", other)
    expect(change.contains("\(key.prefix(12))…\(key.suffix(4)) → \(other.prefix(12))…"))
    try home.done("verify")
  }

  @Test func `a delivery is sealed to a post-quantum key`() throws {
    let key = try keygen("pq", "--pq")
    try home.done("beneficiary", "add", "Mia", "--recipient", key.key)
    try home.done("item", "add", "Ring")
    try home.done("bequeath", "Ring", "--to", "Mia")
    try home.done("deliver", "--output", home.path + "/out", "--seal")
    let archive = try require(home.files(below: "out").first)
    try home.done(
      "unseal", "-i", key.path, "-o", home.path + "/tar", home.path + "/out/" + archive)
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
      "Whoever copies this store today could read it once there are large quantum computers."
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
