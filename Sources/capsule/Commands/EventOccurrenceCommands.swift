import CapsuleCore

/// The commands about single dates of a repeated event.
enum EventOccurrenceCommands {
  private static let kind = EventKind.kind
  private static let date = Parameter.operand(
    "DATE", .text, "The date: that of `agenda`, or the `occurrence` of JSON")
  private static let undo = Parameter.flag("undo", "Bring the date back")

  /// `capsule event skip`.
  static let skip = kind.mark(
    "skip", summary: "Leave out one date of a repeated event", operands: [date], options: [undo],
    examples: [
      Example("capsule event skip Choir '24 december'", "Leave out one evening"),
      Example("capsule event skip Choir 2026-12-24 --undo", "Bring it back"),
    ]
  ) { invocation, session in
    let text = invocation[date]
    let isUndone = invocation[undo]
    var said = ""
    let (store, change) = try kind.change(invocation, session) { event in
      let times = try Self.times(session, for: invocation)
      let key: OccurrenceKey
      if isUndone {
        key = try left(text, out: event, session)
        said = key.words
        event.series.except.removeAll { $0 == key }
      } else {
        if try isLeft(text, out: event, session) { return }
        let found = try times.occurrence(text, of: event)
        (said, key) = (session.dates.text(found.moment), found.key)
        event.series.except = (event.series.except + [key]).sorted()
        event.series.forgetMove(of: key, event.timing.schedule(in: times.calendar))
      }
      try event.checkRules()
    }
    return answer(change, isUndone ? "Brought back" : "Skipped", "on \(said)", store, session)
  }

  /// Finds a date among those that are left out; `nil` where it is none of them.
  private static func leftOut(
    _ text: String, of event: Event, _ session: Session
  ) throws -> (day: CivilDate, key: OccurrenceKey?) {
    if let key = OccurrenceKey(text), event.series.except.contains(key) {
      return (key.local.date, key)
    }
    let when = try session.dates.read(text, option: "DATE", now: session.now)
    let day = when.date ?? session.zone.civil(at: when.instant).date
    return (day, event.series.except.first { $0.local.date == day })
  }

  private static func isLeft(_ text: String, out event: Event, _ session: Session) throws -> Bool {
    try leftOut(text, of: event, session).key != nil
  }

  private static func left(
    _ text: String, out event: Event, _ session: Session
  ) throws -> OccurrenceKey {
    let (day, key) = try leftOut(text, of: event, session)
    guard let key else {
      throw Fault(
        .notFound, "'\(event.title)' is not skipped on \(day.longText)",
        hint: "see the dates that are: capsule event show REF")
    }
    return key
  }

  private static let to = Parameter.option(
    "to", value: "WHEN", .text, "The new date, the new time, or both")

  /// `capsule event move`.
  static let move = kind.mark(
    "move", summary: "Move one date of a repeated event",
    discussion: """
      A date alone keeps the time, and a time alone keeps the date. To move it back, move it to the date \
      that it had.
      """,
    operands: [date], options: [to],
    examples: [
      Example(
        "capsule event move Choir '24 december' --to '23 december'", "Sing a day earlier, once"),
      Example("capsule event move Choir 2026-12-08 --to 20:00", "Begin later, once"),
    ]
  ) { invocation, session in
    guard let target = invocation[to] else {
      throw Fault.usage("no new date given", hint: "add it: --to '23 december'")
    }
    let text = invocation[date]
    var said = ""
    let (store, change) = try kind.change(invocation, session) { event in
      let times = try Self.times(session, for: invocation)
      let found = try times.occurrence(text, of: event)
      let schedule = event.timing.schedule(in: times.calendar)
      var plain = event
      plain.series.moved = event.series.moved.forLater.filter { $0.key < found.key }
      let nominal = plain.timing.schedule(in: times.calendar).occurrence(found.key)?.moment
      let moment = try moved(found.moment, to: target, session)
      var move =
        event.series.moved.first { $0.key == found.key } ?? MovedOccurrence(found.key)
      move.moment = moment == nominal ? nil : moment
      said = "from \(session.dates.text(found.moment)) to \(session.dates.text(moment))"
      move.isForLater = false
      event.series.forgetMove(of: found.key, schedule)
      if !move.isSame { event.series.moved.append(move) }
      event.series.moved.sort { $0.key < $1.key }
      try event.checkRules()
    }
    return answer(change, "Moved", said, store, session)
  }

  /// Returns the new time of an occurrence.
  private static func moved(
    _ moment: Moment, to text: String, _ session: Session
  ) throws -> Moment {
    let zone = session.zone
    let day = moment.date(in: zone)
    // A time alone is of the date that it has.
    let begin = zone.startOfDay(day).instant
    if TimeOfDayParser.minute(text.lowercased()) != nil {
      guard let time = TimeOfDayParser.minute(text.lowercased()) else { return moment }
      return .instant(zone.resolve(CivilDateTime(date: day, time: time)).instant)
    }
    var when = try session.dates.read(text, option: "--to", now: max(begin, session.now))
    // A date without its year is the one that is nearest.
    let near = try? session.dates.read(
      text, option: "--to", now: begin.adding(seconds: -182 * 86_400))
    if let date = when.date, let near, let other = near.date,
      (other.month, other.day) == (date.month, date.day)
    {
      when = near
    }
    guard let date = when.date else { return .instant(when.instant) }
    guard case .instant(let instant) = moment else { return .day(date) }
    return .instant(
      zone.resolve(CivilDateTime(date: date, time: zone.civil(at: instant).time)).instant)
  }

