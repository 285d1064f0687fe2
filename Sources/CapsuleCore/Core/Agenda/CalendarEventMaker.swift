/// The making of an event from an entry, or of one occurrence of an event.
struct CalendarEventMaker {
  let entry: CalendarEntry
  let time: CalendarMoment
  /// The time from which alarms are counted, where it is not that of the entry.
  let begin: CalendarMoment?
  private let end: CalendarMoment?
  /// The occurrence that the entry is.
  private let occurrence: RecurrenceSet.Pointer?
  let calendar: EventCalendar
  let now: Instant

  /// - Parameters:
  ///   - source: the number of the file that the entry is in.
  ///   - books: the zones of each file.
  /// - Throws: ``CalendarFault`` where a zone is not known, or a time is outside the years that there are.
  init(
    _ entry: CalendarEntry, _ source: Int, _ calendar: EventCalendar,
    _ books: inout [CalendarZones], now: Instant
  ) throws(CalendarFault) {
    guard let start = entry.start else {
      throw CalendarFault(line: entry.line, cause: .noTime("DTSTART"))
    }
    let number = entry.calendar
    (self.entry, self.calendar, self.now) = (entry, calendar, now)
    time = try books[source].moment(of: start, calendar: number)
    begin = try entry.begin.map { start throws(CalendarFault) in
      try books[source].moment(of: start, calendar: number)
    }
    if case .time(let end)? = entry.end {
      self.end = try books[source].moment(of: end, calendar: number)
    } else {
      end = nil
    }
    occurrence = entry.occurrence.flatMap {
      books[source].pointer(to: $0.time, line: $0.line, calendar: number)
    }
  }

  private var startLine: Int { entry.start?.line ?? entry.line }

  /// The title of an entry that has none.
  static let untitled = "Untitled"

  /// Sets the fields that the entry has; those that it has not stay.
  ///
  /// - Parameter remarks: gets remarks on the parts of the entry that an event cannot hold.
  func apply(
    to event: inout Event, isNew: Bool, _ book: inout CalendarZones,
    _ remarks: inout [ImportProblem]
  ) {
    remarks += entry.badLines.map(\.problem) + time.remarks
    remarkOnClocks(&remarks)
    applyTexts(to: &event, isNew: isNew)
    if let isDeadline = entry.isDeadline { event.isDeadline = isDeadline }
    let old = event
    event.length = length(&remarks)
    event.endZone = event.length.flatMap { _ in
      end.flatMap { $0.zone == time.zone || $0.zone.isEmpty ? nil : $0.zone }
    }
    // What was settled here stays: another calendar knows nothing of it.
    let settled = event.series.settled
    let keepsZone = keepsZone(of: old, isNew: isNew)
    event.moment = time.moment
    if !keepsZone { event.zone = time.zone }
    event.isFloating = time.isFloating
    event.series = series(of: event, &book, &remarks)
    event.series.settled = event.series.isRepeated ? settled : []
    let isSame =
      !isNew && event.moment == old.moment && event.zone == old.zone
      && event.series.rule?.recurrence == old.series.rule?.recurrence
      && event.series.isRepeated == old.series.isRepeated
    if !isSame { event.settle(calendar, asked: time.isOnClocks ? time.shown : nil) }
    event.isYearUnknown = entry.isYearUnknown && event.series.isYearly
    applyDone(to: &event)
    event.alerts = alerts(of: event.timing, &remarks)
  }

  private func remarkOnClocks(_ remarks: inout [ImportProblem]) {
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
  }

  private func applyTexts(to event: inout Event, isNew: Bool) {
    if !entry.title.isEmpty || isNew {
      event.title = entry.title.isEmpty ? Self.untitled : entry.title
    }
    event.notes = entry.notes ?? ""
    if let color = entry.color { event.color = color }
    event.tags = entry.tags
  }

  /// Whether an event's zone stays. An instant alone names none: the one of an event that is at that instant
  /// stays, and so does that of the same clocks where the entry names none.
  private func keepsZone(of event: Event, isNew: Bool) -> Bool {
    guard !isNew, entry.repetition.isEmpty, !event.series.isRepeated else {
      return !isNew && time.isFloating && event.zone == time.zone
    }
    if !time.isOnClocks { return event.moment == time.moment }
    guard time.isFloating, let instant = event.moment.exactInstant else { return false }
    return calendar.rules(of: event.timing).civil(at: instant) == time.shown
  }

