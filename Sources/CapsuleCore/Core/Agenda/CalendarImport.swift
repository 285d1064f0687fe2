/// An import of calendars among the events of a store.
///
/// An entry is known again by its UID; `<id>@capsule`, which this program writes itself, goes back to its
/// record. A higher `SEQUENCE` or `LAST-MODIFIED` changes the event; an entry that has neither changes it
/// where it says something else.
package struct CalendarImport: Importer {
  /// A file, or standard input.
  package struct Source {
    /// The name for messages.
    package let name: String
    let file: CalendarFile

    package init(name: String, _ bytes: [UInt8]) {
      (self.name, file) = (name, CalendarFile(bytes))
    }
  }

  /// The calendar that the files are, by a name that its owner gave it.
  package struct Subscription {
    package let name: String
    /// Whether events of it that the files have not go to the trash.
    package let isPruned: Bool
    /// Whether those go too that are over.
    package let prunesPast: Bool

    package init(name: String, isPruned: Bool = false, prunesPast: Bool = false) {
      (self.name, self.isPruned, self.prunesPast) = (name, isPruned, prunesPast)
    }
  }

  private let sources: [Source]
  private let subscription: Subscription?
  /// The events that are of that calendar.
  private var subscribed: [RecordID] = []
  private let calendar: EventCalendar
  private let local: LocalZone
  private let zones: ZoneDatabase
  private var byUID: [String: [RecordID]] = [:]
  private var known: Set<RecordID> = []
  /// The events that were found by the former key of an entry; each is of one.
  private var foundByFormer: Set<RecordID> = []

  /// - Parameters:
  ///   - local: the zone of times without one.
  ///   - zones: the zones that are known by their names.
  package init(
    _ sources: [Source], of subscription: Subscription? = nil, _ calendar: EventCalendar,
    local: LocalZone, zones: ZoneDatabase
  ) {
    (self.sources, self.subscription, self.calendar) = (sources, subscription, calendar)
    (self.local, self.zones) = (local, zones)
  }

  /// What is wrong in the files beside their entries.
  package var problems: [(source: Int, problem: ImportProblem)] {
    sources.enumerated().flatMap { number, source in
      source.file.badLines.map { fault in
        guard case .noEnd = fault.cause else {
          return (
            number, ImportProblem(.remark, at: fault.line, "skipped a line outside the entries")
          )
        }
        return (number, ImportProblem(.remark, at: fault.line, Fault(fault.cause)))
      }
    }
  }

  /// The numbers of the components that are no entries, by their names.
  package var leftOut: [String: Int] {
    sources.reduce(into: [:]) { all, source in
      all.merge(source.file.leftOut, uniquingKeysWith: +)
    }
  }

  package mutating func note(_ record: IndexEntry) {
    known.insert(record.id)
    guard let event = Brief<Event>(record, through: "calendar")?.record else { return }
    if let uid = event.uid, !uid.isEmpty { byUID[uid, default: []].append(record.id) }
    if let subscription, event.calendar == subscription.name { subscribed.append(record.id) }
  }

  package mutating func steps(
    in target: ImportTarget
  ) throws(Fault) -> [ImportStep<Event>] {
    let entries = sources.enumerated().flatMap { number, source in
      Self.entries(of: source.file).map { (source: number, entry: $0) }
    }
    let groups = CalendarGroups(entries.map(\.entry), isKnown: { isRepeated($0, target) })
    var steps: [ImportStep<Event>] = []
    steps.reserveCapacity(entries.count)
    var books = sources.map { CalendarZones($0.file, zones, local, now: target.now) }
    for (place, (source, found)) in entries.enumerated() {
      switch found {
      case .failure(let fault):
        let problem = ImportProblem(.bad, at: fault.line, Fault(fault.cause))
        steps.append(ImportStep(source: source, line: fault.line, outcome: .skipped(problem)))
      case .success(let entry):
        var remarks: [ImportProblem] = []
        let outcome: ImportOutcome<Event>
        switch groups.role(of: place) {
        case .part: continue
        case .older(let other, let newer):
          let same = entry.hasUID ? "UID" : "title and start"
          outcome = .skipped(
            ImportProblem(
              .remark, at: entry.line,
              Fault(
                .partial, "the entry at \(open: .name) has the same \(same) and is used instead"),
              rival: (entries[other].source, newer.line)))
        case .whole(let places):
          let parts = groups.inOrder(places).map { part in
            (entry: part.entry, source: entries[part.place].source)
          }
          do {
            outcome = try self.outcome(of: entry, parts, source, &books, &remarks, target)
            steps += folded(parts.map(\.entry), into: outcome, source, target)
          } catch let fault as CalendarFault {
            outcome = .skipped(ImportProblem(.bad, at: entry.line, Fault(fault.cause)))
          } catch {
            throw .stream(error)
          }
        }
        steps.append(
          ImportStep(
            source: source, line: entry.line, name: entry.title, uid: entry.key, outcome: outcome,
            remarks: remarks, leftOut: entry.leftOut))
      }
    }
    if let subscription, subscription.isPruned {
      steps += try pruned(beside: steps, subscription, target)
    }
    return steps
  }

  /// Returns what the calendar has no more.
  ///
  /// - Throws: `.refused` where the files may not be all of it, or over half of its events would go.
  private func pruned(
    beside steps: [ImportStep<Event>], _ subscription: Subscription, _ target: ImportTarget
  ) throws(Fault) -> [ImportStep<Event>] {
    let isWhole = sources.allSatisfy { $0.file.badLines.isEmpty && !$0.file.isEmpty }
    let isRead = steps.allSatisfy { step in
      if case .skipped(let problem) = step.outcome { problem.weight != .bad } else { true }
    }
    guard isWhole, isRead, !steps.isEmpty else {
      throw Fault(
        .refused, "nothing is removed: the calendar has faults, no end or no entry",
        hint: "import it without --prune, or get the file again")
    }
    let kept = Set(steps.compactMap { $0.outcome.model?.id })
    let gone = subscribed.filter { !kept.contains($0) }.compactMap { id -> Event? in
      guard let event = target.read(Event.self, id) else { return nil }
      let isOver = event.timing.schedule(in: calendar).next(notOverAt: target.now) == nil
      return isOver && !subscription.prunesPast ? nil : event
    }
    guard gone.count * 2 <= subscribed.count || subscribed.count < 4 else {
      throw Fault(
        .refused,
        "nothing is removed: \(gone.count) of \(subscribed.count) events of '\(subscription.name)' would go",
        hint: "check the file; or delete them: capsule event delete REF")
    }
    return gone.map { event in
      ImportStep(
        source: 0, line: 1, name: event.title, uid: event.uid, outcome: .removed(event))
    }
  }

  /// Whether the store has a repeated event of a UID, so that an occurrence is one of its own.
  private func isRepeated(_ uid: String, _ target: ImportTarget) -> Bool {
    guard let ids = byUID[uid], ids.count == 1, let event = target.read(Event.self, ids[0]) else {
      return false
    }
    return event.series.isRepeated
  }

  /// Removes the events that earlier versions made of single occurrences, once these are part of their series.
  private func folded(
    _ parts: [CalendarEntry], into outcome: ImportOutcome<Event>, _ source: Int,
    _ target: ImportTarget
  ) -> [ImportStep<Event>] {
    guard let series = outcome.model, series.series.isRepeated else { return [] }
    return parts.flatMap { part in
      (byUID[part.key] ?? []).compactMap { id in
        guard id != series.id, let event = target.read(Event.self, id) else { return nil }
        return ImportStep(
          source: source, line: part.line, name: event.title, uid: part.key,
          outcome: .removed(event))
      }
    }
  }

  private static func entries(
    of file: CalendarFile
  ) -> [Result<CalendarEntry, CalendarFault>] {
    let (parts, calendars) = (file.parts, file.calendars)
    let threads = parts.count < 32 ? 1 : Workers.processorCount
    return Workers.map(parts, threads: threads) { entry($0, of: calendars) }
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

  /// - Parameter parts: the occurrences that the file has beside the entry, and the sources of these. Where the
  ///   entry is an occurrence itself, of a series that the store has, it is the first of them.
  private mutating func outcome(
    of entry: CalendarEntry, _ parts: [(entry: CalendarEntry, source: Int)], _ source: Int,
    _ books: inout [CalendarZones], _ remarks: inout [ImportProblem], _ target: ImportTarget
  ) throws -> ImportOutcome<Event> {
    func skipped(
      _ weight: ImportProblem.Weight, _ message: Fault.Message, hint: String? = nil
    ) -> ImportOutcome<Event> {
      .skipped(ImportProblem(weight, at: entry.line, message, hint: hint))
    }
    let isOwn = entry.ownID.map { known.contains($0) } ?? false
    let isOfSeries = parts.first.map { $0.entry == entry } ?? false
    let key = isOfSeries ? entry.uid ?? entry.key : entry.key
    var ids = isOwn ? [entry.ownID].compactMap { $0 } : byUID[key] ?? []
    if ids.isEmpty, let id = try former(entry, &books[source], target) { ids = [id] }
    guard ids.count <= 1 else {
      return skipped(
        .bad, "several events have the UID of the entry",
        hint: "delete the extra events: capsule event delete")
    }
    var old: Event?
    if let id = ids.first, target.store != nil {
      guard let event = target.read(Event.self, id) else {
        return .skipped(
          ImportProblem(.bad, at: entry.line, .unreadableForImport(id, of: "event")))
      }
      old = event
    }
    if old == nil, let happening = entry.happening {
      let thing =
        switch happening {
        case .unlock: "the unlock date of a capsule"
        case .reminder: "the reminder of an item"
        default: "the date of another record"
        }
      return skipped(.remark, "the entry is \(thing), not an event")
    }
    if let old, isOfSeries {
      var event = old
      for part in parts {
        try CalendarEventMaker(part.entry, part.source, calendar, &books, now: target.now)
          .apply(asPartOf: &event, onlyNewer: true, &remarks)
      }
      return result(event, from: old, at: entry.line)
    }
    if entry.isCancelled {
      return skipped(
        .remark, "the entry is canceled\(old == nil ? "" : "; the event stays")",
        hint: old.map { "delete the event: capsule event delete \($0.id)" })
    }
    guard entry.start != nil else { return skipped(.remark, "a task without a due date") }
    var event =
      try old
      ?? Event(header: target.newHeader(), title: "", moment: .instant(target.now), zone: "UTC")
    let maker = try CalendarEventMaker(entry, source, calendar, &books, now: target.now)
    maker.apply(to: &event, isNew: old == nil, &books[source], &remarks)
    for part in parts {
      try CalendarEventMaker(part.entry, part.source, calendar, &books, now: target.now)
        .apply(asPartOf: &event, of: entry.version, onlyNewer: false, &remarks)
    }
    if !isOwn {
      event.uid = entry.key
      event.imported = entry.version
      if event.schemaNeeded > 3 { event.reader = Event.currentReader }
    }
    if let subscription { event.calendar = subscription.name }
    guard let old else { return result(event, from: nil, at: entry.line) }
    let isOlder =
      !entry.version.isUnknown
      && (entry.version == old.exportedVersion
        || !entry.version.isNewer(than: isOwn ? old.exportedVersion : old.imported))
    guard isOlder, !old.wasReadBefore(event) else {
      return result(event, from: old, at: entry.line)
    }
    // Of an entry that is known its occurrences may be newer.
    var same = old
    if let subscription { same.calendar = subscription.name }
    var others: [ImportProblem] = []
    for part in parts {
      try CalendarEventMaker(part.entry, part.source, calendar, &books, now: target.now)
        .apply(asPartOf: &same, onlyNewer: true, &others)
    }
    return result(same, from: old, at: entry.line)
  }

  /// Returns what becomes of an event: it is as it was where only its version is another.
  private func result(_ event: Event, from old: Event?, at line: Int) -> ImportOutcome<Event> {
    if let fault = event.fault { return .skipped(ImportProblem(.bad, at: line, fault.ofEntry)) }
    guard let old else { return .added(event) }
    var same = event
    (same.uid, same.imported, same.reader) = (old.uid, old.imported, old.reader)
    return same == old ? .unchanged(old) : .updated(from: old, to: event)
  }

  /// Returns the event that was imported from an entry without a UID before the zone and the kind of such
  /// entries were part of what they are known by; `nil` where it may be of another entry.
  private mutating func former(
    _ entry: CalendarEntry, _ book: inout CalendarZones, _ target: ImportTarget
  ) throws -> RecordID? {
    guard let key = entry.formerKey, let ids = byUID[key], ids.count == 1, let start = entry.start,
      let event = target.read(Event.self, ids[0]),
      event.isDeadline == (entry.isDeadline ?? false)
    else { return nil }
    let time = try book.moment(of: start, calendar: entry.calendar)
    guard event.zone == time.zone || event.moment == time.moment,
      foundByFormer.insert(ids[0]).inserted
    else { return nil }
    return ids[0]
  }
}

/// The entries of all files by what becomes of them: of entries with one UID the newest counts, of two of one
/// version the later; and an occurrence belongs to the entry of its series.
private struct CalendarGroups {
  enum Role {
    /// It counts, with these occurrences of it.
    case whole([Int])
    /// It is an occurrence of another entry.
    case part
    /// Another one counts instead.
    case older(Int, CalendarEntry)
  }

  private let entries: [Result<CalendarEntry, CalendarFault>]
  private var last: [String: Int] = [:]
  private var parts: [Int: [Int]] = [:]
  private var isPart: Set<Int> = []

  /// - Parameter isKnown: whether the store has the series of a UID.
  init(_ entries: [Result<CalendarEntry, CalendarFault>], isKnown: (String) -> Bool) {
    self.entries = entries
    for (place, entry) in entries.enumerated() {
      guard case .success(let entry) = entry else { continue }
      if let other = last[entry.key], case .success(let known) = entries[other],
        known.version.isNewer(than: entry.version)
      {
        continue
      }
      last[entry.key] = place
    }
    // The first occurrence of a series that only the store has stands for the series.
    var heads: [String: Int?] = [:]
    for (place, entry) in entries.enumerated() {
      guard case .success(let entry) = entry, entry.occurrence != nil, let uid = entry.uid,
        last[entry.key] == place
      else { continue }
      if let whole = last[uid] {
        parts[whole, default: []].append(place)
        isPart.insert(place)
      } else if let head = heads[uid] {
        guard let head else { continue }
        parts[head, default: []].append(place)
        isPart.insert(place)
      } else {
        let head = isKnown(uid) ? place : nil
        heads[uid] = .some(head)
        if head != nil { parts[place] = [place] }
      }
    }
  }

  /// Returns what can be read of some occurrences: first those that later ones follow, in their order, and at the
  /// end those from which on all are canceled.
  func inOrder(_ places: [Int]) -> [(place: Int, entry: CalendarEntry)] {
    let parts = places.compactMap { place in
      (try? entries[place].get()).map { (place: place, entry: $0) }
    }
    let others = parts.filter { !$0.entry.isOfFuture }
    let forLater = parts.filter { $0.entry.isOfFuture }
      .sorted { $0.entry.occurrenceShown < $1.entry.occurrenceShown }
    return forLater.filter { !$0.entry.isCancelled } + others
      + forLater.filter { $0.entry.isCancelled }
  }

  func role(of place: Int) -> Role {
    if case .success(let entry) = entries[place], let other = last[entry.key], other != place,
      case .success(let newer) = entries[other]
    {
      return .older(other, newer)
    }
    return isPart.contains(place) ? .part : .whole(parts[place] ?? [])
  }
}

extension CalendarComponent.BadLine {
  /// What is said of the entry that comes in without it.
  var problem: ImportProblem {
    let message: Fault.Message =
      switch fault.cause {
      case .notAProperty: "is imported without this line, which is not a property"
      case .noEnd(let name): "is imported, although '\(name.shortened)' has no END line"
      case .noBegin(let name): "is imported, although '\(name.shortened)' has no BEGIN line"
      case .tooLong(let property, let limit):
        "is imported without the end of \(property), which has more than \(limit) bytes"
      default: "is imported without this line: \(fault.cause.message)"
      }
    return ImportProblem(isLoss ? .loss : .remark, at: fault.line, message)
  }
}

extension Event {
  /// The number of what this program reads of a calendar.
  static let currentReader: Int64 = 2

  /// Whether an earlier version read the same entry, with less of it, and nobody changed the event since.
  fileprivate func wasReadBefore(_ event: Event) -> Bool {
    event.reader > reader && title == event.title && notes == event.notes && moment == event.moment
  }

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
  /// Whether the entry names no zone.
  var isFloating = false
  /// Whether the entry has it in UTC, by which its alarms are counted then.
  var isUTC = false
  /// The way in which the clocks show it.
  var fit = LocalTimeFit.unique
  /// What is to be said of its zone.
  var remarks: [ImportProblem] = []

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
  func later(by span: CalendarTrigger, _ local: ZoneRules) -> CalendarMoment? {
    guard let instant = start(local).instant(of: span), instant.isRepresentable else { return nil }
    let shown = rules.civil(at: instant)
    return CalendarMoment(
      moment: moment.isAllDay ? .day(shown.date) : .instant(instant), zone: zone, rules: rules,
      shown: moment.isAllDay ? CivilDateTime(date: shown.date, time: .midnight) : shown,
      isOnClocks: isOnClocks)
  }
}
