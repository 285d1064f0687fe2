import CapsulePlatform

/// A source of random bytes: the system in the program, a fixed sequence in tests.
///
/// It is a value that is handed in, so that no switch, variable or file can replace it in the
/// shipped program.
public struct RandomSource: Sendable {
  /// The system gave no random bytes; `code` is its `errno`.
  public struct Failure: Error, Hashable {
    public let code: Int32

    package init(code: Int32) {
      self.code = code
    }
  }

  private let fill: @Sendable (UnsafeMutableRawBufferPointer) throws(Failure) -> Void

  /// A source that fills the buffer it is given.
  package init(fill: @escaping @Sendable (UnsafeMutableRawBufferPointer) throws(Failure) -> Void) {
    self.fill = fill
  }

  /// Fills a buffer.
  ///
  /// - Throws: ``Failure`` where the system gives no random bytes.
  package func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(Failure) {
    try fill(buffer)
  }

  /// Returns `count` random bytes.
  ///
  /// - Throws: ``Failure`` where the system gives none.
  package func bytes(_ count: Int) throws(Failure) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: count)
    var failure: Failure?
    result.withUnsafeMutableBytes { buffer in
      do throws(Failure) { try fill(buffer) } catch { failure = error }
    }
    if let failure { throw failure }
    return result
  }

  /// The operating system's generator: `getrandom(2)`, by way of
  /// `getentropy(3)`, on Linux; `arc4random_buf(3)` on Darwin.
  package static let system = RandomSource { buffer throws(Failure) in
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
          throw Failure(code: errno)
        }
      }
    #endif
  }
}
