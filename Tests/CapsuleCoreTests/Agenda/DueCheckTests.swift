import Testing

@testable import CapsuleCore

/// One check of a store of every kind that has dates, without a terminal.
@Suite struct DueCheckTests {
  private static let created = Instant(seconds: 1_700_000_000)
  private static let directory = FilePath("/state/check")
  private let files = SimulatedFileSystem()
  private let store: Store

  init() throws {
    store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1),
      now: Self.created)
  }

  private static func header(_ number: UInt8) -> RecordHeader {
    RecordHeader(id: StoreScenario.id(number), createdAt: created)
  }

  private static var calendar: EventCalendar {
    EventCalendar(zone: .utc, leapDay: .february28) { _ in .utc }
  }

  /// A capsule, a deadline, an item and a bequest, each due at its own hour after the beginning.
  private func fill() throws {
    var deadline = Event(
      header: Self.header(2), title: "Tax", moment: .instant(Self.created.adding(seconds: 7200)),
      zone: "UTC")
    deadline.isDeadline = true
    var item = Item(header: Self.header(3), name: "Plant")
    item.reminder = Reminder(every: 3, .hour, since: Self.created)
    try store.insert(deadline)
    try store.insert(item)
    try store.insert(Beneficiary(header: Self.header(4), name: "Mia"))
    try store.insert(
      Bequest(
        header: Self.header(5), subject: RecordReference(.item, item.id),
        beneficiary: StoreScenario.id(4), access: .afterDate(Self.created.adding(seconds: 3600))))
    try store.insert(
      Capsule(
        header: Self.header(1), title: "Letter", notes: "", tags: [],
        unlockAt: Self.created.adding(seconds: 14_400), unlockZone: "UTC",
        lock: Lock(kind: .honor, key: "key", recipient: "recipient", timelock: nil), contents: []))
  }

  private func check(through seconds: Int64, zone: String = "UTC") -> DueCheck {
    let end = Self.created.adding(seconds: seconds)
    return DueCheck(
      store, directory: Self.directory, through: end, now: end, calendar: Self.calendar,
      zone: zone)
  }

  private func topics(
    through seconds: Int64, after start: Instant = created, known: Ledger.Known = Ledger.Known()
  ) -> [String] {
    var check = check(through: seconds)
    return check.dues(after: start, known: known) { Issue.record($0) }.map(\.announcement.topic)
  }

  @Test func `each kind announces what became due, the earliest first`() throws {
    try fill()
    #expect(topics(through: 3599) == [])
    #expect(topics(through: 3600) == ["accessible"])
    #expect(topics(through: 14_400) == ["accessible", "over", "reminder", "unlock"])
    #expect(
      topics(through: 14_400, after: Self.created.adding(seconds: 10_800)) == ["unlock"])
  }

  @Test func `what the ledger knows is not due again`() throws {
    try fill()
    var ledger = try #require(
      try Ledger.open(Self.directory, environment: store.environment, now: Self.created))
    defer { ledger.close() }
    var check = check(through: 14_400)
    for due in check.dues(after: ledger.firstUse, known: ledger.known, report: { Issue.record($0) })
      .prefix(2)
    {
      try ledger.mark(due.announcement)
    }
    #expect(topics(through: 14_400, known: ledger.known) == ["reminder", "unlock"])
  }

  @Test func `what was due at the first use is counted, kind by kind`() throws {
    try fill()
    var check = check(through: 20_000)
    let all = check.count(dueThrough: Self.created.adding(seconds: 14_400))
    #expect(all.count == 4)
    #expect(all.kinds == [.capsule, .event, .item, .bequest])
    let early = check.count(dueThrough: Self.created.adding(seconds: 7199))
    #expect(early.count == 1)
    #expect(early.kinds == [.bequest])
  }

  /// Returns whether a check at a time, in a zone of this name, finds that nothing is new.
  private func hasNothingNew(at seconds: Int64, zone: String = "UTC") -> Bool {
    var check = check(through: seconds, zone: zone)
    return check.hasNothingNew()
  }

  @Test func `nothing is new until something becomes due or changes`() throws {
    try fill()
    let ledger = try #require(
      try Ledger.open(Self.directory, environment: store.environment, now: Self.created))
    ledger.close()
    #expect(!hasNothingNew(at: 100))
    var first = check(through: 100)
    first.keepNothingLeft()
    #expect(hasNothingNew(at: 3599))
    // The bequest is due.
    #expect(!hasNothingNew(at: 3600))
    // In another zone dates are other instants.
    #expect(!hasNothingNew(at: 200, zone: "Europe/Paris"))
    #expect(!hasNothingNew(at: 99))
    try store.insert(Item(header: Self.header(9), name: "New"))
    #expect(!hasNothingNew(at: 300))
  }

  @Test func `a record that cannot be read is reported, and the others are due`() throws {
    try fill()
    let path = StoreScenario.layout.record(.capsule, StoreScenario.id(1))
    try files.unlink(path)
    try files.withFile(path, .createExclusive(mode: 0o600)) { file throws(FileSystemError) in
      try files.writeAll(file, Array("no record".utf8))
    }
    var check = check(through: 14_400)
    var paths: [String] = []
    let dues = check.dues(after: Self.created, known: Ledger.Known()) { problem in
      if case .unreadable(let path) = problem { paths.append(path) } else { Issue.record(problem) }
    }
    #expect(dues.map(\.announcement.topic) == ["accessible", "over", "reminder"])
    #expect(paths == [path.text])
  }
}
