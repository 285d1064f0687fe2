import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// A chain with the key of another, written into a record.
@Suite struct KnownChainTests {
  @Test
  func `a record of quicknet's key with another genesis is damaged, though its beacon verifies`()
    throws
  {
    let home = try HostedStore()
    let forged = ChainInfo.forged
    let id = try home.create("Letter", "-u", "2029-01-01", "--text", "x")
    try home.tamper(id) { fields in
      var lock = try require(fields["lock"]?.object)
      let key = Array(try require(lock["key"]?.string).utf8)
      let wrapped = try AgeWriter(
        to: [TlockRecipient(chain: .quicknet, round: 1000)], random: .system
      ).seal(key, armor: true)
      var header = try TlockHeader(armored: String(decoding: wrapped, as: UTF8.self))
      header.chain = forged.hash
      lock["key"] = .string(header.armored)
      lock["kind"] = "timelock"
      lock["timelock"] = .object(
        forged.timelock(round: 1000, beacon: TimelockFixture.signature))
      fields["lock"] = .object(lock)
    }
    try home.refusal(.damaged, "open", id)
    home.now = "2029-01-02T00:00:00Z"
    try home.refusal(.damaged, "open", id)
    let verified = try home.run("verify", "--quick")
    expect(verified.code, is: .damaged)
    expect(verified.out.contains("public key of another chain"), "\(verified.out)")
  }
}
