import CapsulePlatform

/// The pipes between this program and one that it runs.
struct ProcessPipes {
  enum Stream: Int32 {
    case input = 0
    case output = 1
    case errorOutput = 2
  }

  /// The ends of this program, and of the other; -1 where there is none.
  private var ours: [Int32] = [-1, -1, -1]
  private(set) var theirs: [Int32] = [-1, -1, -1]
  private(set) var output: [UInt8] = []
  private(set) var errorOutput: [UInt8] = []

  mutating func open(_ stream: Stream) throws(SystemError) {
    var ends: (Int32, Int32) = (-1, -1)
    let result = withUnsafeMutableBytes(of: &ends) { buffer in
      buffer.withMemoryRebound(to: Int32.self) { pointer -> Int32 in
        guard let base = pointer.baseAddress else { return -1 }
        return pipe(base)
      }
    }
    guard result == 0 else { throw .last("make a pipe") }
    let index = Int(stream.rawValue)
    ours[index] = stream == .input ? ends.1 : ends.0
    theirs[index] = stream == .input ? ends.0 : ends.1
    for descriptor in [ends.0, ends.1] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ours[index], F_SETFL, O_NONBLOCK)
  }

  mutating func closeOtherEnds() {
    for index in 0..<3 { Self.close(&theirs[index]) }
  }

  mutating func close() {
    for index in 0..<3 {
      Self.close(&ours[index])
      Self.close(&theirs[index])
    }
  }

  /// Writes and reads as much as is possible without a longer wait than so many milliseconds.
  ///
  /// - Returns: whether anything moved.
  mutating func move(_ input: inout ArraySlice<UInt8>, waiting: Int32, limit: Int) -> Bool {
    if input.isEmpty { Self.close(&ours[0]) }
    var entries = (0..<3).map { index in
      pollfd(fd: ours[index], events: Int16(index == 0 ? POLLOUT : POLLIN), revents: 0)
    }
    guard poll(&entries, 3, waiting) > 0 else { return false }
    if entries[0].revents != 0 { feed(&input) }
    if entries[1].revents != 0 { Self.drain(&ours[1], into: &output, limit: limit) }
    if entries[2].revents != 0 { Self.drain(&ours[2], into: &errorOutput, limit: limit) }
    return true
  }

  private mutating func feed(_ input: inout ArraySlice<UInt8>) {
    let count = input.withUnsafeBytes { bytes in write(ours[0], bytes.baseAddress, bytes.count) }
    if count > 0 {
      input = input.dropFirst(count)
    } else if errno != EAGAIN, errno != EINTR {
      // It does not read its input, which is fine.
      input = []
    }
    if input.isEmpty { Self.close(&ours[0]) }
  }

  /// The most that a pipe holds at once, in bytes (Linux: `/proc/sys/fs/pipe-max-size`): reading as much takes
  /// all that was written before, and ends while a program writes without end.
  private static let pipeLimit = 1 << 20

  private static func drain(_ descriptor: inout Int32, into kept: inout [UInt8], limit: Int) {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    var left = pipeLimit
    while left > 0 {
      let count = read(descriptor, &chunk, chunk.count)
      if count > 0 {
        left -= count
        kept += chunk[..<min(count, max(0, limit - kept.count))]
      } else if count < 0, errno == EINTR {
        continue
      } else {
        if count == 0 || errno != EAGAIN { close(&descriptor) }
        return
      }
    }
  }

  private static func close(_ descriptor: inout Int32) {
    guard descriptor >= 0 else { return }
    _ = CapsulePlatform.close(descriptor)
    descriptor = -1
  }
}
