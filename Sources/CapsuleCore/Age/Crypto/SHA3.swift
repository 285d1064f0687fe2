/// The hash functions and the extendable-output functions of SHA-3 (FIPS 202 §6), whole or in
/// pieces: a sponge over Keccak-f[1600].
///
/// Time and addresses depend on lengths only.
package struct SHA3: BitwiseCopyable, Sendable {
  /// A function of the family.
  package enum Function: Sendable {
    case sha3x256
    case sha3x512
    case shake128
    case shake256

    /// The bytes that are taken or given between two permutations.
    package var rate: Int {
      switch self {
      case .sha3x256, .shake256: 136
      case .sha3x512: 72
      case .shake128: 168
      }
    }

    /// The bits behind the message that tell hashes and outputs of any length apart (§6.1, §6.2),
    /// and the first 1 of the padding.
    fileprivate var suffix: UInt8 {
      switch self {
      case .sha3x256, .sha3x512: 0x06
      case .shake128, .shake256: 0x1f
      }
    }
  }

  private var state = Keccak()
  private let rate: Int
  private let suffix: UInt8
  /// The bytes of the block that were taken, or given.
  private var position = 0
  private var isSqueezing = false

  package init(_ function: Function) {
    rate = function.rate
    suffix = function.suffix
  }

  /// Takes the next bytes of the message, before any output was asked for.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    precondition(!isSqueezing)
    guard let base = bytes.baseAddress else { return }
    var read = 0
    while read < bytes.count {
      let count = min(bytes.count &- read, rate &- position)
      mix(base + read, count: count)
      read &+= count
      position &+= count
      if position == rate { permute() }
    }
  }

  /// Takes the next bytes of the message, before any output was asked for.
  package mutating func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { update($0) }
  }

  /// Writes the next bytes of the output.
  ///
  /// A hash has its own length: 32 bytes for `sha3x256` and 64 for `sha3x512`.
  package mutating func squeeze(into output: UnsafeMutableRawBufferPointer) {
    if !isSqueezing { pad() }
    guard let base = output.baseAddress else { return }
    var written = 0
    while written < output.count {
      if position == rate { permute() }
      let count = min(output.count &- written, rate &- position)
      let start = position
      withUnsafeBytes(of: &state) { state in
        guard let state = state.baseAddress else { return }
        (base + written).copyMemory(from: state + start, byteCount: count)
      }
      written &+= count
      position &+= count
    }
  }

  /// Returns the next bytes of the output.
  package mutating func squeeze(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { output, written in
      squeeze(
        into: UnsafeMutableRawBufferPointer(
          rebasing: UnsafeMutableRawBufferPointer(output)[..<count]))
      written = count
    }
  }

  /// Returns the first bytes of the output for one message; the state is overwritten.
  package static func hash(_ function: Function, _ bytes: [UInt8], count: Int) -> [UInt8] {
    var hash = SHA3(function)
    defer { wipe(value: &hash) }
    hash.update(bytes)
    return hash.squeeze(count)
  }

  private mutating func permute() {
    state.permute()
    position = 0
  }

  private mutating func pad() {
    let (used, last) = (position, rate &- 1)
    withUnsafeMutableBytes(of: &state) { state in
      state[used] ^= suffix
      state[last] ^= 0x80
    }
    permute()
    isSqueezing = true
  }

  /// Adds bytes to the state from `position` on, eight at a time: the words of the state are little
  /// endian, as both of the architectures are that this runs on.
  private mutating func mix(_ bytes: UnsafeRawPointer, count: Int) {
    let start = position
    withUnsafeMutableBytes(of: &state) { state in
      guard let state = state.baseAddress else { return }
      var index = 0
      while index &+ 8 <= count {
        let word =
          (state + start).loadUnaligned(fromByteOffset: index, as: UInt64.self)
          ^ bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        (state + start).storeBytes(of: word, toByteOffset: index, as: UInt64.self)
        index &+= 8
      }
      while index < count {
        let byte =
          (state + start).load(fromByteOffset: index, as: UInt8.self)
          ^ bytes.load(fromByteOffset: index, as: UInt8.self)
        (state + start).storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
        index &+= 1
      }
    }
  }
}

/// The state of Keccak-f[1600]: 25 words of 64 bits, five planes of five (FIPS 202 §3.1).
///
/// No branch and no address depends on a value.
struct Keccak: BitwiseCopyable, Sendable {
  /// The bytes of a state.
  static let byteCount = 200

  private var y0 = Plane()
  private var y1 = Plane()
  private var y2 = Plane()
  private var y3 = Plane()
  private var y4 = Plane()

