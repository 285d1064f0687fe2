import TestSupport
import Testing

@testable import CapsuleCore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A small store with honor capsules, live and in the trash, that is protected and unprotected under faults.
@Suite struct ProtectionTests {
  static let now = Instant(seconds: 1_700_100_000)
  static let passphrase = Passphrase(SecretBytes(copying: Array("a dog in the rain".utf8)))

  static func required(_ passphrase: Passphrase?) throws -> Passphrase { try #require(passphrase) }

  /// Makes the store, with a copy of its identity in `backups/` and one of a synchroniser.
  static func build() throws -> (files: SimulatedFileSystem, secret: [UInt8]) {
    let files = SimulatedFileSystem()
    let store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1), now: now)
    for title in ["One", "Two", "Three"] {
      let draft = NewCapsule(
        title: title, notes: "", tags: [], unlockAt: now, unlockZone: "UTC", lock: .honor,
        sources: [])
      let capsule = try store.createCapsule(draft, limit: 0, now: now)
      if title == "Three" { try store.delete(.capsule, capsule.id, now: now) }
    }
    let own = try #require(store.header.identities.first)
    let header = try #require(files.bytes("/s/store.json"))
    for path in ["/s/backups/1", "/s/journal/00000000000000000000000000000001"] {
      try files.createDirectories(FilePath(path))
    }
    let copies = [
      "/s/backups/1/\(own.recipient).txt": Array(own.file.utf8), "/s/backups/1/store.json": header,
      "/s/store (conflicted copy).json": header, "/s/tmp/half": header,
      "/s/identities/\(own.recipient) (1).txt": Array(own.file.utf8),
      "/s/journal/00000000000000000000000000000001/header": header,
    ]
    for (path, bytes) in copies {
      try files.writeTemporary(FilePath(path), bytes, mode: 0o600)
    }
    let line = try #require(
      own.file.parts(at: "\n").first { $0.hasPrefix("AGE-SECRET-KEY-") })
    return (files, Array(line.utf8))
  }

  static func protect(_ files: SimulatedFileSystem, seed: UInt64 = 2) throws -> ProtectionReport {
    let store = try #require(try StoreScenario.open(files, seed: seed))
    return try store.protect(
      with: required(passphrase), workFactor: 1, now: now.adding(seconds: 60)
    ).report
  }

  static func unprotect(_ files: SimulatedFileSystem, seed: UInt64 = 3) throws {
    let store = try #require(try StoreScenario.open(files, seed: seed))
    _ = try store.opened(with: required(passphrase)).unprotect()
  }

  /// The store with its identities at hand, by the passphrase where it is protected.
  static func opened(_ files: SimulatedFileSystem) throws -> Store {
    let store = try #require(try StoreScenario.open(files, seed: 9))
    return try store.opened(with: required(passphrase))
  }

  /// How many honor locks open, live and in the trash.
  static func openLocks(_ store: Store, with identities: [AgeIdentity]) throws -> Int {
    var count = 0
    func look(_ bytes: [UInt8], _ id: RecordID, _ path: FilePath) throws {
      let record = try store.decode(bytes, as: Capsule.self, id: id, path: path)
      if record.integrity == nil, try !store.lock(of: record.model).key.isEmpty,
        (try? store.lock(of: record.model).terms(with: identities))?.id == id
      {
        count += 1
      }
    }
    for (shard, directory) in try store.shards(.capsule) {
      for entry in try store.files.contents(ofDirectory: directory) {
        guard case .record(let id) = RecordFileName(entry.name, shard: shard) else { continue }
        let path = directory.appending(bytes: entry.name)
        try look(try store.files.readFile(path, limit: 1 << 20), id, path)
      }
    }
    for record in try store.trash(.capsule) {
      let bytes = try store.files.readFile(record.path, limit: 1 << 20)
      try look(bytes, record.id, record.path)
    }
    return count
  }

  static func holds(_ files: SimulatedFileSystem, _ secret: [UInt8]) -> [String] {
    let secret = String(decoding: secret, as: UTF8.self)
    return files.files(under: "/s")
      .filter { String(decoding: $0.value, as: UTF8.self).contains(secret) }.keys.sorted()
  }

  @Test func `no file of a protected store holds its identity in the clear`() throws {
    let (files, secret) = try Self.build()
    #expect(Self.holds(files, secret).count >= 7)
    let report = try Self.protect(files)
    #expect(Self.holds(files, secret).isEmpty)
    #expect(report.left.isEmpty)
    #expect(report.removed.count >= 6)
  }

  @Test func `every honor lock opens with the fresh identity alone`() throws {
    let (files, _) = try Self.build()
    #expect(try Self.protect(files).sealed == 3)
    let own = try #require(try Self.opened(files).identities().first)
    #expect(try Self.openLocks(Self.opened(files), with: [own]) == 3)
  }

  @Test func `the identity before opens what it opened, sealed beside the fresh one`() throws {
    let (files, secret) = try Self.build()
    _ = try Self.protect(files)
    let texts = try Self.opened(files).identities().map(\.secretText)
    #expect(texts.count == 2)
    #expect(texts.contains(String(decoding: secret, as: UTF8.self)))
  }

  @Test func `another passphrase opens nothing`() throws {
    let (files, _) = try Self.build()
    _ = try Self.protect(files)
    let store = try #require(try StoreScenario.open(files, seed: 4))
    let other = try Self.required(Passphrase(SecretBytes(copying: Array("a cat".utf8))))
    #expect(throws: ProtectionFault.self) { try store.opened(with: other) }
    #expect(store.identities().isEmpty)
  }

  @Test func `a store that is unprotected opens without a passphrase, and is of the first format`()
    throws
  {
    let (files, _) = try Self.build()
    _ = try Self.protect(files)
    try Self.unprotect(files)
    let store = try #require(try StoreScenario.open(files, seed: 5))
    #expect(store.header.format == 1)
    #expect(try Self.openLocks(store, with: store.identities()) == 3)
    #expect(files.files(under: "/s/identities").keys.allSatisfy { $0.hasSuffix(".txt") })
  }

  @Test func `a process that opened the store before it was protected changes nothing in it`()
    throws
  {
    let (files, secret) = try Self.build()
    let before = try #require(try StoreScenario.open(files, seed: 6))
    _ = try Self.protect(files)
    #expect(throws: StoreError.self) { try before.whileLocked { () throws(StoreError) in } }
    #expect(Self.holds(files, secret).isEmpty)
  }

  @Test func `repair brings no identity back in the clear`() throws {
    let (files, secret) = try Self.build()
    _ = try Self.protect(files)
    let store = try #require(try StoreScenario.open(files, seed: 7))
    let own = try #require(store.header.identities.first)
    try store.files.unlink(store.layout.file(of: own))
    try store.files.unlink(store.layout.header)
    let lost = try #require(try StoreScenario.open(files, seed: 8))
    _ = try lost.repair(now: Self.now)
    #expect(Self.holds(files, secret).isEmpty)
    #expect(try Self.openLocks(Self.opened(files), with: Self.opened(files).identities()) == 3)
    #expect(files.bytes("/s/identities/\(own.recipient).age") == Array(own.file.utf8))
  }

  /// The store works after a fault, and running the command again finishes.
  private func judge(
    _ files: SimulatedFileSystem, _ secret: [UInt8], _ place: Comment, unprotecting: Bool = false
  ) throws {
    let store = try Self.opened(files)
    #expect(try Self.openLocks(store, with: store.identities()) == 3, place)
    if unprotecting {
      try Self.unprotect(files, seed: 11)
      let plain = try #require(try StoreScenario.open(files, seed: 12))
      #expect(!plain.header.isProtected, place)
      #expect(try Self.openLocks(plain, with: plain.identities()) == 3, place)
    } else {
      _ = try Self.protect(files, seed: 13)
      #expect(Self.holds(files, secret).isEmpty, place)
      let own = try #require(try Self.opened(files).identities().first)
      #expect(try Self.openLocks(Self.opened(files), with: [own]) == 3, place)
      #expect(try Self.opened(files).header.isUnfinished == nil, place)
    }
  }

  @Test func `killed at any call, the store works, and protecting it again finishes`() throws {
    let (base, secret) = try Self.build()
    let rehearsal = base.copy()
    rehearsal.plan()
    _ = try Self.protect(rehearsal)
    let calls = rehearsal.calls.count
    for number in stride(from: 1, through: calls, by: TestScale.count(full: 1, debug: 61)) {
      let files = base.copy()
      files.plan([.at(number, .crash)])
      _ = try? Self.protect(files)
      try judge(files.afterKill(), secret, "killed at \(number) of \(calls)")
      try judge(files.after(.onlySynchronized), secret, "power cut at \(number) of \(calls)")
    }
  }

  @Test func `on a disk that is full from any call on, the store works, and it is finished later`()
    throws
  {
    let (base, secret) = try Self.build()
    let rehearsal = base.copy()
    rehearsal.plan()
    _ = try Self.protect(rehearsal)
    let calls = rehearsal.calls.count
    let writing: Set<FileSystemError.Operation> = [.write, .createDirectory, .link, .rename]
    for number in stride(from: 5, through: calls, by: TestScale.count(full: 1, debug: 89)) {
      let files = base.copy()
      files.plan([.from(number, .fail(ENOSPC), on: writing)])
      _ = try? Self.protect(files)
      files.plan()
      try judge(files, secret, "full at \(number) of \(calls)")
    }
  }

  @Test func `killed at any call while it is unprotected, the store works, and again finishes`()
    throws
  {
    let (base, secret) = try Self.build()
    _ = try Self.protect(base)
    let rehearsal = base.copy()
    rehearsal.plan()
    try Self.unprotect(rehearsal)
    let calls = rehearsal.calls.count
    for number in stride(from: 1, through: calls, by: TestScale.count(full: 1, debug: 37)) {
      let files = base.copy()
      files.plan([.at(number, .crash)])
      try? Self.unprotect(files)
      let place: Comment = "killed at \(number) of \(calls)"
      try judge(files.afterKill(), secret, place, unprotecting: true)
      try judge(files.after(.onlySynchronized), secret, place, unprotecting: true)
    }
  }
}
