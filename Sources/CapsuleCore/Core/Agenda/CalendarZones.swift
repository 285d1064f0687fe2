/// The zones of the entries of one file.
///
/// A place as IANA names it is the machine's; another name is what the calendar describes by it. Only then it is a
/// prefix before a place, a name of Windows, or an abbreviation, which names no place.
struct CalendarZones {
  private let file: CalendarFile
  private let local: LocalZone
  private let now: Instant
  private var names: ZoneNames
  /// The zones that were described, by the calendar and the name in it.
  private var described: [CalendarName: Description] = [:]
  /// The calendars whose own zone was spoken of.
  private var spokenOf: Set<Int> = []

  private struct CalendarName: Hashable {
    let calendar: Int
    let name: String
  }

  /// What a calendar says of a zone: nothing, nothing whole, or its rules.
  private enum Description {
    case none
    case broken(line: Int)
    /// - Parameter place: the zone of the machine that has the same clocks in the next years.
    case whole(DescribedZone, line: Int, place: ZoneRules?)
  }

  init(_ file: CalendarFile, _ database: ZoneDatabase, _ local: LocalZone, now: Instant) {
    (self.file, self.local, self.now) = (file, local, now)
    names = ZoneNames(database, local)
  }

  /// Returns when an entry is.
  ///
  /// - Parameter calendar: the number of the calendar in the file that it stands in.
  /// - Throws: ``CalendarFault`` where its zone is not known, and outside the years that there are.
  mutating func moment(
    of start: CalendarEntry.Start, calendar: Int
  ) throws(CalendarFault) -> CalendarMoment {
    if case .utc(let instant) = start.time, let name = start.zone,
      let rules = names.place(name) ?? names.zone(name) ?? ZoneRules(posix: name)
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

  /// Returns what a time in an entry means in its series; `nil` where its zone is not known.
  mutating func pointer(
    to time: CalendarTime, line: Int, calendar: Int
  ) -> RecurrenceSet.Pointer? {
    switch time {
    case .day(let date): .date(date)
    case .utc(let instant): .instant(instant)
    case .local(let local, nil): .local(local)
    case .local(let local, _?):
      (try? moment(of: time, line: line, calendar: calendar))?.moment.exactInstant.map {
        .instant($0, on: local.date)
      }
    }
  }

  private static func outside(_ shown: CivilDateTime, _ line: Int) -> CalendarFault {
    CalendarFault(
      line: line, cause: .notATime(property: "DTSTART", text: CalendarText.basic(shown)))
  }

  private mutating func moment(
    of time: CalendarTime, line: Int, calendar: Int
  ) throws(CalendarFault) -> CalendarMoment {
    switch time {
    case .day(let date):
      return CalendarMoment(
        moment: .day(date), zone: "", rules: local.rules,
        shown: CivilDateTime(date: date, time: .midnight), isOnClocks: true)
    case .utc(let instant):
      return CalendarMoment(
        moment: .instant(instant), zone: "UTC", rules: .utc,
        shown: ZoneRules.utc.civil(at: instant), isOnClocks: false)
    case .local(let shown, nil): return try unzoned(shown, line, calendar)
    case .local(let shown, let name?): return try moment(shown, name, line, calendar)
    }
  }

  /// Returns a time without a zone: on the clocks of its calendar, or where that names none, on those of where
  /// one is.
  private mutating func unzoned(
    _ shown: CivilDateTime, _ line: Int, _ calendar: Int
  ) throws(CalendarFault) -> CalendarMoment {
    guard let name = file.calendars[calendar].zone,
      var moment = try? moment(shown, name, line, calendar), moment.zone != local.label
    else {
      var found = try moment(shown, local.rules, local.label, line)
      found.isFloating = file.calendars[calendar].zone == nil
      return found
    }
    if spokenOf.insert(calendar).inserted {
      moment.remarks.append(
        ImportProblem(
          .remark, at: line,
          "has no time zone, so that of its calendar is used, as for all such times: '\(moment.zone)'"
        ))
    }
    return moment
  }

  private mutating func moment(
    _ shown: CivilDateTime, _ name: String, _ line: Int, _ calendar: Int
  ) throws(CalendarFault) -> CalendarMoment {
    if let rules = names.place(name) { return try moment(shown, rules, rules.identifier, line) }
    let description = describe(CalendarName(calendar: calendar, name: name))
    if case .whole(let zone, let zoneLine, let place) = description {
      return try moment(shown, name, zone, place, line, zoneLine)
    }
    if let rules = names.zone(name) { return try moment(shown, rules, rules.identifier, line) }
    if case .broken(let zoneLine) = description {
      throw CalendarFault(line: line, cause: .brokenZone(name, line: zoneLine))
    }
    throw CalendarFault(line: line, cause: .unknownZone(name))
  }

  /// Returns a time on the clocks of a zone that the calendar describes. A record names a place of the machine with
  /// the same clocks, else the rules themselves.
  private func moment(
    _ shown: CivilDateTime, _ name: String, _ zone: DescribedZone, _ place: ZoneRules?, _ line: Int,
    _ zoneLine: Int
  ) throws(CalendarFault) -> CalendarMoment {
    let instant = zone.rules.resolve(shown).instant
    if let place, place.resolve(shown).instant == instant {
      return try moment(shown, place, place.identifier, line)
    }
    let own = zone.name(after: instant)
    var found = try moment(shown, zone.rules, place?.identifier ?? own.name, line)
    if let begin = zone.begin, shown < begin {
      found.remarks.append(
        ImportProblem(
          .remark, at: line,
          "is before the time zone '\(name.shortened)' on line \(zoneLine) begins; its first rules are used"
        ))
    }
    if place == nil, !own.isWhole {
      found.remarks.append(
        ImportProblem(
          .remark, at: line,
          "keeps the offset \(own.name), because the time zone '\(name.shortened)' on line \(zoneLine) has no yearly rules"
        ))
    }
    return found
  }

  private func moment(
    _ shown: CivilDateTime, _ rules: ZoneRules, _ name: String, _ line: Int
  ) throws(CalendarFault) -> CalendarMoment {
    let resolved = rules.resolve(shown)
    guard resolved.instant.isRepresentable else { throw Self.outside(shown, line) }
    return CalendarMoment(
      moment: .instant(resolved.instant), zone: name, rules: rules, shown: shown, isOnClocks: true,
      fit: resolved.fit)
  }

  private mutating func describe(_ key: CalendarName) -> Description {
    if let known = described[key] { return known }
    var found = Description.none
    if let component = file.calendars[key.calendar].zones[key.name] {
      found = .broken(line: component.line)
      if let zone = DescribedZone(component) {
        let location = (try? component.text("X-LIC-LOCATION")) ?? nil
        let places =
          (location.map { names.candidates(for: $0) } ?? []) + names.candidates(for: key.name)
        let place = places.first { $0.hasClocks(of: zone.rules, from: now) }
        found = .whole(zone, line: component.line, place: place)
      }
    }
    described[key] = found
    return found
  }
}

/// What the names of zones in calendars mean on this machine.
struct ZoneNames {
  private let database: ZoneDatabase
  private let local: LocalZone
  /// What was looked up; `nil` for what is not known.
  private var places: [String: ZoneRules?] = [:]
  private var zones: [String: ZoneRules?] = [:]
  /// The names that the lists of the machine have, by their lower case.
  private lazy var listed = Dictionary(
    database.names().map { ($0.lowercased(), $0) }, uniquingKeysWith: { first, _ in first })

