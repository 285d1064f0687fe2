import CapsuleBytes
import Synchronization
import TestSupport
import Testing

@Suite struct WorkersTests {
  @Test(arguments: [1, 2, 3, 8], [0, 1, 2, 100])
  func `every piece of every job is done once, and the other work too`(
    threads: Int, pieces: Int
  ) {
    let workers = Workers(count: threads)
    for _ in 0..<50 {
      let done = Mutex([Int](repeating: 0, count: pieces))
      var others = 0
      workers.share(pieces) { piece in
        done.withLock { $0[piece] += 1 }
      } while: {
        others += 1
      }
      expect(done.withLock { $0 }, is: [Int](repeating: 1, count: pieces))
      expect(others, is: 1)
    }
  }

  @Test func `several threads work at once`() {
    // Two pieces that wait for each other finish only side by side.
    let workers = Workers(count: 2)
    let arrived = Atomic<Int>(0)
    workers.share(2) { _ in
      arrived.wrappingAdd(1, ordering: .sequentiallyConsistent)
      while arrived.load(ordering: .sequentiallyConsistent) < 2 {}
    } while: {
    }
    expect(arrived.load(ordering: .relaxed), is: 2)
  }

  @Test func `there is at least one processor`() {
    expect((1...8).contains(Workers.processorCount))
  }

  @Test(arguments: [0, 1, 2, 8], [0, 1, 3, 15, 16, 1000])
  func `a map gives every part's result in the order of the parts`(threads: Int, parts: Int) {
    let results = Workers.map(Array(0..<parts), threads: threads) { "\($0)" }
    expect(results == (0..<parts).map(String.init))
  }
}
