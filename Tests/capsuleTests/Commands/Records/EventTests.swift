import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// The calendar as another program reads it.
@Suite struct EventTests {
  private let home: HostedStore

  init() throws { home = try HostedStore(zone: "Europe/London") }

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
