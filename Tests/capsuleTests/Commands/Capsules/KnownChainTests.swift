import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Chains that somebody else made, written into records and named in files: their beacons move no gate.
@Suite struct KnownChainTests {
  private let home: HostedStore
  private let own: OwnChain
  private static let farRound: UInt64 = 200_000_000
  private static let secret = "nobody reads this early"

  init() throws {
    home = try HostedStore()
    home.environment["PATH"] = OtherPrograms.path
    own = try OwnChain()
    // No test asks the network.
    try home.write("http://127.0.0.1:1/nobody\n", as: ".config/capsule/relays")
  }

  /// Wraps a capsule's key in a timelock, as somebody does who writes the store's directory and has no key.
  private func wrap(_ id: String, in timelock: JSONObject, to recipient: any Recipient) throws {
    try home.tamper(id) { fields in
      var lock = try require(fields["lock"]?.object)
      let key = Array(try require(lock["key"]?.string).utf8)
      let wrapped = try AgeWriter(to: [recipient], random: .system).seal(key, armor: true)
      lock["key"] = .string(String(decoding: wrapped, as: UTF8.self))
      lock["kind"] = "timelock"
      lock["timelock"] = .object(timelock)
      fields["lock"] = .object(lock)
    }
  }

  private func wrap(_ id: String, inner: String?, beacon: String?) throws {
    let round = Self.farRound
    var info = ChainInfo(publicKey: own.chain.publicKey.encoded, genesis: 0, beaconID: "own")
    info.genesis = own.chain.genesis.seconds
    try wrap(
      id, in: info.timelock(round: Int64(round), inner: inner, beacon: beacon),
      to: TlockRecipient(chain: own.chain, round: round))
  }

  /// The file of the store's own identity, which a store has from its first capsule on.
  private func identity() throws -> String {
    let folder = ".local/share/capsule/identities"
    if home.names(in: folder) == nil { try home.create("First", "-u", "2029-01-01") }
    return home.path + "/" + folder + "/" + (try require(home.names(in: folder)?.first))
  }

  @Test(arguments: [true, false])
  func `a lock that was wrapped for another's chain opens neither early nor at its date`(
    isKept: Bool
  ) throws {
    let passphrase = try home.write("correct horse\n", as: "passphrase")
    let beacon = try home.write(try own.signature(Self.farRound), as: "beacon")
    let chain = try home.write(own.info, as: "chain.json")
    let given = isKept ? [] : ["--beacon", beacon]
    let locks: [(inner: String?, words: [String], key: [String])] = [
      (nil, [], ["-i", try identity()]),
      ("passphrase", ["--passphrase-file", passphrase], ["--passphrase-file", passphrase]),
    ]
    for (inner, words, key) in locks {
      let made = ["create", inner ?? "honor", "-u", "2029-01-01", "--text", Self.secret, "-q"]
      let id = String(try home.done(made + words).dropLast())
      let kept = isKept ? try own.signature(Self.farRound) : nil
      try wrap(id, inner: inner, beacon: kept)
      let refusal = try home.refusal(.unproven, ["open", id] + key + given)
      expect(refusal.contains("does not know the chain '\(own.hash)'"), "\(refusal)")
      expect(refusal.contains("--chain FILE"), "\(refusal)")
      // A user who is talked into naming the chain meets what is sealed in the lock.
      let named = try home.refusal(.damaged, ["open", id, "--chain", chain] + key + given)
      expect(named.contains("was sealed as '\(inner ?? "honor")'"), "\(named)")
      if isKept { try home.done("check", "--fetch") }
    }
    home.now = "2029-01-02T00:00:00Z"
    let late = try home.refusal(
      .damaged, ["open", "passphrase", "--passphrase-file", passphrase] + given)
    expect(late.contains("sealed as 'passphrase'"), "\(late)")
  }

  @Test func `a kept beacon of an unknown chain hands nothing over early`() throws {
    let id = try home.create("Letter", "-u", "2029-01-01", "--text", Self.secret)
    try wrap(id, inner: nil, beacon: own.signature(Self.farRound))
    try home.done("beneficiary", "add", "Mia")
    try home.done("bequeath", "Letter", "--to", "Mia")
    _ = try home.run("deliver", "-o", home.path + "/out", "--yes")
    for name in home.files(below: "out") {
      let text = String(decoding: try home.bytes(of: "out/" + name), as: UTF8.self)
      expect(!text.contains(Self.secret), "\(name)")
    }
  }

