import CapsuleCore
import Testing

@testable import capsule

/// A walk through events, deadlines and the timeline with the real program, each step a run of its
/// own, so that what is kept is kept between runs.
@Suite struct EventWalkthroughTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(_ words: [String], zone: String = "Europe/London") throws -> ProgramRun.Result {
    var run = ProgramRun(
      environment: [
        "CAPSULE_STORE": folder.path + "/store", "HOME": folder.path, "TZ": zone,
        "PATH": "/usr/bin:/bin",
      ])
    run.arguments = words.map { Array($0.utf8) }
    return try run.result()
  }

  @discardableResult
  private func done(_ words: String..., zone: String = "Europe/London") throws -> String {
    let result = try run(words, zone: zone)
    try #require(result.end == .exited(0), "\(words): \(result.err)")
    return result.out
  }

  private func json(_ words: String..., zone: String = "Europe/London") throws -> JSON {
    let result = try run(words + ["--json"], zone: zone)
    try #require(result.end == .exited(0), "\(words): \(result.err)")
    return try result.json()
  }

  private func titles(_ words: String...) throws -> [String] {
    let result = try run(words + ["--json"])
    let list = try result.json().array
    return try #require(list).compactMap { $0["title"]?.string }
  }

  private func refusal(_ words: String...) throws -> String {
    let result = try run(words)
    #expect(result.end != .exited(0) && result.output.isEmpty, "\(words)")
    return result.err
  }

  @Test func `events: added with title, date and colour, sorted, told both ways, changed, deleted`()
    throws
  {
    try done("event", "add", "Wedding", "--on", "2010-05-05", "--text-color", "pink")
    try done("event", "add", "Launch", "--on", "2036-06-15 09:00", "--text-color", "#ff8800")
    try done("event", "add", "Zond", "--on", "2031-01-01", "--notes", "first line")
    let order = ["Zond", "Launch", "Wedding"]
    #expect(try titles("event", "list") == order)
    #expect(try titles("event", "list", "--reverse") == order.reversed())
    let byTitle = ["Launch", "Wedding", "Zond"]
    #expect(try titles("event", "list", "--sort", "title") == byTitle)
    let created = try json("event", "list", "--sort", "created").array?.compactMap {
      $0["createdAt"]?.string
    }
    #expect(created?.count == 3 && created == created?.sorted())
    #expect(try titles("event", "list", "--limit", "1") == ["Zond"])
    #expect(try titles("event", "list", "--elapsed") == ["Wedding"])
    #expect(try titles("event", "list", "--search", "FIRST") == ["Zond"])
    try done("settings", "set", "eventSort", "title")
    #expect(try titles("event", "list") == byTitle)
    try done("settings", "unset", "eventSort")

    let at = try done("event", "list", "--at", "2030-12-30 12:00")
    #expect(at.contains("in 2 days") && at.contains("years") && at.contains("ago"))
    let near = try done("event", "list", "--at", "2036-06-15 09:05")
    #expect(near.contains("5 minutes ago"))
    let colored = try done("event", "list", "--color", "always")
    #expect(colored.contains("\u{1b}[1;3"))

    let show = try json("event", "show", "Launch")
    #expect(show["at"] == "2036-06-15T08:00:00Z")
    #expect(show["colorRGB"] == "#ff8800")
    try done("event", "edit", "Launch", "--title", "Lift-off", "--text-color", "none")
    #expect(try json("event", "show", "Lift-off")["color"] == .null)
    try done("event", "delete", "Lift-off", "--yes")
    #expect(try titles("event", "list") == ["Zond", "Wedding"])
    try done("restore", "Lift-off")
    #expect(try titles("event", "list") == ["Zond", "Lift-off", "Wedding"])
    try done("event", "delete", "Lift-off", "--yes")
    try done("purge", "--yes")
    #expect(try refusal("event", "show", "Lift-off").contains("no event has the id or title"))
    #expect(try json("verify")["problems"] == .array([]))
  }

  @Test func `a deadline: description, end, image, countdown to the second, over, done, a widget`()
    throws
  {
    let image = folder.path + "/photo.png"
    _ = try ProgramRun(shell: "printf '\\211PNG\\r\\n\\032\\n0123' > '\(image)'").result()
    try done(
      "event", "add", "Report", "--on", "2030-01-02 03:04:05", "--deadline", "--notes", "the end",
      "--image", image)
    let seconds = try ["2030-01-02 03:04:03", "2030-01-02 03:04:04"].map { time in
      try done("countdown", "Report", "--at", time)
    }
    #expect(seconds == ["Report  in 00:00:02\n", "Report  in 00:00:01\n"])
    #expect(try done("countdown", "Report", "--at", "2030-01-02 03:04:05").contains("over"))
    #expect(
      try done("countdown", "Report", "--at", "2030-01-02 03:05:05")
        == "Report  over, 00:01:00 ago\n")
    var original = ProgramRun(shell: "cat '\(image)'")
    original.timeLimit = 5
    let bytes = try original.result().output
    #expect(try run(["event", "image", "Report"]).output == bytes)
    try done("event", "image", "Report", "--output", folder.path + "/copy.png")
    #expect(
      try run(["event", "image", "Report", "--output", folder.path + "/copy.png"]).end
        == .exited(12))

    // The summary is read while the program does not run.
    let summary = folder.path + "/summary.json"
    try done("status", "--write", summary)
    let widget = try ProgramRun(shell: "cat '\(summary)'").result().json()
    #expect(widget["next"]?["title"] == "Report")
    #expect(widget["next"]?["at"] == "2030-01-02T03:04:05Z")

    let over = try run(["event", "list", "--at", "2031-01-01"]).out
    #expect(over.contains("\tover\tReport\t"))
    try done("event", "done", "Report")
    #expect(try json("event", "show", "Report")["state"] == "done")
    #expect(try done("agenda", "--from", "2030-01-01", "--to", "2030-01-03").isEmpty)
    try done("event", "done", "Report", "--undo")
    #expect(try json("event", "show", "Report")["state"] == "upcoming")
    #expect(try refusal("event", "image", "Nothing").contains("no event"))
    let late = try run(["event", "add", "Late", "--on", "2020-01-01", "--deadline"])
    #expect(late.err.contains("The deadline is over already."))
    let unwritten = try run(["status", "--write", folder.path + "/gone/summary.json"])
    #expect(unwritten.end == .exited(10) && !unwritten.err.contains(".tmp"))
  }

  @Test func `every field is edited, taken away and kept between runs`() throws {
    let image = folder.path + "/photo.gif"
    _ = try ProgramRun(shell: "printf 'GIF89a\\003\\000\\002\\000,rest' > '\(image)'").result()
    try done("event", "add", "Plan", "--on", "2031-05-05")
    try done(
      "event", "edit", "plan", "--title", "Plan B", "--on", "2032-06-06 10:00", "--text-color",
      "Teal", "--notes", "one\ntwo", "--image", image, "--repeat", "2 weeks", "--alert",
      "1 week before", "--alert", "on the day at 9:00")
    let full = try json("event", "show", "Plan B")
    #expect(full["at"] == "2032-06-06T09:00:00Z" && full["date"] == .null)
    #expect(full["color"] == "teal" && full["notes"] == "one\ntwo")
    #expect(full["alerts"] == ["1 week before", "on the day at 09:00"])
    #expect(full["repeat"] == "every 2 weeks" && full["hasImage"] == true)
    #expect(try run(["event", "image", "Plan B"]).output.count == 15)
    // An alert is added to those there are, each once.
    try done("event", "edit", "Plan B", "--alert", "1 week before", "--alert", "at the time")
    #expect(try json("event", "show", "Plan B")["alerts"]?.array?.count == 3)
    try done(
      "event", "edit", "Plan B", "--repeat", "none", "--no-alert", "--no-image", "--text-color",
      "none", "--notes", "", "--deadline", "--on", "2033-01-01")
    let bare = try json("event", "show", "Plan B")
    #expect(bare["deadline"] == true && bare["repeat"] == .null && bare["alerts"] == [])
    #expect(bare["hasImage"] == false && bare["color"] == .null && bare["date"] == "2033-01-01")
    try done("event", "edit", "Plan B", "--no-deadline")
    #expect(try json("event", "show", "Plan B")["deadline"] == false)
    #expect(try refusal("event", "edit", "Plan B").contains("nothing is named"))
    #expect(try refusal("event", "edit", "Plan B", "--alert", "none").contains("--no-alert"))
    #expect(try json("verify")["isSound"] == true)
  }

  @Test(
    arguments: [
      ("daily", ["2030-01-31", "2030-02-01", "2030-02-02"]),
      ("weekly", ["2030-01-31", "2030-02-07", "2030-02-14"]),
      ("2 weeks", ["2030-01-31", "2030-02-14", "2030-02-28"]),
      ("monthly", ["2030-01-31", "2030-02-28", "2030-03-31"]),
      ("yearly", ["2030-01-31", "2031-01-31", "2032-01-31"]),
    ])
  func `what is repeated comes again`(span: String, dates: [String]) throws {
    try done("event", "add", "Again", "--on", "2030-01-31", "--repeat", span)
    let found = try json(
      "agenda", "--from", "2030-01-01", "--to", "2033-01-01", "--limit", "3", "--no-alerts")
    #expect(found.array?.compactMap { $0["date"]?.string } == dates)
  }

  @Test func `a hook is given each alert and what is over, and failing it is asked again`() throws {
    try done("event", "add", "Soon", "--on", "in 1 second", "--deadline", "--alert", "at the time")
    try done("countdown", "Soon", "--wait")
    let failed = try run(["check", "--exec", "exit 3"])
    #expect(failed.end == .exited(3))
    let told = folder.path + "/told"
    try done(
      "check", "--exec", "cat >> '\(told)'; echo \"$CAPSULE_KIND $CAPSULE_TITLE\" >> '\(told)'")
    try done("check", "--exec", "echo again >> '\(told)'")
    let lines = try ProgramRun(shell: "cat '\(told)'").result().out.split(separator: "\n")
    #expect(lines.filter { $0 == "event Soon" }.count == 2 && lines.count == 4)
    let topics = try lines.filter { $0.hasPrefix("{") }.map {
      try JSON.parse(Array($0.utf8))["topic"]?.string
    }
    #expect(Set(topics) == ["alert:at-the-time", "over"])
  }

  @Test func `on this day: what was sealed, opened and happened in other years`() throws {
    let today = try #require(try json("date", "today")["date"]?.string)
    let year = try #require(Int(today.prefix(4)))
    // On a 29 February the day of the next years is the 28th.
    let day = today.hasSuffix("02-29") ? "02-28" : String(today.dropFirst(5))
    try done("create", "Old", "--unlock", "2020-01-01", "--allow-past", "--text", "x", "-q")
    try done("open", "Old")
    try done("event", "add", "Was", "--on", "\(year - 3)-\(day)")
    let found = try #require(try json("on-this-day", "\(year + 2)-\(day)").array)
    let seen = found.map { [$0["title"]?.string, $0["what"]?.string] }
    #expect(Set(seen) == [["Was", "happened"], ["Old", "sealed"], ["Old", "opened"]])
    #expect(found.map { $0["years"] } == [5, 2, 2])
    #expect(try json("on-this-day", "\(year)-\(day)").array?.count == 1)
    #expect(try run(["on-this-day", "\(year - 5)-\(day)", "--exit-code"]).end == .exited(1))
  }

  @Test func `settings are listed, read, set and unset, and each changes what it says`() throws {
    let names = try json("settings", "list").array?.compactMap { $0["name"]?.string }
    let known = SettingKey.allCases.map(\.rawValue)
    #expect(Set(try #require(names)) == Set(known))
    try done(
      "event", "add", "Walk", "--on", "2030-05-01", "--notes", "by the sea", "--repeat", "weekly")
    #expect(try !done("event", "list").contains("by the sea"))
    try done("settings", "set", "listDetails", "on")
    #expect(try done("event", "list").contains("weekly\t\tby the sea"))
    #expect(try done("settings", "get", "listDetails") == "on\n")
    try done("settings", "unset", "listDetails")
    #expect(try done("settings", "get", "listDetails") == "off\n")
    try done("settings", "set", "timeOfDay", "08:15")
    try done("create", "Letter", "--unlock", "2030-06-01", "--text", "x")
    #expect(try json("show", "Letter")["unlockAt"] == "2030-06-01T07:15:00Z")
    #expect(try refusal("settings", "get", "timeOfDay2").contains("did you mean 'timeOfDay'"))
  }

  @Test func `on a terminal the agenda stands by days, today marked`() throws {
    try done("event", "add", "Now", "--on", "today", "--text-color", "#ff8800")
    try done("event", "add", "Then", "--on", "tomorrow")
    var run = ProgramRun(
      "agenda", "--color", "never",
      environment: [
        "CAPSULE_STORE": folder.path + "/store", "HOME": folder.path, "TZ": "Europe/London",
      ])
    run.timeLimit = 30
    let lines = try TerminalRun(run).finish().out.split(
      separator: "\r\n", omittingEmptySubsequences: false)
    try #require(lines.count >= 5, "\(lines)")
    #expect(lines[0].hasSuffix("  today") && lines[1] == "  all day  Now  event")
    #expect(lines[2].isEmpty && lines[3].hasSuffix("  tomorrow"))
    #expect(lines[4] == "  all day  Then  event")
  }

  @Test func `what cannot be kept is refused with what is accepted`() throws {
    let refusals = [
      (["--on", "tomorrow", "--repeat", "fortnight"], "daily, weekly, monthly, yearly"),
      (["--on", "tomorrow", "--alert", "soon"], "'1 week before'"),
      (["--on", "tomorrow", "--text-color", "puce"], "#rrggbb or one of red"),
      (["--on", "2026-02-30"], "the month ends on day 28"),
      (["--on", "tomorrow", "--repeat", "daily", "--deadline"], "a deadline cannot be repeated"),
      ([], "--on 2036-06-15"),
      (["--on", "tomorrow", "--image", "/dev/null"], "JPEG, PNG"),
    ]
    for (words, hint) in refusals {
      let result = try run(["event", "add", "X"] + words)
      #expect(result.end == .exited(2) || result.end == .exited(12), "\(words)")
      #expect(result.err.contains(hint), "\(result.err)")
    }
    for (key, value, choices) in [
      ("eventSort", "size", "date, title or created"), ("listDetails", "yes", "on or off"),
      ("leapDay", "feb29", "feb28 or mar1"), ("spanUnits", "7", "a number from 1 to 6"),
      ("spanStyle", "short", "subUnits or tenths"), ("timeOfDay", "24:00", "00:00 to 23:59"),
    ] {
      #expect(try refusal("settings", "set", key, value).contains(choices))
    }
    #expect(try titles("event", "list") == [])
  }

  @Test func `the timeline: agenda, next, on this day, spans by the settings`() throws {
    try done("event", "add", "Birth", "--on", "2016-02-29", "--repeat", "yearly")
    try done(
      "event", "add", "Rent", "--on", "2026-01-31 09:30", "--repeat", "monthly", "--alert",
      "1 day before at 18:00")
    try done("create", "Letter", "--unlock", "2030-02-28 12:00", "--text", "x")
    let agenda = try #require(
      try json("agenda", "--from", "2030-02-27", "--to", "2030-02-28").array)
    #expect(agenda.compactMap { $0["what"]?.string } == ["alert", "event", "event", "unlock"])
    #expect(
      agenda.compactMap { $0["date"]?.string ?? $0["at"]?.string } == [
        "2030-02-27T18:00:00Z", "2030-02-28", "2030-02-28T09:30:00Z", "2030-02-28T12:00:00Z",
      ])
    #expect(
      try json("agenda", "--from", "2030-02-27", "--to", "2030-02-28", "--kind", "capsule").array?
        .count == 1)
    try done("settings", "set", "leapDay", "mar1")
    #expect(
      try json("agenda", "--from", "2030-03-01", "--to", "2030-03-01").array?.first?["title"]
        == "Birth")
    let past = try #require(try json("on-this-day", "2030-03-01").array)
    #expect(past.map { $0["years"] } == [14])
    #expect(try done("next", "--at", "2030-02-28 10:00").hasPrefix("Letter  in 2 hours  "))
    try done("settings", "set", "spanStyle", "tenths")
    #expect(try done("next", "--at", "2030-02-28 10:30").hasPrefix("Letter  in 1.5 hours  "))
    try done("settings", "set", "spanStyle", "subUnits")
    try done("settings", "set", "spanUnits", "1")
    #expect(try done("next", "--at", "2030-02-28 10:30").hasPrefix("Letter  in 1 h  "))
    #expect(try done("list", "--at", "2030-02-28 10:30").contains("\tin 1 h\t"))
    try done("settings", "set", "spanStyle", "tenths")
    #expect(try done("list", "--at", "2030-02-28 10:30").contains("\tin 1.5 hours\t"))
  }

  @Test(
    arguments: [
      ("Pacific/Auckland", "2030-06-14T12:00:00Z"), ("Asia/Kathmandu", "2030-06-14T18:15:00Z"),
      ("Europe/London", "2030-06-14T23:00:00Z"), ("America/Los_Angeles", "2030-06-15T07:00:00Z"),
    ])
  func `a whole day turns at local midnight wherever one is`(zone: String, midnight: String) throws
  {
    try done("event", "add", "Day", "--on", "2030-06-15")
    let start = try #require(Instant(rfc3339: midnight))
    func state(_ seconds: Int64) throws -> JSON? {
      let time = start.adding(seconds: seconds).rfc3339
      return try json("event", "list", "--at", time, zone: zone).array?.first?["state"]
    }
    #expect(try state(-1) == "upcoming")
    #expect(try state(0) == "today")
    #expect(try state(86_399) == "today")
    #expect(try state(86_400) == "elapsed")
  }

  @Test func `check announces alerts and what is over, once`() throws {
    try done("event", "add", "Soon", "--on", "in 1 second", "--deadline", "--alert", "at the time")
    try done("event", "add", "Far", "--on", "2031-01-01", "--alert", "1 week before")
    try done("countdown", "Soon", "--wait")
    let told = try done("check")
    #expect(told.split(separator: "\n").count == 2)
    #expect(told.contains("Soon is over since"))
    #expect(try done("check").isEmpty)
    let later = try done("check", "--dry-run", "--at", "2030-12-26")
    #expect(later == "Far is in 6 days, Wed 1 Jan 2031\n")
  }

  @Test(arguments: ["text", "waybar", "tmux", "swiftbar", "json"])
  func `a status is escaped for its bar and always ends with 0`(format: String) throws {
    #expect(try run(["status", "--format", format]).end == .exited(0))
    try done("event", "add", "<b>&|#[fg=red]%H\"\u{1b}[31m", "--on", "2030-01-01")
    let result = try run(["status", "--format", format, "--at", "2029-12-30"])
    #expect(result.end == .exited(0))
    #expect(!result.output.contains(0x1b))
    switch format {
    case "waybar":
      let text = try #require(try result.json()["text"]?.string)
      #expect(text.hasPrefix("&lt;b&gt;&amp;|#[fg=red]%H&quot;"))
    case "tmux": #expect(result.out.hasPrefix("<b>&|##[fg=red]%%H\""))
    case "swiftbar":
      #expect(result.out.hasPrefix("<b>&¦#[fg=red]%H\""))
      #expect(result.out.split(separator: "\n")[1] == "---")
    case "json": #expect(try result.json()["state"] == "upcoming")
    default: #expect(result.out.hasPrefix("<b>&|#[fg=red]%H\""))
    }
    #expect(try run(["status", "Nothing", "--format", format]).end == .exited(0))
  }

  @Test(
    .enabled(
      if: OtherPrograms.isExpected(pythonModule: "dateutil"), "python-dateutil is not installed"))
  func `an independent parser reads in the calendar what the agenda says`() throws {
    try done("event", "add", "a,b;c\\d é" + String(repeating: "ü", count: 80), "--on", "2026-02-03")
    for (title, on, span) in [
      ("Clamped", "2026-01-31 09:30", "monthly"), ("Leap", "2024-02-29", "yearly"),
      ("Daily", "2026-03-20 01:30", "daily"), ("Weeks", "2026-01-05 23:30", "2 weeks"),
      ("All day", "2026-01-30", "monthly"), ("Years", "2020-10-25 12:00", "yearly"),
    ] {
      try done(
        "event", "add", title, "--on", on, "--repeat", span, "--alert", "1 week before",
        "--notes", "n;\n,")
    }
    try done(
      "event", "add", "Kathmandu", "--on", "2026-06-01T09:00 Asia/Kathmandu", "--repeat",
      "3 months")
    try done("create", "Letter", "--unlock", "2027-05-05 08:00", "--text", "x", "--tag", "a,b")
    let result = try ProgramRun(
      shell: """
        set -eu
        export CAPSULE_STORE='\(folder.path)/store' TZ=Europe/London
        cd '\(folder.path)'
        "$capsule" export ics > one.ics
        "$capsule" export ics > two.ics
        cmp one.ics two.ics
        "$capsule" agenda --from 2026-01-01 --to 2029-12-31 --json > agenda.json
        python3 '\(BuiltProgram.packageRoot)Scripts/check-ics' \
          one.ics agenda.json 2026-01-01T00:00:00Z 2030-01-01T00:00:00Z
        """
    ).result()
    #expect(result.end == .exited(0), "\(result.err)")
  }
}
