import CapsuleCore

/// Looks for signals and counts progress while deliveries are made, so that Ctrl-C leaves nothing half
/// made.
struct DeliverySignals {
  private let signals: any SignalWatch
  private let progress: Progress

  /// A signal that ends the program came.
  struct Interrupted: Error {
    /// The signal's exit code.
    let code: ExitCode
  }

  init(_ session: Session, total: Int64) {
    signals = session.host.watchSignals()
    progress = session.progress("Delivering", total: total)
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
    switch signals.wait(0) {
    case nil: break
    case .suspend:
      progress.end()
      signals.deliver(.suspend)
    case .interrupt: throw Interrupted(code: .interrupted)
    case .terminate, .hangUp, .quit: throw Interrupted(code: .terminated)
    }
    progress.advance(by: Int64(count))
  }
}
