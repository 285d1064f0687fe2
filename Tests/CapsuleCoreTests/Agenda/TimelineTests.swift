import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// The timeline, countdowns and zones by name, without a terminal.
@Suite struct TimelineTests {
  private static let now = Instant(seconds: 1_700_000_000)
  private let files = SimulatedFileSystem()
  private let store: Store

  init() throws {
    store = try Store.openOrCreate(
      at: StoreScenario.root, environment: StoreScenario.environment(files, seed: 1),
      now: Self.now)
  }

  private func event(_ number: UInt8, in seconds: Int64, daily: Bool = false) throws {
    var event = Event(
      header: RecordHeader(id: StoreScenario.id(number), createdAt: Self.now),
      title: "Event \(number)", moment: .instant(Self.now.adding(seconds: seconds)), zone: "UTC")
    if daily { event.recurrence = Recurrence(every: 1, .day) }
    try store.insert(event)
  }

  private func capsule(_ number: UInt8, in seconds: Int64) throws {
    try store.insert(
      Capsule(
        header: RecordHeader(id: StoreScenario.id(number), createdAt: Self.now),
        title: "Capsule \(number)", notes: "", tags: [],
        unlockAt: Self.now.adding(seconds: seconds), unlockZone: "UTC",
        lock: Lock(kind: .honor, key: "key", recipient: "recipient", timelock: nil), contents: []))
  }

  private var context: TimelineContext {
    let calendar = EventCalendar(zone: .utc, leapDay: .february28) { _ in .utc }
    return TimelineContext(store, now: Self.now, calendar: calendar)
  }

  private func titles(_ span: TimelineSpan, kinds: [RecordKind] = []) -> [String] {
    Timeline(context, kinds: kinds).occurrences(in: span).map(\.title)
  }

  @Test(arguments: [0, 1, 2, 3, 50, 300], [1, 2, 7, 299, 300, Int.max])
  func `what is added in any order is given back in order, each once`(
    count: Int, limit: Int
  ) {
    var random = SeededGenerator(seed: UInt64(count))
    var first = FirstOccurrences(limit: limit, in: .utc)
    var added: [Occurrence] = []
    for number in 0..<count {
      // Many begin together.
      let instant = Instant(seconds: Int64.random(in: 0..<20, using: &random))
      let occurrence = Occurrence(
        kind: .event, id: RecordID(high: 1, low: UInt64(number)),
        title: "T\(Int.random(in: 0..<3, using: &random))", happening: .event,
        moment: .instant(instant))
      added.append(occurrence)
      first.add(occurrence)
    }
    let sorted = added.sorted {
      ($0.moment.start(in: .utc), $0.title, $0.id) < ($1.moment.start(in: .utc), $1.title, $1.id)
    }
    expect(first.elements().map(\.id), is: sorted.prefix(limit).map(\.id))
  }

  @Test func `a limit keeps the first over all kinds`() throws {
    let day: Int64 = 86_400
    try event(1, in: 10, daily: true)
    try event(2, in: day)
    try event(3, in: 5 * day)
    try capsule(4, in: 2 * day)
    try capsule(5, in: 9 * day)
    let all = titles(TimelineSpan(from: Self.now, before: Self.now.adding(seconds: 10 * day)))
    expect(all.count, is: 14)
    for limit in 1...14 {
      expect(titles(TimelineSpan(from: Self.now, limit: limit)), is: Array(all.prefix(limit)))
    }
    expect(
      titles(TimelineSpan(from: Self.now, limit: 10, isOncePerRecord: true)),
      is: ["Event 1", "Event 2", "Capsule 4", "Event 3", "Capsule 5"])
    expect(titles(TimelineSpan(from: Self.now, limit: 1), kinds: [.capsule]), is: ["Capsule 4"])
  }

  /// An event of a whole day, which is a deadline or not.
  private func day(_ number: UInt8, _ date: String, isDeadline: Bool = false) throws {
    var event = Event(
      header: RecordHeader(id: StoreScenario.id(number), createdAt: Self.now),
      title: "Day \(number)", moment: .day(try require(CivilDate(iso8601: date))), zone: "")
    event.isDeadline = isDeadline
    try store.insert(event)
  }

  @Test func `of one day what has a time comes next before what is all day`() throws {
    // It is 2023-11-14 22:13:20.
    try day(1, "2023-11-14")
    try day(2, "2023-11-15")
    try capsule(3, in: 600)
    try event(4, in: 86_400)
    expect(
      titles(TimelineSpan(from: Self.now, by: .next)),
      is: ["Capsule 3", "Day 1", "Event 4", "Day 2"])
    expect(
      titles(TimelineSpan(from: Self.now)), is: ["Day 1", "Capsule 3", "Day 2", "Event 4"])
    for limit in 1...4 {
      expect(
        titles(TimelineSpan(from: Self.now, limit: limit, by: .next)),
        is: Array(["Capsule 3", "Day 1", "Event 4", "Day 2"].prefix(limit)))
    }
    let next = try require(Countdown.next(context, at: Self.now))
    expect(next.moment, is: .instant(Self.now.adding(seconds: 600)))
  }

  @Test func `a deadline that was missed stands first, and is not counted down to`() throws {
    try day(1, "2023-11-10", isDeadline: true)
    try day(2, "2022-01-01", isDeadline: true)
    try day(3, "2023-11-13")
    try day(4, "2023-11-14", isDeadline: true)
    let span = TimelineSpan(from: Self.now, limit: 9)
    let found = Timeline(context).occurrences(in: span)
    expect(found.map(\.title), is: ["Day 2", "Day 1", "Day 4"])
    expect(found.map(\.isOverdue), is: [true, true, false])
    expect(
      found.first?.moment, is: .day(try require(CivilDate(iso8601: "2022-01-01"))))
    expect(titles(TimelineSpan(from: Self.now.adding(seconds: 1))), is: ["Day 4"])
    expect(Countdown.next(context, at: Self.now).map(\.moment), is: found.last?.moment)
  }

  @Test func `what comes next is read, and its state follows the time`() throws {
    expect(Countdown.next(context, at: Self.now).map(\.moment) == nil)
    try capsule(1, in: 60)
    try event(2, in: 90)
    let next = try require(Countdown.next(context, at: Self.now))
    expect(next.moment, is: .instant(Self.now.adding(seconds: 60)))
    expect(next.state(at: Self.now), is: .upcoming)
    expect(next.state(at: Self.now.adding(seconds: 60)), is: .elapsed)
    // The record of the first is gone, whatever the index holds.
    try files.unlink(StoreScenario.layout.record(.capsule, StoreScenario.id(1)))
    let other = try require(Countdown.next(context, at: Self.now))
    expect(other.moment, is: .instant(Self.now.adding(seconds: 90)))
  }

  @Test func `a zone that the machine does not know is reported once, and is the local one`() {
    let local = LocalZone(rules: .utc, name: "Here/There", warning: nil)
    var unknown: [String] = []
    let calendar = EventCalendar(
      in: local, ZoneDatabase { _ in nil }, leapDay: .march1
    ) { unknown.append($0) }
    for _ in 0..<2 { expect(calendar.rules("No/Where"), is: .utc) }
    expect(calendar.rules("+05:45"), is: ZoneRules(offset: 20_700))
    expect(calendar.rules("Here/There"), is: .utc)
    expect(unknown, is: ["No/Where"])
  }
}
