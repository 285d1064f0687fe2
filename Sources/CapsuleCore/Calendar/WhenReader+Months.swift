// Days that begin with the name of a month.
extension WhenReader {
  /// Takes what follows a month by name: nothing, a year, or a day and perhaps a year.
  mutating func monthLed(_ month: Month, start: Int) throws(WhenError) -> Phrase {
    let monthRange = start..<scanner.index
    _ = scanner.take(".")
    var ahead = scanner
    let separated = ahead.next(is: "-") && ahead.peek(1)?.isASCIIDigit ?? false
    if separated { ahead.index += 1 } else { ahead.skipSpaces() }
    guard ahead.nextIsDigit, !ahead.nextIsClock else {
      return Phrase(
        day: .yearly(.ofMonth(.first, month)), dayRange: start..<scanner.index,
        assumptions: [.firstOfMonth])
    }
    let digits = ahead
    let number = ahead.takeNumber()
    if number.count == 4 {
      scanner = ahead
      let date = try calendarDate(year: number, month: (month.rawValue, monthRange), day: nil)
      return Phrase(
        day: .date(date), dayRange: start..<scanner.index, assumptions: [.firstOfMonth])
    }
    guard number.count <= 2, !separated else {
      throw digits.error(number.count > 4 ? .yearOutOfRange : .unexpected, in: number.range)
    }
    _ = ahead.takeOrdinalSuffix(of: number)
    if ahead.nextIsLetter { throw digits.error(.unexpected) }
    scanner = ahead
    return try named(day: number, month: month, monthRange: monthRange, start: start)
  }
}
