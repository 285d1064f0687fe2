import CapsuleCore
import Synchronization
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// What `check` announces, and what it keeps between two runs.
@Suite struct CheckTests {
  private let home: HostedStore

  init() throws { home = try HostedStore() }

  /// Capsules that became unlocked since the machine first used the store.
  private func due(_ titles: String...) throws {
    for title in titles { try home.create(title, "--unlock", "in 1 second", "--text", "t") }
    try home.pass(seconds: 2)
  }

  @Test func `a title is one harmless line for a hook, and no markup for the desktop`() throws {
    try due("Two\nlines <a href=\"x\">&</a>\u{202e}")
    let seen = Seen()
    home.process = { request throws(SystemError) in
      seen.requests.withLock { $0.append(request) }
      return ProcessOutcome(end: .exited(0))
    }
    try home.done("check", "--exec", "true", "--notify")
    let requests = seen.requests.withLock { $0 }
    let title = try require(requests.first?.environment["CAPSULE_TITLE"] ?? nil)
    expect(
      String(decoding: title, as: UTF8.self), is: #"Two\nlines <a href="x">&</a>\u{202e}"#)
    let notice = try require(requests.last?.arguments).map { String(decoding: $0, as: UTF8.self) }
    expect(notice[2], is: #"Two\nlines <a href="x">&</a>\u{202e}"#)
    expect(notice[3].contains(#"&lt;a href="x"&gt;&amp;&lt;/a&gt;"#) && !notice[3].contains("<"))
  }

  @Test func `a journey repeats nothing that is due by the clocks of wherever one is`() throws {
    home.environment["TZ"] = "Europe/Paris"
    try home.done("event", "add", "Fair", "--on", "2026-03-11", "--alert", "on the day at 09:00")
    try home.done("event", "add", "Tax", "--on", "2026-03-11", "--deadline")
    try home.done("item", "add", "Plants")
    try home.done("item", "remind", "Plants", "--every", "day", "--time", "08:00")
    try home.done("check")
    home.now = "2026-03-12T12:00:00Z"
    try expect(home.done("check").split(separator: "\n").count, is: 3)
    for zone in ["America/New_York", "Asia/Kathmandu", "Europe/Paris"] {
      home.environment["TZ"] = zone
      try expect(home.done("check"), is: "")
    }
    // The next morning is another one, first in the east.
    home.environment["TZ"] = "Asia/Kathmandu"
    home.now = "2026-03-13T03:00:00Z"
    try expect(home.done("check").split(separator: "\n").count, is: 1)
    home.environment["TZ"] = "Europe/Paris"
    home.now = "2026-03-13T08:00:00Z"
    try expect(home.done("check"), is: "")
  }

  @Test func `what was done before a journey is due again after it`() throws {
    home.environment["TZ"] = "Asia/Tokyo"
    home.now = "2026-07-01T00:00:00Z"
    try home.done("item", "add", "Pills")
    try home.done("item", "log", "Pills")
    try home.done("item", "remind", "Pills", "--every", "day", "--time", "09:00")
    try home.done("check")
    home.now = "2026-07-02T00:01:00Z"
    expect(try home.done("check").contains("'Pills' is due"))
    home.now = "2026-07-02T00:05:00Z"
    try home.done("item", "log", "Pills")
    home.environment["TZ"] = "America/Los_Angeles"
    home.now = "2026-07-02T16:30:00Z"
    expect(try home.done("check").contains("'Pills' is due"))
  }

  @Test func `summer time between the last entry and a journey repeats nothing`() throws {
    home.environment["TZ"] = "Europe/Paris"
    home.now = "2026-01-10T08:00:00Z"
    try home.done("item", "add", "Filter")
    try home.done("item", "log", "Filter")
    try home.done("item", "remind", "Filter", "--every", "3 months")
    try home.done("check")
    home.now = "2026-04-10T07:30:00Z"
    expect(try home.done("check").contains("'Filter' is due"))
    home.environment["TZ"] = "Asia/Tokyo"
    home.now = "2026-04-10T09:00:00Z"
    try expect(home.done("check"), is: "")
  }

  @Test func `what is written down later was not due at the first use`() throws {
    try home.done("item", "add", "First")
    try home.done("check")
    home.now = "2026-05-20T10:00:00Z"
    try home.done("item", "add", "Filter")
    try home.done("item", "log", "Filter", "--when", "2025-05-01")
    try home.done("item", "remind", "Filter", "--every", "3 months")
    home.now = "2026-05-20T10:01:00Z"
    let lines = try home.done("check").split(separator: "\n")
    expect(lines.count == 1 && lines[0].hasPrefix("'Filter' is due"), "\(lines)")
  }

  @Test func `a notifier that fails is said to, with its words, and the thing is announced again`()
    throws
  {
    try due("Letter")
    home.process = { request throws(SystemError) in
      guard request.program == Array("notify-send".utf8) else {
        throw SystemError(code: 2, action: "run another program")
      }
      return ProcessOutcome(
        end: .exited(1), errorOutput: Array("no bus\u{1b}[31m here\n".utf8))
    }
    let plain = try home.run("check", "--notify")
    expect(plain.code, is: .partial)
    expect(
      plain.err.contains("'notify-send' exited with 1 for 'Letter': no bus"), "\(plain.err)")
    expect(!plain.err.contains("\u{1b}[31m"))
    let answer = try home.run("check", "--notify", "--json")
    expect(answer.code, is: .partial)
    let error = try require(answer.errorJSON()["error"])
    expect(error["kind"]?.string, is: "partial")
    expect(error["code"]?.integer, is: 3)
    expect(error["hint"]?.string, is: "it is announced again at the next check")
    try expect(error["id"]?.string, is: home.strings("id", "list").first)
  }

  @Test(
    arguments: [
      (ProcessOutcome.End.timedOut, "'notify-send' took longer than 7 seconds for 'Letter'"),
      (.signalled(9), "'notify-send' was ended by signal 9 for 'Letter'"),
      (nil, "'notify-send' cannot be run for 'Letter': permission denied"),
    ])
  func `a notifier that does not end well is not tried by another`(
    end: ProcessOutcome.End?, words: String
  ) throws {
    try due("Letter")
    home.process = { request throws(SystemError) in
      expect(request.program, is: Array("notify-send".utf8))
      guard let end else { throw SystemError(code: 13, action: "run 'notify-send'") }
      return ProcessOutcome(end: end)
    }
    let answer = try home.run("check", "--notify", "--time-limit", "7")
    expect(answer.code, is: .partial)
    expect(answer.err.contains(words), "\(answer.err)")
  }

  @Test func `where there is no notifier the thing that is not announced is named`() throws {
    try due("Letter")
    home.process = { _ throws(SystemError) in
      throw SystemError(code: 2, action: "run another program")
    }
    let error = try require(home.run("check", "--notify", "--json").errorJSON()["error"])
    expect(error["message"]?.string?.contains("neither 'notify-send' nor 'osascript'") == true)
    try expect(error["id"]?.string, is: home.strings("id", "list").first)
  }

  private final class Seen: Sendable {
    let requests = Mutex<[ProcessRequest]>([])
  }

  @Test func `each thing is announced once, and silence is all that follows`() throws {
    try due("One", "Two")
    let first = try home.run("check")
    expect(first.code, is: .ok)
    expect(first.lines.count, is: 2)
    let second = try home.run("check")
    expect(second.code, is: .ok)
    expect(second.out + second.err, is: "")
    try expect(home.json("check"), is: [])
    try expect(home.run("check", "--exit-code").code, is: .none)
  }

  @Test func `of one that was opened it does not say how to open it`() throws {
    try due("Seen", "New")
    try home.done("open", "Seen")
    let lines = try home.run("check").lines
    let seen = try require(lines.first { $0.contains("'Seen'") })
    expect(seen.contains("it was opened") && !seen.contains("open it with"))
    expect(lines.contains { $0.contains("'New'") && $0.contains("open it with: capsule open ") })
  }

  @Test func `a timelock has one due time, in list, show, countdown and check`() throws {
    try home.create("Bet", "--unlock", "2027-01-01T00:00:01Z", "--timelock", "--text", "t")
    // Rounds of quicknet are signed each third second.
    for words in [["list"], ["countdown"]] {
      try expect(home.strings("unlockAt", words), is: ["2027-01-01T00:00:03Z"])
    }
    try expect(home.json("show", "Bet")["unlockAt"], is: "2027-01-01T00:00:03Z")
    home.now = "2027-01-01T00:00:02Z"
    try expect(home.strings("state", "list"), is: ["locked"])
    expect(try home.done("check").isEmpty)
    home.now = "2027-01-01T00:00:03Z"
    try expect(home.strings("dueAt", "check"), is: ["2027-01-01T00:00:03Z"])
  }

  @Test func `show names an escrow only where there is one`() throws {
    try home.create("Bet", "--unlock", "2027", "--timelock", "--text", "t")
    let shown = try home.done("show", "Bet")
    expect(shown.contains("timelock: nobody can open it early") && !shown.contains("scrow"))
  }

  @Test func `a check after one that left nothing still announces what came in since`() throws {
    try home.create("First", "-u", "2090-01-01", "--text", "x")
    for _ in 0..<2 { expect(try home.done("check").isEmpty) }
    // The unlock time is after the first use of the store, and past when it is looked at.
    try due("Soon")
    expect(try home.done("check").contains("'Soon' has been unlocked"))
    expect(try home.done("check").isEmpty)
  }

  @Test func `what was due before the first use is one line`() throws {
    try home.createUnlocked("Old 1", "--text", "t")
    try home.createUnlocked("Old 2", "--text", "t")
    try home.remove(".local/state")
    expect(try home.done("check", "--dry-run").hasPrefix("2 were due already"))
    let told = try home.json("check", "--dry-run", "--exit-code").array
    expect(told?.count == 1 && told?.first?["count"] == 2)
    expect(try home.done("check").hasPrefix("2 were due already"))
    try expect(home.done("check", "--dry-run"), is: "")
    try expect(home.done("check"), is: "")
  }

  @Test func `what was announced is summed up when the ledger is lost`() throws {
    try due("First")
    expect(try home.done("check").contains("'First' has been unlocked"))
    expect(try home.done("check").isEmpty)
    for file in home.files(below: ".local/state") where file.hasSuffix("/announced") {
      try home.remove(".local/state/" + file)
    }
    // The first use is now: it was due before, and is summed up.
    expect(try home.done("check").contains("1 was due already"))
  }

  @Test func `a first use under a clock that was ahead mutes nothing`() throws {
    try home.create("First", "-u", "2090-01-01", "--text", "x")
    try home.remove(".local/state")
    let today = home.now
    home.now = "2050-01-01T00:00:00Z"
    expect(try home.done("check").isEmpty)
    home.now = today
    try due("Soon")
    expect(try home.done("check", "--dry-run").contains("'Soon' has been unlocked"))
    expect(try home.done("check").contains("'Soon' has been unlocked"))
    expect(try home.done("check").isEmpty)
  }

  @Test func `a flipped digit in the first use loses no announcement`() throws {
    try home.create("First", "-u", "2090-01-01", "--text", "x")
    try due("Soon")
    let ledger = try require(
      home.files(below: ".local/state").first { $0.hasSuffix("/announced") })
    try home.replace("first-use 1", with: "first-use 2", in: ".local/state/" + ledger)
    expect(try home.done("check").contains("'Soon' has been unlocked"))
    expect(try home.done("check").isEmpty)
  }

  @Test func `JSON of many is one array, whether programs run or not`() throws {
    try due("One", "Two")
    let seen = Seen()
    home.process = { request throws(SystemError) in
      let isFirst = seen.requests.withLock { requests in
        requests.append(request)
        return requests.count == 1
      }
      return ProcessOutcome(end: .exited(isFirst ? 7 : 0))
    }
    let first = try home.run("check", "--json", "--exec", "true")
    expect(first.code, is: .partial)
    try expect(JSON.parse(first.output).array?.count, is: 2)
    // The one whose command failed is told again.
    try expect(home.json("check", "--exec", "true").array?.count, is: 1)
    try expect(home.json("check"), is: [])
  }

  @Test(arguments: ["--json", "--ndjson", ""])
  func `what a command prints is no part of the answer in JSON`(form: String) throws {
    try due("One")
    let seen = Seen()
    home.process = { request throws(SystemError) in
      seen.requests.withLock { $0.append(request) }
      return ProcessOutcome(end: .exited(0))
    }
    try home.done(["check", "--exec", "echo hello"] + (form.isEmpty ? [] : [form]))
    let requests = seen.requests.withLock { $0 }
    expect(requests.map(\.sendsOutputToErrors), is: [!form.isEmpty])
  }

  @Test func `simulated time is for dry runs only, and keeps nothing`() throws {
    try home.create("Far", "--unlock", "2090-01-01", "--text", "t")
    try home.refusal(.usage, "check", "--at", "2091-01-01")
    let dry = try home.json("check", "--dry-run", "--at", "2091-01-01")
    expect(dry.array?.first?["title"], is: "Far")
    try expect(home.json("check", "--dry-run"), is: [])
    try home.refusal(.locked, "open", "Far")
  }

  @Test func `a torn or forged line of the ledger is no announcement`() throws {
    try due("Line")
    try home.done("check")
    let ledger = try require(
      home.files(below: ".local/state").first { $0.hasSuffix("/announced") })
    try home.replace("unlock 1", with: "unlock 2", in: ".local/state/" + ledger)
    let forged = try home.text(of: ".local/state/" + ledger)
    try home.write(forged + "capsule torn", as: ".local/state/" + ledger)
    expect(try home.done("check").contains("Line"))
    try expect(home.done("check"), is: "")
  }
}

/// What only several processes, a full disk or a hook show.
@Suite(.ownThread) struct CheckProcessTests {
  private let home: ProgramStore

  init() throws {
    home = try ProgramStore()
    for title in ["A", "B", "C"] {
      try home.create(title, "--unlock", "in 1 second", "--text", "t")
    }
    try home.shell("sleep 1.1")
  }

  @Test func `checks at the same time announce each thing once`() throws {
    let result = try home.shell("for i in 1 2 3 4 5 6 7 8; do $capsule check & done; wait")
    expect(result.lines.count, is: 3)
  }

  @Test func `what could not be written is not counted as announced`() throws {
    try expect(home.shell("$capsule check > /dev/full").end, is: .exited(10))
    expect(try home.done("check").contains("'A'"))
  }

  @Test func `no command runs where its line cannot be written`() throws {
    for _ in 0..<3 {
      try expect(
        home.shell("$capsule check --exec 'echo ran >> ran' > /dev/full").end, is: .exited(10))
    }
    try expect(home.shell("cat ran").out, is: "")
    expect(try home.done("check", "--exec", "echo ran >> ran").contains("'A'"))
    try expect(home.shell("cat ran").lines.count, is: 3)
  }

  @Test func `no command runs where it could not be marked`() throws {
    // The ledger may not grow: a limit of blocks that it fills.
    let filled = try home.shell(
      """
      set -e; ledger=$(find . -name announced)
      size=$(wc -c < "$ledger"); printf "%*s\n" $((1023 - size)) "" >> "$ledger"
      """)
    expect(filled.end, is: .exited(0))
    for _ in 0..<3 {
      try expect(
        home.shell("trap '' XFSZ; ulimit -f 1; $capsule check --exec 'echo ran >> ran'").end,
        is: .exited(10))
    }
    try expect(home.shell("cat ran").out, is: "")
    expect(try home.done("check", "--exec", "echo ran >> ran").contains("'A'"))
  }

  @Test func `a command that fails is tried again, and only success counts`() throws {
    try expect(home.run("check", "--exec", "exit 7").end, is: .exited(3))
    try expect(home.run("check", "--exec", "kill -9 $$").end, is: .exited(3))
    let done = try home.run(
      "check", "--exec", "echo \"$CAPSULE_TITLE $CAPSULE_KIND\"; jq -r .title")
    expect(done.end, is: .exited(0))
    expect(done.out.contains("A capsule\nA\n") && done.out.contains("C capsule\nC\n"))
    try expect(home.run("check", "--exec", "echo again").out, is: "")
  }

  @Test func `a command that takes too long is ended, and tried again`() throws {
    try home.done("delete", "B", "C", "--yes")
    let run = try home.run("check", "--exec", "sleep 30", "--time-limit", "1")
    expect(run.end, is: .exited(3))
    expect(try home.done("check").contains("'A'"))
  }
}
