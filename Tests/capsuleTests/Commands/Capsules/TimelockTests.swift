import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Timelocked capsules from `create` to `open`, and timelocked files through the filters.
@Suite struct TimelockTests {
  private let fixture: TimelockFixture

  init() throws { fixture = try TimelockFixture() }

  private func keygen(_ name: String) throws -> (path: String, recipient: String) {
    let path = fixture.path + "/" + name
    try require(try fixture.run("keygen", "-o", path).end == .exited(0))
    let recipient = try fixture.run("keygen", "-y", path).out
    return (path, String(recipient.dropLast()))
  }

  // Opening

  @Test(arguments: [
    TimelockFixture.signature, "\n  " + TimelockFixture.signature.uppercased() + "\r\n",
    "{\"round\":1000,\"signature\":\"\(TimelockFixture.signature)\"}",
    "{\"round\":1000,\"randomness\":\"00\",\"signature\":\"\(TimelockFixture.signature)\"}",
  ])
  func `a beacon opens in every form of it`(beacon: String) throws {
    let id = try fixture.createTimelocked()
    try expect(fixture.done("open", id, "--beacon", "-", input: beacon), is: TimelockFixture.secret)
  }

  @Test func `a beacon opens from a file, and is kept`() throws {
    let id = try fixture.createTimelocked()
    let path = try fixture.write(TimelockFixture.signature, as: "beacon")
    try expect(fixture.done("open", id, "--beacon", path), is: TimelockFixture.secret)
    try expect(fixture.done("open", id), is: TimelockFixture.secret)
    let shown = try fixture.json("show", id)
    expect(shown["timelock"]?["beacon"]?.string, is: TimelockFixture.signature)
    try fixture.done("verify")
  }

  @Test(arguments: [
    (TimelockFixture.other, "is not the signature of round 1000"),
    ("{\"round\":1001,\"signature\":\"\(TimelockFixture.other)\"}", "is of round 1001"),
    ("{\"round\":1000,\"signature\":\"\(TimelockFixture.other)\"}", "is not the signature"),
    ("no beacon", "is no beacon"), ("", "is no beacon"), ("{}", "is no beacon"),
    (TimelockFixture.signature + "00", "is no beacon"),
  ])
  func `a beacon that is wrong is said to be, and nothing comes out`(
    beacon: String, words: String
  ) throws {
    let id = try fixture.createTimelocked()
    let run = try fixture.run("open", id, "--beacon", "-", input: beacon)
    expect(run.end, is: .exited(9))
    expect(run.err.contains(words), "\(run.err)")
    expect(run.output.isEmpty)
    try expect(fixture.run("show", id, "--json").json()["timelock"]?["beacon"], is: .null)
  }

  @Test func `one locked to the future is locked, whatever beacon is given`() throws {
    let made = try fixture.run(
      "create", "Future", "--unlock", "in 2 years", "--timelock", "--text", TimelockFixture.secret)
    expect(made.end, is: .exited(0), "\(made.err)")
    let plain = try fixture.run("open", "Future", "--json")
    expect(plain.end, is: .exited(4))
    expect(plain.err.contains("\"secondsRemaining\":"))
    let given = try fixture.run(
      "open", "Future", "--beacon", "-", input: TimelockFixture.signature)
    expect(given.end, is: .exited(9))
    expect(given.output.isEmpty)
  }

  @Test func `an unlock time that was moved later holds though the beacon is known`() throws {
    let id = try fixture.createTimelocked()
    let beacon = TimelockFixture.signature
    try expect(fixture.run("open", id, "--beacon", "-", input: beacon).end, is: .exited(0))
    try expect(
      fixture.run("edit", id, "--unlock", "2090-01-01", "--lock-again").end, is: .exited(0))
    try expect(fixture.run("open", id).end, is: .exited(4))
    try expect(fixture.run("open", id, "--beacon", "-", input: beacon).end, is: .exited(4))
    let shown = try fixture.run("show", id)
    expect(shown.out.contains("only the gate holds"))
    let json = try fixture.run("show", id, "--json").json()
    expect(json["timelock"]?["isOnlyGatedFromRound"], is: true)
    expect(json["lockStrength"]?.string?.contains("before its round"), is: true)
    expect(json["lockStrength"]?.string?.contains("early"), is: false)
  }

