import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Files that only an earlier version of a record names.
@Suite struct VersionBlobTests {
  private let files = SimulatedFileSystem()
  private let store: Store
  private let id = StoreScenario.id(0x21)
  private let now = StoreScenario.now
  private let blob: BlobName
  private let path: String

  /// An item that had a file, and has none any more, without that it was taken away for good.
  init() throws {
    store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1), now: now)
    let staged = try StoreScenario.stage(store, StoreScenario.blobBytes)
    blob = staged.name
    path = StoreScenario.layout.blob(blob).text
    var item = Item(header: RecordHeader(id: id, createdAt: now), name: "Ring")
    item.media = [
      try Media(fields: [
        "name": "f", "mediaType": "image/png", "size": .integer(staged.size),
        "blob": .string(blob.description), "addedAt": .string(now.rfc3339),
      ])
    ]
    try store.insert(item, blobs: [staged])
  }

  private func leaveOut() throws {
    var record = try store.readIntact(Item.self, id)
    record.model.media = []
    _ = try store.update(record, now: now)
  }

  private func problems(_ plan: VerificationPlan = .whole) throws -> [Finding] {
    try store.care.verify(plan, now: now).problems
  }

  private func restoreFirst() throws -> Item {
    let first = try require(try store.journal.versions(of: .item, id).last)
    return try store.journal.restore(first, of: try store.readIntact(Item.self, id), now: now).model
  }

  private func repair(_ copies: [Store] = []) throws -> [RepairAction] {
    var request = RepairRequest()
    request.copies = copies
    return try store.care.repair(request, now: now) { _, _ in nil }
  }

  @Test func `a file that a version needs is not said to go with a purge`() throws {
    try leaveOut()
    expect(try problems().isEmpty)
    let later = now.adding(seconds: 30 * 86_400)
    files.withDisk { $0.clock = FileTime(seconds: later.seconds) }
    try expect(store.trash.purge([], now: later).blobs, is: 0)
    try expect(restoreFirst().media.count, is: 1)
    expect(try problems().isEmpty)
  }

  @Test(arguments: [true, false])
  func `a version whose file is damaged or gone is noted, not restored, and mended from a copy`(
    isGone: Bool
  ) throws {
    try leaveOut()
    let report = try store.care.backUp(to: FilePath("/b"), keeping: nil, now: now)
    if isGone { try files.unlink(FilePath(path)) } else { try files.setBytes(path, [1]) }
    let damage: BlobDamage = isGone ? .missing : .otherBytes
    let problem = Finding(
      .versionBlob, RecordReference(.item, id), at: FilePath(path), .blob(blob, damage))
    expect(!problem.isDamage)
    try expect(problems(), is: [problem])
    var parts = VerificationPlan()
    parts.start = .first
    try expect(problems(parts), is: [problem])
    let error = expect(throws: Fault.self) { _ = try restoreFirst() }
    guard error == .blobDamaged(blob, path: path, damage) else {
      Issue.record("\(String(describing: error))")
      return
    }
    try expect(store.readIntact(Item.self, id).model.header.revision, is: 2)
    expect(try repair().isEmpty)
    let copy = try require(
      try Store.open(
        at: FilePath(report.path), environment: StoreScenario.environment(files, seed: 9)))
    try expect(repair([copy]), is: [.restoredBlob(blob)])
    expect(try problems().isEmpty)
    try expect(restoreFirst().media.count, is: 1)
  }

  @Test func `a part that begins with the contents names the version of a damaged one`() throws {
    try leaveOut()
    try files.setBytes(path, [1])
    var parts = VerificationPlan()
    parts.start = .blobs(from: blob)
    try expect(
      problems(parts),
      is: [
        Finding(
          .versionBlob, RecordReference(.item, id), at: FilePath(path), .blob(blob, .otherBytes))
      ])
  }

  @Test func `a link in the place of a version's file is not followed`() throws {
    try leaveOut()
    try files.rename(FilePath(path), to: FilePath("/elsewhere"))
    try files.makeSymbolicLink(path, to: "/elsewhere")
    let fault = expect(throws: Fault.self) { _ = try restoreFirst() }
    expect(fault, is: .blobDamaged(blob, path: path, .notAFile))
    expect(fault?.description, is: "'\(path)' is not a file")
  }

  @Test func `a file that was taken away for good is missed by no version, here or elsewhere`()
    throws
  {
    let log = try require(files.files(under: "/s/journal").first { $0.key.hasSuffix("/21.log") })
    let other = "/s/journal/00000000000000000000000000000001"
    try files.createDirectory(FilePath(other), mode: 0o700)
    try files.setBytes("\(other)/21.log", log.value)
    var record = try store.readIntact(Item.self, id)
    record.model.media = []
    _ = try store.blobs.update(record, now: now, freeing: [blob])
    expect(files.bytes(path) == nil)
    expect(try problems().isEmpty)
  }

  @Test func `what nobody needs is told by who reads the journals`() throws {
    let staged = try StoreScenario.stage(store, [1, 2, 3])
    try store.whileLocked { () throws(Fault) in try store.blobs.place([staged]) }
    let path = StoreScenario.layout.blob(staged.name).text
    try expect(problems(), is: [Finding(.orphan, at: FilePath(path))])
    var quick = VerificationPlan()
    (quick.readsBlobs, quick.readsJournals) = (false, false)
    expect(try problems(quick).isEmpty)
  }
}
