extension RecurrenceSet {
  /// The occurrences of a series from an instant on, in order. Whole days are at midnight in UTC.
  package struct Forward: IteratorProtocol, Sequence {
    private let set: RecurrenceSet
    private var union: Union
    private var start: Int64
    private let end: Int64
    /// The next of the union.
    private var head: Timed?
    /// Times that clocks skip, whose instants are behind those of later times; where some are shifted, all times that
    /// may be, in the order of instants.
    private var held: [Timed] = []
    private var heldPlace = 0
    /// The next of the rules, and of those that are moved.
    private var regular: Timed?
    private var movedPlace = 0

    private struct Timed {
      let time: Int64
      /// What the clocks show.
      let shown: Int64
      let place: Int64
      let isSkipped: Bool
    }

    fileprivate init(_ set: RecurrenceSet, from start: Int64, through end: Int64) {
      self.set = set
      (self.start, self.end) = (start, end)
      union = Union(set.rules, set.also)
      // Of clocks that go back by a day, what they show is a day more than at the end.
      if end < .max {
        union.end(with: set.time(at: end, later: RecurrenceSet.largestGap) - set.leastShift)
      }
      seek(start)
    }

    /// Goes to the first occurrence from an instant on.
    fileprivate mutating func seek(_ start: Int64) {
      self.start = start
      union.seek(set.time(at: start, later: -RecurrenceSet.largestGap) - set.greatestShift)
      held.removeAll(keepingCapacity: true)
      (head, regular, heldPlace) = (nil, nil, 0)
      movedPlace = set.moved.partitioned { $0.place.seconds < start }
    }

    // Hot: nothing is allocated but where clocks skip times.
    package mutating func next() -> Occurrence? {
      if regular == nil { regular = nextRegular() }
      if movedPlace < set.moved.count {
        let moved = set.moved[movedPlace]
        if moved.place.seconds <= end, moved.place.seconds < regular?.place ?? .max {
          movedPlace += 1
          return moved
        }
      }
      guard let found = regular else { return nil }
      regular = nil
      let moment: Moment =
        set.zone == nil
        ? .day(CivilDateTime(secondsAsUTC: found.shown).date)
        : .instant(Instant(seconds: found.place))
      return Occurrence(time: found.time, moment: moment, isMoved: false)
    }

    private mutating func nextRegular() -> Timed? {
      while let found = set.shifts.isEmpty ? nextInOrder() : nextOfShifted() {
        if found.place > end { return nil }
        if found.place >= start, !set.isHidden(found.time) { return found }
      }
      return nil
    }

    /// Returns the next of the union in the order of instants. Of two at one instant it is that which the
    /// clocks show.
    private mutating func nextInOrder() -> Timed? {
      while true {
        if head == nil { head = timed() }
        guard let head, head.isSkipped else { break }
        held.append(head)
        self.head = nil
      }
      guard heldPlace < held.count else {
        defer { head = nil }
        return head
      }
      let skipped = held[heldPlace]
      if let head, head.place <= skipped.place {
        if head.place == skipped.place { heldPlace += 1 }
        self.head = nil
        return head
      }
      heldPlace += 1
      if heldPlace == held.count {
        held.removeAll(keepingCapacity: true)
        heldPlace = 0
      }
      return skipped
    }

    /// Returns the next where some are shifted: it is held until all that are not held are later.
    private mutating func nextOfShifted() -> Timed? {
      while true {
        if head == nil { head = timed() }
        guard let found = head else { break }
        if let first = held.first {
          let least = found.time + set.leastShift(from: found.time)
          // Clocks are nowhere more than a day from those of UTC, and are set by no more than that.
          if least - first.shown > 3 * RecurrenceSet.largestGap { break }
        }
        head = nil
        // What is left out takes nobody's place.
        if set.isHidden(found.time) { continue }
        let place = held.partitioned { $0.place <= found.place }
        // Two at one instant are one.
        if place == 0 || held[place - 1].place < found.place { held.insert(found, at: place) }
      }
      return held.isEmpty ? nil : held.removeFirst()
    }

    private mutating func timed() -> Timed? {
      guard let time = union.next() else { return nil }
      let shown = set.shifted(time)
      guard let zone = set.zone else {
        return Timed(time: time, shown: shown, place: shown, isSkipped: false)
      }
      let resolved = zone.resolve(CivilDateTime(secondsAsUTC: shown))
      guard resolved.instant <= .latest else { return nil }
      let isSkipped = if case .gap = resolved.fit { true } else { false }
      return Timed(time: time, shown: shown, place: resolved.instant.seconds, isSkipped: isSkipped)
    }

    /// How often a year or a day was looked at, which bounds the work whatever the machine.
    package var steps: Int { union.steps }
  }

  /// The occurrences of a series before an instant, the last first.
  package struct Backward: IteratorProtocol, Sequence {
    private let set: RecurrenceSet
    private var forward: Forward
    private var union: Union
    private let start: Int64
    private var end: Int64
    /// The occurrences of a day, in order.
    private var found: [Occurrence] = []

    fileprivate init(_ set: RecurrenceSet, before end: Int64, from start: Int64) {
      self.set = set
      (self.start, self.end) = (start, end)
      union = Union(set.rules, set.also)
      forward = Forward(set, from: .max, through: .max)
    }

    package mutating func next() -> Occurrence? {
      while found.isEmpty {
        guard end > start, let last = last() else { return nil }
        // A day of occurrences is listed forwards, so that both ways agree.
        let begin = Swift.max(last - Int64(Int(last).modulo(86_400)), start)
        forward.seek(begin)
        while let next = forward.next(), next.place.seconds < end { found.append(next) }
        end = begin
      }
      return found.popLast()
    }

    /// Returns the place of an occurrence before the end of which only those can be later that clocks skip;
    /// `nil` where there is none from the start on.
    private mutating func last() -> Int64? {
      let count = set.moved.partitioned { $0.place.seconds < end }
      var last = count > 0 ? set.moved[count - 1].place.seconds : Int64.min
      var time = set.time(at: end, later: RecurrenceSet.largestGap) - set.leastShift
      while let found = union.last(through: time) {
        let place = set.place(of: found)
        if place < end, place >= Instant.earliest.seconds {
          last = Swift.max(last, place)
          break
        }
        time = found - 1
      }
      return last >= start && last > .min ? last : nil
    }

    /// How often a year or a day was looked at.
    package var steps: Int { union.steps + forward.steps }
  }

