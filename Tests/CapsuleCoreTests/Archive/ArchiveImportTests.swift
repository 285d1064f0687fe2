import CapsulePlatform
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Archives of stores on a simulated disk: written, read back, and taken in under faults.
@Suite struct ArchiveImportTests {
  private static let now = StoreScenario.now

  /// A store with capsules, contents and a trash, and its archive.
  private static func source(
    _ change: (Store) throws -> Void = { _ in }
  ) throws -> (files: SimulatedFileSystem, archive: [UInt8]) {
    let files = SimulatedFileSystem()
    let store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1),
      now: Instant(seconds: 1_600_000_000))
    let blob = try StoreScenario.stage(store, StoreScenario.blobBytes)
    try store.insert(StoreScenario.capsule(0x10, blob: blob), blobs: [blob])
    try store.insert(StoreScenario.capsule(0x11))
    try store.insert(
      Item(header: RecordHeader(id: StoreScenario.id(0x12), createdAt: now), name: "Ring"))
    try store.insert(StoreScenario.capsule(0x13))
    try store.trash.delete(.capsule, StoreScenario.id(0x13), now: Instant(seconds: 1_600_000_100))
    try store.settings.change { $0.set(.spanUnits, to: 3) }
    try change(store)
    return (files, try archive(of: store))
  }

  private static func archive(
    of store: Store, _ chosen: [RecordReference]? = nil
  ) throws -> [UInt8] {
    var export = try ArchiveExport(of: store, chosen, now: now)
    return try export.write(to: MemorySink()).bytes
  }

  @discardableResult
  private static func take(
    _ archive: [UInt8], into files: SimulatedFileSystem, seed: UInt64 = 5, isDryRun: Bool = false
  ) throws -> ImportReport {
    try ArchiveImport(
      into: StoreScenario.root, environment: StoreScenario.environment(files, seed: seed),
      now: now, isDryRun: isDryRun
    ).run { sink in try archive.withUnsafeBytes { try sink.write($0) } }
  }

  /// The seals of these capsules are no age files, which the archive says; nothing else may be wrong.
  private func requireSound(_ problems: [ArchiveProblem], _ place: Comment? = nil) {
    let others = problems.filter { if case .seal = $0 { false } else { true } }
    expect(others, is: [], place)
  }

  @Test func `an archive makes the store again, and a second time changes nothing`() throws {
    let (source, archive) = try Self.source()
    let files = SimulatedFileSystem()
    let report = try Self.take(archive, into: files)
    requireSound(report.problems)
    expect(report.hasMadeStore && report.added == 4 && report.blobs == 1)
    expect(report.settings, is: ["spanUnits"])
    expect(StoreScenario.state(files), is: StoreScenario.state(source))
    expect(try StoreScenario.damage(files).isEmpty)
    let before = files.files(under: "/s").filter { !$0.key.contains("/journal/") }
    let again = try Self.take(archive, into: files, seed: 6)
    expect(again.added == 0 && again.unchanged == 4 && again.merged.isEmpty && again.blobs == 0)
    let after = files.files(under: "/s").filter { !$0.key.contains("/journal/") }
    expect(before.keys.sorted(), is: after.keys.sorted())
    expect(StoreScenario.state(files), is: StoreScenario.state(source))
  }

  @Test func `contents that an import brings cannot be written`() throws {
    let files = SimulatedFileSystem()
    try Self.take(try Self.source().archive, into: files)
    let contents = files.files(under: "/s/blobs").keys
    expect(!contents.isEmpty)
    for path in contents { try expect(files.status(FilePath(path)).mode, is: 0o400, "\(path)") }
  }

  @Test func `a dry run says the same and writes nothing`() throws {
    let archive = try Self.source().archive
    let files = SimulatedFileSystem()
    let planned = try Self.take(archive, into: files, isDryRun: true)
    expect(files.files(under: "/"), is: [:])
    let done = try Self.take(archive, into: files)
    expect(planned.added == done.added && planned.blobs == done.blobs)
    expect(planned.settings, is: done.settings)
  }

  @Test func `wherever an import is killed, the store is sound and the next one finishes it`()
    throws
  {
    let (source, archive) = try Self.source()
    let rehearsal = SimulatedFileSystem()
    rehearsal.plan()
    try Self.take(archive, into: rehearsal)
    let end = rehearsal.calls.count
    for number in stride(
      from: TestScale.count(full: 1, debug: 3), through: end,
      by: TestScale.count(full: 1, debug: 29))
    {
      let killed = SimulatedFileSystem()
      killed.plan([.at(number, .crash)])
      _ = try? Self.take(archive, into: killed)
      for files in [killed.afterKill(), killed.after(.onlySynchronized), killed.after(.everything)]
      {
        let place: Comment = "killed at \(number)"
        expect(try StoreScenario.damage(files).isEmpty, place)
        let report = try Self.take(archive, into: files, seed: 7)
        requireSound(report.problems, place)
        expect(report.held.isEmpty && report.merged.isEmpty, place)
        expect(StoreScenario.state(files), is: StoreScenario.state(source), place)
        expect(try StoreScenario.damage(files).isEmpty, place)
      }
    }
  }

  @Test(arguments: [ENOSPC, EIO, EACCES])
  func `wherever a call fails, the store is sound and the next import finishes it`(
    code: Int32
  ) throws {
    let (source, archive) = try Self.source()
    let rehearsal = SimulatedFileSystem()
    rehearsal.plan()
    try Self.take(archive, into: rehearsal)
    for number in stride(
      from: TestScale.count(full: 1, debug: Int(code)), through: rehearsal.calls.count,
      by: TestScale.count(full: 1, debug: 41))
    {
      let files = SimulatedFileSystem()
      files.plan([.at(number, .fail(code))])
      _ = try? Self.take(archive, into: files)
      let place: Comment = "\(code) at \(rehearsal.calls[number - 1])"
      expect(files.openCount, is: 0, place)
      files.plan()
      expect(try StoreScenario.damage(files).isEmpty, place)
      try Self.take(archive, into: files, seed: 7)
      expect(StoreScenario.state(files), is: StoreScenario.state(source), place)
    }
  }

  @Test func `a changed byte anywhere is found, and no record is taken from a cut archive`() throws
  {
    let archive = try Self.source().archive
    let step = TestScale.count(full: 1, debug: 211)
    for place in stride(from: 0, to: archive.count, by: step) {
      var changed = archive
      changed[place] ^= 0x20
      var problems: [ArchiveProblem] = []
      do {
        problems = try ArchiveReport.check { sink in
          try changed.withUnsafeBytes { try sink.write($0) }
        }.problems
      } catch let fault as Fault where fault.isOfArchive {
        continue
      }
      let isPadding = archive[place] == 0
      let others = problems.filter { if case .seal = $0 { false } else { true } }
      expect(!others.isEmpty || isPadding, "byte \(place)")
    }
    for count in stride(from: 1, to: archive.count - 1024, by: 5 * step) {
      let files = SimulatedFileSystem()
      expect {
        try Self.take(Array(archive.prefix(count)), into: files)
      } throws: { error in
        (error as? Fault)?.isOfArchive ?? false
      }
      expect(files.openCount, is: 0)
      let records = StoreScenario.state(files).keys.filter {
        $0.contains("/capsules/") || $0.contains("/items/") || $0.contains("/trash/")
      }
      expect(records.isEmpty, "\(count)")
      // Nothing is sealed later to the keys of what is no archive.
      expect(files.files(under: StoreScenario.root.text).isEmpty, "\(count)")
    }
  }

  @Test(arguments: [(true, false), (false, true)])
  func `of a sealed archive that is cut or changed no store is left`(
    isCut: Bool, hasDirectory: Bool
  ) throws {
    let archive = try Self.source { store in
      let blob = try StoreScenario.stage(store, [UInt8](repeating: 3, count: 300_000))
      try store.insert(StoreScenario.capsule(0x20, blob: blob), blobs: [blob])
    }.archive
    let key = try AgeIdentity(isPostQuantum: false, random: SeededRandomSource(seed: 3).source)
    var sealed = try AgeWriter(to: [key.recipient], random: SeededRandomSource(seed: 4).source)
      .seal(archive, armor: false)
    if isCut { sealed.removeLast(100_000) } else { sealed[sealed.count - 100_000] ^= 1 }
    let files = SimulatedFileSystem()
    if hasDirectory { try files.createDirectory(StoreScenario.root, mode: 0o700) }
    let intake = try ArchiveImport(
      into: StoreScenario.root, environment: StoreScenario.environment(files, seed: 5),
      now: Self.now, isDryRun: false)
    expect(throws: AgeFailure.self) {
      try intake.run { sink in
        try ArchiveInput.read(MemorySource(sealed), to: &sink) { try $0?.unlock(with: [key]) }
      }
    }
    expect(files.openCount, is: 0)
    expect(files.files(under: StoreScenario.root.text), is: [:])
    // An empty directory that was there is there still.
    try expect(files.statusIfPresent(StoreScenario.root) != nil, is: hasDirectory)
  }

  @Test(arguments: [true, false])
  func `a dry run into no store says what the import does`(hasContent: Bool) throws {
    let path = StoreScenario.layout.blob(BlobName(digest: SHA256.hash(StoreScenario.blobBytes)))
    var archive = try Self.source().archive
    if !hasContent {
      let (files, _) = try Self.source { store in
        let blob = try StoreScenario.stage(store, StoreScenario.blobBytes)
        try store.insert(StoreScenario.capsule(0x20, blob: blob), blobs: [blob])
        try store.trash.delete(.capsule, StoreScenario.id(0x20), now: Self.now)
      }
      try files.unlink(path)
      archive = try Self.archive(of: try require(try StoreScenario.open(files, seed: 9)))
    }
    func summary(_ report: ImportReport) -> [String] {
      [
        "\(report.added) added, \(report.blobs) contents, store made: \(report.hasMadeStore)",
        "\(report.identities)", "\(report.settings)",
      ] + report.held.map { "\($0.entry.id): \($0.reason)" }.sorted()
    }
    let files = SimulatedFileSystem()
    let planned = try Self.take(archive, into: files, isDryRun: true)
    expect(files.files(under: "/"), is: [:])
    let done = try Self.take(archive, into: files)
    expect(summary(planned), is: summary(done))
    expect(done.hasMadeStore && done.identities.isEmpty)
    expect(done.held.count, is: hasContent ? 0 : 2)
  }

  @Test func `two stores that went apart become one, and nothing is lost`() throws {
    let (files, archive) = try Self.source()
    let other = SimulatedFileSystem()
    try Self.take(archive, into: other)
    func edit(_ files: SimulatedFileSystem, _ seed: UInt64, _ title: String, _ tag: String) throws {
      let store = try require(try StoreScenario.open(files, seed: seed))
      var record = try store.read(Capsule.self, StoreScenario.id(0x11))
      record.model.title = title
      record.model.tags.append(tag)
      record.model.unlockAt = record.model.unlockAt.adding(seconds: Int64(seed))
      _ = try store.update(record, now: Self.now.adding(seconds: Int64(seed)))
    }
    try edit(files, 11, "Here", "here")
    try edit(other, 12, "There", "there")
    let store = try require(try StoreScenario.open(other, seed: 13))
    let report = try Self.take(try Self.archive(of: store), into: files, seed: 14)
    expect(report.merged.map(\.conflicts), is: [["title"]])
    let here = try require(try StoreScenario.open(files, seed: 15))
    let merged = try here.readIntact(Capsule.self, StoreScenario.id(0x11)).model
    expect(merged.title, is: "There")
    expect(Set(merged.tags), is: ["one", "here", "there"])
    expect(merged.unlockAt, is: StoreScenario.capsule(0x11).unlockAt.adding(seconds: 12))
    let titles = try here.journal.versions(of: .capsule, merged.id).compactMap {
      try? RecordFile.decode($0.bytes, as: Capsule.self, id: merged.id).model.title
    }
    expect(Set(titles).isSuperset(of: ["Here", "There", "Capsule 17"]))
    let again = try Self.take(try Self.archive(of: store), into: files, seed: 16)
    expect(again.merged.isEmpty && again.added == 0)
    expect(try StoreScenario.damage(files).isEmpty)
  }

  @Test func `shares that were handed out stay known, whatever an archive has in their place`()
    throws
  {
    let group = try RecordSamples.trustees
    let (files, archive) = try Self.source { store in try store.insert(group) }
    let other = SimulatedFileSystem()
    try Self.take(archive, into: other)
    func renew(_ files: SimulatedFileSystem, _ identifier: UInt16) throws {
      let store = try require(try StoreScenario.open(files, seed: UInt64(identifier)))
      var record = try store.read(TrusteeGroup.self, group.id)
      record.model.renew(identifier: identifier, threshold: 2, shares: group.shares)
      _ = try store.update(record, now: Self.now.adding(seconds: Int64(identifier)))
    }
    try renew(files, 98)
    try renew(other, 99)
    let there = try require(try StoreScenario.open(other, seed: 13))
    let report = try Self.take(try Self.archive(of: there), into: files, seed: 14)
    expect(report.held.map(\.reason), is: [.other(field: "shares")])
    let here = try require(try StoreScenario.open(files, seed: 15))
    try expect(here.readIntact(TrusteeGroup.self, group.id).model.identifier, is: 98)
  }

  @Test func `an earlier version of what is here takes nothing back`() throws {
    let (files, archive) = try Self.source()
    let store = try require(try StoreScenario.open(files, seed: 11))
    var record = try store.read(Capsule.self, StoreScenario.id(0x11))
    (record.model.notes, record.model.tags) = ("", [])
    _ = try store.update(record, now: Self.now)
    let report = try Self.take(archive, into: files)
    expect(report.merged.isEmpty && report.unchanged == 4)
    try expect(store.read(Capsule.self, StoreScenario.id(0x11)).model.tags, is: [])
  }

  @Test func `what was deleted here stays in the trash, and is told`() throws {
    let (files, archive) = try Self.source()
    let store = try require(try StoreScenario.open(files, seed: 11))
    try store.trash.delete(.capsule, StoreScenario.id(0x11), now: Self.now)
    let report = try Self.take(archive, into: files)
    expect(report.inTrash.map(\.title), is: ["Capsule 17"])
    expect(throws: Fault.self) { try store.read(Capsule.self, StoreScenario.id(0x11)) }
  }

  /// A store, and another that was made of its archive; the capsule 17 is edited in both, and deleted.
  private func deletedInBoth() throws -> (here: SimulatedFileSystem, there: Store) {
    let (files, archive) = try Self.source()
    let other = SimulatedFileSystem()
    try Self.take(archive, into: other)
    for (files, seed, edits) in [(files, UInt64(11), 3), (other, 12, 1)] {
      let store = try require(try StoreScenario.open(files, seed: seed))
      for number in 1...edits {
        var record = try store.read(Capsule.self, StoreScenario.id(0x11))
        record.model.title = "Title \(seed) \(number)"
        record.model.tags.append("tag \(seed) \(number)")
        _ = try store.update(record, now: Self.now.adding(seconds: Int64(number)))
      }
      // The clock of the other one is ahead.
      try store.trash.delete(
        .capsule, StoreScenario.id(0x11), now: Self.now.adding(seconds: Int64(seed) * 100))
    }
    return (files, try require(try StoreScenario.open(other, seed: 13)))
  }

  @Test func `of a record that an archive has deleted too the trash has one version`() throws {
    let (files, there) = try deletedInBoth()
    let archive = try Self.archive(of: there)
    let planned = try Self.take(archive, into: files, seed: 14, isDryRun: true)
    let report = try Self.take(archive, into: files, seed: 15)
    for report in [planned, report] {
      expect(report.merged.map(\.entry.title) == ["Title 11 3"] && report.added == 0)
      expect(report.merged.map(\.conflicts), is: [["title"]])
    }
    let store = try require(try StoreScenario.open(files, seed: 16))
    let trashed = try store.trash.records(.capsule).filter { $0.id == StoreScenario.id(0x11) }
    expect(trashed.map(\.deletedAt), is: [Self.now.adding(seconds: 1100)])
    let state = StoreScenario.state(files)
    let again = try Self.take(archive, into: files, seed: 17)
    expect(again.unchanged, is: 4)
    expect(StoreScenario.state(files), is: state)
    let versions = try store.journal.versions(of: .capsule, StoreScenario.id(0x11))
    expect(versions.count, is: 6)
    try store.trash.restore(try require(trashed.first), now: Self.now)
    let capsule = try store.readIntact(Capsule.self, StoreScenario.id(0x11)).model
    // Of two values the one that was written later counts, not that of the later deletion.
    expect(capsule.title == "Title 11 3" && capsule.header.revision == 5)
    expect(
      capsule.tags.sorted(),
      is: ["one", "tag 11 1", "tag 11 2", "tag 11 3", "tag 12 1"])
    expect(try StoreScenario.damage(files).isEmpty)
  }

  @Test func `an earlier version of what is in the trash changes nothing there`() throws {
    let (files, _) = try Self.source()
    let store = try require(try StoreScenario.open(files, seed: 11))
    try store.trash.delete(.capsule, StoreScenario.id(0x11), now: Self.now)
    let archive = try Self.archive(of: store)
    let trashed = try store.trash.records(.capsule).filter { $0.id == StoreScenario.id(0x11) }
    try store.trash.restore(try require(trashed.first), now: Self.now)
    var record = try store.read(Capsule.self, StoreScenario.id(0x11))
    (record.model.notes, record.model.tags) = ("", [])
    _ = try store.update(record, now: Self.now)
    // Its clock went back.
    try store.trash.delete(.capsule, StoreScenario.id(0x11), now: Self.now.adding(seconds: -100))
    let state = StoreScenario.state(files)
    let report = try Self.take(archive, into: files, seed: 12)
    expect(report.added == 0 && report.merged.isEmpty && report.unchanged == 4)
    expect(StoreScenario.state(files), is: state)
  }

  @Test func `a store of another id gets the identities and no settings`() throws {
    let archive = try Self.source().archive
    let files = SimulatedFileSystem()
    let store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 99),
      now: Self.now)
    let report = try Self.take(archive, into: files)
    expect(report.identities.count == 1 && report.settings.isEmpty && !report.hasMadeStore)
    expect(store.keys.all().count, is: 2)
    let opened = try require(try StoreScenario.open(files, seed: 100))
    expect(opened.header.identities.count, is: 1)
    expect(try opened.settings.read().settings.values.isEmpty)
  }

  @Test func `a damaged content of the store is made whole, and the damaged one is kept`() throws {
    let (files, archive) = try Self.source()
    let path = StoreScenario.layout.blob(
      BlobName(digest: SHA256.hash(StoreScenario.blobBytes))
    ).text
    var bytes = try require(files.bytes(path))
    bytes[9] ^= 1
    try files.setBytes(path, bytes)
    try Self.take(archive, into: files)
    expect(files.bytes(path), is: StoreScenario.blobBytes)
    expect(files.files(under: "/s/backups").values.contains(bytes))
  }

  /// A part of the store that cannot be read, the call that fails, and the records that are taken.
  private static let unreadable: [(FileRefusal.Operation, String, Int)] = [
    (.read, "/s/capsules/11", 3), (.read, "/s/blobs", 3), (.open, "/s/blobs", 3),
    (.read, "/s/trash", 3), (.listDirectory, "/s/items", 3), (.listDirectory, "/s/trash", 3),
    (.read, "/s/settings.json", 4), (.read, "/s/identities", 4),
  ]

  @Test(arguments: unreadable)
  func `what cannot be read is named, and the rest is in the archive`(
    operation: FileRefusal.Operation, path: String, added: Int
  ) throws {
    let (files, _) = try Self.source()
    let store = try require(try StoreScenario.open(files, seed: 11))
    files.plan([.on(operation, path: path, .fail(EIO))])
    var export = try ArchiveExport(of: store, nil, now: Self.now)
    let archive = try export.write(to: MemorySink()).bytes
    files.plan()
    expect(
      export.problems.contains { if case .unreadable(_, EIO) = $0 { true } else { false } },
      "\(export.problems)")
    let report = try Self.take(archive, into: SimulatedFileSystem())
    expect(report.added, is: added)
  }

  @Test func `a part has what its records name, and no identity`() throws {
    let (files, _) = try Self.source { store in
      let person = try store.insert(
        Beneficiary(
          header: RecordHeader(id: StoreScenario.id(0x20), createdAt: Self.now), name: "Mia"))
      try store.insert(
        Bequest(
          header: RecordHeader(id: StoreScenario.id(0x21), createdAt: Self.now),
          subject: RecordReference(.item, StoreScenario.id(0x12)), beneficiary: person.id))
    }
    let store = try require(try StoreScenario.open(files, seed: 11))
    let part = try Self.archive(of: store, [RecordReference(.bequest, StoreScenario.id(0x21))])
    let other = SimulatedFileSystem()
    let planned = try Self.take(part, into: other, isDryRun: true)
    expect(planned.added == 3 && planned.identities.isEmpty)
    let report = try Self.take(part, into: other)
    requireSound(report.problems)
    expect(report.added == 3 && !report.isWhole && report.identities.isEmpty)
    let made = try require(try StoreScenario.open(other, seed: 12))
    expect(made.header.id != store.header.id)
    try expect(
      made.read(Bequest.self, StoreScenario.id(0x21)).model.beneficiary, is: StoreScenario.id(0x20))
  }

  @Test(arguments: [true, false])
  func `a person who is not in the archive is missed, but not by what is in the trash`(
    isInTrash: Bool
  ) throws {
    let (bequest, person) = (StoreScenario.id(0x21), StoreScenario.id(0x20))
    let (files, _) = try Self.source { store in
      try store.insert(
        Beneficiary(header: RecordHeader(id: person, createdAt: Self.now), name: "Mia"))
      try store.insert(
        Bequest(
          header: RecordHeader(id: bequest, createdAt: Self.now),
          subject: RecordReference(.item, StoreScenario.id(0x12)), beneficiary: person))
      if isInTrash { try store.trash.delete(.bequest, bequest, now: Self.now) }
    }
    try files.unlink(StoreScenario.layout.record(.beneficiary, person))
    let archive = try Self.archive(of: try require(try StoreScenario.open(files, seed: 11)))
    let problems = try Self.take(archive, into: SimulatedFileSystem()).problems
    let missing = problems.filter { if case .seal = $0 { false } else { true } }
    expect(
      missing,
      is: isInTrash
        ? [] : [.missingReference(.bequest, bequest, to: RecordReference(.beneficiary, person))])
  }

  /// What is found in an archive of these files.
  private static func check(_ members: [(String, [UInt8])]) throws -> [ArchiveProblem] {
    var writer = PaxWriter(MemorySink())
    for (path, bytes) in members {
      try writer.begin(path, size: Int64(bytes.count), modified: 0)
      try bytes.withUnsafeBytes { try writer.write($0) }
    }
    try writer.finish()
    let bytes = writer.sink.bytes
    return try ArchiveReport.check { sink in
      try bytes.withUnsafeBytes { try sink.write($0) }
    }.problems
  }

  /// The file that is first in an archive.
  private static let description = (
    "archive.json",
    RecordFile.encode([
      "archive": 1, "store": .string(StoreScenario.id(1).description),
      "createdAt": "2026-01-01T00:00:00Z", "whole": false,
    ])
  )

  @Test func `a line of the list of digests without a path is damage of the list`() throws {
    let line = String(repeating: "0", count: 64) + "  \n"
    let problems = try Self.check([Self.description, ("archive.sha256", Array(line.utf8))])
    expect(problems, is: [.digest(path: "archive.sha256"), .digest(path: "archive.json")])
  }

  @Test func `a file that no archive has, twice the same, and another beginning are refused`()
    throws
  {
    let first = Self.description
    _ = try Self.check([first])
    func fault(_ members: [(String, [UInt8])]) -> String? {
      do { _ = try Self.check(members) } catch {
        return (error as? Fault)?.cause.map { "\($0)" } ?? "\(error)"
      }
      return nil
    }
    expect(fault([("store.json", [])])?.hasPrefix("foreign"), is: true)
    expect(fault([first, ("evil.sh", [])])?.hasPrefix("unexpected"), is: true)
    expect(fault([first, ("identities/../x.txt", [])])?.hasPrefix("upwards"), is: true)
    expect(
      fault([first, ("settings.json", [1]), ("./settings.json", [2])])?.hasPrefix("duplicate"),
      is: true)
    expect(
      fault([first, ("archive.sha256", []), ("settings.json", [])])?.hasPrefix("unexpected"),
      is: true
    )
    expect(fault([first, ("journal/x/00.log", [1, 2]), ("lock", [])]) == nil)
    let newer = RecordFile.encode(["archive": 2])
    expect(fault([("archive.json", newer)])?.hasPrefix("newer"), is: true)
    expect(fault([("archive.json", Array("{}".utf8))])?.hasPrefix("description"), is: true)
  }
}