  /// `capsule event end`.
  static let end = kind.mark(
    "end", summary: "End a repeated event",
    discussion: """
      The date is the last day. If you name a month, a year or a week, its last day counts.
      """,
    operands: [date],
    examples: [
      Example("capsule event end Choir 'june 2028'", "Sing until the end of June 2028")
    ]
  ) { invocation, session in
    let text = invocation[date]
    let (store, change) = try kind.change(invocation, session) { event in
      let times = try Self.times(session, for: invocation)
      guard event.series.isRepeated else {
        throw Fault(
          .refused, "'\(event.title)' is not repeated",
          hint: "set its end: capsule event edit REF --until WHEN")
      }
      let old = event
      event.series.until = try times.last(text, of: event, option: "DATE")
      event.series.times = nil
      _ = event.rekey(from: old, times.calendar)
      try event.checkRules()
    }
    return answer(
      change, "Ended", "with \(change.after.series.until?.words ?? "")", store, session)
  }

  private static let some = Parameter.operands(
    "DATE", .text,
    "One date of a deadline that repeats (the oldest missed one, or else the next, if omitted)")
  private static let open = Parameter.flag("undo", "Mark the deadline as not done")
  private static let skipped = Parameter.flag("skip", "Mark the date as skipped instead")
  private static let allMissed = Parameter.flag(
    "all-missed", "Mark all dates that were missed")

  /// `capsule event done`.
  static let done = kind.mark(
    "done", summary: "Mark a deadline as done",
    discussion: """
      If the deadline repeats, the command marks one date and goes on to the next. Missed dates stay on the \
      agenda until they are done or skipped.
      """,
    operands: [some], options: [open, skipped, allMissed],
    examples: [
      Example("capsule event done 'Tax return'", "Mark the tax return as done"),
      Example(
        "capsule event done 'Water the plants' --all-missed --skip", "Forget what was missed"),
    ]
  ) { invocation, session in
    let isUndone = invocation[open]
    let text = invocation[some].joined(separator: " ")
    try invocation.refuse(allMissed, with: [some, open])
    try invocation.refuse(skipped, with: [open])
    var marked: [EventOccurrence] = []
    let (store, change) = try kind.change(invocation, session) { event in
      guard event.series.isRepeated, event.isDeadline else {
        if invocation.has(some) || invocation[skipped] || invocation[allMissed] {
          throw Fault(
            .refused, "'\(event.title)' is not a repeated deadline",
            hint: "mark it as done: capsule event done REF")
        }
        return try event.meet(at: isUndone ? nil : event.doneAt ?? session.now)
      }
      let times = try Self.times(session, for: invocation)
      marked = try occurrences(text, of: event, times, invocation, session)
      let keys = marked.map(\.key)
      if isUndone {
        event.series.open(keys)
      } else {
        event.series.settle(keys, doneAt: invocation[skipped] ? nil : session.now)
      }
      try event.checkRules()
    }
    let verb = isUndone ? "Not met" : invocation[skipped] ? "Skipped" : "Met"
    let dates = marked.map { session.dates.text($0.moment) }
    return kind.answer(
      change.after, isChanged: change.isWritten, in: store, session, quiet: .nothing
    ) { out, view in
      out.line("\(verb): '\(view.titleText)' \(view.id.description)")
    }
    .noting(
      dates.isEmpty || !change.isWritten
        ? nil
        : StyledText(
          "On \(dates.prefix(3).map { $0 }.listed())\(dates.count > 3 ? " and \(dates.count - 3) more" : "")."
        ))
  }

  /// Returns the dates of a deadline that are meant.
  private static func occurrences(
    _ text: String, of event: Event, _ times: EventTimes, _ invocation: Invocation,
    _ session: Session
  ) throws -> [EventOccurrence] {
    let schedule = event.timing.schedule(in: times.calendar)
    if !text.isEmpty { return [try times.occurrence(text, of: event)] }
    if invocation[open] {
      // Of dates that were marked at once, the latest.
      let last = event.series.settled.filter { $0.doneAt != nil }.max {
        ($0.doneAt ?? .earliest, $0.key) < ($1.doneAt ?? .earliest, $1.key)
      }
      // When a date was skipped is not known.
      if let skipped = event.series.settled.last(where: { $0.doneAt == nil }),
        skipped.key > last?.key ?? skipped.key || last == nil
      {
        throw Fault(
          .refused, "the last date of '\(event.title)' was skipped",
          hint: "name the date to bring back: capsule event done REF DATE --undo")
      }
      return [last.flatMap { schedule.occurrence($0.key) }].compactMap { $0 }
    }
    if invocation[allMissed] { return schedule.missedOccurrences(at: session.now) }
    return [schedule.current(at: session.now)].compactMap { $0 }
  }

  private static func times(_ session: Session, for invocation: Invocation) throws -> EventTimes {
    let store = try session.stores.required(for: invocation[kind.reference], among: [.event])
    return EventTimes(
      session: session, calendar: session.dates.calendar(session.stores.settings(of: store)))
  }

  /// Answers with the event, and what comes next.
  private static func answer(
    _ change: RecordChange<Event>, _ verb: String, _ said: String, _ store: Store,
    _ session: Session
  ) -> Answer {
    let calendar = session.dates.calendar(session.stores.settings(of: store))
    let next = EventKind.nextDates(change.after, calendar, session)
    return kind.answer(change.after, isChanged: change.isWritten, in: store, session) { out, view in
      out.line("\(verb) '\(view.titleText)' \(said) \(view.id.description)")
    }
    .noting(change.isWritten ? StyledText(next) : nil)
  }
}
