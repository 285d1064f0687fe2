/// The counts and the findings of a verification.
public struct Verification: Hashable, Sendable {
  public var records = 0
  public var blobs = 0
  /// The number of bytes of the blobs that were read.
  public var bytes: Int64 = 0
  public var problems: [Finding] = []
  /// Honor locks of a protected store that were not opened, as its passphrase was not given.
  package var unprovenLocks = 0
  /// The step with which the next verification goes on; `nil` where this one came to the end.
  package internal(set) var next: VerificationStep?
  /// The records that were found, live or in the trash; empty where nobody asked for them.
  var present: [RecordID: PresentRecord] = [:]

  package init() {}

  /// Whether every byte that was looked at is what it was.
  public var isSound: Bool { !problems.contains { $0.isDamage || $0.isDenied } }
}

/// A record that was found, live or in the trash.
struct PresentRecord: Hashable, Sendable {
  let kind: RecordKind
  let path: FilePath
  /// The highest of those found; the highest number there is where one cannot be read.
  var revision: Int64
  /// The time of its last change, where it can be read.
  let updatedAt: Instant?
  /// The SHA-256 of its bytes; `nil` where they are not those that were written.
  let digest: [UInt8]?
}

/// The parts in which a verification goes through a store: first the records and the journal, shard by
/// shard, then the blobs in the order of their names.
package enum VerificationStep: Hashable, Sendable {
  /// The records and logs whose ids begin with these two digits.
  case records(UInt8)
  /// The blobs from this name on.
  case blobs(from: BlobName)

  package static let first = VerificationStep.records(0)

  /// `records 3f`, or `blobs ` and a name.
  package var text: String {
    switch self {
    case .records(let shard): "records \(Hex.encode([shard]))"
    case .blobs(let name): "blobs \(name)"
    }
  }

  package init?(_ text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    guard words.count == 2 else { return nil }
    switch words[0] {
    case "records":
      guard words[1].utf8.count == 2, let shard = Hex.decode(words[1])?.first else { return nil }
      self = .records(shard)
    case "blobs":
      guard let name = BlobName(words[1]) else { return nil }
      self = .blobs(from: name)
    default: return nil
    }
  }
}

/// The scope of a verification.
package struct VerificationPlan {
  /// Whether the blobs are read; otherwise it is only seen that they are there.
  package var readsBlobs = true
  package var readsJournals = true
  /// The step with which it begins; `nil` to look at the whole store.
  package var start: VerificationStep?
  /// Whether there is time for another step; a part of a store is one step at least.
  package var hasTime: () -> Bool = { true }
  /// The machine whose journal counts as the own one; `nil` for this machine.
  var machine: String?
  /// Whether another machine may bring what is missing; `nil` for what this machine knows about that.
  var mayOthersBring: Bool?
  /// Whether the records that were found are returned.
  var keepsPresent = false
  /// Returns how each of a shard's capsules and its lock disagree, `nil` where they do not.
  var lockProblems: ([CapsuleReading], UInt8) -> [LockProblem?] = { readings, _ in
    readings.map { _ in nil }
  }

  package init() {}

  /// The plan for all of a store.
  package static var whole: VerificationPlan { VerificationPlan() }
}

/// What keeps a store whole: verifying, repairing, backups, and the steps from older formats.
package struct StoreCare: StoreSubject {
  package let store: Store

  /// Compares every record with its checksum and every blob with its name, and all of them with what
  /// the journals name; writes into this machine's journal what no journal holds.
  ///
  /// Whatever cannot be read is a finding, and the rest is looked at all the same.
  ///
  /// - Parameters:
  ///   - now: the real time.
  ///   - progress: called with the bytes of blobs done and in all.
  package func verify(
    _ plan: VerificationPlan = .whole, now: Instant,
    progress: (Int64, Int64) -> Void = { _, _ in }
  ) throws(Fault) -> Verification {
    var verifier = Verifier(store, plan, now: now)
    return verifier.run(progress: progress)
  }
}

