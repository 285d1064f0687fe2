extension Event {
  /// Takes the dates that its record names over to another time or rule: they move by as much as the clocks do, and
  /// those that are none of the new series go. Where time and rule are as before, all stay: a machine that does not
  /// know the zone must not tell which are dates of the series.
  ///
  /// - Parameter old: the event before.
  /// - Returns: how many went.
  package mutating func rekey(from old: Event, _ calendar: EventCalendar) -> Int {
    guard series.isRepeated, !series.isPlain, rhythm != old.rhythm else { return 0 }
    let before = old.timing.schedule(in: calendar).anchor
    let after = timing.schedule(in: calendar).anchor
    let isAllDay = moment.isAllDay
    if before != after || old.moment.isAllDay != isAllDay {
      let span = after.secondsAsUTC - before.secondsAsUTC
      let isSame = old.moment.isAllDay == isAllDay
      series.forEachKey { key in
        let local =
          isSame
          ? CivilDateTime(secondsAsUTC: key.local.secondsAsUTC + span)
          : CivilDateTime(
            date: key.local.date.adding(days: after.date.days(since: before.date))
              ?? key.local.date,
            time: after.time)
        key = OccurrenceKey(local, isAllDay: isAllDay)
      }
    }
    var whole = self
    (whole.series.except, whole.series.moved, whole.series.settled) = ([], [], [])
    guard let set = whole.timing.schedule(in: calendar).set else { return 0 }
    func isOrphan(_ key: OccurrenceKey) -> Bool {
      !set.keys(.local(key.local)).contains(key.local)
    }
    let count = series.except.count + series.moved.count + series.settled.count
    series.except.removeAll(where: isOrphan)
    series.moved.removeAll { isOrphan($0.key) }
    series.settled.removeAll { isOrphan($0.key) }
    return count - series.except.count - series.moved.count - series.settled.count
  }

  /// All that decides on which dates it comes, but the single dates that are named.
  private var rhythm: EventTiming {
    var timing = EventTiming()
    (timing.moment, timing.zone, timing.local, timing.series) = (
      moment, zone, self.timing.local, series
    )
    (timing.series.except, timing.series.moved, timing.series.settled) = ([], [], [])
    return timing
  }
}

extension EventSeries {
  fileprivate mutating func forEachKey(_ body: (inout OccurrenceKey) -> Void) {
    for place in except.indices { body(&except[place]) }
    for place in moved.indices { body(&moved[place].key) }
    for place in settled.indices { body(&settled[place].key) }
    also = also.map { added in
      var key = added.key
      body(&key)
      return AddedOccurrence(key, length: added.length)
    }
    // A last day stays; a last time goes with the clocks.
    if var last = until, !last.isAllDay {
      body(&last)
      until = last
    }
  }
}

extension EventSeries {
  /// Notes that times of a deadline are met, or skipped: what is met is not skipped.
  package mutating func settle(_ keys: [OccurrenceKey], doneAt: Instant?) {
    for key in keys {
      let known = settled.first { $0.key == key }
      if known?.doneAt != nil || known != nil && doneAt == nil { continue }
      settled.removeAll { $0.key == key }
      settled.append(SettledOccurrence(key, doneAt: doneAt))
    }
    settled.sort { $0.key < $1.key }
  }

  /// Notes that times of a deadline are neither met nor skipped.
  package mutating func open(_ keys: [OccurrenceKey]) {
    settled.removeAll { keys.contains($0.key) }
  }
}

extension EventSeries {
  /// Forgets what differs at an occurrence. If that holds for later ones as well, it begins with the next one.
  package mutating func forgetMove(of key: OccurrenceKey, _ schedule: EventSchedule) {
    guard let place = moved.firstIndex(where: { $0.key == key }) else { return }
    var rest = moved.remove(at: place).completed(by: moved.forLater.completed.last(before: key))
    guard rest.isForLater, let set = schedule.set else { return }
    var last = key
    while let next = set.key(after: last.local).map({ OccurrenceKey($0, isAllDay: key.isAllDay) }) {
      last = next
      if moved.contains(where: { $0.key == next }) { continue }
      rest.key = next
      if rest.moment != nil { rest.moment = schedule.occurrence(next)?.moment }
      break
    }
    let end = moved.forLater.first { $0.key > key }?.key ?? last
    for place in moved.indices where moved[place].key > key && moved[place].key <= end {
      let moment = schedule.occurrence(moved[place].key)?.moment
      moved[place] = moved[place].completed(by: rest)
      if rest.moment != nil, moved[place].moment == nil { moved[place].moment = moment }
    }
    if rest.key > key, rest.key < end || rest.key == last && end == last { moved.append(rest) }
    moved.sort { $0.key < $1.key }
  }
}

extension MovedOccurrence {
  /// Returns it with what it does not say taken from one that holds for later ones, but for its time.
  func completed(by other: MovedOccurrence?) -> MovedOccurrence {
    guard let other else { return self }
    var whole = self
    whole.length = length ?? other.length
    whole.title = title ?? other.title
    whole.notes = notes ?? other.notes
    whole.tags = tags ?? other.tags
    whole.color = color ?? other.color
    whole.alerts = alerts ?? other.alerts
    return whole
  }
}

extension [MovedOccurrence] {
  /// Those that hold for later ones, in order.
  package var forLater: [MovedOccurrence] { filter(\.isForLater).sorted { $0.key < $1.key } }

  /// Of those that hold for later ones, in order, each with what those before it say.
  var completed: [MovedOccurrence] {
    reduce(into: []) { $0.append($1.completed(by: $0.last)) }
  }

  /// Returns the last before a key of those that hold for later ones, in order.
  package func last(before key: OccurrenceKey) -> MovedOccurrence? {
    last { $0.key < key }
  }
}

extension Event {
  /// Returns it as it is where something is different.
  package func replacing(_ move: MovedOccurrence?) -> Event {
    guard let move else { return self }
    var event = self
    event.length = move.length ?? length
    event.title = move.title ?? title
    event.notes = move.notes ?? notes
    event.tags = move.tags ?? tags
    event.color = move.shownColor(color)
    event.alerts = move.alerts ?? alerts
    return event
  }
}
