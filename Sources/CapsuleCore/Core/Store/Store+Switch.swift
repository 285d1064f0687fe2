/// The reason why something could not be done with the switch.
public enum SwitchProblem: Hashable, Sendable {
  /// It is off.
  case off
  /// A passing is declared, and the switch has ended with it.
  case ended
  /// Nobody would hear of a silence.
  case noWitness
  /// A witness has no email address, and would hear of nothing.
  case unreachableWitness(RecordID, name: String)
  /// A span is no time, or more than ten years: ``SilenceSwitch/isSpan(_:)``.
  case span(iso8601: String)
}

/// The switch, in the settings.
package struct StoreSwitch: StoreSubject {
  package let store: Store
}

extension StoreSwitch {
  /// Changes the switch, or turns it on, and checks in: the owner was there. It has a witness; each that
  /// is new can be reached, and each span that is new is one.
  ///
  /// - Returns: the settings as they were written.
  /// - Throws: `.switch`, and the errors of ``SettingsFile/change(_:)``.
  package func change(
    now: Instant, _ change: (inout SilenceSwitch?) throws(StoreError) -> Void
  ) throws(StoreError) -> StoreSettings {
    try store.settings.change { settings throws(StoreError) in
      if settings.passing != nil { throw .switch(.ended) }
      let before = try read(of: settings)
      var silenceSwitch = before
      try change(&silenceSwitch)
      if let silenceSwitch { try requireAllowed(silenceSwitch, after: before) }
      var checkIns = settings.checkIns
      checkIns.add(now)
      settings.set(silenceSwitch, silenceSwitch == nil ? nil : checkIns)
    }
  }

  private func requireAllowed(
    _ terms: SilenceSwitch, after before: SilenceSwitch?
  ) throws(StoreError) {
    if terms.witnesses.isEmpty { throw .switch(.noWitness) }
    for span in [\SilenceSwitch.every, \.warn, \.grace]
    where terms[keyPath: span] != before?[keyPath: span] {
      guard SilenceSwitch.isSpan(terms[keyPath: span]) else {
        throw .switch(.span(iso8601: terms[keyPath: span].iso8601))
      }
    }
    for id in terms.witnesses where before?.witnesses.contains(id) != true {
      let person = try store.readIntact(Beneficiary.self, id).model
      if person.email.isEmpty { throw .switch(.unreachableWitness(id, name: person.name)) }
    }
  }

  /// Checks in.
  ///
  /// - Returns: the settings as they were written.
  /// - Throws: `.switch`, and the errors of ``SettingsFile/change(_:)``.
  package func checkIn(now: Instant) throws(StoreError) -> StoreSettings {
    try change(now: now) { silenceSwitch throws(StoreError) in
      if silenceSwitch == nil { throw .switch(.off) }
    }
  }

  /// Checks in because the program was used, where the switch takes that for a sign of the owner: once a
  /// day of a zone.
  ///
  /// - Throws: the errors of ``checkIn(now:)``.
  package func checkInByUse(now: Instant, zone: ZoneRules) throws(StoreError) {
    let settings = try store.settings.read().settings
    guard settings.passing == nil, try read(of: settings)?.isByUse == true else { return }
    let today = zone.civil(at: now).date
    if let last = settings.checkIns.times.last(where: { $0 <= now }),
      zone.civil(at: last).date == today
    {
      return
    }
    _ = try checkIn(now: now)
  }

  /// Turns the switch off, whatever its settings say.
  ///
  /// - Returns: the settings as they were written.
  /// - Throws: `.switch`, and the errors of ``SettingsFile/change(_:)``.
  package func turnOff() throws(StoreError) -> StoreSettings {
    try store.settings.change { settings throws(StoreError) in
      guard settings.values[StoreSettings.switchName] != nil else { throw .switch(.off) }
      settings.set(nil, nil)
    }
  }

  /// The switch as the settings have it; `nil` while it is off.
  ///
  /// - Throws: `.damaged`.
  package func read(of settings: StoreSettings) throws(StoreError) -> SilenceSwitch? {
    do throws(FieldError) { return try settings.silenceSwitch() } catch {
      throw .damaged(.field(error), path: layout.settings.text)
    }
  }
}
