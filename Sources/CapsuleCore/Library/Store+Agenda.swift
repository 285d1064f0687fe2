/// The library's own door to dates and people (`docs/library.md`).
extension Store {
  /// Returns what comes between two instants, in order: unlocks, events with every repetition,
  /// deadlines, alerts, reminders of items, and bequests that become accessible. Where the span has
  /// begun, what is overdue stands before it, at the time when it was due.
  ///
  /// - Parameters:
  ///   - zone: the IANA zone that one lives in, whose midnight begins a whole day.
  ///   - kinds: the kinds that are asked for; all of them where there are none.
  ///   - limit: the most occurrences to return.
  /// - Throws: ``ZoneNameError`` for a zone that this machine does not know.
  public func agenda(
    from start: Instant, until end: Instant, zone: String = "UTC", kinds: [RecordKind] = [],
    limit: Int = .max
  ) throws(ZoneNameError) -> [Occurrence] {
    let calendar = calendar(in: try rules(zone), named: zone)
    guard limit > 0 else { return [] }
    let timeline = Timeline(TimelineContext(self, now: now, calendar: calendar), kinds: kinds)
    return timeline.occurrences(
      in: TimelineSpan(
        from: start.clamped, before: end.clamped, limit: limit, includesAlerts: true))
  }

  /// Returns what became due after an instant and until now, in order: unlocks, alerts, deadlines that
  /// were missed, reminders, and bequests. Nothing is marked as announced.
  ///
  /// - Parameter zone: the IANA zone that one lives in.
  /// - Throws: ``ZoneNameError`` for a zone that this machine does not know.
  public func due(
    since start: Instant, zone: String = "UTC"
  ) throws(ZoneNameError) -> [Announcement] {
    let calendar = calendar(in: try rules(zone), named: zone)
    var check = DueCheck(
      self, directory: layout.root, through: now, now: now, calendar: calendar, zone: zone)
    var queue = check.dues(after: start.clamped, known: Ledger.Known()) { _ in }
    var announcements: [Announcement] = []
    while true {
      do throws(DueProblem) {
        guard let due = try queue.next() else { return announcements }
        announcements.append(due.announcement)
      } catch {
        // A record that cannot be read has nothing due; `verify` names it.
      }
    }
  }

  func calendar(in rules: ZoneRules, named name: String) -> EventCalendar {
    let settings = (try? readSettings())?.settings ?? StoreSettings()
    return EventCalendar(
      in: LocalZone(rules: rules, name: name, warning: nil), zones, leapDay: settings.leapDayRule
    ) { _ in }
  }

  private func rules(_ zone: String) throws(ZoneNameError) -> ZoneRules {
    if zone == "UTC" { return .utc }
    do throws(ZoneError) { return try zones.rules(named: zone) } catch {
      throw ZoneNameError(name: zone)
    }
  }

  /// The zones of the machine.
  private var zones: ZoneDatabase {
    let files = files
    return ZoneDatabase { name in
      try? files.withFile(
        FilePath("/usr/share/zoneinfo").appending(name), .readFollowingLinks(streams: false)
      ) { file throws(FileSystemError) in try files.readAll(file, limit: 1 << 20) }
    }
  }

  /// Adds and updates people from vCards.
  ///
  /// - Parameters:
  ///   - cards: a file of vCards, of versions 2.1 to 4.0.
  ///   - acceptsRecipients: whether a card may replace the age recipient of a person who has one.
  /// - Returns: the people that were added, changed or left as they are, in the order of their cards; a
  ///   card that cannot be used is left out.
  /// - Throws: ``StoreError``: `.busy`, `.recordTooLarge`, `.random`, `.io`; nobody is imported then.
  public func importPeople(
    _ cards: [UInt8], acceptsRecipients: Bool = false
  ) throws(StoreError) -> [Beneficiary] {
    let work = try PeopleImport(
      ContactFile(cards), into: self, acceptsRecipients: acceptsRecipients, now: now)
    var people: [Beneficiary] = []
    try work.run(isDry: false) { result in
      switch result.outcome {
      case .added(let person), .updated(_, let person), .unchanged(let person):
        people.append(person)
      case .skipped, .failed: break
      }
    }
    return people
  }

  /// Makes a folder, or a sealed archive, for each person who may have something now.
  ///
  /// - Parameters:
  ///   - people: the people who are asked about; everybody where it is `nil`.
  ///   - directory: the directory in which the folders are made, one a person.
  ///   - isSealed: whether each is an archive that only its person can open.
  ///   - keys: the keys with which capsules are opened for them.
  ///   - marksSent: whether the bequests are marked as sent when a delivery is whole.
  ///   - zone: the IANA zone of the dates on the page.
  /// - Returns: the deliveries, each with its problem where it could not be made.
  /// - Throws: ``ZoneNameError`` for a zone that this machine does not know, ``StoreError`` where the
  ///   bequests cannot be read, ``FileSystemError`` where nothing can be written there. What keeps one
  ///   delivery from being made is its ``PersonalDelivery/problem``.
  public func deliver(
    to people: [RecordID]? = nil, into directory: String, sealed isSealed: Bool = false,
    with keys: Keys = .none, marksSent: Bool = false, zone: String = "UTC"
  ) throws -> [PersonalDelivery] {
    let now = now
    let rules = try rules(zone)
    let terms = DeliveryTerms(
      output: FilePath(directory), isSealed: isSealed, withValues: false, now: now, zone: rules)
    var plan = try deliveryPlan(for: people, terms) { record in
      try openUnattended(record, with: keys, now: now)
    }
    if plan.canBeMade, let writer = DeliveryWriter(self, terms, marksSent: marksSent) {
      _ = try writer.prepare(for: plan)
      try writer.make(&plan) { _ in }
    }
    return plan.deliveries
  }
}

/// A name that is no zone of this machine.
public struct ZoneNameError: Error, Hashable, Sendable {
  public let name: String
}
