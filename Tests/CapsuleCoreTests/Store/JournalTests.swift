import CapsulePlatform
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// What ought to be in a store, and what comes back.
@Suite struct JournalTests {
  private let files = SimulatedFileSystem()
  private let store: Store
  private let layout = StoreScenario.layout
  private let now = StoreScenario.now

  init() throws {
    store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1),
      now: Instant(seconds: 1_600_000_000))
    for number: UInt8 in [0x10, 0x11, 0x12] { try store.insert(StoreScenario.capsule(number)) }
  }

  private func path(_ number: UInt8) -> String {
    layout.record(.capsule, StoreScenario.id(number)).text
  }

  private func damage() throws -> [Finding] {
    try store.care.verify(now: now).problems
      .filter(\.isDamage)
  }

  private func repair(_ request: RepairRequest = RepairRequest()) throws -> [RepairAction] {
    try store.care.repair(request, now: now) { _, _ in nil }
  }

  private func edit(_ number: UInt8, _ title: String) throws {
    var record = try store.read(Capsule.self, StoreScenario.id(number))
    record.model.title = title
    _ = try store.update(record, now: now)
  }

  @Test func `a record that is gone is missed, named by its title, and comes back`() throws {
    let bytes = files.bytes(path(0x11))
    try files.unlink(FilePath(path(0x11)))
    guard case .named(let record, found: nil)? = try damage().first?.detail, try damage().count == 1
    else {
      Issue.record("it is not missed")
      return
    }
    expect(record.id == StoreScenario.id(0x11) && record.title == "Capsule 17")
    try expect(
      repair(), is: [.restoredRecord(.capsule, StoreScenario.id(0x11), revision: 1)])
    expect(files.bytes(path(0x11)), is: bytes)
    expect(try damage().isEmpty)
  }

  @Test func `a record that is gone from the trash comes back there`() throws {
    try store.trash.delete(.capsule, StoreScenario.id(0x11), now: now)
    let trashed = try require(try store.trash.records(.capsule).first)
    try files.unlink(trashed.path)
    try expect(damage().count, is: 1)
    _ = try repair()
    try expect(store.trash.records(.capsule), is: [trashed])
    expect(try damage().isEmpty)
  }

  @Test func `an older version than the journal names is told, and replaced`() throws {
    let old = try require(files.bytes(path(0x11)))
    try edit(0x11, "Newer")
    let new = files.bytes(path(0x11))
    try files.setBytes(path(0x11), old)
    try expect(damage().first?.kind, is: .outdated)
    _ = try repair()
    expect(files.bytes(path(0x11)), is: new)
    expect(files.files(under: "/s/backups").values.contains(old))
  }

  @Test func `a purge is for good, and misses nothing`() throws {
    try edit(0x11, "A secret that goes")
    try store.trash.delete(.capsule, StoreScenario.id(0x11), now: now)
    let purged = try store.trash.purge(try store.trash.records(.capsule), now: now)
    expect(purged.records.count == 1 && purged.otherMachines.isEmpty)
    expect(try damage().isEmpty)
    for (path, bytes) in files.files() where !path.hasPrefix("/cache") {
      let text = String(decoding: bytes, as: UTF8.self)
      expect(!text.contains("A secret that goes") && !text.contains("Capsule 17"), "\(path)")
    }
    // A repair does not bring it back.
    expect(try repair().isEmpty)
  }

  /// Nothing would say that it is gone: it would be missed, and a repair would bring it back.
  @Test(arguments: ["journal", "random", "state"])
  func `what a journal names is not purged where this machine can have none`(_ lack: String) throws
  {
    try store.trash.delete(.capsule, StoreScenario.id(0x11), now: now)
    if lack == "journal" {
      files.plan([.on(.createDirectory, path: "/journal/", .fail(EACCES))])
    }
    let environment = StoreEnvironment(
      fileSystem: files,
      random: lack == "random"
        ? RandomSource { _ throws(Fault) in throw .random(ENOSYS) }
        : SeededRandomSource(seed: 2).source,
      patience: LockPatience(limit: 0, pause: { _ in }), cacheHome: nil,
      stateHome: lack == "state" ? nil : FilePath("/elsewhere"), holder: "test",
      clock: StoreClock { .epoch })
    let other = try require(try Store.open(at: StoreScenario.root, environment: environment))
    let fault = expect(throws: Fault.self) {
      try other.trash.purge(try other.trash.records(.capsule), now: now)
    }
    expect(fault?.code, is: lack == "random" ? .noRandomness : .io)
    if lack == "state" { expect(fault?.hint, is: "set the variable HOME or XDG_STATE_HOME") }
    try expect(store.trash.records(.capsule).count, is: 1)
  }

  @Test func `nothing is purged while a record is missing`() throws {
    try store.trash.delete(.capsule, StoreScenario.id(0x10), now: now)
    try files.unlink(FilePath(path(0x11)))
    expect(throws: Fault.self) {
      try store.trash.purge(try store.trash.records(.capsule), now: now)
    }
    var request = RepairRequest()
    request.forgotten = [StoreScenario.id(0x11)]
    expect(try repair(request).contains(.forgot(.capsule, StoreScenario.id(0x11))))
    expect(try damage().isEmpty)
    try expect(store.trash.purge(try store.trash.records(.capsule), now: now).records.count, is: 1)
  }

  @Test func `the first change of another machine leaves a whole journal`() throws {
    for path in files.files(under: "/state").keys { try files.unlink(FilePath(path)) }
    try edit(0x11, "elsewhere")
    expect(files.files().keys.count { $0.hasSuffix("/header") }, is: 2)
    expect(try store.care.verify(now: now).problems.isEmpty)
  }

  @Test(arguments: [true, false])
  func `a copy of the header that is gone is missed in this machine's own journal`(
    isOwn: Bool
  ) throws {
    let header = try require(files.files().keys.first { $0.hasSuffix("/header") })
    if !isOwn {
      for path in files.files(under: "/state").keys { try files.unlink(FilePath(path)) }
    }
    try files.unlink(FilePath(header))
    let problems = try store.care.verify(now: now).problems
    expect(problems.contains(Finding(.journal, at: FilePath(header))), is: isOwn)
  }

  /// Takes away all that this machine keeps of the store, as a copy on another computer has nothing of it.
  private func forgetState() throws {
    for path in files.files(under: "/state").keys { try files.unlink(FilePath(path)) }
  }

  @Test(arguments: [true, false])
  func `what a copied store lacks of its journal is missing, and comes back`(
    isUsedBefore: Bool
  ) throws {
    try forgetState()
    if isUsedBefore {
      _ = store.memory.noteTime(now, at: StoreScenario.root)
      try store.insert(StoreScenario.capsule(0x20))
    }
    let bytes = files.bytes(path(0x11))
    try files.unlink(FilePath(path(0x11)))
    for _ in 0..<2 {
      try expect(damage().map(\.kind), is: [.missing])
      try expect(damage().first?.record?.id, is: StoreScenario.id(0x11))
    }
    _ = try repair()
    expect(files.bytes(path(0x11)), is: bytes)
    expect(try store.care.verify(now: now).problems.isEmpty)
  }

  @Test func `what a copied store has in the trash, or purged, is not missing`() throws {
    try store.trash.delete(.capsule, StoreScenario.id(0x10), now: now)
    _ = try store.trash.purge(try store.trash.records(.capsule), now: now)
    try store.trash.delete(.capsule, StoreScenario.id(0x11), now: now)
    try forgetState()
    expect(try store.care.verify(now: now).problems.isEmpty)
    _ = try store.trash.purge(try store.trash.records(.capsule), now: now)
    expect(try store.care.verify(now: now).problems.isEmpty)
  }

  @Test func `nothing is purged in a copied store while a record is missing`() throws {
    try store.trash.delete(.capsule, StoreScenario.id(0x10), now: now)
    try forgetState()
    try files.unlink(FilePath(path(0x11)))
    let error = expect(throws: Fault.self) {
      try store.trash.purge(try store.trash.records(.capsule), now: now)
    }
    expect(error?.code, is: .cannotPurge)
    try StoreScenario.becomeAnotherMachine(store, files)
    try expect(store.trash.purge(try store.trash.records(.capsule), now: now).records.count, is: 1)
  }

  @Test func `a copy that takes the place of the store is a first use again`() throws {
    try StoreScenario.becomeAnotherMachine(store, files)
    try files.unlink(FilePath(path(0x11)))
    try expect(damage(), is: [])
    let journal = files.files(under: "/s/journal")
    try files.rename(layout.journal, to: FilePath("/old"))
    for (path, bytes) in journal {
      try files.createDirectories(FilePath(path).parent)
      try files.setBytes(path, bytes)
    }
    try expect(damage().map(\.kind), is: [.missing])
  }

  @Test func `a machine that cannot keep a state awaits what it lacks`() throws {
    try files.unlink(FilePath(path(0x11)))
    try files.rename(FilePath("/state"), to: FilePath("/old"))
    try files.setBytes("/state", [])
    try expect(damage(), is: [])
  }

  @Test func `what only another machine names is awaited for a week`() throws {
    try StoreScenario.becomeAnotherMachine(store, files)
    try files.unlink(FilePath(path(0x11)))
    let early = try store.care.verify(now: now)
    expect(early.isSound)
    expect(
      early.problems.contains { $0.kind == .awaited })
    let late = Instant(seconds: now.seconds + 7 * 86_400)
    let report = try store.care.verify(now: late)
    expect(report.problems.contains { $0.kind == .missing })
  }

  /// A synchronizer may bring another machine's copy of the store's own files before these.
  @Test(arguments: [true, false])
  func `settings and keys that only another machine's copy has are awaited for a week`(
    isOfKey: Bool
  ) throws {
    try store.settings.set(.owner, to: "Ann")
    let identity = try store.environment.newIdentity(now: now)
    try store.keys.add([identity], now: now)
    store.copies.keep()
    try StoreScenario.becomeAnotherMachine(store, files)
    let path = isOfKey ? layout.file(of: identity) : layout.settings
    let bytes = try require(files.bytes(path.text))
    try files.unlink(path)
    let early = try store.care.verify(now: now)
    let name = isOfKey ? "identities/\(identity.recipient).txt" : "settings.json"
    expect(early.problems.filter { $0.kind == .awaited }.map(\.own), is: [name])
    expect(early.isSound)
    let late = try store.care.verify(now: now.adding(seconds: 7 * 86_400))
    expect(late.problems.filter(\.isDamage).map(\.kind), is: [isOfKey ? .identity : .settings])
    _ = try repair()
    expect(files.bytes(path.text), is: bytes)
    try expect(damage(), is: [])
  }

  /// Of what this machine itself wrote the record is worth having without its contents; what only another
  /// one names may have been purged.
  @Test(arguments: [true, false])
  func `a record whose contents are gone too comes back where this machine wrote it`(
    isOwn: Bool
  ) throws {
    let blob = try StoreScenario.stage(store, StoreScenario.blobBytes)
    try store.insert(StoreScenario.capsule(0x20, blob: blob), blobs: [blob])
    let bytes = files.bytes(path(0x20))
    try files.unlink(FilePath(path(0x20)))
    try files.unlink(layout.blob(blob.name))
    if !isOwn { try StoreScenario.becomeAnotherMachine(store, files) }
    _ = try repair()
    expect(files.bytes(path(0x20)) == (isOwn ? bytes : nil))
  }

  @Test func `a copy of the store writes a journal of its own`() throws {
    let before = Set(try files.contents(ofDirectory: layout.journal).map(\.name))
    // As a copy has other inodes.
    for (path, bytes) in files.files(under: "/state") where path.contains("/machine-") {
      let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
      try files.setBytes(path, Array("\(words[0]) 99999 \(words[2])".utf8))
    }
    try store.insert(StoreScenario.capsule(0x20))
    let after = Set(try files.contents(ofDirectory: layout.journal).map(\.name))
    expect(after.isSuperset(of: before) && after.count == before.count + 1)
    expect(try damage().isEmpty)
  }

  @Test func `one changed bit is put back without a journal`() throws {
    let bytes = try require(files.bytes(path(0x11)))
    for machine in try files.contents(ofDirectory: layout.journal) {
      let folder = layout.journal.appending(bytes: machine.name)
      for entry in try files.contents(ofDirectory: folder) {
        try files.unlink(folder.appending(bytes: entry.name))
      }
    }
    for offset in [bytes.count / 3, 20] {
      var changed = bytes
      changed[offset] ^= 0x04
      try files.setBytes(path(0x11), changed)
      expect(RecordFile.mended(changed), is: bytes, "\(offset)")
    }
    _ = try repair()
    expect(files.bytes(path(0x11)), is: bytes)
  }

  @Test func `without store_json, identities and settings the store opens, and they come back`()
    throws
  {
    try store.settings.change { $0.set(.spanUnits, to: 3) }
    let before = files.files(under: "/s").filter {
      ["/s/store.json", "/s/settings.json"].contains($0.key) || $0.key.hasPrefix("/s/identities/")
    }
    for path in before.keys { try files.unlink(FilePath(path)) }
    let lost = try require(try StoreScenario.open(files, seed: 5))
    expect(lost.header.id, is: store.header.id)
    expect(try lost.read(Capsule.self, StoreScenario.id(0x10)).integrity == nil)
    expect(try lost.settings.read().settings == (try store.settings.read().settings))
    _ = try lost.care.repair(now: now) { _, _ in nil }
    for (path, bytes) in before { expect(files.bytes(path), is: bytes, "\(path)") }
    expect(try StoreScenario.damage(files).isEmpty)
  }

  @Test func `of a record in both places the higher revision stays, and the other is kept`() throws
  {
    let old = try require(files.bytes(path(0x11)))
    try edit(0x11, "Newer")
    let new = try require(files.bytes(path(0x11)))
    let twin = layout.trash(.capsule).appending("\(StoreScenario.id(0x11)).1600000200.json")
    try files.setBytes(twin.text, new)
    try files.setBytes(path(0x11), old)
    _ = try repair()
    expect(files.bytes(path(0x11)) == new && files.bytes(twin.text) == nil)
    expect(files.files(under: "/s/backups").values.contains(old))
  }

  @Test func `a version that is restored is a new edit`() throws {
    try edit(0x11, "Newer")
    var record = try store.read(Capsule.self, StoreScenario.id(0x11))
    record.model.unlockAt = Instant(seconds: record.model.unlockAt.seconds + 86_400)
    record = try store.update(record, now: now)
    let versions = try store.journal.versions(of: .capsule, StoreScenario.id(0x11))
    expect(versions.map(\.revision), is: [3, 2, 1])
    let restored = try store.journal.restore(versions[2], of: record, now: now)
    expect(restored.model.title == "Capsule 17" && restored.model.header.revision == 4)
    expect(restored.model.unlockAt, is: record.model.unlockAt)
  }

  @Test func `a read that fails is no damage, and repair leaves the file`() throws {
    try store.settings.change { $0.set(.spanUnits, to: 3) }
    let settings = files.bytes("/s/settings.json")
    files.plan([
      .from(1, .fail(EMFILE), on: [.open])
    ])
    _ = try? store.care.repair(now: now) { _, _ in nil }
    files.plan()
    expect(files.bytes("/s/settings.json"), is: settings)
    expect(try damage().isEmpty)
  }

  @Test func `a backup is a whole store, and the next one shares what did not change`() throws {
    let first = try store.care.backUp(to: FilePath("/b"), keeping: nil, now: now)
    expect(first.isSound && first.records == 3)
    try store.insert(StoreScenario.capsule(0x20))
    let second = try store.care.backUp(to: FilePath("/b"), keeping: 1, now: now)
    expect(second.records == 4 && second.filesShared >= 3)
    expect(second.removed == [first.generation] && second.generations == [second.generation])
    let copy = try require(
      try Store.open(
        at: FilePath(second.path), environment: StoreScenario.environment(files, seed: 9)))
    expect(copy.header.id, is: store.header.id)
    expect(try copy.read(Capsule.self, StoreScenario.id(0x20)).integrity == nil)
  }

  @Test func `a backup goes into no store, no foreign directory and no other store's generations`()
    throws
  {
    expect(throws: Fault.self) {
      try store.care.backUp(to: FilePath("/s/backup"), keeping: nil, now: now)
    }
    expect(files.bytes("/s/backup") == nil)
    try files.createDirectory(FilePath("/b"), mode: 0o700)
    try files.setBytes("/b/thesis.doc", [1])
    expect(throws: Fault.self) {
      try store.care.backUp(to: FilePath("/b"), keeping: nil, now: now)
    }
    expect(
      files.files(under: "/b"),
      is: ["/b/thesis.doc": [1], "/b/.lock": files.bytes("/b/.lock") ?? []])
  }

  @Test func `repair takes from a copy what no journal has`() throws {
    let report = try store.care.backUp(to: FilePath("/b"), keeping: nil, now: now)
    let bytes = files.bytes(path(0x11))
    try files.unlink(FilePath(path(0x11)))
    for (path, _) in files.files(under: "/s/journal") { try files.unlink(FilePath(path)) }
    var request = RepairRequest()
    request.copies = [
      try require(
        try Store.open(
          at: FilePath(report.path), environment: StoreScenario.environment(files, seed: 9)))
    ]
    _ = try repair(request)
    expect(files.bytes(path(0x11)), is: bytes)
  }

  @Test func `repair takes nothing from another store, and changes nothing then`() throws {
    let other = try Store.openOrCreate(
      at: FilePath("/other"), environment: StoreScenario.environment(files, seed: 77), now: now)
    try files.unlink(FilePath(path(0x11)))
    let before = files.files(under: "/s")
    var request = RepairRequest()
    request.copies = [other]
    let error = expect(throws: Fault.self) { _ = try repair(request) }
    guard error == .anotherStore(path: "/other") else {
      Issue.record("\(String(describing: error))")
      return
    }
    expect(files.files(under: "/s"), is: before)
  }

  @Test func `one changed bit in the format of store_json makes no store of a later program`()
    throws
  {
    let bytes = try require(files.bytes("/s/store.json"))
    let marker = Array("\"format\": 1".utf8)
    let start =
      try require(
        bytes.indices.first { bytes[$0...].starts(with: marker) }) + marker.count - 1
    for path in files.files(under: "/s/journal").keys { try files.unlink(FilePath(path)) }
    for bit in [1, 2, 3] as [UInt8] {
      var changed = bytes
      changed[start] ^= 1 << bit
      try files.setBytes("/s/store.json", changed)
      let again = try require(try StoreScenario.open(files, seed: 9))
      expect(again.header.format == 1 && again.header.id == store.header.id)
      expect(again.headerProblem != nil)
    }
  }

  @Test func `what is damaged of a log twice in one second is kept twice`() throws {
    try edit(0x11, "A frame behind the damage")
    let log = try require(files.files(under: "/s/journal").first { $0.key.hasSuffix("/11.log") })
    for mask: UInt8 in [1, 2] {
      var bytes = log.value
      bytes[20] ^= mask
      try files.setBytes(log.key, bytes)
      expect(try repair().contains(.mendedJournal(path: log.key)))
    }
    let kept = files.files(under: "/s/backups").filter { $0.key.contains("/journal-11.log.") }
    expect(kept.count == 2 && Set(kept.values).count == 2)
    expect(try store.care.verify(now: now).problems.isEmpty)
  }

  @Test(arguments: ["/s/tmp", "/s/trash/capsules"])
  func `a file in the place of a directory of the store is put aside, and said`(path: String) throws
  {
    let directory = FilePath(path)
    try files.removeDirectory(directory)
    try files.writeTemporary(directory, Array("x".utf8), mode: 0o600)
    try expect(store.care.makeOwnDirectories(now: now), is: [.madeDirectory(path: path)])
    expect(files.files(under: "/s/backups").values.contains(Array("x".utf8)))
    try expect(files.status(directory).kind, is: .directory)
    expect(try store.care.makeOwnDirectories(now: now).isEmpty)
  }

  @Test func `a record that is written together in the trash stays one file there`() throws {
    try store.trash.delete(.capsule, StoreScenario.id(0x11), now: now)
    let trashed = try require(try store.trash.records(.capsule).first)
    let before = try require(files.bytes(trashed.path.text))
    var model = try StoredRecord<Capsule>(before, id: trashed.id, path: trashed.path).model
    model.title = "Edited elsewhere"
    model.header.revision += 1
    let bytes = RecordFile.encode(model.fields)
    let change = Change(
      record: RecordReference(.capsule, trashed.id), before: SHA256.hash(before), wasLive: false,
      bytes: bytes, isLive: false, deletedAt: trashed.deletedAt.seconds)
    try files.createDirectories(try require(store.intents.directory))
    let intent = Intent(changes: [change], time: now.seconds, by: .synchroniser)
    expect(try store.intents.carryOut(intent, blobs: []).skipped.isEmpty)
    try expect(store.trash.records(.capsule), is: [trashed])
    expect(files.bytes(trashed.path.text), is: bytes)
    // What is not as it was then is left out.
    try expect(store.intents.carryOut(intent, blobs: []).skipped, is: [0])
  }

  @Test func `what a copy has in the trash comes back there`() throws {
    try store.trash.delete(.capsule, StoreScenario.id(0x11), now: now)
    let trashed = try require(try store.trash.records(.capsule).first)
    let report = try store.care.backUp(to: FilePath("/b"), keeping: nil, now: now)
    try files.unlink(trashed.path)
    for (path, _) in files.files(under: "/s/journal") { try files.unlink(FilePath(path)) }
    var request = RepairRequest()
    request.copies = [
      try require(
        try Store.open(
          at: FilePath(report.path), environment: StoreScenario.environment(files, seed: 9)))
    ]
    _ = try repair(request)
    try expect(store.trash.records(.capsule), is: [trashed])
    expect(files.bytes(path(0x11)) == nil)
  }

  @Test func `a version that two machines have is one, and those of other records are none`() throws
  {
    try edit(0x11, "Two")
    let event = Event(
      header: RecordHeader(id: StoreScenario.id(0x11), createdAt: now), title: "E",
      moment: .instant(now), zone: "UTC")
    try store.insert(event)
    let own = try require(files.files(under: "/s/journal").first { $0.key.hasSuffix("/11.log") })
    let other = "/s/journal/00000000000000000000000000000001"
    try files.createDirectory(FilePath(other), mode: 0o700)
    try files.setBytes("\(other)/11.log", own.value)
    try expect(
      store.journal.versions(of: .capsule, StoreScenario.id(0x11)).map(\.revision), is: [2, 1])
    try expect(store.journal.versions(of: .event, StoreScenario.id(0x11)).map(\.revision), is: [1])
  }

  @Test func `a store that has no journal gets one with the next change`() throws {
    for path in files.files(under: "/s/journal").keys { try files.unlink(FilePath(path)) }
    for entry in try files.contents(ofDirectory: layout.journal) {
      try files.removeDirectory(layout.journal.appending(bytes: entry.name))
    }
    try files.removeDirectory(layout.journal)
    try edit(0x11, "Two")
    try expect(
      store.journal.versions(of: .capsule, StoreScenario.id(0x11)).map(\.revision), is: [2])
  }
}