  /// The round constants of ι (FIPS 202 §3.2.5).
  private static let roundConstants: [UInt64] = [
    0x0000_0000_0000_0001, 0x0000_0000_0000_8082, 0x8000_0000_0000_808a, 0x8000_0000_8000_8000,
    0x0000_0000_0000_808b, 0x0000_0000_8000_0001, 0x8000_0000_8000_8081, 0x8000_0000_0000_8009,
    0x0000_0000_0000_008a, 0x0000_0000_0000_0088, 0x0000_0000_8000_8009, 0x0000_0000_8000_000a,
    0x0000_0000_8000_808b, 0x8000_0000_0000_008b, 0x8000_0000_0000_8089, 0x8000_0000_0000_8003,
    0x8000_0000_0000_8002, 0x8000_0000_0000_0080, 0x0000_0000_0000_800a, 0x8000_0000_8000_000a,
    0x8000_0000_8000_8081, 0x8000_0000_0000_8080, 0x0000_0000_8000_0001, 0x8000_0000_8000_8008,
  ]

  /// Permutes the state: 24 rounds (FIPS 202 §3.3).
  mutating func permute() {
    var (a, b, c, d, e) = (y0, y1, y2, y3, y4)
    Self.roundConstants.withUnsafeBufferPointer { constants in
      for constant in constants { Self.round(&a, &b, &c, &d, &e, constant) }
    }
    (y0, y1, y2, y3, y4) = (a, b, c, d, e)
  }

  /// One round: θ, then ρ and π as the words are gathered for χ, then ι.
  @inline(__always)
  private static func round(
    _ a: inout Plane, _ b: inout Plane, _ c: inout Plane, _ d: inout Plane, _ e: inout Plane,
    _ constant: UInt64
  ) {
    let c0 = a.x0 ^ b.x0 ^ c.x0 ^ d.x0 ^ e.x0
    let c1 = a.x1 ^ b.x1 ^ c.x1 ^ d.x1 ^ e.x1
    let c2 = a.x2 ^ b.x2 ^ c.x2 ^ d.x2 ^ e.x2
    let c3 = a.x3 ^ b.x3 ^ c.x3 ^ d.x3 ^ e.x3
    let c4 = a.x4 ^ b.x4 ^ c.x4 ^ d.x4 ^ e.x4
    let d0 = c4 ^ rotated(c1, 1)
    let d1 = c0 ^ rotated(c2, 1)
    let d2 = c1 ^ rotated(c3, 1)
    let d3 = c2 ^ rotated(c4, 1)
    let d4 = c3 ^ rotated(c0, 1)
    var first = Plane(
      a.x0 ^ d0, rotated(b.x1 ^ d1, 44), rotated(c.x2 ^ d2, 43), rotated(d.x3 ^ d3, 21),
      rotated(e.x4 ^ d4, 14))
    first.x0 ^= constant
    let second = Plane(
      rotated(a.x3 ^ d3, 28), rotated(b.x4 ^ d4, 20), rotated(c.x0 ^ d0, 3),
      rotated(d.x1 ^ d1, 45), rotated(e.x2 ^ d2, 61))
    let third = Plane(
      rotated(a.x1 ^ d1, 1), rotated(b.x2 ^ d2, 6), rotated(c.x3 ^ d3, 25), rotated(d.x4 ^ d4, 8),
      rotated(e.x0 ^ d0, 18))
    let fourth = Plane(
      rotated(a.x4 ^ d4, 27), rotated(b.x0 ^ d0, 36), rotated(c.x1 ^ d1, 10),
      rotated(d.x2 ^ d2, 15), rotated(e.x3 ^ d3, 56))
    let fifth = Plane(
      rotated(a.x2 ^ d2, 62), rotated(b.x3 ^ d3, 55), rotated(c.x4 ^ d4, 39),
      rotated(d.x0 ^ d0, 41), rotated(e.x1 ^ d1, 2))
    (a, b, c, d, e) = (first, second, third, fourth, fifth)
  }

  @inline(__always)
  private static func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 {
    (word &<< count) | (word &>> (64 &- count))
  }

  /// Five words with the same y.
  private struct Plane: BitwiseCopyable {
    var x0: UInt64 = 0
    var x1: UInt64 = 0
    var x2: UInt64 = 0
    var x3: UInt64 = 0
    var x4: UInt64 = 0

    init() {}

    /// The words after χ (FIPS 202 §3.2.4).
    @inline(__always)
    init(_ b0: UInt64, _ b1: UInt64, _ b2: UInt64, _ b3: UInt64, _ b4: UInt64) {
      x0 = b0 ^ (~b1 & b2)
      x1 = b1 ^ (~b2 & b3)
      x2 = b2 ^ (~b3 & b4)
      x3 = b3 ^ (~b4 & b0)
      x4 = b4 ^ (~b0 & b1)
    }
  }
}
