/// The making of an event from an entry.
struct CalendarEventMaker {
  private let entry: CalendarEntry
  private let time: CalendarMoment
  private let calendar: EventCalendar

  init(_ entry: CalendarEntry, _ time: CalendarMoment, _ calendar: EventCalendar) {
    (self.entry, self.time, self.calendar) = (entry, time, calendar)
  }

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
      remarks.append(CalendarImport.Remark(line: entry.startLine, matter: .skipped(shift)))
    case .twice: remarks.append(CalendarImport.Remark(line: entry.startLine, matter: .twice))
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
    event.alerts = alerts(isRepeated: recurrence != nil, &remarks)
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
    switch CalendarRule(rule.text, from: time.shown) {
    case .once: return nil
    case .unsayable:
      remarks.append(CalendarImport.Remark(line: rule.line, matter: .rule(rule.text)))
      return nil
    case .repeated(let recurrence, let isShortened):
      guard !event.isDeadline else {
        remarks.append(CalendarImport.Remark(line: rule.line, matter: .deadline))
        return nil
      }
      if isShortened {
        remarks.append(CalendarImport.Remark(line: rule.line, matter: .shortened))
      }
      return recurrence
    }
  }

  private func alerts(
    isRepeated: Bool, _ remarks: inout [CalendarImport.Remark]
  ) -> [EventAlert] {
    let start: CalendarStart
    switch time.moment {
    case .day:
      start = CalendarStart(
        time.moment, at: time.moment.start(in: calendar.zone), time.shown, in: calendar.zone)
    case .instant(let instant):
      start = CalendarStart(time.moment, at: instant, time.shown, in: time.rules)
    }
    var alerts: [EventAlert] = []
    for alarm in entry.alarms {
      var alert: EventAlert?
      if isRepeated, let own = alarm.alert {
        alert = own
      } else if let trigger = alarm.trigger, !alarm.isFromEnd || entry.isTask {
        alert = EventAlert(trigger, of: start, isRepeated: isRepeated)
      }
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
}
