/// `settings.json`.
package struct SettingsFile: StoreSubject {
  package let store: Store

  /// Reads the store's settings, and what is wrong with their file although it can be read; none are
  /// set where there is no file.
  ///
  /// - Throws: `.recordDamaged` where they cannot be read at all, `.io`.
  package func read() throws(Fault) -> (
    settings: StoreSettings, integrity: RecordDamage?
  ) {
    let bytes: [UInt8]
    do {
      bytes = try files.readFile(layout.settings, limit: 1 << 20)
    } catch {
      guard error.condition == .notFound || error.isOfKind else { throw error }
      guard let copy = store.copies.settings().first, let (fields, _) = try? RecordFile.decode(copy)
      else { return (StoreSettings(), error.isOfKind ? .notAnObject : nil) }
      return (StoreSettings(fields), .missing)
    }
    // One changed bit is put back, and more is taken from a copy; the damage is reported all the same.
    if let integrity = RecordFile.integrity(of: bytes) {
      let twins = store.copies.settings()
      let isReadable = (try? RecordFile.decode(bytes)) != nil
      let written =
        RecordFile.proven(bytes, twins: twins)?.bytes ?? (isReadable ? nil : twins.first)
      if let written, let (fields, damage) = try? RecordFile.decode(written), damage == nil {
        return (StoreSettings(fields), integrity)
      }
    }
    do throws(RecordDamage) {
      let (fields, integrity) = try RecordFile.decode(bytes)
      // A record, or the store's header, that lies here by mistake.
      for name in ["id", "format"] where fields[name] != nil {
        throw RecordDamage.field(FieldError(path: name, problem: .invalid("no setting")))
      }
      return (StoreSettings(fields), integrity)
    } catch {
      throw .damaged(error, path: layout.settings.text)
    }
  }

  /// Reads the settings as they were written; for what must not be guessed.
  package func intact() throws(Fault) -> StoreSettings {
    let (settings, integrity) = try read()
    if let integrity { throw .damaged(integrity, path: layout.settings.text) }
    return settings
  }

  /// Changes the settings under the lock; where `change` throws, nothing is written.
  ///
  /// - Returns: the settings as they were written.
  @discardableResult
  package func change(
    _ change: (inout StoreSettings) throws(Fault) -> Void
  ) throws(Fault) -> StoreSettings {
    try store.whileLocked { () throws(Fault) in
      let before = try intact()
      var settings = before
      try change(&settings)
      try Commit(store, at: store.now).run([Change(settings, inPlaceOf: before)])
      return settings
    }
  }
}

/// The reason why the passing of the owner could not be declared or withdrawn, or the owner not be
/// changed.
public enum PassingProblem: Hashable, Sendable {
  /// It is not known whose store it is.
  case ownerUnknown
  /// A passing is declared already.
  case declared
  /// No passing is declared.
  case notDeclared
  /// The name, as it was typed, is not the owner's.
  case otherName(String)
  /// A passing is declared: whose it was stays.
  case ownerStays
}

extension SettingsFile {
  /// Declares that the owner passed away: what was left upon passing is accessible from then on.
  ///
  /// - Parameters:
  ///   - time: the time at which the owner passed away.
  ///   - name: the owner's name, typed out.
  /// - Returns: the settings with the declaration.
  package func declarePassing(
    at time: Instant, owner name: String, now: Instant
  ) throws(Fault) -> StoreSettings {
    try change { settings throws(Fault) in
      let (typed, owner) = (name.trimmed, settings.owner.trimmed)
      if owner.isEmpty { throw .passing(.ownerUnknown) }
      if settings.passing != nil { throw .passing(.declared) }
      if typed != owner { throw .passing(.otherName(typed)) }
      settings.passing = Passing(at: time, declaredAt: now)
    }
  }

  /// Takes the declaration of a passing back.
  ///
  /// - Returns: the settings without it.
  package func withdrawPassing() throws(Fault) -> StoreSettings {
    try change { settings throws(Fault) in
      if settings.passing == nil { throw .passing(.notDeclared) }
      settings.passing = nil
    }
  }

  /// Sets one of the store's settings; `nil` gives it its default again.
  ///
  /// One that decides how new capsules are sealed is known to this device from then on.
  package func set(_ key: Setting, to value: JSON?) throws(Fault) {
    let settings = try change { settings throws(Fault) in
      if key == .owner, settings.passing != nil { throw .passing(.ownerStays) }
      settings.set(key, to: value)
    }
    store.trust.vouch(forOwn: key, in: settings)
  }
}

/// The reason why something could not be done with the switch.
public enum SwitchProblem: Hashable, Sendable {
  case off
  /// A passing is declared, and the switch has ended with it.
  case ended
  /// Nobody would hear of a silence.
  case noWitness
  /// An emergency contact has no email address.
  case unreachableWitness(RecordID, name: String)
  /// A duration is invalid, or more than ten years: ``SilenceSwitch/isSpan(_:)``.
  case span(iso8601: String)
}

/// The switch, in the settings.
package struct StoreSwitch: StoreSubject {
  package let store: Store

  /// Changes the switch, or turns it on, and checks in: the owner was there. It has a witness; each that
  /// is new can be reached, and each span that is new is one.
  ///
  /// - Returns: the settings as they were written.
  package func change(
    now: Instant, _ change: (inout SilenceSwitch?) throws(Fault) -> Void
  ) throws(Fault) -> StoreSettings {
    try store.settings.change { settings throws(Fault) in
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

  func requireAllowed(
    _ terms: SilenceSwitch, after before: SilenceSwitch?
  ) throws(Fault) {
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
  package func checkIn(now: Instant) throws(Fault) -> StoreSettings {
    try change(now: now) { silenceSwitch throws(Fault) in
      if silenceSwitch == nil { throw .switch(.off) }
    }
  }

  /// Checks in because the program was used, where the switch takes that for a sign of the owner: once a
  /// day of a zone.
  package func checkInByUse(now: Instant, zone: ZoneRules) throws(Fault) {
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
  package func turnOff() throws(Fault) -> StoreSettings {
    try store.settings.change { settings throws(Fault) in
      guard settings.values[StoreSettings.switchName] != nil else { throw .switch(.off) }
      settings.set(nil, nil)
    }
  }

  /// The switch as the settings have it; `nil` while it is off.
  package func read(of settings: StoreSettings) throws(Fault) -> SilenceSwitch? {
    do { return try settings.silenceSwitch() } catch {
      throw .damaged(.field(error), path: layout.settings.text)
    }
  }
}
