/// The facts that an event's occurrences and announcements follow from.
package struct EventTiming: Hashable, Sendable {
  /// The first occurrence.
  package internal(set) var moment = Moment.instant(.epoch)
  /// The IANA zone that an instant was given in, on whose clocks it is repeated; empty for a day.
  package internal(set) var zone = "UTC"
  package internal(set) var recurrence: Recurrence?
  package internal(set) var alerts: [EventAlert] = []
  package internal(set) var isDeadline = false
  package internal(set) var createdAt = Instant.epoch
  package internal(set) var doneAt: Instant?
  /// The date and time that the clocks of the zone showed at the first occurrence when it was set:
  /// a repeated event keeps to it when the rules of the zone change. `nil` for what they show at
  /// the instant.
  package internal(set) var local: CivilDateTime?
}

/// The state of an event.
package enum EventState: String, CaseIterable, Hashable, Sendable {
  case upcoming
  /// A whole day that it is now.
  case today
  case elapsed
  /// A deadline that was not met.
  case over
  /// A deadline that was met.
  case done

  /// Whether it is still to come, or is now.
  package var isAhead: Bool { self == .upcoming || self == .today }
}

/// The facts that occurrences depend on besides the event: where one lives, and the store's settings.
package struct EventCalendar {
  package let zone: ZoneRules
  package let leapDay: LeapDayRule
  /// Returns the rules of a zone by its name in a record.
  package let rules: (String) -> ZoneRules

  /// - Parameter rules: the rules of a zone by the name in a record.
  package init(
    zone: ZoneRules, leapDay: LeapDayRule, rules: @escaping (String) -> ZoneRules
  ) {
    self.zone = zone
    self.leapDay = leapDay
    self.rules = rules
  }

  /// Returns the rules of the zone on whose clocks an event is repeated.
  package func rules(of timing: EventTiming) -> ZoneRules {
    timing.zone.isEmpty ? zone : rules(timing.zone)
  }
}

/// A thing that an event has to announce.
package struct EventAnnouncement: Hashable, Sendable {
  /// The subject: an alert, or that a deadline is over.
  package enum Topic: Hashable, Sendable {
    case alert(EventAlert)
    case over
  }

  package let topic: Topic
  /// The time at which it is due.
  package let instant: Instant
  /// The occurrence that it is about.
  package let moment: Moment
  /// The alerts of the same occurrence that this one stands for, since they became due before it.
  package internal(set) var passed: [EventAnnouncement] = []
}

extension EventTiming {
  /// The earliest instant at which it may have to announce something, wherever one lives; `nil` for
  /// never.
  package var earliestDue: Int64? {
    guard doneAt == nil else { return nil }
    let start: Int64
    switch moment {
    case .day(let date): start = Int64(date.daysSinceEpoch) * 86_400 - 26 * 3600
    case .instant(let instant):
      // The rules of its zone may have changed since.
      start = instant.seconds.addingClamped(local == nil ? 0 : -26 * 3600)
    }
    let leads = alerts.map(\.lead) + (isDeadline ? [0] : [])
    return leads.max().map { Instant(seconds: start).adding(seconds: -$0).seconds }
  }
}
