import CapsuleCore
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// `event import`, in calendars as programs write them.
@Suite struct EventImportTests {
  private let home: HostedStore

  init() throws { home = try HostedStore(zone: "Europe/London") }

  private static let samples = URL(filePath: BuiltProgram.packageRoot + "Fuzz/corpus/calendar")

  private func sample(_ name: String) -> String {
    Self.samples.appending(path: name + ".ics").path(percentEncoded: false)
  }

  private func calendar(_ lines: [String], as name: String = "a.ics") throws -> String {
    let all =
      ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Example//EN"] + lines + ["END:VCALENDAR"]
    return try home.write(all.joined(separator: "\r\n") + "\r\n", as: name)
  }

  private func entry(_ lines: String...) -> [String] {
    ["BEGIN:VEVENT"] + lines + ["END:VEVENT"]
  }

  private func titles() throws -> [String] {
    try home.json("event", "list", "--sort", "title").array.map { list in
      list.compactMap { $0["title"]?.string }
    } ?? []
  }

  private func event(_ title: String) throws -> JSON { try home.json("event", "show", title) }

  @Test func `a time that the clocks skip or show twice is warned about`() throws {
    let file = try calendar(
      entry("UID:g", "SUMMARY:Gap", "DTSTART;TZID=Europe/Paris:20270328T023000")
        + entry("UID:t", "SUMMARY:Twice", "DTSTART:20271031T013000")
        + entry("UID:o", "SUMMARY:Once", "DTSTART:20271031T033000"))
    let answer = home.run(["event", "import", file], input: "")
    expect(answer.code, is: .ok)
    expect(answer.err.contains("a.ics:7: 'Gap' is 60 minutes later: the clocks skip its time"))
    expect(answer.err.contains("a.ics:12: 'Twice' is at the first of two"))
    expect(!answer.err.contains("Once"))
    try expect(event("Gap")["at"], is: "2027-03-28T01:30:00Z")
    try expect(event("Twice")["at"], is: "2027-10-31T00:30:00Z")
  }

  @Test func `a deadline that was met is met in the store that imports it too`() throws {
    try home.done("event", "add", "Tax", "--on", "2026-01-01", "--deadline")
    try home.done("event", "done", "Tax")
    let doneAt = try require(try event("Tax")["doneAt"]?.string)
    try home.done("export", "ics", "--output", home.path + "/x.ics")
    let other = try HostedStore(zone: "Asia/Kathmandu")
    try other.done("event", "import", home.path + "/x.ics")
    try expect(other.json("event", "show", "Tax")["doneAt"]?.string, is: doneAt)
    func again() -> String { other.run(["event", "import", home.path + "/x.ics"], input: "").err }
    expect(again().contains("1 unchanged"))
    // A calendar that keeps nothing of it takes nothing back.
    try home.replace("X-CAPSULE-DONE", with: "X-OTHER", in: "x.ics")
    expect(again().contains("1 unchanged"))
    try expect(other.json("event", "show", "Tax")["doneAt"]?.string, is: doneAt)
  }

  // MARK: As programs write them

  @Test func `an entry of khal is an event with its place, rule and alarm`() throws {
    try home.done("event", "import", sample("khal"))
    let event = try event("Choir")
    expect(event["at"], is: "2036-06-17T18:30:00Z")
    expect(event["eventZone"], is: "Europe/London")
    expect(event["repeat"], is: "every Tuesday")
    expect(event["alerts"], is: ["30 minutes before"])
    expect(event["notes"], is: "Bring the second, blue book\nLocation: Town hall")
    expect(event["uid"], is: "QZ2VN5JWKX0E7P1C4RDT8MFL3HB6YAGS9U")
  }

  @Test func `a task of Radicale is a deadline, done where it is completed`() throws {
    let run = try home.run("event", "import", sample("radicale"))
    expect(run.exitCode, is: 0)
    expect(run.err.contains("radicale.ics:28: 'Read more' is left out: it is a task"))
    let tax = try event("Tax return")
    expect(tax["deadline"] == true && tax["date"] == "2036-07-31")
    expect(tax["alerts"], is: ["1 week before"])
    try expect(event("Renew the passport")["doneAt"], is: "2026-01-20T09:30:00Z")
    try expect(titles(), is: ["Renew the passport", "Tax return"])
  }

