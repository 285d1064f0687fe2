import CapsuleCore

extension Session {
  /// Returns what occurrences depend on: the user's zone, the store's settings, the machine's
  /// zones.
  func eventCalendar(_ settings: StoreSettings) -> EventCalendar {
    EventCalendar(in: localZone, host.zones, leapDay: settings.leapDayRule) { name in
      self.console.warning(
        "this machine knows no zone '\(name)'; its times are repeated on the clocks of "
          + self.localZone.label)
    }
  }

  /// Returns what the timeline of a store looks at.
  ///
  /// - Parameter asOf: the time that is asked about; the real one if `nil`.
  func timelineContext(
    _ store: Store, _ settings: StoreSettings, asOf: Instant? = nil
  ) -> TimelineContext {
    TimelineContext(store, now: now, asOf: asOf, calendar: eventCalendar(settings))
  }

  /// Warns of what is missing from a timeline.
  ///
  /// - Returns: whether anything is.
  func warn(of gaps: TimelineGaps?) -> Bool {
    guard let gaps, !gaps.isEmpty else { return false }
    for failure in gaps.failures { console.report(failure) }
    _ = warn(of: gaps.problems, "records")
    return true
  }

  /// Returns a moment for people: `Sun 15 Jun 2036`, `Sun 15 Jun 2036 09:00 CEST`.
  func text(of moment: Moment) -> String {
    DateText.local(moment, in: zone)
  }

  /// Returns how far a moment is from now: `in 2 days`, `today`, `5 minutes ago`; on a terminal in the
  /// settings' style where one was chosen.
  func relative(_ moment: Moment, at now: Instant, _ settings: StoreSettings) -> String {
    announced(moment, at: now, inUse(settings))
  }

  /// Returns the same in the settings' style wherever it goes: for what another program shows a person, as a
  /// status bar and a notice do.
  func announced(_ moment: Moment, at now: Instant, _ settings: StoreSettings) -> String {
    RelativeText.text(moment, from: now, in: zone, style: settings.relativeStyle)
  }

  /// Returns the settings that shape output: those of the store for a person, and none for a program.
  func inUse(_ settings: StoreSettings) -> StoreSettings {
    isForPeople ? settings : StoreSettings()
  }
}
