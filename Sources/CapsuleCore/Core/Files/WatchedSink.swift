/// The caller's watch over the work: it is called with the number of bytes before they are written,
/// and ends the work by throwing.
package final class WorkWatch {
  private let body: (Int) throws -> Void
  /// The error by which the caller ended the work.
  package private(set) var interruption: (any Error)?

  package init(_ body: @escaping (Int) throws -> Void) {
    self.body = body
  }

  package func pass(_ count: Int) throws {
    do { try body(count) } catch {
      interruption = error
      throw error
    }
  }
}

/// A sink that asks the watch before it hands on.
package struct WatchedSink<Target: ByteSink>: ByteSink {
  package private(set) var target: Target
  private let watch: WorkWatch

  package init(_ target: Target, watch: WorkWatch) {
    self.target = target
    self.watch = watch
  }

  package mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
    try watch.pass(bytes.count)
    try target.write(bytes)
  }
}