  @Test func `of Google's export what no event says is told with its line, and ends with 3`() throws
  {
    let run = try home.run("event", "import", sample("google"))
    expect(run.exitCode, is: 3)
    expect(run.err.contains("google.ics:50: 'Evening class' stands once: no event is repeated by"))
    expect(run.err.contains("google.ics:59: 'Evening class (moved)' stands by itself"))
    expect(run.err.contains("'Picnic' is left out: it is cancelled"))
    try expect(
      titles(), is: ["Evening class", "Evening class (moved)", "Mia's birthday"])
    let birthday = try event("Mia's birthday")
    expect(birthday["repeat"], is: "yearly")
    expect(birthday["alerts"], is: ["2 days before at 15:00"])
  }

  @Test func `an entry of Apple has its own alarm, and not the one that is none`() throws {
    try home.done("event", "import", sample("apple"))
    let event = try event("Café chez Zoë")
    expect(event["at"], is: "2036-06-15T07:00:00Z")
    expect(event["alerts"], is: ["1 hour before"])
    expect(event["notes"], is: "Location: 12 rue des Lilas 75000 Paris")
  }

  @Test func `a zone that is not known is taken from the file`() throws {
    try home.done("event", "import", sample("nextcloud"))
    let event = try event("Book club")
    expect(event["at"], is: "2036-06-03T18:00:00Z")
    expect(event["eventZone"], is: "<+0100>-1<+0200>,M3.5.0,M10.5.0/3")
    expect(event["repeat"] == "1st Tuesday of the month" && event["color"] == "teal")
  }

  @Test func `a zone is that of its own calendar, whatever another one calls so`() throws {
    func calendar(_ title: String, _ offset: String) -> String {
      (["BEGIN:VCALENDAR"] + zone(offset)
        + entry("UID:\(title)", "SUMMARY:\(title)", "DTSTART;TZID=Own Zone:20300701T090000")
        + ["END:VCALENDAR", ""]).joined(separator: "\r\n")
    }
    let file = try home.write(calendar("First", "+0100") + calendar("Second", "+0500"), as: "a.ics")
    try home.done("event", "import", file)
    try expect(event("First")["at"], is: "2030-07-01T08:00:00Z")
    try expect(event("Second")["at"], is: "2030-07-01T04:00:00Z")
  }

  @Test func `a zone that only another calendar describes is refused by its line`() throws {
    let lines =
      ["BEGIN:VCALENDAR"] + zone("+0100") + ["END:VCALENDAR", "BEGIN:VCALENDAR"]
      + entry("UID:u", "DTSTART;TZID=Own Zone:20300701T090000") + ["END:VCALENDAR", ""]
    let run = try home.run(
      "event", "import", try home.write(lines.joined(separator: "\r\n"), as: "a.ics"))
    expect(run.exitCode, is: Int32(ExitCode.refused.rawValue))
    expect(
      run.err.contains("a.ics:12: an entry without a title cannot be read: the zone 'Own Zone' is"))
  }

  private func zone(_ offset: String) -> [String] {
    [
      "BEGIN:VTIMEZONE", "TZID:Own Zone", "BEGIN:STANDARD", "DTSTART:16010101T000000",
      "TZOFFSETFROM:\(offset)", "TZOFFSETTO:\(offset)", "END:STANDARD", "END:VTIMEZONE",
    ]
  }

  // MARK: Tasks

  private func task(_ lines: String...) -> [String] {
    ["BEGIN:VTODO", "UID:t", "SUMMARY:Task"] + lines + ["END:VTODO"]
  }

  private func alarm(_ trigger: String) -> [String] {
    ["BEGIN:VALARM", "ACTION:DISPLAY", trigger, "END:VALARM"]
  }

  @Test func `the alarm of a task is counted from its start, or from when it is due`() throws {
    let lines =
      ["BEGIN:VTODO", "UID:t", "SUMMARY:Task", "DTSTART:20300601T090000Z", "DUE:20300630T090000Z"]
      + alarm("TRIGGER:-P1D") + alarm("TRIGGER;RELATED=END:-PT2H") + ["END:VTODO"]
      + ["BEGIN:VTODO", "UID:u", "SUMMARY:No start", "DUE:20300630T090000Z"]
      + alarm("TRIGGER:-P1D") + ["END:VTODO"]
    try home.done("event", "import", calendar(lines))
    let task = try event("Task")
    expect(task["at"] == "2030-06-30T09:00:00Z" && task["deadline"] == true)
    expect(task["alerts"], is: ["30 days before", "2 hours before"])
    try expect(event("No start")["alerts"], is: ["1 day before"])
  }

