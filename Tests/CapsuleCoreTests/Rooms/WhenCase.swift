package import CapsuleCalendar
import TestSupport
import Testing

/// A line of Vectors/time/golden.tsv; `generate.py` beside it says what the lines mean.
package struct WhenCase: Sendable {
  package let line: Int
  package let parser: WhenParser
  package let expression: String
  package let expected: String

  /// All lines of the table.
  package static func all() throws -> [WhenCase] {
    let bytes = try require(TimeFixtures.read(TimeFixtures.directory + "golden.tsv"))
    var cases: [WhenCase] = []
    var parser: WhenParser?
    let lines = String(decoding: bytes, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() where !line.isEmpty {
      if line.hasPrefix("= ") {
        parser = try scene(line.split(separator: " ").map(String.init))
        continue
      }
      let tab = try require(line.lastIndex(of: "\t"))
      cases.append(
        WhenCase(
          line: index + 1, parser: try require(parser), expression: String(line[..<tab]),
          expected: String(line[line.index(after: tab)...])))
    }
    return cases
  }

  private static func scene(_ fields: [String]) throws -> WhenParser {
    try require(fields.count == 5)
    let time = fields[4].split(separator: ":").compactMap { Int($0) }
    return WhenParser(
      now: try TimeFixtures.instant(fields[1]), zone: try TimeFixtures.zone(fields[2]),
      zones: TimeFixtures.zones, preferring: fields[3] == "past" ? .past : .future,
      defaultTime: try require(CivilTime(hour: time[0], minute: time[1])))
  }
}