  private func applyDone(to event: inout Event) {
    guard event.isDeadline else { return }
    var doneAt = entry.doneAt
    if entry.isTask, entry.isDone {
      doneAt =
        doneAt ?? event.doneAt ?? entry.version.modified
        ?? time.moment.start(in: calendar.zone)
    }
    if event.series.isRepeated {
      if let doneAt, let first = event.timing.schedule(in: calendar).first?.key {
        event.series.settle([first], doneAt: doneAt)
      }
      event.doneAt = nil
    } else if entry.isTask || doneAt != nil {
      event.doneAt = doneAt
    }
  }

  /// Returns how long the entry takes.
  private func length(_ remarks: inout [ImportProblem]) -> EventLength? {
    switch entry.end {
    case nil: return nil
    case .after(.relative(let days, let seconds), let line):
      let isAllDay = time.moment.isAllDay
      let whole = isAllDay ? days + Int(seconds / 86_400) : days
      if isAllDay, whole == 1 { return nil }
      if let length = EventLength(days: whole, seconds: isAllDay ? 0 : seconds) { return length }
      if days == 0, seconds == 0 { return nil }
      remarks.append(
        ImportProblem(.remark, at: line, "has a DURATION below zero, which is left out"))
      return nil
    case .after: return nil
    case .time(let start):
      guard let end else { return nil }
      switch (time.moment, end.moment) {
      case (.day(let first), .day(let behind)) where behind > first:
        let days = behind.days(since: first)
        return days > 1 ? EventLength(days: days, seconds: 0) : nil
      case (.instant(let begin), .instant(let end)) where end >= begin:
        return EventLength(days: 0, seconds: end.seconds(since: begin))
      default:
        remarks.append(
          ImportProblem(.remark, at: start.line, "has an end that is not after its start"))
        return nil
      }
    }
  }

  // MARK: Repetition

  private func series(
    of event: Event, _ book: inout CalendarZones, _ remarks: inout [ImportProblem]
  ) -> EventSeries {
    let repetition = entry.repetition
    var series = EventSeries()
    for line in repetition.faults {
      remarks.append(ImportProblem(.loss, at: line, "has an invalid date in its list of dates"))
    }
    var rules: [(rule: RecurrenceRule, line: Int)] = []
    for (text, line) in repetition.rules {
      do {
        rules.append((try checked(text), line))
      } catch {
        remarks.append(
          ImportProblem(.loss, at: line, "is imported without a repetition: \(error.message)"))
      }
    }
    setRules(&rules, of: &series, &remarks)
    for added in repetition.also { add(added, to: &series, &book, &remarks) }
    Self.cut(&series.also, EventSeries.namedLimit, repetition.also.first?.line, &remarks)
    guard series.isRepeated else { return series }
    var event = event
    event.series = series
    event.settle(calendar, asked: time.isOnClocks ? time.shown : nil)
    exclude(&series, of: event, &book, &remarks)
    return series
  }

  private func checked(_ text: String) throws(RecurrenceRuleError) -> RecurrenceRule {
    // Some programs write `\;` as in other texts.
    let rule = try RecurrenceRule(
      String(decoding: text.utf8.filter { $0 != UInt8(ascii: "\\") }, as: UTF8.self))
    guard rule.frequency > .minutely else {
      throw .invalidValue(part: "FREQ", value: rule.frequency.name)
    }
    guard rule.occurrencesPerDay <= RecurrenceRule.largestPerDay else {
      throw .tooFrequent(perDay: rule.occurrencesPerDay)
    }
    return rule
  }

