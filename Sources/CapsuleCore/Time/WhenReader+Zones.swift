extension WhenReader {
  /// The offset between a time and a zone in brackets.
  private enum Given {
    case nothing
    /// `Z` or `-00:00`, which say nothing about local time (RFC 9557 §2.2).
    case utc
    case offset(Int)
  }

  /// Takes the zone that may follow a date and time.
  mutating func zoneTail(_ date: Local, hasTime: Bool) throws(WhenError) -> Meaning {
    var local = date
    let spaces = scanner.skipSpaces()
    let start = scanner.index
    guard let first = scanner.peek() else { return .local(local) }
    var given = Given.nothing
    switch first {
    case UInt8(ascii: "+"), UInt8(ascii: "-"):
      guard hasTime || spaces else { throw scanner.error(.unexpected) }
      let seconds = try offsetSeconds()
      given = seconds == 0 && first == UInt8(ascii: "-") ? .utc : .offset(seconds)
      local.zone = seconds == 0 ? .utc : ZoneRules(offset: seconds)
    case UInt8(ascii: "["):
      guard hasTime, !spaces else { throw scanner.error(.unexpected) }
    case let byte where byte.isASCIILetter && (spaces || hasTime):
      let token = scanner.takeToken()
      local.zone = try namedZone(token, start: start)
      guard token == "Z" || token == "z" else { return .local(local) }
      given = .utc
    default:
      throw scanner.error(.unexpected)
    }
    guard scanner.next(is: "["), hasTime else { return .local(local) }
    let bracket = scanner.index
    guard let zone = try brackets() else { return .local(local) }
    return try inBrackets(local, zone: zone, given: given, start: start, bracket: bracket)
  }

  /// Returns the meaning of a local time with a zone in brackets, and perhaps an offset before it
  /// (RFC 9557 §3).
  private func inBrackets(
    _ local: Local, zone: ZoneRules, given: Given, start: Int, bracket: Int
  ) throws(WhenError) -> Meaning {
    if case .nothing = given {
      var zoned = local
      zoned.zone = zone
      return .local(zoned)
    }
    let when = try finish(.local(local), start: start)
    let actual = zone.offset(at: when.instant).seconds
    if case .offset(let seconds) = given, seconds != actual {
      let range = start..<scanner.index
      throw scanner.error(
        .offsetMismatch(actual: actual), in: range,
        suggestions: [start..<bracket, bracket..<scanner.index].map {
          scanner.replacing(range, with: scanner.text(in: $0))
        })
    }
    return .instant(
      when.instant, zone: zone, asked: nil, fit: .unique, assumptions: when.assumptions)
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

  /// Takes `±HH` or `±HH:MM`, in seconds east of UTC.
  private mutating func offsetSeconds() throws(WhenError) -> Int {
    let start = scanner.index
    let sign = scanner.next(is: "-") ? -1 : 1
    scanner.index += 1
    let hours = scanner.takeNumber()
    var minutes = 0
    if hours.count == 2, scanner.take(":") {
      let number = scanner.takeNumber()
      guard number.count == 2 else { throw scanner.error(.badOffset, at: start) }
      minutes = number.value
    }
    guard hours.count == 2, hours.value < 24, minutes < 60, !scanner.next(is: ":") else {
      let compact = hours.count == 4 ? (hours.value / 100, hours.value % 100) : (hours.value, 0)
      var suggestions: [String] = []
      // Only so few digits can be multiplied.
      if (1...4).contains(hours.count), compact.0 < 24, compact.1 < 60 {
        let text = ZoneRules.offsetText(sign * (compact.0 * 3600 + compact.1 * 60))
        suggestions = [scanner.replacing(start..<scanner.index, with: text)]
      }
      throw scanner.error(.badOffset, at: start, suggestions: suggestions)
    }
    return sign * (hours.value * 3600 + minutes * 60)
  }

  private func namedZone(_ token: String, start: Int) throws(WhenError) -> ZoneRules {
    let range = start..<(start + token.utf8.count)
    let upper = String(decoding: token.utf8.map(\.asciiUppercased), as: UTF8.self)
    if upper == "Z" || upper == "UTC" { return .utc }
    if let zones = ZoneAbbreviation.readings[upper] {
      throw scanner.ambiguous(range, zones)
    }
    do throws(ZoneError) {
      return try parser.zones.rules(named: token)
    } catch {
      throw zoneError(error, token: token, range: range)
    }
  }

  private func zoneError(_ error: ZoneError, token: String, range: Range<Int>) -> WhenError {
    switch error {
    case .damaged(_, let reason):
      return scanner.error(.damagedZone(reason), in: range)
    case .unknown(_, let similar):
      let isZone =
        token.utf8.contains(UInt8(ascii: "/")) || !similar.isEmpty || token == token.uppercased()
      return scanner.error(
        isZone ? .unknownZone : .unexpected, in: range,
        suggestions: similar.map { scanner.replacing(range, with: $0) })
    case .badName:
      return scanner.error(.unexpected, in: range)
    }
  }
}
