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
  /// Whether the year of its start is none, as that of a birthday.
  let isYearUnknown: Bool
  /// The time from which the alarms of a task are counted, where that is another than the one by which it
  /// is to be done.
  let begin: Start?
  /// When it is over; `nil` where the entry does not say.
  let end: End?
  let repetition: Repetition
  /// The occurrence of a repeated entry that it is, and stands for.
  let occurrence: Named?
  /// Whether it changes all later occurrences too.
  let isOfFuture: Bool
  /// The UID, without the occurrence that it is; `nil` where it has none.
  let uid: String?
  let alarms: [Alarm]
  /// `nil` where nothing is said about it.
  let isDeadline: Bool?
  /// The way in which its date matters, where this program wrote it as neither an event nor a deadline.
  let happening: Occurrence.Happening?
  let tags: [String]
  /// Whether this program wrote it.
  let isOwn: Bool
  /// Whether the occurrence was skipped in this program.
  let isSkipped: Bool
  let isDone: Bool
  let doneAt: Instant?
  let isCancelled: Bool
  let version: EntryVersion
  let color: EventColor?
  /// The lines that cannot be read, beside what it is about.
  let badLines: [CalendarComponent.BadLine]
  /// The numbers of the properties for which an event has no place, by their names.
  let leftOut: [String: Int]

  /// A time, and the line on which it stands.
  struct Start: Hashable, Sendable {
    var time: CalendarTime
    /// The time that it is later; of days on the clocks and exact seconds.
    var delay: CalendarTrigger?
    /// The name of the zone that an event of a time in UTC is of.
    var zone: String?
    let line: Int

    init(_ property: ContentProperty) throws(CalendarFault) {
      (time, line) = (try CalendarTime(property), property.line)
    }
  }

  /// The end of an entry.
  enum End: Sendable {
    case time(Start)
    case after(CalendarTrigger, line: Int)
  }

  /// A time by which an occurrence is named, and how long that takes where it says so.
  struct Named: Sendable {
    let time: CalendarTime
    var length: EventLength?
    var end: CalendarTime?
    let line: Int
  }

  /// What an entry says about coming again.
  struct Repetition: Sendable {
    var rules: [(text: String, line: Int)] = []
    var excludedRules: [(text: String, line: Int)] = []
    var excluded: [Named] = []
    var also: [Named] = []
    /// The lines of values that cannot be read.
    var faults: [Int] = []

    var isEmpty: Bool { rules.isEmpty && also.isEmpty }
  }

  struct Alarm: Hashable, Sendable {
    let line: Int
    /// `nil` for one that cannot be read.
    var trigger: CalendarTrigger?
    /// The alert that this program wrote it for.
    let alert: EventAlert?
    /// Whether it is counted from the end.
    let isFromEnd: Bool
  }

  /// What the RECURRENCE-ID shows.
  var occurrenceShown: Int64 { occurrence?.time.shown ?? .min }

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
    let ownID = uid.behindLast("@capsule").flatMap { RecordID($0) }
    let isOwn = calendar.isOwn || ownID != nil
    let occurrence = component.first("RECURRENCE-ID")
    self.occurrence = try occurrence.map { id throws(CalendarFault) in
      Named(time: try CalendarTime(id), line: id.line)
    }
    isOfFuture = occurrence?.parameters["RANGE"]?.first?.uppercased() == "THISANDFUTURE"
    self.uid = uid.isEmpty ? nil : uid
    self.isOwn = isOwn
    var bad = BadLines(component.badLines)
    title = bad.title(of: component)
    notes = Self.notes(component, &bad)
    let alarms = Self.alarms(component)
    self.alarms = alarms
    try Self.requireOne("DTSTART", of: component)
    if isTask { try Self.requireOne("DUE", of: component) }
    let dtstart = component.first("DTSTART")
    let property = isTask ? component.first("DUE") ?? dtstart : dtstart
    let repetition = Self.repetition(component)
    if isTask, !repetition.isEmpty, let dtstart {
      // The rules count from the start of a task, and each time is due at its end.
      (start, begin) = (try Start(dtstart), nil)
    } else if isTask {
      start = try Self.due(component)
      let isCounted = start != nil && alarms.contains { !$0.isFromEnd }
      begin = isCounted ? try dtstart.map { p throws(CalendarFault) in try Start(p) } : nil
    } else if let dtstart {
      var time = try Start(dtstart)
      if Self.isAllDay(component, time.time, isOwn: isOwn), let day = time.time.date {
        time.time = .day(day)
      }
      // What is repeated by the clocks of UTC is of these.
      if component.first("RRULE") == nil, component.first("RDATE") == nil {
        time.zone = try component.text(CalendarText.zoneProperty)
      }
      (start, begin) = (time, nil)
    } else {
      throw CalendarFault(line: line, cause: .noTime("DTSTART"))
    }
    isYearUnknown = dtstart?.hasUnknownYear ?? false
    self.ownID = occurrence == nil ? ownID : nil
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
    self.repetition = repetition
    var end =
      try isTask && (repetition.isEmpty || dtstart == nil)
      ? nil : Self.end(component, isTask ? "DUE" : "DTEND")
    if case .day? = start?.time, dtstart.flatMap({ try? CalendarTime($0) })?.isTimed == true,
      case .time(var last)? = end, let day = last.time.date
    {
      last.time = .day(day)
      end = .time(last)
    }
    self.end = end
    let status = component.first("STATUS")?.token ?? ""
    isCancelled = calendar.isCancelled || status == "CANCELLED"
    let completed = component.first("COMPLETED") ?? component.first(CalendarText.doneProperty)
    var doneAt: Instant?
    let time = completed.flatMap { completed in
      bad.read { () throws(CalendarFault) in try CalendarTime(completed) }
    }
    if case .utc(let instant)? = time { doneAt = instant }
    isDone = isTask && (completed != nil || status == "COMPLETED")
    self.doneAt = doneAt
    version = Self.version(component)
    color = component.first("COLOR").flatMap { EventColor($0.token) }
    let words = bad.texts("CATEGORIES", of: component)
    let happening = isOwn ? words.first.flatMap { Occurrence.Happening(rawValue: $0) } : nil
    tags =
      (happening == nil ? words : Array(words.dropFirst())).map(\.onOneLine.trimmed)
      .filter { !$0.isEmpty && $0.utf8.count <= Capsule.titleLimit }.unique
    isSkipped = component.first(CalendarText.skippedProperty) != nil
    switch happening {
    case _ where isTask: (isDeadline, self.happening) = (true, nil)
    case .deadline: (isDeadline, self.happening) = (true, nil)
    case .event: (isDeadline, self.happening) = (false, nil)
    default: (isDeadline, self.happening) = (nil, happening)
    }
    badLines = bad.all
    leftOut = component.leftOut
  }

  private static func end(
    _ component: CalendarComponent, _ name: String
  ) throws(CalendarFault) -> End? {
    if let end = component.first(name) {
      // One that this program made up, for programs that expect one.
      if end.parameters[CalendarText.inventedParameter] != nil { return nil }
      return .time(try Start(end))
    }
    return component.first("DURATION").flatMap { property in
      CalendarTrigger(duration: property.token).map { .after($0, line: property.line) }
    }
  }

  private static func repetition(_ component: CalendarComponent) -> Repetition {
    var repetition = Repetition()
    for property in component.properties {
      let (text, line) = (property.token, property.line)
      switch property.name {
      case "RRULE": repetition.rules.append((text, line))
      case "EXRULE": repetition.excludedRules.append((text, line))
      case "EXDATE", "RDATE":
        let zone = property.parameters["TZID"]?.first
        for value in text.parts(at: ",") where !value.isEmpty {
          guard let named = Named(value, zone: zone, line: line) else {
            repetition.faults.append(line)
            continue
          }
          if property.name == "RDATE" {
            repetition.also.append(named)
          } else {
            repetition.excluded.append(named)
          }
        }
      default: break
      }
    }
    return repetition
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
    component.parts.flatMap { part -> [Alarm] in
      // Apple writes alarms that are none.
      guard part.name == "VALARM", part.first("ACTION")?.token != "NONE" else { return [] }
      guard let property = part.first("TRIGGER") else {
        return [Alarm(line: part.line, trigger: nil, alert: nil, isFromEnd: false)]
      }
      var trigger = CalendarTrigger(duration: property.token)
      if trigger == nil, case .utc(let instant)? = CalendarTime(property.token, zone: nil) {
        trigger = .absolute(instant)
      }
      let alarm = Alarm(
        line: property.line, trigger: trigger,
        alert: property.parameters[CalendarTrigger.alertParameter]?.first.flatMap {
          EventAlert($0)
        },
        isFromEnd: property.parameters["RELATED"]?.first?.uppercased() == "END")
      return [alarm] + repeats(of: alarm, part)
    }
  }

  /// Returns the further alarms of one that is repeated (RFC 5545, 3.8.6.2), one more than an event can have
  /// at most.
  private static func repeats(of alarm: Alarm, _ part: CalendarComponent) -> [Alarm] {
    guard let count = part.first("REPEAT").flatMap({ Int($0.token) }), count > 0,
      let gap = part.first("DURATION").flatMap({ CalendarTrigger(duration: $0.token) }),
      case .relative(let days, let seconds) = gap
    else { return [] }
    return (1...min(count, EventAlert.countLimit)).map { number in
      var later = Alarm(
        line: alarm.line, trigger: nil, alert: nil, isFromEnd: alarm.isFromEnd)
      switch alarm.trigger {
      case .absolute(let instant):
        later.trigger = .absolute(
          instant.adding(seconds: Int64(number) * (Int64(days) * 86_400 + seconds)))
      case .relative(let first, let rest):
        later.trigger = .sum(days: first + number * days, seconds: rest + Int64(number) * seconds)
      case nil: break
      }
      return later
    }
  }
}

extension CalendarTrigger {
  /// The trigger of days and seconds, of which one may have the other's sign: days of exact time then.
  fileprivate static func sum(days: Int, seconds: Int64) -> CalendarTrigger {
    let isMixed = days < 0 && seconds > 0 || days > 0 && seconds < 0
    return isMixed
      ? .relative(days: 0, seconds: Int64(days) * 86_400 + seconds)
      : .relative(days: days, seconds: seconds)
  }
}

extension CalendarEntry.Named {
  /// Reads a date, a time, or a period, of which the start counts.
  fileprivate init?(_ text: String, zone: String?, line: Int) {
    let parts = text.parts(at: "/")
    guard parts.count <= 2, let time = CalendarTime(parts[0], zone: zone) else { return nil }
    (self.time, self.line) = (time, line)
    guard parts.count == 2 else { return }
    if let end = CalendarTime(parts[1], zone: zone) {
      self.end = end
    } else if case .relative(let days, let seconds)? = CalendarTrigger(duration: parts[1]) {
      length = EventLength(days: days, seconds: seconds)
    }
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