  @Test(
    arguments: [
      ("DTSTART:20300601T090000Z", "P5D", "2030-06-06T09:00:00Z"),
      // The clocks of London change on 31 March: days are of the clocks, hours are exact.
      ("DTSTART;TZID=Europe/London:20300330T090000", "P1DT2H", "2030-03-31T10:00:00Z"),
      ("DTSTART;TZID=Europe/London:20300330T180000", "PT12H", "2030-03-31T06:00:00Z"),
      ("DTSTART;VALUE=DATE:20300601", "P1W", "2030-06-08"),
    ])
  func `a task with a start and a duration is due at its end`(
    start: String, duration: String, due: String
  ) throws {
    try home.done("event", "import", calendar(task(start, "DURATION:\(duration)")))
    let event = try event("Task")
    expect(event["at"]?.string ?? event["date"]?.string, is: due)
    expect(event["deadline"] == true)
  }

  @Test(arguments: [["DTSTART:20300601T090000Z"], ["DTSTART:20300601T090000Z", "DURATION:-P5D"]])
  func `a task with a start alone is due at no time`(lines: [String]) throws {
    let run = try home.run(
      "event", "import",
      calendar(["BEGIN:VTODO", "UID:t", "SUMMARY:Task"] + lines + ["END:VTODO"]))
    expect(run.exitCode == 0 && run.err.contains("it is a task that is due at no time"))
    expect(try titles().isEmpty)
  }

  // MARK: Again

  @Test(arguments: ["khal", "radicale", "google", "apple", "nextcloud", "holidays"])
  func `importing twice adds and changes nothing`(name: String) throws {
    _ = try home.run("event", "import", sample(name))
    let before = try home.json("event", "list")
    let run = try home.run("event", "import", sample(name))
    expect(run.err.contains("0 added, 0 updated"))
    try expect(home.json("event", "list"), is: before)
  }

  @Test func `a higher sequence or a later change updates, and a lower one does not`() throws {
    func file(_ title: String, _ version: String...) throws -> String {
      try calendar(
        ["BEGIN:VEVENT", "UID:u1", "DTSTART;VALUE=DATE:20360615", "SUMMARY:\(title)"] + version
          + ["END:VEVENT"])
    }
    try home.done("event", "import", file("First", "SEQUENCE:1", "LAST-MODIFIED:20250101T000000Z"))
    try home.done("event", "edit", "First", "--text-color", "red")
    try home.done("event", "import", file("Old", "SEQUENCE:0", "LAST-MODIFIED:20260101T000000Z"))
    try expect(titles(), is: ["First"])
    let run = try home.run(
      "event", "import", file("Second", "SEQUENCE:1", "LAST-MODIFIED:20250201T000000Z"))
    expect(run.out.contains("Updated 'Second'") && run.out.contains("First → Second"))
    try home.done("event", "import", file("Third", "SEQUENCE:2"))
    try expect(titles(), is: ["Third"])
    try expect(event("Third")["color"], is: "red")
  }

  @Test func `of two entries with one UID the newer counts`() throws {
    let file = try calendar(
      entry("UID:u", "DTSTART:20360615", "SUMMARY:New", "SEQUENCE:2")
        + entry("UID:u", "DTSTART:20360615", "SUMMARY:Old", "SEQUENCE:1"))
    let run = try home.run("event", "import", file)
    expect(run.exitCode == 0 && run.err.contains("the entry at line 4 has the same UID"))
    try expect(titles(), is: ["New"])
  }

  @Test func `an entry without a UID is known by its title and start`() throws {
    let file = try calendar(entry("DTSTART:20360615", "SUMMARY:Feast"))
    try home.done("event", "import", file)
    try home.done("event", "import", file)
    try expect(titles(), is: ["Feast"])
  }

  @Test func `entries without a UID are other ones in other zones and of other kinds`() throws {
    let lines =
      entry("DTSTART;TZID=Europe/Paris:20300101T090000", "SUMMARY:Call")
      + entry("DTSTART;TZID=America/New_York:20300101T090000", "SUMMARY:Call")
      + ["BEGIN:VTODO", "DUE:20300101T090000Z", "SUMMARY:Pay", "END:VTODO"]
      + entry("DTSTART:20300101T090000Z", "SUMMARY:Pay")
    let file = try calendar(lines)
    try home.done("event", "import", file)
    try expect(titles(), is: ["Call", "Call", "Pay", "Pay"])
    let run = try home.run("event", "import", file)
    expect(run.exitCode == 0 && run.err.contains("0 added, 0 updated, 4 unchanged, 0 skipped."))
    let twice = try home.run("event", "import", calendar(lines + lines, as: "b.ics"))
    expect(twice.err.contains("the entry at line 20 has the same title and start, and counts"))
  }

