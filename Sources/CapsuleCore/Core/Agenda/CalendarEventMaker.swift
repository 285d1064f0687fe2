/// The making of an event from an entry.
struct CalendarEventMaker {
  private let entry: CalendarEntry
  private let time: CalendarMoment
  private let begin: CalendarMoment?
  private let calendar: EventCalendar
  private let now: Instant

  /// - Parameter begin: the time from which alarms are counted, where it is not that of the entry.
  init(
    _ entry: CalendarEntry, _ time: CalendarMoment, begin: CalendarMoment?,
    _ calendar: EventCalendar, now: Instant
  ) {
    (self.entry, self.time, self.begin) = (entry, time, begin)
    (self.calendar, self.now) = (calendar, now)
  }

  private var startLine: Int { entry.start?.line ?? entry.line }

  /// The title of an entry that has none.
  static let untitled = "Untitled"

  /// Sets the fields that the entry has; those that it has not stay.
  ///
  /// - Returns: remarks on the parts of the entry that an event cannot hold.
  func apply(
    to event: inout Event, isNew: Bool
  ) throws(CalendarImportError) -> [CalendarImport.Remark] {
    var remarks: [CalendarImport.Remark] = []
    switch time.fit {
    case .unique: break
    case .gap(let shift):
      remarks.append(CalendarImport.Remark(line: startLine, matter: .skipped(shift)))
    case .twice: remarks.append(CalendarImport.Remark(line: startLine, matter: .twice))
    }
    if !entry.title.isEmpty || isNew {
      event.title = entry.title.isEmpty ? Self.untitled : entry.title
    }
    event.notes = entry.notes ?? ""
    if let color = entry.color { event.color = color }
    if let isDeadline = entry.isDeadline { event.isDeadline = isDeadline }
    if entry.isTask {
      event.doneAt =
        entry.isDone
        ? entry.doneAt ?? event.doneAt ?? entry.version.modified
          ?? time.moment.start(in: calendar.zone) : nil
    } else if entry.isDeadline == true, let doneAt = entry.doneAt {
      event.doneAt = doneAt
    }
    let recurrence = self.recurrence(of: event, &remarks)
    // An instant alone names no zone: the one of an event that is at that instant stays.
    let keepsZone =
      !isNew && !time.isOnClocks && recurrence == nil && event.recurrence == nil
      && event.moment == time.moment
    let isSame =
      event.moment == time.moment && event.recurrence == recurrence
      && (keepsZone || event.zone == time.zone) && !isNew
    event.recurrence = recurrence
    if !isSame {
      event.moment = time.moment
      event.zone = time.zone
      event.settle(calendar, asked: time.isOnClocks ? time.shown : nil)
    }
    event.alerts = alerts(of: event.timing, &remarks)
    return remarks
  }

  private func recurrence(
    of event: Event, _ remarks: inout [CalendarImport.Remark]
  ) -> Recurrence? {
    if entry.isOccurrence {
      remarks.append(CalendarImport.Remark(line: entry.line, matter: .occurrence))
      return nil
    }
    if let exception = entry.exception {
      remarks.append(
        CalendarImport.Remark(line: exception.line, matter: .dates(exception.name)))
      return nil
    }
    guard let rule = entry.rule else { return nil }
    switch CalendarRule(rule.text, from: time.shown, leapDay: calendar.leapDay) {
    case .once: return nil
    case .unsayable:
      remarks.append(CalendarImport.Remark(line: rule.line, matter: .rule(rule.text)))
      return nil
    case .repeated(let recurrence, let difference):
      guard !event.isDeadline else {
        remarks.append(CalendarImport.Remark(line: rule.line, matter: .deadline))
        return nil
      }
      if let matter = matter(of: difference) {
        remarks.append(CalendarImport.Remark(line: rule.line, matter: matter))
      }
      return recurrence
    }
  }

  private func matter(
    of difference: CalendarRule.Difference?
  ) -> CalendarImport.Remark.Matter? {
    switch difference {
    case .shortMonths: .shortened
    case .commonYears: .leapDay(calendar.leapDay, isLeftOut: true)
    case .leapDay: .leapDay(calendar.leapDay, isLeftOut: false)
    case nil: nil
    }
  }

  private func alerts(
    of timing: EventTiming, _ remarks: inout [CalendarImport.Remark]
  ) -> [EventAlert] {
    let start = time.start(calendar.zone)
    var alerts: [EventAlert] = []
    for alarm in entry.alarms {
      let alert = timing.recurrence == nil ? once(alarm, start) : repeated(alarm, start, timing)
      if let alert {
        alerts.append(alert)
      } else {
        remarks.append(CalendarImport.Remark(line: alarm.line, matter: .alarm))
      }
    }
    alerts = alerts.unique
    if alerts.count > EventAlert.countLimit {
      remarks.append(
        CalendarImport.Remark(line: entry.line, matter: .alarms(limit: EventAlert.countLimit)))
      alerts.removeLast(alerts.count - EventAlert.countLimit)
    }
    return alerts
  }

  private func once(_ alarm: CalendarEntry.Alarm, _ start: CalendarStart) -> EventAlert? {
    guard let trigger = alarm.trigger, !alarm.isFromEnd || entry.isTask else { return nil }
    let counted = alarm.isFromEnd ? time : begin ?? time
    return EventAlert(
      trigger, from: counted.written(calendar.zone), once: start, own: alarm.alert)
  }

  private func repeated(
    _ alarm: CalendarEntry.Alarm, _ start: CalendarStart, _ timing: EventTiming
  ) -> EventAlert? {
    guard let trigger = alarm.trigger, !alarm.isFromEnd else { return nil }
    if let own = alarm.alert,
      CalendarAlarms.isDue(own, by: trigger, of: timing, from: start, calendar, now: now)
    {
      return own
    }
    return EventAlert(trigger, of: start)
  }
}