  /// Sets the rules and their end. Of several rules those that end are taken apart into their dates.
  private func setRules(
    _ rules: inout [(rule: RecurrenceRule, line: Int)], of series: inout EventSeries,
    _ remarks: inout [ImportProblem]
  ) {
    let isAllDay = time.moment.isAllDay
    if rules.count > 1 {
      for (rule, line) in rules where rule.count != nil || rule.until != nil {
        let dates = finite([rule], line, &remarks) ?? []
        series.also += dates.filter { $0.local != time.shown }.map { AddedOccurrence($0) }
      }
      rules.removeAll { $0.rule.count != nil || $0.rule.until != nil }
    }
    if rules.count > RecurrenceSet.largestRuleCount {
      remarks.append(
        ImportProblem(
          .loss, at: rules[RecurrenceSet.largestRuleCount].line,
          "has more than \(RecurrenceSet.largestRuleCount) rules; the rest was left out"))
      rules.removeLast(rules.count - RecurrenceSet.largestRuleCount)
    }
    guard let (only, _) = rules.first else { return }
    if rules.count == 1 {
      if only.count == 1, entry.repetition.excluded.isEmpty { return }
      series.times = only.count
      series.until = only.until.map { until in
        switch until {
        case .date(let date): OccurrenceKey(date)
        case .local(let local): OccurrenceKey(local, isAllDay: isAllDay)
        case .utc(let instant):
          OccurrenceKey(
            (isAllDay ? .utc : time.rules).civil(at: instant), isAllDay: isAllDay)
        }
      }
      series.rule = words(only, rules[0].line, &remarks).map { EventRepeat(recurrence: $0) }
    }
    series.rule = series.rule ?? EventRepeat(rules: rules.map(\.rule))
  }

  /// Returns the rule of our own words that has the same dates; `nil` where none has.
  private func words(
    _ rule: RecurrenceRule, _ line: Int, _ remarks: inout [ImportProblem]
  ) -> Recurrence? {
    func words(_ leapDay: LeapDayRule) -> Recurrence? {
      Recurrence(rule, from: time.shown, isAllDay: time.moment.isAllDay, leapDay: leapDay)
    }
    let (here, there): (LeapDayRule, LeapDayRule) =
      calendar.leapDay == .february28 ? (.february28, .march1) : (.march1, .february28)
    // What this program wrote on a machine with the other setting is yearly, and goes by the setting here.
    if entry.isOwn, time.shown.date.month == 2, time.shown.date.day == 29,
      let other = words(there), other.unit == .year, words(here)?.unit != .year
    {
      let names = here == .february28 ? ("28 February", "1 March") : ("1 March", "28 February")
      remarks.append(
        ImportProblem(
          .loss, at: line,
          "occurs on \(names.0) in years without 29 February, but on \(names.1) in the file",
          hint: "change the day of all such events: capsule settings set leapDay "
            + (here == .february28 ? "mar1" : "feb28")))
      return other
    }
    return words(here)
  }

  /// Returns the occurrences of rules that end; `nil` where there are too many.
  private func finite(
    _ rules: [RecurrenceRule], _ line: Int, _ remarks: inout [ImportProblem]
  ) -> [OccurrenceKey]? {
    let set = RecurrenceSet(
      from: time.shown, in: time.moment.isAllDay ? nil : time.rules, occursFirst: false,
      rules: rules)
    let found = set?.occurrences().lazy.prefix(EventSeries.namedLimit + 1)
      .map { OccurrenceKey($0.key, isAllDay: time.moment.isAllDay) }
    guard let found, found.count <= EventSeries.namedLimit else {
      remarks.append(
        ImportProblem(
          .loss, at: line, "has a rule of more than \(EventSeries.namedLimit) dates, left out"))
      return nil
    }
    return Array(found)
  }

  private func add(
    _ added: CalendarEntry.Named, to series: inout EventSeries, _ book: inout CalendarZones,
    _ remarks: inout [ImportProblem]
  ) {
    guard let pointer = book.pointer(to: added.time, line: added.line, calendar: entry.calendar)
    else {
      remarks.append(ImportProblem(.loss, at: added.line, "has a date in an unknown time zone"))
      return
    }
    let key = nominal(pointer, of: time)
    var length = added.length
    if let end = added.end,
      case .instant(let end, _)? = book.pointer(
        to: end, line: added.line, calendar: entry.calendar),
      case .instant(let begin, _) = pointer
    {
      length = EventLength(days: 0, seconds: end.seconds(since: begin))
    }
    let isKnown = key.local == time.shown || series.also.contains { $0.key == key }
    // The first time is in its series in any case.
    if !isKnown { series.also.append(AddedOccurrence(key, length: length)) }
  }

