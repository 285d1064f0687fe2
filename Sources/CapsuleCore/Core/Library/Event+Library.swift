extension Event {
  /// Makes an event that no store has yet.
  ///
  /// - Parameters:
  ///   - zone: the IANA zone on whose clocks an instant is repeated; a whole day has none.
  ///   - recurrence: how it comes again; `nil` for once.
  ///   - alerts: when it is announced ahead.
  public init(
    title: String, on moment: Moment, zone: String = "UTC", repeating recurrence: Recurrence? = nil,
    alerts: [EventAlert] = []
  ) {
    self.init(header: RecordHeader(), title: title, moment: moment, zone: zone)
    self.recurrence = recurrence
    self.alerts = alerts
  }

  /// Makes an event of a date that ``Store/when(_:zone:)`` read, that no store has yet.
  ///
  /// - Parameters:
  ///   - recurrence: how it comes again; `nil` for once.
  ///   - alerts: when it is announced ahead.
  public init(
    title: String, on when: When, repeating recurrence: Recurrence? = nil,
    alerts: [EventAlert] = []
  ) {
    self.init(
      title: title, on: when.moment, zone: when.zoneName, repeating: recurrence, alerts: alerts)
    let calendar = EventCalendar(zone: when.zone, leapDay: .february28) { _ in when.zone }
    settle(calendar, asked: when.asked)
  }

  /// Brings the event into the form in which it is kept: each alert once, and what is repeated on the
  /// first day of its rule.
  ///
  /// - Parameter before: the event as the store has it; `nil` for a new one.
  mutating func arrange(after before: Event?, in store: Store) {
    alerts = alerts.unique
    if let before, moment == before.moment, zone == before.zone, recurrence == before.recurrence {
      return
    }
    // Such a time is refused when it is written.
    if case .instant(let instant) = moment, !instant.isRepresentable { return }
    let calendar = store.calendar(in: .utc, named: "UTC")
    if let before, zone != before.zone {
      // The clocks of the other zone showed another time: that is forgotten without a rule.
      let rule = recurrence
      recurrence = nil
      settle(calendar)
      recurrence = rule
    }
    settle(calendar)
  }
}
