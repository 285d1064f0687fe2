import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// A run that announces: what is reserved, handed over and marked, and in which order.
@Suite struct AnnouncementRunTests {
  private static let created = Instant(seconds: 1_700_000_000)
  private static let now = created.adding(seconds: 86_400)
  private let files = SimulatedFileSystem()
  private let store: Store
  private let directory: FilePath

  init() throws {
    store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1),
      now: Self.created)
    directory = try require(store.stateDirectory)
    let first = try require(try Ledger.open(of: store, in: directory, now: Self.created))
    first.close()
  }

  /// A front end that notes what it gets.
  private struct Front: AnnouncementSink {
    var takesAllAtOnce = false
    var hasFailed = false
    /// The things that cannot be handed over, by their ids.
    var refused: Set<RecordID> = []
    /// The sizes of the batches: of the sum of earlier ones, of messages, of dues.
    var batches: [[Int]] = []
    var unreachable: [RecordID] = []
    var problems = 0
    var looks: () -> Void = {}

    mutating func report(_ problem: Fault) {
      problems += 1
      hasFailed = true
    }

    mutating func report(unreachable: [RecordID]) { self.unreachable = unreachable }

    mutating func announce(_ batch: AnnouncementBatch, _ marks: inout AnnouncementMarks) throws {
      looks()
      batches.append([batch.earlier?.count ?? 0, batch.messages.count, batch.dues.count])
      if batch.earlier != nil { try marks.markEarlier() }
      for message in batch.messages { try marks.mark(message, at: AnnouncementRunTests.now) }
      for due in batch.dues {
        if refused.contains(due.announcement.id) { hasFailed = true } else { try marks.mark([due]) }
      }
    }
  }

  private func run(_ end: Instant = now, silence: SilenceCheck? = nil) throws -> AnnouncementRun {
    try AnnouncementRun(
      store, through: end, now: end,
      calendar: EventCalendar(zone: .utc, leapDay: .february28) { _ in .utc }, zone: "UTC",
      silence: silence)
  }

  private func add(_ numbers: ClosedRange<UInt8>, after seconds: Int64 = 3600) throws {
    for number in numbers {
      try store.insert(
        Capsule(
          header: RecordHeader(id: StoreScenario.id(number), createdAt: Self.created),
          title: "Letter \(number)", notes: "", tags: [],
          unlockAt: Self.created.adding(seconds: seconds + Int64(number)), unlockZone: "UTC",
          lock: Lock(kind: .honor, key: "key", recipient: "recipient", timelock: nil), contents: [])
      )
    }
  }

  @Test func `each thing is announced once, and one that was refused again`() throws {
    try add(1...3)
    var front = Front(refused: [StoreScenario.id(2)])
    var run = try run()
    try expect(run.announce(to: &front), is: .announced(2))
    expect(front.batches, is: [[0, 0, 3]])
    front = Front()
    var next = try self.run()
    try expect(next.announce(to: &front), is: .announced(1))
    expect(front.batches, is: [[0, 0, 1]])
    front = Front()
    var last = try self.run()
    try expect(last.announce(to: &front), is: .announced(0))
    expect(front.batches.isEmpty)
  }

  @Test func `what was due before the first use is summed up first, once`() throws {
    try add(1...2, after: -3600)
    try add(3...3)
    var front = Front()
    var run = try run()
    try expect(run.announce(to: &front), is: .announced(2))
    expect(front.batches, is: [[2, 0, 0], [0, 0, 1]])
    front = Front()
    try add(4...4)
    var next = try self.run()
    try expect(next.announce(to: &front), is: .announced(1))
    expect(front.batches, is: [[0, 0, 1]])
  }

  @Test func `one letter gets all of it`() throws {
    try add(1...2, after: -3600)
    try add(3...3)
    var front = Front(takesAllAtOnce: true)
    var run = try run()
    try expect(run.announce(to: &front), is: .announced(2))
    expect(front.batches, is: [[2, 0, 1]])
  }

  @Test func `what fills more than one batch is marked as it goes`() throws {
    for number in UInt8(1)...255 { try add(number...number) }
    try store.insert(
      StoreScenario.capsule(0).due(Self.created.adding(seconds: 1), id: StoreScenario.id(0)))
    try store.insert(
      StoreScenario.capsule(0).due(
        Self.created.adding(seconds: 2),
        id: try require(RecordID("00000000-0000-4000-8000-0000000000ff"))))
    var front = Front()
    var run = try run()
    try expect(run.announce(to: &front), is: .announced(257))
    expect(front.batches, is: [[0, 0, 256], [0, 0, 1]])
  }

  @Test func `where nothing can be kept nothing is announced`() throws {
    try add(1...3)
    files.withDisk { $0.capacity = $0.used }
    var front = Front()
    var run = try run()
    expect(throws: Fault.self) { try run.announce(to: &front) }
    expect(front.batches.isEmpty)
  }

  @Test func `what was handed over is marked on a disk that has filled up since`() throws {
    try add(1...3)
    var front = Front(looks: { files.withDisk { $0.capacity = $0.used } })
    var run = try run()
    try expect(run.announce(to: &front), is: .announced(3))
    let known = try Ledger.read(of: store, in: directory, now: Self.now)
    expect(
      known.contains(
        Announcement(
          kind: .capsule, id: StoreScenario.id(3), topic: "unlock",
          instant: Self.created.adding(seconds: 3603))))
  }

  @Test func `a record that another process deletes meanwhile announces nothing`() throws {
    try add(1...2)
    let known = try Ledger.read(of: store, in: directory, now: Self.now)
    var check = DueCheck(
      store, directory: directory, through: Self.now, now: Self.now,
      calendar: EventCalendar(zone: .utc, leapDay: .february28) { _ in .utc }, zone: "UTC")
    var queue = check.dues(after: Self.created, known: known) { _ in }
    try files.unlink(store.layout.record(.capsule, StoreScenario.id(1)))
    try expect(queue.next()?.announcement.id, is: StoreScenario.id(2))
    try expect(queue.next() == nil)
  }

  @Test func `while another process announces it does nothing`() throws {
    try add(1...1)
    let other = try require(try Ledger.open(of: store, in: directory, now: Self.now))
    var front = Front()
    var run = try run()
    try expect(run.announce(to: &front), is: .busy)
    other.close()
    expect(front.batches.isEmpty)
    try expect(run.announce(to: &front), is: .announced(1))
  }

  @Test func `a preview goes through all of it until it is stopped, and keeps nothing`() throws {
    try add(1...3)
    var run = try run()
    var sizes: [Int] = []
    for _ in 0..<2 {
      try run.preview(report: { Issue.record($0) }) { batch in
        sizes.append(batch.dues.count)
        return false
      }
    }
    expect(sizes, is: [3, 3])
  }

  @Test func `the owner and the witnesses are told a step once, and who cannot be is named`() throws
  {
    var mia = Beneficiary(
      header: RecordHeader(id: StoreScenario.id(7), createdAt: Self.created), name: "Mia")
    mia.email = "mia@example.org"
    try store.insert(mia)
    _ = try store.switch.change(now: Self.created) { terms in
      var new = SilenceSwitch()
      new.witnesses = [mia.id]
      terms = new
    }
    let late = Self.created.adding(seconds: 31 * 86_400)
    func announce(_ end: Instant) throws -> Front {
      let settings = try store.settings.read().settings
      var front = Front()
      var run = try run(end, silence: try SilenceCheck(store, settings, at: end, now: end))
      _ = try run.announce(to: &front)
      return front
    }
    expect(try announce(Self.now).batches.isEmpty)
    try expect(announce(late).batches, is: [[0, 1, 0]])
    expect(try announce(late).batches.isEmpty)
    _ = try store.trash.delete(.beneficiary, mia.id, now: late)
    let later = late.adding(seconds: 7 * 86_400)
    let front = try announce(later)
    expect(front.batches, is: [[0, 1, 0]])
    expect(front.unreachable, is: [mia.id])
  }
}

extension Capsule {
  /// Returns the same under another id and unlock time.
  fileprivate func due(_ instant: Instant, id: RecordID) -> Capsule {
    Capsule(
      header: RecordHeader(id: id, createdAt: Instant(seconds: 1_600_000_000)), title: title,
      notes: "", tags: [], unlockAt: instant, unlockZone: "UTC", lock: lock, contents: [])
  }
}
