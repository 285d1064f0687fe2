/// An entry of a calendar, a `VEVENT` or a `VTODO`, as far as an event has a place for it.
struct CalendarEntry: Hashable, Sendable {
  /// The physical line of its `BEGIN`.
  let line: Int
  /// The number of its calendar among those of the file.
  let calendar: Int
  /// Whether it is a task, with a time by which it is to be done.
  let isTask: Bool
  /// The text by which it is known again; made of its title and start where it has no UID.
  let key: String
  let hasUID: Bool
  /// The text by which an entry without a UID was known before its zone and kind were part of that, so that
  /// others may have it too.
  let formerKey: String?
  /// The record whose UID it has, where that is one of this program's own.
  let ownID: RecordID?
  let title: String
  /// `nil` where the entry has none.
  let notes: String?
  /// `nil` for a task that is due at no time.
  let start: Start?
  /// The time from which the alarms of a task are counted, where that is another than the one by which it
  /// is to be done.
  let begin: Start?
  let rule: (text: String, line: Int)?
  /// The line and name of a property that makes it come at other times too.
  let exception: (name: String, line: Int)?
  /// Whether it is one occurrence of a repeated entry, which stands in the file by itself.
  let isOccurrence: Bool
  /// The UID of a repeated entry of this program that it is one occurrence of, at the occurrence's own time.
  let seriesKey: String?
  let alarms: [Alarm]
  /// `nil` where nothing is said about it.
  let isDeadline: Bool?
  /// The way in which its date matters, where this program wrote it as neither an event nor a deadline.
  let happening: Occurrence.Happening?
  /// The text of the first property of that name.
  let categories: String
  let isDone: Bool
  let doneAt: Instant?
  let isCancelled: Bool
  let version: EntryVersion
  let color: EventColor?

  /// A time, and the line on which it stands.
  struct Start: Hashable, Sendable {
    let time: CalendarTime
    /// The time that it is later; of days on the clocks and exact seconds.
    var delay: CalendarTrigger?
    /// The name of the zone that an event of a time in UTC is of.
    var zone: String?
    let line: Int

    init(_ property: ContentProperty) throws(CalendarFault) {
      (time, line) = (try CalendarTime(property), property.line)
    }
  }

  struct Alarm: Hashable, Sendable {
    let line: Int
    /// `nil` for one that cannot be read.
    let trigger: CalendarTrigger?
    /// The alert that this program wrote it for.
    let alert: EventAlert?
    /// Whether it is counted from the end.
    let isFromEnd: Bool
  }

  static func == (left: Self, right: Self) -> Bool {
    left.line == right.line && left.key == right.key
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(line)
    hasher.combine(key)
  }

