import CapsulePlatform

/// The keys typed on `/dev/tty`, byte by byte and without an echo, while it is open. Keys that send
/// a signal go on doing so.
struct TerminalKeys: KeyInput {
  private let descriptor: Int32
  private let before: termios

  /// - Parameter descriptor: the open terminal; it is closed by ``end()``.
  init(_ descriptor: Int32) throws(SystemError) {
    var before = termios()
    guard tcgetattr(descriptor, &before) == 0 else {
      throw .last("read the terminal's settings")
    }
    self.descriptor = descriptor
    self.before = before
    resume()
  }

  func read(_ nanoseconds: Int64) -> [UInt8]? {
    guard Descriptor.isReadable(descriptor, for: nanoseconds) else { return [] }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = bytes.withUnsafeMutableBytes { buffer in
      // A terminal that is gone cannot be read.
      (try? Descriptor.read(descriptor, into: buffer, "read from the terminal")) ?? 0
    }
    return count == 0 ? nil : Array(bytes[..<count])
  }

  func pause() {
    var settings = before
    _ = tcsetattr(descriptor, TCSADRAIN, &settings)
  }

  func resume() {
    var settings = before
    settings.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON)
    _ = tcsetattr(descriptor, TCSADRAIN, &settings)
  }

  func end() {
    pause()
    close(descriptor)
  }
}
