/// Something that is to be put into a capsule.
package struct ContentSource {
  /// Where it comes from.
  package enum Origin {
    /// A text, at most ``ContentDetails/textLimit`` bytes; a longer one is sealed as a file.
    case text(String)
    /// A file of the user's, by its path; links are followed.
    case file(FilePath)
    /// Standard input, or anything else that is read to its end: text where it is text, else a file.
    case stream(any ByteSource, name: [UInt8])
  }

  package let origin: Origin
  package let caption: String?

  package init(_ origin: Origin, caption: String? = nil) {
    self.origin = origin
    self.caption = caption
  }
}

/// What a command on a capsule's contents could not do.
public enum CapsuleError: Error {
  case store(StoreError)
  /// A file that was named cannot be read.
  case unreadableSource(FileSystemError)
  /// A path that was named is a directory.
  case sourceIsDirectory(path: String)
  /// A file is larger than the setting `maxFileSize` allows; the size is what is known of it.
  case sourceTooLarge(path: String, size: Int64, limit: Int64)
  /// A file changed while it was read.
  case sourceChanged(path: String)
  /// Reading a stream failed.
  case streamFailed(any Error)
  /// The seal could not be made or opened; what is opened is named.
  case seal(any Error, path: String)
  /// The details inside a content's seal are not what this program writes.
  case details(FieldError?, path: String)
  /// The capsule was opened before: nothing can be put into it any more.
  case alreadyOpened(Instant)
}

/// A source that gives some bytes again that were read already, counts, and stops at a limit.
struct MeasuredSource: ByteSource {
  struct LimitExceeded: Error {}

  private var head: ArraySlice<UInt8>
  private var rest: any ByteSource
  private let limit: Int64
  private let progress: (Int64) -> Void
  /// Bytes given out so far.
  private(set) var count: Int64 = 0

  init(
    head: [UInt8], rest: any ByteSource, limit: Int64, progress: @escaping (Int64) -> Void
  ) {
    self.head = head[...]
    self.rest = rest
    self.limit = limit
    self.progress = progress
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
