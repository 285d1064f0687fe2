import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers

/// What relays answer, and what becomes of it: five outcomes that are never confused.
@Suite(
  .ownThread,
  .enabled(
    if: Python.isExpected("http.server"),
    "python3 is not installed: no relay is played"))
struct TimelockRelayTests {
  private let fixture: TimelockFixture
  private let relay: Relay
  private let own: OwnChain
  /// A round of the own chain that is long past, one that was just signed, and one of tomorrow.
  private static let past: UInt64 = 100
  private static let recent: UInt64 = 28_790
  private static let future: UInt64 = 57_600

  init() throws {
    fixture = try TimelockFixture()
    own = try OwnChain(genesis: Int64(Date().timeIntervalSince1970) - 86_400)
    var beacons = TimelockFixture.beacons
    beacons[own.hash] = [
      Self.past: try own.signature(Self.past), Self.recent: try own.signature(Self.recent),
      7: try own.signature(7),
    ]
    relay = try Relay(beacons, in: fixture.path)
    try fixture.write(own.info, as: "chain.json")
  }

  private var chain: String { fixture.path + "/chain.json" }

  /// Makes the relay play several, one after the other.
  private func ask(_ plays: [String]) throws {
    try fixture.write(
      plays.map { relay.address($0) + "\n" }.joined(), as: ".config/capsule/relays")
  }

  private func sealed(_ round: UInt64) throws -> String {
    let path = fixture.path + "/\(round).age"
    let run = try fixture.run(
      ["seal", "--round", String(round), "--chain", chain]
        + ["--force", "--output", path], input: TimelockFixture.secret)
    try require(run.end == .exited(0), "\(run.err)")
    return path
  }

  private func unseal(_ round: UInt64, _ plays: String...) throws -> ProgramRun.Result {
    try ask(plays)
    let run = try fixture.run("unseal", "--chain", chain, try sealed(round))
    expectHarmless(run)
    return run
  }

  /// Nothing comes out of a failure, and nothing of a relay's acts on the terminal.
  private func expectHarmless(_ run: ProgramRun.Result) {
    if run.end != .exited(0) { expect(run.output.isEmpty) }
    expect(!run.errorOutput.dropLast().contains { $0 < 0x20 && $0 != 0x0a || $0 == 0x7f })
  }

  @Test(arguments: [
    ("404", 9, "it does not have that round"), ("500", 9, "HTTP status 500"),
    ("403", 9, "HTTP status 403"), ("redirect", 9, "HTTP status 302"),
    ("425", 4, "round 100 is not published yet"),
    ("garbage", 9, "its answer is not a beacon"), ("noise", 9, "curl"),
    ("close", 9, "curl"), ("long", 9, "curl"), ("endless", 9, "its answer is too long"),
    ("otherround", 9, "sent a wrong signature for round 100"),
    ("mislabelled", 9, "sent a wrong signature for round 100"),
    ("forged", 9, "sent a wrong signature for round 100"),
    ("short", 9, "sent a wrong signature for round 100"),
    ("infinity", 9, "sent a wrong signature for round 100"),
  ])
  func `what a relay does wrong about a round that is past`(
    play: String, code: Int32, words: String
  ) throws {
    let run = try unseal(Self.past, play)
    expect(run.end, is: .exited(code), "\(run.err)")
    expect(run.err.contains(words), "\(run.err)")
    if words.contains("wrong signature") { expect(run.err.contains(relay.address(play))) }
    // A relay that redirects is not followed.
    expect(relay.requests.count, is: 1)
  }

  @Test(arguments: ["good", "v1"])
  func `a beacon that is right opens`(play: String) throws {
    let run = try unseal(Self.past, play)
    expect(run.end, is: .exited(0), "\(run.err)")
    expect(run.out, is: TimelockFixture.secret)
  }

  @Test(arguments: [("404", 4), ("425", 4), ("500", 9)])
  func `right after a round's time a relay may not have it yet`(play: String, code: Int32) throws {
    try expect(unseal(Self.recent, play).end, is: .exited(code))
    // One relay that is not to be had changes nothing of what another says.
    try expect(unseal(Self.recent, "close", play).end, is: .exited(code))
  }

  @Test(arguments: [("404", 4), ("425", 4), ("500", 9), ("mislabelled", 9), ("forged", 9)])
  func `nothing but its own signature opens what is locked to a round of tomorrow`(
    play: String, code: Int32
  ) throws {
    let run = try unseal(Self.future, play)
    expect(run.end, is: .exited(code), "\(run.err)")
    guard code == 4 else { return }
    expect(run.err.contains("round 57600 is not published yet"))
  }

