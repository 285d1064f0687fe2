import CapsuleCore
import CoreTestHelpers
import TestSupport
import Testing

@Suite struct WhenFuzzTests {
  static let pieces = [
    "2036", "-06", "-15", "T", " ", "09:00", ":30", "Z", "+02:00", "[Europe/Paris]", "in ", "ago",
    "3", "d", "mo", "m", "y", "P1Y", "T3H", "friday", "next ", "last ", "june", ",", "@", "-", "+",
    "/", ".", "noon", "eom", "W24", "after ", "before ", "from now", "now", "am", "UTC", "CST", "é",
    "\0", "\n", "🕰", "9999", "99999999999999999999", "Asia/Tokyo", "today", "sun", "[", "]", "!",
    "u-ca=gregory", "15", "0", "a ", "an ", "two ", "and ", "of ", "the ", "on ", "first ", "last ",
    "monday ", "day ", "month ", "christmas", "easter ", "tonight", "this ", "weekend", "morning",
    "end ", "th", "a.m.", "tomorrow ", " + ", " - ", "3 days", "new year", "+0200", "CEST",
    "Tue Mar 10 13:00:00 ", "00", "366", "at ", "P", "_", "\u{202e}", "half ", "and a half ",
    "1.5", "fortnight ", "decade", "eod ", "end of day ", "next week ", "24:00", "PM", "\u{2013}",
    "\u{2019}", "\u{201c}", "\u{201d}", "\u{a0}", "good ", "within ", "later ", "130000", "2359",
    "tonight at 8",
  ]

  static func parsers() throws -> [WhenParser] {
    let paris = try TimeFixtures.zone("Europe/Paris")
    return try ["2026-03-10T12:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z"].flatMap {
      let now = try TimeFixtures.instant($0)
      return [WhenParser.Preference.future, .past].map {
        WhenParser(now: now, zone: paris, zones: TimeFixtures.zones, preferring: $0)
      }
    }
  }

  /// Parses, and checks what holds for every text.
  static func check(_ text: String, _ parser: WhenParser) {
    if let end = try? parser.end(of: text) { expect(end.instant.isRepresentable) }
    do throws(WhenError) {
      let when = try parser.parse(text)
      expect(when.instant.isRepresentable, "\(text.debugDescription)")
      let line = DateText.echo(when, now: parser.now, in: parser.zone)
      expect(!line.isEmpty)
    } catch {
      for reading in error.suggestions {
        let when = try? parser.parse(reading.expression)
        expect(when?.instant, is: reading.instant, "\(text.debugDescription)")
      }
      let bytes = Array(text.utf8)
      let range = error.position..<(error.position + error.word.utf8.count)
      let isInside = range.lowerBound >= 0 && range.upperBound <= bytes.count
      expect(isInside, "\(text.debugDescription)")
      if isInside {
        expect(bytes[range].elementsEqual(error.word.utf8), "\(text.debugDescription)")
      }
    }
  }

  @Test func `random texts are dates or errors, and never a crash`() throws {
    let parsers = try Self.parsers()
    var random = SeededGenerator(seed: 2036)
    for index in 0..<TestScale.count(full: 100_000, debug: 4_000) {
      var text = ""
      if index.isMultiple(of: 2) {
        for _ in 0..<Int.random(in: 0...7, using: &random) {
          text += Self.pieces.randomElement(using: &random) ?? ""
        }
      } else {
        let bytes = (0..<Int.random(in: 0...24, using: &random)).map { _ in
          UInt8.random(in: Bool.random(using: &random) ? 32...126 : 0...255, using: &random)
        }
        text = String(decoding: bytes, as: UTF8.self)
      }
      Self.check(text, parsers[index % parsers.count])
    }
  }

  @Test func `valid expressions with a byte changed, gone or doubled never crash`() throws {
    let parsers = try Self.parsers()
    var random = SeededGenerator(seed: 9557)
    let expressions = try WhenCase.all().map(\.expression).filter { !$0.isEmpty }
    for index in 0..<TestScale.count(full: 100_000, debug: 4_000) {
      var bytes = Array((expressions.randomElement(using: &random) ?? "x").utf8)
      let at = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0...3, using: &random) {
      case 0: bytes[at] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes.remove(at: at)
      case 2: bytes.insert(bytes[at], at: at)
      default: bytes.swapAt(at, Int.random(in: 0..<bytes.count, using: &random))
      }
      Self.check(String(decoding: bytes, as: UTF8.self), parsers[index % parsers.count])
    }
  }

  @Test func `a very long text is refused in linear time`() throws {
    let parser = try Self.parsers()[0]
    let size = TestScale.count(full: 1_000_000, debug: 40_000)
    for piece in [
      "1", "a", "1d", " ", "2036-06-15 ", "[", "next ", "1y", "the ", "on ", "day after ", " +1d",
      "a ", "twenty ",
      "5h after 9am ", "end of day ", "the end of the day ", "eod ", "half a ", "and a half ",
      "\u{2013}",
      "friday next week ", "easter ", "1.", "tonight at 8 ", "\u{201c}",
      "first monday of ", "1, ", "end of ", "1/", "at 9am ", "monday, ",
    ] {
      Self.check(String(repeating: piece, count: size / piece.utf8.count), parser)
    }
  }

  /// Dates, spans and zones as every reader of them takes them: tokens and runs of random digits.
  @Test func `date tokens and digits are read or refused by every reader`() throws {
    let parsers = try Self.parsers()
    let tokens =
      Self.pieces + [
        "2036-06-15T09:00:00+", "2036-06-15T09:00:00.", "every ", " before", " at ", "EST", "EDT",
        ",M3.2.0", ",M11.1.0/", ",J", "<+", ">", "1 week", "9999-12-31", "0001-01-01T00:00:00Z",
        "\u{600}", "\u{301}", "\u{200d}", "\r\n",
      ]
    var random = SeededGenerator(seed: 20_000)
    for index in 0..<TestScale.count(full: 100_000, debug: 5_000) {
      var text = ""
      for _ in 0..<Int.random(in: 1...5, using: &random) {
        if Int.random(in: 0...2, using: &random) == 0 {
          for _ in 0..<Int.random(in: 1...24, using: &random) {
            text += String(Int.random(in: 0...9, using: &random))
          }
        } else {
          text += tokens.randomElement(using: &random) ?? ""
        }
      }
      Self.check(text, parsers[index % parsers.count])
      if let span = try? DurationParser.parse(text) {
        for parser in parsers {
          _ = span.added(to: parser.now, in: parser.zone)
          _ = EventAlert(before: span, at: nil)?.instant(
            of: .instant(parser.now), in: parser.zone, eventZone: .utc)
        }
      }
      if let zone = ZoneRules(posix: text) { _ = zone.civil(at: parsers[0].now) }
      _ = LocalZone.resolve(tz: text, database: TimeFixtures.zones) { _ in nil }
      _ = PosixZone(text, defaultRule: false)?.type(at: .max)
      if let time = FileTime(rfc3339: text) { expect(FileTime(rfc3339: time.rfc3339), is: time) }
      if let date = CivilDate(iso8601: text) { expect(date.description, is: text) }
      if let instant = Instant(rfc3339: text) { expect(instant.isRepresentable) }
      _ = EventAlert(text)
      _ = TimeOfDayParser.minute(text)
      _ = Recurrence(words: text)
      _ = Reminder.rule(text)
      _ = SizeExpression.bytes(text)
    }
  }
}
