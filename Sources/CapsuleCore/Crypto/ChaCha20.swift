/// The ChaCha20 key stream (RFC 8439 §2.4), four blocks at a time: each vector holds one word of the
/// state for four consecutive blocks.
///
/// There is no branch and no address that depends on the key or the data.
struct ChaCha20: BitwiseCopyable {
  /// The bytes that `xorStride` takes.
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
    typealias Lanes = SIMD4<UInt32>
    let i0 = Lanes(repeating: 0x6170_7865), i1 = Lanes(repeating: 0x3320_646e)
    let i2 = Lanes(repeating: 0x7962_2d32), i3 = Lanes(repeating: 0x6b20_6574)
    let i4 = Lanes(repeating: key[0]), i5 = Lanes(repeating: key[1])
    let i6 = Lanes(repeating: key[2]), i7 = Lanes(repeating: key[3])
    let i8 = Lanes(repeating: key[4]), i9 = Lanes(repeating: key[5])
    let i10 = Lanes(repeating: key[6]), i11 = Lanes(repeating: key[7])
    let i12 = Lanes(repeating: counter) &+ Lanes(0, 1, 2, 3)
    let i13 = Lanes(repeating: nonce[0]), i14 = Lanes(repeating: nonce[1])
    let i15 = Lanes(repeating: nonce[2])
    var x0 = i0, x1 = i1, x2 = i2, x3 = i3, x4 = i4, x5 = i5, x6 = i6, x7 = i7
    var x8 = i8, x9 = i9, x10 = i10, x11 = i11, x12 = i12, x13 = i13, x14 = i14, x15 = i15
    for _ in 0..<10 {
      Self.quarterRound(&x0, &x4, &x8, &x12)
      Self.quarterRound(&x1, &x5, &x9, &x13)
      Self.quarterRound(&x2, &x6, &x10, &x14)
      Self.quarterRound(&x3, &x7, &x11, &x15)
      Self.quarterRound(&x0, &x5, &x10, &x15)
      Self.quarterRound(&x1, &x6, &x11, &x12)
      Self.quarterRound(&x2, &x7, &x8, &x13)
      Self.quarterRound(&x3, &x4, &x9, &x14)
    }
    Self.xorColumn(x0 &+ i0, x1 &+ i1, x2 &+ i2, x3 &+ i3, input, output, at: 0)
    Self.xorColumn(x4 &+ i4, x5 &+ i5, x6 &+ i6, x7 &+ i7, input, output, at: 16)
    Self.xorColumn(x8 &+ i8, x9 &+ i9, x10 &+ i10, x11 &+ i11, input, output, at: 32)
    Self.xorColumn(x12 &+ i12, x13 &+ i13, x14 &+ i14, x15 &+ i15, input, output, at: 48)
  }

  @inline(__always)
  private static func quarterRound(
    _ a: inout SIMD4<UInt32>, _ b: inout SIMD4<UInt32>,
    _ c: inout SIMD4<UInt32>, _ d: inout SIMD4<UInt32>
  ) {
    a &+= b
    d = rotated16(d ^ a)
    c &+= d
    b = rotated12(b ^ c)
    a &+= b
    d = rotated8(d ^ a)
    c &+= d
    b = rotated7(b ^ c)
  }

  // The left shift is a product: two shifts would be compiled lane by lane on plain x86-64, while
  // this becomes two vector shifts and an or.
  @inline(__always)
  private static func rotated16(_ word: SIMD4<UInt32>) -> SIMD4<UInt32> {
    (word &* SIMD4(repeating: 1 << 16)) | (word &>> SIMD4(repeating: 16))
  }
  @inline(__always)
  private static func rotated12(_ word: SIMD4<UInt32>) -> SIMD4<UInt32> {
    (word &* SIMD4(repeating: 1 << 12)) | (word &>> SIMD4(repeating: 20))
  }
  @inline(__always)
  private static func rotated8(_ word: SIMD4<UInt32>) -> SIMD4<UInt32> {
    (word &* SIMD4(repeating: 1 << 8)) | (word &>> SIMD4(repeating: 24))
  }
  @inline(__always)
  private static func rotated7(_ word: SIMD4<UInt32>) -> SIMD4<UInt32> {
    (word &* SIMD4(repeating: 1 << 7)) | (word &>> SIMD4(repeating: 25))
  }

  /// Turns four words of four blocks into 16 bytes of each, 64 bytes apart, and adds them.
  @inline(__always)
  private static func xorColumn(
    _ a: SIMD4<UInt32>, _ b: SIMD4<UInt32>, _ c: SIMD4<UInt32>, _ d: SIMD4<UInt32>,
    _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, at offset: Int
  ) {
    let abEven = SIMD4(lowHalf: a.evenHalf, highHalf: b.evenHalf)
    let abOdd = SIMD4(lowHalf: a.oddHalf, highHalf: b.oddHalf)
    let cdEven = SIMD4(lowHalf: c.evenHalf, highHalf: d.evenHalf)
    let cdOdd = SIMD4(lowHalf: c.oddHalf, highHalf: d.oddHalf)
    xorWords(
      SIMD4(lowHalf: abEven.evenHalf, highHalf: cdEven.evenHalf), input, output, at: offset)
    xorWords(
      SIMD4(lowHalf: abOdd.evenHalf, highHalf: cdOdd.evenHalf), input, output, at: offset + 64)
    xorWords(
      SIMD4(lowHalf: abEven.oddHalf, highHalf: cdEven.oddHalf), input, output, at: offset + 128)
    xorWords(
      SIMD4(lowHalf: abOdd.oddHalf, highHalf: cdOdd.oddHalf), input, output, at: offset + 192)
  }

  @inline(__always)
  private static func xorWords(
    _ words: SIMD4<UInt32>, _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer,
    at offset: Int
  ) {
    // Vectors are in the machine's byte order, the stream in little endian.
    #if _endian(big)
      let words = SIMD4(
        words[0].byteSwapped, words[1].byteSwapped, words[2].byteSwapped, words[3].byteSwapped)
    #endif
    let data = input.loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt32>.self)
    output.storeBytes(of: data ^ words, toByteOffset: offset, as: SIMD4<UInt32>.self)
  }
}