  /// Returns what the clocks of a series show at a time.
  private func nominal(
    _ pointer: RecurrenceSet.Pointer, of series: CalendarMoment
  ) -> OccurrenceKey {
    let isAllDay = series.moment.isAllDay
    let local: CivilDateTime =
      switch pointer {
      case .date(let date):
        CivilDateTime(date: date, time: isAllDay ? .midnight : series.shown.time)
      case .local(let local): local
      case .instant(_, let date?) where isAllDay: CivilDateTime(date: date, time: .midnight)
      case .instant(let instant, _): (isAllDay ? calendar.zone : series.rules).civil(at: instant)
      }
    return OccurrenceKey(local, isAllDay: isAllDay)
  }

  private func exclude(
    _ series: inout EventSeries, of event: Event, _ book: inout CalendarZones,
    _ remarks: inout [ImportProblem]
  ) {
    guard !entry.repetition.excluded.isEmpty || !entry.repetition.excludedRules.isEmpty,
      let set = event.timing.schedule(in: calendar).set
    else { return }
    let isAllDay = event.moment.isAllDay
    var keys: Set<OccurrenceKey> = []
    for excluded in entry.repetition.excluded {
      let pointer = book.pointer(to: excluded.time, line: excluded.line, calendar: entry.calendar)
      guard let pointer else {
        remarks.append(
          ImportProblem(.loss, at: excluded.line, "has a date in an unknown time zone"))
        continue
      }
      for key in set.keys(pointer) { keys.insert(OccurrenceKey(key, isAllDay: isAllDay)) }
    }
    for (text, line) in entry.repetition.excludedRules {
      guard let rule = try? RecurrenceRule(text), rule.count != nil || rule.until != nil,
        let found = finite([rule], line, &remarks)
      else {
        remarks.append(
          ImportProblem(
            .loss, at: line, "keeps the dates that an EXRULE leaves out: '\(text.shortened)'"))
        continue
      }
      for key in found where !set.keys(.local(key.local)).isEmpty { keys.insert(key) }
    }
    series.except = keys.sorted()
    let room = EventSeries.namedLimit - series.also.count
    Self.cut(&series.except, room, entry.repetition.excluded.first?.line, &remarks)
  }

  /// Leaves out what is more than a record keeps.
  private static func cut<Element>(
    _ dates: inout [Element], _ limit: Int, _ line: Int?, _ remarks: inout [ImportProblem]
  ) {
    guard dates.count > limit else { return }
    remarks.append(
      ImportProblem(
        .loss, at: line ?? 1,
        "names over \(EventSeries.namedLimit) dates; \(dates.count - limit) of them were left out"))
    dates.removeLast(dates.count - limit)
  }

  // MARK: One occurrence

  /// Sets what is different at the occurrence that the entry is.
  ///
  /// - Parameters:
  ///   - onlyNewer: whether what the event says of that occurrence stays, unless the entry is newer.
  ///   - version: that of the entry of the series, where it is read too.
  func apply(
    asPartOf event: inout Event, of version: EntryVersion? = nil, onlyNewer: Bool,
    _ remarks: inout [ImportProblem]
  ) {
    remarks += entry.badLines.map(\.problem) + time.remarks
    guard let occurrence else {
      remarks.append(
        ImportProblem(.loss, at: entry.line, "is left out: its RECURRENCE-ID is in no known zone"))
      return
    }
    guard event.series.isRepeated else { return applyToOnly(&event, &remarks) }
    var whole = event
    (whole.series.except, whole.series.moved) = ([], [])
    let found = whole.timing.schedule(in: calendar).set?.keys(occurrence).first
    let key =
      found.map { OccurrenceKey($0, isAllDay: event.moment.isAllDay) }
      ?? nominal(occurrence, of: event)
    let known = event.series.moved.first { $0.key == key }
    if onlyNewer, let known, !entry.version.isUnknown,
      !entry.version.isNewer(than: known.imported)
    {
      return
    }
    guard known != nil || event.series.moved.count < EventSeries.movedLimit else {
      remarks.append(
        ImportProblem(
          .loss, at: entry.line,
          "is left out: over \(EventSeries.movedLimit) dates of it differ from the rest"))
      return
    }
    // What a later version of the series leaves out was taken away since.
    if event.series.except.contains(key), let later = version?.sequence,
      let own = entry.version.sequence, own < later
    {
      return
    }
    let earlier = event.series.moved.forLater.filter { $0.key < key }
    event.series.moved.removeAll { $0.key == key }
    if entry.isCancelled, entry.isOfFuture {
      // With this one the series ends.
      let last = key.local.secondsAsUTC - (key.isAllDay ? 86_400 : 1)
      let end = OccurrenceKey(CivilDateTime(secondsAsUTC: last), isAllDay: key.isAllDay)
      event.series.until = min(event.series.until ?? end, end)
      event.series.moved.removeAll { $0.key > key }
      return
    }
    if entry.isCancelled {
      guard found != nil, !event.series.except.contains(key) else { return }
      event.series.except = (event.series.except + [key]).sorted()
      return
    }
    if event.isDeadline, entry.isSkipped || entry.doneAt != nil || entry.isDone {
      event.series.settle([key], doneAt: entry.isSkipped ? nil : entry.doneAt ?? now)
    }
    event.series.except.removeAll { $0 == key }
    whole.series.moved = earlier
    let nominal = whole.timing.schedule(in: calendar).occurrence(key)?.moment
    let before = earlier.completed.last(before: key)
    var move = move(key, of: event.replacing(before), nominal, &remarks)
    if entry.isOfFuture {
      move.isForLater = true
      remarkOnLater(move, of: event, &remarks)
    }
    if !move.isSame {
      event.series.moved = (event.series.moved + [move]).sorted { $0.key < $1.key }
    }
  }

