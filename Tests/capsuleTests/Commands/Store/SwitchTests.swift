import CapsuleCore
import Synchronization
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// `switch …`, and what `check` says of the owner's silence.
@Suite struct SwitchTests {
  private let home: HostedStore

  init() throws {
    home = try HostedStore(now: "2026-01-01T12:00:00Z")
    try home.done("beneficiary", "add", "Zoe Martin", "--email", "zoe@example.org")
    try home.done("settings", "set", "owner", "Anna Berg")
  }

  private func set(_ words: String...) throws {
    try home.done(
      ["switch", "set", "--witness", "Zoe Martin", "--phone", "+44 20 7946 0000"] + words)
  }

  private func state() throws -> String? { try home.json("switch", "show")["state"]?.string }

  /// Who is told which step by a check on a day of 2026, as `topic role`.
  private func told(_ day: String, _ words: String...) throws -> [String] {
    home.now = "2026-\(day)T12:00:00Z"
    return try (home.json(["check"] + words).array ?? []).filter { $0["kind"] == "switch" }
      .map { "\($0["topic"]?.string ?? "") \($0["to"]?["role"]?.string ?? "")" }
  }

  @Test func `without a switch it is off, everywhere`() throws {
    try expect(home.json("switch", "show")["state"], is: "off")
    expect(try home.done("switch").contains("off"))
    for words in [["checkin"], ["pause", "--until", "in 3 days"], ["off", "--yes"]] {
      try home.refusal(.refused, ["switch"] + words)
    }
    try expect(home.run("switch", "show", "--exit-code").code, is: .none)
  }

  @Test func `it is set with the spans that were given, and to set it is to check in`() throws {
    let made = try home.json(
      "switch", "set", "--every", "30 days", "--warn", "1 week", "--grace", "3 weeks", "--witness",
      "zoe martin")
    expect(made["state"], is: "alive")
    expect(made["every"] == "P30D" && made["warn"] == "P1W" && made["grace"] == "P3W")
    expect(made["lastCheckInAt"], is: "2026-01-01T12:00:00Z")
    expect(made["next"]?["at"], is: "2026-01-31T12:00:00Z")
    expect(made["next"]?["secondsRemaining"], is: .integer(30 * 86_400))
    let changed = try home.json("switch", "set", "--every", "2 weeks")
    expect(changed["every"] == "P2W" && changed["grace"] == "P3W")
    expect(changed["witnesses"]?.array?.count, is: 1)
  }

  @Test func `a witness has to be a person with an address, and there has to be one`() throws {
    try home.done("beneficiary", "add", "Ben")
    try home.refusal(.refused, "switch", "set", "--witness", "Ben")
    try home.refusal(.notFound, "switch", "set", "--witness", "Nobody")
    try home.refusal(.usage, "switch", "set", "--every", "30 days")
    for words in [
      ["--every", "0 days"], ["--grace", "soon"], ["--warn", "11 years"], ["--phone", "ring me"],
      ["--by-use", "--no-by-use"],
    ] {
      expect(
        try home.run(["switch", "set", "--witness", "Zoe Martin"] + words).code != .ok, "\(words)")
    }
    try expect(state(), is: "off")
  }

  @Test func `check announces each step once, to whom it concerns`() throws {
    try set()
    try expect(told("01-30"), is: [])
    try expect(told("01-31"), is: ["due owner"])
    try expect(told("01-31"), is: [])
    try expect(told("02-06"), is: [])
    try expect(told("02-07"), is: ["warned owner"])
    try expect(state(), is: "grace")
    try expect(told("02-07"), is: [])
    try expect(told("02-08"), is: ["grace owner", "grace witness"])
    try expect(told("02-27"), is: [])
    try expect(told("02-28"), is: ["silent witness"])
    try expect(state(), is: "silent")
    try expect(told("12-31"), is: [])
    try home.done("switch", "checkin")
    try expect(state(), is: "alive")
    try expect(told("12-31"), is: [])
  }

