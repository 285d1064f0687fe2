/// A date and a time of day, in no particular zone.
package struct CivilDateTime: Hashable, Sendable {
  package let date: CivilDate
  package let time: CivilTime

  package init(date: CivilDate, time: CivilTime) {
    self.date = date
    self.time = time
  }

  /// The date and time that a clock on UTC shows `seconds` after the epoch; beyond the years 0 to
  /// 10000 the nearest date of these.
  @_optimize(speed)
  package init(secondsAsUTC seconds: Int64) {
    var (days, rest) = Int(seconds).quotientAndRemainder(dividingBy: 86_400)
    if rest < 0 {
      days -= 1
      rest += 86_400
    }
    date = CivilDate(daysSinceEpoch: days)
    time = CivilTime(secondsSinceMidnight: rest)
  }

  /// The seconds since the epoch if this were UTC.
  package var secondsAsUTC: Int64 {
    Int64(date.daysSinceEpoch * 86_400 + time.secondsSinceMidnight)
  }
}

extension CivilDateTime: Comparable {
  package static func < (left: CivilDateTime, right: CivilDateTime) -> Bool {
    (left.date, left.time) < (right.date, right.time)
  }
}

extension CivilDateTime: CustomStringConvertible {
  /// The date and time as `2036-06-15T09:00:00`.
  package var description: String {
    "\(date)T\(time)"
  }
}
