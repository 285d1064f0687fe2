import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// What is imported of calendars that keep no standard.
@Suite struct CalendarLeniencyTests {
  private func imported(_ text: String) throws -> ImportedCalendar {
    try ImportedCalendar(file: text.split(separator: "\n").map(String.init))
  }

  private func titles(_ calendar: ImportedCalendar) -> [String] { calendar.events.map(\.title) }

  // MARK: Days

  private func event(_ lines: String...) throws -> Event {
    let found = try ImportedCalendar(["BEGIN:VEVENT", "UID:1"] + lines + ["END:VEVENT"])
    expect(found.problems, is: [])
    return try require(found.events.first)
  }

  @Test func `a date with a time behind it is a date`() throws {
    let found = try event("DTSTART;VALUE=DATE:20271222T000000", "DTEND;VALUE=DATE:20280101T000000")
    expect(found.moment, is: .day(try require(CivilDate(iso8601: "2027-12-22"))))
  }

  @Test(
    arguments: [
      ("DTSTART;TZID=Asia/Tokyo:20270719T000000", "DTEND;TZID=Asia/Tokyo:20270720T000000", true),
      ("DTSTART;TZID=Asia/Tokyo:20270719T090000", "X-MICROSOFT-CDO-ALLDAYEVENT:TRUE", true),
      ("DTSTART:20270719T000000Z", "X-MICROSOFT-CDO-ALLDAYEVENT:TRUE", true),
      ("DTSTART:20270719T150000Z", "X-MICROSOFT-CDO-ALLDAYEVENT:TRUE", false),
      ("DTSTART:20270719T000000", "DURATION:P1D", true),
      ("DTSTART:20270719T000000", "DURATION:PT1H", false),
      ("DTSTART:20270719T000000", "DTEND:20270719T010000", false),
      ("DTSTART:20270719T000000", "DTEND:20270719T000000", false),
      ("DTSTART:20270719T000000Z", "DTEND:20270720T000000Z", false),
      ("DTSTART;TZID=Asia/Tokyo:20270719T000000", "DTEND;TZID=Europe/Paris:20270720T000000", false),
      ("DTSTART:20270719T000000", "X-MICROSOFT-CDO-ALLDAYEVENT:FALSE", false),
    ])
  func `an event is all day as other programs mean it`(
    start: String, other: String, isAllDay: Bool
  ) throws {
    let found = try event(start, other)
    expect(found.moment.isAllDay, is: isAllDay)
    if isAllDay { expect(found.placed, is: "2027-07-19") }
  }

  @Test func `midnights that this program wrote stay times`() throws {
    let own = try ImportedCalendar([
      "PRODID:\(CalendarFile.product)", "BEGIN:VEVENT", "UID:1", "DTSTART:20270719T000000",
      "DTEND:20270720T000000", "END:VEVENT",
    ])
    expect(own.events.map(\.moment.isAllDay), is: [false])
  }

  @Test func `a birthday of 1604 is of no year`() throws {
    let found = try event(
      "SUMMARY:Kim's birthday", "DTSTART;X-APPLE-OMIT-YEAR=1604;VALUE=DATE:16040315",
      "RRULE:FREQ=YEARLY")
    expect(found.isYearUnknown)
    expect(found.recurrence?.words, is: "yearly")
    let calendar = EventCalendar(zone: .utc, leapDay: .february28) { _ in .utc }
    let schedule = found.timing.schedule(in: calendar)
    expect(
      schedule.years(at: try require(Array(schedule.walk(notOverAt: .epoch).prefix(9)).last)) == nil
    )
    // A date that is set has a year.
    var changed = found
    changed.moment = .day(try require(CivilDate(iso8601: "1980-03-15")))
    expect(!changed.isYearUnknown)
    // So has one that is not repeated, and another year.
    expect(try event("DTSTART;VALUE=DATE:16040315").isYearUnknown, is: false)
    expect(
      try event("DTSTART;VALUE=DATE:19700315", "RRULE:FREQ=YEARLY").isYearUnknown, is: false)
  }

  // MARK: Lines

