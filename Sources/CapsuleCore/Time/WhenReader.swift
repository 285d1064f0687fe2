/// One reading of one text: the recursive descent behind `WhenParser`.
struct WhenReader {
  let parser: WhenParser
  var scanner: WhenScanner
  /// The date on the user's clocks now.
  let today: CivilDate

  init(parser: WhenParser, scanner: WhenScanner) {
    self.parser = parser
    self.scanner = scanner
    today = parser.zone.civil(at: parser.now).date
  }

  /// The meaning of a part of the text, before defaults.
  enum Meaning {
    /// A point in time, with the fit of the local time that led to it.
    case instant(
      Instant, zone: ZoneRules, asked: CivilDateTime?, fit: LocalTimeFit,
      assumptions: [WhenAssumption] = [])
    /// A date with or without a time of day.
    case local(Local)
  }

  struct Local {
    var date: CivilDate
    var time: CivilTime?
    var zone: ZoneRules
    var assumptions: [WhenAssumption] = []
    /// Whether a fraction of a second was given.
    var hasFraction = false
  }

  mutating func whole() throws(WhenError) -> When {
    guard !scanner.atEnd else { throw scanner.error(.empty) }
    let start = scanner.index
    let meaning = try expression()
    scanner.skipSpaces()
    guard scanner.atEnd else { throw trailingError() }
    return try finish(meaning, start: start)
  }

  private func trailingError() -> WhenError {
    let word = scanner.peekWord()
    let range = scanner.index..<(scanner.index + word.utf8.count)
    return scanner.error(
      .unexpected,
      suggestions: word.isEmpty ? [] : scanner.replacing(range, nearest: WhenReader.tailWords))
  }

  private static let tailWords = ["ago", "from now", "after", "before", "noon", "midnight"]

  mutating func expression() throws(WhenError) -> Meaning {
    guard let first = scanner.peek() else { throw scanner.error(.incomplete) }
    switch first {
    case UInt8(ascii: "@"): return try epoch()
    case UInt8(ascii: "+"):
      scanner.index += 1
      scanner.skipSpaces()
      return try fromNow(sign: 1)
    case UInt8(ascii: "-"): throw negativeError()
    case let byte where byte.isASCIIDigit: return try numberLed()
    case let byte where byte.isASCIILetter: return try wordLed()
    default: throw scanner.error(.unexpected)
    }
  }

  private func negativeError() -> WhenError {
    var rest = scanner
    rest.index += 1
    let isDuration = rest.nextIsDigit && (try? rest.takeDuration()) != nil
    let duration = rest.text(in: (scanner.index + 1)..<rest.index)
    let suggestion =
      isDuration ? [scanner.replacing(scanner.index..<rest.index, with: duration + " ago")] : []
    return scanner.error(.negative, suggestions: suggestion)
  }

  /// Takes `@` and seconds since the epoch.
  private mutating func epoch() throws(WhenError) -> Meaning {
    let start = scanner.index
    scanner.index += 1
    let negative = scanner.take("-")
    guard scanner.nextIsDigit else {
      throw scanner.error(scanner.atEnd ? .incomplete : .unexpected)
    }
    let number = scanner.takeNumber()
    if scanner.next(is: ".") { throw scanner.error(.fraction, at: start) }
    let instant = Instant(seconds: Int64(negative ? -number.value : number.value))
    guard number.count <= 15, instant.isRepresentable else {
      throw scanner.error(.yearOutOfRange, at: start)
    }
    return .instant(instant, zone: parser.zone, asked: nil, fit: .unique)
  }

  /// Fills in the parts that were left open, and checks that the result can be written.
  func finish(_ meaning: Meaning, start: Int) throws(WhenError) -> When {
    let when: When
    switch meaning {
    case .instant(let instant, let zone, let asked, let fit, let assumptions):
      when = When(
        instant: instant, date: nil, zone: zone, fit: fit, asked: asked, assumptions: assumptions)
    case .local(let local):
      when = finish(local)
    }
    guard when.instant.isRepresentable else { throw scanner.error(.yearOutOfRange, at: start) }
    return when
  }

  private func finish(_ local: Local) -> When {
    var assumptions = local.assumptions
    let time = local.time ?? (parser.preference == .past ? .midnight : parser.defaultTime)
    if local.time == nil {
      assumptions.append(time == .midnight ? .startOfDay : .defaultTime(time))
    }
    let asked = CivilDateTime(date: local.date, time: time)
    var resolved =
      local.time == nil && time == .midnight
      ? local.zone.startOfDay(local.date) : local.zone.resolve(asked)
    if local.hasFraction {
      let up = parser.preference == .future
      assumptions.append(up ? .roundedUp : .roundedDown)
      if up {
        resolved = ResolvedTime(
          instant: resolved.instant.adding(seconds: 1), fit: resolved.fit)
      }
    }
    return When(
      instant: resolved.instant, date: local.time == nil ? local.date : nil, zone: local.zone,
      fit: resolved.fit, asked: asked, assumptions: assumptions)
  }
}
