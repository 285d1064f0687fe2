import CapsuleCore

extension Session {
  /// Warns of what the last verification of a store left damaged or missing.
  func warnOfFindings(in store: Store) {
    let last = LastVerification(of: store)
    guard !last.findings.isEmpty else { return }
    let limit = last.findings.count == LastVerification.findingLimit ? "at least " : ""
    console.warning(
      "the last verification found \(limit)"
        + .counting(last.findings.count, "damaged or missing file"),
      hint: "'capsule verify --status' names them, 'capsule repair' mends what can be mended",
      details: ["findings": .integer(Int64(last.findings.count))])
  }

  /// Says what a store lacks, for `check`: damage once a day, a verification or a backup that is
  /// overdue once in 30 days.
  func remindOfKeeping(_ store: Store, _ settings: StoreSettings) {
    guard let reminder = store.takeReminder(settings, now: now) else { return }
    if reminder.hasFindings { warnOfFindings(in: store) }
    if let lack = reminder.verification {
      console.warning(
        words(lack, "the store was not verified whole on this machine"),
        hint: "run 'capsule verify', or let cron run \"capsule verify --budget '1 minute'\"; "
          + "'capsule settings set verifyEvery never' ends this",
        details: ["reminder": "verify", "days": .integer(lack.days)])
    }
    if let lack = reminder.backup {
      console.warning(
        words(lack, "'capsule backup' made no copy of the store on this machine"),
        hint: "run 'capsule backup DIR'; with another way of making copies, "
          + "'capsule settings set backupEvery never' ends this",
        details: ["reminder": "backup", "days": .integer(lack.days)])
    }
  }

  private func words(_ lack: KeepingReminder.Lack, _ fact: String) -> String {
    lack.last.map { "\(fact) since \(dateTime($0))" } ?? "\(fact) yet"
  }
}
