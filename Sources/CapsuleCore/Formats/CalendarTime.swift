/// A date or a time as a calendar writes it (RFC 5545 §3.3.4 and §3.3.5).
package enum CalendarTime: Hashable, Sendable {
  case day(CivilDate)
  case utc(Instant)
  /// A time on the clocks of a zone by its `TZID`; of no zone, it is on those of where one is.
  case local(CivilDateTime, zone: String?)

  /// Reads the value of a property.
  package init(_ property: ContentProperty) throws(CalendarFault) {
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
  package init?(_ text: String, zone: String?) {
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

/// The time at which an alarm of a calendar is due.
package enum CalendarTrigger: Hashable, Sendable {
  /// The trigger lies so many days on the clocks, and then so many exact seconds, before (less than
  /// 0) or after the start (RFC 5545, 3.3.6). None of both has the other's sign.
  case relative(days: Int, seconds: Int64)
  case absolute(Instant)

  /// The parameter that names the alert which no trigger can say.
  package static let alertParameter = "X-CAPSULE-ALERT"

  /// Reads a duration (RFC 5545 §3.3.6), `-P1DT2H`; `nil` for any other text, and for more than a
  /// thousand years.
  package init?(duration text: String) {
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

  /// Returns the content line of it.
  ///
  /// - Parameter alert: the alert that it stands for, where another would be read from it.
  package func line(for alert: String?) -> String {
    let parameter = alert.map { ";\(Self.alertParameter)=\"\($0)\"" } ?? ""
    return switch self {
    case .absolute(let instant):
      "TRIGGER;VALUE=DATE-TIME\(parameter):\(CalendarText.utc(instant))"
    case .relative(let days, let seconds):
      "TRIGGER\(parameter):\(Self.duration(days, seconds))"
    }
  }

  private static func duration(_ days: Int, _ seconds: Int64) -> String {
    let rest = seconds.magnitude
    var text = days < 0 || seconds < 0 ? "-P" : "P"
    if days != 0 { text += "\(days.magnitude)D" }
    guard rest > 0 || days == 0 else { return text }
    text += "T"
    if rest >= 3600 { text += "\(rest / 3600)H" }
    if rest / 60 % 60 > 0 { text += "\(rest / 60 % 60)M" }
    if rest % 60 > 0 || rest == 0 { text += "\(rest % 60)S" }
    return text
  }
}