  init(_ database: ZoneDatabase, _ local: LocalZone) {
    (self.database, self.local) = (database, local)
  }

  /// Returns the rules of a place by its name exactly as IANA writes it.
  mutating func place(_ name: String) -> ZoneRules? {
    if let known = places[name] { return known }
    let isHere = name == local.name && name.utf8.contains(UInt8(ascii: "/"))
    let rules = isHere ? local.rules.named(name) : database.rules(ofPlace: name)
    places[name] = .some(rules)
    return rules
  }

  /// Returns the rules of a zone by a name that is none of a place: the first of the candidates, or an offset.
  mutating func zone(_ name: String) -> ZoneRules? {
    if let known = zones[name] { return known }
    let rules = candidates(for: name).first ?? Self.offset(name)
    zones[name] = .some(rules)
    return rules
  }

  /// Returns the zones that a name may mean, the most likely first: places behind a prefix or in other capitals,
  /// those of a zone of Windows, and what the machine has of that name, abbreviations too.
  mutating func candidates(for name: String) -> [ZoneRules] {
    let parts = name.parts(at: "/").filter { !$0.isEmpty }
    // Some programs put their own name before that of the zone: `/example.org/2005/Europe/Berlin`.
    var texts = [3, 2].filter { parts.count >= $0 }.map { parts.suffix($0).joined(separator: "/") }
    texts += WindowsZones.places(of: name)
    if parts.count == 1 { texts.append(name) }
    return texts.unique.compactMap { text in
      if text == local.label { return local.rules.named(text) }
      return place(text) ?? (try? database.knownRules(named: text) { listed[$0.lowercased()] })
    }
  }

  /// Returns the zone of `+0100`, `+01:00` or `GMT+0100`.
  private static func offset(_ name: String) -> ZoneRules? {
    let text = ZoneAbbreviation.offset(name.uppercased()) ?? name
    return CalendarText.seconds(offset: text.filter { $0 != ":" }).map { ZoneRules(offset: $0) }
  }
}

extension ZoneRules {
  /// The years to come in which two zones are compared.
  private static let yearsCompared: Int64 = 20

  /// Whether its clocks show in the next years what those of another zone show.
  fileprivate func hasClocks(of other: ZoneRules, from start: Instant) -> Bool {
    let end = start.seconds.addingClamped(Self.yearsCompared * 366 * 86_400)
    func changes(_ rules: ZoneRules) -> [(at: Int64, seconds: Int)] {
      rules.transitions(after: start.seconds, through: end)
        .filter { $0.before.seconds != $0.after.seconds }.map { ($0.at, $0.after.seconds) }
    }
    return offset(at: start).seconds == other.offset(at: start).seconds
      && changes(self).elementsEqual(changes(other)) { $0 == $1 }
  }
}
