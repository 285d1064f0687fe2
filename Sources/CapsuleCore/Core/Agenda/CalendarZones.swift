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
  /// Whether the entry has it in UTC, by which its alarms are counted then.
  var isUTC = false
  /// The way in which the clocks show it.
  var fit = LocalTimeFit.unique

  /// Returns the start on the clocks of its zone, by which alerts go.
  ///
  /// - Parameter local: the rules of where one is, which whole days are of.
  func start(_ local: ZoneRules) -> CalendarStart {
    switch moment {
    case .day: CalendarStart(moment, at: moment.start(in: local), shown, in: local)
    case .instant(let instant): CalendarStart(moment, at: instant, shown, in: rules)
    }
  }

  /// Returns the start on the clocks by which the entry's alarms are counted.
  func written(_ local: ZoneRules) -> CalendarStart {
    guard isUTC, case .instant(let instant) = moment else { return start(local) }
    return CalendarStart(moment, at: instant, ZoneRules.utc.civil(at: instant), in: .utc)
  }

  /// Returns the moment that is a span later; `nil` outside the years that there are.
  fileprivate func later(by span: CalendarTrigger, _ local: ZoneRules) -> CalendarMoment? {
    guard let instant = start(local).instant(of: span), instant.isRepresentable else { return nil }
    let shown = rules.civil(at: instant)
    return CalendarMoment(
      moment: moment.isAllDay ? .day(shown.date) : .instant(instant), zone: zone, rules: rules,
      shown: moment.isAllDay ? CivilDateTime(date: shown.date, time: .midnight) : shown,
      isOnClocks: isOnClocks)
  }
}

/// The zones of the entries of one file.
struct CalendarZones {
  private let file: CalendarFile
  private let database: ZoneDatabase
  private let local: LocalZone
  /// The zones that were looked up by their names; `nil` for those that the machine does not know.
  private var known: [String: ZoneRules?] = [:]
  /// The names that the lists of the machine have, by their lower case.
  private lazy var listed = Dictionary(
    database.names().map { ($0.lowercased(), $0) }, uniquingKeysWith: { first, _ in first })

  init(_ file: CalendarFile, _ database: ZoneDatabase, _ local: LocalZone) {
    (self.file, self.database, self.local) = (file, database, local)
  }

  /// Returns when an entry is.
  ///
  /// - Parameter calendar: the number of the calendar in the file that it stands in.
  /// - Throws: `.fault` where its zone is not known, and outside the years that there are.
  mutating func moment(
    of start: CalendarEntry.Start, calendar: Int
  ) throws(CalendarImportError) -> CalendarMoment {
    if case .utc(let instant) = start.time, let name = start.zone,
      let rules = zone(named: name) ?? ZoneRules(posix: name)
    {
      return CalendarMoment(
        moment: .instant(instant), zone: rules.identifier, rules: rules,
        shown: rules.civil(at: instant), isOnClocks: true, isUTC: true)
    }
    let moment = try moment(of: start.time, line: start.line, calendar: calendar)
    guard let delay = start.delay else { return moment }
    guard let later = moment.later(by: delay, local.rules) else {
      throw Self.outside(moment.shown, start.line)
    }
    return later
  }

  private static func outside(_ shown: CivilDateTime, _ line: Int) -> CalendarImportError {
    .fault(
      CalendarFault(
        line: line, cause: .notATime(property: "DTSTART", text: CalendarText.basic(shown))))
  }

  private mutating func moment(
    of time: CalendarTime, line: Int, calendar: Int
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
      if let rules = zone(named: name) {
        return try moment(shown, rules, rules.identifier, line)
      }
      let zone = try described(name, shown, line, file.calendars[calendar])
      return try moment(shown, zone, zone.identifier, line)
    }
  }

  /// Returns the rules of a zone as its calendar describes it.
  private func described(
    _ name: String, _ shown: CivilDateTime, _ line: Int, _ calendar: CalendarFile.Calendar
  ) throws(CalendarImportError) -> ZoneRules {
    guard let zone = calendar.zones[name] else {
      throw .fault(CalendarFault(line: line, cause: .unknownZone(name)))
    }
    guard let found = zone.rules else {
      throw .fault(CalendarFault(line: line, cause: .brokenZone(name, line: zone.line)))
    }
    if let begin = found.begin, shown < begin {
      throw .fault(CalendarFault(line: line, cause: .beforeZone(name, line: zone.line)))
    }
    return found.rules
  }

  private func moment(
    _ shown: CivilDateTime, _ rules: ZoneRules, _ name: String, _ line: Int
  ) throws(CalendarImportError) -> CalendarMoment {
    let resolved = rules.resolve(shown)
    guard resolved.instant.isRepresentable else { throw Self.outside(shown, line) }
    return CalendarMoment(
      moment: .instant(resolved.instant), zone: name, rules: rules, shown: shown, isOnClocks: true,
      fit: resolved.fit)
  }

  /// Returns the rules of a zone that the machine knows.
  private mutating func zone(named name: String) -> ZoneRules? {
    if let zone = known[name] { return zone }
    let zone = look(for: name)
    known[name] = .some(zone)
    return zone
  }

  private mutating func look(for name: String) -> ZoneRules? {
    // Some programs put their own name before that of the zone: `/example.org/2005/Europe/Berlin`.
    var names = [name]
    if name.utf8.first == UInt8(ascii: "/") {
      let parts = name.parts(at: "/").filter { !$0.isEmpty }
      for count in [3, 2] where parts.count > count {
        names.append(parts.suffix(count).joined(separator: "/"))
      }
    }
    for name in names {
      if name == local.label { return local.rules.named(name) }
      let rules = try? database.knownRules(named: name) { listed[$0.lowercased()] }
      if let rules { return rules }
    }
    return CalendarZoneRules.offset(name.filter { $0 != ":" }).map { ZoneRules(offset: $0) }
  }
}
