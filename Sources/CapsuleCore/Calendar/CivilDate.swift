/// A day of the proleptic Gregorian calendar, in no particular zone.
///
/// A date that is read or computed has a year from 1 to 9999. The local date of the very first or last
/// instants may have the year 0 or 10000; no date is beyond these.
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

  /// Returns the days from `earlier` to this date; negative when `earlier` is later.
  package func days(since earlier: CivilDate) -> Int {
    daysSinceEpoch - earlier.daysSinceEpoch
  }

  /// Returns the date `count` days later; `nil` outside the years 1 to 9999.
  package func adding(days count: Int) -> CivilDate? {
    guard count.magnitude <= 4_000_000 else { return nil }
    let date = CivilDate(daysSinceEpoch: daysSinceEpoch + count)
    return date.isRepresentable ? date : nil
  }

  /// Returns the date `count` months later, on the same day or the month's last; `nil` outside the
  /// years 1 to 9999.
  package func adding(months count: Int) -> CivilDate? {
    guard count.magnitude <= 200_000 else { return nil }
    let months = year * 12 + month - 1 + count
    let (newYear, newMonth) = (months / 12, months % 12 + 1)
    guard months > 0, CivilDate.years.contains(newYear) else { return nil }
    return CivilDate(
      year: newYear, month: newMonth,
      day: min(day, CivilDate.days(inMonth: newMonth, of: newYear)))
  }

  /// Returns the same day `count` years later, where 29 February falls in common years as `rule`
  /// says; `nil` outside the years 1 to 9999.
  package func anniversary(years count: Int, leapDay rule: LeapDayRule) -> CivilDate? {
    guard count.magnitude <= 10_000, let date = adding(months: count * 12) else { return nil }
    guard rule == .march1, month == 2, day == 29, date.day == 28 else { return date }
    return CivilDate(year: date.year, month: 3, day: 1)
  }

  /// The day of the week.
  package var weekday: Weekday {
    let index = (daysSinceEpoch + 3) % 7  // 1970-01-01 was a Thursday
    return Weekday(rawValue: (index < 0 ? index + 7 : index) + 1) ?? .monday
  }

  /// The day of the year: 1 to 365, or 366.
  package var dayOfYear: Int {
    daysSinceEpoch - CivilDate.firstDay(of: year) + 1
  }

  /// The ISO 8601 week that the date is in, and the year that this week belongs to.
  package var isoWeek: (year: Int, week: Int) {
    // A week belongs to the year that its Thursday is in.
    let thursday = CivilDate(daysSinceEpoch: daysSinceEpoch + 4 - weekday.rawValue)
    return (thursday.year, (thursday.dayOfYear - 1) / 7 + 1)
  }

  /// The Monday of the date's ISO week.
  package var startOfWeek: CivilDate {
    CivilDate(daysSinceEpoch: daysSinceEpoch + 1 - weekday.rawValue)
  }

  /// The `dayOfYear`th day of `year`, counted from 1; `nil` when the year has no such day.
  package init?(year: Int, dayOfYear: Int) {
    guard CivilDate.years.contains(year), dayOfYear >= 1,
      dayOfYear <= (CivilDate.isLeap(year) ? 366 : 365)
    else { return nil }
    self.init(daysSinceEpoch: CivilDate.firstDay(of: year) + dayOfYear - 1)
  }

  /// The `weekday` of ISO week `week` of `isoYear`; `nil` when there is no such week, or the day
  /// is outside the years 1 to 9999.
  package init?(isoYear: Int, week: Int, weekday: Weekday) {
    guard CivilDate.years.contains(isoYear), week >= 1, week <= CivilDate.weeks(inYear: isoYear)
    else { return nil }
    let fourth = CivilDate(daysSinceEpoch: CivilDate.firstDay(of: isoYear) + 3)  // in week 1
    self.init(
      daysSinceEpoch: fourth.daysSinceEpoch - fourth.weekday.rawValue + (week - 1) * 7
        + weekday.rawValue)
    guard isRepresentable else { return nil }
  }

  /// Returns the number of ISO weeks that belong to `year` (of the years 1 to 9999 the nearest): 52
  /// or 53.
  package static func weeks(inYear year: Int) -> Int {
    let year = min(max(year, years.lowerBound), years.upperBound)
    return CivilDate(daysSinceEpoch: firstDay(of: year) + (isLeap(year) ? 365 : 364) - 3)
      .isoWeek.week
  }

  private static func firstDay(of year: Int) -> Int {
    let before = year - 1
    let leaps = floorDivide(before, 4) - floorDivide(before, 100) + floorDivide(before, 400)
    return before * 365 + leaps - 719_162
  }

  private static func floorDivide(_ value: Int, _ divisor: Int) -> Int {
    value >= 0 ? value / divisor : (value - divisor + 1) / divisor
  }

  /// The years for which Easter is known: those of the Gregorian calendar.
  package static let easterYears = 1583...9999

  /// Easter Sunday of the western churches; `nil` for a year outside `easterYears`.
  ///
  /// The computation is that of J.-M. Oudin (1940), as the Explanatory Supplement to the Astronomical
  /// Almanac gives it.
  package init?(easterOf year: Int) {
    guard Self.easterYears.contains(year) else { return nil }
    let century = year / 100
    let golden = year % 19
    let correction = (century - 17) / 25
    var moon = (century - century / 4 - (century - correction) / 3 + 19 * golden + 15) % 30
    moon -= (moon / 28) * (1 - (moon / 28) * (29 / (moon + 1)) * ((21 - golden) / 11))
    let weekday = (year + year / 4 + moon + 2 - century + century / 4) % 7
    let fromMarch = moon - weekday
    let month = 3 + (fromMarch + 40) / 44
    self.init(year: year, month: month, day: fromMarch + 28 - 31 * (month / 4))
  }
}

