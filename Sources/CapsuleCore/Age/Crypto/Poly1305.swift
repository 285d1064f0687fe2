/// The Poly1305 authenticator (RFC 8439 §2.5), with the accumulator in words of 64 bits.
///
/// A key is for one message. There is no branch and no address that depends on the key or the data.
package struct Poly1305: BitwiseCopyable {
  private let r0: UInt64
  private let r1: UInt64
  /// 5/4 of r1, whose two low bits are clear: what r1 times 2^64 times 2^64 is worth modulo p.
  private let s1: UInt64
  private let pad: UInt128
  /// The accumulator modulo 2^130 − 5, below 2^131: `low` and, above it, `top`.
  private var low: UInt128 = 0
  private var top: UInt64 = 0

  /// An authenticator under a one-time key of 32 bytes.
  package init(key: UnsafeRawPointer) {
    r0 = key.littleEndian(at: 0, as: UInt64.self) & 0x0fff_fffc_0fff_ffff
    r1 = key.littleEndian(at: 8, as: UInt64.self) & 0x0fff_fffc_0fff_fffc
    s1 = r1 &+ r1 &>> 2
    pad = key.littleEndian(at: 16, as: UInt128.self)
  }

  /// Takes whole blocks of 16 bytes.
  package mutating func update(_ input: UnsafeRawPointer, blocks: Int) {
    for block in 0..<blocks { update(block: input + 16 &* block) }
  }

  /// Takes one block of 16 bytes.
  @inline(__always)
  mutating func update(block input: UnsafeRawPointer) {
    fold(input.littleEndian(at: 0, as: UInt128.self), 1)
  }

  /// Adds a number of 129 bits and multiplies by r.
  @inline(__always)
  private mutating func fold(_ number: UInt128, _ bit: UInt64) {
    let (sum, overflow) = low.addingReportingOverflow(number)
    let h0 = sum.low
    let h1 = sum.high
    // At most 3 + 1 + 1 and small, so that nothing below overflows: r0, r1 < 2^60, s1 < 2^61.
    let h2 = top &+ bit &+ (overflow ? 1 : 0)
    let d0 = wide(h0, r0) &+ wide(h1, s1)
    let d1 = wide(h0, r1) &+ wide(h1, r0) &+ UInt128(low: h2 &* s1) &+ UInt128(low: d0.high)
    let d2 = h2 &* r0 &+ d1.high
    // The part above 2^130 comes back five times.
    let back = (d2 & ~3) &+ d2 &>> 2
    let product = UInt128(low: d0.low, high: d1.low)
    let (reduced, carry) = product.addingReportingOverflow(UInt128(low: back))
    low = reduced
    top = (d2 & 3) &+ (carry ? 1 : 0)
  }

  @inline(__always)
  private func wide(_ left: UInt64, _ right: UInt64) -> UInt128 {
    UInt128(product: left, right)
  }

  /// Takes bytes, and zeros up to a whole block (RFC 8439 §2.8).
  mutating func update(padded input: UnsafeRawBufferPointer) {
    guard let base = input.baseAddress else { return }
    let whole = input.count & ~15
    update(base, blocks: whole / 16)
    guard whole < input.count else { return }
    fold(Self.number(base + whole, count: input.count - whole), 1)
  }

  /// Takes the lengths that end an AEAD's message.
  mutating func update(lengths first: Int, _ second: Int) {
    fold(UInt128(second) &<< 64 | UInt128(first), 1)
  }

  /// Takes the last bytes of a message, fewer than 16, as a block of their own.
  package mutating func update(last input: UnsafeRawBufferPointer) {
    precondition(input.count < 16)
    guard let base = input.baseAddress, !input.isEmpty else { return }
    fold(Self.number(base, count: input.count) | 1 &<< UInt128(8 &* input.count), 0)
  }

  private static func number(_ bytes: UnsafeRawPointer, count: Int) -> UInt128 {
    var number: UInt128 = 0
    for index in 0..<count {
      number |= UInt128(bytes.load(fromByteOffset: index, as: UInt8.self)) &<< UInt128(8 &* index)
    }
    return number
  }

  /// Returns the tag, which is written in little endian.
  package func tag() -> UInt128 {
    // The accumulator is below 2p; it is at least p exactly where 5 more reaches 2^130.
    let (more, overflow) = low.addingReportingOverflow(5)
    let reaches = (top &+ (overflow ? 1 : 0)) &>> 2
    let mask = 0 &- UInt128(low: reaches)
    return (more & mask | low & ~mask) &+ pad
  }
}
