import CapsulePlatform
import Synchronization
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// A disk on which another process brings a capsule back while the trash is listed for the first time.
private final class RestoringFileSystem: ForwardingFileSystem {
  let files: SimulatedFileSystem
  private let isDone = Mutex(false)

  init(_ files: SimulatedFileSystem) {
    self.files = files
  }

  func contents(ofDirectory path: FilePath) throws(Fault) -> [DirectoryEntry] {
    if path.text == "/s/trash/capsules", !isDone.withLock({ $0 }),
      let other = try? StoreScenario.open(files, seed: 20), other.header.isProtected,
      let trashed = try? other.trash.records(.capsule).first,
      (try? other.trash.restore(trashed, now: ProtectionTests.now)) != nil
    {
      isDone.withLock { $0 = true }
    }
    return try files.contents(ofDirectory: path)
  }
}

/// A small store with honor capsules, live and in the trash, that is protected and unprotected under faults.
@Suite struct ProtectionTests {
  static let now = Instant(seconds: 1_700_100_000)
  static let passphrase = Passphrase(SecretBytes(copying: Array("a dog in the rain".utf8)))

  static func required(_ passphrase: Passphrase?) throws -> Passphrase { try require(passphrase) }

  /// Makes the store, with a copy of its identity in `backups/` and one of a synchroniser.
  static func build() throws -> (files: SimulatedFileSystem, secret: [UInt8]) {
    let files = SimulatedFileSystem()
    let store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1), now: now)
    for title in ["One", "Two", "Three"] {
      let draft = NewCapsule(
        title: title, notes: "", tags: [], unlockAt: now, unlockZone: "UTC", lock: .honor,
        sources: [])
      let capsule = try store.capsules.create(draft, limit: 0, now: now)
      if title == "Three" { try store.trash.delete(.capsule, capsule.id, now: now) }
    }
    let own = try require(store.header.identities.first)
    let header = try require(files.bytes("/s/store.json"))
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
    let line = try require(
      own.file.parts(at: "\n").first { $0.hasPrefix("AGE-SECRET-KEY-") })
    return (files, Array(line.utf8))
  }

  static func protect(_ files: SimulatedFileSystem, seed: UInt64 = 2) throws -> ProtectionReport {
    let store = try require(try StoreScenario.open(files, seed: seed))
    return try store.protection.protect(
      with: required(passphrase), workFactor: 1, now: now.adding(seconds: 60)
    ).report
  }

  static func unprotect(_ files: SimulatedFileSystem, seed: UInt64 = 3) throws {
    let store = try require(try StoreScenario.open(files, seed: seed))
    _ = try store.protection.opened(with: required(passphrase)).protection.unprotect()
  }

  /// The store with its identities at hand, by the passphrase where it is protected.
  static func opened(_ files: SimulatedFileSystem) throws -> Store {
    let store = try require(try StoreScenario.open(files, seed: 9))
    return try store.protection.opened(with: required(passphrase))
  }

  /// How many honor locks open, live and in the trash.
  static func openLocks(_ store: Store, with identities: [AgeIdentity]) throws -> Int {
    var count = 0
    func look(_ bytes: [UInt8], _ id: RecordID, _ path: FilePath) throws {
      let record = try StoredRecord<Capsule>(bytes, id: id, path: path)
      if record.integrity == nil, try !store.capsules.lock(of: record.model).key.isEmpty,
        (try? store.capsules.lock(of: record.model).terms(with: identities))?.id == id
      {
        count += 1
      }
    }
    for (shard, directory) in try store.folders.shards(.capsule) {
      for entry in try store.files.contents(ofDirectory: directory) {
        guard case .record(let id) = RecordFileName(entry.name, shard: shard) else { continue }
        let path = directory.appending(bytes: entry.name)
        try look(try store.files.readFile(path, limit: 1 << 20), id, path)
      }
    }
    for record in try store.trash.records(.capsule) {
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
    expect(Self.holds(files, secret).count >= 7)
    let report = try Self.protect(files)
    expect(Self.holds(files, secret).isEmpty)
    expect(report.left.isEmpty)
    expect(report.removed.count >= 6)
  }

  @Test func `every honor lock opens with the fresh identity alone`() throws {
    let (files, _) = try Self.build()
    try expect(Self.protect(files).sealed, is: 3)
    let own = try require(try Self.opened(files).keys.all().first)
    try expect(Self.openLocks(Self.opened(files), with: [own]), is: 3)
  }

  @Test func `the identity before opens what it opened, sealed beside the fresh one`() throws {
    let (files, secret) = try Self.build()
    _ = try Self.protect(files)
    let texts = try Self.opened(files).keys.all().map(\.secretText)
    expect(texts.count, is: 2)
    expect(texts.contains(String(decoding: secret, as: UTF8.self)))
  }

  /// The texts in a value, wherever they are in it.
  private static func texts(in value: Any) -> [String] {
    if let text = value as? String { return [text] }
    return Mirror(reflecting: value).children.flatMap { texts(in: $0.value) }
  }

  /// Nothing wipes a text, and it may be swapped out.
  @Test func `an opened store holds no secret key as a text`() throws {
    let (files, _) = try Self.build()
    _ = try Self.protect(files)
    let store = try Self.opened(files)
    expect(!store.keys.all().isEmpty)
    let held = Self.texts(in: store.opened as Any) + Self.texts(in: store.header)
    expect(held.contains { $0.hasPrefix("age1") })
    expect(!held.contains { $0.contains("AGE-SECRET-KEY-") })
  }

  @Test func `another passphrase opens nothing`() throws {
    let (files, _) = try Self.build()
    _ = try Self.protect(files)
    let store = try require(try StoreScenario.open(files, seed: 4))
    let other = try Self.required(Passphrase(SecretBytes(copying: Array("a cat".utf8))))
    expect(throws: Fault.self) { try store.protection.opened(with: other) }
    expect(store.keys.all().isEmpty)
  }

  @Test func `a store that is unprotected opens without a passphrase, and is of the first format`()
    throws
  {
    let (files, _) = try Self.build()
    _ = try Self.protect(files)
    try Self.unprotect(files)
    let store = try require(try StoreScenario.open(files, seed: 5))
    expect(store.header.format, is: 1)
    try expect(Self.openLocks(store, with: store.keys.all()), is: 3)
    expect(files.files(under: "/s/identities").keys.allSatisfy { $0.hasSuffix(".txt") })
  }

  @Test func `a process that opened the store before it was protected changes nothing in it`()
    throws
  {
    let (files, secret) = try Self.build()
    let before = try require(try StoreScenario.open(files, seed: 6))
    _ = try Self.protect(files)
    expect(throws: Fault.self) { try before.whileLocked { () throws(Fault) in } }
    expect(Self.holds(files, secret).isEmpty)
  }

  @Test func `repair brings no identity back in the clear`() throws {
    let (files, secret) = try Self.build()
    _ = try Self.protect(files)
    let store = try require(try StoreScenario.open(files, seed: 7))
    let own = try require(store.header.identities.first)
    try store.files.unlink(store.layout.file(of: own))
    try store.files.unlink(store.layout.header)
    let lost = try require(try StoreScenario.open(files, seed: 8))
    _ = try lost.care.repair(now: Self.now)
    expect(Self.holds(files, secret).isEmpty)
    try expect(Self.openLocks(Self.opened(files), with: Self.opened(files).keys.all()), is: 3)
    expect(files.bytes("/s/identities/\(own.recipient).age"), is: Array(own.file.utf8))
  }

  /// The store works after a fault, and running the command again finishes.
  private func judge(
    _ files: SimulatedFileSystem, _ secret: [UInt8], _ place: Comment, unprotecting: Bool = false
  ) throws {
    let store = try Self.opened(files)
    try expect(Self.openLocks(store, with: store.keys.all()), is: 3, place)
    if unprotecting {
      try Self.unprotect(files, seed: 11)
      let plain = try require(try StoreScenario.open(files, seed: 12))
      expect(!plain.header.isProtected, place)
      try expect(Self.openLocks(plain, with: plain.keys.all()), is: 3, place)
    } else {
      _ = try Self.protect(files, seed: 13)
      expect(Self.holds(files, secret).isEmpty, place)
      let own = try require(try Self.opened(files).keys.all().first)
      try expect(Self.openLocks(Self.opened(files), with: [own]), is: 3, place)
      expect(try Self.opened(files).header.isUnfinished == nil, place)
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
    let writing: Set<FileRefusal.Operation> = [.write, .createDirectory, .link, .rename]
    for number in stride(from: 5, through: calls, by: TestScale.count(full: 1, debug: 89)) {
      let files = base.copy()
      files.plan([.from(number, .fail(ENOSPC), on: writing)])
      _ = try? Self.protect(files)
      files.plan()
      try judge(files, secret, "full at \(number) of \(calls)")
    }
  }

  @Test func `an error while the next recipients are kept leaves the store usable`()
    throws
  {
    let (base, secret) = try Self.build()
    let rehearsal = base.copy()
    rehearsal.plan()
    _ = try Self.protect(rehearsal)
    let numbers = rehearsal.calls.filter { $0.path.text.hasSuffix("/pins") }.map(\.number)
    expect(numbers.count > 2)
    for number in numbers {
      let files = base.copy()
      files.plan([.at(number, .fail(5))])
      _ = try? Self.protect(files)
      files.plan()
      try judge(files, secret, "error at \(number)")
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

  @Test func `protecting again says that it was done before, and seals nothing`() throws {
    let (files, _) = try Self.build()
    let first = try Self.protect(files)
    expect(!first.wasProtected && first.sealed == 3 && first.unsealed.isEmpty)
    let again = try Self.protect(files, seed: 3)
    expect(again.wasProtected && again.sealed == 0 && again.removed.isEmpty)
  }

  @Test func `a capsule that another process brings back meanwhile is sealed anew with the rest`()
    throws
  {
    let (files, _) = try Self.build()
    let store = try require(
      try Store.open(
        at: StoreScenario.root,
        environment: StoreScenario.environment(RestoringFileSystem(files), seed: 2)))
    let report = try store.protection.protect(
      with: Self.required(Self.passphrase), workFactor: 1, now: Self.now
    ).report
    expect(try store.trash.records(.capsule).isEmpty)
    expect(report.sealed == 3 && report.unsealed.isEmpty)
    let own = try require(try Self.opened(files).keys.all().first)
    try expect(Self.openLocks(Self.opened(files), with: [own]), is: 3)
  }

  @Test func `what protects a store hands it out opened, and its passphrase opens no other`() throws
  {
    let (files, _) = try Self.build()
    let store = try require(try StoreScenario.open(files, seed: 2))
    let passphrase = try Self.required(Self.passphrase)
    expect(try store.protection.opened(with: passphrase).opened == nil)
    expect(try store.protection.opened(with: store.keys.all()).opened == nil)
    let protected = try store.protection.protect(with: passphrase, workFactor: 1, now: Self.now)
      .store
    expect(!protected.protection.isClosed && protected.keys.all().count == 2)
    expect(!(try protected.protection.unprotect().store.header.isProtected))
  }

  @Test func `the sealed file and its folder survive a power cut, and so does their removal`()
    throws
  {
    let (base, _) = try Self.build()
    for path in base.files(under: "/s/identities").keys { try base.unlink(FilePath(path)) }
    try base.removeDirectory(FilePath("/s/identities"))
    let files = base.copy()
    _ = try Self.protect(files)
    func names(_ files: SimulatedFileSystem) -> [String] {
      files.files(under: "/s/identities").keys.map { String($0.suffix(4)) }.sorted()
    }
    expect(names(files), is: [".age"])
    expect(names(files.after(.onlySynchronized)), is: [".age"])
    try Self.unprotect(files)
    expect(names(files), is: [".txt", ".txt"])
    expect(names(files.after(.onlySynchronized)), is: [".txt", ".txt"])
  }

  @Test func `to unprotect a store that has no folder of identities changes nothing`() throws {
    let (files, _) = try Self.build()
    for path in files.files(under: "/s/identities").keys { try files.unlink(FilePath(path)) }
    try files.removeDirectory(FilePath("/s/identities"))
    let store = try require(try StoreScenario.open(files, seed: 3))
    expect(try !store.protection.unprotect().report.wasProtected)
    expect(try files.statusIfPresent(FilePath("/s/identities")) == nil)
  }

  @Test func `another machine's copy of the protected header goes with the protection`() throws {
    let (files, _) = try Self.build()
    _ = try Self.protect(files)
    let own = try require(
      files.files(under: "/s/journal").first { $0.key.hasSuffix("/header") })
    let other = "/s/journal/00000000000000000000000000000001/header"
    try files.setBytes(other, own.value)
    try Self.unprotect(files)
    expect(files.bytes(other) == nil && files.bytes(own.key) != nil)
    expect(files.after(.onlySynchronized).bytes(other) == nil)
  }

  @Test func `the copy for trustees is armored, and opens the store without the passphrase`() throws
  {
    let (files, _) = try Self.build()
    let trustees = try AgeIdentity(isPostQuantum: false, random: .system)
    let store = try require(try StoreScenario.open(files, seed: 2))
    let copy = try store.protection.protect(
      with: Self.required(Self.passphrase), workFactor: 1,
      copyFor: store.vouched(trustees.recipient),
      now: Self.now
    ).report.copy
    let bytes = try require(copy.flatMap { files.bytes($0.text) })
    expect(bytes.starts(with: Array("-----BEGIN AGE ENCRYPTED FILE-----\n".utf8)))
    let closed = try require(try StoreScenario.open(files, seed: 3))
    let opened = try closed.protection.opened(with: [trustees])
    try expect(Self.openLocks(opened, with: opened.keys.all()), is: 3)
    let stranger = try AgeIdentity(isPostQuantum: false, random: .system)
    expect(throws: Fault.self) { try closed.protection.opened(with: [stranger]) }
    let own = try require(opened.keys.all().first)
    try expect(
      closed.protection.opened(with: [stranger, own]).keys.all().first?.recipient, is: own.recipient
    )
  }

  @Test func `an identity that came in the clear is sealed, opens its locks, and is put back`()
    throws
  {
    let (files, _) = try Self.build()
    _ = try Self.protect(files)
    let newcomer = try AgeIdentity(isPostQuantum: false, random: .system)
    let text = IdentityFile.text(newcomer, comments: [])
    try files.setBytes("/s/identities/\(newcomer.recipient).txt", text)
    _ = try Self.protect(files, seed: 4)
    expect(files.bytes("/s/identities/\(newcomer.recipient).txt") == nil)
    expect(files.bytes("/s/identities/\(newcomer.recipient).age") != nil)
    let known = try Self.opened(files).keys.all().map(\.recipient)
    expect(known.count == 3 && known.filter { $0 == newcomer.recipient }.count == 1)
    try Self.unprotect(files)
    expect(files.bytes("/s/identities/\(newcomer.recipient).txt") != nil)
    expect(files.files(under: "/s/identities").keys.allSatisfy { $0.hasSuffix(".txt") })
  }

  @Test func `a damaged copy of the identity in the clear goes too`() throws {
    let (files, secret) = try Self.build()
    let store = try require(try StoreScenario.open(files, seed: 2))
    let own = try require(store.header.identities.first)
    var bytes = Array(own.file.utf8)
    let start = try require(bytes.indices.first { bytes[$0...].starts(with: secret) })
    bytes[start + 20] ^= 1
    let paths = ["/s/backups/1/\(own.recipient) (1).txt", "/s/identities/\(own.recipient) (2).txt"]
    for path in paths { try files.setBytes(path, bytes) }
    _ = try Self.protect(files)
    expect(paths.allSatisfy { files.bytes($0) == nil })
  }

  @Test func `a sealed identity that is damaged everywhere is no wrong passphrase`() throws {
    let (files, _) = try Self.build()
    _ = try Self.protect(files)
    var header = try require(try StoreScenario.open(files, seed: 2)).header
    let own = try require(header.identities.first)
    var lines = own.file.split(separator: "\n").map(String.init)
    // The last line of the text is the sealed one before the end.
    let place = lines.count - 3
    lines[place] = String(lines[place].reversed())
    header.identities = [
      StoreIdentity(recipient: own.recipient, file: lines.joined(separator: "\n") + "\n")
    ]
    for path in files.files(under: "/s").keys
    where path.hasPrefix("/s/identities") || path.hasSuffix("/header") {
      try files.unlink(FilePath(path))
    }
    try files.setBytes("/s/store.json", RecordFile.encode(header.fields))
    let store = try require(try StoreScenario.open(files, seed: 3))
    expect {
      try store.protection.opened(with: Self.required(Self.passphrase))
    } throws: { error in
      (error as? Fault)?.code == .damaged
    }
  }
}
