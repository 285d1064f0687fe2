import CapsuleCore
import CapsulePlatform
import Synchronization

/// `/dev/tty`, opened for each question.
struct ControllingTerminal: Terminal {
  /// Returns the terminal, when the program has one.
  static func open() -> ControllingTerminal? {
    let descriptor = openTerminal()
    guard descriptor >= 0 else { return nil }
    close(descriptor)
    return ControllingTerminal()
  }

  func ask(_ question: String, echo: Bool) throws(Fault) -> [UInt8]? {
    let descriptor = Self.openTerminal()
    guard descriptor >= 0 else { throw .last("open the terminal") }
    defer { close(descriptor) }
    return echo
      ? try readLine(descriptor, question) : try readHidden(descriptor, question)
  }

  func show(_ bytes: [UInt8]) throws(Fault) {
    let descriptor = Self.openTerminal()
    guard descriptor >= 0 else { throw .last("open the terminal") }
    defer { close(descriptor) }
    try show(bytes, descriptor)
  }

  func hideTyping() -> (any DerivationWatch)? {
    let descriptor = Self.openTerminal()
    guard descriptor >= 0 else { return nil }
    if let hidden = HiddenTyping(descriptor) { return hidden }
    close(descriptor)
    return nil
  }

  var isForeground: Bool {
    let descriptor = Self.openTerminal()
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return tcgetpgrp(descriptor) == getpgrp()
  }

  func keys() throws(Fault) -> any KeyInput {
    let descriptor = Self.openTerminal()
    guard descriptor >= 0 else { throw .last("open the terminal") }
    do {
      return try TerminalKeys(descriptor)
    } catch {
      close(descriptor)
      throw error
    }
  }

  func query(_ question: [UInt8], within limit: Int64) throws(Fault) -> [[UInt8]]? {
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
    var key = key
    return ioctl(descriptor, UInt(TIOCSTI), &key) == 0
  }

  private static func openTerminal() -> Int32 {
    CapsulePlatform.open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
  }

  private func show(_ text: String, _ descriptor: Int32) throws(Fault) {
    try show(Array(text.utf8), descriptor)
  }

  private func show(_ bytes: [UInt8], _ descriptor: Int32) throws(Fault) {
    var failure: Fault?
    bytes.withUnsafeBytes { bytes in
      do throws(Fault) {
        try Descriptor.write(bytes, to: descriptor, "write to the terminal")
      } catch { failure = error }
    }
    if let failure { throw failure }
  }

  private func readByte(_ descriptor: Int32) throws(Fault) -> UInt8? {
    var byte: UInt8 = 0
    var failure: Fault?
    let count = withUnsafeMutableBytes(of: &byte) { buffer in
      do throws(Fault) {
        return try Descriptor.read(descriptor, into: buffer, "read from the terminal")
      } catch {
        failure = error
        return 0
      }
    }
    if let failure { throw failure }
    return count == 0 ? nil : byte
  }

