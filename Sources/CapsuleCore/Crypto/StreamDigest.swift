/// A digest of a stream under a random key that nobody else knows, to see whether bytes that come back
/// are those that went out: Poly1305 (RFC 8439 §2.5), several times as fast as a hash.
struct StreamDigest {
  /// A random key.
  struct Key: Sendable {
    fileprivate let words: (UInt128, UInt128)

    init(random: RandomSource) throws(RandomSource.Failure) {
      words = try random.bytes(32).withUnsafeBytes { $0.loadUnaligned(as: (UInt128, UInt128).self) }
    }
  }

  private var poly: Poly1305
  private var rest: [UInt8] = []
  /// The number of bytes taken so far.
  private(set) var count: Int64 = 0

  init(key: Key) {
    poly = withUnsafePointer(to: key.words) { Poly1305(key: UnsafeRawPointer($0)) }
    rest.reserveCapacity(16)
  }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
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
  func digest() -> UInt128 {
    var poly = poly
    rest.withUnsafeBytes { poly.update(last: $0) }
    return poly.tag()
  }
}

/// A sink that takes a digest and keeps nothing.
struct StreamDigestSink: ByteSink {
  private(set) var digest: StreamDigest

  init(key: StreamDigest.Key) {
    digest = StreamDigest(key: key)
  }

  mutating func write(_ bytes: UnsafeRawBufferPointer) {
    digest.update(bytes)
  }
}
