#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Reads and writes of open descriptors, which go on after an interrupted call.
enum Descriptor {
  static func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, _ action: String
  ) throws(SystemError) -> Int {
    guard let base = buffer.baseAddress else { return 0 }
    while true {
      #if canImport(Darwin)
        let count = Darwin.read(descriptor, base, buffer.count)
      #elseif canImport(Glibc)
        let count = Glibc.read(descriptor, base, buffer.count)
      #else
        let count = Musl.read(descriptor, base, buffer.count)
      #endif
      if count >= 0 { return count }
      if errno == EAGAIN { waitUntilReady(descriptor, for: Int16(POLLIN)) }
      if errno != EINTR && errno != EAGAIN { throw .last(action) }
    }
  }

  static func write(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, _ action: String
  ) throws(SystemError) {
    var rest = bytes
    while let base = rest.baseAddress, !rest.isEmpty {
      #if canImport(Darwin)
        let count = Darwin.write(descriptor, base, rest.count)
      #elseif canImport(Glibc)
        let count = Glibc.write(descriptor, base, rest.count)
      #else
        let count = Musl.write(descriptor, base, rest.count)
      #endif
      if count >= 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      } else if errno == EAGAIN {
        waitUntilReady(descriptor, for: Int16(POLLOUT))
      } else if errno != EINTR {
        throw .last(action)
      }
    }
  }

  /// Reads the whole of a small file that the system keeps; `nil` when it cannot be read.
  static func contents(ofFile path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var content: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while content.count < 1 << 24 {
      let count = chunk.withUnsafeMutableBytes { buffer in
        try? read(descriptor, into: buffer, "read '\(path)'")
      }
      guard let count else { return nil }
      if count == 0 { break }
      content += chunk[..<count]
    }
    return content
  }

  /// Waits until there is something to read, or an end of it, for so many nanoseconds at most.
  static func isReadable(_ descriptor: Int32, for nanoseconds: Int64) -> Bool {
    #if canImport(Darwin)
      // Its poll(2) knows no devices such as /dev/tty.
      guard (0..<1024).contains(descriptor) else { return false }
      var set = fd_set()
      withUnsafeMutableBytes(of: &set) { bytes in
        let words = bytes.bindMemory(to: UInt32.self)
        words[Int(descriptor) / 32] |= 1 << UInt32(descriptor % 32)
      }
      let microseconds = max(0, (nanoseconds + 999) / 1000)
      var limit = timeval(
        tv_sec: Int(microseconds / 1_000_000), tv_usec: Int32(microseconds % 1_000_000))
      return select(descriptor + 1, &set, nil, nil, &limit) > 0
    #else
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&entry, 1, Int32(clamping: (nanoseconds + 999_999) / 1_000_000)) > 0
    #endif
  }

  /// Waits for a descriptor that somebody made non-blocking (a terminal shared with such a program).
  private static func waitUntilReady(_ descriptor: Int32, for events: Int16) {
    var entry = pollfd(fd: descriptor, events: events, revents: 0)
    _ = poll(&entry, 1, -1)
    errno = EAGAIN
  }
}
