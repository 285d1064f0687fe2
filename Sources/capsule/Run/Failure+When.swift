import CapsuleCore

extension Failure {
  /// A date expression that was not understood.
  ///
  /// - Parameters:
  ///   - text: the whole expression.
  ///   - option: where it was given: `--unlock`, `WHEN`.
  ///   - zone: the zone of the times in the message.
  init(_ error: WhenError, text: String, option: String, zone: ZoneRules) {
    let (reason, hint) = error.words(in: zone)
    var details: JSONObject = [
      "option": .string(option), "expression": .string(text),
      "position": .integer(Int64(error.position)), "word": .string(error.word),
      "suggestions": .array(error.suggestions.map { .string($0) }),
    ]
    if case .ambiguous(let readings) = error.kind {
      details["readings"] = .array(
        readings.map {
          .object([
            "expression": .string($0.expression),
            "at": $0.instant.map { .string($0.rfc3339) } ?? .null,
          ])
        })
    }
    self.init(.usage, "'\(text)' is no time for \(option): \(reason)", hint: hint, details: details)
  }
}

extension WhenError {
  /// What is wrong, and the way out.
  fileprivate func words(in zone: ZoneRules) -> (reason: String, hint: String?) {
    let suggested =
      suggestions.isEmpty
      ? nil : "did you mean \(suggestions.map { "'\($0)'" }.joined(separator: " or "))?"
    switch kind {
    case .empty: return ("it is empty", "write a date such as 2036-06-15, or 'in 3 months'")
    case .incomplete: return ("something is missing at its end", suggested)
    case .unexpected:
      return (
        "'\(word)' has no place there", suggested ?? "'capsule help dates' shows what is understood"
      )
    case .unknownWord:
      return (
        "'\(word)' means nothing there",
        suggested ?? "'capsule help dates' shows what is understood"
      )
    case .ambiguous(let readings):
      return (
        "it can be read in more than one way",
        "write " + readings.map { "'\($0.expression)'" }.joined(separator: " or ")
      )
    case .noSuchMonth: return ("there is no month '\(word)'", suggested)
    case .noSuchDay(let last): return ("the month ends on day \(last)", suggested)
    case .noSuchDayOfYear(let last): return ("the year ends on day \(last)", suggested)
    case .noSuchWeek(let last): return ("the year ends with week \(last)", suggested)
    case .noSuchWeekday: return ("the days of a week are 1 to 7", suggested)
    case .noSuchTime: return ("no clock shows '\(word)'", suggested)
    case .leapSecond: return ("times here have no leap seconds", "write :59, or the next minute")
    case .badOffset: return ("'\(word)' is no offset from UTC", "write it as +02:00")
    case .yearOutOfRange: return ("only the years 0001 to 9999 can be kept", suggested)
    case .unknownZone: return ("this machine knows no zone '\(word)'", suggested)
    case .damagedZone: return ("the file of the zone '\(word)' is damaged on this machine", nil)
    case .wrongWeekday(let actual): return ("that day is a \(actual.name)", suggested)
    case .offsetMismatch(let actual):
      return ("the zone is at \(ZoneRules.offsetText(actual)) then", suggested)
    case .numberTooLarge: return ("'\(word)' is too large", nil)
    case .missingUnit:
      return ("'\(word)' has no unit", suggested ?? "write days, months or another")
    case .unknownUnit: return ("'\(word)' is no unit", suggested)
    case .repeatedUnit: return ("the unit '\(word)' stands there twice", nil)
    case .fraction: return ("'\(word)' is not a whole number", "use a smaller unit")
    case .negative: return ("'\(word)' is negative", "write '… ago'")
    case .weekdayOutOfReach(let date): return ("that day of this week is \(date)", suggested)
    case .inThePast(let instant):
      return (
        "it is in the past (\(DateText.local(instant, in: zone)))",
        "'--allow-past' takes it all the same"
      )
    case .inTheFuture(let instant):
      return ("it is in the future (\(DateText.local(instant, in: zone)))", nil)
    }
  }
}
