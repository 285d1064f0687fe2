import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Reminders and histories over time: commands in this process on a real store, at whatever time the
/// test says.
@Suite struct ItemReminderTests {
  private let home: HostedStore

  init() throws { home = try HostedStore() }

  private func run(_ words: [String], at now: String) throws -> TestHost.Run {
    home.now = now
    return try home.run(words)
  }

  @discardableResult
  private func done(
    _ words: String..., at now: String, file: String = #fileID, line: Int = #line
  ) throws -> String {
    home.now = now
    return try home.done(words, file: file, line: line)
  }

  private func check(at now: String) throws -> [String] {
    try done("check", at: now).split(separator: "\n").map { line in
      String(line.prefix { $0 != "," })
    }
  }

  private func item(_ name: String, at now: String) throws -> JSON {
    home.now = now
    return try home.json("item", "show", name)
  }

  @Test func `an occurrence is announced once, the next one again, until it is done`() throws {
    let start = "2026-01-31T10:00:00Z"
    try done("item", "add", "Filter", at: start)
    try done("item", "log", "Filter", at: start)
    try done("item", "remind", "Filter", "--every", "month", "--time", "09:00", at: start)
    expect(try check(at: start).isEmpty)
    expect(try check(at: "2026-02-28T08:59:59Z").isEmpty)
    try expect(check(at: "2026-02-28T09:00:00Z"), is: ["'Filter' is due"])
    expect(try check(at: "2026-02-28T09:00:00Z").isEmpty)
    expect(try check(at: "2026-03-30T12:00:00Z").isEmpty)
    try expect(check(at: "2026-03-31T09:00:01Z"), is: ["'Filter' is due"])
    // The machine slept over April, May and June: the last is told, once.
    try expect(check(at: "2026-07-01T00:00:00Z"), is: ["'Filter' is due"])
    expect(try check(at: "2026-07-30T00:00:00Z").isEmpty)
    // Done: it starts anew.
    try done("item", "log", "Filter", at: "2026-07-30T20:00:00Z")
    expect(try check(at: "2026-07-31T10:00:00Z").isEmpty)
    try expect(check(at: "2026-08-30T09:00:00Z"), is: ["'Filter' is due"])
    // Taken back: what was due before is told where it was not yet.
    try done("item", "unlog", "Filter", "--yes", at: "2026-08-30T10:00:00Z")
    try expect(item("Filter", at: "2026-08-30T10:00:00Z")["dueAt"], is: "2026-02-28T09:00:00Z")
    try expect(check(at: "2026-08-31T09:30:00Z"), is: ["'Filter' is due"])

    try done("item", "remind", "Filter", "--off", at: "2026-09-01T00:00:00Z")
    expect(try check(at: "2026-09-30T10:00:00Z").isEmpty)
    let kept = try item("Filter", at: "2026-09-30T10:00:00Z")
    expect(kept["reminder"]?["every"] == 1 && kept["reminder"]?["on"] == false)
    expect(kept["dueState"] == "off" && kept["dueAt"] == .null)
    try done("item", "remind", "Filter", "--on", at: "2026-09-30T10:00:00Z")
    try expect(check(at: "2026-09-30T10:00:01Z"), is: ["'Filter' is due"])
    try done("item", "delete", "Filter", "--yes", at: "2026-10-01T00:00:00Z")
    expect(try check(at: "2027-01-01T00:00:00Z").isEmpty)
    try done("restore", "Filter", at: "2027-01-01T00:00:00Z")
    try expect(check(at: "2027-01-01T00:00:01Z"), is: ["'Filter' is due"])
  }

  @Test(
    arguments: [
      ("90 minutes", "2024-02-29T11:29:59Z", "2024-02-29T11:30:00Z"),
      ("2 hours", "2024-02-29T11:59:59Z", "2024-02-29T12:00:00Z"),
      ("day", "2024-03-01T09:59:59Z", "2024-03-01T10:00:00Z"),
      ("2 weeks", "2024-03-14T09:59:59Z", "2024-03-14T10:00:00Z"),
      ("1 month", "2024-03-29T09:59:59Z", "2024-03-29T10:00:00Z"),
      ("every year", "2025-02-28T09:59:59Z", "2025-02-28T10:00:00Z"),
    ])
  func `by every unit it is announced at its time, and not before`(
    rule: String, before: String, due: String
  ) throws {
    let start = "2024-02-29T10:00:00Z"
    try done("item", "add", "Thing", at: start)
    try done("item", "log", "Thing", at: start)
    try done("check", at: start)
    try done("item", "remind", "Thing", "--every", rule, "--name", "Oil", at: start)
    expect(try check(at: before).isEmpty)
    try expect(item("Thing", at: before)["dueState"], is: "upcoming")
    try expect(check(at: due), is: ["'Thing: Oil' is due"])
    try expect(item("Thing", at: due)["dueState"], is: "due")
    expect(try check(at: due).isEmpty)
  }

