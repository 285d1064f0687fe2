/// A date or a time as a calendar writes it (RFC 5545 §3.3.4 and §3.3.5).
enum CalendarTime: Hashable, Sendable {
  case day(CivilDate)
  case utc(Instant)
  /// A time on the clocks of a zone by its `TZID`; of no zone, it is on those of where one is.
  case local(CivilDateTime, zone: String?)

  /// Reads the value of a property.
  init(_ property: ContentProperty) throws(CalendarFault) {
    let text = property.token
    let zone = property.parameters["TZID"]?.first
    guard let time = Self(text, zone: zone) else {
      throw CalendarFault(
        line: property.line, cause: .notATime(property: property.name, text: text))
    }
    self = time
  }

  /// Reads `20360615`, `20360615T090000` or `20360615T070000Z`; `nil` for any other text, and outside
  /// of the years 1 to 9999.
  init?(_ text: String, zone: String?) {
    let bytes = Array(text.utf8)
    guard let date = bytes.withUnsafeBytes({ Self.date($0) }) else { return nil }
    if bytes.count == 8 {
      self = .day(date)
      return
    }
    let isUTC = bytes.count == 16 && bytes[15] == UInt8(ascii: "Z")
    guard bytes.count == 15 || isUTC, bytes[8] == UInt8(ascii: "T"),
      let time = bytes.withUnsafeBytes({ Self.time($0) })
    else { return nil }
    let local = CivilDateTime(date: date, time: time)
    if isUTC {
      self = .utc(Instant(seconds: local.secondsAsUTC))
    } else {
      self = .local(local, zone: zone)
    }
  }

  private static func date(_ bytes: UnsafeRawBufferPointer) -> CivilDate? {
    guard let year = DecimalDigits.value(of: bytes, in: 0..<4),
      let month = DecimalDigits.value(of: bytes, in: 4..<6),
      let day = DecimalDigits.value(of: bytes, in: 6..<8),
      let date = CivilDate(year: year, month: month, day: day), date.isRepresentable
    else { return nil }
    return date
  }

  private static func time(_ bytes: UnsafeRawBufferPointer) -> CivilTime? {
    guard let hour = DecimalDigits.value(of: bytes, in: 9..<11),
      let minute = DecimalDigits.value(of: bytes, in: 11..<13),
      let second = DecimalDigits.value(of: bytes, in: 13..<15)
    else { return nil }
    // A leap second is the one before it.
    return CivilTime(hour: hour, minute: minute, second: second == 60 ? 59 : second)
  }
}

extension CalendarTrigger {
  /// Reads a duration (RFC 5545 §3.3.6), `-P1DT2H`; `nil` for any other text, and for more than a
  /// thousand years.
  init?(duration text: String) {
    var rest = text.utf8[...]
    var sign: Int64 = 1
    if let first = rest.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
      if first == UInt8(ascii: "-") { sign = -1 }
      rest.removeFirst()
    }
    guard rest.popFirst() == UInt8(ascii: "P"), !rest.isEmpty else { return nil }
    var (days, seconds): (Int64, Int64) = (0, 0)
    var isTime = false
    while let next = rest.first {
      if next == UInt8(ascii: "T"), !isTime, rest.count > 1 {
        isTime = true
        rest.removeFirst()
        continue
      }
      let digits = rest.prefix { $0.isASCIIDigit }
      guard (1...10).contains(digits.count), let number = Int64(Substring(digits)) else {
        return nil
      }
      rest = rest.dropFirst(digits.count)
      switch (rest.popFirst(), isTime) {
      case (UInt8(ascii: "W"), false): days += number * 7
      case (UInt8(ascii: "D"), false): days += number
      case (UInt8(ascii: "H"), true): seconds += number * 3600
      case (UInt8(ascii: "M"), true): seconds += number * 60
      case (UInt8(ascii: "S"), true): seconds += number
      default: return nil
      }
    }
    guard days <= 366_000, seconds <= 366_000 * 86_400 else { return nil }
    self = .relative(days: Int(sign * days), seconds: sign * seconds)
  }
}

extension EventAlert {
  /// The alert of what comes once that is due when an alarm of a calendar is; `nil` where none can be.
  ///
  /// - Parameters:
  ///   - counted: the time from which the alarm is counted.
  ///   - start: the start, on the clocks by which alerts go.
  ///   - own: the alert that this program wrote the alarm for, which counts if it is due then.
  init?(
    _ trigger: CalendarTrigger, from counted: CalendarStart, once start: CalendarStart,
    own: EventAlert?
  ) {
    guard let due = counted.instant(of: trigger) else { return nil }
    let exact = CalendarTrigger.relative(days: 0, seconds: due.seconds(since: start.instant))
    let read = [trigger, start.span(to: due), exact].map { EventAlert($0, of: start) }
    let found = ([own] + read).compactMap { $0 }.first { alert in
      alert.instant(of: start.moment, in: start.zone, eventZone: start.zone) == due
    }
    guard let found else { return nil }
    self = found
  }

  /// The alert that a span from the start says, at each of its occurrences; `nil` where none can be.
  init?(_ trigger: CalendarTrigger, of start: CalendarStart) {
    guard case .relative(let count, let seconds) = trigger else { return nil }
    let days = Int64(count)
    if days == 0, seconds == 0 {
      self.init(before: CalendarDuration(), at: nil)
    } else if start.moment.isAllDay && seconds != 0 || days > 0 || seconds > 0 {
      // At a time of day, on the day itself or one before.
      let (total, overflow) = seconds.addingReportingOverflow(days * 86_400)
      let midnight = start.moment.isAllDay ? 0 : Int64(start.local.time.secondsSinceMidnight)
      let (moment, isTooMuch) = total.addingReportingOverflow(midnight)
      guard !overflow, !isTooMuch else { return nil }
      let second = (moment % 86_400 + 86_400) % 86_400
      let back = (second - moment) / 86_400
      guard let time = CivilTime(secondOfDay: second), time.second == 0, back >= 0 else {
        return nil
      }
      self.init(before: CalendarDuration(days: Int(back)), at: time)
    } else {
      let rest = Int(-seconds)
      let weeks = days % 7 == 0 ? Int(-days) / 7 : 0
      self.init(
        before: CalendarDuration(
          weeks: weeks, days: weeks == 0 ? Int(-days) : 0, hours: rest / 3600,
          minutes: rest / 60 % 60, seconds: rest % 60),
        at: nil)
    }
  }
}
