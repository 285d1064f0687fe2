import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers

/// Records changed by somebody who makes the checksum again: damaged or refused, never wrong
/// plaintext, and no gate moves.
@Suite struct TimelockTamperTests {
  private let fixture: TimelockFixture

  init() throws { fixture = try TimelockFixture() }

  private func open(
    _ id: String, _ beacon: String = TimelockFixture.signature
  ) throws -> ProgramRun.Result {
    let result = try fixture.run(
      "open", id, "--beacon", "-", input: beacon)
    expect(result.output.isEmpty)
    return result
  }

  @Test(arguments: [0, 50, 95, 96, 111, 112, 127])
  func `a changed bit of U, V or W is damage`(place: Int) throws {
    let id = try fixture.createTimelocked()
    try fixture.tamperKey(id) { $0.body[place] ^= 1 }
    let run = try open(id)
    expect(run.end, is: .exited(7), "\(run.err)")
  }

  @Test func `taking the header apart and together again changes nothing`() throws {
    let id = try fixture.createTimelocked()
    try fixture.tamperKey(id) { _ in }
    let run = try fixture.run(
      "open", id, "--beacon", "-", input: TimelockFixture.signature)
    expect(run.out, is: TimelockFixture.secret, "\(run.err)")
  }

  @Test func `a lock of another round or chain than its record says is damaged`() throws {
    let id = try fixture.createTimelocked()
    let file = try fixture.record(id)
    let sound = try fixture.bytes(of: file)
    for change: (inout TlockHeader) -> Void in [
      { $0.round = "1001" }, { $0.round = "01000" }, { $0.round = "0" },
      { $0.chain = String(repeating: "0", count: 64) },
    ] {
      try fixture.write(sound, as: file)
      try fixture.tamperKey(id, change)
      let run = try open(id)
      expect(run.end, is: .exited(7), "\(run.err)")
    }
  }

  @Test(arguments: ["1001", "1"])
  func `a record of another round than its lock is damaged`(round: String) throws {
    let id = try fixture.createTimelocked()
    try fixture.tamperTimelock(id) { $0["round"] = .integer(try require(Int64(round))) }
    let run = try open(id, TimelockFixture.other)
    expect(run.end, is: .exited(round == "1001" ? 7 : 9), "\(run.err)")
  }

  @Test func `record and lock of another round open with no beacon`() throws {
    let id = try fixture.createTimelocked()
    try fixture.tamperTimelock(id) { $0["round"] = 1001 }
    try fixture.tamperKey(id) { $0.round = "1001" }
    try expect(open(id, TimelockFixture.other).end, is: .exited(7))
    try expect(open(id, TimelockFixture.signature).end, is: .exited(9))
  }

  @Test func `fields that do not make the chain they name are damage`() throws {
    let changes: [(String, JSON)] = [
      ("genesis", 1_692_803_368), ("period", 4), ("groupHash", "00"), ("beaconID", "fastnet"),
      ("publicKey", "83"), ("chain", .string(String(repeating: "0", count: 64))),
      ("period", .integer(.max)), ("genesis", .integer(.min)), ("round", .integer(0)),
      ("round", .integer(.max)), ("period", 0),
    ]
    let id = try fixture.createTimelocked()
    let file = try fixture.record(id)
    let sound = try fixture.bytes(of: file)
    for (key, value) in changes {
      try fixture.write(sound, as: file)
      try fixture.tamperTimelock(id) { $0[key] = value }
      let run = try open(id)
      // The signature is not that of another round; all else is damage.
      let isRound = key == "round" && value != 0
      expect(run.end, is: .exited(isRound ? 9 : 7), "\(key) \(value): \(run.err)")
      // However wrong it is, what can be seen of it is seen without a crash.
      for words in [["show", id], ["show", id, "--json"], ["list"], ["check", "--dry-run"]] {
        guard case .exited(let code) = try fixture.run(words).end else {
          Issue.record("\(words) with \(key) \(value) did not end by itself")
          continue
        }
        expect(code != 13)
      }
    }
  }

