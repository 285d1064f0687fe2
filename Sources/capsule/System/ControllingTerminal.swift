import CapsuleCore
import CapsulePlatform

/// `/dev/tty`, opened for each question.
struct ControllingTerminal: Terminal {
  /// Returns the terminal, when the program has one.
  static func open() -> ControllingTerminal? {
    let descriptor = openTerminal()
    guard descriptor >= 0 else { return nil }
    close(descriptor)
    return ControllingTerminal()
  }

  func ask(_ question: String, echo: Bool) throws(SystemError) -> [UInt8]? {
    let descriptor = Self.openTerminal()
    guard descriptor >= 0 else { throw .last("open the terminal") }
    defer { close(descriptor) }
    return echo
      ? try readLine(descriptor, question) : try readHidden(descriptor, question)
  }

  func show(_ bytes: [UInt8]) throws(SystemError) {
    let descriptor = Self.openTerminal()
    guard descriptor >= 0 else { throw .last("open the terminal") }
    defer { close(descriptor) }
    try show(bytes, descriptor)
  }

  var isForeground: Bool {
    let descriptor = Self.openTerminal()
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return tcgetpgrp(descriptor) == getpgrp()
  }

  func keys() throws(SystemError) -> any KeyInput {
    let descriptor = Self.openTerminal()
    guard descriptor >= 0 else { throw .last("open the terminal") }
    do throws(SystemError) {
      return try TerminalKeys(descriptor)
    } catch {
      close(descriptor)
      throw error
    }
  }

