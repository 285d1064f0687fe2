import CapsuleCore

/// Something that became due and is to be announced.
struct Due: Sendable {
  /// By what it is known in the ledger.
  let announcement: Announcement
  let title: String
  /// The line for people.
  let text: StyledText
  /// The object for machines.
  let members: JSONObject

  init(
    announcement: Announcement, title: String, text: StyledText, members: JSONObject
  ) {
    self.announcement = announcement
    self.title = title
    self.text = text
    self.members = members
  }
}

/// What each kind of record has to announce: the one place where a new kind joins.
enum DueSource: CaseIterable, Sendable {
  case unlocks, events, reminders, bequests

  /// The kind of record that it looks at.
  var kind: RecordKind {
    switch self {
    case .unlocks: .capsule
    case .events: .event
    case .reminders: .item
    case .bequests: .bequest
    }
  }

  /// The index entries that may have something to announce in a span of time.
  ///
  /// - Parameter isKnown: whether something was announced already.
  func candidates(
    in index: inout RecordIndex, after start: Instant, through end: Instant,
    _ calendar: EventCalendar, isKnown: (Announcement) -> Bool
  ) -> [IndexEntry] {
    switch self {
    case .unlocks, .bequests:
      index.entries(dueAfter: start.seconds, through: end.seconds).filter { entry in
        !isKnown(
          Announcement(
            kind: kind, id: entry.id, topic: self == .unlocks ? "unlock" : "accessible",
            instant: Instant(seconds: entry.due)))
      }
    // An event may announce several things: the index knows the first, its summary all of them.
    case .events:
      // Nothing of an event is due after its end.
      index.entries(
        dueAfter: .min, through: end.seconds,
        sorted: start.seconds.addingClamped(-EventSummary.slack)..<Int64.max
      ).filter { entry in
        guard let timing = EventTiming(encoded: entry.summary) else { return true }
        return timing.announcements(after: start, through: end, calendar).contains {
          !isKnown(Self.announcement($0, of: entry.id))
        }
      }
    // Of an item only the last occurrence that nothing was done after.
    case .reminders:
      index.entries(dueAfter: .min, through: end.seconds).filter { entry in
        guard let timing = ItemSummary.timing(encoded: entry.summary) else { return true }
        guard let reminder = timing.reminder,
          let latest = reminder.latest(through: end, last: timing.last, in: calendar.zone),
          latest > start
        else { return false }
        return !isKnown(Self.reminder(latest, of: entry.id))
      }
    }
  }

  /// How many records had something due before this machine first used the store.
  func count(
    in index: inout RecordIndex, before firstUse: Instant, _ calendar: EventCalendar
  ) -> Int {
    switch self {
    case .unlocks, .bequests: return index.count(dueAfter: .min, through: firstUse.seconds)
    // Of events only what is still to be done.
    case .events:
      return index.entries(dueAfter: .min, through: firstUse.seconds).count { entry in
        guard let timing = EventTiming(encoded: entry.summary), timing.isDeadline else {
          return false
        }
        return timing.doneAt == nil && timing.createdAt <= firstUse
          && timing.moment.end(in: calendar.zone) <= firstUse
      }
    case .reminders:
      return index.entries(dueAfter: .min, through: firstUse.seconds).count { entry in
        guard let timing = ItemSummary.timing(encoded: entry.summary) else { return false }
        return timing.reminder?.latest(through: firstUse, last: timing.last, in: calendar.zone)
          != nil
      }
    }
  }

  /// What one record has to announce of what became due after one instant and until another.
  ///
  /// - Throws: when the record is not what was written, or cannot be read.
  func dues(
    of id: RecordID, in store: Store, after start: Instant, through end: Instant,
    _ session: Session
  ) throws -> [Due] {
    switch self {
    case .unlocks: try Self.unlock(id, store, start, end, session)
    case .events: try Self.event(id, store, start, end, session)
    case .reminders: try Self.reminder(id, store, start, end, session)
    case .bequests: try Self.bequest(id, store, start, end, session)
    }
  }

  private static func unlock(
    _ id: RecordID, _ store: Store, _ start: Instant, _ end: Instant, _ session: Session
  ) throws -> [Due] {
    let record: StoredRecord<Capsule>
    do throws(StoreError) {
      record = try store.read(Capsule.self, id)
    } catch {
      // The index may still name what another process just deleted.
      if case .notFound = error { return [] }
      throw error
    }
    try store.requireIntact(record)
    let capsule = record.model
    guard capsule.dueAt > start, capsule.dueAt <= end else { return [] }
    var members = CapsuleView(capsule.summary, in: session, at: end).members
    members["topic"] = "unlock"
    InstantFields(zone: session.zone).add(capsule.dueAt, as: "dueAt", to: &members)
    return [
      Due(
        announcement: Announcement(
          kind: .capsule, id: id, topic: "unlock", instant: capsule.dueAt),
        title: capsule.title,
        text:
          "'\(capsule.title, .bold)' is unlocked since \(session.dateTime(capsule.dueAt)); open it with: capsule open \(id.description)",
        members: members)
    ]
  }

