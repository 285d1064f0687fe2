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
}