  @Test(arguments: ["1970-01-01T00:00:00Z", "2023-08-23T15:59:23Z"])
  func `a clock that stands too early opens what is due, by a given beacon and by a kept one`(
    now: String
  ) throws {
    let id = try fixture.createTimelocked()
    let path = try fixture.write(TimelockFixture.signature, as: "beacon")
    func open(_ words: String...) -> TestHost.Run {
      var host = TestHost()
      host.arguments = (["open", id] + words).map { Array($0.utf8) }
      host.environment = fixture.environment
      host.now = now
      host.random = .system
      host.asksZones = true
      return host.run()
    }
    expect(open().code, is: .locked)
    let given = open("--beacon", path)
    expect(given.code, is: .ok, "\(given.err)")
    expect(given.out, is: TimelockFixture.secret)
    let kept = open()
    expect(kept.code, is: .ok, "\(kept.err)")
    expect(open("--wait").out, is: TimelockFixture.secret)
    // The proof is of the round's time, and of no later one.
    try expect(
      fixture.run("edit", id, "--unlock", "2023-08-23T15:59:25Z", "--lock-again").end,
      is: .exited(0))
    expect(open("--beacon", path).code, is: .locked)
  }

  // Combined locks

  @Test func `an escrow that is a recipient too opens alone, and that is warned of`() throws {
    let (both, other) = (try keygen("both"), try keygen("other"))
    let words = ["create", "C", "-u", "2099-01-01", "--timelock", "--text", "t"]
    let warned = try fixture.run(
      words + ["-r", both.recipient, "--escrow", both.recipient])
    expect(
      warned.err.contains("'\(both.recipient)' is an escrow and a recipient: it opens the capsule"))
    let fine = try fixture.run(words + ["-r", both.recipient, "--escrow", other.recipient])
    expect(!fine.err.contains("is an escrow and a recipient"))
  }

  @Test func `with recipients both the beacon and an identity are needed`() throws {
    let key = try keygen("key.txt")
    let id = try fixture.createTimelocked("--recipient", key.recipient)
    let beacon = try fixture.write(TimelockFixture.signature, as: "beacon")
    try expect(fixture.run("open", id, "--beacon", beacon).end, is: .exited(6))
    try expect(fixture.run("open", id, "-i", key.path).end, is: .exited(9))
    let both = try fixture.run("open", id, "--beacon", beacon, "-i", key.path)
    expect(both.out, is: TimelockFixture.secret, "\(both.err)")
  }

  /// Wraps the key of a capsule, to which an escrow has access, with a passphrase besides, at the least
  /// work: at the work of new capsules each try takes a debug build many seconds.
  private func wrap(_ id: String, with passphrase: String, escrow path: String) throws {
    let text = try require(try keyLines(of: path).first { !$0.hasPrefix("#") })
    let escrow = try AgeIdentity(text)
    let secret = try require(Passphrase(SecretBytes(copying: Array(passphrase.utf8))))
    try fixture.tamper(id) { fields in
      var lock = try require(fields["lock"]?.object)
      let sealed = Array(try require(lock["key"]?.string).utf8)
      var reader = try AgeReader(MemorySource(sealed), encoding: .armor)
      var key = MemorySink()
      _ = try reader.open(with: reader.unlock(with: [escrow]), to: &key)
      let text = String(decoding: key.bytes, as: UTF8.self)
        .replacing("# lock timelock ", with: "# lock timelock passphrase ")
      let inner = try AgeWriter(
        to: [ScryptRecipient(secret, workFactor: 1)], random: .system
      ).seal(Array(text.utf8), armor: true)
      let outer = try AgeWriter(
        to: [TlockRecipient(chain: .quicknet, round: 1000), escrow.recipient], random: .system
      ).seal(inner, armor: true)
      lock["key"] = .string(String(decoding: outer, as: UTF8.self))
      var timelock = try require(lock["timelock"]?.object)
      timelock["inner"] = "passphrase"
      lock["timelock"] = .object(timelock)
      fields["lock"] = .object(lock)
    }
  }

  private func keyLines(of path: String) throws -> [String] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  @Test func `with a passphrase both are needed, and an escrow lifts the timelock alone`() throws {
    let escrow = try keygen("escrow.txt")
    let passphrase = try fixture.write("correct horse\n", as: "passphrase")
    let id = try fixture.createTimelocked("--escrow", escrow.recipient)
    try wrap(id, with: "correct horse", escrow: escrow.path)
    try expectBothAreNeeded(id, passphrase, escrow.path)
    let shown = try fixture.done("show", id)
    expect(shown.contains("passphrase: needed besides the beacon"))
    expect(shown.contains("\(escrow.recipient) can lift the timelock at any time"))
  }