  private func readLine(_ descriptor: Int32, _ question: String) throws(Fault) -> [UInt8]? {
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
  private func readHidden(_ descriptor: Int32, _ question: String) throws(Fault) -> [UInt8]? {
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

/// What hides the typing of somebody who has typed a passphrase, until its key is computed. Questions, other
/// programs and the end of the run take it away, too.
final class TypingCover: DerivationWatch {
  private let hidden = Mutex<(any DerivationWatch)?>(nil)

  func begin(_ terminal: (any Terminal)?) {
    hidden.withLock { if $0 == nil { $0 = terminal?.hideTyping() } }
  }

  func pass() { hidden.withLock { $0?.pass() } }

  func end() {
    hidden.withLock {
      $0?.end()
      $0 = nil
    }
  }
}

/// A terminal that shows nothing of what is typed, and forgets it at the end. Keys that send a signal go on
/// doing so: the terminal is as it was before a signal does what it does.
struct HiddenTyping: DerivationWatch {
  private let descriptor: Int32
  private let before: termios
  private let signals: BlockedSignals

  /// - Parameter descriptor: the open terminal; it is closed by ``end()``.
  /// - Returns: `nil` where keys go to another job.
  init?(_ descriptor: Int32) {
    var before = termios()
    guard tcgetpgrp(descriptor) == getpgrp(), tcgetattr(descriptor, &before) == 0 else {
      return nil
    }
    self.descriptor = descriptor
    self.before = before
    signals = BlockedSignals()
    hide()
  }

  func pass() {
    // One that somebody else holds back waits for them.
    guard let signal = signals.wait(0), signals.isOwn(signal) else { return }
    show()
    signals.deliver(signal)
    hide()
  }

  func end() {
    show()
    signals.end()
    close(descriptor)
  }

  private func hide() {
    var settings = before
    settings.c_lflag &= ~tcflag_t(ECHO | ECHONL)
    change(to: settings, TCSANOW)
  }

  /// Lets the terminal be as it was, without what was typed.
  private func show() { change(to: before, TCSAFLUSH) }

  private func change(to settings: termios, _ when: Int32) {
    // The system stops a job in the background that changes its terminal.
    guard tcgetpgrp(descriptor) == getpgrp() else { return }
    var settings = settings
    _ = tcsetattr(descriptor, when, &settings)
  }
}

/// The keys typed on `/dev/tty`, byte by byte and without an echo, while it is open. Keys that send
/// a signal go on doing so.
struct TerminalKeys: KeyInput {
  private let descriptor: Int32
  private let before: termios

  /// - Parameter descriptor: the open terminal; it is closed by ``end()``.
  init(_ descriptor: Int32) throws(Fault) {
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

/// The bytes that come from a terminal after a question, taken apart: its answers, and the keys that were
/// typed meanwhile.
struct TerminalReplies: Sendable {
  /// The answers, each from its escape character to before its end (ECMA-48 §5.6): `ESC _ …` and the like;
  /// a control sequence (CSI) with its final byte.
  private(set) var answers: [[UInt8]] = []
  /// The bytes that are no answer, in their order.
  private(set) var keys: [UInt8] = []
  /// Whether the primary device attributes came (`CSI ? … c`), which every terminal gives last.
  private(set) var isWhole = false
  private var part: [UInt8] = []

  /// The most bytes of an answer.
  private static let limit = 4096
  private static let escape: UInt8 = 0x1b

  /// Takes the next byte.
  mutating func take(_ byte: UInt8) {
    part.append(byte)
    guard part[0] == Self.escape else { return endKeys() }
    guard part.count > 1 else { return }
    switch part[1] {
    case UInt8(ascii: "["): takeControl(byte)
    case UInt8(ascii: "]"), UInt8(ascii: "_"), UInt8(ascii: "P"): takeString(byte)
    default: endKeys()
    }
  }

  /// Takes what is left as keys, at the end of the time.
  mutating func end() {
    // The rest of an answer that was cut off is none of the user's.
    if part.count <= 2 { endKeys() }
    part = []
  }

  private mutating func takeControl(_ byte: UInt8) {
    guard part.count > 2 else { return }
    if (0x40...0x7e).contains(byte) {
      // A key such as an arrow has no question mark.
      guard part[2] == UInt8(ascii: "?") else { return endKeys() }
      isWhole = isWhole || byte == UInt8(ascii: "c")
      endAnswer(part)
    } else if part.count > Self.limit || !(0x20...0x3f).contains(byte) {
      endKeys()
    }
  }

  private mutating func takeString(_ byte: UInt8) {
    if byte == 0x07 {
      endAnswer(part.dropLast())
    } else if byte == UInt8(ascii: "\\"), part.count > 2, part[part.count - 2] == Self.escape {
      endAnswer(part.dropLast(2))
    } else if part.count > Self.limit {
      part = []
    }
  }

  private mutating func endAnswer(_ answer: some Sequence<UInt8>) {
    answers.append(Array(answer))
    part = []
  }

  private mutating func endKeys() {
    keys += part
    part = []
  }
}

/// The numbers of columns and rows of a terminal.
struct TerminalSize: Hashable, Sendable {
  var columns: Int
  var rows: Int
  /// The pixels of all columns and of all rows; 0 where the terminal does not say.
  var pixels = Pixels()

  struct Pixels: Hashable, Sendable {
    var width = 0
    var height = 0
  }

  /// The pixels of a character; `nil` where the terminal does not say.
  var cell: (width: Double, height: Double)? {
    guard pixels.width > 0, pixels.height > 0, columns > 0, rows > 0 else { return nil }
    return (Double(pixels.width) / Double(columns), Double(pixels.height) / Double(rows))
  }

  /// Reads the size of the descriptor's terminal, if it has one.
  static func of(_ descriptor: Int32) -> TerminalSize? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    var found = TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    found.pixels = Pixels(width: Int(size.ws_xpixel), height: Int(size.ws_ypixel))
    return found
  }
}
