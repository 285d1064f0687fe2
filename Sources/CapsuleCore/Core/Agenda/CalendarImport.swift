/// An import of calendars among the events of a store: planned first, then written, all of it or nothing.
///
/// An entry is known again by its UID; `<id>@capsule`, which this program writes itself, goes back to its
/// record. A higher `SEQUENCE` or `LAST-MODIFIED` changes the event; an entry that has neither changes it
/// where it says something else.
package struct CalendarImport: ImportPlan {
  /// A file, or standard input.
  package struct Source {
    /// The name for messages.
    package let name: String
    let file: CalendarFile

    package init(name: String, _ bytes: [UInt8]) {
      (self.name, file) = (name, CalendarFile(bytes))
    }
  }

  /// The result of the import for one entry.
  package struct Step: ImportStep {
    /// The number of the file among those that are imported.
    package let source: Int
    /// The physical line on which the entry begins, or the fault stands.
    package let line: Int
    /// `nil` where it could not be read.
    package let title: String?
    package let uid: String?
    package internal(set) var kind: ImportOutcome<Event, Problem>
    /// Remarks on the parts of the entry that an event cannot hold.
    package internal(set) var remarks: [Remark] = []
  }

  package enum Problem: ImportProblem {
    case fault(CalendarFault.Cause)
    /// The event breaks a rule of its kind.
    case rule(Fault)
    /// It is cancelled; the event of its UID, where there is one, stays. An event that is repeated comes
    /// also at the time of an occurrence that is cancelled.
    case cancelled(Event?, isOccurrence: Bool)
    /// A task that is due at no time.
    case undated
    /// It is a date of another record than an event, which comes from that.
    case notAnEvent(Occurrence.Happening?)
    /// Another entry with its UID, or without one and with its title and start, counts.
    case replaced(line: Int, source: Int, hasUID: Bool)
    /// Several events have its UID.
    case severalOfUID
    /// The record of the event that is meant cannot be read.
    case unreadable(RecordID)

    package var isBad: Bool {
      switch self {
      case .fault, .rule, .severalOfUID, .unreadable: true
      case .cancelled, .undated, .notAnEvent, .replaced: false
      }
    }

    /// Whether the events say something else than the calendar because of it.
    package var isLoss: Bool {
      if case .cancelled(_, isOccurrence: true) = self { return true }
      return isBad
    }
  }

  /// Something that an event cannot say.
  package struct Remark: Hashable, Sendable {
    package enum Matter: Hashable, Sendable {
      /// It stands once, at its first time: its rule.
      case rule(String)
      /// It stands once: it has dates of its own, or without some.
      case dates(String)
      /// It stands by itself: an occurrence that was moved or changed.
      case occurrence
      /// It stands once: a deadline is not repeated.
      case deadline
      /// An alarm that no alert can be.
      case alarm
      /// More alarms than an event has alerts.
      case alarms(limit: Int)
      /// It comes on the last day of months that have no such day, which its rule leaves out.
      case shortened
      /// It comes on this day of years without 29 February, which its rule leaves out, or where its rule
      /// says the other day.
      case leapDay(LeapDayRule, isLeftOut: Bool)
      /// The clocks skip its time; it is taken so many seconds later.
      case skipped(Int)
      /// The clocks show its time twice; the first is taken.
      case twice
    }

    package let line: Int
    package let matter: Matter

    /// Whether the event says less than the entry.
    package var isLoss: Bool {
      switch matter {
      case .shortened, .leapDay(_, isLeftOut: true), .skipped, .twice: false
      default: true
      }
    }
  }

  package private(set) var steps: [Step] = []
  private let store: Store?
  private let now: Instant
  private let calendar: EventCalendar
  private let local: LocalZone
  private let zones: ZoneDatabase
  private var byUID: [String: [RecordID]] = [:]
  private var known: Set<RecordID> = []
  /// The events that were found by the former key of an entry; each is of one.
  private var foundByFormer: Set<RecordID> = []
  /// The events that there were, those that are damaged among them.
  package let index: RecordIndex?

  /// Plans the import; nothing is written.
  ///
  /// - Parameters:
  ///   - store: `nil` where there is none and nothing will be written.
  ///   - local: the zone of times without one.
  ///   - zones: the zones that are known by their names.
  /// - Throws: `.noRandomness`; `.io` where the system does not let events be read, which would be added again.
  package init(
    _ sources: [Source], into store: Store?, _ calendar: EventCalendar, local: LocalZone,
    zones: ZoneDatabase, now: Instant
  ) throws(Fault) {
    (self.store, self.now, self.calendar) = (store, now, calendar)
    (self.local, self.zones) = (local, zones)
    var index = try store?.index.whole(.event, now: now)
    var (byUID, known): ([String: [RecordID]], Set<RecordID>) = ([:], [])
    index?.forEach(.ascending) { entry in
      known.insert(entry.id)
      if let uid = Brief<Event>(entry)?.record.uid, !uid.isEmpty {
        byUID[uid, default: []].append(entry.id)
      }
      return true
    }
    (self.index, self.byUID, self.known) = (index, byUID, known)
    try plan(sources)
  }

  private mutating func plan(_ sources: [Source]) throws(Fault) {
    var entries: [(source: Int, entry: Result<CalendarEntry, CalendarFault>)] = []
    // Of entries with one UID the newest counts, of two of one version the later.
    var last: [String: Int] = [:]
    entries.reserveCapacity(sources.reduce(0) { $0 + $1.file.parts.count })
    for (number, source) in sources.enumerated() {
      for entry in Self.entries(of: source.file) {
        if case .success(let entry) = entry {
          let place = last[entry.key]
          if let place, case .success(let other) = entries[place].entry,
            other.version.isNewer(than: entry.version)
          {
          } else {
            last[entry.key] = entries.count
          }
        }
        entries.append((number, entry))
      }
    }
    steps.reserveCapacity(entries.count)
    var books = sources.map { CalendarZones($0.file, zones, local) }
    for (place, (source, found)) in entries.enumerated() {
      switch found {
      case .failure(let fault):
        steps.append(
          Step(
            source: source, line: fault.line, title: nil, uid: nil,
            kind: .skipped(.fault(fault.cause))))
      case .success(let entry):
        var step = Step(
          source: source, line: entry.line, title: entry.title, uid: entry.key,
          kind: .skipped(.undated))
        if let other = last[entry.key], other != place,
          case .success(let newer) = entries[other].entry
        {
          step.kind = .skipped(
            .replaced(line: newer.line, source: entries[other].source, hasUID: entry.hasUID))
        } else {
          do {
            try take(entry, &books[source], &step)
          } catch let fault as CalendarFault {
            step.kind = .skipped(.fault(fault.cause))
          } catch {
            throw .stream(error)
          }
        }
        steps.append(step)
      }
    }
  }

  /// Returns the entries of a file without the occurrences that this program wrote only for their alarms:
  /// the alerts of the event give those too.
  private static func entries(
    of file: CalendarFile
  ) -> [Result<CalendarEntry, CalendarFault>] {
    let (parts, calendars) = (file.parts, file.calendars)
    let threads = parts.count < 32 ? 1 : Workers.processorCount
    let entries = Workers.map(parts, threads: threads) { entry($0, of: calendars) }
    var series: [String: CalendarEntry] = [:]
    for case .success(let entry) in entries where !entry.isOccurrence { series[entry.key] = entry }
    return entries.filter { found in
      guard case .success(let entry) = found, let whole = entry.seriesKey.flatMap({ series[$0] })
      else { return true }
      return !entry.differsInAlarmsAlone(from: whole)
    }
  }

  private static func entry(
    _ part: CalendarFile.Part, of calendars: [CalendarFile.Calendar]
  ) -> Result<CalendarEntry, CalendarFault> {
    switch part {
    case .fault(let fault): return .failure(fault)
    case .entry(let component, let calendar):
      return Result { () throws(CalendarFault) in
        try CalendarEntry(component, of: calendars[calendar], number: calendar)
      }
    }
  }

  private mutating func take(
    _ entry: CalendarEntry, _ book: inout CalendarZones, _ step: inout Step
  ) throws {
    let isOwn = entry.ownID.map { known.contains($0) } ?? false
    var ids = isOwn ? [entry.ownID].compactMap { $0 } : byUID[entry.key] ?? []
    if ids.isEmpty, let id = try former(entry, &book) { ids = [id] }
    guard ids.count <= 1 else {
      step.kind = .skipped(.severalOfUID)
      return
    }
    var old: Event?
    if let id = ids.first, let store {
      guard let event = try? store.readIntact(Event.self, id).model else {
        step.kind = .skipped(.unreadable(id))
        return
      }
      old = event
    }
    if old == nil, entry.happening != nil {
      step.kind = .skipped(.notAnEvent(entry.happening))
      return
    }
    if entry.isCancelled {
      step.kind = .skipped(.cancelled(old, isOccurrence: entry.isOccurrence))
      return
    }
    guard let start = entry.start else { return }
    let time = try book.moment(of: start, calendar: entry.calendar)
    let begin = try entry.begin.map { start in
      try book.moment(of: start, calendar: entry.calendar)
    }
    var event: Event
    if let old { event = old } else { event = try newEvent() }
    step.remarks = try CalendarEventMaker(entry, time, begin: begin, calendar, now: now).apply(
      to: &event, isNew: old == nil)
    if !isOwn {
      event.uid = entry.key
      event.imported = entry.version
    }
    if let fault = event.fault {
      step.kind = .skipped(.rule(fault))
      return
    }
    guard let old else {
      step.kind = .added(event)
      return
    }
    var same = event
    (same.uid, same.imported) = (old.uid, old.imported)
    let isOlder =
      !entry.version.isUnknown
      && (entry.version == old.exportedVersion
        || !entry.version.isNewer(than: isOwn ? old.exportedVersion : old.imported))
    step.kind = isOlder || same == old ? .unchanged(old) : .updated(from: old, to: event)
  }

  /// Returns the event that was imported from an entry without a UID before the zone and the kind of such
  /// entries were part of what they are known by; `nil` where it may be of another entry.
  private mutating func former(
    _ entry: CalendarEntry, _ book: inout CalendarZones
  ) throws -> RecordID? {
    guard let key = entry.formerKey, let ids = byUID[key], ids.count == 1, let start = entry.start,
      let store, let event = try? store.readIntact(Event.self, ids[0]).model,
      event.isDeadline == (entry.isDeadline ?? false)
    else { return nil }
    let time = try book.moment(of: start, calendar: entry.calendar)
    guard event.zone == time.zone || event.moment == time.moment,
      foundByFormer.insert(ids[0]).inserted
    else { return nil }
    return ids[0]
  }

  private func newEvent() throws(Fault) -> Event {
    let header = try store?.newHeader(now: now) ?? RecordHeader(id: .zero, createdAt: now)
    return Event(header: header, title: "", moment: .instant(now), zone: "UTC")
  }

  /// Writes what the steps change, all of it at once; what is bad is passed over.
  ///
  /// - Throws: the error of the store, which has nothing of the import then.
  package mutating func write() throws(Fault) {
    guard let store else { return }
    var batch = ModelBatch<Event>(plannedBy: index)
    for step in steps {
      switch step.kind {
      case .added(let event): batch.add(event)
      case .updated(let old, let new):
        var record = try StoredRecord(planned: old, in: store)
        record.model = new
        batch.update(record)
      case .unchanged, .skipped: break
      }
    }
    let written = try batch.write(to: store, now: now)
    for place in steps.indices { steps[place].kind = steps[place].kind.asWritten(written) }
  }
}

extension Event {
  /// The version that a calendar which this program writes has of it.
  package var exportedVersion: EntryVersion {
    EntryVersion(
      sequence: max(imported.sequence ?? 0, header.revision - 1), modified: header.updatedAt)
  }
}

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
  /// - Throws: ``CalendarFault`` where its zone is not known, and outside the years that there are.
  mutating func moment(
    of start: CalendarEntry.Start, calendar: Int
  ) throws(CalendarFault) -> CalendarMoment {
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
  ) throws(CalendarFault) -> ZoneRules {
    guard let zone = calendar.zones[name] else {
      throw CalendarFault(line: line, cause: .unknownZone(name))
    }
    guard let found = zone.rules else {
      throw CalendarFault(line: line, cause: .brokenZone(name, line: zone.line))
    }
    if let begin = found.begin, shown < begin {
      throw CalendarFault(line: line, cause: .beforeZone(name, line: zone.line))
    }
    return found.rules
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
