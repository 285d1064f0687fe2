import CapsuleCore

/// Standard input as a source.
struct InputSource: ByteSource {
  let port: InputPort

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    try port.read(buffer)
  }
}
