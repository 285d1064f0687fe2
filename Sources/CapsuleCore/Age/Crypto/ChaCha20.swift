/// The ChaCha20 key stream (RFC 8439 §2.4), four blocks at a time: each vector holds one word of the
/// state for four consecutive blocks.
///
/// There is no branch and no address that depends on the key or the data.
struct ChaCha20: BitwiseCopyable {
  /// The bytes of the stream that are made at a time.
  static let strideByteCount = 256

  private let key: SIMD8<UInt32>
  private let nonce: SIMD4<UInt32>  // the last lane is unused

  /// A stream; the key has 32 bytes and the nonce 12.
  init(key: UnsafeRawPointer, nonce: UnsafeRawPointer) {
    var words = SIMD8<UInt32>()
    for index in 0..<8 { words[index] = key.littleEndian(at: 4 * index, as: UInt32.self) }
    self.key = words
    self.nonce = SIMD4(
      nonce.littleEndian(at: 0, as: UInt32.self), nonce.littleEndian(at: 4, as: UInt32.self),
      nonce.littleEndian(at: 8, as: UInt32.self), 0)
  }

  /// Adds the four blocks from `counter` on to 256 bytes; input and output may be the same.
  func xorStride(counter: UInt32, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer) {
    var square = Square(key: key, nonce: nonce, counter: counter)
    let start = square
    for _ in 0..<10 { square.doubleRound() }
    square.add(start)
    square.xor(input, output)
  }

  /// Adds the four blocks from `counter` on to 256 bytes, and meanwhile feeds 256 others to the
  /// authenticator; all three may be the same, because the output is written at the end.
  ///
  /// The stream is made in vector registers and the authenticator runs in the others, so that a
  /// processor works at both at once.
  func xorStride(
    counter: UInt32, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer,
    authenticating data: UnsafeRawPointer, with authenticator: inout Poly1305
  ) {
    var square = Square(key: key, nonce: nonce, counter: counter)
    let start = square
    var code = authenticator
    for round in 0..<8 {
      square.doubleRound()
      code.update(block: data + 32 &* round)
      code.update(block: data + 32 &* round + 16)
    }
    square.doubleRound()
    square.doubleRound()
    square.add(start)
    square.xor(input, output)
    authenticator = code
  }
}