extension CivilDate: Comparable {
  public static func < (left: CivilDate, right: CivilDate) -> Bool {
    left.packed < right.packed
  }
}

/// The day on which a yearly 29 February falls in a year that has none.
package enum LeapDayRule: String, CaseIterable, Hashable, Sendable {
  case february28 = "february-28"
  case march1 = "march-1"
}

extension CivilDate: CustomStringConvertible {
  /// The date as `2036-06-15`.
  public var description: String {
    DecimalDigits.text { text in
      text.append(year, width: 4)
      text.append(UInt8(ascii: "-"))
      text.append(month, width: 2)
      text.append(UInt8(ascii: "-"))
      text.append(day, width: 2)
    }
  }

  /// The date for people: `Sun 15 Jun 2036`.
  package var longText: String {
    var bytes: [UInt8] = []
    appendLongText(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  func appendLongText(to bytes: inout [UInt8]) {
    bytes += weekday.name.utf8.prefix(3)
    bytes.append(UInt8(ascii: " "))
    appendShortText(to: &bytes)
  }

  /// The date for people, without the weekday: `15 Jun 2036`.
  package var shortText: String {
    var bytes: [UInt8] = []
    appendShortText(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  private func appendShortText(to bytes: inout [UInt8]) {
    DecimalDigits.append(day, width: 1, to: &bytes)
    bytes.append(UInt8(ascii: " "))
    bytes += (Month(rawValue: month)?.name ?? "").utf8.prefix(3)
    bytes.append(UInt8(ascii: " "))
    DecimalDigits.append(year, width: 4, to: &bytes)
  }

  /// The date that exactly `YYYY-MM-DD` names, or `nil`.
  public init?(iso8601 text: some StringProtocol) {
    var text = String(text)
    guard let date = text.withUTF8({ CivilDate(iso8601: UnsafeRawBufferPointer($0)) }) else {
      return nil
    }
    self = date
  }

  /// The date that exactly the bytes `YYYY-MM-DD` name, or `nil`.
  package init?(iso8601 bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
      let year = DecimalDigits.value(of: bytes, in: 0..<4),
      let month = DecimalDigits.value(of: bytes, in: 5..<7),
      let day = DecimalDigits.value(of: bytes, in: 8..<10)
    else { return nil }
    self.init(year: year, month: month, day: day)
  }
}

/// A day of the week, numbered as in ISO 8601: Monday is 1, Sunday 7.
package enum Weekday: Int, CaseIterable, Hashable, Sendable {
  case monday = 1
  case tuesday, wednesday, thursday, friday, saturday, sunday

  /// The English name: `Monday`.
  package var name: String {
    switch self {
    case .monday: "Monday"
    case .tuesday: "Tuesday"
    case .wednesday: "Wednesday"
    case .thursday: "Thursday"
    case .friday: "Friday"
    case .saturday: "Saturday"
    case .sunday: "Sunday"
    }
  }

  /// The first three letters of the name: `Mon`.
  package var shortName: String {
    String(Substring(name.utf8.prefix(3)))
  }

  /// Reads a lower-case word: the name in full, by three letters, or as `tues`, `weds`, `thur` or
  /// `thurs`.
  package init?(word: String) {
    switch word {
    case "mon", "monday": self = .monday
    case "tue", "tues", "tuesday": self = .tuesday
    case "wed", "weds", "wednesday": self = .wednesday
    case "thu", "thur", "thurs", "thursday": self = .thursday
    case "fri", "friday": self = .friday
    case "sat", "saturday": self = .saturday
    case "sun", "sunday": self = .sunday
    default: return nil
    }
  }
}

/// A month of the year; January is 1.
package enum Month: Int, CaseIterable, Hashable, Sendable {
  case january = 1
  case february, march, april, may, june
  case july, august, september, october, november, december

  /// The English name: `January`.
  package var name: String {
    switch self {
    case .january: "January"
    case .february: "February"
    case .march: "March"
    case .april: "April"
    case .may: "May"
    case .june: "June"
    case .july: "July"
    case .august: "August"
    case .september: "September"
    case .october: "October"
    case .november: "November"
    case .december: "December"
    }
  }

  /// The first three letters of the name: `Jan`.
  package var shortName: String {
    String(Substring(name.utf8.prefix(3)))
  }

  /// Reads a lower-case word: the name in full, by three letters, or as `sept`.
  package init?(word: String) {
    switch word {
    case "jan", "january": self = .january
    case "feb", "february": self = .february
    case "mar", "march": self = .march
    case "apr", "april": self = .april
    case "may": self = .may
    case "jun", "june": self = .june
    case "jul", "july": self = .july
    case "aug", "august": self = .august
    case "sep", "sept", "september": self = .september
    case "oct", "october": self = .october
    case "nov", "november": self = .november
    case "dec", "december": self = .december
    default: return nil
    }
  }
}
