/// The AEAD ChaCha20-Poly1305 (RFC 8439 §2.8).
///
/// A value: several threads may seal and open different buffers with it at once. Nonces are 12
/// bytes and tags 16; no nonce may seal two messages under one key.
package struct ChaCha20Poly1305: Sendable {
  package static let keyByteCount = 32
  package static let nonceByteCount = 12
  package static let tagByteCount = 16
  /// The most bytes of a message: the stream's 32-bit block counter must not come round.
  package static let maximumCount = 64 * Int(UInt32.max)

  private let key: SecretBytes

  /// A cipher under a key of 32 bytes.
  package init(key: SecretBytes) {
    precondition(key.count == Self.keyByteCount)
    self.key = key
  }

  /// A cipher under a copy of a key of 32 bytes.
  package init(key: [UInt8]) {
    self.init(key: SecretBytes(copying: key))
  }

  /// Seals a buffer in place and writes its tag.
  package func seal(
    _ buffer: UnsafeMutableRawBufferPointer, nonce: [UInt8], associatedData: [UInt8] = [],
    tag: UnsafeMutableRawBufferPointer
  ) {
    seal(
      UnsafeRawBufferPointer(buffer), into: buffer, nonce: nonce, associatedData: associatedData,
      tag: tag)
  }

  /// Seals a message into a buffer of at least its size and writes its tag; the buffers are the same
  /// or apart.
  package func seal(
    _ plaintext: UnsafeRawBufferPointer, into ciphertext: UnsafeMutableRawBufferPointer,
    nonce: [UInt8], associatedData: [UInt8] = [], tag: UnsafeMutableRawBufferPointer
  ) {
    precondition(tag.count >= Self.tagByteCount && ciphertext.count >= plaintext.count)
    precondition(plaintext.count <= Self.maximumCount)
    var (stream, authenticator) = start(nonce: nonce, associatedData: associatedData)
    if let source = plaintext.baseAddress, let target = ciphertext.baseAddress {
      Self.seal(source, target, count: plaintext.count, stream, &authenticator)
    }
    authenticator.update(lengths: associatedData.count, plaintext.count)
    tag.storeBytes(of: authenticator.tag().littleEndian, as: UInt128.self)
    wipe(value: &stream)
    wipe(value: &authenticator)
  }

  /// Opens a buffer in place.
  ///
  /// - Returns: `false` where the tag is wrong; the buffer then holds zeros.
  package func open(
    _ buffer: UnsafeMutableRawBufferPointer, nonce: [UInt8], associatedData: [UInt8] = [],
    tag: UnsafeRawBufferPointer
  ) -> Bool {
    open(
      UnsafeRawBufferPointer(buffer), into: buffer, nonce: nonce, associatedData: associatedData,
      tag: tag)
  }

  /// Opens a message into a buffer of at least its size. The buffers are the same or apart.
  ///
  /// - Returns: `false` where the tag is wrong; the buffer then holds zeros.
  package func open(
    _ ciphertext: UnsafeRawBufferPointer, into plaintext: UnsafeMutableRawBufferPointer,
    nonce: [UInt8], associatedData: [UInt8] = [], tag: UnsafeRawBufferPointer
  ) -> Bool {
    precondition(plaintext.count >= ciphertext.count && ciphertext.count <= Self.maximumCount)
    var (stream, authenticator) = start(nonce: nonce, associatedData: associatedData)
    if let source = ciphertext.baseAddress, let target = plaintext.baseAddress {
      Self.open(source, target, count: ciphertext.count, stream, &authenticator)
    }
    authenticator.update(lengths: associatedData.count, ciphertext.count)
    let expected = authenticator.tag()
    wipe(value: &stream)
    wipe(value: &authenticator)
    let valid = withUnsafeBytes(of: expected.littleEndian) { constantTimeEqual($0, tag) }
    if !valid { wipe(UnsafeMutableRawBufferPointer(rebasing: plaintext[..<ciphertext.count])) }
    return valid
  }

  /// Returns the sealed form of a message: as many bytes, and the tag.
  package func seal(
    _ plaintext: [UInt8], nonce: [UInt8], associatedData: [UInt8] = []
  ) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: plaintext.count + Self.tagByteCount) { output, count in
      let output = UnsafeMutableRawBufferPointer(output)
      plaintext.withUnsafeBytes { plaintext in
        seal(
          plaintext, into: UnsafeMutableRawBufferPointer(rebasing: output[..<plaintext.count]),
          nonce: nonce, associatedData: associatedData,
          tag: UnsafeMutableRawBufferPointer(
            rebasing: output[plaintext.count..<(plaintext.count + Self.tagByteCount)]))
      }
      count = plaintext.count + Self.tagByteCount
    }
  }

  /// Returns the message in a sealed form; `nil` where it is not authentic.
  package func open(
    _ sealed: [UInt8], nonce: [UInt8], associatedData: [UInt8] = []
  ) -> [UInt8]? {
    let size = sealed.count - Self.tagByteCount
    guard size >= 0 else { return nil }
    var valid = false
    let plaintext = [UInt8](unsafeUninitializedCapacity: size) { output, count in
      let output = UnsafeMutableRawBufferPointer(output)
      valid = sealed.withUnsafeBytes { sealed in
        open(
          UnsafeRawBufferPointer(rebasing: sealed[..<size]), into: output, nonce: nonce,
          associatedData: associatedData, tag: UnsafeRawBufferPointer(rebasing: sealed[size...]))
      }
      count = valid ? size : 0
    }
    return valid ? plaintext : nil
  }

  /// Returns the stream, and the authenticator under the key in the stream's first block (§2.6)
  /// after the associated data.
  private func start(
    nonce: [UInt8], associatedData: [UInt8]
  ) -> (stream: ChaCha20, authenticator: Poly1305) {
    precondition(nonce.count == Self.nonceByteCount)
    return key.withUnsafeBytes { key in
      nonce.withUnsafeBytes { nonce in
        withUnsafeTemporaryAllocation(byteCount: ChaCha20.strideByteCount, alignment: 16) { block in
          guard let key = key.baseAddress, let nonce = nonce.baseAddress,
            let base = block.baseAddress
          else { preconditionFailure("a key and a nonce are not empty") }
          block.initializeMemory(as: UInt8.self, repeating: 0)
          let stream = ChaCha20(key: key, nonce: nonce)
          stream.xorStride(counter: 0, base, base)
          var authenticator = Poly1305(key: base)
          wipe(block)
          associatedData.withUnsafeBytes { authenticator.update(padded: $0) }
          return (stream, authenticator)
        }
      }
    }
  }

  /// Adds the stream from its second block on and authenticates the output, each stride while the
  /// next is made.
  static func seal(
    _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, count: Int,
    _ stream: ChaCha20, _ authenticator: inout Poly1305
  ) {
    let stride = ChaCha20.strideByteCount
    let strides = count / stride
    if strides > 0 {
      stream.xorStride(counter: 1, input, output)
      for index in 1..<max(strides, 1) {
        let place = stride &* index
        stream.xorStride(
          counter: counter(index), input + place, output + place,
          authenticating: UnsafeRawPointer(output + (place &- stride)), with: &authenticator)
      }
      authenticator.update(output + stride * (strides - 1), blocks: stride / 16)
    }
    let place = stride * strides
    let rest = count - place
    xorRest(input + place, output + place, count: rest, stream, counter: counter(strides))
    authenticator.update(padded: UnsafeRawBufferPointer(start: output + place, count: rest))
  }

  /// Authenticates the input and adds the stream from its second block on, each stride while it is
  /// made.
  static func open(
    _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, count: Int,
    _ stream: ChaCha20, _ authenticator: inout Poly1305
  ) {
    let stride = ChaCha20.strideByteCount
    let strides = count / stride
    for index in 0..<strides {
      let place = stride &* index
      stream.xorStride(
        counter: counter(index), input + place, output + place,
        authenticating: input + place, with: &authenticator)
    }
    let place = stride * strides
    let rest = count - place
    authenticator.update(padded: UnsafeRawBufferPointer(start: input + place, count: rest))
    xorRest(input + place, output + place, count: rest, stream, counter: counter(strides))
  }

  /// Returns the number of the first block of a stride; block 0 is the authenticator's key.
  @inline(__always)
  private static func counter(_ stride: Int) -> UInt32 {
    UInt32(truncatingIfNeeded: 4 &* stride &+ 1)
  }

  /// Adds the stream to the last bytes, fewer than a stride.
  private static func xorRest(
    _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, count: Int,
    _ stream: ChaCha20, counter: UInt32
  ) {
    guard count > 0 else { return }
    let stride = ChaCha20.strideByteCount
    withUnsafeTemporaryAllocation(byteCount: stride, alignment: 16) { block in
      guard let base = block.baseAddress else { return }
      block.initializeMemory(as: UInt8.self, repeating: 0)
      base.copyMemory(from: input, byteCount: count)
      stream.xorStride(counter: counter, base, base)
      output.copyMemory(from: base, byteCount: count)
      wipe(block)
    }
  }
}

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
