/// A source over an open file, from where its descriptor stands.
package struct FileSource: ByteSource {
  private let files: any FileSystem
  private let file: FileDescriptor

  /// The descriptor stays the caller's to close.
  package init(_ files: any FileSystem, _ file: FileDescriptor) {
    self.files = files
    self.file = file
  }

  package mutating func read(
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(Fault) -> Int {
    try files.read(file, into: buffer)
  }
}

/// A sink into an open file, without a buffer: callers hand it large pieces.
package struct FileSink: ByteSink {
  private let files: any FileSystem
  private let file: FileDescriptor

  /// The descriptor stays the caller's to close and to synchronise.
  package init(_ files: any FileSystem, _ file: FileDescriptor) {
    self.files = files
    self.file = file
  }

  package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(Fault) {
    try files.writeAll(file, bytes)
  }
}

/// A source that gives some bytes again that were read already, counts, and stops at a limit.
struct MeasuredSource: ByteSource {
  private var head: ArraySlice<UInt8>
  private var rest: any ByteSource
  private let limit: (count: Int64, full: Fault)?
  private let progress: (Int64) -> Void
  /// The number of bytes given out so far.
  private(set) var count: Int64 = 0
  /// The digest of the bytes given out so far, where one was asked for.
  private(set) var digest: StreamDigest?

  /// - Parameters:
  ///   - limit: the most bytes, and the fault where there are more.
  ///   - digest: takes every byte that is given out.
  init(
    head: [UInt8], rest: any ByteSource, limit: (count: Int64, full: Fault)? = nil,
    digest: StreamDigest? = nil,
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
    if let limit, count > limit.count { throw limit.full }
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

/// The caller's watch over the work: it is called with the number of bytes before they are written,
/// and ends the work by throwing.
package final class WorkWatch {
  private let body: (Int) throws -> Void
  /// The error by which the caller ended the work.
  package private(set) var interruption: (any Error)?

  package init(_ body: @escaping (Int) throws -> Void) {
    self.body = body
  }

  package func pass(_ count: Int) throws {
    do { try body(count) } catch {
      interruption = error
      throw error
    }
  }
}

/// A sink that asks the watch before it hands on.
package struct WatchedSink<Target: ByteSink>: ByteSink {
  package private(set) var target: Target
  private let watch: WorkWatch

  package init(_ target: Target, watch: WorkWatch) {
    self.target = target
    self.watch = watch
  }

  package mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
    try watch.pass(bytes.count)
    try target.write(bytes)
  }
}
