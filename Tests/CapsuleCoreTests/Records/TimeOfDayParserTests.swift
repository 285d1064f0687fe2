import CapsuleCore
import CoreTestHelpers
import TestSupport
import Testing

@Suite struct TimeOfDayParserTests {
  @Test(arguments: [
    ("09:00", "09:00"), ("9:00", "09:00"), ("9am", "09:00"), ("9 AM", "09:00"),
    ("9 a.m.", "09:00"), ("9:30 p.m.", "21:30"), ("12am", "00:00"), ("12pm", "12:00"),
    ("noon", "12:00"), ("midnight", "00:00"), ("evening", "18:00"), (" 18:05 ", "18:05"),
    ("23:59:59", "23:59:59"), ("1:00:00 PM", "13:00"),
  ])
  func `a time of day is read as everywhere`(text: String, time: String) throws {
    try expect(TimeOfDayParser.parse(text).shortText, is: time)
  }

  @Test(arguments: [
    "", "9", "25:00", "13pm", "09:60", "noonish", "9am tomorrow", "09:00 UTC", "09:00:00.5", "now",
    "24:00",
  ])
  func `anything else is no time of day`(text: String) {
    expect(throws: WhenError.self) { try TimeOfDayParser.parse(text) }
  }

  @Test func `a record keeps whole minutes`() {
    expect(TimeOfDayParser.minute("9am"), is: CivilTime(hour: 9, minute: 0))
    expect(TimeOfDayParser.minute("09:00:30") == nil)
  }

  @Test func `an alert and a setting take the same times`() {
    expect(EventAlert("1 day before at 6 p.m.")?.description, is: "1 day before at 18:00")
    expect(EventAlert("on the day at 9am")?.description, is: "on the day at 09:00")
    expect(EventAlert("a week before at noon")?.description, is: "1 week before at 12:00")
    expect(EventAlert("1 day before at 25:00") == nil)
    expect(Setting.timeOfDay.value(from: "9am"), is: .string("09:00"))
    expect(Setting.timeOfDay.value(from: "noon"), is: .string("12:00"))
    expect(Setting.timeOfDay.value(from: "09:00:30") == nil)
  }
}
