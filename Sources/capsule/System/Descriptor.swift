import CapsuleCore
import CapsulePlatform

/// Reads and writes of open descriptors, which go on after an interrupted call.
enum Descriptor {
  static func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, _ action: String
  ) throws(Fault) -> Int {
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
  ) throws(Fault) {
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

/// A call that the system refused.
struct SystemRefusal: FaultCause, Hashable {
  /// The `errno` it left.
  let errno: Int32
  /// The action that failed: "write to standard output".
  let action: String

  var code: Fault.Code { errno == EPIPE ? .signal : .io }
  var message: Fault.Message { "cannot \(action): \(FileRefusal.reason(of: errno))" }
}

extension Fault {
  /// An action that the system refused with an `errno`.
  init(system errno: Int32, action: String) {
    self.init(SystemRefusal(errno: errno, action: action))
  }

  /// Returns a fault with the `errno` that there is now.
  static func last(_ action: String) -> Fault {
    Fault(system: CapsulePlatform.errno, action: action)
  }

  private var refusal: SystemRefusal? { cause as? SystemRefusal }

  /// Whether there is no such program.
  var isNoProgram: Bool { refusal?.errno == ENOENT }

  /// The reason of the system for a refused call, without the action.
  var reason: String { refusal.map { FileRefusal.reason(of: $0.errno) } ?? "\(message)" }
}
