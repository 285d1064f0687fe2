import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Beacons that nobody has, and rounds that no command seals to.
@Suite struct TimelockTests {
  private let fixture: TimelockFixture

  init() throws { fixture = try TimelockFixture() }

  @Test func `neither an identity nor a passphrase opens before there is a beacon`() throws {
    let home = try HostedStore()
    home.process = { _ throws(Fault) in throw Fault(system: 2, action: "run curl") }
    let key = home.path + "/key"
    try home.done("keygen", "-o", key)
    let recipient = try home.done("keygen", "--recipients", key).trimmed
    let word = try home.write("correct horse", as: "word")
    try home.createUnlocked("A", "--timelock", "-r", recipient, "--text", "x")
    try home.createUnlocked("B", "--timelock", "--passphrase-file", word, "--text", "x")
    try home.refusal(.unproven, "open", "A", "-i", key)
    try home.refusal(.unproven, "open", "B", "--passphrase-file", word)
    let sealed = home.path + "/sealed"
    try home.done("seal", "--round", "1000", "-o", sealed, word)
    try home.refusal(.unproven, "unseal", sealed)
  }

  @Test(arguments: [1 << 40, 3_000_000_000_000_000_000, UInt64(Int64.max), UInt64.max])
  func `a round beyond all time is no crash`(round: UInt64) throws {
    let sealed = try AgeWriter(
      to: [TlockRecipient(chain: .quicknet, round: round)], random: .system
    ).seal(Array(TimelockFixture.secret.utf8), armor: true)
    let run = try fixture.run(["unseal"], bytes: sealed)
    expect(run.end, is: .exited(9), "\(run.err)")
    let wrong = try fixture.run(
      [
        "unseal", "--beacon", try fixture.write(TimelockFixture.signature, as: "beacon"),
        try fixture.write(sealed, as: "sealed"),
      ])
    expect(wrong.end, is: .exited(9))
  }
}

/// The program against `Scripts/tlock_oracle.py`, which shares no code with it.
@Suite(
  .enabled(
    if: Python.isExpected("py_ecc", "cryptography"),
    "python3 with py_ecc and cryptography is not installed: nothing is held against it"))
struct TimelockOracleTests {
  private let fixture: TimelockFixture
  private let oracle = BuiltProgram.packageRoot + "Scripts/tlock_oracle.py"

  init() throws { fixture = try TimelockFixture() }

  @Test
  func `the oracle opens a capsule's key, and with it its contents, without the program's tlock`()
    throws
  {
    let id = try fixture.createTimelocked()
    let record = try JSON.parse(fixture.bytes(of: fixture.record(id)))
    let lock = try require(record["lock"]?["key"]?.string)
    let key = try Python.run(
      [oracle, "open", "--signature", TimelockFixture.signature], input: Array(lock.utf8))
    expect(key.out.hasPrefix("# capsule \(id)\n"), "\(key.err)")
    let path = try fixture.write(key.output, as: "key.txt")
    let sealed = try require(record["contents"]?.array?.first?["sealed"]?.string)
    let content = try fixture.run(["unseal", "-i", path], bytes: Array(sealed.utf8))
    try expect(JSON.parse(content.output)["text"]?.string, is: TimelockFixture.secret)
  }

  @Test func `what the oracle seals the program opens, and the other way round`() throws {
    let plaintext = Array(TimelockFixture.secret.utf8)
    let beacon = try fixture.write(TimelockFixture.signature, as: "beacon")
    let theirs = try Python.run([oracle, "seal", "--round", "1000", "--armor"], input: plaintext)
    let opened = try fixture.run(["unseal", "--beacon", beacon], bytes: theirs.output)
    expect(opened.output, is: plaintext, "\(theirs.err)\(opened.err)")
    let ours = try fixture.run(["seal", "--round", "1000"], bytes: plaintext)
    let back = try Python.run(
      [oracle, "open", "--signature", TimelockFixture.signature], input: ours.output)
    expect(back.output, is: plaintext, "\(back.err)")
  }
}
