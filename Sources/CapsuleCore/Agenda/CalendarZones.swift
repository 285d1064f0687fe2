/// The time of an entry, in the form that an event keeps.
struct CalendarMoment {
  let moment: Moment
  /// The name of its zone, for a record; empty for a whole day.
  let zone: String
  let rules: ZoneRules
  /// The date and time that the clocks of the zone show.
  let shown: CivilDateTime
  /// Whether the entry names the clocks, and not the instant alone.
  let isOnClocks: Bool
  /// The way in which the clocks show it.
  var fit = LocalTimeFit.unique
}

/// The zones of the entries of one file.
struct CalendarZones {
  private let file: CalendarFile
  private let database: ZoneDatabase
  private let local: LocalZone
  private var found: [String: Result<CalendarZoneRules, CalendarFault.Cause>] = [:]

  init(_ file: CalendarFile, _ database: ZoneDatabase, _ local: LocalZone) {
    (self.file, self.database, self.local) = (file, database, local)
  }

  /// Returns when a time is.
  ///
  /// - Throws: `.fault` where its zone is not known.
  mutating func moment(
    of time: CalendarTime, line: Int
  ) throws(CalendarImportError) -> CalendarMoment {
    switch time {
    case .day(let date):
      return CalendarMoment(
        moment: .day(date), zone: "", rules: local.rules,
        shown: CivilDateTime(date: date, time: .midnight), isOnClocks: true)
    case .utc(let instant):
      return CalendarMoment(
        moment: .instant(instant), zone: "UTC", rules: .utc,
        shown: ZoneRules.utc.civil(at: instant), isOnClocks: false)
    case .local(let shown, nil):
      return try moment(shown, local.rules, local.label, line)
    case .local(let shown, let name?):
      switch zone(name) {
      case .failure(let cause): throw .fault(CalendarFault(line: line, cause: cause))
      case .success(let zone):
        if let begin = zone.begin, shown < begin {
          throw .fault(
            CalendarFault(
              line: line, cause: .beforeZone(name, line: file.zones[name]?.line ?? line)))
        }
        return try moment(shown, zone.rules, zone.rules.identifier, line)
      }
    }
  }

  private func moment(
    _ shown: CivilDateTime, _ rules: ZoneRules, _ name: String, _ line: Int
  ) throws(CalendarImportError) -> CalendarMoment {
    let resolved = rules.resolve(shown)
    guard resolved.instant.isRepresentable else {
      throw .fault(
        CalendarFault(
          line: line, cause: .notATime(property: "DTSTART", text: CalendarText.basic(shown))))
    }
    return CalendarMoment(
      moment: .instant(resolved.instant), zone: name, rules: rules, shown: shown, isOnClocks: true,
      fit: resolved.fit)
  }

  private mutating func zone(
    _ name: String
  ) -> Result<CalendarZoneRules, CalendarFault.Cause> {
    if let zone = found[name] { return zone }
    let zone = look(for: name)
    found[name] = zone
    return zone
  }

  private func look(for name: String) -> Result<CalendarZoneRules, CalendarFault.Cause> {
    // Some programs put their own name before that of the zone: `/example.org/2005/Europe/Berlin`.
    var names = [name]
    if name.utf8.first == UInt8(ascii: "/") {
      let parts = name.parts(at: "/").filter { !$0.isEmpty }
      for count in [3, 2] where parts.count > count {
        names.append(parts.suffix(count).joined(separator: "/"))
      }
    }
    for name in names {
      if name == local.label { return .success(CalendarZoneRules(local.rules.named(name))) }
      if let rules = try? database.rules(named: name) { return .success(CalendarZoneRules(rules)) }
    }
    if let seconds = CalendarZoneRules.offset(name) {
      return .success(CalendarZoneRules(ZoneRules(offset: seconds)))
    }
    guard let component = file.zones[name] else { return .failure(.unknownZone(name)) }
    return CalendarZoneRules(component).map { .success($0) }
      ?? .failure(.brokenZone(name, line: component.line))
  }
}
