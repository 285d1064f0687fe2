import CapsuleCore

extension Fault {
  /// A date expression that was not understood.
  ///
  /// - Parameters:
  ///   - text: the whole expression.
  ///   - option: the option or argument that it was given for: `--unlock`, `WHEN`.
  ///   - zone: the zone that dates are shown in.
  init(_ error: WhenError, text: String, option: String, in zone: ZoneRules) {
    let (reason, hint) = error.words(in: zone)
    var details: JSONObject = [
      "option": .string(option), "expression": .string(text),
      "position": .integer(Int64(error.position)), "word": .string(error.word),
      "suggestions": .array(error.suggestions.map { .string($0.expression) }),
    ]
    if !error.suggestions.isEmpty {
      details["readings"] = .array(
        error.suggestions.map {
          .object([
            "expression": .string($0.expression),
            "at": $0.instant.map { .string($0.rfc3339) } ?? .null,
          ])
        })
    }
    self.init(
      .usage, "'\(text.shortened)' is no time for \(option): \(reason)", hint: hint,
      details: details)
  }
}

extension WhenError {
  /// The texts that can be written instead, each with the date that it gives.
  private func offered(in zone: ZoneRules) -> String? {
    let texts = suggestions.map { reading in
      "'\(reading.expression)'"
        + (reading.instant.map { " (\(DateText.local($0, in: zone)))" } ?? "")
    }
    return texts.isEmpty ? nil : texts.joined(separator: " or ")
  }

  /// The reason, and the way out.
  fileprivate func words(in zone: ZoneRules) -> (reason: String, hint: String?) {
    let offers = self.offered(in: zone)
    let suggested = offers.map { "did you mean \($0)?" }
    let word = self.word.shortened
    let understood = "'capsule help dates' shows what is understood"
    switch kind {
    case .empty: return ("it is empty", "write a date such as 2036-06-15, or 'in 3 months'")
    case .incomplete: return ("something is missing at its end", suggested)
    case .unexpected:
      return (
        "'\(word)' has no place there", suggested ?? understood
      )
    case .unknownWord:
      return ("'\(word)' means nothing there", suggested ?? understood)
    case .ambiguous:
      return (
        "it can be read in more than one way", offers.map { "write \($0)" } ?? understood
      )
    case .missingYear: return ("'\(word)' has no year", suggested)
    case .noSuchMonth: return ("there is no month '\(word)'", suggested)
    case .noSuchDay(let last): return ("the month ends on day \(last)", suggested)
    case .noSuchWeekdayOfMonth: return ("'\(word)' has no fifth one", suggested)
    case .noEaster:
      let years = CivilDate.easterYears
      return ("Easter is known for the years \(years.lowerBound) to \(years.upperBound)", suggested)
    case .noSuchDayOfYear(let last): return ("the days of that year are 1 to \(last)", suggested)
    case .noSuchWeek(let last): return ("the weeks of that year are 1 to \(last)", suggested)
    case .noSuchWeekday: return ("the days of a week are 1 to 7", suggested)
    case .noSuchTime: return ("no clock shows '\(word)'", suggested)
    case .leapSecond: return ("times here have no leap seconds", "write :59, or the next minute")
    case .badOffset: return ("'\(word)' is no offset from UTC", suggested ?? "write it as +02:00")
    case .yearOutOfRange: return ("only the years 0001 to 9999 of UTC can be kept", suggested)
    case .unknownZone: return ("this machine knows no zone '\(word)'", suggested)
    case .damagedZone: return ("the file of the zone '\(word)' is damaged on this machine", nil)
    case .wrongWeekday(let date):
      return ("\(date.shortText) is a \(date.weekday.name)", suggested)
    case .offsetMismatch(let actual):
      return ("the zone is at \(ZoneRules.offsetText(actual)) then", suggested)
    case .numberTooLarge: return ("'\(word)' is too large", nil)
    case .missingUnit:
      return ("'\(word)' has no unit", suggested ?? "write days, months or another")
    case .unknownUnit: return ("'\(word)' is no unit", suggested)
    case .repeatedUnit: return ("the unit '\(word)' stands there twice", nil)
    case .fraction: return ("'\(word)' is not a whole number", "use a smaller unit")
    case .negative:
      return (
        "'\(word)' is negative", suggested ?? "a time before now is written as '3 days ago'"
      )
    case .weekdayOutOfReach(let date, let isOver):
      return ("\(date.longText) is \(isOver ? "over" : "still to come")", suggested)
    case .partOfDayOutOfReach(let time, let isOver):
      return ("\(time.shortText) today is \(isOver ? "over" : "still to come")", suggested)
    case .timeAfterHours:
      return ("a time of day cannot follow hours, minutes or seconds", suggested)
    case .inThePast(let instant):
      return ("it is in the past (\(DateText.local(instant, in: zone)))", nil)
    case .inTheFuture(let instant):
      return ("it is in the future (\(DateText.local(instant, in: zone)))", nil)
    }
  }
}
