/// The way in which a zone's clocks show a date and time of day.
package enum LocalTimeFit: Hashable, Sendable {
  /// The clocks show it once.
  case unique
  /// The clocks skip it; it was moved forward by `shift` seconds, the length of the gap.
  case gap(shift: Int)
  /// The clocks show it more than once; the first is meant.
  case twice
}

/// The instant that a local time stands for.
package struct ResolvedTime: Hashable, Sendable {
  package let instant: Instant
  package let fit: LocalTimeFit
}

extension ZoneRules {
  /// Returns the instant at which the zone's clocks show `local`: the first of several, and for one
  /// that they skip the instant as far behind the gap as it was into it.
  package func resolve(_ local: CivilDateTime) -> ResolvedTime {
    let seconds = local.secondsAsUTC
    // No offset is larger than 26 hours, so nothing outside this window can show the local time.
    let window = (start: seconds - 26 * 3600, end: seconds + 26 * 3600)
    // Hot, and nearly always without a change in the window.
    if let offset = offset(throughout: window.start, window.end) {
      return ResolvedTime(instant: Instant(seconds: seconds - Int64(offset)), fit: .unique)
    }
    var current = offset(at: Instant(seconds: window.start))
    let changes = transitions(after: window.start, through: window.end)
    var first: Int64?
    var from = Int64.min
    var count = 0
    for index in 0...changes.count {
      let until = index < changes.count ? changes[index].at : Int64.max
      let candidate = seconds - Int64(current.seconds)
      if from <= candidate, candidate < until {
        first = min(first ?? candidate, candidate)
        count += 1
      }
      if index < changes.count {
        current = changes[index].after
        from = until
      }
    }
    if let first {
      return ResolvedTime(instant: Instant(seconds: first), fit: count == 1 ? .unique : .twice)
    }
    let gap = changes.first { change in
      seconds >= change.at + Int64(change.before.seconds)
        && seconds < change.at + Int64(change.after.seconds)
    }
    guard let gap else {
      return ResolvedTime(
        instant: Instant(seconds: seconds - Int64(current.seconds)), fit: .unique)
    }
    return ResolvedTime(
      instant: Instant(seconds: seconds - Int64(gap.before.seconds)),
      fit: .gap(shift: gap.after.seconds - gap.before.seconds))
  }

  /// Returns the first instant of `date` in the zone: its midnight, or where the clocks skip that,
  /// the moment at which they go on.
  package func startOfDay(_ date: CivilDate) -> ResolvedTime {
    let midnight = CivilDateTime(date: date, time: .midnight)
    let resolved = resolve(midnight)
    guard case .gap(let shift) = resolved.fit else { return resolved }
    let near = resolved.instant.seconds
    let change = transitions(after: near - Int64(shift) - 1, through: near).last
    return ResolvedTime(instant: Instant(seconds: change?.at ?? near), fit: resolved.fit)
  }
}