  /// The largest number of seconds by which clocks are ever set, as at the date line.
  private static let largestGap: Int64 = 86_400

  /// Returns the time that clocks show at an instant, or where they are set nearby, one that is as much
  /// later as they may be set.
  private func time(at place: Int64, later gap: Int64) -> Int64 {
    let place = min(max(place, Instant.earliest.seconds), Instant.latest.seconds)
    guard let zone else { return place }
    // Of clocks that went back a while ago, later times than they show are over as well.
    let last = place + Swift.max(2 * gap, 0)
    if let offset = zone.offset(throughout: place - 2 * Self.largestGap, last) {
      return place + Int64(offset)
    }
    return place + Int64(zone.offset(at: Instant(seconds: place)).seconds) + gap
  }

  private func place(of time: Int64) -> Int64 {
    let shown = shifted(time)
    return zone?.resolve(CivilDateTime(secondsAsUTC: shown)).instant.seconds ?? shown
  }

  /// Returns where the occurrence of a key is, if it is not moved by itself: of a whole day its midnight in UTC.
  package func place(of key: CivilDateTime) -> Instant {
    Instant(seconds: place(of: key.secondsAsUTC))
  }

  /// Returns what the clocks show at a time of the rules.
  private func shifted(_ time: Int64) -> Int64 {
    guard !shifts.isEmpty else { return time }
    let count = shifts.partitioned { $0.start <= time }
    return count == 0 ? time : time + shifts[count - 1].seconds
  }

  /// The least number of seconds by which any time is shifted, 0 or less.
  private var leastShift: Int64 { shifts.reduce(0) { min($0, $1.seconds) } }
  /// The greatest number of seconds by which any time is shifted, 0 or more.
  private var greatestShift: Int64 { shifts.reduce(0) { max($0, $1.seconds) } }

  /// Returns the least number of seconds by which a time, or a later one, is shifted.
  private func leastShift(from time: Int64) -> Int64 {
    let count = shifts.partitioned { $0.start <= time }
    let now = count == 0 ? 0 : shifts[count - 1].seconds
    return shifts[count...].reduce(now) { min($0, $1.seconds) }
  }

  private func isHidden(_ time: Int64) -> Bool {
    guard !hidden.isEmpty else { return false }
    let place = hidden.partitioned { $0 < time }
    return place < hidden.count && hidden[place] == time
  }

  /// Returns the occurrences from one instant through another, in order.
  package func occurrences(
    from start: Instant = .earliest, through end: Instant = .latest
  ) -> Forward {
    Forward(self, from: start.clamped.seconds, through: end.clamped.seconds)
  }

  /// Returns the occurrences before one instant and not before another, the last first.
  package func occurrences(before end: Instant, from start: Instant = .earliest) -> Backward {
    let end = min(end, Instant.latest.adding(seconds: 1))
    return Backward(self, before: end.seconds, from: start.clamped.seconds)
  }

  /// Returns the first occurrence after an instant; `nil` where there is none until 9999.
  package func next(after instant: Instant) -> Occurrence? {
    var walk = occurrences(from: instant.adding(seconds: 1))
    return walk.next()
  }

  /// Returns the last occurrence before an instant.
  package func previous(before instant: Instant) -> Occurrence? {
    var walk = occurrences(before: instant)
    return walk.next()
  }

  /// Whether the occurrences have no end but that of the calendar, with the year 9999.
  package var isEndless: Bool {
    rules.contains { walk in
      guard walk.limit == .max else { return false }
      var walk = walk
      walk.seek(.min)
      return walk.value != nil
    }
  }

  /// The last occurrence; `nil` where there is none, or no end.
  package var last: Occurrence? {
    isEndless ? nil : previous(before: Instant.latest.adding(seconds: 1))
  }

  /// Returns the first key behind one that is neither left out nor moved.
  package func key(after key: CivilDateTime) -> CivilDateTime? {
    var union = Union(rules, also)
    union.seek(key.secondsAsUTC + 1)
    while let time = union.next() {
      if !isHidden(time) { return CivilDateTime(secondsAsUTC: time) }
    }
    return nil
  }

  /// Returns the number of an occurrence of a series with a single rule, 1 being the first time: those that
  /// are left out or moved count. `nil` for what is no time of the rule.
  package func number(of key: CivilDateTime) -> Int? {
    guard rules.count == 1, var walk = rules.first else { return nil }
    let time = key.secondsAsUTC
    let anchor = walk.plan.anchor
    walk.seek(.min)
    // An anchor beside the rule is the first.
    let before = occursFirst && walk.value != anchor ? 1 : 0
    if time == anchor, before == 1 { return 1 }
    walk.seek(time)
    guard walk.value == time else { return nil }
    return before + walk.count(through: time)
  }
}
