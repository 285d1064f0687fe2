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
  /// - Throws: `.passing`, and the errors of ``change(_:)``.
  package func declarePassing(
    at time: Instant, owner name: String, now: Instant
  ) throws(StoreError) -> StoreSettings {
    try change { settings throws(StoreError) in
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
  /// - Throws: `.passing`, and the errors of ``change(_:)``.
  package func withdrawPassing() throws(StoreError) -> StoreSettings {
    try change { settings throws(StoreError) in
      if settings.passing == nil { throw .passing(.notDeclared) }
      settings.passing = nil
    }
  }

  /// Sets one of the store's settings; `nil` gives it its default again.
  ///
  /// One that decides how new capsules are sealed is known to this device from then on.
  ///
  /// - Throws: `.passing`, and the errors of ``change(_:)``.
  package func set(_ key: Setting, to value: JSON?) throws(StoreError) {
    let settings = try change { settings throws(StoreError) in
      if key == .owner, settings.passing != nil { throw .passing(.ownerStays) }
      settings.set(key, to: value)
    }
    store.trust.vouch(forOwn: key, in: settings)
  }
}