  @Test func `a line that nobody needs costs that line`() throws {
    let found = try imported(
      """
      BEGIN:VCALENDAR
      BEGIN:VEVENT
      UID:1
      SUMMARY:Good
      DTSTART:20270104T090000Z
      X-APPLE-RADIUS=49.9
      ORGANIZER;CN="Mia
      the rest of a description
      BEGIN:VALARM
      TRIGGER:-PT15M
      ACTION
      END:VALARM
      END:VEVENT
      BEGIN:VEVENT
      UID:2
      SUMMARY:Other
      DTSTART:20270105T090000Z
      END:VEVENT
      END:VCALENDAR
      """)
    expect(titles(found), is: ["Good", "Other"])
    expect(found.events[0].alerts.map(\.description), is: ["15 minutes before"])
    expect(
      found.problems,
      is: [
        "6: is imported without this line, which is not a property",
        "7: is imported without this line, which is not a property",
        "8: is imported without this line, which is not a property",
        "11: is imported without this line, which is not a property",
      ])
    expect(
      found.steps[0].problems.map(\.weight), is: [.remark, .remark, .loss, .loss])
  }

  @Test func `a bad line between the entries is of the file`() throws {
    let found = try imported(
      """
      From: ada@example.org
      BEGIN:VCALENDAR
      nothing
      BEGIN:VEVENT
      UID:1
      SUMMARY:Good
      DTSTART:20270104T090000Z
      END:VEVENT
      END:VCALENDAR
      -- 
      """)
    expect(titles(found), is: ["Good"])
    expect(found.problems, is: [])
    expect(found.fileProblems.map(\.line), is: [1, 3, 10])
  }

  @Test(arguments: [0, 1, 2, 3]) func `a missing end costs nothing`(count: Int) throws {
    let lines = [
      "BEGIN:VCALENDAR", "BEGIN:VEVENT", "UID:1", "SUMMARY:Good", "DTSTART:20270104T090000Z",
      "BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER:-PT15M", "END:VALARM", "END:VEVENT",
      "END:VCALENDAR",
    ]
    let found = try ImportedCalendar(file: lines.dropLast(count))
    expect(titles(found), is: ["Good"])
    expect(found.events[0].alerts.count, is: 1)
    expect(found.fileProblems.map(\.line), is: count > 0 ? [1] : [])
    expect(
      found.problems, is: count > 1 ? ["2: is imported, although 'VEVENT' has no END line"] : [])
  }

  @Test func `an end that is missing between entries costs nothing`() throws {
    let found = try imported(
      """
      BEGIN:VCALENDAR
      BEGIN:VEVENT
      UID:1
      SUMMARY:First
      DTSTART:20270104T090000Z
      BEGIN:VALARM
      TRIGGER:-PT15M
      END:VEVENT
      BEGIN:VEVENT
      UID:2
      SUMMARY:Second
      DTSTART:20270105T090000Z
      BEGIN:VEVENT
      UID:3
      SUMMARY:Third
      DTSTART:20270106T090000Z
      END:VEVENT
      END:VCALENDAR
      """)
    expect(titles(found), is: ["First", "Second", "Third"])
    expect(
      found.problems,
      is: [
        "6: is imported, although 'VALARM' has no END line",
        "9: is imported, although 'VEVENT' has no END line",
      ])
  }

  @Test func `an entry with two starts is refused, and with the same twice it is not`() throws {
    let starts = [
      "DTSTART:20270104T090000Z\nDTSTART:20280104T090000Z", "DTSTART:20270104\nDTSTART:20270104",
    ]
    let found = try starts.map {
      try imported("BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\n\($0)\nEND:VEVENT\nEND:VCALENDAR")
    }
    expect(found[0].problems, is: ["5: two values of DTSTART"])
    expect(found[0].steps[0].problems.map(\.weight), is: [.bad])
    expect(found[1].events.count, is: 1)
  }

  @Test(
    arguments: [
      (
        ["UID:\(String(repeating: "u", count: 513))", "DTSTART:20270104"],
        "3: UID has more than 512 bytes"
      ),
      (["UID:1", "SUMMARY:S"], "2: no DTSTART"),
    ])
  func `an entry without a time, or with too long a UID, is refused`(lines: [String], said: String)
    throws
  {
    let found = try ImportedCalendar(["BEGIN:VEVENT"] + lines + ["END:VEVENT"])
    expect(found.events.isEmpty)
    expect(found.problems, is: [said])
  }

  @Test func `what is in an unknown character set, or too long, is left out`() throws {
    let found = try ImportedCalendar([
      "BEGIN:VEVENT", "UID:1", "SUMMARY:\(String(repeating: "é", count: 513))", "DTSTART:20270104",
      "DESCRIPTION;CHARSET=X-OWN;ENCODING=QUOTED-PRINTABLE:=E9", "END:VEVENT",
    ])
    expect(titles(found), is: [String(repeating: "é", count: 512)])
    expect(
      found.problems,
      is: [
        "4: is imported without the end of SUMMARY, which has more than 1024 bytes",
        "6: is imported without this line: unknown character set 'X-OWN'",
      ])
  }
}
