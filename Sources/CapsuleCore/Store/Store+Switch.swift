/// Why something could not be done with the switch.
public enum SwitchProblem: Hashable, Sendable {
  /// It is off.
  case off
  /// A passing is declared, and the switch has ended with it.
  case ended
  /// Nobody would hear of a silence.
  case noWitness
}

extension Store {
  /// Changes the switch, or turns it on, and checks in: the owner was there. It has a witness.
  ///
  /// - Returns: the settings as they were written.
  /// - Throws: `.switch`, and the errors of ``changeSettings(_:)``.
  package func changeSwitch(
    now: Instant, _ change: (inout SilenceSwitch?) throws(StoreError) -> Void
  ) throws(StoreError) -> StoreSettings {
    try changeSettings { settings throws(StoreError) in
      if settings.passing != nil { throw .switch(.ended) }
      var silenceSwitch = try silenceSwitch(of: settings)
      try change(&silenceSwitch)
      if let silenceSwitch, silenceSwitch.witnesses.isEmpty { throw .switch(.noWitness) }
      var checkIns = settings.checkIns
      checkIns.add(now)
      settings.set(silenceSwitch, silenceSwitch == nil ? nil : checkIns)
    }
  }

  /// Checks in.
  ///
  /// - Returns: the settings as they were written.
  /// - Throws: `.switch`, and the errors of ``changeSettings(_:)``.
  package func checkIn(now: Instant) throws(StoreError) -> StoreSettings {
    try changeSwitch(now: now) { silenceSwitch throws(StoreError) in
      if silenceSwitch == nil { throw .switch(.off) }
    }
  }

  /// Turns the switch off, whatever its settings say.
  ///
  /// - Returns: the settings as they were written.
  /// - Throws: `.switch`, and the errors of ``changeSettings(_:)``.
  package func turnSwitchOff() throws(StoreError) -> StoreSettings {
    try changeSettings { settings throws(StoreError) in
      guard settings.values[StoreSettings.switchName] != nil else { throw .switch(.off) }
      settings.set(nil, nil)
    }
  }

  /// The switch as the settings have it; `nil` while it is off.
  ///
  /// - Throws: `.damaged`.
  package func silenceSwitch(of settings: StoreSettings) throws(StoreError) -> SilenceSwitch? {
    do throws(FieldError) { return try settings.silenceSwitch() } catch {
      throw .damaged(.field(error), path: layout.settings.text)
    }
  }
}