  @Test func `an entry without a UID that was imported by its bare start is found again`() throws {
    // The key of both before zones and kinds were part of it, as the UID of an event in Paris.
    let key = "3ac6b125871f2254a79dad3b26e54588"
    try home.done(
      "event", "import",
      calendar(
        entry("UID:\(key)", "DTSTART;TZID=Europe/Paris:20300101T090000", "SUMMARY:Call"),
        as: "o.ics"))
    let lines =
      entry("DTSTART;TZID=America/New_York:20300101T090000", "SUMMARY:Call")
      + entry("DTSTART;TZID=Europe/Paris:20300101T090000", "SUMMARY:Call")
    let run = try home.run("event", "import", calendar(lines))
    expect(run.err.contains("1 added, 0 updated, 1 unchanged, 0 skipped."))
    let again = try home.run("event", "import", calendar(lines))
    expect(again.err.contains("0 added, 0 updated, 2 unchanged, 0 skipped."))
  }

  // MARK: Round trip

  /// Events of every kind that `export ics` writes.
  private func addAll() throws {
    let events = [
      ["Day", "--on", "2036-06-15"],
      ["Time", "--on", "2036-06-15 09:00", "--alert", "1 day before", "--alert", "1 hour before"],
      ["Far", "--on", "2036-10-27T09:00[Europe/Paris]", "--alert", "1 month before"],
      ["Deadline", "--on", "2036-06-15", "--deadline", "--alert", "on the day at 09:00"],
      ["Daily", "--on", "2036-06-15 09:00", "--repeat", "daily"],
      ["Fortnight", "--on", "2036-06-15", "--repeat", "2 weeks"],
      ["Weekdays", "--on", "2036-06-16 09:00", "--repeat", "weekdays"],
      ["Sundays", "--on", "2036-06-15", "--repeat", "every other sunday"],
      ["Nth", "--on", "2036-06-01 19:00", "--repeat", "2nd tuesday of the month"],
      ["Last", "--on", "2036-06-01", "--repeat", "every 3 months on the last friday"],
      ["31st", "--on", "2036-01-31 09:00", "--repeat", "monthly", "--alert", "1 month before"],
      ["Leap", "--on", "2036-02-29", "--repeat", "yearly", "--alert", "1 day before at 18:00"],
      ["Birthday, with; signs\\", "--on", "2018-06-15", "--repeat", "yearly"],
      ["Tokyo", "--on", "2036-06-15T09:00[Asia/Tokyo]", "--repeat", "weekly"],
      ["Notes", "--on", "2036-06-15", "--notes", "a\nb, c; d\\n", "--text-color", "red"],
      ["Amber", "--on", "2036-06-15", "--text-color", "#ffb300"],
    ]
    for words in events {
      try home.done(["event", "add"] + words)
      try home.pass(seconds: 1)
    }
  }

  @Test func `an export that is imported into its own store changes nothing`() throws {
    try addAll()
    let before = try home.json("event", "list")
    let file = try home.write(try home.done("export", "ics"), as: "out.ics")
    let run = try home.run("event", "import", file)
    expect(run.exitCode == 0 && run.err.contains("0 added, 0 updated, 16 unchanged, 0 skipped."))
    try expect(home.json("event", "list"), is: before)
  }

  @Test func `an export that is imported into an empty store is exported the same`() throws {
    /// The lines, without the stamps of the store.
    func lines(_ text: String) -> [Substring] {
      text.split(separator: "\r\n").filter { line in
        !["DTSTAMP:", "CREATED:", "LAST-MODIFIED:", "SEQUENCE:"].contains { line.hasPrefix($0) }
      }
    }
    try addAll()
    let first = try home.done("export", "ics")
    let other = try HostedStore(zone: "Europe/London")
    let run = try other.run("event", "import", try home.write(first, as: "out.ics"))
    expect(run.exitCode, is: 0, "\(run.err)")
    expect(lines(try other.done("export", "ics")), is: lines(first))
    let again = try other.run(
      "event", "import", try home.write(try other.done("export", "ics"), as: "again.ics"))
    expect(again.err.contains("0 added, 0 updated, 16 unchanged, 0 skipped."))
  }

