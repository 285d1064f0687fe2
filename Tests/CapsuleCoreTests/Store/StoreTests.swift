import CapsulePlatform
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// What a store does when nothing fails.
@Suite struct StoreTests {
  private let layout = StoreScenario.layout

  /// A store with the capsules 0x10 and 0x11 on a disk of its own.
  private func build() throws -> (SimulatedFileSystem, Store) {
    let files = SimulatedFileSystem()
    let store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1),
      now: StoreScenario.now)
    try store.insert(StoreScenario.capsule(0x10))
    try store.insert(StoreScenario.capsule(0x11))
    return (files, store)
  }

  private func reopened(_ files: SimulatedFileSystem, seed: UInt64 = 9) throws -> Store {
    try require(try StoreScenario.open(files, seed: seed))
  }

  /// Takes the record that the tests change.
  private var byHand: RepairRequest {
    var request = RepairRequest()
    request.accepted = [StoreScenario.id(0x10)]
    return request
  }

  private func path(_ number: UInt8) -> String {
    layout.record(.capsule, StoreScenario.id(number)).text
  }

  @Test func `where there is nothing there is no store, and reading makes none`() throws {
    let files = SimulatedFileSystem()
    expect(try StoreScenario.open(files, seed: 1) == nil)
    try files.createDirectory(StoreScenario.root, mode: 0o700)
    expect(try StoreScenario.open(files, seed: 1) == nil)
    expect(files.files(), is: [:])
  }

  @Test func `a directory that holds something else is not taken for a store`() throws {
    let files = SimulatedFileSystem()
    try files.createDirectory(StoreScenario.root, mode: 0o700)
    try files.setBytes("/s/thesis.doc", [1])
    expect(throws: Fault.self) { try StoreScenario.open(files, seed: 1) }
    expect(throws: Fault.self) { try StoreScenario.perform(.createStore, on: files) }
    expect(files.files(), is: ["/s/thesis.doc": [1]])
  }

  @Test
  func `files and directories are the user's own, and identities and blobs cannot be written`()
    throws
  {
    let (files, store) = try build()
    let blob = try StoreScenario.stage(store, [1, 2, 3])
    try store.insert(StoreScenario.capsule(0x12, blob: blob), blobs: [blob])
    for path in files.files(under: "/s").keys {
      let isFixed = path.hasPrefix("/s/blobs/") || path.hasPrefix("/s/identities/")
      expect(try files.status(FilePath(path)).mode == (isFixed ? 0o400 : 0o600), "\(path)")
    }
    for directory in layout.directories + [layout.root] {
      try expect(files.status(directory).mode, is: 0o700, "\(directory.text)")
    }
  }

  @Test func `a record is read as it was written, by the same program and by any JSON reader`()
    throws
  {
    let (files, _) = try build()
    let store = try reopened(files)
    let record = try store.read(Capsule.self, StoreScenario.id(0x10))
    expect(record.integrity == nil)
    var expected = StoreScenario.capsule(0x10)
    expected.header.noteMaking(at: expected.createdAt.nanoseconds)
    expect(record.model, is: expected)
    let bytes = try require(files.bytes(path(0x10)))
    expect(bytes.last, is: UInt8(ascii: "\n"))
    try expect(JSON.parse(bytes).encoded(), is: bytes)
  }

  @Test func `a new record never takes the place of another`() throws {
    let (files, store) = try build()
    let before = files.bytes(path(0x10))
    expect(throws: Fault.self) { try store.insert(StoreScenario.capsule(0x10)) }
    expect(files.bytes(path(0x10)), is: before)
    expect(files.files(under: "/s/tmp").isEmpty)
  }

  @Test func `a change is refused when another was made since the record was read`() throws {
    let (files, store) = try build()
    var first = try store.read(Capsule.self, StoreScenario.id(0x10))
    var second = try reopened(files).read(Capsule.self, StoreScenario.id(0x10))
    first.model.title = "First"
    second.model.title = "Second"
    let written = try store.update(first, now: StoreScenario.now)
    expect(written.model.revision, is: 2)
    let error = expect(throws: Fault.self) {
      try store.update(second, now: StoreScenario.now)
    }
    guard error == .changedMeanwhile(.capsule, StoreScenario.id(0x10)) else {
      Issue.record("\(String(describing: error))")
      return
    }
    try expect(store.read(Capsule.self, StoreScenario.id(0x10)).model.title, is: "First")
  }

  @Test func `what another version wrote into a record survives a change`() throws {
    let (files, store) = try build()
    var fields = try require(try JSON.parse(files.bytes(path(0x10)) ?? []).object)
    fields["later"] = ["a": [1, .null]]
    try files.setBytes(path(0x10), RecordFile.encode(fields))
    var record = try store.read(Capsule.self, StoreScenario.id(0x10))
    expect(record.integrity == nil)
    record.model.title = "Changed"
    _ = try store.update(record, now: StoreScenario.now)
    let after = try JSON.parse(files.bytes(path(0x10)) ?? [])
    expect(after["later"], is: ["a": [1, .null]])
    expect(after["title"], is: "Changed")
  }

  @Test func `while another process holds the store a change waits, then says so`() throws {
    let (files, store) = try build()
    let lock = try files.acquireLock(
      layout.lock, holder: Array("test".utf8),
      patience: LockPatience(limit: 0, pause: { _ in }))
    let error = expect(throws: Fault.self) { try store.insert(StoreScenario.capsule(0x12)) }
    guard error?.code == .storeBusy, let holder = error?.cause as? String? else {
      Issue.record("\(String(describing: error))")
      return
    }
    expect(holder, is: "test")
    expect(try reopened(files).read(Capsule.self, StoreScenario.id(0x10)).integrity == nil)
    files.release(lock)
    try store.insert(StoreScenario.capsule(0x12))
    expect(files.openCount, is: 0)
  }

  @Test func `reading changes nothing, and no time stamp`() throws {
    let (files, _) = try build()
    let before = files.withDisk { $0.nodes.mapValues { ($0.modified, $0.changed, $0.data) } }
    files.withDisk { $0.isReadOnly = true }
    let store = try reopened(files)
    _ = try store.read(Capsule.self, StoreScenario.id(0x10))
    _ = try store.care.verify(now: StoreScenario.now)
    _ = try store.trash.records(.capsule)
    _ = try store.settings.read()
    var index = store.index.open(.capsule, now: StoreScenario.now)
    expect(index.count(), is: 2)
    let after = files.withDisk { $0.nodes.mapValues { ($0.modified, $0.changed, $0.data) } }
    expect(before.count, is: after.count)
    for (number, old) in before {
      let new = try require(after[number])
      expect(old == new)
    }
  }

  @Test func `a deleted record is in the trash, comes back, and is gone when it is purged`() throws
  {
    let (files, store) = try build()
    let bytes = files.bytes(path(0x10))
    try store.trash.delete(.capsule, StoreScenario.id(0x10), now: StoreScenario.now)
    expect(files.bytes(path(0x10)) == nil)
    let trashed = try require(try store.trash.records(.capsule).first)
    expect(trashed.deletedAt, is: StoreScenario.now)
    try store.trash.restore(trashed, now: StoreScenario.now)
    expect(files.bytes(path(0x10)), is: bytes)
    expect(try store.trash.records(.capsule).isEmpty)
    try store.trash.delete(.capsule, StoreScenario.id(0x10), now: StoreScenario.now)
    let purged = try store.trash.purge(try store.trash.records(.capsule), now: StoreScenario.now)
    expect(purged.records.count, is: 1)
    expect(try store.trash.records(.capsule).isEmpty)
    let error = expect(throws: Fault.self) {
      try store.trash.delete(.capsule, StoreScenario.id(0x10), now: StoreScenario.now)
    }
    guard error?.code == .recordGone else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `a purge takes the blobs that only its records name`() throws {
    let (files, store) = try build()
    let shared = try StoreScenario.stage(store, [1])
    try store.insert(StoreScenario.capsule(0x20, blob: shared), blobs: [shared])
    let again = try StoreScenario.stage(store, [1])
    try store.insert(StoreScenario.capsule(0x21, blob: again), blobs: [again])
    let own = try StoreScenario.stage(store, [2])
    try store.insert(StoreScenario.capsule(0x22, blob: own), blobs: [own])
    for number: UInt8 in [0x20, 0x22] {
      try store.trash.delete(.capsule, StoreScenario.id(number), now: StoreScenario.now)
    }
    let purged = try store.trash.purge(try store.trash.records(.capsule), now: StoreScenario.now)
    expect(purged.blobs, is: 1)
    expect(files.bytes(layout.blob(shared.name).text), is: [1])
    expect(files.bytes(layout.blob(own.name).text) == nil)
    expect(
      try store.care.verify(now: StoreScenario.now).problems
        .isEmpty)
  }

  @Test func `a blob that nobody names is kept for a week`() throws {
    let (files, store) = try build()
    try files.createDirectory(layout.blobs.appending("ab"), mode: 0o700)
    let name = "ab" + String(repeating: "0", count: 62)
    try files.setBytes("/s/blobs/ab/\(name)", [1])
    files.withDisk { $0.clock.seconds += 6 * 86_400 }
    try expect(store.trash.purge([], now: StoreScenario.now).blobs, is: 0)
    files.withDisk { $0.clock.seconds += 2 * 86_400 }
    try expect(store.trash.purge([], now: StoreScenario.now).blobs, is: 1)
    expect(files.bytes("/s/blobs/ab/\(name)") == nil)
  }

  @Test(arguments: ["damaged", "conflict"])
  func `nothing is purged while what names the blobs is not known`(cause: String) throws {
    let (files, store) = try build()
    let blob = try StoreScenario.stage(store, [1])
    try store.insert(StoreScenario.capsule(0x20, blob: blob), blobs: [blob])
    try store.trash.delete(.capsule, StoreScenario.id(0x20), now: StoreScenario.now)
    let stem = path(0x11).dropLast(5)
    if cause == "damaged" {
      try files.setBytes(path(0x11), Array("{".utf8))
    } else {
      try files.setBytes("\(stem).sync-conflict-20261121-0800-ABC.json", Array("{}".utf8))
    }
    let error = expect(throws: Fault.self) {
      try store.trash.purge(try store.trash.records(.capsule), now: StoreScenario.now)
    }
    guard error?.code == .cannotPurge else {
      Issue.record("\(String(describing: error))")
      return
    }
    expect(files.bytes(layout.blob(blob.name).text), is: [1])
    try expect(store.trash.records(.capsule).count, is: 1)
  }

  @Test
  func
    `of one record twice in the trash the higher revision comes back, whatever the clock showed`()
    throws
  {
    let (files, store) = try build()
    let id = StoreScenario.id(0x10)
    let first = try require(files.bytes(path(0x10)))
    // A deletion that was killed before it took the live name away.
    try files.setBytes(
      layout.trash(.capsule).appending("\(id).\(StoreScenario.now.seconds).json").text, first)
    var record = try store.read(Capsule.self, id)
    record.model.title = "Edited"
    _ = try store.update(record, now: StoreScenario.now)
    // Two days back.
    let earlier = Instant(seconds: StoreScenario.now.seconds - 2 * 86_400)
    try store.trash.delete(.capsule, id, now: earlier)
    let trashed = try store.trash.records(.capsule)
    expect(trashed.map(\.id) == [id, id] && trashed[0].deletedAt == earlier)
    try store.trash.restore(trashed[0], now: StoreScenario.now)
    try expect(store.read(Capsule.self, id).model.title, is: "Edited")
  }

  @Test func `which of two in the trash is newer is not guessed where one cannot be read`() throws {
    let (files, store) = try build()
    let id = StoreScenario.id(0x10)
    let bytes = try require(files.bytes(path(0x10)))
    try store.trash.delete(.capsule, id, now: StoreScenario.now)
    try files.setBytes(layout.trash(.capsule).appending("\(id).5.json").text, bytes)
    files.plan([.on(.open, path: "\(id).5.json", .fail(5))])
    expect(throws: Fault.self) { try store.trash.records(.capsule) }
  }

  @Test func `a conflict copy is told, never read and never removed`() throws {
    let (files, store) = try build()
    let copy = "\(path(0x11).dropLast(5)).sync-conflict-20261121-0800-ABC.json"
    try files.setBytes(copy, Array("not even JSON".utf8))
    let report = try store.care.verify(now: StoreScenario.now)
    expect(report.isSound)
    expect(report.problems, is: [Finding(.foreign, at: FilePath(copy))])
    _ = try store.care.repair(now: StoreScenario.now) { _, _ in nil }
    try store.insert(StoreScenario.capsule(0x12))
    expect(files.bytes(copy) != nil)
  }

  @Test func `what lies in tmp is swept after a day, not before`() throws {
    let (files, store) = try build()
    try files.setBytes("/s/tmp/left", [1])
    try store.insert(StoreScenario.capsule(0x12))
    expect(files.bytes("/s/tmp/left"), is: [1])
    files.withDisk { $0.clock.seconds += 86_500 }
    try store.insert(StoreScenario.capsule(0x13))
    expect(files.bytes("/s/tmp/left") == nil)
  }

  @Test func `a store of a newer format is read and not changed`() throws {
    let (files, _) = try build()
    var fields = try require(try JSON.parse(files.bytes("/s/store.json") ?? []).object)
    fields["format"] = 99
    try files.setBytes("/s/store.json", RecordFile.encode(fields))
    let store = try reopened(files)
    expect(try store.read(Capsule.self, StoreScenario.id(0x10)).integrity == nil)
    let before = files.files(under: "/s")
    expect(throws: Fault.self) { try store.insert(StoreScenario.capsule(0x12)) }
    expect(throws: Fault.self) {
      try store.trash.delete(.capsule, StoreScenario.id(0x10), now: StoreScenario.now)
    }
    expect(files.files(under: "/s"), is: before)
  }

  @Test func `a repair keeps a copy of what it changes`() throws {
    let (files, store) = try build()
    let text = String(decoding: files.bytes(path(0x10)) ?? [], as: UTF8.self)
    let changed = text.replacing("Capsule 16", with: "By hand")
    try files.setBytes(path(0x10), Array(changed.utf8))
    expect(
      try !store.care.verify(now: StoreScenario.now).isSound)
    try expect(store.read(Capsule.self, StoreScenario.id(0x10)).integrity, is: .checksum)
    let refused = try store.care.repair(byHand, now: StoreScenario.now) { _, _ in .sealDamaged }
    expect(refused, is: [.refusedRecord(.capsule, StoreScenario.id(0x10), .sealDamaged)])
    expect(files.bytes(path(0x10)), is: Array(changed.utf8))
    let accepted = try store.care.repair(byHand, now: StoreScenario.now) { _, _ in nil }
    expect(accepted, is: [.acceptedRecord(.capsule, StoreScenario.id(0x10))])
    let record = try store.read(Capsule.self, StoreScenario.id(0x10))
    expect(record.integrity == nil)
    expect(record.model.title, is: "By hand")
    expect(files.files(under: "/s/backups").values.contains(Array(changed.utf8)))
  }

  @Test func `a record that was changed in the trash is accepted there, or refused`() throws {
    let (files, store) = try build()
    let id = StoreScenario.id(0x10)
    try store.trash.delete(.capsule, id, now: StoreScenario.now)
    let trashed = try require(try store.trash.records(.capsule).first)
    let written = try require(files.bytes(trashed.path.text))
    let text = String(decoding: written, as: UTF8.self).replacing("Capsule 16", with: "By hand")
    try files.setBytes(trashed.path.text, Array(text.utf8))
    let refused = try store.care.repair(byHand, now: StoreScenario.now) { _, _ in .sealDamaged }
    expect(refused, is: [.refusedRecord(.capsule, id, .sealDamaged)])
    expect(files.bytes(trashed.path.text), is: Array(text.utf8))
    let accepted = try store.care.repair(byHand, now: StoreScenario.now) { _, _ in nil }
    expect(accepted, is: [.acceptedRecord(.capsule, id)])
    expect(
      try store.care.verify(now: StoreScenario.now).isSound)
    expect(files.files(under: "/s/backups").values.contains(Array(text.utf8)))
    try store.trash.restore(trashed, now: StoreScenario.now)
    let record = try store.read(Capsule.self, id)
    expect(record.integrity == nil && record.model.title == "By hand")
  }

  @Test(arguments: [true, false])
  func `on a file system without hard links everything works as well`(hasHardLinks: Bool) throws {
    let files = SimulatedFileSystem()
    files.withDisk { $0.hasHardLinks = hasHardLinks }
    let store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1),
      now: StoreScenario.now)
    let blob = try StoreScenario.stage(store, [1, 2])
    try store.insert(StoreScenario.capsule(0x10, blob: blob), blobs: [blob])
    expect(throws: Fault.self) { try store.insert(StoreScenario.capsule(0x10)) }
    try store.trash.delete(.capsule, StoreScenario.id(0x10), now: StoreScenario.now)
    for record in try store.trash.records(.capsule) {
      try store.trash.restore(record, now: StoreScenario.now)
    }
    expect(
      try store.care.verify(now: StoreScenario.now).problems
        .isEmpty)
    expect(files.after(.onlySynchronized).bytes(path(0x10)) != nil)
    expect(files.files(under: "/s/tmp").isEmpty)
  }

  @Test func `deleting works on a disk without room`() throws {
    let (files, store) = try build()
    files.withDisk {
      $0.capacity = $0.used
      $0.nodeCapacity = $0.nodes.count
    }
    try store.trash.delete(.capsule, StoreScenario.id(0x10), now: StoreScenario.now)
    let purged = try store.trash.purge(try store.trash.records(.capsule), now: StoreScenario.now)
    expect(purged.records.count, is: 1)
    expect(throws: Fault.self) { try store.insert(StoreScenario.capsule(0x12)) }
    expect(files.files(under: "/s/tmp").isEmpty)
  }

  @Test(arguments: [".DS_Store", "._x.json", "Thumbs.db", ".nfs000000000001", "Desktop.INI"])
  func `what desktops and file systems leave among the records keeps nothing from being purged`(
    name: String
  ) throws {
    let (files, store) = try build()
    try store.trash.delete(.capsule, StoreScenario.id(0x10), now: StoreScenario.now)
    for folder in [FilePath(path(0x11)).parent, layout.trash(.capsule)] {
      try files.setBytes(folder.appending(name).text, [0, 1])
    }
    let purged = try store.trash.purge(try store.trash.records(.capsule), now: StoreScenario.now)
    expect(purged.records.count, is: 1)
    expect(files.bytes(FilePath(path(0x11)).parent.appending(name).text), is: [0, 1])
  }

  @Test func `a conflict copy among the records keeps everything from being purged`() throws {
    let (files, store) = try build()
    try store.trash.delete(.capsule, StoreScenario.id(0x10), now: StoreScenario.now)
    try files.setBytes(
      FilePath(path(0x11)).parent.appending(".3f2a.json.part").text, Array("{}".utf8))
    let trashed = try store.trash.records(.capsule)
    expect(throws: Fault.self) { try store.trash.purge(trashed, now: StoreScenario.now) }
  }

  @Test func `a deletion that was interrupted does not stand in the way of the next one`() throws {
    let (files, store) = try build()
    let id = StoreScenario.id(0x10)
    let old = layout.trash(.capsule).appending("\(id).\(StoreScenario.now.seconds).json")
    try files.createDirectories(old.parent)
    try files.link(FilePath(path(0x10)), to: old)
    var record = try store.read(Capsule.self, id)
    record.model.title = "Changed since"
    _ = try store.update(record, now: StoreScenario.now)
    try store.trash.delete(.capsule, id, now: StoreScenario.now)
    let trashed = try store.trash.records(.capsule)
    expect(trashed.count == 2 && files.bytes(path(0x10)) == nil)
    expect(
      try trashed.contains { record in
        let bytes = try require(files.bytes(record.path.text))
        return String(decoding: bytes, as: UTF8.self).contains("Changed since")
      })
  }

  @Test func `what was purged or brought back meanwhile is no longer found in the trash`() throws {
    let (files, store) = try build()
    try store.trash.delete(.capsule, StoreScenario.id(0x10), now: StoreScenario.now)
    let trashed = try require(try store.trash.records(.capsule).first)
    func isNotFound() -> Bool {
      do throws(Fault) { try store.trash.restore(trashed, now: StoreScenario.now) } catch {
        if error.code == .recordGone { return true }
      }
      return false
    }
    let bytes = try require(files.bytes(trashed.path.text))
    try store.trash.restore(trashed, now: StoreScenario.now)
    expect(isNotFound())
    // Another version of it lies in the trash while it is live.
    try files.setBytes(trashed.path.text, bytes)
    expect(isNotFound())
  }

  @Test func `a store of an earlier program gets the folder of a later kind, and keeps it`() throws
  {
    let (files, store) = try build()
    try files.removeDirectory(layout.folder(.event))
    let event = Event(
      header: RecordHeader(id: StoreScenario.id(0x20), createdAt: StoreScenario.now),
      title: "E", moment: .instant(StoreScenario.now), zone: "UTC")
    try store.insert(event)
    let cut = files.after(.onlySynchronized)
    try expect(reopened(cut).read(Event.self, event.header.id).model.title, is: "E")
  }

  @Test func `a file that is freed goes for good, and one that is gone already is no error`() throws
  {
    let (files, store) = try build()
    try files.setBytes("/image", StoreScenario.blobBytes)
    let event = Event(
      header: RecordHeader(id: StoreScenario.id(0x20), createdAt: StoreScenario.now),
      title: "E", moment: .instant(StoreScenario.now), zone: "UTC")
    try store.insert(event)
    func free(_ prepare: (FilePath) throws -> Void) throws -> FilePath {
      let staged = try store.blobs.stageAttachment(FilePath("/image"), limit: 1 << 20)
      let path = layout.blob(staged.attachment.blob)
      var record = try store.read(Event.self, event.header.id)
      record.model.image = staged.attachment
      record = try store.update(record, now: StoreScenario.now, blobs: [staged.blob])
      expect(files.bytes(path.text), is: StoreScenario.blobBytes)
      try prepare(path)
      record.model.image = nil
      _ = try store.blobs.update(
        record, now: StoreScenario.now, freeing: [staged.attachment.blob])
      return path
    }
    let freed = try free { _ in }
    expect(files.bytes(freed.text) == nil)
    expect(files.after(.onlySynchronized).bytes(freed.text) == nil)
    // The journal has what was written last, and nothing that names the file.
    try expect(store.journal.versions(of: .event, event.header.id).map(\.revision), is: [3])
    _ = try free { try files.unlink($0) }
    expect(throws: Fault.self) {
      try free { files.plan([.on(.unlink, path: $0.text, .fail(5))]) }
    }
  }

  @Test func `what is searched begins with the title, and knows where it ends`() {
    let text = IndexText(StoreScenario.capsule(0x10), TextFolding())
    expect(text.bytes.prefix(text.titleCount).elementsEqual("capsule 16".utf8))
    expect(text.bytes.count > text.titleCount)
  }

  /// A purge must know every name: a record that cannot be read may name anything, one that is gone nothing.
  @Test(arguments: [ENOENT, EIO])
  func `a record that is moved while names are gathered is not one that cannot be read`(
    code: Int32
  ) throws {
    let (files, store) = try build()
    files.plan([.on(.open, path: path(0x11), .fail(code))])
    let references = try BlobReferences(of: store, excluding: [])
    expect(references.unreadable.map(\.text) == (code == ENOENT ? [] : [path(0x11)]))
  }
}
