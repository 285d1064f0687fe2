import CapsuleCore

/// The facts that this machine remembers about the keeping of a store: `capsule verify --status`.
struct VerificationStatus {
  private let session: Session
  private let last: LastVerification?
  private let backup: LastBackup?
  private let reminder: KeepingReminder?

  init(_ store: Store?, _ session: Session) {
    self.session = session
    last = store.map { LastVerification(of: $0) }
    backup = store.flatMap { LastBackup(of: $0) }
    reminder = store.map {
      KeepingReminder(
        of: $0, settings: session.stores.settings(of: $0), since: $0.header.createdAt,
        now: session.now)
    }
  }

  private var findings: [LastVerification.Loss] { last?.findings ?? [] }

  func render() throws -> ExitCode {
    try session.console.render(ending: findings.isEmpty ? .ok : .damaged, json: .object(members)) {
      out in
      out.line("Verified   \(time(last?.whole?.ended))\(overdue(reminder?.verification))")
      if let round = last?.round {
        out.line("Going on   since \(time(round.began)), \(percentage(round.next)) % is done")
      }
      out.line("Backed up  \(time(backup?.time))\(overdue(reminder?.backup))")
      if let backup { out.line("           '\(backup.path)'") }
      for finding in findings { out.line("\(finding.label, .boldRed)  \(finding.words)") }
    }
  }

  private func time(_ time: Instant?) -> String {
    guard let time else { return "never on this machine" }
    let isAhead = time > session.now
    return session.dates.text(time) + (isAhead ? ", which is to come: a clock was ahead then" : "")
  }

  private func overdue(_ lack: KeepingReminder.Lack?) -> String {
    lack.map { ", overdue: more than \(String.counting($0.days, "day"))" } ?? ""
  }

  /// Returns the percentage of a round that is done: records count as the first half, blobs by
  /// their names as the second.
  private func percentage(_ next: VerificationStep) -> Int {
    switch next {
    case .records(let shard): Int(shard) * 50 / 256
    case .blobs(let name): 50 + (Int(name.shard, radix: 16) ?? 0) * 50 / 256
    }
  }

  private var members: JSONObject {
    var members: JSONObject = [
      "isSound": .bool(findings.isEmpty),
      "isVerificationDue": .bool(reminder?.verification != nil),
      "isBackupDue": .bool(reminder?.backup != nil),
      "backupPath": backup.map { .string($0.path) } ?? .null,
      "progress": last?.round.map { .integer(Int64(percentage($0.next))) } ?? .null,
      "findings": .array(findings.map { .object($0.members) }),
      "zone": .string(session.localZone.label),
    ]
    let times = InstantFields(zone: session.zone)
    times.add(last?.whole?.ended, as: "verifiedAt", to: &members)
    times.add(last?.round?.began, as: "goesOnSince", to: &members)
    times.add(backup?.time, as: "backedUpAt", to: &members)
    return members
  }
}

extension LastVerification.Loss {
  fileprivate var label: String { isMissing ? "missing" : "damaged" }

  fileprivate var words: String {
    let record = kind.flatMap { kind in id.map { "the \(kind.word) \($0)" } }
    return [path.map { "'\($0)'" }, record].compactMap(\.self).joined(separator: ", ")
  }

  fileprivate var members: JSONObject {
    [
      "isMissing": .bool(isMissing), "kind": kind.map { .string($0.rawValue) } ?? .null,
      "id": id.map { .string($0.description) } ?? .null, "path": path.map { .string($0) } ?? .null,
    ]
  }
}
