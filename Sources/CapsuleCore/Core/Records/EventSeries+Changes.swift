extension Event {
  /// Takes the dates that its record names over to another time or rule: they move by as much as the clocks do, and
  /// those that are none of the new series go.
  ///
  /// - Parameter old: the event before.
  /// - Returns: how many went.
  package mutating func rekey(from old: Event, _ calendar: EventCalendar) -> Int {
    guard series.isRepeated, !series.isPlain else { return 0 }
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
