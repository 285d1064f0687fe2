extension ChaCha20Poly1305 {
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
