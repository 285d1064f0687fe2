import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Runs Vectors/time/golden.tsv; `generate.py` beside it says what the lines mean.
@Suite struct WhenGoldenTests {
  struct Case: Sendable {
    let line: Int
    let parser: WhenParser
    let expression: String
    let expected: String
  }

  static func cases() throws -> [Case] {
    let bytes = try require(TimeFixtures.read(TimeFixtures.directory + "golden.tsv"))
    var cases: [Case] = []
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
        Case(
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

  static func outcome(_ item: Case) -> String {
    do throws(WhenError) {
      let when = try item.parser.parse(item.expression)
      var text = when.instant.rfc3339
      if when.date != nil { text += " date" }
      if case .gap = when.fit { text += " gap" }
      if when.fit == .twice { text += " twice" }
      return text
    } catch {
      let kind = "\(error.kind)".prefix { $0 != "(" }
      guard error.kind == .ambiguous, !error.suggestions.isEmpty else { return "!\(kind)" }
      return "!\(kind): " + error.suggestions.map(\.expression).joined(separator: " | ")
    }
  }

  @Test func `every expression of the golden table means what it says there`() throws {
    let cases = try Self.cases()
    expect(cases.count >= 1_150)
    for item in cases {
      let outcome = Self.outcome(item)
      expect(
        outcome, is: item.expected,
        "line \(item.line), \(item.expression): \(outcome), expected \(item.expected)")
    }
  }

  @Test func `the error of every refused expression points at a part of it`() throws {
    for item in try Self.cases() where item.expected.hasPrefix("!") {
      expect(throws: WhenError.self) { try item.parser.parse(item.expression) }
      do throws(WhenError) {
        _ = try item.parser.parse(item.expression)
      } catch {
        let bytes = Array(item.expression.utf8)
        let end = error.position + error.word.utf8.count
        try require(error.position >= 0 && end <= bytes.count, "line \(item.line)")
        expect(
          bytes[error.position..<end].elementsEqual(error.word.utf8), "line \(item.line)")
      }
    }
  }

  @Test func `everything that an error suggests is read, as the instant that it gives`() throws {
    for item in try Self.cases() where item.expected.hasPrefix("!") {
      do throws(WhenError) {
        _ = try item.parser.parse(item.expression)
      } catch {
        for reading in error.suggestions {
          let when = try? item.parser.parse(reading.expression)
          expect(
            when != nil && when?.instant == reading.instant,
            "line \(item.line): \(reading.expression)")
        }
      }
    }
  }

  @Test func `most expressions of two readings are refused with both`() throws {
    let ambiguous = try Self.cases().filter { $0.expected.hasPrefix("!ambiguous: ") }
    expect(ambiguous.count >= 35)
    expect(ambiguous.filter { $0.expected.contains(" | ") }.count >= 25)
  }
}