  func query(_ question: [UInt8], within limit: Int64) throws(SystemError) -> [[UInt8]]? {
    let descriptor = Self.openTerminal()
    guard descriptor >= 0 else { throw .last("open the terminal") }
    defer { close(descriptor) }
    var before = termios()
    guard tcgetattr(descriptor, &before) == 0 else { throw .last("read the terminal's settings") }
    // A signal waits until the terminal is as it was.
    let watch = BlockedSignals()
    defer { watch.end() }
    var quiet = before
    quiet.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON)
    _ = tcsetattr(descriptor, TCSANOW, &quiet)
    var keys: [UInt8] = []
    defer {
      let waiting = keys.first.map { takeBehind($0, descriptor) } ?? []
      _ = tcsetattr(descriptor, TCSANOW, &before)
      for key in waiting.isEmpty ? [] : keys + waiting.dropLast() { Self.insert(key, descriptor) }
    }
    // Part of a line that was typed is seen only now.
    if Self.isReadable(descriptor, for: 0) { return nil }
    try show(question, descriptor)
    var replies = TerminalReplies()
    let end = SystemClocks.monotonic() + limit
    // The answer is read byte by byte, so that a key behind the last answer stays where it is.
    while !replies.isWhole {
      let left = end - SystemClocks.monotonic()
      guard left > 0, Self.isReadable(descriptor, for: left),
        let byte = try readByte(descriptor)
      else { break }
      replies.take(byte)
    }
    replies.end()
    keys = replies.keys
    return replies.answers
  }

  /// Waits until there is something to read, for so many nanoseconds at most.
  private static func isReadable(_ descriptor: Int32, for nanoseconds: Int64) -> Bool {
    Descriptor.isReadable(descriptor, for: nanoseconds)
  }

  /// Takes all keys that wait, so that those before them can be put back first, with the first of these
  /// behind them; nothing where the system takes no keys back.
  private func takeBehind(_ key: UInt8, _ descriptor: Int32) -> [UInt8] {
    guard Self.insert(key, descriptor) else { return [] }
    var waiting: [UInt8] = []
    while Self.isReadable(descriptor, for: 0), let byte = try? readByte(descriptor) {
      waiting.append(byte)
    }
    return waiting
  }

  /// Puts a key behind those that wait, as if it were typed. A system may refuse it: Linux does where
  /// `dev.tty.legacy_tiocsti` is 0, and then a key of the very moment of a question is lost.
  @discardableResult
  private static func insert(_ key: UInt8, _ descriptor: Int32) -> Bool {
    #if canImport(Darwin)
      let request: UInt = 0x8001_7472
    #else
      let request: UInt = 0x5412
    #endif
    var key = key
    return ioctl(descriptor, request, &key) == 0
  }

  private static func openTerminal() -> Int32 {
    CapsulePlatform.open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
  }

  private func show(_ text: String, _ descriptor: Int32) throws(SystemError) {
    try show(Array(text.utf8), descriptor)
  }

  private func show(_ bytes: [UInt8], _ descriptor: Int32) throws(SystemError) {
    var failure: SystemError?
    bytes.withUnsafeBytes { bytes in
      do throws(SystemError) {
        try Descriptor.write(bytes, to: descriptor, "write to the terminal")
      } catch { failure = error }
    }
    if let failure { throw failure }
  }

  private func readByte(_ descriptor: Int32) throws(SystemError) -> UInt8? {
    var byte: UInt8 = 0
    var failure: SystemError?
    let count = withUnsafeMutableBytes(of: &byte) { buffer in
      do throws(SystemError) {
        return try Descriptor.read(descriptor, into: buffer, "read from the terminal")
      } catch {
        failure = error
        return 0
      }
    }
    if let failure { throw failure }
    return count == 0 ? nil : byte
  }

  private func readLine(_ descriptor: Int32, _ question: String) throws(SystemError) -> [UInt8]? {
    try show(question, descriptor)
    var line: [UInt8] = []
    while let byte = try readByte(descriptor) {
      if byte == UInt8(ascii: "\n") { return line }
      line.append(byte)
    }
    // What ended it has left the cursor behind the question.
    try show("\n", descriptor)
    return line.isEmpty ? nil : line
  }

  /// The most bytes of a hidden answer; what is typed behind them is passed over, as a terminal does.
  private static let mostHidden = 4096

  /// Reads byte by byte with echo off. Keys that would send a signal come as bytes, and signals
  /// from outside are held back, so that the terminal is always put right before the program stops.
  private func readHidden(_ descriptor: Int32, _ question: String) throws(SystemError) -> [UInt8]? {
    var before = termios()
    guard tcgetattr(descriptor, &before) == 0 else { throw .last("read the terminal's settings") }
    var hidden = before
    hidden.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | ISIG)
    let watch = BlockedSignals()
    defer { watch.end() }
    func restore() { _ = tcsetattr(descriptor, TCSANOW, &before) }
    _ = tcsetattr(descriptor, TCSANOW, &hidden)
    defer { restore() }
    try show(question, descriptor)

    // An array that grows leaves what it held behind.
    var line: [UInt8] = []
    line.reserveCapacity(Self.mostHidden)
    while true {
      let isReady = Descriptor.isReadable(descriptor, for: 200_000_000)
      var signal = watch.wait(0)
      if isReady, signal == nil {
        guard let byte = try readByte(descriptor) else { break }
        switch byte {
        case 0x0a, 0x0d:
          try show("\n", descriptor)
          return line
        case 0x03: signal = .interrupt
        case 0x1c: signal = .quit
        case 0x1a: signal = .suspend
        case 0x04:
          if line.isEmpty {
            try show("\n", descriptor)
            return nil
          }
        case 0x15:
          wipe(&line)
          line.reserveCapacity(Self.mostHidden)
        case 0x17:
          // The last word.
          while line.last == 0x20 { line.removeLast() }
          while let last = line.last, last != 0x20 { line.removeLast() }
        case 0x08, 0x7f:
          // The last character, all bytes of it.
          while let last = line.popLast(), last & 0xc0 == 0x80 {}
        default: if line.count < Self.mostHidden { line.append(byte) }
        }
      }
      if let signal {
        restore()
        try show("\n", descriptor)
        kill(getpid(), signal.number)
        watch.deliver(signal)
        _ = tcsetattr(descriptor, TCSANOW, &hidden)
        try show(question, descriptor)
      }
    }
    return line.isEmpty ? nil : line
  }
}
