// A zone behind a time of day or a day.
extension WhenReader {
  /// The offset between a time and a zone in brackets.
  private enum Given {
    case nothing
    /// `Z` or `-00:00`, which say nothing about local time (RFC 9557 §2.2).
    case utc
    case offset(Int)
  }

  /// Takes the zone that may follow a day, a time of day or both.
  mutating func zoneTail(_ named: Phrase) throws(WhenError) -> Meaning {
    var phrase = named
    let before = scanner
    let hasTime = phrase.time != nil
    if nextIsShift() { return .phrase(phrase) }
    let spaces = scanner.skipSpaces()
    let start = scanner.index
    guard let first = scanner.peek() else { return .phrase(phrase) }
    var given = Given.nothing
    switch first {
    case UInt8(ascii: "+"), UInt8(ascii: "-"):
      // A long dash joins the ends of a range: `9:00–17:00`.
      guard hasTime || spaces, !scanner.nextIsLongDash else { throw scanner.error(.unexpected) }
      let seconds = try offsetSeconds()
      given = seconds == 0 && first == UInt8(ascii: "-") ? .utc : .offset(seconds)
      phrase.zone = seconds == 0 ? .utc : ZoneRules(offset: seconds)
    case UInt8(ascii: "["):
      guard hasTime, !spaces else { throw scanner.error(.unexpected) }
    case let byte where byte.isASCIILetter && (spaces || hasTime):
      if nextIsDay {
        // The day of a time that stands first; behind a day there is no second one.
        guard phrase.day == nil else { throw scanner.error(.unexpected) }
        scanner = before
        return .phrase(phrase)
      }
      let token = scanner.takeToken()
      if let shown = try shownHere(phrase, as: token) { return .point(shown) }
      phrase.zone = try namedZone(token, start: start)
      guard token == "Z" || token == "z" else { return .phrase(phrase) }
      given = .utc
    default:
      if phrase.day == nil {
        scanner = before
        return .phrase(phrase)
      }
      throw scanner.error(.unexpected)
    }
    guard scanner.next(is: "["), hasTime else { return .phrase(phrase) }
    let bracket = scanner.index
    guard let zone = try brackets() else { return .phrase(phrase) }
    return try inBrackets(phrase, zone: zone, given: given, start: start, bracket: bracket)
  }

  /// Returns the meaning of a local time with a zone in brackets, and perhaps an offset before it
  /// (RFC 9557 §3).
  private func inBrackets(
    _ phrase: Phrase, zone: ZoneRules, given: Given, start: Int, bracket: Int
  ) throws(WhenError) -> Meaning {
    if case .nothing = given {
      var zoned = phrase
      zoned.zone = zone
      return .phrase(zoned)
    }
    let when = try finish(.phrase(phrase), start: start)
    let actual = zone.offset(at: when.instant).seconds
    if case .offset(let seconds) = given, seconds != actual {
      let range = start..<scanner.index
      throw scanner.error(
        .offsetMismatch(actual: actual), in: range,
        suggestions: [start..<bracket, bracket..<scanner.index].map {
          scanner.replacing(range, with: scanner.text(in: $0))
        })
    }
    return .point(Point(instant: when.instant, zone: zone, assumptions: when.assumptions))
  }

  /// Takes the suffixes in brackets: a zone, and tags, of which only the usual calendar is
  /// understood.
  private mutating func brackets() throws(WhenError) -> ZoneRules? {
    var zone: ZoneRules?
    while scanner.take("[") {
      _ = scanner.take("!")
      let start = scanner.index
      if scanner.next(is: "+") || scanner.next(is: "-") {
        guard zone == nil else { throw scanner.error(.unexpected) }
        zone = ZoneRules(offset: try offsetSeconds())
      } else {
        let token = scanner.takeToken()
        if token.utf8.contains(UInt8(ascii: "=")) {
          guard ["u-ca=gregory", "u-ca=iso8601"].contains(token.lowercased()) else {
            throw scanner.error(.unexpected, in: start..<scanner.index)
          }
        } else {
          guard zone == nil else { throw scanner.error(.unexpected, in: start..<scanner.index) }
          zone = try namedZone(token, start: start)
        }
      }
      guard scanner.take("]") else {
        throw scanner.error(scanner.atEnd ? .incomplete : .unexpected)
      }
    }
    return zone
  }

  /// Takes `±HH`, `±HHMM` or `±HH:MM`, in seconds east of UTC.
  mutating func offsetSeconds() throws(WhenError) -> Int {
    let start = scanner.index
    let sign = scanner.next(is: "-") ? -1 : 1
    scanner.index += 1
    let number = scanner.takeNumber()
    let hours = number.count == 4 ? number.value / 100 : number.value
    var minutes = number.count == 4 ? number.value % 100 : 0
    if number.count == 2, scanner.take(":") {
      let rest = scanner.takeNumber()
      guard rest.count == 2 else { throw scanner.error(.badOffset, at: start) }
      minutes = rest.value
    }
    let isWhole = number.count == 2 || number.count == 4
    guard isWhole, hours < 24, minutes < 60, !scanner.next(is: ":") else {
      var suggestions: [String] = []
      if number.count == 1 || number.count == 3 {
        // Only so few digits can be multiplied.
        let (hours, minutes) =
          number.count == 3
          ? (number.value / 100, number.value % 100)
          : (number.value, 0)
        let text = ZoneRules.offsetText(sign * (hours * 3600 + minutes * 60))
        suggestions = [scanner.replacing(start..<scanner.index, with: text)]
      }
      throw scanner.error(.badOffset, at: start, suggestions: suggestions)
    }
    return sign * (hours * 3600 + minutes * 60)
  }

  func namedZone(_ token: String, start: Int) throws(WhenError) -> ZoneRules {
    let range = start..<(start + token.utf8.count)
    let upper = String(decoding: token.utf8.map(\.asciiUppercased), as: UTF8.self)
    if upper == "Z" || upper == "UTC" { return .utc }
    do {
      return try parser.zones.rules(typed: token)
    } catch {
      throw zoneError(error, token: token, range: range)
    }
  }

  /// Returns what `friday week` is where such a day is not called that: a week from friday.
  private func weekLater(_ token: String, _ range: Range<Int>) -> [String] {
    let before = scanner.text(before: range.lowerBound)
    guard token.lowercased() == "week", !before.isEmpty else { return [] }
    return ["1 week from " + scanner.replacing(0..<range.upperBound, with: before)]
  }

  private func zoneError(_ error: ZoneError, token: String, range: Range<Int>) -> WhenError {
    switch error {
    case .damaged(let reason):
      return scanner.error(.damagedZone(reason), in: range)
    case .abbreviation(_, let readings):
      return scanner.ambiguous(range, readings)
    case .unknown(_, let similar):
      let later = weekLater(token, range)
      let isZone =
        token.utf8.contains(UInt8(ascii: "/")) || !similar.isEmpty || token == token.uppercased()
      return scanner.error(
        !isZone || !later.isEmpty
          ? .unexpected : parser.zones.isEmpty ? .noZones : .unknownZone, in: range,
        suggestions: later + similar.map { scanner.replacing(range, with: $0) }
          + scanner.replacing(range, nearest: ["ago", "from now", "noon", "midnight"]))
    case .badName:
      return scanner.error(.unexpected, in: range)
    }
  }
}
