/// A date and time that the clocks of a zone showed, and the instant that they showed it at: `RFC
/// 3339` with the offset of that time, `2031-06-15T09:00:00+12:00`.
package struct LocalTime: Hashable, Sendable {
  package let civil: CivilDateTime
  package let instant: Instant

  /// - Returns: `nil` where the offset is no whole number of minutes, or a day or more.
  package init?(_ civil: CivilDateTime, at instant: Instant) {
    let offset = civil.secondsAsUTC - instant.seconds
    guard offset.magnitude < 86_400, offset.isMultiple(of: 60), civil.date.isRepresentable,
      instant.isRepresentable
    else { return nil }
    (self.civil, self.instant) = (civil, instant)
  }
}

extension LocalTime: LosslessStringConvertible {
  package var description: String {
    "\(civil)" + ZoneRules.offsetText(Int(civil.secondsAsUTC - instant.seconds))
  }

  package init?(_ text: String) {
    let offset = text.unicodeScalars.suffix(6)
    guard text.utf8.count == 25, let instant = Instant(rfc3339: text),
      let asUTC = Instant(rfc3339: String(text.unicodeScalars.dropLast(offset.count)) + "Z")
    else { return nil }
    self.init(CivilDateTime(secondsAsUTC: asUTC.seconds), at: instant)
  }
}