  @Test func `a forged beacon in the record is damage, and is not kept as time`() throws {
    let id = try fixture.createTimelocked()
    let file = try fixture.record(id)
    let sound = try fixture.bytes(of: file)
    for beacon in [TimelockFixture.other, "c0" + String(repeating: "0", count: 94), "xyz", ""] {
      try fixture.write(sound, as: file)
      try fixture.tamperTimelock(id) { $0["beacon"] = .string(beacon) }
      let run = try open(id)
      expect(run.end, is: .exited(7), "\(run.err)")
    }
  }

  @Test func `a chain of one's own making moves no gate`() throws {
    let own = try OwnChain()
    let chain = try fixture.write(own.info, as: "chain.json")
    let beacon = try own.signature(1000)
    let locked = try fixture.run(
      "create", "Locked", "--unlock", "in 3 years", "--timelock", "--text", TimelockFixture.secret,
      "--quiet")
    let id = String(locked.out.dropLast())
    // A chain that is named here does not take the place of the one in the record.
    try expect(
      fixture.run("open", id, "--chain", chain, "--beacon", "-", input: beacon).end, is: .exited(9))
    try expect(open(id, beacon).end, is: .exited(9))
    // Nor does a record that was made to name it, with the chain's own beacon far in the future.
    try fixture.tamperTimelock(id) { timelock in
      timelock["chain"] = .string(own.hash)
      timelock["publicKey"] = .string(Hex.encode(own.chain.publicKey.encoded))
      timelock["groupHash"] = .string(Hex.encode(own.chain.seed))
      timelock["beaconID"] = "own"
      timelock["round"] = 200_000_000
    }
    let late = try own.signature(200_000_000)
    try expect(open(id, late).end, is: .exited(7))
    try fixture.tamperTimelock(id) { $0["beacon"] = .string(late) }
    let kept = try fixture.run("open", id)
    expect(kept.end, is: .exited(7), "\(kept.err)")
    expect(kept.output.isEmpty)
    expect(try fixture.run("open", id, "--json").output.isEmpty)
  }

  @Test func `an honor lock does not open early by a timelock written into its record`() throws {
    let own = try OwnChain()
    let made = try fixture.run(
      "create", "Honest", "--unlock", "in 3 years", "--text", TimelockFixture.secret, "--quiet")
    let id = String(made.out.dropLast())
    let late = try own.signature(200_000_000)
    try fixture.tamper(id) { fields in
      var lock = try require(fields["lock"]?.object)
      lock["kind"] = "timelock"
      var timelock = Timelock(chain: own.chain, round: 200_000_000, inner: nil, escrow: [])
      timelock.beacon = late
      lock["timelock"] = .object(timelock.fields)
      fields["lock"] = .object(lock)
    }
    let run = try fixture.run("open", id)
    expect(run.end, is: .exited(7), "\(run.err)")
    expect(run.output.isEmpty)
  }

  @Test func `a timelock that its record calls honor is damaged`() throws {
    let id = try fixture.createTimelocked()
    try fixture.tamper(id) { fields in
      var lock = try require(fields["lock"]?.object)
      lock["kind"] = "honor"
      lock["timelock"] = .null
      fields["lock"] = .object(lock)
    }
    let run = try fixture.run("open", id)
    expect(run.end, is: .exited(7), "\(run.err)")
    expect(run.output.isEmpty)
  }

  @Test func `an unlock time moved earlier in the record is found out when the lock opens`() throws
  {
    let own = try OwnChain()
    let chain = try fixture.write(own.info, as: "chain.json")
    let made = try fixture.run(
      "create", "Early", "--unlock", "2090-01-01T00:00:00Z", "--timelock", "--chain", chain,
      "--text", TimelockFixture.secret, "--quiet")
    let id = String(made.out.dropLast())
    try fixture.tamper(id) { $0["unlockAt"] = "2023-01-01T00:00:00Z" }
    // The chain's owner can sign that round today; the time inside of the seal still stands.
    let round = own.chain.round(at: try require(Instant(rfc3339: "2090-01-01T00:00:00Z")))
    let run = try open(id, try own.signature(round))
    expect(run.end, is: .exited(7), "\(run.err)")
  }
}
