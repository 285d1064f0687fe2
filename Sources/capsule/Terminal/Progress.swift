import CapsuleCore

/// The progress of a long piece of work, on the terminal of standard error; gone when it ends.
///
///     let progress = session.console.progress("Sealing", total: size)
///     defer { progress.end() }
///     progress.advance(by: count)
final class Progress {
  private let label: String
  private var total: Int64?
  private let unit: Unit
  private let output: TextOutput?
  private let clock: () -> Int64
  private let start: Int64
  private var done: Int64 = 0
  /// The time at which the first part was done, and the size of that: what went before, as the work of a
  /// passphrase, says nothing of the speed.
  private var first: (time: Int64, count: Int64)?
  private var shownAt: Int64 = 0
  private var isShown = false

  /// A unit of work.
  enum Unit: Sendable {
    case bytes
    case items
  }

  /// The time until it is shown, half a second; then it is shown ten times a second at most.
  private static let delay: Int64 = 500_000_000
  private static let interval: Int64 = 100_000_000

  init(
    _ label: String, total: Int64?, unit: Unit, output: TextOutput?, clock: @escaping () -> Int64
  ) {
    self.label = label
    self.total = total.flatMap { $0 > 0 ? $0 : nil }
    self.unit = unit
    self.output = output
    self.clock = clock
    start = output == nil ? 0 : clock()
  }

  deinit { end() }

  /// Counts more as done.
  func advance(by count: Int64) {
    done = done.addingClamped(count)
    guard let output else { return }
    let now = clock()
    if first == nil { first = (now, count) }
    guard now - start >= Self.delay, now - shownAt >= Self.interval else { return }
    shownAt = now
    isShown = true
    let text = StyledText(line(at: now)).cut(to: (output.width ?? 80) - 1)
    output.raw("\r")
    output.write(text)
    output.raw("\u{1b}[K")
    try? output.flush()
  }

  /// Notes how much is done by now, and of how much, where that was not known before.
  func update(_ count: Int64, of total: Int64) {
    if self.total == nil, total > 0 { self.total = total }
    advance(by: count - done)
  }

  /// Removes it from the screen.
  func end() {
    guard isShown, let output else { return }
    isShown = false
    output.raw("\r\u{1b}[K")
    try? output.flush()
  }

  private func line(at now: Int64) -> String {
    var parts = [label, amount(done) + (total.map { " of " + amount($0) } ?? "")]
    let share = total.map { min(100, Self.whole(Double(done) * 100 / Double($0))) } ?? 0
    if total != nil { parts.append("\(share) %") }
    guard let first, now > first.time, done > first.count else {
      return parts.joined(separator: "  ")
    }
    let rate = Double(done - first.count) * 1e9 / Double(now - first.time)
    parts.append(amount(Self.whole(rate)) + "/s")
    if let total, share > 0, total > done {
      parts.append(Self.whole(Double(total - done) / rate).clockText + " left")
    }
    return parts.joined(separator: "  ")
  }

  /// Returns the whole part of a number; the greatest one in place of any beyond.
  private static func whole(_ number: Double) -> Int64 {
    Int64(exactly: number.rounded(.down)) ?? .max
  }

  private func amount(_ value: Int64) -> String {
    switch unit {
    case .items: String(value)
    case .bytes: ByteSize.text(value)
    }
  }
}

/// Looks for signals and counts progress while files are written, so that Ctrl-C leaves nothing half
/// made.
final class WorkSignals {
  private let signals: any SignalWatch
  private let progress: Progress
  /// The code of the signal that ended the work; `nil` where none did.
  private(set) var code: ExitCode?

  /// A signal that ends the program came. A command that throws it ends with its code.
  struct Interrupted: Error {
    /// The signal's exit code.
    let code: ExitCode
  }

  /// - Parameters:
  ///   - label: the word for the work, before its progress.
  ///   - total: bytes; `nil` where that is not known.
  init(_ session: Session, _ label: String, total: Int64?) {
    signals = session.host.watchSignals()
    progress = session.console.progress(label, total: total)
  }

  /// Returns what ended the work: the signal that came, or else the error.
  func cause(of error: any Error) -> any Error {
    code.map { Interrupted(code: $0) } ?? error
  }

  /// Takes the progress away.
  func endProgress() {
    progress.end()
  }

  /// Takes the progress away, and lets signals do again what they do.
  func end() {
    progress.end()
    signals.end()
  }

  /// Looks for a signal, waits while the program is suspended, and counts bytes as done.
  ///
  /// - Throws: `Interrupted`.
  func pass(_ count: Int) throws {
    if let signal = signals.wait(0) {
      if let code = signal.exitCode {
        self.code = code
        throw Interrupted(code: code)
      }
      progress.end()
      signals.deliver(signal)
    }
    progress.advance(by: Int64(count))
  }
}
