import CapsuleCore

/// When an event is, as the command line says it: its repetition, its end, and single dates of it.
struct EventTimes {
  let session: Session
  let calendar: EventCalendar

  private var today: CivilDate { session.zone.civil(at: session.now).date }

  // MARK: Repetition

  /// Reads a repetition into an event, whose time is set.
  func repeatBy(_ text: String, _ event: inout Event) throws {
    if text == "none" { return event.series.end() }
    guard let repetition = RepetitionText(text) else { throw Self.invalid(text) }
    let old = event.series
    event.series.rule = repetition.rule
    (event.series.times, event.series.until) = (repetition.times, repetition.untilKey)
    event.settle(calendar)
    if let until = repetition.until {
      event.series.until = try last(until, of: event, option: "--repeat")
    }
    // What was left out of another rule is none of this one's dates.
    if repetition.rule != old.rule { (event.series.except, event.series.also) = ([], []) }
    for text in repetition.except {
      event.series.except.append(try excluded(text, of: event))
    }
    event.series.except = Array(Set(event.series.except)).sorted()
  }

  private static func invalid(_ text: String) -> Fault {
    let near = Recurrence.near(text) { RepetitionText($0) != nil }
    return .usage(
      "invalid repetition '\(text.shortened)'",
      hint: EventKind.repetitionHint(
        near, such: "use weekly, '2 weeks', 'every monday' or 'last friday of the month'"))
  }

  /// Reads a last day: of a month, a year or a week that is its last one.
  func last(_ text: String, of event: Event, option: String) throws -> OccurrenceKey {
    let when = try session.dates.read(text, option: option, now: session.now)
    if let day = try lastDay(text, option: option) {
      guard day >= event.moment.date(in: session.zone) else {
        throw Fault.usage(
          "\(option): \(day.longText) is before the event begins", hint: "use a later day")
      }
      return OccurrenceKey(day)
    }
    let rules = calendar.rules(of: event.timing)
    let local = rules.civil(at: when.instant)
    return OccurrenceKey(local, isAllDay: event.moment.isAllDay)
  }

  /// Returns the last of the days that words name; `nil` where they name a time.
  private func lastDay(_ text: String, option: String) throws -> CivilDate? {
    if let period = DayPeriod(text, today: today) { return period.last }
    let when = try session.dates.read(text, option: option, now: session.now)
    guard let date = when.date else { return nil }
    if when.assumptions.contains(.firstOfYear) { return DayPeriod.year(of: date)?.last }
    if when.assumptions.contains(.firstOfMonth) { return DayPeriod.month(of: date)?.last }
    return date
  }

  /// Reads a date that a repetition leaves out. One without its year has to be the only one.
  private func excluded(_ text: String, of event: Event) throws -> OccurrenceKey {
    var whole = event
    whole.series.except = []
    let schedule = whole.timing.schedule(in: calendar)
    let when = try session.dates.read(text, option: "--repeat", now: session.now)
    let date = when.date ?? session.zone.civil(at: when.instant).date
    if when.assumptions.contains(where: { $0 == .nextOccurrence || $0 == .notToday }) {
      let first = event.moment.date(in: session.zone)
      let found = (0...4).compactMap {
        CivilDate(year: first.year + $0, month: date.month, day: date.day)
      }
      .flatMap { schedule.occurrences(on: $0) }
      if found.count > 1 {
        let both = found.prefix(2).map { $0.moment.date(in: session.zone).shortText }
        throw Fault.usage(
          "'\(text.shortened)' may be \(both[0]) or \(both[1])", hint: "add the year")
      }
      if let only = found.first { return only.key }
    }
    return try key(date, when.date == nil ? when.instant : nil, of: schedule, event)
  }

  // MARK: End

  /// Sets how long an event takes, from `--until` or `--for`.
  func end(until: String?, span: String?, _ event: inout Event) throws {
    if until == "none" || span == "none" {
      (event.length, event.endZone) = (nil, nil)
      return
    }
    if let span { event.length = try length(span, event) }
    if let until { event.length = try length(until: until, event) }
    event.endZone = nil
  }

