/// This machine's memory of the last backup of a store.
package struct LastBackup: Hashable, Sendable {
  package let time: Instant
  /// The path of the generation, as text.
  package let path: String

  package init(time: Instant, path: String) {
    self.time = time
    self.path = path
  }

  /// Reads what was kept of a store; `nil` where no backup was made here.
  package init?(of store: Store) {
    guard let object = StateFile(store, "backed-up")?.readObject(),
      let seconds = object["at"]?.integer, let path = object["path"]?.string
    else { return nil }
    self.init(time: Instant(seconds: seconds), path: path)
  }

  func keep(for store: Store) {
    StateFile(store, "backed-up")?.write([
      "at": .integer(time.seconds), "path": .string(path),
    ])
  }
}

/// The reminders for a store's owner: damage that was found, and care that the store has not had
/// for longer than its settings allow.
package struct KeepingReminder: Hashable, Sendable {
  /// A verification or a backup that is missing; `nil` where none is.
  package struct Lack: Hashable, Sendable {
    /// The time of the last one; `nil` where this machine made none.
    package let last: Instant?
    /// The number of days that the setting allows between two.
    package let days: Int64
  }

  package private(set) var verification: Lack?
  package private(set) var backup: Lack?
  /// Whether the last verification left something that is damaged or missing.
  package fileprivate(set) var hasFindings = false

  package var isEmpty: Bool { verification == nil && backup == nil && !hasFindings }

  fileprivate init() {}

  /// - Parameter first: the time from which is counted where there was none yet.
  package init(of store: Store, settings: StoreSettings, since first: Instant, now: Instant) {
    func lack(_ last: Instant?, _ days: Int64?) -> Lack? {
      // A clock was ahead then: nobody knows when it was.
      let last = last.flatMap { $0 <= now ? $0 : nil }
      guard let days, now.seconds(since: last ?? first) >= days * 86_400 else { return nil }
      return Lack(last: last, days: days)
    }
    verification = lack(LastVerification(of: store).whole?.ended, settings.days(.verifyEvery))
    backup = lack(LastBackup(of: store)?.time, settings.days(.backupEvery))
  }
}

extension StoreCare {
  /// Returns what is to be said about the store's keeping, and keeps that it was said: lacking care once
  /// in 30 days, damage once a day.
  ///
  /// - Parameters:
  ///   - settings: the store's.
  ///   - now: the real time.
  package func takeReminder(_ settings: StoreSettings, now: Instant) -> KeepingReminder? {
    guard let file = StateFile(store, "reminded") else { return nil }
    var object = file.readObject() ?? [:]
    func wasSaid(_ name: String, within pause: Int64) -> Bool {
      guard let seconds = object[name]?.integer else { return false }
      return (0..<pause).contains(now.seconds.subtractingClamped(seconds))
    }
    // Care that this machine never gave is counted from its first check.
    guard let first = object["since"]?.integer, first <= now.seconds else {
      file.write(["since": .integer(now.seconds)])
      return nil
    }
    var reminder = KeepingReminder()
    if !wasSaid("care", within: 30 * 86_400) {
      reminder = KeepingReminder(
        of: store, settings: settings, since: Instant(seconds: first), now: now)
      if !reminder.isEmpty { object["care"] = .integer(now.seconds) }
    }
    if !wasSaid("findings", within: 86_400), !LastVerification(of: store).findings.isEmpty {
      reminder.hasFindings = true
      object["findings"] = .integer(now.seconds)
    }
    guard !reminder.isEmpty else { return nil }
    file.write(object)
    return reminder
  }
}
