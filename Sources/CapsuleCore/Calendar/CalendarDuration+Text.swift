extension CalendarDuration {
  /// The duration in ISO 8601, for records: `P1Y6M2DT3H`; `PT0S` for none, a `-` in front of a
  /// negative one.
  package var iso8601: String {
    var text = DurationUnit.allCases.contains { self[$0] < 0 } ? "-P" : "P"
    var timeStarted = false
    for unit in DurationUnit.allCases where self[unit] != 0 {
      if unit.rawValue >= DurationUnit.hour.rawValue, !timeStarted {
        text += "T"
        timeStarted = true
      }
      text += "\(self[unit].magnitude)\(String(unit.name.prefix(1)).uppercased())"
    }
    return isZero ? "PT0S" : text
  }

  /// The same duration with its weeks as days, which are as long everywhere on the calendar.
  var inDays: CalendarDuration {
    var copy = self
    copy.weeks = 0
    copy.days = days.addingClamped(weeks.multipliedClamped(by: 7))
    return copy
  }

  /// The duration for people: `1 year 6 months`; `0 seconds` for none.
  package var words: String {
    var words = ""
    for unit in DurationUnit.allCases where self[unit] != 0 {
      if !words.isEmpty { words += " " }
      words += unit.text(self[unit])
    }
    return words.isEmpty ? "0 seconds" : words
  }
}