  /// - Parameters:
  ///   - calendar: the calendar that it stands in.
  ///   - number: the place of that among the calendars of the file.
  init(
    _ component: CalendarComponent, of calendar: CalendarFile.Calendar, number: Int
  ) throws(CalendarFault) {
    let line = component.line
    self.line = line
    self.calendar = number
    isTask = component.name == "VTODO"
    let uid = try Self.limited(component, "UID", Event.uidLimit / 2)
    let occurrence = component.first("RECURRENCE-ID")
    isOccurrence = occurrence != nil
    title = try Self.limited(component, "SUMMARY", Capsule.titleLimit)
    notes = try Self.notes(component)
    let alarms = Self.alarms(component)
    self.alarms = alarms
    let dtstart = component.first("DTSTART")
    let property = isTask ? component.first("DUE") ?? dtstart : dtstart
    if isTask {
      start = try Self.due(component)
      let isCounted = start != nil && alarms.contains { !$0.isFromEnd }
      begin = isCounted ? try dtstart.map { p throws(CalendarFault) in try Start(p) } : nil
    } else if let dtstart {
      var time = try Start(dtstart)
      // What is repeated by the clocks of UTC is of these.
      if component.first("RRULE") == nil {
        time.zone = try component.text(CalendarText.zoneProperty)
      }
      (start, begin) = (time, nil)
    } else {
      throw CalendarFault(line: line, cause: .noTime("DTSTART"))
    }
    let ownID = uid.behindLast("@capsule").flatMap { RecordID($0) }
    self.ownID = isOccurrence ? nil : ownID
    let isAtItsTime = occurrence.flatMap { id in property.map { $0.isSameTime(as: id) } } ?? false
    seriesKey = isAtItsTime && (calendar.isOwn || ownID != nil) ? uid : nil
    hasUID = !uid.isEmpty
    let suffix = occurrence.map { ";RECURRENCE-ID=\($0.token)" } ?? ""
    if hasUID {
      (key, formerKey) = (uid + suffix, nil)
    } else {
      let time = property?.token ?? ""
      let duration = start?.delay == nil ? "" : component.first("DURATION")?.token ?? ""
      let zone = property?.parameters["TZID"]?.first ?? ""
      key = Self.key(of: [component.name, zone, time, duration, title]) + suffix
      formerKey = Self.key(of: [time, title]) + suffix
    }
    guard key.utf8.count <= Event.uidLimit else {
      throw CalendarFault(
        line: line, cause: .tooLong(property: "RECURRENCE-ID", limit: Event.uidLimit / 2))
    }
    let rules = component.all("RRULE")
    rule = rules.first.map { ($0.token, $0.line) }
    let exceptions = component.properties.filter {
      ["RDATE", "EXDATE", "EXRULE"].contains($0.name)
    }
    exception = (rules.dropFirst().first ?? exceptions.first).map { ($0.name, $0.line) }
    let status = component.first("STATUS")?.token ?? ""
    isCancelled = calendar.isCancelled || status == "CANCELLED"
    let completed = component.first("COMPLETED") ?? component.first(CalendarText.doneProperty)
    var doneAt: Instant?
    if let completed, case .utc(let instant) = try CalendarTime(completed) { doneAt = instant }
    isDone = isTask && (completed != nil || status == "COMPLETED")
    self.doneAt = doneAt
    version = Self.version(component)
    color = component.first("COLOR").flatMap { EventColor($0.token) }
    categories = try component.text("CATEGORIES") ?? ""
    let category = categories.parts(at: ",").first ?? ""
    let happening =
      calendar.isOwn || ownID != nil ? Occurrence.Happening(rawValue: category) : nil
    switch happening {
    case _ where isTask: (isDeadline, self.happening) = (true, nil)
    case .deadline: (isDeadline, self.happening) = (true, nil)
    case .event: (isDeadline, self.happening) = (false, nil)
    default: (isDeadline, self.happening) = (nil, happening)
    }
  }

  /// Whether an occurrence says of all but its alarms what the entry of all occurrences says.
  func differsInAlarmsAlone(from series: CalendarEntry) -> Bool {
    !isCancelled && title == series.title && notes == series.notes
      && categories == series.categories && color == series.color
      && version.sequence == series.version.sequence
  }

  /// Returns a text of few characters that stands for these.
  private static func key(of texts: [String]) -> String {
    Hex.encode(Array(SHA256.hash(Array(texts.joined(separator: "\n").utf8)).prefix(16)))
  }

  /// Returns the time by which a task is to be done: that which it names, or the end of its duration (RFC
  /// 5545, 3.6.2); `nil` where it has none.
  private static func due(_ component: CalendarComponent) throws(CalendarFault) -> Start? {
    if let due = component.first("DUE") { return try Start(due) }
    guard let dtstart = component.first("DTSTART"),
      let text = component.first("DURATION")?.token,
      let duration = CalendarTrigger(duration: text),
      case .relative(let days, let seconds) = duration, days >= 0, seconds >= 0
    else { return nil }
    var due = try Start(dtstart)
    due.delay = duration
    return due
  }

  private static func limited(
    _ component: CalendarComponent, _ name: String, _ limit: Int
  ) throws(CalendarFault) -> String {
    let text = (try component.text(name) ?? "").onOneLine
    guard text.utf8.count <= limit else {
      throw CalendarFault(
        line: component.first(name)?.line ?? component.line,
        cause: .tooLong(property: name, limit: limit))
    }
    return text
  }