  @Test func `what is due and overdue is shown wherever time is shown`() throws {
    let start = "2026-05-01T08:00:00Z"
    for name in ["Late", "Today", "Later", "Quiet", "Plain"] {
      try done("item", "add", name, at: start)
      try done("item", "log", name, at: start)
    }
    try done("item", "remind", "Late", "--every", "2 days", at: start)
    try done("item", "remind", "Today", "--every", "9 days", at: start)
    try done("item", "remind", "Later", "--every", "2 weeks", "--name", "Wash", at: start)
    try done("item", "remind", "Quiet", "--every", "1 day", "--off", at: start)
    let now = "2026-05-10T12:00:00Z"
    let list = try done("item", "list", "--plain", "--sort", "name", at: now)
      .split(separator: "\n").map { line in
        line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      }
    expect(
      list.map { [$0[1], $0[6]] },
      is: [
        ["Late", "overdue, 7 days ago"], ["Later", "in 5 days"], ["Plain", ""], ["Quiet", "off"],
        ["Today", "due"],
      ])
    let due = try done("item", "list", "--due", "--plain", "--sort", "name", at: now)
    expect(due.split(separator: "\n").count == 2 && !due.contains("Later"))
    let since = try done("since", at: now)
    expect(since.contains("Late\t9 d\t") || since.contains("Late\t9 d 4 h\t"), "\(since)")
    expect(since.contains("overdue, 7 days ago") && since.contains("\tdue\n"))
    let agenda = try done("agenda", "--to", "2026-05-16", at: now)
    expect(agenda.contains("2026-05-15\t08:00\treminder\tLater\tWash, every 2 weeks"), "\(agenda)")
    expect(agenda.contains("Late\tevery 2 days, overdue, 7 days ago\t"), "\(agenda)")
    expect(agenda.hasPrefix("2026-05-03\t08:00\treminder\tLate\t"))
    expect(agenda.contains("\tToday\tevery 9 days, due, 4 hours ago\t"))
    expect(!agenda.contains("Quiet"))
    try expect(
      done("next", at: now),
      is: "Late  overdue, 7 days ago  Sun 3 May 2026 08:00 UTC  reminder, every 2 days\n")
    try expect(done("status", at: now), is: "Late overdue, 7 days ago\n")
    for words in [["next"], ["agenda", "--limit", "1"]] {
      home.now = now
      let entry = try require(try home.json(words).array?.first)
      expect(entry["at"] == "2026-05-03T08:00:00Z" && entry["secondsUntil"] == -619_200)
      expect(entry["overdue"] == true && entry["detail"] == "every 2 days, overdue")
    }
    try expect(home.json("status")["state"], is: "overdue")
    let calendar = try done("export", "ics", at: now)
    expect(calendar.contains("SUMMARY:Later: Wash\r\n"))
    expect(calendar.contains("RRULE:FREQ=WEEKLY;INTERVAL=2") && !calendar.contains("Quiet"))
    // What was due before this machine first looked is one line that says where to look.
    home.environment["XDG_STATE_HOME"] = home.path + "/new"
    let first = try done("check", at: now)
    home.environment["XDG_STATE_HOME"] = nil
    expect(first.contains("2 were due already") && first.contains("'capsule item list --due'"))
    try expect(check(at: now), is: ["'Late' is due", "'Today' is due"])
  }

