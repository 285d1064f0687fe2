import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

/// Whole files go both ways between this library and `Scripts/tlock_oracle.py`.
///
/// Where Python or its packages are missing these tests are skipped and say so; where `CI` is set
/// they fail.
@Suite(
  .enabled(
    if: Python.isExpected("py_ecc", "cryptography"),
    "python3 with py_ecc and cryptography is not installed: nothing is held against it"))
struct TlockInteropTests {
  static let plaintext = Array("sealed to a round".utf8)

  @Test func `the oracle opens what is sealed here`() throws {
    let signature = try require(try TlockVectors.signatures("quicknet")[123])
    let sealed = try AgeWriter(
      to: [TlockRecipient(chain: .quicknet, round: 123)], random: .system
    ).seal(Self.plaintext, armor: true)
    let opened = try TlockOracle.run(["open", "--signature", Hex.encode(signature)], on: sealed)
    expect(opened, is: Self.plaintext)
  }

  @Test(arguments: [[], ["--armor"]])
  func `what the oracle seals opens here`(options: [String]) throws {
    let sealed = try TlockOracle.run(["seal", "--round", "2"] + options, on: Self.plaintext)
    let identity = TlockIdentity(
      chains: [], beacons: [try TlockVectors.beacon("quicknet", round: 2)])
    try expect(openAge(sealed, with: [identity]), is: Self.plaintext)
  }

  @Test func `a chain of the oracle's own is read, and its beacons are valid`() throws {
    let info = try TlockOracle.run(["chain", "--secret", "12345", "--v2", "--id", "mine"], on: [])
    let chain = try TlockChain(chainInfo: info)
    let text = try TlockOracle.run(["beacon", "--secret", "12345", "--round", "77"], on: [])
    let beacon = try require(TlockBeacon(parsing: text))
    try expect(chain.verify(beacon, round: 77).round, is: 77)
  }
}

/// The script, run once for each question.
private enum TlockOracle {
  static func run(_ arguments: [String], on input: [UInt8]) throws -> [UInt8] {
    let script = BuiltProgram.packageRoot + "Scripts/tlock_oracle.py"
    let result = try Python.run([script] + arguments, input: input)
    try require(result.end == .exited(0), "tlock_oracle.py: \(result.err)")
    return result.output
  }
}
