import CapsuleCore
import TestSupport
import Testing

extension HostedStore {
  /// Puts a group of trustees, any two of three, into the store without shares on paper: to split a key and
  /// prove it takes a debug build long. Its key goes into the file `group.key`.
  ///
  /// - Returns: the key.
  @discardableResult
  func insertTrustees(
    _ name: String = "family", isPostQuantum: Bool = true
  ) throws -> AgeIdentity {
    let identity = try AgeIdentity(isPostQuantum: isPostQuantum, random: .system)
    let now = try require(Instant(rfc3339: now))
    let store = try openedStore()
    try store.insert(
      TrusteeGroup(
        header: try store.newHeader(now: now), name: name,
        recipient: identity.recipient.description, identifier: 1, threshold: 2,
        shares: ["Mia", "Ben", "Dr Okoye"].map {
          TrusteeShare(person: nil, holder: $0, digest: SHA256.hash(Array($0.utf8)), madeAt: now)
        }))
    try write(IdentityFile.text(identity, comments: []), as: "\(name).key")
    return identity
  }

  /// The store, as the library has it.
  func openedStore() throws -> Store {
    let now = try require(Instant(rfc3339: now))
    let environment = StoreEnvironment(
      fileSystem: UnsynchronizedFileSystem(), random: .system,
      // A child of another test holds every lock of this process until it is another program.
      patience: .sleeping(limit: 10_000),
      cacheHome: FilePath(path + "/.cache/capsule"),
      stateHome: FilePath(path + "/.local/state/capsule"), holder: "test\n",
      clock: StoreClock { now })
    return try Store.openOrCreate(at: FilePath(store), environment: environment, now: now)
  }

  /// The lock of a capsule, as its record has it.
  func lock(of title: String) throws -> JSON {
    let id = try require(try json("show", title)["id"]?.string)
    return try require(try JSON.parse(bytes(of: record(id)))["lock"])
  }

  /// The plaintext of an armored age file, by a key; `nil` where the key does not fit.
  static func opened(_ armor: JSON?, with identity: AgeIdentity) throws -> String? {
    var sink = MemorySink()
    do throws(AgeFailure) {
      var reader = try AgeReader(
        MemorySource(Array((armor?.string ?? "").utf8)), encoding: .armor)
      let key = try reader.unlock(with: [identity])
      _ = try reader.open(with: key, to: &sink, threads: 1)
    } catch {
      if case .noMatch = error { return nil }
      throw error
    }
    return String(decoding: sink.bytes, as: UTF8.self)
  }
}
