import CapsuleCalendar
import RoomTestHelpers
import TestSupport
import Testing

/// Rules by which things come again: as they are said, and the dates that they give.
@Suite struct RecurrenceTests {
  @Test(
    arguments: [
      ("every other week", "every 2 weeks"), ("fortnightly", "every 2 weeks"),
      ("every fortnight", "every 2 weeks"), ("Quarterly", "every 3 months"),
      ("every other day", "every 2 days"), ("every 2nd week", "every 2 weeks"),
      ("weekdays", "weekdays"), ("every weekday", "weekdays"), ("tuesdays", "every Tuesday"),
      ("monday, wed and FRI", "every Monday, Wednesday and Friday"),
      ("every friday and monday", "every Monday and Friday"),
      ("every weekend", "every Saturday and Sunday"),
      ("every other tuesday", "every 2 weeks on Tuesday"),
      ("every 3 weeks on weekdays", "every 3 weeks on weekdays"),
      ("weekly on thursday", "every Thursday"),
      ("every 2nd tuesday", "2nd Tuesday of the month"),
      ("last friday of the month", "last Friday of the month"),
      ("the first monday of each month", "1st Monday of the month"),
      ("monthly on the 3rd sunday", "3rd Sunday of the month"),
      ("quarterly on the last friday", "every 3 months on the last Friday"),
      ("4th thursday of every 2 months", "every 2 months on the 4th Thursday"),
    ])
  func `a rule is read, and read again as it is said`(text: String, words: String) throws {
    let rule = try require(Recurrence(words: text))
    expect(rule.words, is: words)
    expect(Recurrence(words: words), is: rule)
  }

  @Test(
    arguments: [
      "biweekly", "5th friday", "0th monday", "last", "2nd", "every 2nd", "every other",
      "daily on monday", "yearly on the last friday", "monday of", "monday or friday",
      "last friday of the year", "last friday of", "weekdays of the month", "1001 weeks on monday",
      "every 2 weeks on", "and monday", "every monday and 2nd tuesday",
    ])
  func `what is no rule, or could be two, is refused`(text: String) {
    expect(Recurrence(words: text) == nil)
  }

  @Test func `1,000 rules give the dates of python-dateutil`() throws {
    let path = TimeFixtures.directory + "../events/rules.tsv"
    let text = String(decoding: try require(TimeFixtures.read(path)), as: UTF8.self)
    let rows = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
      .map { $0.split(separator: "\t").map(String.init) }
    expect(rows.count, is: 1000)
    for row in rows {
      let rule = try require(Recurrence(words: row[0]), "\(row)")
      let leapDay: LeapDayRule = row[1] == "mar1" ? .march1 : .february28
      let anchor = try require(CivilDate(iso8601: row[2]))
      let count = try require(Int(row[3]))
      let last = try require(rule.date(count - 1, from: anchor, leapDay: leapDay))
      expect(last.description, is: row[5], "\(row)")
      let found = rule.next(onOrAfter: last, from: anchor, leapDay: leapDay)
      expect(found?.number == count - 1 && found?.date == last, "\(row)")
      // Each of many costs too much in a debug build; the last is where a drift shows.
      if count > 100, !TestScale.isFull { continue }
      var lines: [UInt8] = []
      for number in 0..<count {
        let date = try require(rule.date(number, from: anchor, leapDay: leapDay))
        lines += date.description.utf8 + [10]
      }
      expect(Hex.encode(SHA256.hash(lines)), is: row[4], "\(row)")
    }
  }

  @Test func `the number on a date or later is that which counting finds`() throws {
    for words in ["monday and sunday", "every other saturday", "last friday of the month"] {
      let rule = try require(Recurrence(words: words))
      let anchor = try require(CivilDate(iso8601: "2026-11-22"))
      for days in 0..<90 {
        let date = try require(anchor.adding(days: days))
        let number = (0..<99).first {
          rule.date($0, from: anchor, leapDay: .march1).map { $0 >= date } ?? false
        }
        expect(
          rule.next(onOrAfter: date, from: anchor, leapDay: .march1)?.number, is: number,
          "\(words) \(date)")
      }
    }
  }

  @Test(arguments: ["weekdays", "every other sunday", "last friday of the month"])
  func `a rule ends with the year 9999`(words: String) throws {
    let rule = try require(Recurrence(words: words))
    let anchor = try require(CivilDate(iso8601: "9999-12-20"))
    let dates = (0..<20).compactMap { rule.date($0, from: anchor, leapDay: .february28) }
    expect(!dates.isEmpty && dates.allSatisfy { $0.year == 9999 && $0 >= anchor })
    expect(rule.date(.max, from: anchor, leapDay: .february28) == nil)
  }

  @Test(
    arguments: [
      ("june", "2026-06-10", "2026-06-01", "2026-06-30"),
      ("June", "2026-07-01", "2027-06-01", "2027-06-30"),
      ("feb", "2027-03-01", "2028-02-01", "2028-02-29"),
      ("this week", "2026-11-22", "2026-11-16", "2026-11-22"),
      ("next week", "2026-11-22", "2026-11-23", "2026-11-29"),
      ("weekend", "2026-11-18", "2026-11-21", "2026-11-22"),
      ("last month", "2026-03-31", "2026-02-01", "2026-02-28"),
      ("next quarter", "2026-11-22", "2027-01-01", "2027-03-31"),
      ("year", "2026-11-22", "2026-01-01", "2026-12-31"),
      ("2026-W53", "2026-11-22", "2026-12-28", "2027-01-03"),
    ])
  func `a period has a first and a last day`(
    text: String, today: String, first: String, last: String
  ) throws {
    let period = DayPeriod(text, today: try require(CivilDate(iso8601: today)))
    expect(period?.first.description == first && period?.last.description == last)
  }

  @Test(arguments: ["", "this", "this june", "2026-W54", "2026-W1", "+026-W10", "next next week"])
  func `what is no period by name is left to the reader of dates`(text: String) throws {
    expect(DayPeriod(text, today: try require(CivilDate(iso8601: "2026-11-22"))) == nil)
  }
}
