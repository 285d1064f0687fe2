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
