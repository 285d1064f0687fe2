import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Events, deadlines, the timeline and the settings that change what is said of them.
@Suite struct EventTests {
  private let home: HostedStore

  init() throws { home = try HostedStore(zone: "Europe/London") }

  private func events(_ words: String...) throws -> [String] {
    let answer = try home.run(["event", "list", "--json"] + words)
    return try require(try answer.json().array).compactMap { $0["title"]?.string }
  }

  private func event(_ title: String) throws -> JSON { try home.json("event", "show", title) }

  // MARK: The list

  /// One that is past and two to come, each made a moment after the other.
  private func addThree() throws {
    try home.done("event", "add", "Wedding", "--on", "2010-05-05", "--text-color", "pink")
    try home.pass(seconds: 1)
    try home.done("event", "add", "Launch", "--on", "2036-06-15 09:00", "--text-color", "#ff8800")
    try home.pass(seconds: 1)
    try home.done("event", "add", "Zond", "--on", "2031-01-01", "--notes", "first line")
  }

  @Test(arguments: [
    ([], ["Zond", "Launch", "Wedding"]), (["--reverse"], ["Wedding", "Launch", "Zond"]),
    (["--sort", "title"], ["Launch", "Wedding", "Zond"]),
    (["--sort", "created"], ["Wedding", "Launch", "Zond"]), (["--limit", "1"], ["Zond"]),
    (["--elapsed"], ["Wedding"]), (["--search", "FIRST"], ["Zond"]),
  ])
  func `the list is sorted, cut and searched`(words: [String], titles: [String]) throws {
    try addThree()
    try expect(
      home.run(["event", "list", "--json"] + words).json().array.map { list in
        list.compactMap { $0["title"]?.string }
      }, is: titles)
  }

  @Test func `a setting names the order where no option does`() throws {
    try addThree()
    try home.done("settings", "set", "eventSort", "title")
    try expect(events(), is: ["Launch", "Wedding", "Zond"])
    try home.done("settings", "unset", "eventSort")
    try expect(events(), is: ["Zond", "Launch", "Wedding"])
  }

  @Test func `how far away each is is said both ways, at any time and in its colour`() throws {
    try addThree()
    let at = try home.done("event", "list", "--at", "2030-12-30 12:00")
    expect(at.contains("in 2 days") && at.contains("years") && at.contains("ago"))
    let near = try home.done("event", "list", "--at", "2036-06-15 09:05")
    expect(near.contains("5 minutes ago"))
    let colored = try home.done("event", "list", "--color", "always")
    expect(colored.contains("\u{1b}[1;3"))
  }

  @Test func `an event is changed, deleted, brought back and purged`() throws {
    try addThree()
    let show = try event("Launch")
    expect(show["at"], is: "2036-06-15T08:00:00Z")
    expect(show["colorRGB"], is: "#ff8800")
    try home.done("event", "edit", "Launch", "--title", "Lift-off", "--text-color", "none")
    try expect(event("Lift-off")["color"], is: .null)
    try home.done("event", "delete", "Lift-off", "--yes")
    try expect(events(), is: ["Zond", "Wedding"])
    try home.done("restore", "Lift-off")
    try expect(events(), is: ["Zond", "Lift-off", "Wedding"])
    try home.done("event", "delete", "Lift-off", "--yes")
    try home.done("purge", "--yes")
    let message = try home.refusal(.notFound, "event", "show", "Lift-off")
    expect(message.contains("no event has the id or title"))
    try expect(home.json("verify")["problems"], is: [])
  }

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

  @Test(arguments: [
    ("2030-01-02 03:04:03", "Report  in 00:00:02\n"),
    ("2030-01-02 03:04:04", "Report  in 00:00:01\n"),
    ("2030-01-02 03:05:05", "Report  over, 00:01:00 ago\n"),
  ])
  func `a deadline is counted down to the second, and then it is over`(
    time: String, line: String
  ) throws {
    try addReport()
    try expect(home.done("countdown", "Report", "--at", time), is: line)
    expect(try home.done("countdown", "Report", "--at", "2030-01-02 03:04:05").contains("over"))
  }