  @Test func `trustees who have an address are told of the silence, each once`() throws {
    try home.done("beneficiary", "add", "Mia", "--email", "mia@example.org")
    try home.done("settings", "set", "postQuantum", "off")
    try home.done(
      "trustees", "make", "family", "-k", "2", "--holder", "Mia", "--holder", "Zoe Martin",
      "--holder", "Dr Okoye", "-o", home.path + "/pages")
    try set()
    _ = try (told("02-07"), told("02-08"))
    try expect(told("02-28"), is: ["silent witness", "silent trustee"])
    try expect(told("03-01"), is: [])
  }

  @Test func `what others get names a number, a likely false alarm, and no title`() throws {
    try home.create("Secret will", "--unlock", "2026-01-15", "--text", "t")
    try set()
    _ = try told("02-07")
    home.now = "2026-02-08T12:00:00Z"
    let grace = try require(
      home.json("check").array?.first { $0["to"]?["role"] == "witness" })
    expect(grace["to"]?["email"], is: "zoe@example.org")
    let text = "\(grace["message"]?.string ?? "") \(grace["title"]?.string ?? "")"
    expect(text.contains("false alarm") && text.contains("+44 20 7946 0000"))
    expect(text.contains("Anna Berg") && !text.contains("Secret"))
    home.now = "2026-02-28T12:00:00Z"
    let silent = try require(home.json("check").array?.first)
    let words = silent["message"]?.string ?? ""
    expect(words.contains("false alarm") && words.contains("+44 20 7946 0000"))
    expect(words.contains("passing declare"))
  }

  @Test func `a warning that could not be handed over counts as none`() throws {
    try set()
    home.process = { _ throws(SystemError) in ProcessOutcome(end: .exited(1)) }
    home.now = "2026-02-07T12:00:00Z"
    for _ in 0..<2 { try expect(home.run("check", "--exec", "mail").code, is: .partial) }
    try expect(state(), is: "warned")
    home.now = "2026-12-01T12:00:00Z"
    try expect(home.run("check", "--exec", "mail").code, is: .partial)
    try expect(state(), is: "warned")
    home.process = { _ throws(SystemError) in ProcessOutcome(end: .exited(0)) }
    try home.done("check", "--exec", "mail")
    let shown = try home.json("switch", "show")
    expect(shown["state"], is: "grace")
    expect(shown["next"]?["at"]?.string?.hasPrefix("2026-12-22T12:00:00"), is: true)
  }

  private final class Seen: Sendable {
    let requests = Mutex<[ProcessRequest]>([])
  }

  @Test func `a program gets the message, its address and the object`() throws {
    try set()
    _ = try told("02-07")
    home.now = "2026-02-08T12:00:00Z"
    let seen = Seen()
    home.process = { request throws(SystemError) in
      seen.requests.withLock { $0.append(request) }
      // The owner's own cannot be handed over.
      return ProcessOutcome(
        end: .exited(request.environment["CAPSULE_TO"] == Optional([]) ? 1 : 0))
    }
    try expect(home.run("check", "--exec", "mail").code, is: .partial)
    let request = try require(seen.requests.withLock { $0.last })
    func text(_ name: String) -> String {
      String(decoding: (request.environment[name] ?? nil) ?? [], as: UTF8.self)
    }
    expect(text("CAPSULE_TO"), is: "zoe@example.org")
    expect(text("CAPSULE_KIND"), is: "switch")
    expect(text("CAPSULE_MESSAGE").contains("+44 20 7946 0000"))
    expect(text("CAPSULE_TITLE").contains("Anna Berg"))
    // The next time only the one that failed is tried.
    home.process = nil
    try expect(told("02-08"), is: ["grace owner"])
  }

  @Test func `a dry run tells it, and keeps nothing`() throws {
    try set()
    let words = ["check", "--dry-run", "--at", "2026-02-01", "--json"]
    for _ in 0..<2 { expect(try home.done(words).contains("\"topic\":\"due\"")) }
    try expect(told("02-01"), is: ["due owner"])
  }