  @Test(.enabled(if: TestScale.isFull, "a passphrase takes a debug build long"))
  func `a capsule that is made with a passphrase needs it besides the beacon`() throws {
    let escrow = try keygen("escrow.txt")
    let passphrase = try fixture.write("correct horse\n", as: "passphrase")
    let id = try fixture.createTimelocked(
      "--passphrase-file", passphrase, "--escrow", escrow.recipient)
    try expect(fixture.json("show", id)["timelock"]?["inner"], is: "passphrase")
    try expectBothAreNeeded(id, passphrase, escrow.path)
  }

  private func expectBothAreNeeded(
    _ id: String, _ passphrase: String, _ escrow: String
  ) throws {
    let beacon = try fixture.write(TimelockFixture.signature, as: "beacon")
    try fixture.refusal(.key, "open", id, "--beacon", beacon)
    let other = try fixture.write("battery\n", as: "other")
    let wrong = try fixture.refusal(
      .key, "open", id, "--beacon", beacon, "--passphrase-file", other)
    expect(wrong.contains("the passphrase is wrong"), "\(wrong)")
    try fixture.refusal(.unproven, "open", id, "--passphrase-file", passphrase)
    try fixture.refusal(.key, "open", id, "-i", escrow)
    let lifted = try fixture.done("open", id, "-i", escrow, "--passphrase-file", passphrase)
    expect(lifted, is: TimelockFixture.secret)
  }

  @Test func `an escrow opens no gate`() throws {
    let escrow = try keygen("escrow.txt")
    let made = try fixture.run(
      "create", "Future", "--unlock", "in 2 years", "--timelock", "--escrow", escrow.recipient,
      "--text", TimelockFixture.secret)
    expect(made.err.contains("can lift the timelock at any time"))
    try expect(fixture.run("open", "Future", "-i", escrow.path).end, is: .exited(4))
  }

  // What is seen

  @Test func `more is put into a timelocked capsule without opening it`() throws {
    let id = try fixture.createTimelocked()
    let added = try fixture.run("add", id, "--text", "and this")
    expect(added.end, is: .exited(0), "\(added.err)")
    let opened = try fixture.run(
      "open", id, "--json", "--beacon", "-", input: TimelockFixture.signature)
    let texts = try require(try opened.json()["items"]?.array).map { $0["text"]?.string }
    expect(texts, is: [TimelockFixture.secret, "and this"])
  }

  @Test func `show and list tell the round, the chain, the time and what is promised`() throws {
    let id = try fixture.createTimelocked()
    let shown = try fixture.run("show", id).out
    for words in [
      "1000 of quicknet, expected", "15:59:24", TimelockFixture.quicknet,
      "nobody opens it before that round is signed", "quantum computers",
    ] {
      expect(shown.contains(words), "\(shown)")
    }
    let timelock = try fixture.run("show", id, "--json").json()["timelock"]
    expect(timelock?["round"], is: 1000)
    expect(timelock?["chain"]?.string, is: TimelockFixture.quicknet)
    expect(timelock?["roundAt"], is: "2023-08-23T15:59:24Z")
    try expect(fixture.run("list", "--json").json().array?.first?["lock"], is: "timelock")
  }

  @Test(arguments: [("in 4 years", false), ("in 6 years", true)])
  func `past five years it warns, of the network, quantum computers and the escrow`(
    time: String, warns: Bool
  ) throws {
    for (words, option) in [
      (["create", "Far", "--timelock", "--empty", "--unlock"], "--escrow"),
      (["seal", "--until"], "--recipient"),
    ] {
      let run = try fixture.run(words + [time])
      expect(run.end, is: .exited(0), "\(run.err)")
      for word in ["drand network", "quantum computers", "'\(option) age1…'"] {
        expect(run.err.contains(word), is: warns, "\(run.err)")
      }
    }
  }

