import CapsuleCore
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

@Suite struct DateCommandTests {
  static func run(_ arguments: [String], zone: String = "CET-1CEST,M3.5.0,M10.5.0/3")
    -> TestHost.Run
  {
    var host = TestHost()
    host.arguments = (["date"] + arguments).map { Array($0.utf8) }
    host.environment["TZ"] = zone
    host.now = "2026-12-15T08:00:00Z"
    return host.run()
  }

  @Test(arguments: [
    (["2036-06-15 09:00"], "Sun 15 Jun 2036 09:00 CEST (07:00Z), in 9 years 6 months\n"),
    (["15", "June", "2036", "9am"], "Sun 15 Jun 2036 09:00 CEST (07:00Z), in 9 years 6 months\n"),
    (["in", "3", "months"], "Mon 15 Mar 2027 09:00 CET (08:00Z), in 3 months\n"),
    (["--past", "90d"], "Wed 16 Sep 2026 09:00 CEST (07:00Z), 90 days ago (2 months 29 days)\n"),
    (["--", "@0"], "Thu 1 Jan 1970 01:00 CET (00:00Z), 56 years 11 months ago\n"),
    (
      ["2036-06-15"],
      "Sun 15 Jun 2036 00:00 CEST (14 Jun 2036 22:00Z), in 9 years 6 months; midnight at its start\n"
    ),
  ])
  func `what was understood is one line, absolute and relative`(words: [String], line: String) {
    let run = Self.run(words)
    expect(run.code, is: .ok)
    expect(run.out, is: line)
    expect(run.err.isEmpty)
  }

  @Test func `JSON has the instant, the local time, the date and what was assumed`() throws {
    let run = Self.run(["--json", "2036-06-15"])
    expect(run.code, is: .ok)
    let expected: JSON = [
      "assumptions": ["startOfDay"], "at": "2036-06-14T22:00:00Z",
      "atLocal": "2036-06-15T00:00:00+02:00", "clockChange": .null, "date": "2036-06-15",
      "duration": .null, "expression": "2036-06-15", "readIn": "CET-1CEST,M3.5.0,M10.5.0/3",
      "relative": "in 9 years 6 months", "secondsFromNow": 299_772_000, "shiftSeconds": 0,
      "weekday": "sunday", "zone": "CET-1CEST,M3.5.0,M10.5.0/3",
    ]
    try expect(run.json(), is: expected)
  }

  @Test func `a time that the clocks skip or show twice is warned about`() throws {
    let gap = Self.run(["2027-03-28", "02:30"])
    expect(gap.out.hasPrefix("Sun 28 Mar 2027 03:30 CEST (01:30Z), "))
    expect(gap.err.contains("the clocks skip that time"))
    let twice = Self.run(["--json", "2027-10-31", "02:30"])
    try expect(twice.json()["clockChange"], is: "twice")
    expect(twice.err.contains("the clocks show that time twice"))
  }

  @Test func `an ambiguous text is refused with both readings`() throws {
    let run = Self.run(["in", "5m"])
    expect(run.code, is: .usage)
    expect(run.out.isEmpty)
    expect(run.err.contains("'in 5min'") && run.err.contains("'in 5mo'"))
    let error = try Self.run(["--json", "in", "5m"]).errorJSON()["error"]
    expect(
      error?["readings"],
      is: [
        ["at": "2026-12-15T08:05:00Z", "expression": "in 5min"],
        ["at": "2027-05-15T07:00:00Z", "expression": "in 5mo"],
      ])
    expect(error?["position"], is: 4)
  }

  @Test(arguments: [
    ("tonihgt", "did you mean 'tonight' (Tue 15 Dec 2026 20:00 CET)?"),
    ("03/04/2044", "write '2044-04-03' (Sun 3 Apr 2044 00:00 CEST) or '2044-03-04' (Fri 4 Mar"),
    ("25/12", "did you mean '2026-12-25' (Fri 25 Dec 2026 00:00 CET)?"),
    ("end of mounth", "did you mean 'end of month' (Thu 31 Dec 2026 23:59:59 CET)?"),
  ])
  func `what is offered instead has the date that it gives`(text: String, hint: String) {
    let run = Self.run([text])
    expect(run.code, is: .usage)
    expect(run.err.contains("capsule: hint: \(hint)"), "\(run.err)")
  }

  @Test func `a duration is repeated, and in JSON written in ISO 8601`() throws {
    let run = Self.run(["--at", "2027-01-31 12:00", "in 1 month"])
    expect(run.out, is: "Sun 28 Feb 2027 12:00 CET (11:00Z), in 1 month (28 days)\n")
    let json = try Self.run(["--json", "90", "sec"]).json()
    expect(json["duration"], is: "PT90S")
    expect(json["relative"], is: "in 90 seconds")
  }

  @Test func `on the day itself a note says how today is written`() {
    let run = Self.run(["15 december"])
    expect(run.out.hasPrefix("Wed 15 Dec 2027 00:00 CET"))
    expect(run.out.contains("today is written 'today'"))
  }

  @Test(arguments: ["2036-02-30", "25:00", "2036-13-01", "10000", "garbage", "", "09:00 +3 days"])
  func `what is no date is a usage error with a way out`(text: String) {
    let run = Self.run([text])
    expect(run.code, is: .usage)
    expect(run.out.isEmpty)
    expect(run.err.hasPrefix("capsule: error: '\(text)' is no time for WHEN: "))
  }

  @Test func `a TZ that names no zone is warned about and never silently UTC`() {
    let run = Self.run(["now"], zone: "Nowhere,")
    expect(run.code, is: .ok)
    expect(run.err.contains("TZ is 'Nowhere,'"))
  }

  @Test func `the end of time has a local view that stays a right instant`() throws {
    let run = Self.run(["--json", "@253402300799"])
    try expect(run.json()["atLocal"], is: "9999-12-31T23:59:59+00:00")
  }
}
