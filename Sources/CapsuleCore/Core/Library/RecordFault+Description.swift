extension Money.Problem: FaultCause {
  package var code: Fault.Code { .usage }

  package var message: Fault.Message {
    switch self {
    case .form: "an amount is a currency and a number, as EUR 1200.50"
    case .unknownCurrency(let code): "\(code.quoted) is no currency of ISO 4217"
    case .tooFine(let currency):
      "an amount in \(currency.code) has at most \(currency.exponent) digits behind the point"
    case .negative: "an amount cannot be negative"
    case .tooLarge: "the amount is too large"
    }
  }
}

extension WhenError: CustomStringConvertible {
  public var description: String {
    switch kind {
    case .empty: "the date is empty"
    case .incomplete: "the date is not complete"
    case .unexpected: "\(word.quoted) has no place in the date"
    case .unknownWord: "\(word.quoted) means nothing in a date"
    case .ambiguous: "the date can be read in more than one way"
    case .missingYear: "\(word.quoted) has no year"
    case .noSuchMonth: "there is no month \(word.quoted)"
    case .noSuchDay(let last): "the month ends on day \(last)"
    case .noSuchWeekdayOfMonth: "the month has no fifth \(word.quoted)"
    case .noEaster: "Easter of that year is not known"
    case .noSuchDayOfYear(let last): "the days of that year are 1 to \(last)"
    case .noSuchWeek(let last): "the weeks of that year are 1 to \(last)"
    case .noSuchWeekday: "the days of a week are 1 to 7"
    case .noSuchTime: "no clock shows \(word.quoted)"
    case .leapSecond: "times have no leap seconds"
    case .badOffset: "\(word.quoted) is no offset from UTC"
    case .yearOutOfRange: "the date is outside the years 1 to 9999"
    case .unknownZone: "this machine knows no zone \(word.quoted)"
    case .damagedZone: "the file of the zone \(word.quoted) is damaged on this machine"
    case .wrongWeekday(let date): "\(date) is another day of the week"
    case .offsetMismatch(let actual):
      "the zone is at \(ZoneRules.offsetText(actual)) then"
    case .numberTooLarge: "\(word.quoted) is too large"
    case .missingUnit: "\(word.quoted) has no unit"
    case .unknownUnit: "\(word.quoted) is no unit"
    case .repeatedUnit: "the unit \(word.quoted) stands there twice"
    case .fraction: "\(word.quoted) is not a whole number"
    case .negative: "\(word.quoted) is negative"
    case .weekdayOutOfReach(let date, let isOver):
      "\(date) is \(isOver ? "over" : "still to come")"
    case .partOfDayOutOfReach(_, let isOver):
      "that time of today is \(isOver ? "over" : "still to come")"
    case .timeAfterHours: "a time of day cannot follow hours, minutes or seconds"
    case .inThePast(let instant): "it is in the past, on \(instant.rfc3339)"
    case .inTheFuture(let instant): "it is in the future, on \(instant.rfc3339)"
    }
  }
}