  private func remarkOnLater(
    _ move: MovedOccurrence, of event: Event, _ remarks: inout [ImportProblem]
  ) {
    let isAllDay = event.moment.isAllDay
    if let moment = move.moment, moment.isAllDay != isAllDay {
      remarks.append(
        ImportProblem(
          .loss, at: entry.line,
          "moves one date alone, because it is \(isAllDay ? "no whole day" : "a whole day")"))
    } else {
      remarks.append(
        ImportProblem(
          .remark, at: entry.line, "changes all later dates too; few other programs read that"))
    }
  }

  /// An entry that comes once has a single occurrence: itself.
  private func applyToOnly(_ event: inout Event, _ remarks: inout [ImportProblem]) {
    if entry.isCancelled {
      remarks.append(ImportProblem(.remark, at: entry.line, "is canceled; the event stays"))
      return
    }
    applyTexts(to: &event, isNew: false)
    (event.moment, event.zone) = (time.moment, time.zone)
    event.length = length(&remarks)
  }

  private func nominal(_ pointer: RecurrenceSet.Pointer, of event: Event) -> OccurrenceKey {
    let rules = calendar.rules(of: event.timing)
    let local = event.timing.local ?? event.moment.exactInstant.map { rules.civil(at: $0) }
    return nominal(
      pointer,
      of: CalendarMoment(
        moment: event.moment, zone: event.zone, rules: rules,
        shown: local ?? CivilDateTime(date: time.shown.date, time: .midnight), isOnClocks: true))
  }

  /// Returns what is different from the rest of a series.
  private func move(
    _ key: OccurrenceKey, of event: Event, _ nominal: Moment?, _ remarks: inout [ImportProblem]
  ) -> MovedOccurrence {
    var own = event
    (own.series, own.moment, own.zone) = (EventSeries(), time.moment, time.zone)
    applyTexts(to: &own, isNew: false)
    own.length = length(&remarks)
    var move = MovedOccurrence(key)
    if time.moment != nominal {
      move.moment = time.moment
      if !time.zone.isEmpty, time.zone != event.zone { move.zone = time.zone }
    }
    if own.length != event.length { move.length = own.length }
    if own.title != event.title { move.title = own.title }
    if own.notes != event.notes { move.notes = own.notes }
    if own.tags != event.tags { move.tags = own.tags }
    if let color = entry.color, color != event.color { move.color = color.description }
    // What this program wrote has the alerts of the series, unless it says which it has.
    let hasOwn = !entry.isOwn || entry.alarms.isEmpty || entry.alarms.contains { $0.alert != nil }
    if hasOwn {
      own.alerts = alerts(of: own.timing, &remarks)
      if own.alerts != event.alerts { move.alerts = own.alerts }
    }
    move.imported = entry.version
    return move
  }
}
