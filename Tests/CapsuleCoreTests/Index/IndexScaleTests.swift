import CapsuleCore
import TestSupport
import Testing

@testable import CoreTestHelpers

/// What the index costs with many records; in release builds, or where `CAPSULE_TEST_SCALE` is full.
@Suite(.serialized) struct IndexScaleTests {
  private func milliseconds(_ body: () throws -> Void) rethrows -> Double {
    let duration = try ContinuousClock().measure(body)
    let parts = duration.components
    return Double(parts.seconds) * 1e3 + Double(parts.attoseconds) / 1e15
  }

  /// The best of several, as others may have the machine meanwhile.
  private func best(of count: Int, _ body: () throws -> Void) rethrows -> Double {
    var best = Double.infinity
    for _ in 0..<count { best = min(best, try milliseconds(body)) }
    return best
  }

  @Test func `the cost of an answer does not grow with the number of records`() throws {
    let count = TestScale.count(full: 100_000, debug: 300)
    let here = try TestDirectory(.posix)
    let harness = try IndexHarness(here.files, at: here.path)
    var random = SeededGenerator(seed: 1)
    var ids: [RecordID] = []
    let text = String(repeating: "x", count: 300)
    let filling = try milliseconds {
      for shard in UInt8.min...UInt8.max {
        try harness.files.createDirectory(harness.shard(shard), mode: 0o700)
      }
      for number in 0..<count {
        let id = RecordID(high: random.next(), low: random.next())
        ids.append(id)
        let key = Int64(random.next() % 1_000_000_000)
        let bytes = IndexHarness.bytes(key, key, UInt64(number + 1), text)
        try harness.put(harness.path(id), bytes)
      }
    }
    let later = try harness.files.status(harness.shard(255)).changed.seconds + 100
    var figures: [(String, Double)] = [("filling", filling)]
    func measure(_ name: String, tries: Int = 5, _ body: () throws -> Void) rethrows {
      figures.append((name, try best(of: tries, body)))
    }
    measure("rebuild, 1 thread, cache", tries: 1) {
      var index = harness.open(now: later)
      expect(index.count(), is: count)
    }
    measure("open, limit 50", tries: 20) {
      var index = harness.open(now: later)
      expect(index.entries(.ascending, from: 500_000_000, limit: 50).count, is: min(count / 4, 50))
    }
    measure("open, everything") {
      var index = harness.open(now: later)
      var seen = 0
      index.forEach(.ascending) { _ in
        seen += 1
        return true
      }
      expect(seen, is: count)
    }
    measure("open, everything backwards") {
      var index = harness.open(now: later)
      var seen = 0
      index.forEach(.descending) { _ in
        seen += 1
        return true
      }
      expect(seen, is: count)
    }
    measure("open, nothing due", tries: 20) {
      var index = harness.open(now: later)
      expect(index.entries(dueAfter: 2_000_000_000, through: 3_000_000_000).isEmpty)
    }
    var index = harness.open(now: later)
    measure("look-up by prefix, 100 times") {
      for id in ids.prefix(100) {
        let prefix = id.description.prefix(8)
        expect(index.entries(idPrefix: prefix, limit: 2).count, is: 1)
      }
    }
    measure("look-up by name, 100 times") {
      for name in 1...100 { expect(index.entries(nameHash: UInt64(name)).count, is: 1) }
    }
    try measure("a record changed and noted", tries: 20) {
      let id = ids[Int(random.next() % 1000) % ids.count]
      try harness.write(id, IndexHarness.bytes(5, 5, 5, text))
    }
    let entry = IndexEntry(id: ids[0], summary: Array(text.utf8)[...])
    measure("append", tries: 50) { RecordIndex.append([.upsert(entry, nil)], to: harness.setup()) }
    measure("open after 70 changes", tries: 1) {
      var index = harness.open(now: later + 1000)
      expect(index.entries(.ascending, limit: 50).count, is: 50)
    }
    measure("open after that", tries: 5) {
      var index = harness.open(now: later + 1000)
      expect(index.entries(.ascending, limit: 50).count, is: 50)
    }
    measure("rebuild, 2 threads, no cache", tries: 1) {
      var index = RecordIndex.open(
        harness.setup(cached: false, threads: 2), now: Instant(seconds: later))
      expect(index.count(), is: count)
    }
    try? harness.files.unlink(harness.cache.appending("capsules.index"))
    measure("rebuild, 2 threads, cache", tries: 1) {
      var index = harness.open(now: later + 1000, threads: 2)
      expect(index.count(), is: count)
    }
    guard TestScale.isFull else { return }
    for (name, time) in figures {
      print("index, \(count) records: \(name): \((time * 1000).rounded() / 1000) ms")
    }
  }
}
