extension CivilDate {
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
