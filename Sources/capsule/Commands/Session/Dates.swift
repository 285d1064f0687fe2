import CapsuleCore

/// Times, as the user writes them and reads them: on the clocks of the user's zone.
struct Dates {
  let session: Session

  private var zone: ZoneRules { session.zone }

  /// Reads a date expression of the command line.
  ///
  /// - Parameters:
  ///   - option: the option that gave it, for messages.
  ///   - defaultMinutes: the time of day of a date alone, in minutes since midnight.
  ///   - now: another time to count from than that of the run.
  ///   - pastHint: the way out for a time in the past that is refused.
  func read(
    _ text: String, option: String, preferring preference: WhenParser.Preference = .future,
    requiring requirement: WhenParser.Requirement = .none, defaultMinutes: Int = 0,
    now: Instant? = nil, pastHint: String? = nil
  ) throws -> When {
    let time = CivilTime(hour: defaultMinutes / 60, minute: defaultMinutes % 60, second: 0)
    let parser = WhenParser(
      now: now ?? session.now, zone: zone, zones: session.host.zones, preferring: preference,
      requiring: requirement, defaultTime: time ?? .midnight)
    let when: When
    do {
      when = try parser.parse(text)
    } catch {
      var failure = Fault(error, text: text, option: option, in: zone)
      if case .inThePast = error.kind { failure.hint = pastHint }
      throw failure
    }
    warn(of: when.fit, when)
    return when
  }

  /// Writes an instant so that ``read(_:option:preferring:requiring:defaultMinutes:now:pastHint:)`` understands it:
  /// `2026-12-08 10:00`, with the zone where it is another than the user's.
  func written(_ instant: Instant, in rules: ZoneRules? = nil) -> String {
    let rules = rules ?? zone
    let local = rules.civil(at: instant)
    let seconds = local.time.second == 0 ? "" : ":\(local.time.second.twoDigits)"
    return "\(local.date) \(local.time.hour.twoDigits):\(local.time.minute.twoDigits)\(seconds)"
      + (rules.identifier == zone.identifier ? "" : " \(rules.identifier)")
  }

  /// Reads the time that an option gives; `nil` where it is not given.
  func read(_ option: Parameter<String?>, _ invocation: Invocation) throws -> Instant? {
    try invocation[option].map { try read($0, option: option.term).instant }
  }

  /// Reads the time of the past that an option gives; now where it is not given.
  func readPast(_ option: Parameter<String?>, _ invocation: Invocation) throws -> Instant {
    try invocation[option].map {
      try read($0, option: option.term, preferring: .past, requiring: .notFuture).instant
    } ?? session.now
  }

  private func warn(of fit: LocalTimeFit, _ when: When) {
    switch fit {
    case .unique: return
    case .gap(let shift):
      session.console.warning(
        "clocks in \(when.zone.identifier) skip that time; \(shift / 60) minutes later is used: "
          + text(when.instant))
    case .twice:
      session.console.warning(
        "clocks in \(when.zone.identifier) show that time twice; the first is used: "
          + "\(text(when.instant))",
        hint: "for the second, add its UTC offset")
    }
  }

  /// Reads a length of time that does not depend on the calendar, in seconds; at least 1.
  func readSeconds(_ text: String, option: String) throws -> Int64 {
    let units = "write hours, minutes or seconds: '1 minute'"
    let seconds: Int64?
    do {
      seconds = try DurationParser.exactSeconds(text)
    } catch {
      var failure = Fault(error, text: text, option: option, of: "duration", in: zone)
      if error.suggestions.isEmpty { failure.hint = units }
      throw failure
    }
    guard let seconds else {
      throw Fault.usage(
        "invalid duration for \(option): '\(text)': days and longer are not exact", hint: units)
    }
    return seconds
  }

  /// Returns an instant for people: `Sun 15 Jun 2036 09:00 CEST`.
  func text(_ instant: Instant) -> String { DateText.local(instant, in: zone) }

  /// Returns the time of day of an instant: `14:32`.
  func clock(_ instant: Instant) -> String {
    let time = zone.civil(at: instant).time
    return "\(time.hour.twoDigits):\(time.minute.twoDigits)"
  }