  /// Exports an event, and imports it into a new store.
  private func brought(_ words: String..., change: (String) -> String = { $0 }) throws -> JSON {
    try home.done(["event", "add", "Event"] + words)
    let other = try HostedStore(zone: "Asia/Kathmandu")
    let text = change(try home.done("export", "ics"))
    try other.done("event", "import", home.write(text, as: "out.ics"))
    return try other.json("event", "show", "Event")
  }

  @Test(
    arguments: [
      "on the day at 09:00", "2 months before at 00:30", "1 year before", "36 hours before",
      "1 day before at 18:00", "1 week before",
    ])
  func `an alert of what comes once, and its zone, go to another store`(alert: String) throws {
    // It is the day before in UTC.
    let event = try brought("--on", "2027-06-10T01:00[Europe/Paris]", "--alert", alert)
    expect(event["alerts"], is: [.string(alert)])
    expect(event["eventZone"] == "Europe/Paris" && event["at"] == "2027-06-09T23:00:00Z")
  }

  @Test(arguments: [[], ["--repeat", "monthly"]])
  func `an alarm that another program moved is due when its trigger says`(rule: [String]) throws {
    try home.done(
      ["event", "add", "Event", "--on", "2027-06-15 09:00", "--alert", "1 month before"] + rule)
    let text = try home.done("export", "ics").replacing(":-P31D", with: ":-P3D")
    expect(text.contains("X-CAPSULE-ALERT=\"1 month before\":-P3D"))
    let other = try HostedStore(zone: "Asia/Kathmandu")
    // The occurrences of months of another length stand on their own.
    let end = try require(text.range(of: "END:VEVENT")?.upperBound)
    let alone = text[..<end] + "\r\nEND:VCALENDAR\r\n"
    try other.done("event", "import", home.write(String(alone), as: "out.ics"))
    try expect(other.json("event", "show", "Event")["alerts"], is: ["3 days before"])
  }

  @Test func `an occurrence that another program changed or cancelled is told with its line`()
    throws
  {
    try home.done(
      "event", "add", "Rent", "--on", "2027-01-15", "--repeat", "monthly", "--alert",
      "1 month before")
    let text = try home.done("export", "ics")
    /// Changes the first occurrence that stands on its own, and imports the calendar.
    func told(_ old: String, _ new: String) throws -> String {
      let start = try require(text.range(of: "RECURRENCE-ID")?.lowerBound)
      let place = try require(text.range(of: old, range: start..<text.endIndex))
      let changed = text.replacingCharacters(in: place, with: new)
      let other = try HostedStore(zone: "Europe/London")
      let run = try other.run("event", "import", home.write(changed, as: "out.ics"))
      expect(run.exitCode, is: 3)
      return run.err
    }
    let whole = try HostedStore(zone: "Europe/London")
    let run = try whole.run("event", "import", home.write(text, as: "whole.ics"))
    expect(run.exitCode == 0 && run.err.contains("1 added, 0 updated, 0 unchanged, 0 skipped."))
    for (old, new) in [
      ("SUMMARY:Rent", "SUMMARY:Rent, dearer"),
      ("SUMMARY:Rent", "SUMMARY:Rent\r\nDESCRIPTION:in cash"),
      ("CATEGORIES:event", "CATEGORIES:event,home"),
    ] {
      expect(try told(old, new).contains("stands by itself: it is one occurrence"), "\(new)")
    }
    expect(
      try told("CATEGORIES:event", "STATUS:CANCELLED\r\nCATEGORIES:event").contains(
        "'Rent' is left out: it is cancelled; the event that is repeated comes at its time too"))
  }

  @Test(arguments: [
    ("mar1", "feb28", "28 February", "1 March"), ("feb28", "mar1", "1 March", "28 February"),
  ])
  func `a 29 February that comes on another day of other years than its calendar says is told`(
    ours: String, theirs: String, taken: String, said: String
  ) throws {
    try home.done("settings", "set", "leapDay", ours)
    try home.done("event", "add", "Leap", "--on", "2028-02-29", "--repeat", "yearly")
    let file = try home.write(try home.done("export", "ics"), as: "out.ics")
    let other = try HostedStore(zone: "Europe/London")
    try other.done("settings", "set", "leapDay", theirs)
    let run = try other.run("event", "import", file)
    expect(run.exitCode, is: 3)
    expect(
      run.err.contains(
        "comes on \(taken) of years without 29 February, where its rule says \(said)"))
    expect(run.err.contains("capsule settings set leapDay \(ours)"))
    try expect(other.json("event", "show", "Leap")["repeat"], is: "yearly")
    try expect(home.run("event", "import", file).exitCode, is: 0)
  }

