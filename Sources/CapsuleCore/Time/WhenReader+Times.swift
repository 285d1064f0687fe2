extension WhenReader {
  /// Takes the time and the zone that may follow a date.
  mutating func tail(_ date: Local) throws(WhenError) -> Meaning {
    var local = date
    let hasTime: Bool
    if scanner.next(is: "t"), !nextIsLetter(at: 1) {
      scanner.index += 1
      guard scanner.nextIsDigit else {
        throw scanner.error(scanner.atEnd ? .incomplete : .unexpected)
      }
      try time(into: &local)
      hasTime = true
    } else {
      hasTime = try optionalTime(into: &local)
    }
    return try zoneTail(local, hasTime: hasTime)
  }

  /// Takes a time after spaces, or after `at`.
  ///
  /// - Returns: whether there was one.
  @discardableResult
  mutating func optionalTime(into local: inout Local) throws(WhenError) -> Bool {
    let start = scanner.index
    guard scanner.skipSpaces() else { return false }
    let word = scanner.peekWord()
    if word == "at" {
      _ = scanner.takeWord()
      scanner.skipSpaces()
      guard scanner.nextIsDigit || nextIsNamedTime else {
        throw scanner.error(scanner.atEnd ? .incomplete : .unexpected)
      }
    } else if !scanner.nextIsDigit, !nextIsNamedTime {
      scanner.index = start
      return false
    }
    try time(into: &local)
    return true
  }

  /// Takes a time alone: its next occurrence, or its last where the past is meant.
  mutating func bareTime() throws(WhenError) -> Meaning {
    var local = Local(date: today, zone: parser.zone)
    let start = scanner.index
    try time(into: &local)
    guard let time = local.time else { throw scanner.error(.noSuchTime, at: start) }
    let instant = parser.zone.resolve(CivilDateTime(date: today, time: time)).instant
    let future = parser.preference == .future
    local.assumptions = [future ? .nextOccurrence : .lastOccurrence]
    let isOver = future ? instant <= parser.now : instant > parser.now
    if isOver {
      guard let other = today.adding(days: future ? 1 : -1) else {
        throw scanner.error(.yearOutOfRange, in: start..<scanner.index)
      }
      local.date = other
    }
    return .local(local)
  }

  private var nextIsNamedTime: Bool {
    let word = scanner.peekWord()
    return word == "noon" || word == "midnight"
  }

  private func nextIsLetter(at distance: Int) -> Bool {
    scanner.peek(distance)?.isASCIILetter ?? false
  }

  /// Takes `HH:MM[:SS]`, `H[:MM]am`, `noon` or `midnight`.
  private mutating func time(into local: inout Local) throws(WhenError) {
    if nextIsNamedTime {
      local.time = scanner.takeWord() == "noon" ? .noon : .midnight
      return
    }
    let start = scanner.index
    let hour = scanner.takeNumber()
    guard hour.count <= 2 else { throw scanner.error(.unexpected, at: start) }
    var minute: WhenNumber?
    var second: WhenNumber?
    if scanner.take(":") {
      minute = try sixtieth()
      if scanner.take(":") {
        second = try sixtieth()
        local.hasFraction = try fraction()
      }
    }
    let half = second == nil ? takeHalfOfDay() : nil
    guard minute != nil || half != nil else {
      let digits = scanner.text(in: hour.range)
      throw scanner.error(
        .unexpected, at: start,
        suggestions: [scanner.replacing(hour.range, with: "\(digits):00")])
    }
    if second?.value == 60 {
      throw scanner.error(.leapSecond, in: start..<scanner.index)
    }
    let hours = half.map { half in
      (1...12).contains(hour.value) ? hour.value % 12 + half : 24
    }
    guard
      let time = CivilTime(
        hour: hours ?? hour.value, minute: minute?.value ?? 0, second: second?.value ?? 0)
    else { throw scanner.error(.noSuchTime, in: start..<scanner.index) }
    local.time = time
  }

  /// Takes exactly two digits behind a colon.
  private mutating func sixtieth() throws(WhenError) -> WhenNumber {
    guard scanner.nextIsDigit else {
      throw scanner.error(scanner.atEnd ? .incomplete : .unexpected)
    }
    let number = scanner.takeNumber()
    guard number.count == 2 else { throw scanner.error(.noSuchTime, in: number.range) }
    return number
  }

  /// Takes a fraction of a second.
  ///
  /// - Returns: whether it is more than zero.
  private mutating func fraction() throws(WhenError) -> Bool {
    guard scanner.take(".") else { return false }
    guard scanner.nextIsDigit else {
      throw scanner.error(scanner.atEnd ? .incomplete : .unexpected)
    }
    var isZero = true
    while let digit = scanner.peek(), digit.isASCIIDigit {
      if digit != UInt8(ascii: "0") { isZero = false }
      scanner.index += 1
    }
    return !isZero
  }

  /// Takes `am` or `pm`, if one stands here.
  ///
  /// - Returns: the hours to add.
  private mutating func takeHalfOfDay() -> Int? {
    var ahead = scanner
    ahead.skipSpaces()
    let word = ahead.takeWord()
    guard word == "am" || word == "pm" else { return nil }
    scanner = ahead
    return word == "am" ? 0 : 12
  }
}