  private func length(_ text: String, _ event: Event) throws -> EventLength? {
    let span: CalendarDuration
    do { span = try DurationParser.parse(text) } catch {
      throw Fault(error, text: text, option: "--for", of: "duration", in: session.zone)
    }
    if event.moment.isAllDay, !span.isCalendarOnly {
      throw Fault.usage(
        "--for: an all-day event takes whole days", hint: "use days: --for '3 days'")
    }
    let start = event.moment.date(in: session.zone)
    let days = CalendarDuration(
      years: span.years, months: span.months, weeks: span.weeks, days: span.days
    ).added(to: start)?.days(since: start)
    guard let days, let length = EventLength(days: days, seconds: span.exactSeconds) else {
      throw Fault.usage("invalid duration for --for: '\(text)'", hint: "use one such as '2 hours'")
    }
    return event.moment.isAllDay && length.days == 1 ? nil : length
  }

  private func length(until text: String, _ event: Event) throws -> EventLength? {
    switch event.moment {
    case .day(let first):
      let noon = session.zone.startOfDay(first).instant
      let last: CivilDate
      if let period = DayPeriod(text, today: first) {
        last = period.last
      } else {
        let when = try session.dates.read(text, option: "--until", now: noon)
        guard let date = when.date else {
          throw Fault.usage(
            "--until: an all-day event ends with a day", hint: "use a date: --until 2036-06-20")
        }
        last =
          when.assumptions.contains(.firstOfMonth)
          ? DayPeriod.month(of: date)?.last ?? date
          : when.assumptions.contains(.firstOfYear) ? DayPeriod.year(of: date)?.last ?? date : date
      }
      guard last >= first else { throw Self.tooEarly(last.longText) }
      return EventLength(days: last.days(since: first) + 1, seconds: 0)
        .flatMap { $0.days == 1 ? nil : $0 }
    case .instant(let start):
      let when = try session.dates.read(text, option: "--until", now: start)
      let end = when.date.map { Moment.day($0).end(in: session.zone) } ?? when.instant
      guard end > start else { throw Self.tooEarly(session.dates.text(end)) }
      return EventLength(days: 0, seconds: end.seconds(since: start))
    }
  }

  private static func tooEarly(_ end: String) -> Fault {
    .usage("--until: \(end) is before the event begins", hint: "use a later time")
  }

  // MARK: One date

  /// Reads a date of a repeated event: by its key, by the time that it has now, or by that which it would have.
  func occurrence(_ text: String, of event: Event) throws -> EventOccurrence {
    let schedule = event.timing.schedule(in: calendar)
    guard schedule.set != nil else {
      throw Fault(
        .refused, "'\(event.title)' is not repeated",
        hint: "change its date: capsule event edit REF --on WHEN")
    }
    if let key = OccurrenceKey(text), let found = schedule.occurrence(key) { return found }
    let when = try session.dates.read(text, option: "DATE", now: session.now)
    let date = when.date ?? session.zone.civil(at: when.instant).date
    let key = try key(date, when.date == nil ? when.instant : nil, of: schedule, event)
    guard let found = schedule.occurrence(key) else {
      throw Fault.internal("an occurrence without its key")
    }
    return found
  }

  /// Returns the occurrence on a date, at a time where one is given and there are several.
  private func key(
    _ date: CivilDate, _ instant: Instant?, of schedule: EventSchedule, _ event: Event
  ) throws -> OccurrenceKey {
    let found = schedule.occurrences(on: date)
    if found.count == 1 { return found[0].key }
    if let instant, let same = found.first(where: { $0.moment.exactInstant == instant }) {
      return same.key
    }
    if found.count > 1 {
      let times = found.prefix(3).map { session.dates.text($0.moment) }
      throw Fault.usage(
        "'\(event.title)' is \(found.count) times on \(date.longText)",
        hint: "add the time, such as '\(times[0])'")
    }
    let near = schedule.neighbors(of: date).map { $0.moment.date(in: session.zone).longText }
    throw Fault(
      .notFound, "'\(event.title)' is not on \(date.longText)",
      hint: near.isEmpty
        ? nil : "the nearest \(near.count == 1 ? "date is" : "dates are") \(near.listed())")
  }
}
