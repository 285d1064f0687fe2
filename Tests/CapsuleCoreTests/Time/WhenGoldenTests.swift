import CapsuleCalendar
import RoomTestHelpers
import TestSupport
import Testing

/// Runs Vectors/time/golden.tsv; `generate.py` beside it says what the lines mean.
@Suite struct WhenGoldenTests {
  static func outcome(_ item: WhenCase) -> String {
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
    let cases = try WhenCase.all()
    expect(cases.count >= 1_150)
    for item in cases {
      let outcome = Self.outcome(item)
      expect(
        outcome, is: item.expected,
        "line \(item.line), \(item.expression): \(outcome), expected \(item.expected)")
    }
  }

  @Test func `the error of every refused expression points at a part of it`() throws {
    for item in try WhenCase.all() where item.expected.hasPrefix("!") {
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
    for item in try WhenCase.all() where item.expected.hasPrefix("!") {
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
    let ambiguous = try WhenCase.all().filter { $0.expected.hasPrefix("!ambiguous: ") }
    expect(ambiguous.count >= 35)
    expect(ambiguous.filter { $0.expected.contains(" | ") }.count >= 25)
  }
}
