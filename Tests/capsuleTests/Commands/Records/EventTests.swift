import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Events, deadlines, the timeline and the settings that change what is said of them.
@Suite struct EventTests {
  private let home: HostedStore

  init() throws { home = try HostedStore(zone: "Europe/London") }

  // MARK: Deadlines and images

  private static let png =
    Array("\u{89}PNG".unicodeScalars.map { UInt8($0.value) })
    + [13, 10, 26, 10] + Array("0123".utf8)

  private func addReport() throws {
    let image = try home.write(Self.png, as: "photo.png")
    try home.done(
      "event", "add", "Report", "--on", "2030-01-02 03:04:05", "--deadline", "--notes", "the end",
      "--image", image)
  }

  @Test func `a status is written for others to read while the program does not run`() throws {
    try addReport()
    try home.done("status", "--write", home.path + "/summary.json")
    let widget = try JSON.parse(home.bytes(of: "summary.json"))
    expect(widget["next"]?["title"], is: "Report")
    expect(widget["next"]?["at"], is: "2030-01-02T03:04:05Z")
    let unwritten = try home.refusal(.io, "status", "--write", home.path + "/gone/summary.json")
    expect(!unwritten.contains(".tmp"))
  }

  @Test func `a status in a file has times and no spans`() throws {
    try addReport()
    try home.create("Letter", "--unlock", "2031-02-03 12:00", "--text", "x")
    for words in [["status"], ["status", "Letter"], ["status", "Report"]] {
      try home.done(words + ["--write", home.path + "/summary.json"])
      let text = try home.text(of: "summary.json")
      expect(!text.contains("secondsUntil") && !text.contains("daysUntil"))
      expect(!text.contains("secondsRemaining") && !text.contains(" years"), "\(text)")
    }
    let widget = try JSON.parse(home.bytes(of: "summary.json"))
    expect(widget["text"], is: "Report Wed 2 Jan 2030 03:04:05 GMT")
  }

  @Test func `a status replaces an earlier one or an empty file, and nothing else`() throws {
    try addReport()
    let path = home.path + "/summary.json"
    try home.write("", as: "summary.json")
    try home.done("status", "--write", path)
    try home.done("status", "--write", path)
    for text in ["AGE-SECRET-KEY-1", "{}", "[]", "{\"text\": \"t\", \"state\": \"none\"}"] {
      try home.write(text, as: "summary.json")
      let told = try home.refusal(.refused, "status", "--write", path)
      expect(told.contains("exists already") && told.contains("hint: "), "\(told)")
      try expect(home.text(of: "summary.json"), is: text)
    }
    let told = try home.refusal(.usage, "status", "--write", "-")
    expect(told.contains("'--json' prints it"), "\(told)")
  }

  // MARK: Announcements

  @Test(.ownThread)
  func `a hook is given each alert and what is over, and failing it is asked again`() throws {
    let real = try ProgramStore()
    try real.done(
      "event", "add", "Soon", "--on", "in 1 second", "--deadline", "--alert", "at the time")
    _ = try real.run("countdown", "Soon", "--wait")
    try expect(real.run("check", "--exec", "exit 3").end, is: .exited(3))
    try real.done("check", "--exec", "cat >> told; echo \"$CAPSULE_KIND $CAPSULE_TITLE\" >> told")
    try real.done("check", "--exec", "echo again >> told")
    let lines = try real.text(of: "told").split(separator: "\n")
    expect(lines.filter { $0 == "event Soon" }.count == 2 && lines.count == 4)
    let topics = try lines.filter { $0.hasPrefix("{") }.map {
      try JSON.parse(Array($0.utf8))["topic"]?.string
    }
    expect(Set(topics), is: ["alert:at-the-time", "over"])
  }

  @Test func `check announces alerts and what is over, once`() throws {
    try home.done(
      "event", "add", "Soon", "--on", "in 1 second", "--deadline", "--alert", "at the time")
    try home.done("event", "add", "Far", "--on", "2031-01-01", "--alert", "1 week before")
    try home.done("countdown", "Soon", "--wait")
    let told = try home.run(["check"]).lines
    expect(told.count, is: 2)
    expect(told.contains { $0.contains("'Soon' has been over since") })
    expect(try home.done("check").isEmpty)
    let later = try home.done("check", "--dry-run", "--at", "2030-12-26")
    expect(later, is: "'Far' is in 6 days, Wed 1 Jan 2031\n")
  }

