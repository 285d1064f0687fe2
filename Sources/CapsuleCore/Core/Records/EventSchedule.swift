/// One occurrence of an event.
package struct EventOccurrence: Hashable, Sendable {
  /// What it is known by in its series.
  package let key: OccurrenceKey
  package let moment: Moment
  /// How long it takes; `nil` for an instant, or one whole day.
  package let length: EventLength?
  /// Whether the record says something of this one alone.
  package let isMoved: Bool

  /// The last date of a whole day that takes several.
  package var lastDay: CivilDate? {
    guard case .day(let date) = moment else { return nil }
    return length.flatMap { date.adding(days: max($0.days, 1) - 1) } ?? date
  }
}

/// An event in a calendar: its occurrences, alerts and announcements.
///
/// The clocks and the rules that all occurrences are counted by are looked up once, when it is made.
package struct EventSchedule {
  package let timing: EventTiming
  /// The zone where one lives, in which whole days begin.
  private let zone: ZoneRules
  /// The rules of the zone on whose clocks the event is repeated and its alerts are set; those of
  /// ``zone`` where it has neither.
  private let rules: ZoneRules
  package let leapDay: LeapDayRule
  /// The occurrences of what is repeated; `nil` of what comes once.
  package let set: RecurrenceSet?
  /// The date and time on the clocks that occurrences are counted from.
  package let anchor: CivilDateTime
  private let moved: [OccurrenceKey: MovedOccurrence]
  /// Those of ``moved`` that hold for all later ones, in order.
  private let movedForLater: [MovedOccurrence]
  private let added: [OccurrenceKey: EventLength]
  private let settled: Set<OccurrenceKey>
  /// The most seconds that an occurrence takes.
  private let longest: Int64

  /// The most seconds by which midnight in UTC differs from any time of the same date anywhere.
  private static let slack: Int64 = 2 * 86_400

  package init(_ timing: EventTiming, _ calendar: EventCalendar) {
    self.timing = timing
    zone = calendar.zone
    leapDay = calendar.leapDay
    let series = timing.series
    let hasClocks = series.isRepeated || !timing.alerts.isEmpty || timing.length?.days ?? 0 > 0
    rules = hasClocks ? calendar.rules(of: timing) : zone
    let isAllDay = timing.moment.isAllDay
    var isAnchorShown = true
    switch timing.moment {
    case .instant(let instant) where series.isRepeated:
      let shown = rules.civil(at: instant)
      // Where this machine does not know the zone, the rules are others: then the instant is right.
      anchor = (rules.identifier == timing.zone ? timing.local : nil) ?? shown
      isAnchorShown = anchor == shown && rules.resolve(anchor).instant == instant
    case .instant(let instant): anchor = CivilDateTime(secondsAsUTC: instant.seconds)
    case .day(let date): anchor = CivilDateTime(date: date, time: .midnight)
    }
    movedForLater = series.moved.forLater.completed
    let forLater = movedForLater
    moved = Dictionary(
      series.moved.map { ($0.key, $0.completed(by: forLater.last(before: $0.key))) }
    ) { first, _ in first }
    added = Dictionary(
      series.also.compactMap { time in time.length.map { (time.key, $0) } }
    ) { first, _ in first }
    settled = timing.isDeadline ? Set(series.settled.map(\.key)) : []
    let lengths = [timing.length] + series.moved.map(\.length) + added.values.map { $0 }
    longest = lengths.compactMap { $0?.longest }.max() ?? 0
    guard series.isRepeated, anchor.date.isRepresentable else {
      set = nil
      return
    }
    var moves = Self.moves(series, isAllDay, calendar)
    // Of a time that the clocks show twice the first is meant, but for the anchor's own instant.
    if case .instant(let instant) = timing.moment, !isAnchorShown,
      anchor == rules.civil(at: instant),
      moves[anchor] == nil
    {
      moves[anchor] = .instant(instant)
    }
    let (rules, start) = Self.rules(series, from: anchor, calendar.leapDay)
    set = RecurrenceSet(
      from: start, in: isAllDay ? nil : self.rules, occursFirst: true, rules: rules,
      until: series.until.map { $0.isAllDay ? .date($0.local.date) : .local($0.local) },
      times: series.times, except: series.except.map(\.local), also: series.also.map(\.key.local),
      moved: moves, shifts: Self.shifts(movedForLater, isAllDay, self.rules))
  }

  /// Returns by how many seconds a series is shifted from a key on.
  private static func shifts(
    _ forLater: [MovedOccurrence], _ isAllDay: Bool, _ rules: ZoneRules
  ) -> [CivilDateTime: Int64] {
    var shifts: [CivilDateTime: Int64] = [:]
    for move in forLater {
      let shown: CivilDateTime? =
        switch move.moment {
        case .day(let date)? where isAllDay: CivilDateTime(date: date, time: .midnight)
        case .instant(let instant)? where !isAllDay: rules.civil(at: instant)
        default: nil
        }
      // One of another type is the only one of it.
      if let shown { shifts[move.key.local] = shown.secondsAsUTC - move.key.local.secondsAsUTC }
    }
    return shifts
  }

  /// Returns the rules, and the time that they are counted from. It occurs in any case: a rule of our own words
  /// begins with it, and a calendar's time does whatever its rule says.
  private static func rules(
    _ series: EventSeries, from anchor: CivilDateTime, _ leapDay: LeapDayRule
  ) -> (rules: [RecurrenceRule], start: CivilDateTime) {
    guard let recurrence = series.rule?.recurrence,
      let (rule, start) = recurrence.rule(from: anchor.date, leapDay: leapDay)
    else { return (series.rule?.rules ?? [], anchor) }
    return ([rule], CivilDateTime(date: start, time: anchor.time))
  }

  private static func moves(
    _ series: EventSeries, _ isAllDay: Bool, _ calendar: EventCalendar
  ) -> [CivilDateTime: RecurrenceSet.Move] {
    var moves: [CivilDateTime: RecurrenceSet.Move] = [:]
    for move in series.moved {
      switch move.moment {
      case nil: continue
      case .day(let date): moves[move.key.local] = .date(date)
      case .instant(let instant): moves[move.key.local] = .instant(instant)
      }
    }
    return moves
  }

  // MARK: Occurrences

  private func occurrence(_ found: RecurrenceSet.Occurrence) -> EventOccurrence {
    let key = OccurrenceKey(found.key, isAllDay: timing.moment.isAllDay)
    let move = move(of: key)
    var length = move?.length ?? (added.isEmpty ? nil : added[key]) ?? timing.length
    // A length of days alone goes with a whole day.
    if found.moment.isAllDay, length?.days == 0 { length = nil }
    return EventOccurrence(
      key: key, moment: found.moment, length: length, isMoved: move != nil)
  }

  private var once: EventOccurrence {
    EventOccurrence(
      key: OccurrenceKey(anchor, isAllDay: timing.moment.isAllDay), moment: timing.moment,
      length: timing.length, isMoved: false)
  }

  /// Returns what the record says of an occurrence alone.
  package func move(of occurrence: EventOccurrence) -> MovedOccurrence? {
    occurrence.isMoved ? move(of: occurrence.key) : nil
  }

  private func move(of key: OccurrenceKey) -> MovedOccurrence? {
    moved.isEmpty ? nil : moved[key] ?? movedForLater.last(before: key)
  }

  /// Returns the first instant at which an occurrence is over, for whoever lives in the zone.
  package func end(of occurrence: EventOccurrence) -> Instant {
    switch occurrence.moment {
    case .day: Moment.day(occurrence.lastDay ?? anchor.date).end(in: zone)
    case .instant(let instant): occurrence.length?.end(after: instant, in: rules) ?? instant
    }
  }

  /// Whether an occurrence began before an instant, and goes on; a single day that it is does not.
  package func isOngoing(_ occurrence: EventOccurrence, at now: Instant) -> Bool {
    guard let length = occurrence.length, !occurrence.moment.isAllDay || length.days > 1 else {
      return false
    }
    let begin =
      occurrence.moment.wholeDay.map { $0 < zone.civil(at: now).date }
      ?? (occurrence.moment.start(in: zone) < now)
    return begin && now < end(of: occurrence)
  }

  /// Whether an occurrence is at another time than its repetition says.
  package func isAtAnotherTime(_ occurrence: EventOccurrence) -> Bool {
    move(of: occurrence)?.moment != nil
  }

  private func isOver(_ occurrence: EventOccurrence, at now: Instant) -> Bool {
    // An instant is not over while it is.
    if occurrence.length == nil, case .instant(let instant) = occurrence.moment {
      return instant < now
    }
    return end(of: occurrence) <= now
  }

  /// A way through the occurrences that are not over at an instant, in order.
  package struct Walk: IteratorProtocol, Sequence {
    private let schedule: EventSchedule
    private let start: Instant
    private var once: EventOccurrence?
    private var forward: RecurrenceSet.Forward?

    fileprivate init(_ schedule: EventSchedule, notOverAt start: Instant, through last: Instant) {
      (self.schedule, self.start) = (schedule, start)
      guard let set = schedule.set else {
        once = schedule.once
        return
      }
      let isMixed = !schedule.moved.isEmpty || schedule.timing.moment.isAllDay
      let slack = isMixed ? EventSchedule.slack : 0
      forward = set.occurrences(
        from: start.adding(seconds: -schedule.longest - slack), through: last.adding(seconds: slack)
      )
    }

    package mutating func next() -> EventOccurrence? {
      if let found = once {
        once = nil
        return schedule.isOver(found, at: start) ? nil : found
      }
      while let found = forward?.next() {
        let occurrence = schedule.occurrence(found)
        if !schedule.isOver(occurrence, at: start) { return occurrence }
      }
      return nil
    }
  }

  /// - Parameter last: an instant behind which no occurrence is asked for; some days later ones are there
  ///   all the same.
  package func walk(notOverAt start: Instant, through last: Instant = .latest) -> Walk {
    Walk(self, notOverAt: start, through: last)
  }

  /// The first occurrence; `nil` where there is none at all.
  package var first: EventOccurrence? {
    guard let set else { return once }
    var walk = set.occurrences()
    return walk.next().map(occurrence)
  }

  /// Returns the first occurrence that is not over at an instant; `nil` when all are.
  package func next(notOverAt now: Instant) -> EventOccurrence? {
    var walk = walk(notOverAt: now)
    return walk.next()
  }

  /// Returns the occurrence that is known by a key.
  package func occurrence(_ key: OccurrenceKey) -> EventOccurrence? {
    guard let set else { return once.key == key ? once : nil }
    if let move = moved[key], let moment = move.moment {
      return EventOccurrence(
        key: key, moment: moment, length: move.length ?? timing.length, isMoved: true)
    }
    let place = set.place(of: key.local)
    return set.occurrences(from: place, through: place).lazy.map(occurrence)
      .first { $0.key == key }
  }

  /// Returns the occurrences that are on a date, for whoever lives in the zone: by when they are, or where none is,
  /// by when they would be in their series.
  package func occurrences(on date: CivilDate) -> [EventOccurrence] {
    let day = Moment.day(date)
    let (start, end) = (day.start(in: zone), day.end(in: zone))
    let present = walk(notOverAt: start, through: end)
      .prefix { moved.isEmpty ? $0.moment.start(in: zone) < end : true }
      .filter { $0.moment.date(in: zone) == date }
    guard present.isEmpty else { return present }
    return moved.keys.filter { $0.local.date == date }.sorted().compactMap { occurrence($0) }
  }

  /// Returns the last occurrence before a date, and the first behind it.
  package func neighbors(of date: CivilDate) -> [EventOccurrence] {
    let day = Moment.day(date)
    guard let set else { return [once] }
    let before = set.previous(before: day.start(in: zone)).map(occurrence)
    return [before, set.next(after: day.end(in: zone)).map(occurrence)].compactMap { $0 }
  }

  /// Returns how often what is repeated a number of times still comes from an occurrence on; `nil` where its
  /// number is not limited.
  package func left(from occurrence: EventOccurrence) -> Int? {
    guard let times = timing.series.times, let set,
      let number = set.number(of: occurrence.key.local)
    else { return nil }
    return max(0, times - number + 1)
  }

  /// Returns how many years after the first an occurrence of a yearly event is: the age that is reached
  /// on a birthday. `nil` for the first itself, of an unknown year, and for what is repeated otherwise.
  package func years(at occurrence: EventOccurrence) -> Int? {
    guard timing.series.isYearly, !timing.isYearUnknown else { return nil }
    let years = occurrence.key.local.date.year - anchor.date.year
    return years > 0 ? years : nil
  }

  /// Returns the occurrence that matters now: a missed deadline that waits, else the next one, or that which
  /// goes on; where all are over the last. `nil` where there is none at all.
  package func current(at now: Instant) -> EventOccurrence? {
    guard let set else { return once }
    if let missed = missed(at: now).oldest { return missed }
    for next in walk(notOverAt: now) where !settled.contains(next.key) { return next }
    return set.last.map(occurrence)
  }

  /// Returns the state that an occurrence gives the event.
  package func state(of occurrence: EventOccurrence, at now: Instant) -> EventState {
    if timing.doneAt != nil || settled.contains(occurrence.key) { return .done }
    let begin = occurrence.moment.start(in: zone)
    if now < begin { return .upcoming }
    let isOneDay = occurrence.moment.isAllDay && occurrence.length?.days ?? 1 <= 1
    if now < end(of: occurrence) { return isOneDay ? .today : .ongoing }
    return timing.isDeadline ? .over : .elapsed
  }

  /// Returns the occurrences that are not over at the start and begin before the end, in order.
  package func occurrences(
    from start: Instant, before end: Instant, limit: Int = .max
  ) -> [EventOccurrence] {
    var found: [EventOccurrence] = []
    guard limit > 0 else { return found }
    for occurrence in walk(notOverAt: start, through: end) {
      guard occurrence.moment.start(in: zone) < end else {
        // Behind one at another clock's time there may be others.
        if moved.isEmpty { break } else { continue }
      }
      if settled.contains(occurrence.key) { continue }
      found.append(occurrence)
      if found.count == limit, moved.isEmpty { break }
    }
    guard !moved.isEmpty else { return found }
    found.sort { $0.moment.start(in: zone) < $1.moment.start(in: zone) }
    return Array(found.prefix(limit))
  }

  /// What was missed of a repeated deadline: what was due since it was made, and is neither met nor skipped.
  package struct Missed: Sendable {
    package var count = 0
    package var oldest: EventOccurrence?
    package var newest: EventOccurrence?
  }

  /// Returns what was missed of a repeated deadline by an instant; nothing of another event.
  package func missed(at now: Instant) -> Missed {
    let found = missedOccurrences(at: now)
    return Missed(count: found.count, oldest: found.first, newest: found.last)
  }

  /// The most missed times that are looked for: an hourly deadline of an old record may have millions.
  private static let missedLimit = 1000

  /// Returns what was missed of a repeated deadline, in order: of very much the last.
  package func missedOccurrences(at now: Instant) -> [EventOccurrence] {
    guard timing.isDeadline, let set else { return [] }
    let slack = longest + Self.slack
    let all = set.occurrences(
      before: now.adding(seconds: slack), from: timing.createdAt.adding(seconds: -slack))
    var found: [EventOccurrence] = []
    for one in all {
      let occurrence = occurrence(one)
      guard !settled.contains(occurrence.key) else { continue }
      let due = end(of: occurrence)
      guard due > timing.createdAt, due <= now else { continue }
      found.append(occurrence)
      if found.count == Self.missedLimit { break }
    }
    return found.reversed()
  }

  // MARK: Announcements

  /// Returns the announcements that are due after one instant and until another.
  ///
  /// Of the alerts of one occurrence, and of one alert of a repeating event, only the last that became due
  /// counts: those before it would say the same. So does the last of several missed times. Nothing is due from
  /// before the event was made, unless that is still to come: then a clock was wrong. But an alert of a date that
  /// was ahead when the event was made is due: nobody has heard it.
  package func announcements(after start: Instant, through end: Instant) -> [EventAnnouncement] {
    let alerts = allAlerts
    guard timing.doneAt == nil, !alerts.isEmpty || timing.isDeadline else { return [] }
    let made = timing.createdAt
    let isNew = made > start && made <= end
    let start = isNew ? made : start
    var found: [EventAnnouncement] = []
    for alert in alerts {
      guard let due = last(alert, after: start, through: end) else { continue }
      let isUnheard =
        isNew && due.occurrence.moment.start(in: zone) > made
        && !isOver(due.occurrence, at: end)
      guard due.instant > start || isUnheard else { continue }
      if let place = found.firstIndex(where: { $0.occurrence.key == due.occurrence.key }) {
        let other = found[place]
        found[place] = other.instant < due.instant ? due : other
        found[place].passed = other.passed + [other.instant < due.instant ? other : due]
      } else {
        found.append(due)
      }
    }
    if timing.isDeadline, let missed = set == nil ? once : missed(at: end).newest {
      let over = self.end(of: missed)
      if over > start, over <= end {
        found.append(EventAnnouncement(topic: .over, instant: over, occurrence: missed))
      }
    }
    return found
  }

  /// Returns the alerts that are due in a span, of every occurrence, in order. Where an alert of several
  /// occurrences falls on one instant, as a month before the last days of March does, it is one.
  package func alerts(from start: Instant, before end: Instant) -> [EventAnnouncement] {
    guard timing.doneAt == nil else { return [] }
    var found: [EventAnnouncement] = []
    for alert in allAlerts {
      let walk = walk(
        notOverAt: start.adding(seconds: -86_400 - alert.lag),
        through: end.adding(seconds: alert.lead))
      var last: Instant?
      for occurrence in walk {
        guard let due = announcement(alert, of: occurrence) else { continue }
        if due.instant >= end {
          // Of those that are moved each has its own order.
          if moved.isEmpty { break } else { continue }
        }
        if due.instant >= start, due.instant != last { found.append(due) }
        last = due.instant
      }
    }
    return found.sorted { $0.instant < $1.instant }
  }

  /// The alerts of the event, and those that single occurrences have instead.
  private var allAlerts: [EventAlert] {
    moved.isEmpty
      ? timing.alerts
      : (timing.alerts + timing.series.moved.flatMap { $0.alerts ?? [] }).unique
  }

  private func announcement(
    _ alert: EventAlert, of occurrence: EventOccurrence
  ) -> EventAnnouncement? {
    if settled.contains(occurrence.key) { return nil }
    if let own = move(of: occurrence)?.alerts {
      guard own.contains(alert) else { return nil }
    } else if !moved.isEmpty, !timing.alerts.contains(alert) {
      return nil
    }
    let end = alert.isFromEnd ? self.end(of: occurrence) : nil
    return alert.instant(of: occurrence.moment, end: end, in: zone, eventZone: rules).map {
      EventAnnouncement(topic: .alert(alert), instant: $0, occurrence: occurrence)
    }
  }

  /// Returns the last time until an instant at which an alert was due; of occurrences that were over before another
  /// instant none.
  private func last(
    _ alert: EventAlert, after start: Instant, through end: Instant
  ) -> EventAnnouncement? {
    guard let set else {
      return announcement(alert, of: once).flatMap { $0.instant <= end ? $0 : nil }
    }
    // The alert's instants rise with the occurrences: the last one due is looked for from above.
    let latest = end.adding(seconds: alert.lead + Self.slack)
    let earliest = start.adding(seconds: -alert.lag - longest - Self.slack)
    for found in set.occurrences(before: latest, from: earliest) {
      let occurrence = occurrence(found)
      guard let due = announcement(alert, of: occurrence) else {
        // Settled, or another alert's; of the others none is representable.
        if settled.contains(occurrence.key) || !moved.isEmpty { continue }
        return nil
      }
      if due.instant <= end { return due }
    }
    return nil
  }
}

extension EventSeries {
  /// Whether it comes once a year, so that the years count.
  var isYearly: Bool {
    guard also.isEmpty, let rule else { return false }
    if let recurrence = rule.recurrence {
      let isOfMonths = recurrence.unit == .month && recurrence.days == nil
      return recurrence.unit == .year || isOfMonths && recurrence.count.isMultiple(of: 12)
    }
    guard let only = rule.rules.first, rule.rules.count == 1, only.frequency == .yearly else {
      return false
    }
    let counts = [
      only.months.count, only.weeks.count, only.yearDays.count, only.monthDays.count,
      only.hours.count,
      only.minutes.count, only.seconds.count,
    ]
    let isOneDay = only.weekdays.allSatisfy { $0.number != 0 } && only.weekdays.count <= 1
    return only.positions.count == 1 && only.occurrencesPerDay == 1
      || isOneDay && counts.allSatisfy { $0 <= 1 }
  }
}