  @Test func `a clock that is behind opens by the beacon of a chain that this device sealed to`()
    throws
  {
    let chain = try home.write(own.info, as: "chain.json")
    let id = try home.create(
      "Own", "-u", "2026-03-10T12:00:00Z", "--allow-past", "--timelock", "--chain", chain,
      "--text", Self.secret)
    let round = own.chain.round(at: try require(Instant(rfc3339: "2026-03-10T12:00:00Z")))
    let beacon = try home.write(try own.signature(round), as: "beacon")
    let now = home.now
    home.now = "2024-01-01T00:00:00Z"
    try home.refusal(.locked, "open", id)
    try expect(home.done("open", id, "--beacon", beacon), is: Self.secret)
    try expect(home.done("open", id), is: Self.secret)
    // Another device knows nothing of the chain.
    try home.remove(".local/state")
    let refusal = try home.refusal(.unproven, "open", id)
    expect(refusal.contains("--chain FILE"), "\(refusal)")
    try home.refusal(.unproven, "view", id)
    try expect(home.done("open", id, "--chain", chain), is: Self.secret)
    // What is named is not kept, and is not needed when the clock says that it is time.
    try home.refusal(.unproven, "open", id)
    home.now = now
    try expect(home.done("open", id), is: Self.secret)
  }

  @Test func `quicknet's key with another genesis is refused wherever it is named`() throws {
    let forged = ChainInfo.forged
    let chain = try home.write(forged.text, as: "chain.json")
    let id = try home.create("Letter", "-u", "2029-01-01", "--text", Self.secret)
    let sealed = try home.write("x", as: "sealed")
    for words in [
      ["create", "B", "-u", "2029-01-01", "--timelock", "--empty"], ["open", id], ["view", id],
      ["seal", "--round", "5", sealed],
    ] {
      let refusal = try home.refusal(.usage, words + ["--chain", chain])
      expect(
        refusal.contains("it has the public key of the chain '\(TimelockFixture.quicknet)'"),
        "\(refusal)")
    }
    // A record that names it is damaged, although quicknet's published signature verifies.
    try wrap(
      id, in: forged.timelock(round: 1000, beacon: TimelockFixture.signature),
      to: TlockRecipient(chain: .quicknet, round: 1000))
    try home.tamper(id) { fields in
      var lock = try require(fields["lock"]?.object)
      let key = try require(lock["key"]?.string)
      var header = try TlockHeader(armored: key)
      header.chain = forged.hash
      lock["key"] = .string(header.armored)
      fields["lock"] = .object(lock)
    }
    try home.refusal(.damaged, "open", id)
    home.now = "2029-01-02T00:00:00Z"
    try home.refusal(.damaged, "open", id)
    let verified = try home.run("verify", "--quick")
    expect(verified.code, is: .damaged)
    expect(verified.out.contains("public key of another chain"), "\(verified.out)")
  }

  @Test func `the key of a chain that this device knows does not make another chain`() throws {
    let chain = try home.write(own.info, as: "chain.json")
    let id = try home.create(
      "Own", "-u", "2029-01-01", "--timelock", "--chain", chain, "--text", Self.secret)
    let other = try OwnChain(genesis: 221_845_392_000)
    let forged = try home.write(other.info, as: "forged.json")
    for words in [["create", "B", "-u", "2029-01-01", "--timelock", "--empty"], ["open", id]] {
      let refusal = try home.refusal(.usage, words + ["--chain", forged])
      expect(refusal.contains("it has the public key of the chain '\(own.hash)'"), "\(refusal)")
    }
    var info = ChainInfo(
      publicKey: other.chain.publicKey.encoded, genesis: other.chain.genesis.seconds,
      beaconID: "own")
    info.period = other.chain.period
    let honest = try home.create("Honest", "-u", "2029-01-01", "--text", Self.secret)
    try wrap(
      honest, in: info.timelock(round: 5, beacon: try other.signature(5)),
      to: TlockRecipient(chain: other.chain, round: 5))
    try home.refusal(.damaged, "open", honest)
    try expect(home.run("verify", "--quick").code, is: .damaged)
    try home.refusal(.locked, "open", id)
  }

  @Test func `a record of another kind of lock than is sealed is damaged`() throws {
    let id = try home.create("Letter", "-u", "2029-01-01", "--text", Self.secret)
    try home.tamper(id) { fields in
      var lock = try require(fields["lock"]?.object)
      lock["kind"] = "recipients"
      fields["lock"] = .object(lock)
    }
    home.now = "2029-01-02T00:00:00Z"
    let refusal = try home.refusal(.damaged, "open", id, "-i", try identity())
    expect(refusal.contains("was sealed as 'honor', and its record says otherwise"), "\(refusal)")
  }
}
