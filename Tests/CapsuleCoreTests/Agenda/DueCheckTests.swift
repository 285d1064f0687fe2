import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

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

  private func announcements(
    through seconds: Int64, after start: Instant = created, known: Ledger.Known = Ledger.Known()
  ) throws -> [Announcement] {
    var check = check(through: seconds)
    var queue = check.dues(after: start, known: known) { Issue.record($0) }
    var found: [Announcement] = []
    while let due = try queue.next() { found.append(due.announcement) }
    return found
  }

  private func ledger(at now: Instant = created) throws -> Ledger {
    try require(try Ledger.open(of: store, in: Self.directory, now: now))
  }

  private func topics(
    through seconds: Int64, after start: Instant = created, known: Ledger.Known = Ledger.Known()
  ) throws -> [String] {
    try announcements(through: seconds, after: start, known: known).map(\.topic)
  }

  @Test func `each kind announces what became due, the earliest first`() throws {
    try fill()
    try expect(topics(through: 3599), is: [])
    try expect(topics(through: 3600), is: ["accessible"])
    try expect(topics(through: 14_400), is: ["accessible", "over", "reminder", "unlock"])
    try expect(
      topics(through: 14_400, after: Self.created.adding(seconds: 10_800)), is: ["unlock"])
  }

  @Test func `a warranty is announced once, at the start of its last day`() throws {
    var item = Item(header: Self.header(3), name: "Drill")
    let day = try require(Moment.instant(Self.created).date(in: .utc).adding(days: 2))
    item.warrantyUntil = day
    item.reminder = Reminder(every: 3, .day, since: Self.created)
    try store.insert(item)
    let start = Moment.day(day).start(in: .utc).seconds(since: Self.created)
    try expect(topics(through: start - 1), is: [])
    try expect(topics(through: start), is: ["warranty"])
    var ledger = try ledger()
    defer { ledger.close() }
    try ledger.mark(announcements(through: start))
    try expect(topics(through: start, known: ledger.known), is: [])
    try expect(topics(through: 3 * 86_400, known: ledger.known), is: ["reminder"])
    var check = check(through: 10 * 86_400)
    expect(check.count(dueThrough: Self.created.adding(seconds: start)).count, is: 0)
  }

  @Test func `what the ledger knows is not due again`() throws {
    try fill()
    var ledger = try ledger()
    defer { ledger.close() }
    let dues = try announcements(through: 14_400, after: ledger.firstUse, known: ledger.known)
    try ledger.mark(Array(dues.prefix(2)))
    try expect(topics(through: 14_400, known: ledger.known), is: ["reminder", "unlock"])
  }

  @Test func `what was due at the first use is counted, kind by kind`() throws {
    try fill()
    var check = check(through: 20_000)
    let all = check.count(dueThrough: Self.created.adding(seconds: 14_400))
    expect(all.count, is: 4)
    expect(all.kinds, is: [.capsule, .event, .item, .bequest])
    let early = check.count(dueThrough: Self.created.adding(seconds: 7199))
    expect(early.count, is: 1)
    expect(early.kinds, is: [.bequest])
  }

  /// Returns whether a check at a time, in a zone of this name, finds that nothing is new.
  private func hasNothingNew(at seconds: Int64, zone: String = "UTC") -> Bool {
    var check = check(through: seconds, zone: zone)
    return check.hasNothingNew()
  }

  @Test func `nothing is new until something becomes due or changes`() throws {
    try fill()
    try ledger().close()
    expect(!hasNothingNew(at: 100))
    var first = check(through: 100)
    first.keepNothingLeft()
    expect(hasNothingNew(at: 3599))
    // The bequest is due.
    expect(!hasNothingNew(at: 3600))
    // In another zone dates are other instants.
    expect(!hasNothingNew(at: 200, zone: "Europe/Paris"))
    expect(!hasNothingNew(at: 99))
    try store.insert(Item(header: Self.header(9), name: "New"))
    expect(!hasNothingNew(at: 300))
  }

  @Test func `a record that cannot be read is reported, and the others are due`() throws {
    try fill()
    let path = StoreScenario.layout.record(.capsule, StoreScenario.id(1))
    try files.unlink(path)
    try files.withFile(path, .createExclusive(mode: 0o600)) { file throws(Fault) in
      try files.writeAll(file, Array("no record".utf8))
    }
    var check = check(through: 14_400)
    var paths: [String] = []
    var dues = check.dues(after: Self.created, known: Ledger.Known()) { problem in
      paths.append("\(problem)")
    }
    var topics: [String] = []
    while let due = try dues.next() { topics.append(due.announcement.topic) }
    expect(topics, is: ["accessible", "over", "reminder"])
    expect(paths, is: ["'\(path.text)' cannot be read"])
  }

  @Test func `of a record with several things due each has its place among the others`() throws {
    try fill()
    var event = Event(
      header: Self.header(6), title: "Feast", moment: .instant(Self.created.adding(seconds: 9000)),
      zone: "UTC")
    event.alerts = ["2 hours before", "1 hour before"].compactMap { EventAlert($0) }
    event.isDeadline = true
    try store.insert(event)
    try expect(
      topics(through: 14_400),
      is: ["accessible", "alert:1-hour-before", "over", "over", "reminder", "unlock"])
  }

  @Test func `of the alerts of one occurrence the last that became due counts`() throws {
    var event = Event(
      header: Self.header(6), title: "Feast", moment: .instant(Self.created.adding(seconds: 9000)),
      zone: "UTC")
    event.alerts = ["2 hours before", "at the time", "1 hour before"].compactMap { EventAlert($0) }
    try store.insert(event)
    var ledger = try ledger()
    defer { ledger.close() }
    for (seconds, topic) in [
      (1800, "alert:2-hours-before"), (5400, "alert:1-hour-before"), (9000, "alert:at-the-time"),
    ] as [(Int64, String)] {
      try expect(topics(through: seconds), is: [topic])
      try ledger.mark(announcements(through: seconds, known: ledger.known))
      try expect(topics(through: seconds, known: ledger.known), is: [])
    }
  }

  @Test func `an alert that was passed over is not announced when the other one goes`() throws {
    var event = Event(
      header: Self.header(6), title: "Feast", moment: .instant(Self.created.adding(seconds: 9000)),
      zone: "UTC")
    event.alerts = ["2 hours before", "1 hour before"].compactMap { EventAlert($0) }
    try store.insert(event)
    var ledger = try ledger()
    defer { ledger.close() }
    try ledger.mark(announcements(through: 6000))
    var record = try store.read(Event.self, event.id)
    record.model.alerts = ["2 hours before"].compactMap { EventAlert($0) }
    _ = try store.update(record, now: Self.created)
    try expect(topics(through: 6000, known: ledger.known), is: [])
  }

  /// The bytes of the ledger's file.
  private func text() throws -> String {
    String(
      decoding: try files.readFile(Self.directory.appending("announced"), limit: 4096),
      as: UTF8.self)
  }

  private func write(_ text: String) throws {
    let path = Self.directory.appending("announced")
    try files.unlink(path)
    try files.withFile(path, .append(mode: 0o600)) { file throws(Fault) in
      try files.writeAll(file, Array(text.utf8))
    }
  }

  @Test(arguments: [
    "", "first-use 1700000000 00000000\n", "first-use 2524608000 fcf3adeb\n", "\n\n",
  ]) func `a first use that is lost, damaged or to come loses no announcement`(line: String) throws
  {
    try fill()
    try ledger().close()
    let unlock = Announcement(
      kind: .capsule, id: StoreScenario.id(1), topic: "unlock",
      instant: Self.created.adding(seconds: 14_400))
    var before = try ledger()
    try before.mark([unlock])
    before.close()
    let lines = try text().split(separator: "\n")
    expect(lines.count, is: 2)
    try write(line + lines[1] + "\n")
    let later = Self.created.adding(seconds: 20_000)
    let found = try ledger(at: later)
    defer { found.close() }
    expect(found.firstUse <= Self.created)
    try expect(
      topics(through: 20_000, after: found.firstUse, known: found.known),
      is: ["accessible", "over", "reminder"])
  }

  @Test func `a ledger that was emptied is one of a first use`() throws {
    try ledger().close()
    try write("")
    let later = Self.created.adding(seconds: 20_000)
    let found = try ledger(at: later)
    defer { found.close() }
    expect(found.firstUse, is: later)
  }

  @Test func `what was summed up keeps the first use where its own line is damaged`() throws {
    var first = try ledger(at: Self.created.adding(seconds: 100))
    try first.markFirstUseAnnounced()
    first.close()
    try write(try text().split(separator: "\n").dropFirst().joined() + "\n")
    let found = try ledger(at: Self.created.adding(seconds: 200))
    defer { found.close() }
    expect(found.firstUse, is: Self.created.adding(seconds: 100))
    expect(found.known.isFirstUseAnnounced)
  }

  @Test func `what there is room for is marked on a disk that has filled up since`() throws {
    try fill()
    var ledger = try ledger()
    let dues = try announcements(through: 14_400)
    try ledger.reserve(dues)
    files.withDisk { $0.capacity = $0.used }
    try ledger.mark(dues)
    ledger.close()
    let known = try Ledger.read(of: store, in: Self.directory, now: Self.created)
    expect(dues.allSatisfy { known.contains($0) })
    try expect(text().split(separator: "\n", omittingEmptySubsequences: false).count, is: 6)
  }

  @Test func `on a full disk no room is promised`() throws {
    try fill()
    var ledger = try ledger()
    defer { ledger.close() }
    let dues = try announcements(through: 14_400)
    files.withDisk { $0.capacity = $0.used }
    expect(throws: Fault.self) { try ledger.reserve(dues) }
  }

  @Test func `room that was not needed is used by the next, or ends with the ledger`() throws {
    try fill()
    var ledger = try ledger()
    let dues = try announcements(through: 14_400)
    try ledger.reserve(dues)
    try ledger.mark([dues[0]])
    let size = try text().utf8.count
    files.closeAll()
    var next = try self.ledger()
    try next.reserve(Array(dues.dropFirst()))
    try expect(text().utf8.count, is: size)
    try next.mark([dues[1]])
    next.close()
    expect(try text().hasSuffix(try require(text().split(separator: "\n").last) + "\n"))
    expect(next.known.contains(dues[0]) && next.known.contains(dues[1]))
  }

  @Test func `for the sum of the first use room is secured too`() throws {
    var ledger = try ledger()
    defer { ledger.close() }
    files.withDisk { $0.capacity = $0.used }
    expect(throws: Fault.self) { try ledger.reserve(firstUse: true) }
    files.withDisk { $0.capacity = nil }
    try ledger.reserve(firstUse: true)
    files.withDisk { $0.capacity = $0.used }
    try ledger.markFirstUseAnnounced()
  }

  @Test func `the lines stand one after the other, in one opening and in the next`() throws {
    try fill()
    let dues = try announcements(through: 14_400)
    var first = try ledger()
    for due in dues.prefix(2) { try first.mark([due]) }
    first.close()
    var second = try ledger()
    try second.mark([dues[2]])
    second.close()
    let lines = Array(try text().utf8).split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    expect(lines.count == 5 && lines.last?.isEmpty == true)
    expect(lines.dropLast().allSatisfy { Ledger.checked($0) != nil })
  }

  @Test func `room that nobody used goes with the ledger`() throws {
    try fill()
    var ledger = try ledger()
    let before = try text()
    try ledger.reserve(try announcements(through: 14_400))
    expect(try text().utf8.count > before.utf8.count)
    ledger.close()
    try expect(text(), is: before)
  }
}
