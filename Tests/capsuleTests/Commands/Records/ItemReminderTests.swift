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

  @Test func `of two processes that add one name, one is refused`() throws {
    try home.walk(
      """
      $capsule item add First -q
      for number in 1 2 3 4 5 6; do
        $capsule item add "Race $number" -q > one 2>/dev/null & first=$!
        $capsule item add "RACE $number" -q > two 2>/dev/null & second=$!
        count=0
        wait $first && count=$((count + 1)) || true
        wait $second && count=$((count + 1)) || true
        test $count -eq 1
      done
      test "$($capsule item list --search race --plain | wc -l)" -eq 6
      """)
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
