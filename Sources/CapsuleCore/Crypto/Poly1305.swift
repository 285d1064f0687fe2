/// The Poly1305 authenticator (RFC 8439 §2.5) in limbs of 44, 44 and 42 bits.
///
/// A key is for one message. There is no branch and no address that depends on the key or the data.
struct Poly1305: BitwiseCopyable {
  private static let mask44: UInt64 = (1 << 44) - 1
  private static let mask42: UInt64 = (1 << 42) - 1

  private let r: Limbs
  private let pad0: UInt64
  private let pad1: UInt64
  private var h = Limbs(0, 0, 0)

  /// An authenticator under a one-time key of 32 bytes.
  init(key: UnsafeRawPointer) {
    let low = key.littleEndian(at: 0, as: UInt64.self) & 0x0fff_fffc_0fff_ffff
    let high = key.littleEndian(at: 8, as: UInt64.self) & 0x0fff_fffc_0fff_fffc
    r = Limbs(low: low, high: high, top: 0)
    pad0 = key.littleEndian(at: 16, as: UInt64.self)
    pad1 = key.littleEndian(at: 24, as: UInt64.self)
  }

  /// Takes whole blocks of 16 bytes.
  mutating func update(_ input: UnsafeRawPointer, blocks: Int) {
    var h = h
    for block in 0..<blocks {
      h.add(
        Limbs(
          low: input.littleEndian(at: 16 * block, as: UInt64.self),
          high: input.littleEndian(at: 16 * block + 8, as: UInt64.self), top: 1))
      h.multiply(by: r)
    }
    self.h = h
  }

  /// Takes the last bytes of a message, fewer than 16, as a block of their own.
  mutating func update(last input: UnsafeRawBufferPointer) {
    guard !input.isEmpty else { return }
    var low: UInt64 = 0
    var high: UInt64 = 0
    for index in 0..<16 {
      let byte: UInt64 = index < input.count ? UInt64(input[index]) : index == input.count ? 1 : 0
      if index < 8 {
        low |= byte &<< UInt64(8 * index)
      } else {
        high |= byte &<< UInt64(8 * index - 64)
      }
    }
    h.add(Limbs(low: low, high: high, top: 0))
    h.multiply(by: r)
  }

  /// Takes bytes, and zeros up to a whole block (RFC 8439 §2.8).
  mutating func update(padded input: UnsafeRawBufferPointer) {
    guard let base = input.baseAddress else { return }
    update(base, blocks: input.count / 16)
    let rest = input.count % 16
    guard rest > 0 else { return }
    var block = SIMD16<UInt8>()
    withUnsafeMutableBytes(of: &block) { block in
      block.copyBytes(from: UnsafeRawBufferPointer(rebasing: input[(input.count - rest)...]))
      if let base = block.baseAddress { update(base, blocks: 1) }
    }
  }

  /// Takes the lengths that end an AEAD's message.
  mutating func update(lengths first: Int, _ second: Int) {
    h.add(Limbs(low: UInt64(first), high: UInt64(second), top: 1))
    h.multiply(by: r)
  }

  /// The tag as two little-endian words.
  func tag() -> (low: UInt64, high: UInt64) {
    var h = h
    h.carry()
    h.carry()
    // h is below 2^130 now; h − p, if that is not negative, is chosen by a mask.
    var g0 = h.l0 &+ 5
    var g1 = h.l1 &+ (g0 &>> 44)
    g0 &= Self.mask44
    let g2 = h.l2 &+ (g1 &>> 44) &- (1 << 42)
    g1 &= Self.mask44
    let keep = 0 &- (g2 &>> 63)
    let l0 = (h.l0 & keep) | (g0 & ~keep)
    let l1 = (h.l1 & keep) | (g1 & ~keep)
    let l2 = (h.l2 & keep) | (g2 & ~keep)
    let (low, overflow) = (l0 | l1 &<< 44).addingReportingOverflow(pad0)
    let high = (l1 &>> 20 | l2 &<< 24) &+ pad1 &+ (overflow ? 1 : 0)
    return (low, high)
  }

  /// A number below 2^130 and a little, as l0 + 2^44 l1 + 2^88 l2.
  struct Limbs: BitwiseCopyable {
    var l0: UInt64
    var l1: UInt64
    var l2: UInt64

    @inline(__always)
    init(_ l0: UInt64, _ l1: UInt64, _ l2: UInt64) {
      self.l0 = l0
      self.l1 = l1
      self.l2 = l2
    }

    @inline(__always)
    init(low: UInt64, high: UInt64, top: UInt64) {
      l0 = low & mask44
      l1 = (low &>> 44 | high &<< 20) & mask44
      l2 = high &>> 24 | top &<< 40
    }

    @inline(__always)
    mutating func add(_ other: Limbs) {
      l0 &+= other.l0
      l1 &+= other.l1
      l2 &+= other.l2
    }

    @inline(__always)
    mutating func multiply(by r: Limbs) {
      let s1 = r.l1 &* 20
      let s2 = r.l2 &* 20
      let d0 = wide(l0, r.l0) &+ wide(l1, s2) &+ wide(l2, s1)
      var d1 = wide(l0, r.l1) &+ wide(l1, r.l0) &+ wide(l2, s2)
      var d2 = wide(l0, r.l2) &+ wide(l1, r.l1) &+ wide(l2, r.l0)
      d1 &+= d0 &>> 44
      d2 &+= d1 &>> 44
      l0 = UInt64(truncatingIfNeeded: d0) & mask44
      l1 = UInt64(truncatingIfNeeded: d1) & mask44
      l2 = UInt64(truncatingIfNeeded: d2) & mask42
      l0 &+= UInt64(truncatingIfNeeded: d2 &>> 42) &* 5
      l1 &+= l0 &>> 44
      l0 &= mask44
    }

    @inline(__always)
    mutating func carry() {
      l1 &+= l0 &>> 44
      l0 &= mask44
      l2 &+= l1 &>> 44
      l1 &= mask44
      l0 &+= (l2 &>> 42) &* 5
      l2 &= mask42
      l1 &+= l0 &>> 44
      l0 &= mask44
      l2 &+= l1 &>> 44
      l1 &= mask44
    }
  }

  @inline(__always)
  private static func wide(_ left: UInt64, _ right: UInt64) -> UInt128 {
    UInt128(truncatingIfNeeded: left) &* UInt128(truncatingIfNeeded: right)
  }
}