  @Test func `a fixed rule keeps to the time that it names`() throws {
    let start = "2026-01-10T00:00:00Z"
    try done("item", "add", "Rent", at: start)
    try done(
      "item", "remind", "Rent", "--every", "month", "--from", "2026-01-31", "--time", "08:30",
      at: start)
    try expect(item("Rent", at: start)["dueAt"], is: "2026-01-31T08:30:00Z")
    try done("item", "log", "Rent", at: "2026-02-02T00:00:00Z")
    try expect(item("Rent", at: start)["dueAt"], is: "2026-02-28T08:30:00Z")
    try done("item", "remind", "Rent", "--from", "2026-03-15 18:00", at: "2026-02-02T00:00:00Z")
    try expect(item("Rent", at: start)["dueAt"], is: "2026-03-15T18:00:00Z")
    try done("item", "remind", "Rent", "--from", "last", at: "2026-02-02T00:00:00Z")
    try expect(item("Rent", at: start)["dueAt"], is: "2026-03-02T00:00:00Z")
    try done("item", "remind", "Rent", "--time", "6 p.m.", at: "2026-02-02T00:00:00Z")
    try expect(item("Rent", at: start)["dueAt"], is: "2026-03-02T18:00:00Z")
    try done("item", "remind", "Rent", "--remove", at: start)
    try expect(item("Rent", at: start)["reminder"], is: .null)
    for (words, told) in [
      (["--every", "1 month 2 days"], "minutes, hours, days, weeks, months or years"),
      (["--every", "0 days"], "up to 100000"), (["--every", "30 seconds"], "up to 100000"),
      (["--every", "2 hours", "--time", "09:00"], "goes with days and longer"),
      (["--every", "day", "--time", "24:00"], "no time of day"), (["--on"], "no reminder yet"),
      (["--every", "day", "--on", "--off"], "cannot be given together"),
      (["--remove", "--every", "2 years"], "'--remove' and '--every' cannot be given together"),
      (["--remove", "--name", "n"], "'--remove' and '--name' cannot be given together"),
      (["--remove", "--from", "last"], "'--remove' and '--from' cannot be given together"),
      (["--remove", "--time", "none"], "'--remove' and '--time' cannot be given together"),
      (["--remove", "--off"], "'--remove' and '--off' cannot be given together"),
    ] {
      let result = try run(["item", "remind", "Rent"] + words, at: start)
      expect(result.code == .usage && result.err.contains(told), "\(words): \(result.err)")
    }
  }

  @Test func `a history tells values, notes, how long ago, how often, and draws itself`() throws {
    let start = "2026-01-01T00:00:00Z"
    try done("item", "add", "Weight", at: start)
    for (day, value, notes) in [
      ("2026-01-11", "71.50", "after\nthe feast"), ("2026-01-01", "70", ""),
      ("2026-01-13", "-3", "a \"scale\", broken"),
    ] {
      try done(
        "item", "log", "Weight", "--when", day, "--value", value, "--notes", notes,
        at: "2026-01-20T00:00:00Z")
    }
    let now = "2026-01-20T12:00:00Z"
    let list = try run(["item", "history", "Weight", "--json"], at: now).json().array
    let rows = try require(list)
    expect(
      rows.map { $0["at"] },
      is: [
        "2026-01-01T00:00:00Z", "2026-01-11T00:00:00Z", "2026-01-13T00:00:00Z",
      ])
    expect(rows.map { $0["intervalSeconds"] }, is: [.null, 864_000, 172_800])
    expect(rows[1]["notes"], is: "after\nthe feast")
    try expect(
      done("item", "history", "Weight", "--csv", at: now),
      is: """
        number,at,atLocal,value,intervalSeconds,notes\r
        1,2026-01-01T00:00:00Z,2026-01-01T00:00:00+00:00,70,,\r
        2,2026-01-11T00:00:00Z,2026-01-11T00:00:00+00:00,71.50,864000,"after
        the feast"\r
        3,2026-01-13T00:00:00Z,2026-01-13T00:00:00+00:00,-3,172800,"a ""scale"", broken"\r

        """)
    let values = try done("item", "history", "Weight", "--plot", "values", at: now)
      .split(separator: "\n").map { $0.filter { "█▏▎▍▌▋▊▉".contains($0) }.count }
    expect(values.count == 3 && values[1] > values[0] && values[0] > values[2])
    let intervals = try done("item", "history", "Weight", "--plot", "intervals", at: now)
    expect(intervals.contains("10.0 days") && intervals.contains("2.0 days"))
    expect(try done("item", "history", "Weight", "--limit", "1", at: now).hasPrefix("3\t"))

    expect(try done("since", at: now).hasPrefix("Weight\t7 d 12 h\tTue 13 Jan 2026 00:00 UTC\t"))
    expect(try done("since", "--style", "tenths", at: now).hasPrefix("Weight\t7.5 days\t"))
    expect(
      try done("since", "--details", at: now).contains("\t3\t6 d\t10 d\t-3\ta \"scale\", broken"))
    try done("settings", "set", "spanStyle", "tenths", at: now)
    expect(try done("since", at: now).hasPrefix("Weight\t7 d 12 h\t"))
    home.columns = 200
    let set = try done("since", "weight", "--details", at: now)
    home.columns = nil
    for span in ["7.5 days", "6.0 days", "10.0 days"] { expect(set.contains(span), "\(set)") }
    expect(try done("since", "--style", "subUnits", at: now).hasPrefix("Weight\t7 d 12 h\t"))
    let object = try run(["since", "--json"], at: now).json().array?.first
    expect(object?["secondsSince"] == 648_000 && object?["averageSeconds"] == 518_400)
    expect(object?["longestSeconds"] == 864_000 && object?["entryCount"] == 3)

    try done("item", "unlog", "Weight", "2", "--yes", at: now)
    try expect(item("Weight", at: now)["longestSeconds"], is: 1_036_800)
    try expect(run(["item", "unlog", "Weight", "3", "--yes"], at: now).code, is: .notFound)
    try done("item", "delete", "Weight", "--yes", at: now)
    try expect(done("since", "--json", at: now), is: "[]\n")
    try done("restore", "Weight", at: now)
    try expect(item("Weight", at: now)["entryCount"], is: 2)
  }
}

