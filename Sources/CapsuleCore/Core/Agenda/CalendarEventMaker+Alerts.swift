extension CalendarEventMaker {
  /// Returns the alerts for the alarms of the entry.
  func alerts(
    of timing: EventTiming, _ remarks: inout [ImportProblem]
  ) -> [EventAlert] {
    let start = time.start(calendar.zone)
    var alerts: [EventAlert] = []
    for alarm in entry.alarms {
      let alert = timing.series.isRepeated ? repeated(alarm, start, timing) : once(alarm, start)
      if let alert {
        alerts.append(alert)
      } else {
        remarks.append(
          ImportProblem(.loss, at: alarm.line, "loses an alarm that alerts cannot express"))
      }
    }
    alerts = alerts.unique
    if alerts.count > EventAlert.countLimit {
      remarks.append(
        ImportProblem(
          .loss, at: entry.line,
          "has more than \(EventAlert.countLimit) alarms; the rest was skipped"))
      alerts.removeLast(alerts.count - EventAlert.countLimit)
    }
    return alerts
  }

  private func once(_ alarm: CalendarEntry.Alarm, _ start: CalendarStart) -> EventAlert? {
    guard let trigger = alarm.trigger else { return nil }
    if alarm.isFromEnd, !entry.isTask || entry.end != nil { return fromEnd(alarm, trigger) }
    let counted = alarm.isFromEnd ? time : begin ?? time
    return EventAlert(
      trigger, from: counted.written(calendar.zone), once: start, own: alarm.alert)
  }

  private func repeated(
    _ alarm: CalendarEntry.Alarm, _ start: CalendarStart, _ timing: EventTiming
  ) -> EventAlert? {
    guard let trigger = alarm.trigger else { return nil }
    if alarm.isFromEnd { return fromEnd(alarm, trigger) }
    if let own = alarm.alert,
      CalendarAlarms.isDue(own, by: trigger, of: timing, from: start, calendar, now: now)
    {
      return own
    }
    return EventAlert(trigger, of: start)
  }

  /// Returns the alert that is counted from the end.
  private func fromEnd(
    _ alarm: CalendarEntry.Alarm, _ trigger: CalendarTrigger
  ) -> EventAlert? {
    if let own = alarm.alert, own.isFromEnd { return own }
    guard case .relative(let days, let seconds) = trigger else { return nil }
    return EventAlert(days: days, seconds: seconds, isFromEnd: true)
  }
}
