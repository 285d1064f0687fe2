import CapsuleCore

extension Session {
  /// Reads a date expression of the command line.
  ///
  /// - Parameters:
  ///   - option: the option that gave it, for messages.
  ///   - defaultMinutes: the time of day of a date alone, in minutes since midnight.
  ///   - now: another time to count from than that of the run.
  ///   - pastHint: the way out for a time in the past that is refused.
  func when(
    _ text: String, option: String, preferring preference: WhenParser.Preference = .future,
    requiring requirement: WhenParser.Requirement = .none, defaultMinutes: Int = 0,
    now: Instant? = nil, pastHint: String? = nil
  ) throws -> When {
    let parser = WhenParser(
      now: now ?? self.now, zone: zone, zones: host.zones, preferring: preference,
      requiring: requirement,
      defaultTime: CivilTime(minutes: defaultMinutes))
    let when: When
    do throws(WhenError) {
      when = try parser.parse(text)
    } catch {
      var failure = Failure(error, text: text, option: option, in: zone)
      if case .inThePast = error.kind { failure.hint = pastHint }
      throw failure
    }
    warn(of: when.fit, when)
    return when
  }

  private func warn(of fit: LocalTimeFit, _ when: When) {
    switch fit {
    case .unique: return
    case .gap(let shift):
      console.warning(
        "the clocks skip that time in \(when.zone.identifier); it is taken \(shift / 60) minutes "
          + "later, as \(dateTime(when.instant))")
    case .twice:
      console.warning(
        "the clocks show that time twice in \(when.zone.identifier); the first is taken, "
          + "\(dateTime(when.instant))",
        hint: "name the second by its offset from UTC")
    }
  }

  /// Returns an instant for people: `Sun 15 Jun 2036 09:00 CEST`.
  func dateTime(_ instant: Instant) -> String {
    DateText.local(instant, in: zone)
  }

  /// Returns the time between now and an instant: `in 9 years 6 months`, `4 days ago`.
  func relative(_ instant: Instant) -> String {
    RelativeText.words(instant, from: now, in: zone)
  }

  /// Returns the meaning of a date expression: `Sun 15 Jun 2036 09:00 CEST (07:00Z), in 9 years`.
  ///
  /// - Parameter kept: the time that a capsule keeps for it, where that may be another.
  func echo(_ when: When, kept: Instant? = nil) -> String {
    DateText.echo(when, kept: kept, now: now, in: zone)
  }
}

extension CivilTime {
  fileprivate init(minutes: Int) {
    self = CivilTime(hour: minutes / 60, minute: minutes % 60, second: 0) ?? .midnight
  }
}

extension Session {
  /// Reads a length of time that does not depend on the calendar, in seconds; at least 1.
  func exactSeconds(_ text: String, option: String) throws -> Int64 {
    let units = "write hours, minutes or seconds: '1 minute'"
    let seconds: Int64?
    do throws(WhenError) {
      seconds = try DurationParser.exactSeconds(text)
    } catch {
      var failure = Failure(error, text: text, option: option, in: zone)
      if error.suggestions.isEmpty { failure.hint = units }
      throw failure
    }
    guard let seconds else {
      throw Failure.usage("'\(text)' is no time that a command may take", hint: units)
    }
    return seconds
  }
}
