import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Records that another program wrote, and which of them a repair takes.
@Suite struct RepairAcceptingTests {
  private let files = SimulatedFileSystem()
  private let store: Store
  private let id = StoreScenario.id(0x11)
  private let path = StoreScenario.layout.record(.capsule, StoreScenario.id(0x11)).text
  private let now = StoreScenario.now

  init() throws {
    store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1),
      now: Instant(seconds: 1_600_000_000))
    try store.insert(StoreScenario.capsule(0x11))
  }

  private func text(of path: String) throws -> String {
    String(decoding: try require(files.bytes(path)), as: UTF8.self)
  }

  private func finding(_ damage: RecordDamage) -> Finding {
    Finding(.record, RecordReference(.capsule, id), at: FilePath(path), .damage(damage))
  }

  private func repair(_ request: RepairRequest = RepairRequest()) throws -> [RepairAction] {
    try store.care.repair(request, now: now) { _, _ in nil }
  }

  private func edit() throws {
    var record = try store.read(Capsule.self, id)
    record.model.title = "Newer"
    _ = try store.update(record, now: now)
  }

  private func removeJournals() throws {
    for path in files.files(under: "/s/journal").keys { try files.unlink(FilePath(path)) }
  }

  // MARK: Later revisions

  enum Place: String, CaseIterable, Sendable { case journal, trash, copy }

  @Test(arguments: Place.allCases)
  func `what is accepted stays, also where a later revision is known`(place: Place) throws {
    let byHand = try text(of: path).replacing("Capsule 17", with: "By hand")
    try edit()
    var request = RepairRequest()
    request.accepted = [id]
    var path = path
    switch place {
    case .journal: break
    case .trash:
      try store.trash.delete(.capsule, id, now: now)
      path = try require(try store.trash.records(.capsule).first).path.text
    case .copy:
      let report = try store.care.backUp(to: FilePath("/b"), keeping: nil, now: now)
      request.copies = [
        try require(
          try Store.open(
            at: FilePath(report.path), environment: StoreScenario.environment(files, seed: 9)))
      ]
      try removeJournals()
    }
    try files.setBytes(path, Array(byHand.utf8))
    try expect(repair(request), is: [.acceptedRecord(.capsule, id)])
    let bytes = try require(files.bytes(path))
    let (model, integrity) = try RecordFile.decode(bytes, as: Capsule.self, id: id)
    expect(model.title == "By hand" && model.header.revision == 3 && integrity == nil)
    request.accepted = []
    expect(try repair(request).isEmpty)
    expect(files.bytes(path), is: bytes)
    expect(try store.journal.versions(of: .capsule, id).first?.bytes, is: bytes)
  }

  @Test func `an earlier revision that nobody vouches for is replaced, and no more is said`() throws
  {
    let old = try text(of: path)
    let line = try require(old.split(separator: "\n").first { $0.contains("\"checksum\"") })
    try edit()
    let new = files.bytes(path)
    try files.setBytes(path, Array(old.replacing("\(line)\n", with: "").utf8))
    try expect(repair(), is: [.restoredRecord(.capsule, id, revision: 2)])
    expect(files.bytes(path), is: new)
  }

  /// A change to a record that cannot be read any more, and whether the version of the journal takes its place.
  @Test(arguments: [
    ("\"rev\": 1", "\"rev\": 9", false), ("\"2027-", "\"2033-", false),
    ("Capsule 17", "By hand", true),
  ])
  func `an unreadable record stays where it was newer, or locked for longer`(
    old: String, new: String, isReplaced: Bool
  ) throws {
    let written = try text(of: path)
    try require(written.contains(old))
    let line = try require(written.split(separator: "\n").first { $0.contains("\"checksum\"") })
    let changed = written.replacing("\(line)\n", with: "").replacing(old, with: new).dropLast(3)
    try files.setBytes(path, Array(changed.utf8))
    let actions = try repair()
    if isReplaced {
      expect(actions, is: [.restoredRecord(.capsule, id, revision: 1)])
      try expect(text(of: path), is: written)
    } else {
      expect(actions.count == 1 && actions[0].isFailure, "\(actions)")
      try expect(text(of: path), is: String(changed))
      expect(files.files(under: "/s/backups").values.contains(Array(changed.utf8)))
    }
  }

  @Test func `a record of a newer format is left alone`() throws {
    var fields = try RecordFile.decode(try require(files.bytes(path))).fields
    fields["schema"] = 99
    let bytes = RecordFile.encode(fields)
    try files.setBytes(path, bytes)
    try expect(repair(), is: [.cannotMend(finding(.newer(99)))])
    expect(files.bytes(path), is: bytes)
  }

  // MARK: Copies

  /// A request with a copy of the store as it is now, and the place of the record in it.
  private func copied() throws -> (request: RepairRequest, path: String) {
    let report = try store.care.backUp(to: FilePath("/b"), keeping: nil, now: now)
    let copy = try require(
      try Store.open(
        at: FilePath(report.path), environment: StoreScenario.environment(files, seed: 9)))
    var request = RepairRequest()
    request.copies = [copy]
    return (request, copy.layout.record(.capsule, id).text)
  }

  @Test func `a damaged record waits for a copy of it that cannot be read now`() throws {
    let (request, copy) = try copied()
    let written = try text(of: path)
    let bytes = Array(written.replacing("Capsule 17", with: "By hand").utf8)
    try removeJournals()
    for path in files.files(under: "/b").keys where path.contains("/journal/") {
      try files.unlink(FilePath(path))
    }
    try files.setBytes(path, bytes)
    files.plan([.on(.read, path: copy, .fail(5))])
    try expect(
      repair(request),
      is: [
        .cannotMend(
          Finding(
            .unreadable, RecordReference(.capsule, id), at: FilePath(copy), .refused(code: 5)))
      ])
    files.plan()
    expect(files.bytes(path), is: bytes)
    try expect(repair(request), is: [.mendedRecord(.capsule, id, by: .copy, changed: ["title"])])
    try expect(text(of: path), is: written)
  }

  @Test func `a later revision of a copy that unlocks earlier is refused`() throws {
    let (request, copy) = try copied()
    let written = files.bytes(path)
    var fields = try RecordFile.decode(try require(written)).fields
    fields["rev"] = 9
    fields["unlockAt"] = "2026-12-24T00:00:00Z"
    try files.setBytes(copy, RecordFile.encode(fields))
    let refused = try repair(request).filter { action in
      if case .refusedRecord(.capsule, id, .breaksRule(.neverEarlier)) = action {
        true
      } else {
        false
      }
    }
    expect(refused.count, is: 1)
    expect(files.bytes(path), is: written)
  }

  // MARK: Settings

  @Test func `settings by hand are accepted where nothing proves the earlier ones`() throws {
    try store.settings.change { $0.set(.owner, to: .string("Ada Berg")) }
    let changed = try text(of: "/s/settings.json").replacing("Ada Berg", with: "Lena Okoye")
    try removeJournals()
    try files.setBytes("/s/settings.json", Array(changed.utf8))
    try expect(repair(), is: [.acceptedSettings])
    try expect(store.settings.intact().owner, is: "Lena Okoye")
  }

  @Test func `settings that nothing can read any more are put aside`() throws {
    try store.settings.change { $0.set(.owner, to: .string("Ada Berg")) }
    try removeJournals()
    try files.setBytes("/s/settings.json", Array("{".utf8))
    try expect(repair(), is: [.resetSettings])
    expect(files.bytes("/s/settings.json") == nil)
    expect(files.files(under: "/s/backups").values.contains(Array("{".utf8)))
  }

  // MARK: Other lines

  enum Lines: String, CaseIterable, Sendable {
    case tabs, four, compact

    func of(_ text: String) throws -> [UInt8] {
      switch self {
      case .tabs: Array(text.replacing("  ", with: "\t").utf8)
      case .four: Array(text.replacing("  ", with: "    ").utf8)
      case .compact: try JSON.parse(Array(text.utf8)).encoded(.compact)
      }
    }
  }

  @Test(arguments: Lines.allCases)
  func `a record in other lines is the same one, and its checksum proves it`(lines: Lines) throws {
    let written = files.bytes(path)
    try removeJournals()
    try files.setBytes(path, try lines.of(try text(of: path)))
    expect(
      try store.care.verify(now: now).problems.contains(finding(.checksum)))
    try expect(repair(), is: [.mendedRecord(.capsule, id, by: .checksum, changed: [])])
    expect(files.bytes(path), is: written)
  }

  @Test(arguments: Lines.allCases)
  func `what was changed in other lines is put back by the journal`(lines: Lines) throws {
    let written = files.bytes(path)
    let changed = try text(of: path).replacing("Capsule 17", with: "rotten")
    try files.setBytes(path, try lines.of(changed))
    try expect(repair(), is: [.mendedRecord(.capsule, id, by: .journal, changed: ["title"])])
    expect(files.bytes(path), is: written)
  }

  @Test(arguments: Lines.allCases)
  func `settings in other lines are those that were written`(lines: Lines) throws {
    try store.settings.change { $0.set(.spanUnits, to: 3) }
    let written = files.bytes("/s/settings.json")
    let changed = try text(of: "/s/settings.json").replacing(": 3", with: ": 4")
    try files.setBytes("/s/settings.json", try lines.of(changed))
    try expect(
      store.care.verify(now: now).problems,
      is: [Finding(.settings, own: "settings.json", .damage(.checksum))])
    try expect(repair(), is: [.mendedSettings])
    expect(files.bytes("/s/settings.json"), is: written)
  }

  @Test(arguments: ["", "\n  \"checksum\": 7,", "\n  \"checksum\": \"\","])
  func `a record without a checksum proves nothing, and is accepted as it stands`(
    line: String
  ) throws {
    let text = try text(of: path)
    let old = try require(text.split(separator: "\n").first { $0.contains("\"checksum\"") })
    let changed = text.replacing("\n\(old)", with: line).replacing("Capsule 17", with: "By hand")
    try files.setBytes(path, Array(changed.utf8))
    try expect(
      store.care.verify(now: now).problems, is: [finding(.noChecksum)])
    try expect(repair(), is: [.acceptedRecord(.capsule, id)])
    try expect(store.readIntact(Capsule.self, id).model.title, is: "By hand")
  }
}
