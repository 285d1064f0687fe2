/// A reader of date expressions; the grammar stands in the reference ("Dates").
///
/// The whole text is understood or it is an error; nothing is guessed where two readings are
/// possible. A parser is a value: the same text, now and zone always give the same result.
package struct WhenParser: Sendable {
  /// Whether a thing to come or one that has happened is meant, where the text leaves it open.
  package enum Preference: Hashable, Sendable {
    /// `90d` is in 90 days, `friday` the next one.
    case future
    /// `90d` is 90 days ago, `friday` the last one; a date alone is always its midnight.
    case past
  }

  /// The side of now on which the result must lie.
  package enum Requirement: Hashable, Sendable {
    case none
    /// The result lies now or later: an unlock time.
    case notPast
    /// The result lies now or earlier: a history entry.
    case notFuture
  }

  package let now: Instant
  package let zone: ZoneRules
  package let zones: ZoneDatabase
  package let preference: Preference
  package let requirement: Requirement
  package let defaultTime: CivilTime

  /// A parser for the user's `zone`; `defaultTime` is the time of day of a date alone (a setting).
  package init(
    now: Instant, zone: ZoneRules, zones: ZoneDatabase, preferring preference: Preference = .future,
    requiring requirement: Requirement = .none, defaultTime: CivilTime = .midnight
  ) {
    self.now = now
    self.zone = zone
    self.zones = zones
    self.preference = preference
    self.requirement = requirement
    self.defaultTime = defaultTime
  }

  /// Reads a date expression.
  ///
  /// - Throws: the first word that is not understood, or the side of now on which the result must
  ///   not lie. This parser takes each text that the error suggests.
  package func parse(_ text: String) throws(WhenError) -> When {
    do throws(WhenError) {
      return try read(text)
    } catch {
      throw error.suggesting { expression in
        guard let when = try? read(expression) else { return nil }
        return WhenReading(expression: expression, instant: when.instant)
      }
    }
  }

  private func read(_ text: String) throws(WhenError) -> When {
    let scanner = WhenScanner(text)
    var reader = WhenReader(parser: self, scanner: scanner)
    let when = try reader.whole()
    if requirement == .notPast, when.instant < now {
      throw wholeError(.inThePast(when.instant), scanner)
    }
    if requirement == .notFuture, when.instant > now {
      throw wholeError(.inTheFuture(when.instant), scanner)
    }
    return when
  }

  private func wholeError(_ kind: WhenError.Kind, _ scanner: WhenScanner) -> WhenError {
    var end = scanner
    while !end.atEnd { end.index += 1 }
    return scanner.error(kind, in: scanner.index..<end.index)
  }
}
