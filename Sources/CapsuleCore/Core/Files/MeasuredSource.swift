/// A source that gives some bytes again that were read already, counts, and stops at a limit.
struct MeasuredSource: ByteSource {
  struct LimitExceeded: Error {}

  private var head: ArraySlice<UInt8>
  private var rest: any ByteSource
  private let limit: Int64
  private let progress: (Int64) -> Void
  /// The number of bytes given out so far.
  private(set) var count: Int64 = 0
  /// The digest of the bytes given out so far, where one was asked for.
  private(set) var digest: StreamDigest?

  /// - Parameter digest: takes every byte that is given out.
  init(
    head: [UInt8], rest: any ByteSource, limit: Int64, digest: StreamDigest? = nil,
    progress: @escaping (Int64) -> Void
  ) {
    self.head = head[...]
    self.rest = rest
    self.limit = limit
    self.progress = progress
    self.digest = digest
  }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let got: Int
    if head.isEmpty {
      got = try rest.read(into: buffer)
    } else {
      got = min(head.count, buffer.count)
      buffer.copyBytes(from: head.prefix(got))
      head = head.dropFirst(got)
    }
    count += Int64(got)
    guard count <= limit else { throw LimitExceeded() }
    digest?.update(UnsafeRawBufferPointer(rebasing: buffer[..<got]))
    progress(count)
    return got
  }
}

extension ByteSource {
  /// Reads until so many bytes are there or the stream ends.
  mutating func readHead(_ count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let got = try bytes.withUnsafeMutableBytes { buffer in
        try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]))
      }
      if got == 0 { break }
      done += got
    }
    return Array(bytes.prefix(done))
  }
}
