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
  public var isSound: Bool { !problems.contains(where: \.isDamage) }
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
  /// Whether the journals are read.
  package var readsJournals = true
  /// The step with which it begins; `nil` to look at the whole store.
  package var start: VerificationStep?
  /// Whether there is time for another step; a part of a store is one step at least.
  package var hasTime: () -> Bool = { true }
  /// The machine whose journal counts as the own one; `nil` for this machine.
  var machine: String?
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
}

extension StoreCare {
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
  ) throws(StoreError) -> Verification {
    var verifier = Verifier(store, plan, now: now)
    return verifier.run(progress: progress)
  }
}
