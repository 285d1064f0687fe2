import CapsulePlatform

/// A source of random bytes: the system in the program, a fixed sequence in tests.
///
/// It is a value that is handed in, so that no switch, variable or file can replace it in the
/// shipped program.
public struct RandomSource: Sendable {
  private let fill: @Sendable (UnsafeMutableRawBufferPointer) throws(Fault) -> Void

  /// A source that fills the buffer it is given.
  package init(fill: @escaping @Sendable (UnsafeMutableRawBufferPointer) throws(Fault) -> Void) {
    self.fill = fill
  }

  /// Fills a buffer.
  ///
  /// - Throws: a fault `.noRandomness` where the system gives no random bytes.
  package func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(Fault) {
    try fill(buffer)
  }

  /// Returns `count` random bytes.
  ///
  /// - Throws: a fault `.noRandomness` where the system gives none.
  package func bytes(_ count: Int) throws(Fault) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: count)
    var failure: Fault?
    result.withUnsafeMutableBytes { buffer in
      do throws(Fault) { try fill(buffer) } catch { failure = error }
    }
    if let failure { throw failure }
    return result
  }

  /// The operating system's generator: `getrandom(2)`, by way of
  /// `getentropy(3)`, on Linux; `arc4random_buf(3)` on Darwin.
  package static let system = RandomSource { buffer throws(Fault) in
    guard let base = buffer.baseAddress, !buffer.isEmpty else { return }
    #if canImport(Darwin)
      arc4random_buf(base, buffer.count)
    #else
      var done = 0
      while done < buffer.count {
        // getentropy(3) gives at most 256 bytes a call.
        let count = min(buffer.count - done, 256)
        if getentropy(base + done, count) == 0 {
          done += count
        } else if errno != EINTR {
          throw .random(errno)
        }
      }
    #endif
  }
}

extension Fault {
  /// The system gave no random bytes.
  package static func random(_ errno: Int32) -> Fault {
    Fault(.noRandomness, "the system gave no random bytes (errno \(errno))")
  }
}