  @Test func `of rounds a day apart the next one counts, wherever it is said when it opens`() throws
  {
    let home = try HostedStore()
    let now = try require(Instant(rfc3339: home.now)).seconds
    let chain = try home.write(OwnChain(period: 86_400, genesis: now - 86_000).info, as: "day.json")
    let words = ["--timelock", "--text", TimelockFixture.secret, "--chain", chain, "--unlock"]
    try home.done(["create", "K"] + words + ["@\(now + 5)"])
    let refused = home.run(["open", "K", "--json"], input: "")
    expect(refused.code, is: .locked)
    let details = try JSON.parse(refused.errorOutput)["error"]
    expect(details?["secondsRemaining"], is: 400, "\(refused.err)")
    home.columns = 80
    try home.pass(seconds: 200)
    expect(try home.done("show", "K").contains(" 50 %"))
  }

  @Test func `a round of decades is warned of, and one beyond all years is refused`() throws {
    let home = try HostedStore()
    let far = try home.write(OwnChain(period: .max, genesis: 1_700_000_000).info, as: "far.json")
    let never = try home.write(
      OwnChain(secret: 4712, genesis: 253_402_300_800).info, as: "never.json")
    for words in [["create", "K", "--timelock", "--empty", "--unlock"], ["seal", "--until"]] {
      let run = home.run(words + ["in 1 month", "--chain", far], input: "x")
      expect(run.code == .ok && run.err.contains("a timelock of 133 years"), "\(run.err)")
      let refusal = try home.refusal(
        .usage, words + ["in 1 month", "--chain", never], input: "x")
      expect(refusal.contains("9999"), "\(refusal)")
    }
    try expect(home.titles(), is: ["K"])
  }

  // The filters

  @Test(arguments: [[], ["--armor"]])
  func `seal and unseal are filters over a round`(options: [String]) throws {
    let plaintext = Array("any bytes \u{0}".utf8) + [0xff]
    let sealed = try fixture.run(["seal", "--round", "1000"] + options, bytes: plaintext)
    expect(sealed.end, is: .exited(0), "\(sealed.err)")
    let path = try fixture.write(sealed.output, as: "sealed")
    let beacon = try fixture.write(TimelockFixture.signature, as: "beacon")
    try expect(
      fixture.run(["unseal", "--beacon", beacon], bytes: sealed.output).output, is: plaintext)
    let opened = try fixture.run("unseal", "--beacon", "-", path, input: TimelockFixture.signature)
    expect(opened.output, is: plaintext)
    try expect(fixture.run("unseal", path).end, is: .exited(9))
    let wrong = try fixture.run("unseal", "--beacon", "-", path, input: TimelockFixture.other)
    expect(wrong.end, is: .exited(9))
    expect(wrong.output.isEmpty)
    // Both from one stream would take the one for the other.
    try expect(fixture.run("unseal", "--beacon", "-", input: "x").end, is: .exited(2))
  }

  @Test func `seal takes dates, never an early round`() throws {
    let sealed = try fixture.run(
      "seal", "--armor", "--until", "2050-01-01T00:00:01Z", input: TimelockFixture.secret)
    expect(sealed.end, is: .exited(0), "\(sealed.err)")
    let header = try TlockHeader(armored: sealed.out)
    let round = try require(UInt64(header.round))
    let time = try require(TlockChain.quicknet.time(ofRound: round))
    let wanted = try require(Instant(rfc3339: "2050-01-01T00:00:01Z"))
    expect(time >= wanted && time.seconds - wanted.seconds < 3)
    expect(header.chain, is: TimelockFixture.quicknet)
    try expect(fixture.run("seal", "--until", "2020-01-01").end, is: .exited(2))
    try expect(fixture.run("seal", "--until", "2050", "--round", "5").end, is: .exited(2))
    try expect(fixture.run("seal", "--round", "0").end, is: .exited(2))
    let far = try fixture.run("seal", "--round", "9223372036854775807")
    expect(far.end, is: .exited(0), "\(far.err)")
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

  @Test func `a chain info that is not one is refused, and says why`() throws {
    let own = try OwnChain()
    for (old, new, words) in [
      ("\"period\":3", "\"period\":0", "period is 0"),
      (TlockChain.scheme, "pedersen-bls-chained", "pedersen-bls-chained"),
      ("\"beacon_id\":\"own\"", "\"beacon_id\":\"other\"", "it says the hash"),
      ("\"genesis_time\":1", "\"genesis_time\":-1", "before 1970"),
    ] {
      let chain = try fixture.write(
        own.info.replacingOccurrences(of: old, with: new), as: "chain.json")
      let run = try fixture.run("seal", "--round", "5", "--chain", chain)
      expect(run.end, is: .exited(2))
      expect(run.err.contains(words), "\(run.err)")
    }
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