  @Test func `a deadline that is over stands so in the list, and a late one is warned about`()
    throws
  {
    try addReport()
    let over = try home.done("event", "list", "--at", "2031-01-01")
    expect(over.contains("\tover\tReport\t"))
    let late = try home.run(["event", "add", "Late", "--on", "2020-01-01", "--deadline"])
    expect(late.err.contains("The deadline is over already."))
  }

  @Test func `what is done is out of the agenda, until it is undone`() throws {
    try addReport()
    try home.done("event", "done", "Report")
    try expect(event("Report")["state"], is: "done")
    expect(try home.done("agenda", "--from", "2030-01-01", "--to", "2030-01-03").isEmpty)
    try home.done("event", "done", "Report", "--undo")
    try expect(event("Report")["state"], is: "upcoming")
  }

  @Test func `an image comes back byte for byte, and replaces no file`() throws {
    try addReport()
    try expect(home.run("event", "image", "Report").output, is: Self.png)
    let copy = home.path + "/copy.png"
    try home.done("event", "image", "Report", "--output", copy)
    try expect(home.bytes(of: "copy.png"), is: Self.png)
    try home.refusal(.refused, "event", "image", "Report", "--output", copy)
    let message = try home.refusal(.notFound, "event", "image", "Nothing")
    expect(message.contains("no event"))
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

  // MARK: Fields

  private func addPlan() throws {
    let image = try home.write(
      Array("GIF89a".utf8) + [3, 0, 2, 0] + Array(",rest".utf8), as: "photo.gif")
    try home.done("event", "add", "Plan", "--on", "2031-05-05")
    try home.done(
      "event", "edit", "plan", "--title", "Plan B", "--on", "2032-06-06 10:00", "--text-color",
      "Teal", "--notes", "one\ntwo", "--image", image, "--repeat", "2 weeks", "--alert",
      "1 week before", "--alert", "on the day at 9:00")
  }

  @Test func `every field is edited and kept`() throws {
    try addPlan()
    let full = try event("Plan B")
    expect(full["at"] == "2032-06-06T09:00:00Z" && full["date"] == .null)
    expect(full["color"] == "teal" && full["notes"] == "one\ntwo")
    expect(full["alerts"], is: ["1 week before", "on the day at 09:00"])
    expect(full["repeat"] == "every 2 weeks" && full["hasImage"] == true)
    try expect(home.run("event", "image", "Plan B").output.count, is: 15)
    try expect(home.json("verify")["isSound"], is: true)
  }

  @Test func `an alert is added to those there are, each once`() throws {
    try addPlan()
    try home.done("event", "edit", "Plan B", "--alert", "1 week before", "--alert", "at the time")
    try expect(event("Plan B")["alerts"]?.array?.count, is: 3)
  }

  @Test func `every field is taken away`() throws {
    try addPlan()
    try home.done(
      "event", "edit", "Plan B", "--repeat", "none", "--no-alert", "--no-image", "--text-color",
      "none", "--notes", "", "--deadline", "--on", "2033-01-01")
    let bare = try event("Plan B")
    expect(bare["deadline"] == true && bare["repeat"] == .null && bare["alerts"] == [])
    expect(bare["hasImage"] == false && bare["color"] == .null && bare["date"] == "2033-01-01")
    expect(bare["notes"], is: "")
    try home.done("event", "edit", "Plan B", "--no-deadline")
    try expect(event("Plan B")["deadline"], is: false)
    try expect(home.json("verify")["isSound"], is: true)
  }

  @Test func `an edit of nothing is refused, and one that is misspelt is corrected`() throws {
    try addPlan()
    expect(
      try home.refusal(.usage, "event", "edit", "Plan B").contains("nothing is named"))
    let message = try home.refusal(.usage, "event", "edit", "Plan B", "--alert", "none")
    expect(message.contains("--no-alert"))
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
    try home.done("event", "add", "Again", "--on", "2030-01-31", "--repeat", span)
    let found = try home.json(
      "agenda", "--from", "2030-01-01", "--to", "2033-01-01", "--limit", "3", "--no-alerts")
    expect(found.array?.compactMap { $0["date"]?.string }, is: dates)
  }

  @Test(
    arguments: [
      (["--on", "tomorrow", "--repeat", "fortnight"], "did you mean 'every fortnight'?"),
      (["--on", "tomorrow", "--alert", "soon"], "'1 week before'"),
      (["--on", "tomorrow", "--text-color", "puce"], "#rrggbb or one of red"),
      (["--on", "2026-02-30"], "the month ends on day 28"),
      (["--on", "tomorrow", "--repeat", "daily", "--deadline"], "a deadline cannot be repeated"),
      ([], "--on 2036-06-15"),
      (["--on", "tomorrow", "--image", "/dev/null"], "JPEG, PNG"),
    ])
  func `what cannot be kept is refused with what is accepted`(words: [String], hint: String) throws
  {
    let run = try home.run(["event", "add", "X"] + words)
    expect(run.code == (words.contains("--image") ? .refused : .usage), "\(run.err)")
    expect(run.err.contains(hint), "\(run.err)")
    try expect(events(), is: [])
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

  /// A birthday on a leap day, a rent with an alert, and a capsule.
  private func addTimeline() throws {
    try home.done("event", "add", "Birth", "--on", "2016-02-29", "--repeat", "yearly")
    try home.done(
      "event", "add", "Rent", "--on", "2026-01-31 09:30", "--repeat", "monthly", "--alert",
      "1 day before at 18:00")
    try home.create("Letter", "--unlock", "2030-02-28 12:00", "--text", "x")
  }

  @Test func `an agenda has events, alerts and capsules in order`() throws {
    try addTimeline()
    let days = ["--from", "2030-02-27", "--to", "2030-02-28"]
    let agenda = try require(try home.run(["agenda", "--json"] + days).json().array)
    expect(agenda.compactMap { $0["what"]?.string }, is: ["alert", "event", "event", "unlock"])
    expect(
      agenda.compactMap { $0["date"]?.string ?? $0["at"]?.string },
      is: [
        "2030-02-27T18:00:00Z", "2030-02-28", "2030-02-28T09:30:00Z", "2030-02-28T12:00:00Z",
      ])
    let capsules = try home.run(["agenda", "--json", "--kind", "capsule"] + days)
    try expect(capsules.json().array?.count, is: 1)
  }

  @Test func `an agenda begins with deadlines that were missed, until they are met`() throws {
    home.now = "2026-03-10T12:00:00Z"
    try home.done("event", "add", "Tax", "--on", "2026-03-07", "--deadline")
    try home.done("event", "add", "Talk", "--on", "2026-03-10 09:15:30", "--deadline")
    try home.done("event", "add", "Walk", "--on", "2026-03-10")
    try home.done("event", "add", "Was", "--on", "2026-03-09")
    let agenda = try home.done("agenda")
    let id = try require(try event("Tax")["id"]?.string)
    expect(agenda.hasPrefix("2026-03-07\t\tdeadline\tTax\toverdue, 3 days ago\t\(id)\n"))
    try expect(home.strings("title", "agenda"), is: ["Tax", "Walk", "Talk"])
    try expect(home.strings("title", "next", "--limit", "3"), is: ["Tax", "Talk", "Walk"])
    try expect(home.json("next").array?.first?["overdue"], is: true)
    try expect(home.done("status"), is: "Tax overdue, 3 days ago\n")
    expect(try home.strings("title", "agenda", "--from", "tomorrow").isEmpty)
    try home.done("event", "done", "Tax")
    try expect(home.strings("title", "agenda"), is: ["Walk", "Talk"])
    home.columns = 80
    let lines = try home.done("agenda", "--color", "never").split(separator: "\n")
    expect(lines[1], is: "  all day   Walk  event")
    expect(lines[2].hasPrefix("  09:15:30  Talk  deadline, overdue, 2 hours 4"))
  }

  @Test(
    arguments: [
      (["june"], ["June first", "June last"]), (["June", "2030"], ["June first", "June last"]),
      (["2030-06"], ["June first", "June last"]), (["2030-07-01"], ["July"]),
      (["2030"], ["May", "June first", "June last", "July"]),
      (["2030-W26"], ["June last"]), (["next", "month"], ["July"]), (["week"], ["June last"]),
      (["--from", "2030-06-01", "--days", "29"], ["June first"]),
      (["--from", "2030-06-01", "--days", "30"], ["June first", "June last"]),
    ])
  func `an agenda is of a period by its name, or of so many days`(
    words: [String], titles: [String]
  ) throws {
    home.now = "2030-06-26T12:00:00Z"
    for (title, date) in [
      ("May", "2030-05-31"), ("June first", "2030-06-01"), ("June last", "2030-06-30"),
      ("July", "2030-07-01"),
    ] {
      try home.done("event", "add", title, "--on", date)
    }
    try expect(
      home.json(["agenda"] + words).array?.compactMap { $0["title"]?.string }, is: titles)
  }

  @Test(
    arguments: [
      ["june", "--days", "3"], ["june", "--from", "today"], ["june", "--to", "today"],
      ["--days", "3", "--to", "today"], ["--days", "0"], ["nonsense"],
    ])
  func `an agenda is of one period`(words: [String]) throws {
    try expect(home.run(["agenda"] + words).code, is: .usage)
  }

  @Test func `of a birthday the age is said, and the next one where it is added`() throws {
    home.now = "2030-06-08T12:00:00Z"
    let added = try home.run([
      "event", "add", "Mia", "--on", "2018-06-15", "--repeat", "yearly", "--alert",
      "1 week before",
    ])
    expect(
      added.err.contains("Repeated yearly: next on Sat 15 Jun 2030, in 7 days, 12 years\n"),
      "\(added.err)")
    try expect(event("Mia")["years"], is: 12)
    let next = try require(try home.json("next", "--limit", "2").array)
    expect(next.map { $0["years"] }, is: [12, 13])
    expect(try home.done("next").hasSuffix("  event, yearly, 12 years\n"))
    expect(try home.done("agenda", "june").contains("\tMia\tyearly, 12 years\t"))
    expect(try home.done("event", "show", "Mia").contains("Sat 15 Jun 2030, in 7 days, 12 years"))
    expect(
      try home.done("check", "--dry-run", "--at", "2030-06-09").isEmpty)
    try home.done("event", "add", "Once", "--on", "2018-06-15")
    try expect(event("Once")["years"], is: .null)
  }

  @Test func `a day of the week is taken from the date on, and said`() throws {
    home.now = "2030-06-08T12:00:00Z"
    let added = try home.run([
      "event", "add", "Club", "--on", "2030-06-12 19:00", "--repeat", "every 2nd tuesday",
    ])
    expect(
      added.err.contains("On Tue 9 Jul 2030 19:00 BST, in 1 month 1 day; the first such day\n"),
      "\(added.err)")
    expect(
      added.err.contains(
        "Repeated on the 2nd Tuesday of the month: next on Tue 9 Jul 2030 19:00 BST"))
    let days = try home.json(
      "agenda", "--from", "2030-06-01", "--to", "2030-12-31", "--limit", "4")
    expect(
      days.array?.compactMap { $0["day"]?.string },
      is: ["2030-07-09", "2030-08-13", "2030-09-10", "2030-10-08"])
    try home.done("event", "edit", "Club", "--repeat", "weekdays")
    try expect(event("Club")["repeat"], is: "weekdays")
    try expect(home.json("verify")["isSound"], is: true)
  }

  @Test func `a leap day falls where the setting says`() throws {
    try addTimeline()
    try home.done("settings", "set", "leapDay", "mar1")
    try expect(
      home.strings("title", "agenda", "--from", "2030-03-01", "--to", "2030-03-01").first,
      is: "Birth")
    let past = try require(try home.json("on-this-day", "2030-03-01").array)
    expect(past.map { $0["years"] }, is: [14])
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

  @Test func `on a terminal the agenda stands by days, today marked`() throws {
    try home.done("event", "add", "Now", "--on", "today", "--text-color", "#ff8800")
    try home.done("event", "add", "Then", "--on", "tomorrow")
    home.columns = 80
    let lines = try home.done("agenda", "--color", "never").split(
      separator: "\n", omittingEmptySubsequences: false)
    try require(lines.count >= 5, "\(lines)")
    expect(lines[0].hasSuffix("  today") && lines[1] == "  all day  Now  event")
    expect(lines[2].isEmpty && lines[3].hasSuffix("  tomorrow"))
    expect(lines[4], is: "  all day  Then  event")
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
