import CapsuleCore
import CapsulePlatform
import Synchronization
import TestSupport
import Testing

@testable import CoreTestHelpers

/// Openings, writers and failures in the midst of an opening.
@Suite struct IndexRaceTests {
  typealias Settled = IndexFreshnessTests.Settled

  /// What happens meanwhile.
  enum Event: CaseIterable {
    case opening, write, removal, arrival, arrivalAndOpening, newShard, folding, twoOpenings

    func run(_ harness: IndexHarness, _ world: Settled) {
      let later = world.now
      switch self {
      case .opening: _ = harness.open(now: later)
      case .write: try? harness.write(world.ids[1], world.record(1, "other"))
      case .removal: try? harness.remove(world.ids[1])
      case .arrival:
        try? harness.put(harness.path(RecordID(high: 9, low: 9)), world.record(70))
      case .arrivalAndOpening:
        let brought = RecordID(high: 9, low: 9)
        try? harness.put(harness.path(brought), world.record(70))
        world.later(10)
        _ = harness.open(now: world.now)
        // The opening under way has not seen the going, nor the next one the coming.
        try? harness.files.unlink(harness.path(brought))
        world.later(10)
      case .newShard: try? harness.write(RecordID(high: .max, low: 9), world.record(70))
      case .folding:
        try? harness.files.unlink(harness.cache.appending("capsules.index"))
        _ = harness.open(now: later)
      case .twoOpenings:
        try? harness.remove(world.ids[1], noted: false)
        world.later(10)
        _ = harness.open(now: world.now)
        try? harness.write(world.ids[1], world.record(1, "again"), noted: false)
        world.later(10)
        _ = harness.open(now: world.now)
      }
    }
  }

  /// A store with something to learn for whoever opens it next.
  private func world(folding: Bool, few: Int = 0) throws -> Settled {
    let world = try Settled(6, few: few)
    try world.harness.write(world.ids[2], world.record(2, "changed"), noted: false)
    try world.harness.write(world.ids[3], world.record(3, "changed"))
    if folding { try world.disk.unlink(world.harness.cache.appending("capsules.index")) }
    world.later(100)
    return world
  }

  @Test(arguments: Event.allCases, [false, true])
  func `whatever happens at any call of an opening, the next one is right`(
    event: Event, folding: Bool
  ) throws {
    // Each event begins at another call, so that together they meet every one.
    let place = try require(Event.allCases.firstIndex(of: event))
    let first = TestScale.count(full: 1, debug: place * 3 + (folding ? 2 : 1))
    for call in stride(from: first, to: 1000, by: TestScale.count(full: 1, debug: 24)) {
      let world = try world(folding: folding, few: call % 2 * 1000)
      let interposer = IndexInterposer(world.disk)
      interposer.plan(at: call) { event.run(world.harness, world) }
      let now = world.now
      _ = IndexHarness(world.harness, on: interposer).open(now: now)
      let truth = world.harness.scan()
      // At once, and when all is settled.
      for pause in [0, 100] as [Int64] {
        world.later(pause)
        var index = world.open()
        index.expectSame(as: truth, "\(event) before call \(call), \(pause) s later")
      }
      if !interposer.isDone {
        expect(call > first, "an opening has so few calls that none was met")
        return
      }
    }
    Issue.record("an opening has fewer than 1000 calls")
  }

  @Test(arguments: [Event.arrival, .arrivalAndOpening, .twoOpenings])
  func `an opening adds nothing to what another has learned meanwhile, even if the clock is wrong`(
    event: Event
  ) throws {
    let place = try require(Event.allCases.firstIndex(of: event))
    let first = TestScale.count(full: 1, debug: place % 4 + 1)
    for call in stride(from: first, to: 1000, by: TestScale.count(full: 1, debug: 4)) {
      let world = try world(folding: false)
      let interposer = IndexInterposer(world.disk)
      interposer.plan(at: call) { event.run(world.harness, world) }
      // To this one all that happens is long past.
      _ = IndexHarness(world.harness, on: interposer).open(now: world.now + 1_000_000)
      world.later(1000)
      var index = world.open()
      index.expectSame(as: world.harness.scan(), "\(event) before call \(call)")
      if !interposer.isDone {
        expect(call > first, "an opening has so few calls that none was met")
        return
      }
    }
    Issue.record("an opening has fewer than 1000 calls")
  }

