/// Zone abbreviations, which name no zone: most are in use in several places, and even the others
/// leave open whether the place's daylight saving time is meant.
enum ZoneAbbreviation {
  /// The zones that can be written instead of each abbreviation.
  static let readings: [String: [String]] = [
    "ACDT": ["Australia/Adelaide", "+10:30"],
    "ACST": ["Australia/Darwin", "Australia/Adelaide"],
    "ADT": ["America/Halifax", "-03:00"],
    "AEDT": ["Australia/Sydney", "+11:00"],
    "AEST": ["Australia/Sydney", "Australia/Brisbane"],
    "AKDT": ["America/Anchorage", "-08:00"],
    "AKST": ["America/Anchorage", "-09:00"],
    "AMT": ["America/Manaus", "Asia/Yerevan"],
    "AST": ["America/Halifax", "Asia/Riyadh"],
    "AWST": ["Australia/Perth", "+08:00"],
    "BST": ["Europe/London", "Asia/Dhaka"],
    "CDT": ["America/Chicago", "America/Havana"],
    "CEST": ["Europe/Paris", "+02:00"],
    "CET": ["Europe/Paris", "+01:00"],
    "CST": ["America/Chicago", "Asia/Shanghai"],
    "CT": ["America/Chicago", "-06:00"],
    "ECT": ["America/Guayaquil", "America/Puerto_Rico"],
    "EDT": ["America/New_York", "-04:00"],
    "EEST": ["Europe/Athens", "+03:00"],
    "EET": ["Europe/Athens", "+02:00"],
    "EST": ["America/New_York", "America/Panama"],
    "ET": ["America/New_York", "-05:00"],
    "GST": ["Asia/Dubai", "Atlantic/South_Georgia"],
    "HDT": ["America/Adak", "-09:00"],
    "HKT": ["Asia/Hong_Kong", "+08:00"],
    "HST": ["Pacific/Honolulu", "-10:00"],
    "IST": ["Asia/Kolkata", "Europe/Dublin", "Asia/Jerusalem"],
    "JST": ["Asia/Tokyo", "+09:00"],
    "KST": ["Asia/Seoul", "+09:00"],
    "MDT": ["America/Denver", "-06:00"],
    "MEST": ["Europe/Berlin", "+02:00"],
    "MESZ": ["Europe/Berlin", "+02:00"],
    "MET": ["Europe/Berlin", "+01:00"],
    "MEZ": ["Europe/Berlin", "+01:00"],
    "MSK": ["Europe/Moscow", "+03:00"],
    "MST": ["America/Denver", "America/Phoenix"],
    "MT": ["America/Denver", "-07:00"],
    "NZDT": ["Pacific/Auckland", "+13:00"],
    "NZST": ["Pacific/Auckland", "+12:00"],
    "PDT": ["America/Los_Angeles", "-07:00"],
    "PKT": ["Asia/Karachi", "+05:00"],
    "PST": ["America/Los_Angeles", "Asia/Manila"],
    "PT": ["America/Los_Angeles", "-08:00"],
    "SGT": ["Asia/Singapore", "+08:00"],
    "SST": ["Pacific/Pago_Pago", "Asia/Singapore"],
    "WEST": ["Europe/Lisbon", "+01:00"],
    "WET": ["Europe/Lisbon", "+00:00"],
    "WIB": ["Asia/Jakarta", "+07:00"],
    "WST": ["Australia/Perth", "Pacific/Apia"],
  ]

  /// Returns the offset that `UTC+2` or `GMT-5:30` means to people, as `+02:00`; `nil` for another text.
  ///
  /// The zones `Etc/GMT+2` have the opposite sign, by a rule of POSIX.
  static func offset(_ upper: String) -> String? {
    guard let rest = upper.behind("UTC") ?? upper.behind("GMT"), let sign = rest.utf8.first,
      sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-")
    else { return nil }
    var scanner = WhenScanner(String(Substring(rest.utf8.dropFirst())))
    let number = scanner.takeNumber()
    var (hours, minutes) =
      number.count > 2
      ? (number.value / 100, number.value % 100)
      : (number.value, 0)
    if number.count <= 2, scanner.take(":") { minutes = scanner.takeNumber().value }
    guard scanner.atEnd, (1...4).contains(number.count), hours < 24, minutes < 60 else {
      return nil
    }
    hours = sign == UInt8(ascii: "-") ? -hours : hours
    return ZoneRules.offsetText(hours * 3600 + (hours < 0 ? -minutes : minutes) * 60)
  }
}
