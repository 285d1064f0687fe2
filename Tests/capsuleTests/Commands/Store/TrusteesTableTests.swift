import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Every lock, with and without trustees, before and after its date: what opens it, with the program and
/// by hand.
@Suite struct TrusteesTableTests {
  /// What opens a capsule: the exit code of `open` each time. Before the date it is always that of the
  /// closed gate.
  private struct Row {
    let title: String
    let lock: [String]
    /// After the date, with the owner's own key and the beacon.
    let own: ExitCode
    /// After the date, with shares and the beacon.
    let shares: ExitCode
    /// Whether the key of the trustees alone gets at the capsule's key by hand, whatever the date.
    let byHand: Bool
  }

  private static let passphrase = "living damage headset isolate birthday valid"

  private static func rows(_ recipient: String, _ passphrase: String) -> [Row] {
    let trustees = ["--trustees", "family"]
    let secret = ["--passphrase-file", passphrase]
    return [
      Row(title: "honor", lock: [], own: .ok, shares: .key, byHand: false),
      Row(title: "trustees", lock: trustees, own: .key, shares: .ok, byHand: true),
      Row(title: "passphrase", lock: secret, own: .ok, shares: .key, byHand: false),
      Row(
        title: "passphrase, trustees", lock: secret + trustees, own: .ok, shares: .ok, byHand: true),
      Row(title: "recipient", lock: ["-r", recipient], own: .ok, shares: .key, byHand: false),
      Row(
        title: "recipient, trustees", lock: ["-r", recipient] + trustees, own: .ok, shares: .ok,
        byHand: true),
      Row(
        title: "timelock, trustees", lock: ["--timelock"] + trustees, own: .ok, shares: .ok,
        byHand: true),
      Row(
        title: "timelock and trustees", lock: ["--timelock", "--and"] + trustees, own: .key,
        shares: .ok, byHand: false),
      Row(
        title: "timelock, passphrase", lock: ["--timelock"] + secret, own: .ok, shares: .key,
        byHand: false),
      Row(
        title: "timelock, passphrase, trustees", lock: ["--timelock"] + secret + trustees, own: .ok,
        shares: .ok, byHand: false),
      Row(
        title: "timelock, recipient, trustees", lock: ["--timelock", "-r", recipient] + trustees,
        own: .ok, shares: .ok, byHand: false),
    ]
  }

  @Test func `no lock opens before its date, and after it to those alone whom it names`() throws {
    let home = try HostedStore(now: "2023-08-01T12:00:00Z")
    try home.done("settings", "set", "postQuantum", "off")
    try home.done("keygen", "-o", home.path + "/key")
    let recipient = String(try home.done("keygen", "--recipients", home.path + "/key").dropLast())
    let passphrase = try home.write(Self.passphrase, as: "passphrase")
    let beacon = try home.write(TimelockFixture.signature, as: "beacon")
    let pages = home.path + "/pages"
    try home.done(
      "trustees", "make", "family", "-k", "2", "-o", pages, "--holder", "Mia", "--holder", "Ben",
      "--holder", "Zoe")
    let shares = ["--shares", "--share", pages + "/1 Mia.txt", "--share", pages + "/3 Zoe.txt"]
    let group = home.path + "/group"
    try home.done(["trustees", "combine", "-o", group] + shares.dropFirst())
    let identity = try IdentityFile(home.bytes(of: "group")).identities
    let rows = Self.rows(recipient, passphrase)
    for row in rows {
      try home.done(["create", row.title, "-u", TimelockFixture.time, "--text", "x"] + row.lock)
    }
    func open(_ row: Row, _ keys: [String]) throws -> ExitCode {
      let own = row.lock.contains("-r") ? ["-i", home.path + "/key"] : []
      let secret = row.lock.contains(passphrase) ? ["--passphrase-file", passphrase] : []
      let words = keys == shares ? shares : own + secret
      let proof = row.lock.contains("--timelock") ? ["--beacon", beacon] : []
      let isAfter = home.now > TimelockFixture.time
      return try home.run(
        ["open", row.title, "--no-input"] + words + (isAfter ? proof : [])
      ).code
    }
    /// Whether the key of the trustees gets through all layers of a sealed key.
    func opens(_ sealed: String?) throws -> Bool {
      guard let sealed else { return false }
      var text = Array(sealed.utf8)
      while true {
        var sink = MemorySink()
        do throws(AgeFailure) {
          var reader = try AgeReader(MemorySource(text), encoding: .armor)
          let fileKey = try reader.unlock(with: identity)
          _ = try reader.open(with: fileKey, to: &sink, threads: 1)
        } catch {
          return false
        }
        text = sink.bytes
        if String(decoding: text, as: UTF8.self).contains("AGE-SECRET-KEY-") { return true }
      }
    }
    for row in rows {
      for keys in [[], shares] {
        try expect(open(row, keys), is: .locked, "before: \(row.title), \(keys.count)")
      }
      let id = try require(try home.json("show", row.title)["id"]?.string)
      let lock = try JSON.parse(home.bytes(of: home.record(id)))["lock"]
      let isOpen = try opens(lock?["key"]?.string) || opens(lock?["spare"]?.string)
      expect(isOpen, is: row.byHand, "by hand: \(row.title)")
    }
    home.now = "2023-08-24T12:00:00Z"
    for row in rows {
      try expect(open(row, shares), is: row.shares, "after, shares: \(row.title)")
      try expect(open(row, []), is: row.own, "after, own key: \(row.title)")
    }
  }
}