/// What lives on a terminal, and what needs several processes.
@Suite(.ownThread) struct ItemLiveTests {
  private let home: ProgramStore

  init() throws { home = try ProgramStore() }

  @Test func `on a terminal the time since is drawn again each second until Ctrl-C`() throws {
    try home.shell("$capsule item add Filter -q; $capsule item log Filter -q")
    let terminal = try TerminalRun(home.program(["since", "--watch"]))
    try terminal.wait(for: "Filter")
    try terminal.wait(for: "Filter")
    try terminal.wait(for: "Filter")
    let shown = seconds(terminal)
    expect(zip(shown, shown.dropFirst()).allSatisfy { $0 < $1 } && shown.count >= 3, "\(shown)")
    // What another command logs meanwhile is seen.
    try home.shell("$capsule item add Kettle -q; $capsule item log Kettle -q")
    try terminal.wait(for: "Kettle")
    terminal.send("\u{3}")
    let result = terminal.finish()
    expect(result.end, is: .signalled(2))
    expect(result.out.hasSuffix("\u{1b}[?25h"))
  }

  /// The seconds of each `00:00:07` that the screen showed after the name. Behind it stands the
  /// date of the entry, whose clock looks the same in the first minute of a day.
  private func seconds(_ terminal: TerminalRun) -> [Int] {
    let text = String(decoding: terminal.screen, as: UTF8.self)
    return text.matches(of: /Filter(?:\u{1b}\[0m)? +00:00:(\d\d)/).compactMap { Int($0.1) }
  }

  @Test func `in a pipe it is an object a second`() throws {
    try home.shell("$capsule item add Filter -q; $capsule item log Filter -q")
    let result = try home.shell(
      "$capsule since --watch --ndjson | head -n 2 | jq -c .secondsSince")
    let numbers = result.out.split(separator: "\n").compactMap { Int($0) }
    expect(numbers.count == 2 && numbers[1] > numbers[0], "\(result.out)")
  }

  @Test func `checks at the same time announce a reminder once`() throws {
    let result = try home.shell(
      """
      $capsule item add Filter -q > /dev/null
      $capsule check
      $capsule item remind Filter --every '1 hour' --from 'in 1 second' -q
      sleep 1.1
      for i in 1 2 3 4 5 6 7 8; do $capsule check & done; wait
      $capsule check
      """)
    expect(result.out.split(separator: "\n").count, is: 1, "\(result.out)")
    expect(result.out.hasPrefix("'Filter' is due, every hour"))
  }

  @Test func `items that are named stand in their order too, and no more of them than the limit`()
    throws
  {
    for (name, day) in [("b", "2026-01-02"), ("c", "2026-01-03"), ("a", "2026-01-01")] {
      try home.done("item", "add", name)
      try home.done("item", "log", name, "--when", day)
    }
    try home.done("item", "add", "new")
    let named = ["since", "new", "b", "c", "a"]
    try expect(home.strings("name", named), is: ["a", "b", "c", "new"])
    try expect(home.strings("name", named + ["--reverse"]), is: ["c", "b", "a", "new"])
    try expect(home.strings("name", named + ["--limit", "2"]), is: ["a", "b"])
    let told = try home.refusal(.usage, "since", "a", "--watch", "--at", "tomorrow")
    expect(told.contains("'--watch' and '--at' cannot be given together"))
  }
}
