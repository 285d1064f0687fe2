import CapsuleCore

/// The secret key and file key that the corpus of `reader` is made with.
private let secretKey = [UInt8](repeating: 0x42, count: 32)

/// A file of any bytes, opened with a fixed identity, binary or armored.
func fuzzReader(_ input: [UInt8]) {
  guard let identity = AgeIdentity(seed: SecretBytes(copying: secretKey), isPostQuantum: false)
  else { return }
  var sink = MemorySink()
  do throws(AgeFailure) {
    var reader = try AgeReader(MemorySource(input))
    let key = try reader.unlock(with: [identity])
    let count = try reader.open(with: key, to: &sink, threads: 1)
    require(count == UInt64(sink.bytes.count), "the count is that of the bytes written")
  } catch {
    // Every failure of bytes in memory is a failure of the file.
    switch error {
    case .header, .headerMAC, .payload, .armor, .noMatch: return
    default: require(false, "a file in memory fails by what it holds: \(error)")
    }
  }
}

/// A payload that is cut, extended, exchanged or flipped as the input says gives whole chunks from
/// its start, and passes only where nothing was changed.
func fuzzStream(_ input: [UInt8]) {
  guard let fileKey = FileKey(SecretBytes(copying: [UInt8](repeating: 1, count: 16))) else {
    return
  }
  let stream = PayloadStream(
    fileKey: fileKey, nonce: [UInt8](repeating: 2, count: 16), batchCount: 2)
  var script = input[...]
  func next() -> Int { Int(script.popFirst() ?? 0) }

  let chunk = PayloadStream.chunkByteCount
  let sealedChunk = PayloadStream.sealedByteCount
  // Sizes about the borders of chunks and batches, up to five chunks.
  let size = max(0, next() % 6 * chunk + next() - 128)
  let plaintext = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) }
  var source = MemorySource(plaintext)
  var sealing = MemorySink()
  guard (try? stream.seal(from: &source, to: &sealing, threads: 1)) == UInt64(size) else {
    return require(false, "memory is sealed")
  }
  var sealed = sealing.bytes
  while let action = script.popFirst() {
    let place = sealed.isEmpty ? 0 : (next() << 16 | next() << 8 | next()) % sealed.count
    switch action % 5 {
    case 0: if !sealed.isEmpty { sealed[place] ^= UInt8(1 << (next() & 7)) }
    case 1: sealed.removeSubrange(place...)
    case 2: sealed += [UInt8](repeating: UInt8(next()), count: 1 + next())
    case 3:
      let start = place / sealedChunk * sealedChunk
      sealed.removeSubrange(start..<min(start + sealedChunk, sealed.count))
    default:
      if sealed.count < 8 * sealedChunk {
        let start = place / sealedChunk * sealedChunk
        sealed += sealed[start..<min(start + sealedChunk, sealed.count)]
      }
    }
  }
  var opening = MemorySource(sealed)
  var opened = MemorySink()
  let count = try? stream.open(from: &opening, to: &opened, threads: 1)
  let isWhole = sealed == sealing.bytes
  require((count != nil) == isWhole, "a payload passes where nothing was changed, and only there")
  require(plaintext.starts(with: opened.bytes), "what is released is what was sealed")
  require(
    isWhole || opened.bytes.count.isMultiple(of: chunk) || opened.bytes.count == size,
    "whole chunks are released")
}
