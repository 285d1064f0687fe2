import CapsulePlatform
import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Verifications in parts, past what cannot be read, and what is remembered of them.
@Suite struct VerificationTests {
  private let files = SimulatedFileSystem()
  private let store: Store
  private let layout = StoreScenario.layout
  private let now = StoreScenario.now

  init() throws {
    store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1),
      now: Instant(seconds: 1_600_000_000))
    let blob = try StoreScenario.stage(store, StoreScenario.blobBytes)
    try store.insert(StoreScenario.capsule(0x10, blob: blob), blobs: [blob])
    for number: UInt8 in [0x11, 0xff] { try store.insert(StoreScenario.capsule(number)) }
  }

  private var findings: [LastVerification.Loss] { LastVerification(of: store).findings }

  private func path(_ number: UInt8) -> String {
    layout.record(.capsule, StoreScenario.id(number)).text
  }

  private func remove(_ number: UInt8) throws {
    try files.unlink(FilePath(path(number)))
  }

  /// Some parts from where the last ones stopped.
  private func step(of count: Int = 1) throws -> Verification {
    var plan = VerificationPlan()
    plan.start = LastVerification(of: store).round?.next ?? .first
    var left = count
    plan.hasTime = {
      left -= 1
      return left > 0
    }
    return try verifyAll(plan, now: now)
  }

  /// As ``StoreCare/verifyAll(_:now:progress:)`` does, but for the locks, which these capsules have none of.
  @discardableResult
  private func verifyAll(
    _ plan: VerificationPlan = .whole, now: Instant
  ) throws -> Verification {
    let report = try store.care.verify(plan, now: now)
    store.care.remember(report, from: plan.start, now: now)
    return report
  }

  private func damaged(_ identity: StoreIdentity) -> Finding {
    Finding(
      .identity, own: "identities/\(identity.recipient).txt",
      .key(recipient: identity.recipient, isMissing: false))
  }

  private func problems() throws -> [Finding] {
    try store.care.verify(now: now).problems.filter(\.isDamage)
  }

  /// The place of one byte in the file, and what stands there then: `age` reads none of them.
  @Test(arguments: [(0, "c"), (32, "\u{7f}"), (-1, "\u{b}")])
  func `an identity that store.json does not name is damaged where age would refuse it`(
    place: Int, byte: String
  ) throws {
    let identity = try StoreScenario.environment(files, seed: 2).newIdentity(now: now)
    let path = layout.identity(identity.recipient).text
    let bytes = Array(identity.file.utf8)
    try files.setBytes(path, bytes)
    expect(try problems().isEmpty)
    var changed = bytes
    // The second line begins behind the first.
    let line = try require(bytes.firstIndex(of: UInt8(ascii: "\n"))) + 1
    let position = place == 32 ? line : place < 0 ? bytes.count - 1 : place
    changed[position] = try require(byte.utf8.first)
    try files.setBytes(path, changed)
    try expect(
      problems(), is: [damaged(identity)])
    _ = try store.care.repair(now: now) { _, _ in nil }
    expect(files.bytes(path), is: bytes)
  }

  /// The place of the byte: 0 the first, 1 the first of the second line, 2 the line feed before the key, 3 the last.
  @Test(arguments: [(0, "c"), (1, "\u{7f}"), (2, "\u{b}"), (2, "*"), (3, "\u{b}")])
  func `the key of an identity is enough to make its file again, without any copy`(
    place: Int, byte: String
  ) throws {
    let identity = try StoreScenario.environment(files, seed: 2).newIdentity(now: now)
    var bytes = Array(identity.file.utf8)
    let ends = bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }
    bytes[[0, ends[0] + 1, ends[1], ends[2]][place]] = try require(byte.utf8.first)
    let path = try putWithoutCopies(identity, bytes)
    let problem = damaged(identity)
    expect(try problems().contains(problem))
    _ = try store.care.repair(now: now) { _, _ in nil }
    expect(try !problems().contains(problem))
    let mended = try require(files.bytes(path))
    try expect(
      IdentityFile(mended).identities.map(\.recipient.description), is: [identity.recipient])
    // The key, and the comments that are left.
    let lines = identity.file.split(separator: "\n")
    let left = [[lines[1]], [lines[0]], [lines[0]], lines[0...1]][place]
    expect(
      String(decoding: mended, as: UTF8.self) == (left + [lines[2], ""]).joined(separator: "\n"))
  }

  @Test func `a size that is not that of the file is damage, which no repair mends`() throws {
    let bytes = Array("six...".utf8)
    func insert(_ number: UInt8, size: Int64) throws {
      let staged = try StoreScenario.stage(store, bytes)
      var item = Item(
        header: RecordHeader(id: StoreScenario.id(number), createdAt: now), name: "\(number)")
      item.media = [
        try Media(fields: [
          "name": "f", "mediaType": "image/png", "size": .integer(size),
          "blob": .string(staged.name.description), "addedAt": .string(now.rfc3339),
        ])
      ]
      try store.insert(item, blobs: [staged])
    }
    try insert(0x21, size: 6)
    try insert(0x22, size: 7)
    let id = StoreScenario.id(0x22)
    let problem = Finding(
      .otherSize, RecordReference(.item, id), at: layout.record(.item, id),
      .sizes(BlobName(digest: SHA256.hash(bytes)), said: 7, size: 6))
    expect(problem.isDamage)
    let report = try store.care.verify(now: now)
    expect(report.problems, is: [problem])
    let actions = try store.care.repair(now: now) { _, _ in nil }
    expect(actions, is: [.cannotMend(problem)])
  }

  @Test func `of a damaged file the size is no finding of its own`() throws {
    let staged = try StoreScenario.stage(store, [1, 2, 3])
    var item = Item(
      header: RecordHeader(id: StoreScenario.id(0x21), createdAt: now), name: "Ring")
    item.media = [
      try Media(fields: [
        "name": "f", "mediaType": "image/png", "size": 3,
        "blob": .string(staged.name.description), "addedAt": .string(now.rfc3339),
      ])
    ]
    try store.insert(item, blobs: [staged])
    try files.setBytes(layout.blob(staged.name).text, [1])
    let problems = try store.care.verify(now: now).problems
    expect(problems.count, is: 1)
    expect(problems.first?.kind, is: .blob)
    expect(problems.first?.detail, is: .blob(staged.name, .otherBytes))
  }

  @Test func `an identity whose key is damaged cannot be made again without a copy`() throws {
    let identity = try StoreScenario.environment(files, seed: 2).newIdentity(now: now)
    var bytes = Array(identity.file.utf8)
    bytes[bytes.count - 5] ^= 1
    let path = try putWithoutCopies(identity, bytes)
    let actions = try store.care.repair(now: now) { _, _ in nil }
    expect(
      actions.contains(.cannotMend(damaged(identity))))
    expect(files.bytes(path), is: bytes)
  }

  private func putWithoutCopies(
    _ identity: StoreIdentity, _ bytes: [UInt8]
  ) throws -> String {
    for copy in files.files().keys where copy.hasPrefix("\(layout.journal.text)/") {
      try files.unlink(FilePath(copy))
    }
    let path = layout.identity(identity.recipient).text
    try files.setBytes(path, bytes)
    return path
  }

  // MARK: In parts

  @Test func `parts go on where the last one stopped, and end with the whole store`() throws {
    var (records, blobs, steps) = (0, 0, 0)
    repeat {
      let report = try step(of: 16)
      expect(report.isSound)
      records += report.records
      blobs += report.blobs
      steps += 1
      expect((report.next == nil) == (LastVerification(of: store).whole != nil))
    } while LastVerification(of: store).whole == nil && steps < 1_000
    expect(records == 3 && blobs == 1 && steps == 17)
    expect(LastVerification(of: store).round == nil)
  }

  @Test func `a part finds what is damaged in it, and no other`() throws {
    try remove(0x11)
    try verifyAll(now: now)
    expect(findings.map(\.id), is: [StoreScenario.id(0x11)])
    expect(try step(of: 0x11).isSound)
    expect(findings.map(\.isMissing), is: [true])
    expect(try !step().isSound)
    expect(findings.count, is: 1)
  }

  @Test func `what was mended is forgotten by the part that looks at it`() throws {
    let bytes = try require(files.bytes(path(0x11)))
    try files.setBytes(path(0x11), Array("rot".utf8))
    expect(try !verifyAll(now: now).isSound)
    try files.setBytes(path(0x11), bytes)
    _ = try step(of: 0x11)
    expect(findings.count, is: 1)
    _ = try step()
    expect(findings.isEmpty)
  }

  @Test func `a repair leaves only what it could not mend`() throws {
    try remove(0x11)
    let blob = try require(files.files(under: "/s/blobs").keys.first)
    try files.setBytes(blob, Array("rot".utf8))
    try expect(verifyAll(now: now).problems.count, is: 2)
    expect(findings.count, is: 2)
    _ = try store.care.repair(now: now) { _, _ in nil }
    expect(findings.map(\.path), is: [blob])
  }

  @Test(arguments: ["records 00", "records ff", "blobs " + String(repeating: "a5", count: 32)])
  func `a step reads as it was written`(text: String) {
    expect(VerificationStep(text)?.text, is: text)
  }

  @Test(arguments: ["", "records", "records 100", "records x0", "blobs a5", "records 00 "])
  func `other words are no step`(text: String) {
    expect(VerificationStep(text) == nil)
  }

  // MARK: Past what cannot be read

  /// The paths of which no call of these kinds succeeds.
  private static let faults: [(String, Set<FileRefusal.Operation>)] = [
    ("/s/blobs/", [.read]), ("/s/blobs/", [.listDirectory]), ("/s/identities/", [.read]),
    ("/s/identities", [.listDirectory]), ("/s/trash/events", [.listDirectory]),
    ("/s/capsules/11", [.listDirectory]), ("/s/capsules/11/", [.read]),
    ("/s/journal", [.listDirectory]),
  ]

  @Test(arguments: faults)
  func `a fault is told, the rest is looked at, and nothing is called missing`(
    path: String, operations: Set<FileRefusal.Operation>
  ) throws {
    files.plan(operations.map { SimulatedFault(operation: $0, path: path, effect: .fail(EIO)) })
    let report = try store.care.verify(now: now)
    let actions = try store.care.repair(now: now) { _, _ in nil }
    files.plan()
    expect(report.records >= 2)
    expect(!report.problems.isEmpty)
    expect(
      !report.problems.contains { $0.kind == .missing })
    expect(actions.allSatisfy { if case .cannotMend = $0 { true } else { false } }, "\(actions)")
    expect(files.files(under: "/s/backups").isEmpty)
    expect(try store.care.verify(now: now).problems.isEmpty)
  }

  @Test(arguments: [FileRefusal.Operation.listDirectory, .read])
  func `what cannot be read of a machine's journal is named`(
    operation: FileRefusal.Operation
  ) throws {
    let machine = try require(store.journal.own(creating: false)?.name)
    let path = operation == .read ? layout.headerCopy(machine) : layout.journal(machine)
    files.plan([.on(operation, path: path.text, .fail(EIO))])
    let report = try store.care.verify(now: now)
    files.plan()
    expect(report.problems.contains(Finding(.journal, at: path, .refused(code: EIO))))
    if operation == .read {
      expect(store.copies.unreadable() == nil)
      files.plan([.on(operation, path: path.text, .fail(EIO))])
      expect(store.copies.unreadable(), is: Finding(.unreadable, at: path, .refused(code: EIO)))
      files.plan()
    }
  }

  @Test func `a file in the place of a shard is put aside, and its records come back`() throws {
    let bytes = files.bytes(path(0x11))
    try remove(0x11)
    let shard = layout.shard(.capsule, 0x11)
    try files.removeDirectory(shard)
    try files.writeTemporary(shard, Array("x".utf8), mode: 0o600)
    try expect(problems().count, is: 2)
    _ = try store.care.repair(now: now) { _, _ in nil }
    expect(files.bytes(path(0x11)), is: bytes)
    expect(try problems().isEmpty)
  }

  @Test func `a file in the place of the journals is named, put aside, and they are written again`()
    throws
  {
    try files.rename(layout.journal, to: FilePath("/elsewhere"))
    try files.writeTemporary(layout.journal, Array("x".utf8), mode: 0o600)
    let named = Finding(.journal, at: layout.journal, .refused(code: ENOTDIR))
    try expect(store.care.verify(now: now).problems, is: [named])
    let actions = try store.care.repair(now: now) { _, _ in nil }
    expect(actions.contains(.madeDirectory(path: layout.journal.text)), "\(actions)")
    expect(try store.care.verify(now: now).problems.isEmpty)
    expect(try !store.journal.machines().isEmpty)
  }

  // MARK: Other files in the place of one

  @Test(arguments: ["another record", "some text"])
  func `a record's file that was replaced by another comes back`(other: String) throws {
    let bytes = files.bytes(path(0x11))
    var record = try store.read(Capsule.self, StoreScenario.id(0xff))
    record.model.unlockAt = record.model.unlockAt.adding(seconds: 1_000)
    _ = try store.update(record, now: now)
    let replacement =
      other == "some text" ? Array("text".utf8) : try require(files.bytes(path(0xff)))
    try files.setBytes(path(0x11), replacement)
    try expect(problems().count, is: 1)
    _ = try store.care.repair(now: now) { _, _ in nil }
    expect(files.bytes(path(0x11)), is: bytes)
  }

  @Test func `store.json and settings.json come back from the place of one another`() throws {
    try store.settings.change { settings in
      settings.set(.owner, to: .string("Anna"))
    }
    let (header, settings) = (files.bytes("/s/store.json"), files.bytes("/s/settings.json"))
    try files.setBytes("/s/store.json", try require(settings))
    try files.setBytes("/s/settings.json", try require(header))
    let again = try require(try StoreScenario.open(files, seed: 9))
    expect(again.header.id == store.header.id && again.headerProblem != nil)
    // A verification must not take the wrong files for the right ones.
    try expect(again.care.verify(now: now).problems.filter(\.isDamage).count, is: 2)
    _ = try again.care.repair(now: now) { _, _ in nil }
    expect(files.bytes("/s/store.json"), is: header)
    expect(files.bytes("/s/settings.json"), is: settings)
  }

  @Test func `a header on a bad sector is read from its copy, named, and left alone`() throws {
    _ = try store.care.verify(now: now)
    let bytes = files.bytes("/s/store.json")
    files.plan()
    _ = try StoreScenario.open(files, seed: 9)
    let read = try require(
      files.calls.first { $0.operation == .read && $0.path.text == "/s/store.json" })
    files.plan([.at(read.number, .fail(EIO))])
    let again = try require(try StoreScenario.open(files, seed: 9))
    let problem = Finding(.unreadable, at: layout.header, .refused(code: EIO))
    expect(again.header == store.header && again.headerProblem == problem)
    try expect(again.care.verify(now: now).problems, is: [problem])
    _ = try again.care.repair(now: now) { _, _ in nil }
    expect(files.bytes("/s/store.json"), is: bytes)
  }

  @Test func `a store that lost its header and all records is one that lost them`() throws {
    for number: UInt8 in [0x10, 0x11, 0xff] { try remove(number) }
    try files.unlink(layout.header)
    let again = try require(try StoreScenario.open(files, seed: 9))
    try expect(again.care.verify(now: now).problems.filter(\.isDamage).count, is: 4)
    _ = try again.care.repair(now: now) { _, _ in nil }
    let mended = try require(try StoreScenario.open(files, seed: 10))
    expect(try mended.care.verify(now: now).isSound)
    expect(try mended.read(Capsule.self, StoreScenario.id(0x11)).integrity == nil)
  }

  // MARK: The journal

  @Test func `a journal that lost a part is named once it was whole`() throws {
    try verifyAll(now: now.adding(seconds: 86_400))
    let log = try require(
      files.files(under: "/s/journal").keys.first { $0.hasSuffix("/11.log") })
    try files.unlink(FilePath(log))
    try expect(store.care.verify(now: now).problems, is: [Finding(.journal, at: FilePath(log))])
    expect(try store.care.verify(now: now).problems.isEmpty)
    let header = try require(
      files.files(under: "/s/journal").keys.first { $0.hasSuffix("/header") })
    try files.setBytes(header, Array("{}".utf8))
    try expect(store.care.verify(now: now).problems, is: [Finding(.journal, at: FilePath(header))])
    expect(try store.care.verify(now: now).problems.isEmpty)
  }

  @Test func `one flipped bit does not bring back what was purged`() throws {
    try store.trash.delete(.capsule, StoreScenario.id(0x11), now: now)
    _ = try store.trash.purge(try store.trash.records(.capsule), now: now)
    let log = try require(
      files.files(under: "/s/journal").first { $0.key.hasSuffix("/11.log") })
    for place in stride(from: 0, to: log.value.count, by: TestScale.count(full: 1, debug: 7)) {
      var bytes = log.value
      bytes[place] ^= 1
      try files.setBytes(log.key, bytes)
      expect(store.journal.roster().purged[StoreScenario.id(0x11)] != nil, "\(place)")
    }
  }

  // MARK: Reminders

  @Test func `care is asked for when it is overdue, once in thirty days`() throws {
    let settings = StoreSettings()
    func reminder(day: Int64) -> KeepingReminder? {
      store.care.takeReminder(settings, now: now.adding(seconds: day * 86_400))
    }
    expect(reminder(day: 0) == nil)
    expect(reminder(day: 29) == nil)
    let first = try require(reminder(day: 31))
    expect(first.verification == nil && first.backup?.days == 30 && first.backup?.last == nil)
    expect(reminder(day: 32) == nil && reminder(day: 60) == nil)
    let second = try require(reminder(day: 91))
    expect(second.verification?.days == 90 && second.backup != nil)
  }

  @Test func `what was done lately, or is never asked for, is not asked for`() throws {
    var settings = StoreSettings()
    settings.set(.backupEvery, to: .string("never"))
    expect(store.care.takeReminder(settings, now: now) == nil)
    try verifyAll(now: now.adding(seconds: 100 * 86_400))
    let later = now.adding(seconds: 110 * 86_400)
    expect(store.care.takeReminder(settings, now: later) == nil)
  }

  @Test func `damage is spoken of once a day`() throws {
    expect(store.care.takeReminder(StoreSettings(), now: now) == nil)
    try remove(0x11)
    try verifyAll(now: now)
    expect(store.care.takeReminder(StoreSettings(), now: now)?.hasFindings, is: true)
    expect(store.care.takeReminder(StoreSettings(), now: now.adding(seconds: 3_600)) == nil)
    let next = store.care.takeReminder(StoreSettings(), now: now.adding(seconds: 90_000))
    expect(next?.hasFindings, is: true)
  }

  @Test(arguments: [("90", 90), ("90 days", 90), ("1 day", 1), ("7d", 7)])
  func `a number of days is read`(text: String, days: Int64) {
    expect(Setting.verifyEvery.value(from: text), is: .integer(days))
  }

  @Test(arguments: ["0", "", "-1", "1.5", "3651", "2 weeks", "9\u{301}", "Never"])
  func `nothing else is a number of days`(text: String) {
    expect(Setting.backupEvery.value(from: text) == nil)
  }

  @Test func `a part that begins with the contents names the record of what is damaged`() throws {
    let other = try StoreScenario.stage(store, Array(StoreScenario.blobBytes.reversed()))
    try store.insert(StoreScenario.capsule(0x30, blob: other), blobs: [other])
    try files.setBytes(layout.blob(other.name).text, Array("rot".utf8))
    var plan = VerificationPlan()
    plan.start = .blobs(from: other.name)
    let finding = try require(try store.care.verify(plan, now: now).problems.first)
    expect(finding.kind == .blob && finding.blob == other.name, "\(finding)")
    expect(finding.record, is: RecordReference(.capsule, StoreScenario.id(0x30)))
  }

  @Test func `among the contents a foreign file is named, and a file in a shard's place put aside`()
    throws
  {
    let blob = try require(files.files(under: "/s/blobs").keys.first)
    let foreign = FilePath(blob).parent.appending("notes.txt")
    try files.setBytes(foreign.text, Array("x".utf8))
    try expect(store.care.verify(now: now).problems, is: [Finding(.foreign, at: foreign)])
    let shard = layout.blobs.appending(blob.contains("/blobs/00") ? "01" : "00")
    try files.setBytes(shard.text, Array("x".utf8))
    let named = Finding(.unreadable, at: shard, .refused(code: ENOTDIR))
    expect(try store.care.verify(now: now).problems.contains(named))
    let actions = try store.care.repair(now: now) { _, _ in nil }
    expect(actions.contains(.madeDirectory(path: shard.text)), "\(actions)")
    try expect(store.care.verify(now: now).problems, is: [Finding(.foreign, at: foreign)])
  }

  @Test func `the bytes of the contents are counted`() throws {
    let report = try store.care.verify(now: now)
    expect(report.blobs == 1 && report.bytes == Int64(StoreScenario.blobBytes.count))
  }

  @Test func `a list of known keys that cannot be read is a finding`() throws {
    let path = FilePath("/state/pins")
    try files.unlink(path)
    try files.createDirectory(path, mode: 0o700)
    let findings = try store.care.verify(now: now).problems.filter { $0.kind == .unreadable }
    expect(findings, is: [Finding(.unreadable, at: path, .refused(code: EISDIR))])
  }
}
