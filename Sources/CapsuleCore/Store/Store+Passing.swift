/// Why the passing of the owner could not be declared or withdrawn, or the owner not be changed.
package enum PassingError: Error {
  /// It is not known whose store it is.
  case ownerUnknown
  /// A passing is declared already.
  case declared(Passing)
  /// Another process declared it at the same time.
  case declaredMeanwhile
  /// No passing is declared.
  case notDeclared
  /// The name, as it was typed, is not the owner's.
  case otherName(String)
  /// A passing is declared: whose it was stays.
  case ownerStays
  case store(StoreError)
}

extension StoreSettings {
  /// Sees to it that a passing can be declared: the owner is known, and none is declared.
  ///
  /// - Throws: `.ownerUnknown`, `.declared`.
  package func requireNoPassing() throws(PassingError) {
    if owner.isEmpty { throw .ownerUnknown }
    if let passing { throw .declared(passing) }
  }
}

extension Store {
  /// Declares that the owner passed away: what was left upon passing is accessible from then on.
  ///
  /// - Parameters:
  ///   - time: when the owner passed away.
  ///   - name: the owner's name, typed out.
  /// - Returns: the settings with the declaration.
  /// - Throws: `.ownerUnknown`, `.declared`, `.otherName`, `.declaredMeanwhile`, `.store`.
  package func declarePassing(
    at time: Instant, owner name: String, now: Instant
  ) throws(PassingError) -> StoreSettings {
    let settings = try passingChange { () throws(StoreError) in try intactSettings() }
    try settings.requireNoPassing()
    let name = Self.trimmed(name)
    guard name == Self.trimmed(settings.owner) else { throw .otherName(name) }
    let passing = Passing(at: time, declaredAt: now)
    return try changePassing(
      to: passing, unless: { $0.passing == nil ? nil : .declaredMeanwhile })
  }

  /// Takes the declaration of a passing back.
  ///
  /// - Returns: the settings without it.
  /// - Throws: `.notDeclared`, `.store`.
  package func withdrawPassing() throws(PassingError) -> StoreSettings {
    try changePassing(to: nil, unless: { $0.passing == nil ? .notDeclared : nil })
  }

  /// Sets one of the store's settings; `nil` gives it its default again.
  ///
  /// - Throws: `.ownerStays`, `.store`.
  package func set(_ key: SettingKey, to value: JSON?) throws(PassingError) {
    var isDeclared = false
    try passingChange { () throws(StoreError) in
      try changeSettings { settings in
        isDeclared = key == .owner && settings.passing != nil
        if !isDeclared { settings.set(key, to: value) }
      }
    }
    if isDeclared { throw .ownerStays }
  }

  private func changePassing(
    to passing: Passing?, unless problem: (StoreSettings) -> PassingError?
  ) throws(PassingError) -> StoreSettings {
    var found: PassingError?
    var changed = StoreSettings()
    try passingChange { () throws(StoreError) in
      try changeSettings { settings in
        found = problem(settings)
        if found == nil { settings.passing = passing }
        changed = settings
      }
    }
    if let found { throw found }
    return changed
  }

  private func passingChange<Value>(
    _ body: () throws(StoreError) -> Value
  ) throws(PassingError) -> Value {
    do throws(StoreError) { return try body() } catch { throw .store(error) }
  }

  private static func trimmed(_ name: String) -> String {
    let rest = name.drop(while: \.isWhitespace)
    guard let last = rest.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(rest[...last])
  }
}
