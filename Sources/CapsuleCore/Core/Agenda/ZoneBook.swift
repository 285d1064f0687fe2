/// The rules of zones by the names in records, each looked up once.
private final class ZoneBook {
  private let local: LocalZone
  private let database: ZoneDatabase
  private let reportUnknown: (String) -> Void
  private var known: [String: ZoneRules] = [:]

  init(_ local: LocalZone, _ database: ZoneDatabase, reportUnknown: @escaping (String) -> Void) {
    self.local = local
    self.database = database
    self.reportUnknown = reportUnknown
  }

  func rules(named name: String) -> ZoneRules {
    if let rules = known[name] { return rules }
    let rules = find(name)
    known[name] = rules
    return rules
  }

  private func find(_ name: String) -> ZoneRules {
    if name == local.label { return local.rules }
    if name == "UTC" { return .utc }
    if let rules = try? database.rules(named: name) { return rules }
    if let seconds = Self.offset(name) { return ZoneRules(offset: seconds) }
    if let rules = ZoneRules(posix: name) { return rules }
    reportUnknown(name)
    return local.rules
  }

  /// Returns the seconds of a text such as `+02:00`.
  private static func offset(_ text: String) -> Int? {
    guard let sign = text.utf8.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
      let minutes = Setting.minutes(String(text.dropFirst()))
    else { return nil }
    return (sign == UInt8(ascii: "-") ? -60 : 60) * minutes
  }
}

extension EventCalendar {
  /// The calendar of somebody who lives in a zone, on a machine that knows the zones of a database.
  ///
  /// - Parameter reportUnknown: gets the name of each zone that the machine does not know, once;
  ///   the
  ///   local zone stands for it.
  package init(
    in local: LocalZone, _ database: ZoneDatabase, leapDay: LeapDayRule,
    reportUnknown: @escaping (String) -> Void
  ) {
    let book = ZoneBook(local, database, reportUnknown: reportUnknown)
    self.init(zone: local.rules, leapDay: leapDay) { book.rules(named: $0) }
  }
}