/// This machine's memory of the last verification of a store, and of one that goes on part by part.
package struct LastVerification: Hashable, Sendable {
  /// The times at which all of the store was looked at last, from its first part to its last.
  package struct Whole: Hashable, Sendable {
    package let began: Instant
    package let ended: Instant
  }

  /// A verification of all parts that has not come to its end.
  package struct Round: Hashable, Sendable {
    package let began: Instant
    package let next: VerificationStep
  }

  /// One thing that was damaged or missing when it was looked at last.
  package struct Loss: Hashable, Sendable {
    package let isMissing: Bool
    package let kind: RecordKind?
    package let id: RecordID?
    package let path: String?
    /// The part of the store that it belongs to; `nil` for what each verification looks at.
    fileprivate let step: VerificationStep?
  }

  package fileprivate(set) var whole: Whole?
  package fileprivate(set) var round: Round?
  /// The things that were found, at most ``findingLimit``.
  package fileprivate(set) var findings: [Loss] = []

  package static let findingLimit = 1_000

  fileprivate init() {}

  private init(_ object: JSONObject) {
    func instant(_ value: JSON?) -> Instant? { value?.integer.map { Instant(seconds: $0) } }
    if let began = instant(object["whole"]?["began"]),
      let ended = instant(object["whole"]?["ended"])
    {
      whole = Whole(began: began, ended: ended)
    }
    if let began = instant(object["round"]?["began"]),
      let next = object["round"]?["next"]?.string.flatMap(VerificationStep.init)
    {
      round = Round(began: began, next: next)
    }
    findings = (object["findings"]?.array ?? []).prefix(Self.findingLimit).map { finding in
      Loss(
        isMissing: finding["missing"] == .bool(true),
        kind: finding["kind"]?.string.flatMap(RecordKind.init),
        id: finding["id"]?.string.flatMap { RecordID($0) }, path: finding["path"]?.string,
        step: finding["step"]?.string.flatMap(VerificationStep.init))
    }
  }

  private var object: JSONObject {
    var object: JSONObject = [:]
    if let whole {
      object["whole"] = [
        "began": .integer(whole.began.seconds), "ended": .integer(whole.ended.seconds),
      ]
    }
    if let round {
      object["round"] = [
        "began": .integer(round.began.seconds), "next": .string(round.next.text),
      ]
    }
    object["findings"] = .array(
      findings.map { finding in
        var members: JSONObject = ["missing": .bool(finding.isMissing)]
        if let kind = finding.kind { members["kind"] = .string(kind.rawValue) }
        if let id = finding.id { members["id"] = .string(id.description) }
        if let path = finding.path { members["path"] = .string(path) }
        if let step = finding.step { members["step"] = .string(step.text) }
        return .object(members)
      })
    return object
  }

  /// Reads what was kept of a store; nothing where that is nothing that can be used.
  package init(of store: Store) {
    self = store.memory.read(.verified)?.object.map { Self($0) } ?? Self()
  }

  fileprivate func keep(for store: Store) {
    guard self != Self(of: store) else { return }
    store.memory.keep(.verified, .object(object))
  }

  /// Takes in what a verification found in the parts that it looked at.
  fileprivate mutating func add(
    _ problems: [Finding], from start: VerificationStep, upTo end: VerificationStep?
  ) {
    findings.removeAll { finding in
      guard let step = finding.step else { return true }
      return start <= step && (end.map { step < $0 } ?? true)
    }
    findings += problems.filter(\.isDamage).map { Loss($0) }
    findings = Array(findings.prefix(Self.findingLimit))
  }
}

extension VerificationStep: Comparable {
  package static func < (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.records(let left), .records(let right)): left < right
    case (.records, .blobs): true
    case (.blobs, .records): false
    case (.blobs(let left), .blobs(let right)): left < right
    }
  }
}