  private static let codes = [EIO, ENOSPC, EACCES, EMFILE, EINTR, EROFS]

  @Test(arguments: codes, [false, true])
  func `an error of the cache at any call changes no answer`(code: Int32, folding: Bool) throws {
    let place = try require(Self.codes.firstIndex(of: code))
    let first = TestScale.count(full: 1, debug: place * 4 + (folding ? 3 : 1))
    for call in stride(from: first, to: 1000, by: TestScale.count(full: 1, debug: 24)) {
      let world = try world(folding: folding)
      let truth = world.harness.scan()
      world.disk.plan([.at(call, .fail(code))])
      var index = world.open()
      let calls = world.disk.calls
      world.disk.plan()
      if call > calls.count {
        expect(call > first, "an opening has so few calls that none was met")
        return
      }
      let failed = calls[call - 1]
      if failed.path.text.contains("/cache") {
        index.expectSame(as: truth, "\(failed)")
        expect(index.failures.isEmpty)
      } else {
        // A record that could not be read is there, and marked; a directory's failure is told.
        let all = index.all()
        expect(all == truth || !index.failures.isEmpty || !index.problems().isEmpty, "\(failed)")
      }
      for pause in [0, 100] as [Int64] {
        world.later(pause)
        var next = world.open()
        next.expectSame(as: truth, "after \(failed)")
        expect(next.failures.isEmpty)
      }
    }
    Issue.record("an opening has fewer than 1000 calls")
  }

  @Test(arguments: [false, true])
  func `a power cut or a kill at any call of an opening changes no answer`(folding: Bool) throws {
    for call in stride(from: 1, to: 1000, by: TestScale.isFull ? 1 : 9) {
      let world = try world(folding: folding)
      let truth = world.harness.scan()
      // The records are safe; only the index may be torn.
      let safe = world.disk.copy()
      safe.plan([.at(call, .crash)])
      let harness = IndexHarness(world.harness, on: safe)
      _ = harness.open(now: world.now)
      let isOver = safe.calls.count < call
      for cut in [.everything, .onlySynchronized, .random(seed: UInt64(call))] as [PowerCut] {
        let after = safe.after(cut)
        var index = IndexHarness(world.harness, on: after).open(now: world.now + 100)
        index.expectSame(as: truth, "cut at call \(call), \(cut)")
      }
      if isOver { return }
    }
    Issue.record("an opening has fewer than 1000 calls")
  }

  @Test func `several threads may open and write at once`() throws {
    let here = try TestDirectory(.posix)
    let harness = try IndexHarness(here.files, at: here.path)
    let rounds = TestScale.count(full: 300, debug: 10)
    let parts = Array(0..<8)
    let counts = Workers.map(parts, threads: 4) { part in
      var count = 0
      for round in 0..<rounds {
        let id = RecordID(high: UInt64(round % 3) << 56, low: UInt64(part * 10_000 + round))
        let bytes = IndexHarness.bytes(Int64(round), 0, 0, "text")
        do { try harness.write(id, bytes) } catch { Issue.record(error) }
        var index = harness.open(now: 1_000_000_000)
        let entry = index.entry(id)
        expect(entry?.sortKey, is: Int64(round))
        count += 1
      }
      return count
    }
    expect(counts, is: Array(repeating: rounds, count: 8))
    var index = harness.open(now: 1_000_000_000)
    index.expectSame(as: harness.scan())
  }
}
