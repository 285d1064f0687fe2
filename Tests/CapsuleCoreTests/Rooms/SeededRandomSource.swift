package import CapsuleAge
import Synchronization
import TestSupport

/// Random bytes that a seed determines.
package final class SeededRandomSource: Sendable {
  private let generator: Mutex<SeededGenerator>

  package init(seed: UInt64) {
    generator = Mutex(SeededGenerator(seed: seed))
  }

  package var source: RandomSource {
    RandomSource { [self] buffer throws(Fault) in
      for index in buffer.indices {
        buffer[index] = generator.withLock { UInt8(truncatingIfNeeded: $0.next()) }
      }
    }
  }
}
