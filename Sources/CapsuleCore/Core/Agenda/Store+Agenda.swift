/// Dates (`docs/internals/library.md`).
extension Store {
  /// Returns what comes between two instants, in order: unlocks, events with every repetition,
  /// deadlines, alerts, reminders of items, and bequests that become accessible. If the span
  /// has begun, overdue things come first, at the time when they were due.
  ///
  /// - Parameters:
  ///   - zone: the IANA zone that one lives in, whose midnight begins a whole day.
  ///   - kinds: the kinds that are asked for; all of them where there are none.
  ///   - limit: the most occurrences to return.
  /// - Throws: ``Fault`` for an unknown time zone.
  public func agenda(
    from start: Instant, until end: Instant, zone: String = "UTC", kinds: [RecordKind] = [],
    limit: Int = .max
  ) throws(Fault) -> [Occurrence] {
    let now = now
    let calendar = calendar(in: try rules(zone), named: zone)
    guard limit > 0 else { return [] }
    let timeline = Timeline(TimelineContext(self, now: now, calendar: calendar), kinds: kinds)
    return timeline.occurrences(
      in: TimelineSpan(
        from: start.clamped, before: end.clamped, limit: limit, includesAlerts: true))
  }

  /// Returns what became due after an instant and until now, in order: unlocks, alerts, deadlines that
  /// were missed, reminders, and bequests. It leaves out what this device has announced.
  ///
  /// - Parameter zone: the IANA zone that one lives in.
  /// - Throws: ``Fault`` for an unknown time zone.
  public func due(
    since start: Instant, zone: String = "UTC"
  ) throws(Fault) -> [DueNotice] {
    let now = now
    let calendar = calendar(in: try rules(zone), named: zone)
    let directory = stateDirectory
    // Where what was announced cannot be read, it is announced again rather than never.
    let known = directory.flatMap { try? Ledger.read(of: self, in: $0, now: now) }
    var check = DueCheck(
      self, directory: directory, through: now, now: now, calendar: calendar, zone: zone)
    var queue = check.dues(after: start.clamped, known: known ?? Ledger.Known()) { _ in }
    let names = RecordNames(self, now: now)
    var notices: [DueNotice] = []
    while true {
      do {
        guard let due = try queue.next() else { return notices }
        notices.append(DueNotice(due, names))
      } catch {
        // A record that cannot be read has nothing due; `verify` names it.
      }
    }
  }

  /// Marks things as announced on this machine: ``due(since:zone:)`` leaves them out from then on. When this
  /// returns, it survives a power cut.
  ///
  /// - Throws: ``Fault``: `.noStateDirectory` where the store was opened without one, `.storeBusy` while
  ///   another process announces, `.io`.
  public func markAnnounced(_ notices: [DueNotice]) throws(Fault) {
    guard let directory = stateDirectory else { throw .noStateDirectory }
    guard
      var ledger = try Ledger.open(of: self, in: directory, now: now, isPatient: true)
    else { throw .busy(holder: nil) }
    defer { ledger.close() }
    let announcements = notices.map(\.announcement).filter { !ledger.known.contains($0) }
    if !announcements.isEmpty { try ledger.mark(announcements) }
  }

  /// Reads a date as people write it: `15 June 2036`, `in 3 months`, `next friday 18:00`, `2036-06-15`.
  ///
  /// - Parameter zone: the IANA zone in which it is read, where the text names none.
  /// - Returns: the instant, and the date where no time of day was given; the instant is then at the
  ///   setting `timeOfDay`.
  /// - Throws: ``WhenError``, also for an unknown time zone.
  public func when(_ text: String, zone: String = "UTC") throws(WhenError) -> When {
    let now = now
    let rules: ZoneRules
    do { rules = try self.rules(zone) } catch {
      throw WhenError(
        kind: zones.isEmpty ? .noZones : .unknownZone, position: 0, word: zone, suggesting: [])
    }
    let minutes = ((try? settings.read())?.settings ?? StoreSettings()).timeOfDayMinutes
    let time = CivilTime(hour: minutes / 60, minute: minutes % 60, second: 0)
    return try WhenParser(
      now: now, zone: rules, zones: zones, defaultTime: time ?? .midnight
    ).parse(text)
  }

  func calendar(in rules: ZoneRules, named name: String) -> EventCalendar {
    let settings = (try? settings.read())?.settings ?? StoreSettings()
    return EventCalendar(
      in: LocalZone(rules: rules, name: name, warning: nil), zones, leapDay: settings.leapDayRule
    ) { _ in }
  }

  func rules(_ zone: String) throws(Fault) -> ZoneRules {
    if zone == "UTC" { return .utc }
    do { return try zones.rules(named: zone) } catch {
      throw Fault(.usage, "unknown time zone \(zone.quoted)")
    }
  }

  /// The zones of the machine.
  private var zones: ZoneDatabase {
    let files = files
    return ZoneDatabase { name in
      for directory in ZoneDatabase.directories {
        let bytes = try? files.withFile(
          FilePath(directory).appending(name), .readFollowingLinks(streams: false)
        ) { file throws(Fault) in try files.readAll(file, limit: 1 << 20) }
        if let bytes { return bytes }
      }
      return nil
    }
  }
}

/// Something that became due and is to be announced.
public struct DueNotice: Hashable, Sendable {
  /// The title or name of what is due; of a bequest the thing and the person.
  public let title: String
  package let announcement: Announcement

  public var kind: RecordKind { announcement.kind }
  public var id: RecordID { announcement.id }
  /// `unlock`, `accessible`, `reminder`, `warranty`, `over` for a deadline that was missed, or `alert:` and its words
  /// with hyphens.
  public var topic: String { announcement.topic }
  /// When it became due.
  public var instant: Instant { announcement.instant }

  fileprivate init(_ due: DueThing, _ names: RecordNames) {
    announcement = due.announcement
    title =
      switch due.matter {
      case .unlock(let capsule): capsule.title
      case .event(let event, _): event.title
      case .reminder(let item, let reminder): reminder.title(of: item)
      case .warranty(let item, _): item.name
      case .bequest(let bequest): names.title(bequest)
      }
  }
}
