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

  /// The square of sixteen words (RFC 8439 §2.3) of four consecutive blocks.
  struct Square: BitwiseCopyable {
    private var x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14, x15: Lanes

    @inline(__always)
    init(key: SIMD8<UInt32>, nonce: SIMD4<UInt32>, counter: UInt32) {
      x0 = Lanes(repeating: 0x6170_7865)
      x1 = Lanes(repeating: 0x3320_646e)
      x2 = Lanes(repeating: 0x7962_2d32)
      x3 = Lanes(repeating: 0x6b20_6574)
      x4 = Lanes(repeating: key[0])
      x5 = Lanes(repeating: key[1])
      x6 = Lanes(repeating: key[2])
      x7 = Lanes(repeating: key[3])
      x8 = Lanes(repeating: key[4])
      x9 = Lanes(repeating: key[5])
      x10 = Lanes(repeating: key[6])
      x11 = Lanes(repeating: key[7])
      x12 = Lanes(repeating: counter) &+ Lanes(0, 1, 2, 3)
      x13 = Lanes(repeating: nonce[0])
      x14 = Lanes(repeating: nonce[1])
      x15 = Lanes(repeating: nonce[2])
    }

    @inline(__always)
    mutating func doubleRound() {
      Self.quarterRound(&x0, &x4, &x8, &x12)
      Self.quarterRound(&x1, &x5, &x9, &x13)
      Self.quarterRound(&x2, &x6, &x10, &x14)
      Self.quarterRound(&x3, &x7, &x11, &x15)
      Self.quarterRound(&x0, &x5, &x10, &x15)
      Self.quarterRound(&x1, &x6, &x11, &x12)
      Self.quarterRound(&x2, &x7, &x8, &x13)
      Self.quarterRound(&x3, &x4, &x9, &x14)
    }

    @inline(__always)
    private static func quarterRound(
      _ a: inout Lanes, _ b: inout Lanes, _ c: inout Lanes, _ d: inout Lanes
    ) {
      a &+= b
      d = d.xor(a).rotated16()
      c &+= d
      b = b.xor(c).rotated(12)
      a &+= b
      d = d.xor(a).rotated(8)
      c &+= d
      b = b.xor(c).rotated(7)
    }

    @inline(__always)
    mutating func add(_ other: Square) {
      x0 &+= other.x0
      x1 &+= other.x1
      x2 &+= other.x2
      x3 &+= other.x3
      x4 &+= other.x4
      x5 &+= other.x5
      x6 &+= other.x6
      x7 &+= other.x7
      x8 &+= other.x8
      x9 &+= other.x9
      x10 &+= other.x10
      x11 &+= other.x11
      x12 &+= other.x12
      x13 &+= other.x13
      x14 &+= other.x14
      x15 &+= other.x15
    }

    /// Adds the four blocks to 256 bytes.
    @inline(__always)
    func xor(_ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer) {
      Self.xorColumns(x0, x1, x2, x3, input, output, at: 0)
      Self.xorColumns(x4, x5, x6, x7, input, output, at: 16)
      Self.xorColumns(x8, x9, x10, x11, input, output, at: 32)
      Self.xorColumns(x12, x13, x14, x15, input, output, at: 48)
    }

    /// Turns four words of four blocks into 16 bytes of each, 64 bytes apart, and adds them.
    @inline(__always)
    private static func xorColumns(
      _ a: Lanes, _ b: Lanes, _ c: Lanes, _ d: Lanes,
      _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, at offset: Int
    ) {
      let abEven = Lanes(lowHalf: a.evenHalf, highHalf: b.evenHalf)
      let abOdd = Lanes(lowHalf: a.oddHalf, highHalf: b.oddHalf)
      let cdEven = Lanes(lowHalf: c.evenHalf, highHalf: d.evenHalf)
      let cdOdd = Lanes(lowHalf: c.oddHalf, highHalf: d.oddHalf)
      xorWords(
        Lanes(lowHalf: abEven.evenHalf, highHalf: cdEven.evenHalf), input, output, at: offset)
      xorWords(
        Lanes(lowHalf: abOdd.evenHalf, highHalf: cdOdd.evenHalf), input, output, at: offset + 64)
      xorWords(
        Lanes(lowHalf: abEven.oddHalf, highHalf: cdEven.oddHalf), input, output, at: offset + 128)
      xorWords(
        Lanes(lowHalf: abOdd.oddHalf, highHalf: cdOdd.oddHalf), input, output, at: offset + 192)
    }

    @inline(__always)
    private static func xorWords(
      _ words: Lanes, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, at offset: Int
    ) {
      // Vectors are in the machine's byte order, the stream in little endian.
      #if _endian(big)
        let words = Lanes(
          words[0].byteSwapped, words[1].byteSwapped, words[2].byteSwapped, words[3].byteSwapped)
      #endif
      let data = input.loadUnaligned(fromByteOffset: offset, as: Lanes.self)
      output.storeBytes(of: data.xor(words), toByteOffset: offset, as: Lanes.self)
    }
  }
}
