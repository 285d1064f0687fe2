/// An open file of the index, closed when the last holder lets go of it.
final class IndexFile: Sendable {
  private let files: any FileSystem
  private let descriptor: FileDescriptor
  let size: Int64

  init(_ path: FilePath, in files: any FileSystem) throws(FileSystemError) {
    self.files = files
    descriptor = try files.open(path, .read)
    do throws(FileSystemError) {
      size = try files.status(descriptor).size
    } catch {
      try? files.close(descriptor)
      throw error
    }
  }

  deinit {
    try? files.close(descriptor)
  }

  /// Returns exactly `count` bytes.
  func read(at offset: Int64, count: Int) throws(IndexDamage) -> [UInt8] {
    guard count >= 0, offset >= 0, offset <= size, Int64(count) <= size - offset else {
      throw IndexDamage()
    }
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
      let target = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count)
      done = (try? files.read(descriptor, at: offset, into: target)) ?? 0
    }
    if bytes.count != count { throw IndexDamage() }
    return bytes
  }
}

/// A file of blocks of 4096 bytes, each of which ends in the hash of its other 4088 bytes, seeded
/// with the file's id and the block's number.
struct IndexBlocks: Sendable {
  static let size = 4096
  static let payload = 4088

  let file: IndexFile
  /// The file's id; 0 until it is known.
  var id: UInt64

  init(_ file: IndexFile, id: UInt64) {
    self.file = file
    self.id = id
  }

  var count: Int { Int(file.size / Int64(Self.size)) }

  static func seed(id: UInt64, number: Int) -> UInt64 {
    id &+ UInt64(truncatingIfNeeded: number) &* 0x9e37_79b9_7f4a_7c15
  }

  /// Returns the payloads of some blocks, one behind the other.
  func payloads(_ numbers: Range<Int>) throws(IndexDamage) -> [UInt8] {
    guard numbers.lowerBound >= 0, numbers.upperBound <= count else { throw IndexDamage() }
    var bytes = try file.read(
      at: Int64(numbers.lowerBound) * Int64(Self.size), count: numbers.count * Self.size)
    var isWhole = true
    bytes.withUnsafeMutableBytes { buffer in
      for (position, number) in numbers.enumerated() {
        let start = position * Self.size
        let block = UnsafeRawBufferPointer(rebasing: buffer[start..<start + Self.payload])
        let found = buffer.loadUnaligned(fromByteOffset: start + Self.payload, as: UInt64.self)
        let seed = Self.seed(id: id, number: number)
        if IndexHash.hash(block, seed: seed) != UInt64(littleEndian: found) {
          isWhole = false
          return
        }
        if position > 0, let base = buffer.baseAddress, let from = block.baseAddress {
          // The ranges overlap by the hashes that were dropped: `copyMemory` allows that.
          (base + position * Self.payload).copyMemory(from: from, byteCount: Self.payload)
        }
      }
    }
    if !isWhole { throw IndexDamage() }
    bytes.removeLast(numbers.count * (Self.size - Self.payload))
    return bytes
  }
}
