/// A sink in memory that takes no more than so many bytes.
package struct LimitedSink: ByteSink {
  /// More bytes came than were allowed.
  package struct Full: Error {}

  private let limit: Int
  private var bytes: [UInt8] = []

  package init(limit: Int) {
    self.limit = limit
  }

  package mutating func write(_ more: UnsafeRawBufferPointer) throws {
    guard more.count <= limit - bytes.count else { throw Full() }
    // Grown by hand, so that no copy of a secret stays where the array was.
    if bytes.capacity < bytes.count + more.count {
      var grown: [UInt8] = []
      grown.reserveCapacity(min(limit, max(bytes.count + more.count, 2 * bytes.capacity)))
      grown.append(contentsOf: bytes)
      wipe(&bytes)
      bytes = grown
    }
    bytes.append(contentsOf: more)
  }

  /// Takes the bytes, which are then the caller's to wipe.
  package mutating func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }
}
