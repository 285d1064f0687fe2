import CapsuleCore

/// Looks for signals and counts progress while files are written, so that Ctrl-C leaves nothing half
/// made.
final class WorkSignals {
  private let signals: any SignalWatch
  private let progress: Progress
  private var interruption: Interrupted?

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

  /// The code of the signal that ended the work; `nil` where none did.
  var code: ExitCode? { interruption?.code }

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
        let interruption = Interrupted(code: code)
        self.interruption = interruption
        throw interruption
      }
      progress.end()
      signals.deliver(signal)
    }
    progress.advance(by: Int64(count))
  }
}