  // MARK: The timeline

  @Test func `on this day: what was sealed, opened and happened in other years`() throws {
    try home.createUnlocked("Old", "--text", "x")
    try home.done("open", "Old")
    try home.done("event", "add", "Was", "--on", "2023-03-10")
    let found = try require(try home.json("on-this-day", "2028-03-10").array)
    let seen = found.map { [$0["title"]?.string, $0["what"]?.string] }
    expect(Set(seen), is: [["Was", "happened"], ["Old", "sealed"], ["Old", "opened"]])
    expect(found.map { $0["years"] }, is: [5, 2, 2])
    try expect(home.json("on-this-day", "2026-03-10").array?.count, is: 1)
    // A day of every year that today is, is today.
    try expect(home.json("on-this-day", "10 march").array?.count, is: 1)
    try expect(home.run("on-this-day", "2021-03-10", "--exit-code").code, is: .none)
  }

  @Test func `a time span is said in the style of the settings`() throws {
    try home.create("Letter", "--unlock", "2030-02-28 12:00", "--text", "x")
    expect(
      try home.done("next", "--at", "2030-02-28 10:00").hasPrefix("Letter  in 2 hours  "))
    try home.done("settings", "set", "spanStyle", "tenths")
    try expectSpan("in 1.5 hours")
    try home.done("settings", "set", "spanStyle", "subUnits")
    try home.done("settings", "set", "spanUnits", "1")
    try expectSpan("in 1 h")
  }

  /// Expects a span to the letter on a terminal and in a status bar, and words in what a program reads.
  private func expectSpan(_ span: String) throws {
    for command in ["next", "list"] {
      let words = [command, "--at", "2030-02-28 10:30", "--color", "never"]
      home.columns = 160
      let shown = try home.done(words)
      home.columns = nil
      expect(shown.contains("  \(span)  "), "\(shown)")
      expect(try home.done(words).contains("in 1 hour 30 minutes"))
    }
    try expect(home.done("status", "--at", "2030-02-28 10:30"), is: "Letter \(span)\n")
  }

  @Test(
    arguments: [
      ("Pacific/Auckland", "2030-06-14T12:00:00Z"), ("Asia/Kathmandu", "2030-06-14T18:15:00Z"),
      ("Europe/London", "2030-06-14T23:00:00Z"), ("America/Los_Angeles", "2030-06-15T07:00:00Z"),
    ])
  func `a whole day turns at local midnight wherever one is`(zone: String, midnight: String) throws
  {
    try home.done("event", "add", "Day", "--on", "2030-06-15")
    home.environment["TZ"] = zone
    let start = try require(Instant(rfc3339: midnight))
    func state(_ seconds: Int64) throws -> JSON? {
      let time = start.adding(seconds: seconds).rfc3339
      return try home.json("event", "list", "--at", time).array?.first?["state"]
    }
    try expect(state(-1), is: "upcoming")
    try expect(state(0), is: "today")
    try expect(state(86_399), is: "today")
    try expect(state(86_400), is: "elapsed")
  }

  @Test(arguments: ["text", "waybar", "tmux", "swiftbar", "json"])
  func `a status is escaped for its bar and always ends with 0`(format: String) throws {
    try home.done("status", "--format", format)
    try home.done("event", "add", "<b>&|#[fg=red]%H\"\u{1b}[31m", "--on", "2030-01-01")
    let result = try home.run("status", "--format", format, "--at", "2029-12-30")
    expect(result.code, is: .ok)
    expect(!result.output.contains(0x1b))
    switch format {
    case "waybar":
      let text = try require(try result.json()["text"]?.string)
      expect(text.hasPrefix("&lt;b&gt;&amp;|#[fg=red]%H&quot;"))
    case "tmux": expect(result.out.hasPrefix("<b>&|##[fg=red]%%H\""))
    case "swiftbar":
      expect(result.out.hasPrefix("<b>&¦#[fg=red]%H\""))
      expect(result.lines[1], is: "---")
    case "json": try expect(result.json()["state"], is: "upcoming")
    default: expect(result.out.hasPrefix("<b>&|#[fg=red]%H\""))
    }
    try home.done("status", "Nothing", "--format", format)
  }