  /// Returns a date as an option reads it to the same instant and zone: `2035-01-01T00:00:00+01:00[Europe/Paris]`.
  func typed(_ when: When) -> String {
    let local = InstantFields(zone: when.zone).local(when.instant)
    return when.zone.identifier.contains("/") ? "\(local)[\(when.zone.identifier)]" : local
  }

  /// Returns a moment for people: `Sun 15 Jun 2036`, `Sun 15 Jun 2036 09:00 CEST`.
  func text(_ moment: Moment) -> String { DateText.local(moment, in: zone) }

  /// Returns the meaning of a date expression: `Sun 15 Jun 2036 09:00 CEST (07:00Z), in 9 years`.
  ///
  /// - Parameter kept: the time that a capsule keeps for it, where that may be another.
  func echo(_ when: When, kept: Instant? = nil) -> String {
    DateText.echo(when, kept: kept, now: session.now, in: zone)
  }

  /// Returns the time between now and an instant: `in 9 years 6 months`, `4 days ago`.
  func relative(_ instant: Instant) -> String {
    RelativeText.words(instant, from: session.now, in: zone)
  }

  /// Returns how far a moment is from now: `in 2 days`, `today`, `5 minutes ago`; on a terminal in the
  /// settings' style where one was chosen.
  func relative(_ moment: Moment, at now: Instant, _ settings: StoreSettings) -> String {
    announced(moment, at: now, session.answers.inUse(settings))
  }

  /// Returns the same in the settings' style wherever it goes: for what another program shows a person, as a
  /// status bar and a notice do.
  func announced(_ moment: Moment, at now: Instant, _ settings: StoreSettings) -> String {
    RelativeText.text(moment, from: now, in: zone, style: settings.relativeStyle)
  }

  /// Returns how long ago something was; `nil` where the clock stood later then than it does now, and
  /// there is nothing that could be said of it.
  func ago(_ instant: Instant, at now: Instant) -> String? {
    instant <= now ? RelativeText.words(instant, from: now, in: zone) : nil
  }

  /// Returns since when a capsule is sealed: `it was sealed 2 days ago`.
  func sealed(_ instant: Instant, at now: Instant) -> String {
    ago(instant, at: now).map { "it was sealed \($0)" }
      ?? "its record says that it was sealed later than now, on \(text(instant))"
  }

  /// Returns an instant for a list: `Sun 15 Jun 2036 09:00 CEST`, of which a narrow terminal shows
  /// less.
  func cell(_ instant: Instant) -> StyledText {
    // Elsewhere nothing is left out: one text is cheaper than four.
    guard session.isForPeople else { return StyledText(text(instant)) }
    let civil = zone.civil(at: instant)
    return cell(civil.date)
      + StyledText(" \(civil.time.shortText)", detail: .timeOfDay)
      + StyledText(" \(zone.offset(at: instant).abbreviation)", detail: .weekdayAndZone)
  }

  /// Returns a date, with its time where it has one, for a list.
  func cell(_ moment: Moment) -> StyledText {
    switch moment {
    case .day(let date): session.isForPeople ? cell(date) : StyledText(date.longText)
    case .instant(let instant): cell(instant)
    }
  }

  private func cell(_ date: CivilDate) -> StyledText {
    StyledText("\(date.weekday.shortName) ", detail: .weekdayAndZone) + StyledText(date.shortText)
  }

  /// Returns what occurrences depend on: the user's zone, the store's settings, the machine's
  /// zones.
  func calendar(_ settings: StoreSettings) -> EventCalendar {
    EventCalendar(in: session.localZone, session.host.zones, leapDay: settings.leapDayRule) {
      [session] name in
      session.console.warning(
        "unknown time zone '\(name)'; its times repeat on the clocks of "
          + session.localZone.label)
    }
  }

  /// Returns what the timeline of a store looks at.
  ///
  /// - Parameter asOf: the time that is asked about; the real one if `nil`.
  func timeline(
    _ store: Store, _ settings: StoreSettings, asOf: Instant? = nil
  ) -> TimelineContext {
    TimelineContext(store, now: session.now, asOf: asOf, calendar: calendar(settings))
  }
}
