/// A day of the proleptic Gregorian calendar, in no particular zone.
///
/// A date that is read or computed lies in the years 1 to 9999. A local view of the very first or
/// last instants may lie in year 0 or 10000; there is no date beyond these.
public struct CivilDate: Hashable, Sendable {
  // The year, four bits of the month and five of the day: dates stand in many rows, and are compared as
  // one number.
  private let packed: Int32

  public var year: Int { Int(packed >> 9) }
  /// 1 to 12.
  public var month: Int { Int(packed >> 5 & 15) }
  /// 1 to 31.
  public var day: Int { Int(packed & 31) }

  /// The years that a date may be given in.
  package static let years = 1...9999

  /// The date, or `nil` when there is no such day in the years 1 to 9999.
  public init?(year: Int, month: Int, day: Int) {
    guard CivilDate.years.contains(year), (1...12).contains(month), day >= 1,
      day <= CivilDate.days(inMonth: month, of: year)
    else { return nil }
    self.init(validYear: year, month: month, day: day)
  }

  private init(validYear year: Int, month: Int, day: Int) {
    packed = Int32(truncatingIfNeeded: year << 9 | month << 5 | day)
  }

  /// 0000-01-01 to 10000-12-31 in days since 1970-01-01.
  private static let days = -719_528...2_933_262

  /// The date `days` days after 1970-01-01, or the nearest of the years 0 to 10000.
  ///
  /// For the arithmetic see Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms",
  /// `civil_from_days`.
  @_optimize(speed)
  package init(daysSinceEpoch days: Int) {
    // Days since 0000-03-01.
    let shifted = min(max(days, Self.days.lowerBound), Self.days.upperBound) + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    self.init(
      validYear: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month: month,
      day: dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
  }

  /// The days since 1970-01-01; negative before it.
  @_optimize(speed)
  package var daysSinceEpoch: Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// Whether the date lies in the years 1 to 9999.
  package var isRepresentable: Bool {
    CivilDate.years.contains(year)
  }

  /// Whether `year` has a 29 February.
  package static func isLeap(_ year: Int) -> Bool {
    year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
  }

  /// Returns the number of days that `month` (1 to 12) has in `year`.
  package static func days(inMonth month: Int, of year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension CivilDate: Comparable {
  public static func < (left: CivilDate, right: CivilDate) -> Bool {
    left.packed < right.packed
  }
}
