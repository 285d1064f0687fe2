import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// How many values a record may have for its size.
@Suite struct RecordJSONTests {
  /// Values that stand as close together as any in a record that was written.
  static let dense: [(String, @Sendable (Int) -> JSON)] = [
    ("integers", { _ in 0 }), ("empty texts", { _ in "" }), ("empty lists", { _ in [] }),
    ("lists of one", { _ in [0] }), ("objects of a short key", { _ in ["": 0] }),
    ("objects of two", { _ in ["a": 0, "b": 0] }),
    ("long texts", { _ in .string(String(repeating: "x", count: 200)) }),
  ]

  @Test(arguments: dense)
  func `a record is read however many values it was written with`(
    name: String, value: @Sendable (Int) -> JSON
  ) throws {
    let record: JSON = .object([
      "list": .array((0..<TestScale.count(full: 60_000, debug: 12_000)).map(value))
    ])
    try expect(JSON.parseRecord(record.encoded(.pretty)), is: record)
  }

  @Test func `a record is read however many members it was written with`() throws {
    let record: JSON = .object(
      JSONObject(
        (0..<TestScale.count(full: 60_000, debug: 12_000)).map {
          (String(46_656 + $0, radix: 36), JSON.integer(0))
        }))
    try expect(JSON.parseRecord(record.encoded(.pretty)), is: record)
  }

  @Test(arguments: ["0", "[]", "{\"a\":0}", "\"\""])
  func `a record that would be many times as long in memory is refused unread`(value: String) {
    let values = Array(repeating: value, count: 600_000).joined(separator: ",")
    let text = "{\"x\":[\(values)]}"
    expect(throws: JSONError.self) { try JSON.parseRecord(Array(text.utf8)) }
  }

  @Test func `a short record may be written without lines`() throws {
    let text = "{\"x\":[" + String(repeating: "0,", count: 20_000) + "0]}"
    try expect(JSON.parseRecord(Array(text.utf8))["x"]?.array?.count, is: 20_001)
  }
}