  @Test func `a date of a capsule stays with the capsule`() throws {
    try home.done("create", "Letter", "--text", "hello", "--unlock", "2036-06-15")
    let file = try home.write(try home.done("export", "ics"), as: "out.ics")
    let run = try home.run("event", "import", file)
    expect(run.exitCode == 0 && run.err.contains("it is the date of a capsule"))
    expect(try titles().isEmpty)
  }

  // MARK: What is bad

  @Test func `what cannot be read is told with its file and line, and nothing is imported`() throws
  {
    let good = try calendar(entry("UID:g", "DTSTART:20360615", "SUMMARY:Good"), as: "good.ics")
    let bad = try calendar(
      entry("UID:b", "DTSTART:00000101", "SUMMARY:Zero")
        + entry("UID:c", "DTSTART;TZID=../../etc/passwd:20360615T090000")
        + entry("UID:d", "SUMMARY:No start") + ["BEGIN:VEVENT", "UID:e"], as: "bad.ics")
    let run = try home.run("event", "import", good, bad)
    expect(run.exitCode, is: Int32(ExitCode.refused.rawValue))
    expect(run.err.contains("bad.ics:6: this cannot be read: DTSTART '00000101' is no date"))
    expect(run.err.contains("bad.ics:11: 'Zone' "), is: false)
    expect(run.err.contains("the zone '../../etc/passwd' is neither known nor described"))
    expect(run.err.contains("bad.ics:13: this cannot be read: it has no DTSTART"))
    expect(run.err.contains("bad.ics:17: this cannot be read: 'VEVENT' has no end"))
    expect(run.err.contains("nothing was imported"))
    expect(try titles().isEmpty)
    let skipping = try home.run("event", "import", "--skip-bad", good, bad)
    expect(skipping.exitCode, is: 3)
    try expect(titles(), is: ["Good"])
  }

  @Test(arguments: ["", "\r\n", "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n"])
  func `a calendar without an event is none to be imported`(text: String) throws {
    let run = try home.run("event", "import", try home.write(text, as: "empty.ics"))
    expect(run.exitCode == 0 && run.err.contains("There is no event in it."))
  }

  @Test func `a file that is no calendar is refused`() throws {
    let file = try home.write("name,value\nring,3\n", as: "a.csv")
    let run = try home.run("event", "import", file)
    expect(run.exitCode, is: Int32(ExitCode.refused.rawValue))
    expect(run.err.contains("a.csv:1: this cannot be read: it belongs to no calendar"))
  }

  @Test func `control characters and Latin-1 are read, lines may end with CR alone`() throws {
    let text =
      "BEGIN:VCALENDAR\rBEGIN:VEVENT\rUID:u\rDTSTART:20360615\rSUMMARY:Caf\u{e9}\u{0}\u{1b}[31m\r"
      + "END:VEVENT\rEND:VCALENDAR\r"
    let file = try home.write(text.unicodeScalars.map { UInt8($0.value) }, as: "latin.ics")
    try home.done("event", "import", file)
    try expect(titles(), is: ["Café[31m"])
  }

  @Test func `components that stand too deep are passed over`() throws {
    let deep = (0..<2000).map { "BEGIN:X\($0)" }
    let file = try calendar(["BEGIN:VEVENT", "UID:u", "DTSTART:20360615"] + deep + ["END:VEVENT"])
    let run = try home.run("event", "import", file)
    expect(run.exitCode, is: Int32(ExitCode.refused.rawValue))
    expect(run.err.contains("has no end"))
  }

  @Test func `a dry run says what would be done, and makes nothing`() throws {
    let run = try home.run("event", "import", "--dry-run", sample("khal"))
    expect(run.out, is: "Would add 'Choir'\n")
    expect(run.err.contains("It would be: 1 added"))
    expect(try titles().isEmpty)
  }

  @Test func `standard input is read as a file is`() throws {
    let text = try String(contentsOfFile: sample("holidays"), encoding: .utf8)
    let real = try ProgramStore()
    try real.done("event", "import", "-", input: text)
    expect(try real.done("event", "list", "--plain").contains("Thanksgiving"))
  }
}
