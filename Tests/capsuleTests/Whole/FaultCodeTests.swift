import CapsuleCore
import CapsulePlatform
import Foundation
import TestSupport
import Testing

@testable import ProgramTestHelpers
@testable import capsule

/// Every code of a fault has words in the reference, and some test ends with it: `errors.txt` or
/// `errors-damage.txt` of the transcripts, a call below, or a test of the library that is named.
@Suite struct FaultCodeTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../../..")

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// Codes that only a race or a faulty device brings: the test, and what stands in it.
  private static let elsewhere: [Fault.Code: (file: String, text: String)] = [
    .canceled: ("capsuleTests/System/PromptTests.swift", "Canceled."),
    .notVerified: ("CapsuleCoreTests/Capsules/ContentProofTests.swift", ".proof(path:"),
    .sourceChanged: ("CapsuleCoreTests/Capsules/ContentProofTests.swift", "sealedSourceChanged"),
    .deliveryChanged: ("CapsuleCoreTests/Handover/DeliveryTests.swift", "DeliveryChanged"),
    .changedMeanwhile: ("CapsuleCoreTests/Store/StoreTests.swift", "== .changedMeanwhile"),
    .recordTooLarge: ("CapsuleCoreTests/Store/MigrationTests.swift", ".recordTooLarge"),
    .storeBusy: ("CapsuleCoreTests/Store/StoreLockTests.swift", ".storeBusy"),
    .syncBusy: ("CapsuleCoreTests/Sync/SyncSessionTests.swift", ".syncBusy"),
    .remoteIncomplete: ("CapsuleCoreTests/Sync/SyncSessionTests.swift", ".incomplete"),
    .remoteConflict: ("CapsuleCoreTests/Sync/CarrierContentTests.swift", "notDirectory"),
    .backupNotWhole: ("CapsuleCoreTests/Store/BackupTests.swift", ".backupNotWhole"),
    .invalidCapsule: ("CapsuleCoreTests/Capsules/KnownChainsTests.swift", ".invalidCapsule"),
  ]

  /// Calls that end with a code, in an empty folder.
  private static let calls: [(code: Fault.Code, body: @Sendable (Folder) throws -> Void)] = [
    (.version, { _ in _ = try EstateList(Array(#"{"estate":2}"#.utf8)) }),
    (
      .internal,
      { folder in
        let store = try folder.store()
        let capsule = try folder.capsule(in: store, until: 0)
        _ = try store.change(Capsule.self, capsule.id) { $0.contents = [] }
      }
    ),
    (
      .busy,
      { folder in
        let store = try folder.store()
        try store.setOwner("Ada")
        for _ in 0..<2 { try store.declarePassing(owner: "Ada") }
      }
    ),
    (
      .backupBusy,
      { folder in
        let store = try folder.store()
        let place = FilePath(folder.path + "/copies")
        try store.files.createDirectories(place)
        let lock = try store.files.acquireLock(
          place.appending(".lock"), holder: [], patience: LockPatience(limit: 0) { _ in })
        defer { store.files.release(lock) }
        _ = try store.care.backUp(to: place, keeping: nil, now: Instant(seconds: 0))
      }
    ),
    (
      .protectionChanged,
      { folder in
        let (one, other) = (try folder.store(), try folder.store())
        for store in [one, other] {
          _ = try store.protection.protect(
            with: try require(Passphrase(SecretBytes(copying: Array("words".utf8)))),
            workFactor: 2, now: Instant(seconds: 0))
        }
      }
    ),
    (.noStore, { _ = try Store.open(directory: $0.path, creating: false, clock: .system) }),
    (
      .noRandomness,
      { _ in
        let broken = RandomSource { _ throws(Fault) in throw Fault(.noRandomness, "none") }
        _ = try AgeIdentity(isPostQuantum: false, random: broken)
      }
    ),
    (.exists, { try UnsynchronizedFileSystem().requireFree(FilePath($0.path)) }),
    (
      .signal,
      { _ in
        var ends: [Int32] = [0, 0]
        try require(BuiltProgram.ignoresSIGPIPE && pipe(&ends) == 0)
        defer { close(ends[1]) }
        close(ends[0])
        try [UInt8](repeating: 0, count: 8).withUnsafeBytes {
          try Descriptor.write($0, to: ends[1], "write to a pipe")
        }
      }
    ),
    (
      .recordGone,
      { _ = try $0.store().change(Item.self, RecordID(high: 1, low: 2)) { $0.name = "x" } }
    ),
    (
      .missingReference,
      { folder in
        let store = try folder.store()
        let mia = try store.add(Beneficiary(name: "Mia"))
        let ring = try store.add(Item(name: "Ring"))
        try store.delete(Item.self, ring.id)
        _ = try store.add(Bequest(ring, to: mia))
      }
    ),
    (
      .referenced,
      { folder in
        let store = try folder.store()
        let ring = try store.add(Item(name: "Ring"))
        _ = try store.add(Bequest(ring, to: try store.add(Beneficiary(name: "Mia"))))
        try store.delete(Item.self, ring.id)
      }
    ),
    (
      .duplicate,
      { folder in
        let store = try folder.store()
        let ring = try store.add(Item(name: "Ring"))
        let mia = try store.add(Beneficiary(name: "Mia"))
        for _ in 0..<2 { _ = try store.add(Bequest(ring, to: mia)) }
      }
    ),
    (.noStateDirectory, { try $0.store().markAnnounced([]) }),
    (.invalidSetting, { try $0.store().setOwner(String(repeating: "x", count: 10_000)) }),
    (
      .changeNotAllowed,
      { folder in
        let store = try folder.store()
        let capsule = try folder.capsule(in: store, until: 4_000_000_000)
        _ = try store.change(Capsule.self, capsule.id) { $0.unlockAt = Instant(seconds: 0) }
      }
    ),
    (
      .noSuchContent,
      { folder in
        let store = try folder.store()
        let capsule = try folder.capsule(in: store, until: 0)
        try store.open(capsule.id).read(contentAt: 9) { _ in }
      }
    ),
    (
      .blobDamaged,
      { folder in
        let store = try folder.store()
        let item = try store.add(Item(name: "Ring"))
        try Data("a photo".utf8).write(to: URL(fileURLWithPath: folder.path + "/photo"))
        let kept = try store.attach(folder.path + "/photo", to: item.id)
        try store.files.unlink(store.layout.blob(kept.media[0].file.blob))
        try store.read(kept.media[0].file) { _ in }
      }
    ),
    (
      .noIdentityGiven,
      { _ in
        let identity = try AgeIdentity(isPostQuantum: false, random: .system)
        _ = try Keys.none.fileKey(of: Folder.sealed(to: [identity.recipient]))
      }
    ),
    (
      .wrongPassphrase,
      { _ in
        let words = Passphrase(SecretBytes(copying: Array("right".utf8)))
        let lock = ScryptRecipient(try require(words), workFactor: 2)
        _ = try Keys(identities: [], passphrase: "wrong").fileKey(of: Folder.sealed(to: [lock]))
      }
    ),
  ]

  /// A folder for a call.
  struct Folder: Sendable {
    let path: String

    func store() throws -> Store {
      try Store.open(directory: path + "/store", clock: .system)
    }

    func capsule(in store: Store, until seconds: Int64) throws -> Capsule {
      try store.seal(
        NewCapsule(
          title: "Letter", unlockAt: Instant(seconds: seconds), contents: [.text("hello")],
          lock: .honor))
    }

    static func sealed(to recipients: [any Recipient]) throws -> AgeReader {
      var sink = MemorySink()
      var source = MemorySource([1, 2, 3])
      _ = try AgeWriter(to: recipients, random: .system).seal(from: &source, to: &sink)
      return try AgeReader(MemorySource(sink.bytes))
    }
  }

  @Test(arguments: Fault.Code.allCases)
  func `the reference has every code with a meaning and a way out`(code: Fault.Code) throws {
    let (meaning, remedy) = code.reference
    let status = code.kind.exitCode
    expect(meaning.last == "." && remedy.last == "." && meaning != remedy)
    expect(!status.meaning.isEmpty && status.kinds.contains(code.kind.rawValue))
    try expect(
      Self.text("docs/reference/errors.md").contains(
        "| `\(code.rawValue)` | \(status.rawValue) | \(meaning) | \(remedy) |"))
  }

  @Test(arguments: calls.map(\.code))
  func `a call ends with the code`(code: Fault.Code) throws {
    let folder = try TemporaryFolder()
    let call = try require(Self.calls.first { $0.code == code })
    let fault = expect(throws: Fault.self) { try call.body(Folder(path: folder.path)) }
    expect(fault?.code, is: code)
    expect("\(fault?.message ?? "")".isEmpty == false)
  }

  @Test func `some test ends with each code`() throws {
    let transcript = try ["errors", "errors-damage"]
      .map { try Self.text("Tests/Transcripts/\($0).txt") }.joined()
    var known = Set(Self.calls.map(\.code))
    for (code, test) in Self.elsewhere {
      try expect(Self.text("Tests/" + test.file).contains(test.text), "\(code)")
      known.insert(code)
    }
    for code in Fault.Code.allCases where transcript.contains("\"fault\":\"\(code.rawValue)\"") {
      known.insert(code)
    }
    let missing = Set(Fault.Code.allCases).subtracting(known).map(\.rawValue).sorted()
    expect(missing, is: [])
  }
}
