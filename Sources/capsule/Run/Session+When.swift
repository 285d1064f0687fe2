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
  func echo(_ when: When) -> String {
    DateText.echo(when, now: now, in: zone)
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
    let duration: CalendarDuration
    do throws(WhenError) {
      duration = try DurationParser.parse(text)
    } catch {
      throw Failure(error, text: text, option: option, in: zone)
    }
    guard duration.isExact, !duration.isZero else {
      throw Failure.usage(
        "'\(text)' is no time that a command may take",
        hint: "write hours, minutes or seconds: '1 minute'")
    }
    return [(duration.hours, 3_600), (duration.minutes, 60), (duration.seconds, 1)]
      .reduce(Int64(0)) { $0.addingClamped(Int64($1.0).multipliedClamped(by: Int64($1.1))) }
  }
}
