import CapsuleCore
import CapsulePlatform

/// Reads and writes of open descriptors, which go on after an interrupted call.
enum Descriptor {
  static func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, _ action: String
  ) throws(SystemError) -> Int {
    guard let base = buffer.baseAddress else { return 0 }
    while true {
      let count = CapsulePlatform.read(descriptor, base, buffer.count)
      if count >= 0 { return count }
      if errno == EAGAIN {
        _ = isReady(descriptor, .reading, within: nil)
      } else if errno != EINTR {
        throw .last(action)
      }
    }
  }

  static func write(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, _ action: String
  ) throws(SystemError) {
    var rest = bytes
    while let base = rest.baseAddress, !rest.isEmpty {
      let count = CapsulePlatform.write(descriptor, base, rest.count)
      if count >= 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
      } else if errno == EAGAIN {
        _ = isReady(descriptor, .writing, within: nil)
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
    isReady(descriptor, .reading, within: nanoseconds)
  }

  private enum Use {
    case reading, writing
  }

  /// Waits until a descriptor that does not block can be used, for so many nanoseconds at most. Somebody may have
  /// made it so: a terminal is shared with other programs.
  ///
  /// - Parameter limit: `nil` for none.
  private static func isReady(_ descriptor: Int32, _ use: Use, within limit: Int64?) -> Bool {
    #if canImport(Darwin)
      // Its poll(2) knows no devices such as /dev/tty.
      guard (0..<1024).contains(descriptor) else {
        SystemClocks.pause(min(limit ?? .max, 10_000_000))
        return true
      }
      var set = fd_set()
      withUnsafeMutableBytes(of: &set) { bytes in
        let words = bytes.bindMemory(to: UInt32.self)
        words[Int(descriptor) / 32] |= 1 << UInt32(descriptor % 32)
      }
      // Without a limit it asks again each minute.
      let microseconds = max(0, ((limit ?? 60_000_000_000) + 999) / 1000)
      var time = timeval(
        tv_sec: Int(microseconds / 1_000_000), tv_usec: Int32(microseconds % 1_000_000))
      switch use {
      case .reading: return select(descriptor + 1, &set, nil, nil, &time) > 0
      case .writing: return select(descriptor + 1, nil, &set, nil, &time) > 0
      }
    #else
      let events = Int16(use == .reading ? POLLIN : POLLOUT)
      var entry = pollfd(fd: descriptor, events: events, revents: 0)
      let milliseconds = limit.map { Int32(clamping: ($0 + 999_999) / 1_000_000) } ?? -1
      return poll(&entry, 1, milliseconds) > 0
    #endif
  }
}

/// The failure of a call of the system.
struct SystemError: Error, Hashable, Sendable {
  /// The `errno` it left.
  let code: Int32
  /// The action that failed: "write to standard output".
  let action: String

  /// Returns an error with the code that `errno` has now.
  static func last(_ action: String) -> SystemError {
    SystemError(code: errno, action: action)
  }

  /// Whether the reader of a pipe is gone.
  var isClosedPipe: Bool { code == EPIPE }

  /// Whether there is no such file or program.
  var isNotFound: Bool { code == ENOENT }

  /// The system's words for the code, in English (the program never sets a locale).
  var reason: String {
    if code == FileRefusal.notRegularFile { return "it is not a regular file" }
    guard let text = strerror(code) else { return "error \(code)" }
    return String(cString: text).lowercased()
  }
}
