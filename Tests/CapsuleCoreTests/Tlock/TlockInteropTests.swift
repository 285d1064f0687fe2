import CapsuleCore
import Foundation
import Testing

/// Whole files go both ways between this library and `Scripts/tlock_oracle.py`.
///
/// Where Python or its packages are missing these tests are skipped and say so; where `CI` is set
/// they fail.
@Suite(
  .enabled(
    if: TlockOracle.isInstalled || ProcessInfo.processInfo.environment["CI"] != nil,
    "python3 with py_ecc and cryptography is not installed: nothing is held against it"))
struct TlockInteropTests {
  static let plaintext = Array("sealed to a round".utf8)

  @Test func `the oracle opens what is sealed here`() throws {
    let signature = try #require(try TlockVectors.signatures("quicknet")[123])
    let sealed = try AgeWriter(
      to: [TlockRecipient(chain: .quicknet, round: 123)], random: .system
    ).seal(Self.plaintext, armor: true)
    let opened = try TlockOracle.run(["open", "--signature", Hex.encode(signature)], on: sealed)
    #expect(opened == Self.plaintext)
  }

  @Test(arguments: [[], ["--armor"]])
  func `what the oracle seals opens here`(options: [String]) throws {
    let sealed = try TlockOracle.run(["seal", "--round", "2"] + options, on: Self.plaintext)
    let identity = TlockIdentity(
      chains: [], beacons: [try TlockVectors.beacon("quicknet", round: 2)])
    var reader = try AgeReader(MemorySource(sealed))
    var sink = MemorySink()
    let key = try reader.unlock(with: [identity])
    _ = try reader.open(with: key, to: &sink)
    #expect(sink.bytes == Self.plaintext)
  }

  @Test func `a chain of the oracle's own is read, and its beacons are valid`() throws {
    let info = try TlockOracle.run(["chain", "--secret", "12345", "--v2", "--id", "mine"], on: [])
    let chain = try TlockChain(chainInfo: info)
    let text = try TlockOracle.run(["beacon", "--secret", "12345", "--round", "77"], on: [])
    let beacon = try TlockBeacon(parsing: text)
    #expect(try chain.verify(beacon, round: 77).round == 77)
  }
}

/// The script, run once for each question.
private enum TlockOracle {
  static let isInstalled =
    (try? python(["-c", "import py_ecc, cryptography"], on: []))?.status == 0

  static func run(_ arguments: [String], on input: [UInt8]) throws -> [UInt8] {
    var place = URL(filePath: #filePath)
    for _ in 0..<4 { place.deleteLastPathComponent() }
    let script = place.appending(path: "Scripts/tlock_oracle.py").path()
    let (output, status) = try python([script] + arguments, on: input)
    try #require(status == 0, "tlock_oracle.py \(arguments.first ?? "") failed")
    return output
  }

  private static func python(
    _ arguments: [String], on input: [UInt8]
  ) throws -> (output: [UInt8], status: Int32) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-B"] + arguments
    let (stdin, stdout) = (Pipe(), Pipe())
    process.standardInput = stdin
    process.standardOutput = stdout
    process.standardError = FileHandle.nullDevice
    try process.run()
    // What is asked is shorter than a pipe holds, so nothing blocks.
    try stdin.fileHandleForWriting.write(contentsOf: Data(input))
    try stdin.fileHandleForWriting.close()
    let output = try stdout.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return ([UInt8](output), process.terminationStatus)
  }
}