  // MARK: Settings

  @Test func `all settings there are are listed`() throws {
    let names = try home.strings("name", "settings", "list")
    expect(Set(names), is: Set(SettingKey.allCases.map(\.rawValue)))
  }

  @Test func `a list has details where the setting says so, and the setting is read back`() throws {
    try home.done(
      "event", "add", "Walk", "--on", "2030-05-01", "--notes", "by the sea", "--repeat", "weekly")
    expect(try !home.done("event", "list").contains("by the sea"))
    try home.done("settings", "set", "listDetails", "on")
    home.columns = 80
    expect(try home.done("event", "list").contains("by the sea"))
    home.columns = nil
    try expect(home.done("settings", "get", "listDetails"), is: "on\n")
    try home.done("settings", "unset", "listDetails")
    try expect(home.done("settings", "get", "listDetails"), is: "off\n")
  }

  @Test func `a setting says at which time of its day a capsule unlocks`() throws {
    try home.done("settings", "set", "timeOfDay", "08:15")
    try home.create("Letter", "--unlock", "2030-06-01", "--text", "x")
    try expect(home.json("show", "Letter")["unlockAt"], is: "2030-06-01T07:15:00Z")
  }

  @Test(arguments: [
    ("eventSort", "size", "date, title or created"), ("listDetails", "yes", "on or off"),
    ("leapDay", "feb29", "feb28 or mar1"), ("spanUnits", "7", "a number from 1 to 6"),
    ("spanStyle", "short", "subUnits or tenths"), ("timeOfDay", "24:00", "00:00 to 23:59"),
  ])
  func `a value that a setting does not take is refused with those it takes`(
    key: String, value: String, choices: String
  ) throws {
    expect(try home.refusal(.usage, "settings", "set", key, value).contains(choices))
  }

  @Test func `a setting that is misspelt is guessed`() throws {
    let message = try home.refusal(.usage, "settings", "get", "timeOfDay2")
    expect(message.contains("did you mean 'timeOfDay'"))
  }

  // MARK: The calendar

  @Test(
    .enabled(
      if: Python.isExpected("dateutil"), "python-dateutil is not installed"))
  func `an independent parser reads in the calendar what the agenda says`() throws {
    try home.done(
      "event", "add", "a,b;c\\d é" + String(repeating: "ü", count: 80), "--on", "2026-02-03")
    for (title, on, span) in [
      ("Clamped", "2026-01-31 09:30", "monthly"), ("Leap", "2024-02-29", "yearly"),
      ("Daily", "2026-03-20 01:30", "daily"), ("Weeks", "2026-01-05 23:30", "2 weeks"),
      ("All day", "2026-01-30", "monthly"), ("Years", "2020-10-25 12:00", "yearly"),
      ("Work", "2026-02-01 17:00", "weekdays"), ("Pay", "2026-01-01", "last friday of the month"),
      ("Bins", "2026-01-01", "every other tuesday and friday"), ("Sundays", "2026-01-01", "sunday"),
    ] {
      try home.done(
        "event", "add", title, "--on", on, "--repeat", span, "--alert", "1 week before",
        "--alert", "on the day at 09:00", "--alert", "2 hours before", "--notes", "n;\n,")
      // Of each day another one would differ.
      if span != "daily", span != "weekdays" {
        try home.done("event", "edit", title, "--alert", "1 month before")
      }
    }
    try home.done(
      "event", "add", "Kathmandu", "--on", "2026-06-01T09:00 Asia/Kathmandu", "--repeat",
      "3 months")
    try home.done("create", "Letter", "--unlock", "2027-05-05 08:00", "--text", "x", "--tag", "a,b")
    let calendar = try home.done("export", "ics")
    try expect(home.done("export", "ics"), is: calendar)
    try home.write(calendar, as: "one.ics")
    let agenda = try home.done(
      "agenda", "--from", "2026-01-01", "--to", "2029-12-31", "--json")
    try home.write(agenda, as: "agenda.json")
    let result = try Python.run([
      BuiltProgram.packageRoot + "Scripts/check-ics", home.path + "/one.ics",
      home.path + "/agenda.json", "2026-01-01T00:00:00Z", "2030-01-01T00:00:00Z", "Europe/London",
    ])
    expect(result.end, is: .exited(0), "\(result.err)")
  }
}