  private static func bequest(
    _ id: RecordID, _ store: Store, _ start: Instant, _ end: Instant, _ session: Session
  ) throws -> [Due] {
    guard let bequest = try intact(Bequest.self, id, store), bequest.state == .notSent,
      let at = bequest.access.date, at > start, at <= end
    else { return [] }
    let view = BequestView(
      bequest.summary, names: RecordNames(store, now: session.now),
      passing: session.storeSettings(store).passing, in: session)
    var members = view.members
    members["topic"] = "accessible"
    InstantFields(zone: session.zone).add(at, as: "dueAt", to: &members)
    let person = view.personName ?? "?"
    return [
      Due(
        announcement: Announcement(kind: .bequest, id: id, topic: "accessible", instant: at),
        title: view.title,
        text:
          "'\(view.subjectText)' is \(person, .bold)'s since \(session.dateTime(at)); hand it over with: capsule deliver \(bequest.beneficiary.description) --output DIR",
        members: members)
    ]
  }

  /// Reads a record whose bytes are those that were written; `nil` where it is gone: the index may
  /// still name what another process just deleted.
  private static func intact<Model: RecordModel>(
    _ type: Model.Type, _ id: RecordID, _ store: Store
  ) throws -> Model? {
    let record: StoredRecord<Model>
    do throws(StoreError) {
      record = try store.read(type, id)
    } catch {
      if case .notFound = error { return nil }
      throw error
    }
    if let damage = record.integrity {
      throw Failure(.damaged(damage, path: store.layout.record(Model.kind, id).text))
    }
    return record.model
  }

  private static func event(
    _ id: RecordID, _ store: Store, _ start: Instant, _ end: Instant, _ session: Session
  ) throws -> [Due] {
    guard let summary = try intact(Event.self, id, store)?.summary else { return [] }
    let settings = session.storeSettings(store)
    let calendar = session.eventCalendar(settings)
    let view = EventView(summary, calendar, in: session, at: end)
    let instants = InstantFields(zone: session.zone)
    return summary.timing.announcements(after: start, through: end, calendar).map { found in
      let announcement = announcement(found, of: id)
      var members = view.members
      members["topic"] = .string(announcement.topic)
      instants.add(found.instant, as: "dueAt", to: &members)
      EventView.add(
        found.moment, dateAs: "nextDate", instantAs: "nextAt", instants, to: &members)
      let when = session.text(of: found.moment)
      let text: StyledText
      switch found.topic {
      case .alert(let alert):
        let relative = session.relative(found.moment, at: end, settings)
        let isPast = found.moment.end(in: session.zone) <= end
        let word = isPast ? "was" : "is"
        members["alert"] = .string(alert.description)
        text = "\(view.titleText) \(word) \(relative), \(when)"
      case .over:
        members["alert"] = .null
        text =
          "\(view.titleText) is over since \(session.dateTime(found.instant)); when it is met: capsule event done \(id.description)"
      }
      return Due(
        announcement: announcement, title: summary.title, text: text, members: members)
    }
  }

  private static func reminder(
    _ id: RecordID, _ store: Store, _ start: Instant, _ end: Instant, _ session: Session
  ) throws -> [Due] {
    guard let item = try intact(Item.self, id, store) else { return [] }
    let last = item.history.last?.at
    guard let reminder = item.reminder,
      let latest = reminder.latest(through: end, last: last, in: session.zone), latest > start
    else { return [] }
    let settings = session.storeSettings(store)
    let announcement = Self.reminder(latest, of: id)
    var members = ItemView(item.summary, in: session, at: end).members
    members["topic"] = .string(announcement.topic)
    members["occurrenceAt"] = latest.json
    let title = reminder.name.isEmpty ? item.name : "\(item.name): \(reminder.name)"
    let since = last.map { "was last done \(session.relative(.instant($0), at: end, settings))" }
    return [
      Due(
        announcement: announcement, title: title,
        text:
          "\(title, .bold) is due, \(reminder.words); it \(since ?? "was never done"); when it is done: capsule item log \(id.description)",
        members: members)
    ]
  }

  /// By what a reminder's announcement is known.
  private static func reminder(_ instant: Instant, of id: RecordID) -> Announcement {
    Announcement(kind: .item, id: id, topic: "reminder", instant: instant)
  }

  /// By what an event's announcement is known.
  private static func announcement(
    _ found: EventAnnouncement, of id: RecordID
  ) -> Announcement {
    let topic: String
    switch found.topic {
    case .over: topic = "over"
    case .alert(let alert):
      topic = "alert:" + alert.description.split(separator: " ").joined(separator: "-")
    }
    return Announcement(kind: .event, id: id, topic: topic, instant: found.instant)
  }
}