  @Test func `the next relay is asked when one fails, and what a hanging one costs is bounded`()
    throws
  {
    let plays = ["forged", "500", "garbage", "404", "close", "hang", "good", "unasked"]
    try ask(plays)
    let path = try sealed(Self.past)
    let start = Date()
    let run = try fixture.run("unseal", "--chain", chain, path)
    expectHarmless(run)
    expect(run.end, is: .exited(0), "\(run.err)")
    expect(run.out, is: TimelockFixture.secret)
    expect(Date().timeIntervalSince(start) < 40)
    expect(!relay.requests.contains { $0.hasPrefix("/unasked") })
    expect(relay.requests.count, is: 7)
  }

  @Test func `without a network it is unproven, and a wrong list of relays is told`() throws {
    let path = try sealed(Self.past)
    let offline = try fixture.run("unseal", "--chain", chain, path)
    expect(offline.end, is: .exited(9))
    expect(offline.err.contains("no relay sent the beacon of round 100"))
    try fixture.relays("ftp://relay")
    let wrong = try fixture.run("unseal", "--chain", chain, path)
    expect(wrong.end, is: .exited(2))
    expect(wrong.err.contains("line 2"))
    try fixture.relays()
    expect(
      try fixture.run("unseal", "--chain", chain, path).err.contains("no relay is configured"))
    // The chain is one that only the option knows.
    let unknown = try fixture.run("unseal", path)
    expect(unknown.end, is: .exited(6))
    expect(unknown.err.contains(own.hash))
  }

  @Test func `without curl it says what is missing`() throws {
    let path = try sealed(Self.past)
    var run = ProgramRun(
      "unseal", "--chain", chain, path,
      environment: fixture.environment)
    run.environment["PATH"] = fixture.path
    let result = try run.result()
    expect(result.end, is: .exited(9))
    expect(result.err.contains("'curl' is not installed"))
  }

  @Test func `a capsule opens with a relay's beacon, keeps it, and needs no network again`() throws
  {
    try fixture.relays(relay.address("404"), relay.address("v1"))
    let id = try fixture.createTimelocked()
    try expect(fixture.run("open", id).out, is: TimelockFixture.secret)
    expect(relay.requests.count, is: 2)
    try fixture.relays("http://127.0.0.1:1/gone")
    try expect(fixture.run("open", id).out, is: TimelockFixture.secret)
    let shown = try fixture.run("show", id, "--json").json()
    expect(shown["timelock"]?["beacon"]?.string, is: TimelockFixture.signature)
  }

  @Test func `check keeps the beacons of what is due, and asks for no others`() throws {
    try fixture.relays(relay.address("good"))
    let due = try fixture.createTimelocked()
    let later = try fixture.run(
      "create", "Later", "--unlock", "in 2 years", "--timelock", "--text", "x", "--quiet")
    expect(later.end, is: .exited(0))
    let plan = try fixture.run("check", "--fetch", "--dry-run")
    expect(plan.end, is: .exited(0), "\(plan.err)")
    expect(plan.err, is: "Would download the beacon of round 1000 for 'Bet'.\n")
    expect(relay.requests.isEmpty)
    let check = try fixture.run("check", "--fetch")
    expect(check.end, is: .exited(0), "\(check.err)")
    expect(check.err.contains("Saved the beacon of round 1000 for 'Bet'"))
    expect(relay.requests.count, is: 1)
    // Once kept it is not asked for again.
    try expect(fixture.run("check", "--fetch").end, is: .exited(0))
    expect(relay.requests.count, is: 1)
    try fixture.relays("http://127.0.0.1:1/gone")
    try expect(fixture.run("open", due).out, is: TimelockFixture.secret)
  }

  @Test func `check tells a relay that lies, and keeps nothing of it`() throws {
    try fixture.relays(relay.address("forged"))
    let id = try fixture.createTimelocked()
    let check = try fixture.run("check", "--fetch")
    expect(check.end, is: .exited(9), "\(check.err)")
    expect(check.err.contains(relay.address("forged")))
    try expect(fixture.run("show", id, "--json").json()["timelock"]?["beacon"], is: .null)
  }

  @Test func `waiting for the unlock time waits for the relays too`() throws {
    let now = Int64(Date().timeIntervalSince1970)
    let soon = try OwnChain(secret: 815, period: 3, genesis: now - 300)
    let unlock = Instant(seconds: now + 2)
    let round = soon.chain.round(at: unlock)
    let late = try Relay([soon.hash: [round: try soon.signature(round)]], in: fixture.path)
    try fixture.relays(late.address("late"))
    let chain = try fixture.write(soon.info, as: "soon.json")
    let made = try fixture.run(
      "create", "Soon", "--unlock", unlock.rfc3339, "--allow-past", "--timelock", "--chain", chain,
      "--text", TimelockFixture.secret)
    expect(made.end, is: .exited(0), "\(made.err)")
    let run = try fixture.run("open", "Soon", "--wait")
    expect(run.end, is: .exited(0), "\(run.err)")
    expect(run.out, is: TimelockFixture.secret)
    expect(late.requests.count, is: 3)
  }
}