extension LastVerification.Loss {
  fileprivate init(_ finding: Finding) {
    isMissing = finding.isMissing
    (kind, id, path) = (finding.record?.kind, finding.record?.id, finding.own ?? finding.path)
    let isOfBlob = finding.kind == .blob || finding.kind == .unreadable && id == nil
    let blob = isOfBlob ? finding.file.flatMap { BlobName($0.lastComponent) } : nil
    step = blob.map { .blobs(from: $0) } ?? id.map { .records($0.shard) }
  }
}

extension BlobName {
  fileprivate init?(_ name: [UInt8]) {
    self.init(digits: name[...])
  }
}

extension StoreCare {
  /// Keeps what a verification that read the journals and the blobs found.
  ///
  /// - Parameters:
  ///   - start: the part that it began with; `nil` where it looked at the whole store.
  ///   - now: the real time.
  func remember(_ report: Verification, from start: VerificationStep?, now: Instant) {
    var last = LastVerification(of: store)
    last.add(report.problems, from: start ?? .first, upTo: report.next)
    // A round that began earlier goes on here; a whole verification ends it.
    let began = start == nil ? now : last.round?.began ?? now
    if let next = report.next {
      last.round = LastVerification.Round(began: began, next: next)
    } else {
      last.round = nil
      // What could not be read for lack of permission was not verified.
      if !report.problems.contains(where: \.isDenied) {
        last.whole = LastVerification.Whole(began: began, ended: now)
      }
    }
    last.keep(for: store)
  }

  /// Keeps what a repair left as it was.
  func remember(left problems: [Finding]) {
    var last = LastVerification(of: store)
    last.add(problems, from: .first, upTo: nil)
    last.keep(for: store)
  }
}

/// This machine's memory of the last backup of a store.
package struct LastBackup: Hashable, Sendable {
  package let time: Instant
  /// The path of the generation, as text.
  package let path: String
  /// The name of the newest generation of each set, by the path of its directory, as text.
  package let sets: [String: String]

  /// The sets that are kept, those with the newest generations.
  private static let setLimit = 16

  /// - Parameter others: the sets that were known before.
  package init(time: Instant, path: String, others: [String: String] = [:]) {
    self.time = time
    self.path = path
    let place = FilePath(path)
    let name = String(decoding: place.lastComponent, as: UTF8.self)
    let sets = others.merging([place.parent.text: name]) { $1 }
    let newest = sets.sorted { ($0.value, $0.key) > ($1.value, $1.key) }
    self.sets = Dictionary(newest.prefix(Self.setLimit).map { ($0.key, $0.value) }) { $1 }
  }

  /// Reads what was kept of a store; `nil` where no backup was made here.
  package init?(of store: Store) {
    guard let value = store.memory.read(.backedUp), let seconds = value["at"]?.integer,
      let path = value["path"]?.string
    else { return nil }
    self.init(
      time: Instant(seconds: seconds), path: path,
      others: (value["sets"]?.object ?? [:]).reduce(into: [:]) { $0[$1.key] = $1.value.string })
  }

  func keep(for store: Store) {
    let sets = sets.sorted { $0.key < $1.key }.map { ($0.key, JSON.string($0.value)) }
    store.memory.keep(
      .backedUp,
      [
        "at": .integer(time.seconds), "path": .string(path), "sets": .object(JSONObject(sets)),
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
    let memory = store.memory
    var object = memory.read(.reminded)?.object ?? [:]
    func wasSaid(_ name: String, within pause: Int64) -> Bool {
      guard let seconds = object[name]?.integer else { return false }
      return (0..<pause).contains(now.seconds.subtractingClamped(seconds))
    }
    // Care that this machine never gave is counted from its first check.
    guard let first = object["since"]?.integer, first <= now.seconds else {
      memory.keep(.reminded, ["since": .integer(now.seconds)])
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
    memory.keep(.reminded, .object(object))
    return reminder
  }
}