  /// The description, and behind it the place where it is.
  private static func notes(_ component: CalendarComponent) throws(CalendarFault) -> String? {
    let description = try component.text("DESCRIPTION")
    let place = (try component.text("LOCATION") ?? "").onOneLine
    guard !place.isEmpty else { return description }
    return [description ?? "", "Location: \(place)"].filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private static func version(_ component: CalendarComponent) -> EntryVersion {
    var version = EntryVersion()
    if let text = component.first("SEQUENCE")?.token, let number = Int64(text), number >= 0 {
      version.sequence = number
    }
    if let property = component.first("LAST-MODIFIED"),
      case .utc(let instant)? = try? CalendarTime(property)
    {
      version.modified = instant
    }
    return version
  }

  private static func alarms(_ component: CalendarComponent) -> [Alarm] {
    component.parts.compactMap { part in
      // Apple writes alarms that are none.
      guard part.name == "VALARM", part.first("ACTION")?.token != "NONE" else { return nil }
      guard let property = part.first("TRIGGER") else {
        return Alarm(line: part.line, trigger: nil, alert: nil, isFromEnd: false)
      }
      var trigger = CalendarTrigger(duration: property.token)
      if trigger == nil, case .utc(let instant)? = CalendarTime(property.token, zone: nil) {
        trigger = .absolute(instant)
      }
      return Alarm(
        line: property.line, trigger: trigger,
        alert: property.parameters[CalendarTrigger.alertParameter]?.first.flatMap {
          EventAlert($0)
        },
        isFromEnd: property.parameters["RELATED"]?.first?.uppercased() == "END")
    }
  }
}

extension ContentProperty {
  /// Whether it has the value of another one, on the same clocks.
  fileprivate func isSameTime(as other: ContentProperty) -> Bool {
    value == other.value && parameters["TZID"] == other.parameters["TZID"]
  }
}

extension String {
  /// Returns the text before a suffix of ASCII characters; `nil` where it ends otherwise.
  fileprivate func behindLast(_ suffix: StaticString) -> String? {
    let count = suffix.utf8CodeUnitCount
    let matches = suffix.withUTF8Buffer { utf8.suffix(count).elementsEqual($0) }
    return matches ? String(decoding: utf8.dropLast(count), as: UTF8.self) : nil
  }
}

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
  ) -> [ImportProblem] {
    var remarks: [ImportProblem] = []
    switch time.fit {
    case .unique: break
    case .gap(let shift):
      remarks.append(
        ImportProblem(
          .remark, at: startLine,
          "is \(shift / 60) minutes later, because the clocks skip that time"))
    case .twice:
      remarks.append(
        ImportProblem(
          .remark, at: startLine,
          "occurs twice that day, because the clocks go back; the first time is used"))
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
    of event: Event, _ remarks: inout [ImportProblem]
  ) -> Recurrence? {
    if entry.isOccurrence {
      remarks.append(
        ImportProblem(
          .loss, at: entry.line,
          "is imported as a separate event: it changes one date of a repeated event",
          hint: "the repeated event keeps that date; delete the one you do not want: "
            + "capsule event delete REF"))
      return nil
    }
    if let exception = entry.exception {
      remarks.append(
        ImportProblem(
          .loss, at: exception.line, "is imported once: events have no \(exception.name)",
          hint: Self.repetitionsHint))
      return nil
    }
    guard let rule = entry.rule else { return nil }
    switch CalendarRule(rule.text, from: time.shown, leapDay: calendar.leapDay) {
    case .once: return nil
    case .unsayable:
      remarks.append(
        ImportProblem(
          .loss, at: rule.line,
          "is imported without its repetition, which is not supported: '\(rule.text.shortened)'",
          hint: Self.repetitionsHint))
      return nil
    case .repeated(let recurrence, let difference):
      guard !event.isDeadline else {
        remarks.append(
          ImportProblem(.loss, at: rule.line, "is imported once: deadlines do not repeat"))
        return nil
      }
      if let difference { remarks.append(remark(on: difference, at: rule.line)) }
      return recurrence
    }
  }

  private static let repetitionsHint = "list the supported repetitions: capsule help repeat"

  private func remark(on difference: CalendarRule.Difference, at line: Int) -> ImportProblem {
    let (here, other) =
      calendar.leapDay == .february28 ? ("28 February", "1 March") : ("1 March", "28 February")
    return switch difference {
    case .shortMonths:
      ImportProblem(
        .remark, at: line, "occurs on the last day of months without that day")
    case .commonYears:
      ImportProblem(
        .remark, at: line,
        "occurs on \(here) in years without 29 February, which the file skips")
    case .leapDay:
      ImportProblem(
        .loss, at: line,
        "occurs on \(here) in years without 29 February, but on \(other) in the file",
        hint: "change the day of all such events: capsule settings set leapDay "
          + (calendar.leapDay == .february28 ? "mar1" : "feb28"))
    }
  }

  private func alerts(
    of timing: EventTiming, _ remarks: inout [ImportProblem]
  ) -> [EventAlert] {
    let start = time.start(calendar.zone)
    var alerts: [EventAlert] = []
    for alarm in entry.alarms {
      let alert = timing.recurrence == nil ? once(alarm, start) : repeated(alarm, start, timing)
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
