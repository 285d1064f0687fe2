import CapsuleCore

extension Session {
  /// What the timeline of a store looks at.
  ///
  /// - Parameter asOf: the time that is asked about; the real one if none.
  package func timelineContext(_ store: Store, asOf: Instant? = nil) -> TimelineContext {
    TimelineContext(
      store: store, now: now, asOf: asOf ?? now, calendar: eventCalendar(storeSettings(store)))
  }

  /// What occurrences depend on: the user's zone, the store's settings, the machine's zones.
  func eventCalendar(_ settings: StoreSettings) -> EventCalendar {
    let book = ZoneBook(session: self)
    return EventCalendar(zone: zone, leapDay: settings.leapDayRule) { book.rules(named: $0) }
  }

  /// A moment for people: `Sun 15 Jun 2036`, `Sun 15 Jun 2036 09:00 CEST`.
  func text(of moment: Moment) -> String {
    switch moment {
    case .day(let date): date.longText
    case .instant(let instant): dateTime(instant)
    }
  }

  /// How far a moment is from now: `in 2 days`, `today`, `5 minutes ago`; in the settings' style
  /// where one was chosen.
  func relative(
    _ moment: Moment, at now: Instant, _ settings: StoreSettings
  ) -> String {
    let style =
      settings.isSet(.spanStyle) || settings.isSet(.spanUnits) ? settings.spanStyleInUse : nil
    switch moment {
    case .day(let date):
      let today = zone.civil(at: now).date
      return style.map { RelativeText.text(date, from: today, style: $0) }
        ?? RelativeText.words(date, from: today)
    case .instant(let instant):
      return style.map { RelativeText.text(instant, from: now, in: zone, style: $0) }
        ?? RelativeText.words(instant, from: now, in: zone)
    }
  }
}

/// The rules of zones by the names in records, each read once.
private final class ZoneBook {
  private let session: Session
  private var known: [String: ZoneRules] = [:]

  init(session: Session) {
    self.session = session
  }

  func rules(named name: String) -> ZoneRules {
    if let rules = known[name] { return rules }
    let rules = find(name)
    known[name] = rules
    return rules
  }

  private func find(_ name: String) -> ZoneRules {
    if name == session.localZone.label { return session.zone }
    if name == "UTC" { return .utc }
    if let rules = try? session.host.zones.rules(named: name) { return rules }
    if let seconds = Self.offset(name) { return ZoneRules(offset: seconds) }
    if let rules = ZoneRules(posix: name) { return rules }
    session.console.warning(
      "this machine knows no zone '\(name)'; its times are repeated on the clocks of "
        + session.localZone.label)
    return session.zone
  }

  /// Seconds of `+02:00`.
  private static func offset(_ text: String) -> Int? {
    guard let sign = text.utf8.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
      let minutes = SettingKey.minutes(String(text.dropFirst()))
    else { return nil }
    return (sign == UInt8(ascii: "-") ? -60 : 60) * minutes
  }
}
