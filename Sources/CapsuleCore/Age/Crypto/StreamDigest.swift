/// A digest of a stream under a random key that nobody else knows, to see whether bytes that come back
/// are those that went out: Poly1305 (RFC 8439 §2.5), several times as fast as a hash.
package struct StreamDigest {
  /// A random key.
  package struct Key: Sendable {
    fileprivate let words: (UInt128, UInt128)

    package init(random: RandomSource) throws(Fault) {
      words = try random.bytes(32).withUnsafeBytes { $0.loadUnaligned(as: (UInt128, UInt128).self) }
    }
  }

  private var poly: Poly1305
  private var rest: [UInt8] = []
  /// The number of bytes taken so far.
  package private(set) var count: Int64 = 0

  package init(key: Key) {
    poly = withUnsafePointer(to: key.words) { Poly1305(key: UnsafeRawPointer($0)) }
    rest.reserveCapacity(16)
  }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    count += Int64(bytes.count)
    var bytes = bytes
    if !rest.isEmpty {
      let missing = min(16 - rest.count, bytes.count)
      rest += bytes[..<missing]
      bytes = UnsafeRawBufferPointer(rebasing: bytes[missing...])
      guard rest.count == 16 else { return }
      rest.withUnsafeBytes { poly.update(padded: $0) }
      rest.removeAll(keepingCapacity: true)
    }
    let whole = bytes.count & ~15
    poly.update(padded: UnsafeRawBufferPointer(rebasing: bytes[..<whole]))
    rest += bytes[whole...]
  }

  /// The digest of all bytes so far.
  package func digest() -> UInt128 {
    var poly = poly
    rest.withUnsafeBytes { poly.update(last: $0) }
    return poly.tag()
  }
}

/// A sink that takes a digest and keeps nothing.
package struct StreamDigestSink: ByteSink {
  package private(set) var digest: StreamDigest

  package init(key: StreamDigest.Key) {
    digest = StreamDigest(key: key)
  }

  package mutating func write(_ bytes: UnsafeRawBufferPointer) {
    digest.update(bytes)
  }
}