  @Test func `a pause counts nothing, and its end is announced`() throws {
    try set()
    home.now = "2026-01-10T12:00:00Z"
    try home.done("switch", "pause", "--until", "2026-06-01")
    try expect(state(), is: "paused")
    try expect(told("05-31"), is: [])
    try expect(told("06-01"), is: ["resumed owner"])
    try expect(told("06-01"), is: [])
    try expect(state(), is: "alive")
    try expect(told("07-01"), is: ["due owner"])
    try expect(home.run("switch", "pause", "--until", "2026-01-01").code, is: .usage)
    try home.done("switch", "pause", "--until", "2026-12-01")
    try home.done("switch", "pause", "--until", "now")
    try expect(state(), is: "alive")
  }

  @Test func `a declared passing ends it, and a withdrawal brings it back`() throws {
    try set()
    try home.done("passing", "declare", "--owner", "Anna Berg")
    try expect(state(), is: "ended")
    try expect(told("06-01"), is: [])
    try home.refusal(.refused, "switch", "checkin")
    try home.done("passing", "withdraw", "--yes")
    try expect(told("06-01"), is: ["warned owner"])
  }

  @Test func `a machine that slept announces the present state, and a whole grace follows`() throws
  {
    try set()
    try expect(told("11-01"), is: ["warned owner"])
    try expect(told("11-02"), is: ["grace owner", "grace witness"])
    try expect(told("11-21"), is: [])
    try expect(told("11-22"), is: ["silent witness"])
  }

  @Test func `with by-use a command at a terminal is a check-in, once a day`() throws {
    try set("--by-use")
    func checkIns() throws -> Int {
      try home.text(of: ".local/share/capsule/settings.json").split(separator: "\"").count {
        $0.hasPrefix("2026-") && $0.hasSuffix("Z")
      }
    }
    home.now = "2026-01-20T08:00:00Z"
    try home.done("list")
    try expect(checkIns(), is: 1)
    home.columns = 80
    home.inputIsTerminal = true
    try home.done("list")
    try expect(checkIns(), is: 2)
    let kept = try home.bytes(of: ".local/share/capsule/settings.json")
    home.now = "2026-01-20T20:00:00Z"
    try home.done("list")
    try expect(home.bytes(of: ".local/share/capsule/settings.json"), is: kept)
    // What others look at is no sign of the owner.
    home.now = "2026-01-22T20:00:00Z"
    try home.done("switch", "show")
    try expect(checkIns(), is: 2)
    try home.done("agenda")
    try expect(checkIns(), is: 3)
  }

  @Test func `off forgets it`() throws {
    try set()
    try home.refusal(.refused, "switch", "off")
    try home.done("switch", "off", "--yes")
    try expect(state(), is: "off")
    expect(!(try home.text(of: ".local/share/capsule/settings.json").contains("checkIns")))
    try expect(told("12-01"), is: [])
  }

  @Test func `a switch that cannot be read is reported, and is not off`() throws {
    try set()
    // Without the copies from which it would be put right.
    try home.remove(".local/share/capsule/journal")
    try home.replace("P30D", with: "soon", in: ".local/share/capsule/settings.json")
    try expect(home.run("switch", "show").code, is: .damaged)
    try expect(home.run("check").code, is: .partial)
  }

  @Test func `a witness who is gone is named, and the others are told`() throws {
    try home.done("beneficiary", "add", "Ben", "--email", "ben@example.org")
    try set("--witness", "Ben")
    home.now = "2026-02-07T12:00:00Z"
    try home.done("check")
    try home.done("beneficiary", "edit", "Ben", "--email", "")
    home.now = "2026-02-08T12:00:00Z"
    let run = try home.run("check")
    expect(run.code, is: .partial)
    expect(run.out.contains("Zoe Martin") && !run.out.contains("Ben"))
    expect(run.err.contains("cannot be told"))
  }

  @Test func `no identity, share or title is in the ledger, and few lines`() throws {
    try set()
    for day in ["02-07", "02-08", "02-09", "02-10", "02-20", "02-28"] { _ = try told(day) }
    let folder = ".local/state/capsule"
    let name = try require(home.files(below: folder).first { $0.hasSuffix("announced") })
    let lines = try home.text(of: "\(folder)/\(name)").split(separator: "\n")
      .filter { $0.hasPrefix("switch ") }
    expect(lines.count < 12)
    expect(lines.allSatisfy { !$0.contains("Zoe") && !$0.contains("@") })
  }
}
