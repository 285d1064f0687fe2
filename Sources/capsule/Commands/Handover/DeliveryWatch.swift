import CapsuleCore

/// Looks for signals and counts progress while a delivery is made, so that Ctrl-C leaves nothing half
/// made.
final class DeliveryWatch {
  private let signals: any SignalWatch
  private let progress: Progress
  /// The signal's code, once one came that ends the program.
  private(set) var interruption: ExitCode?

  /// A signal that ends the program came.
  struct Interrupted: Error {}

  init(_ session: Session, total: Int64) {
    signals = session.host.watchSignals()
    progress = session.progress("Delivering", total: total)
  }

  /// Takes the progress away, and lets signals do again what they do.
  func end() {
    progress.end()
    signals.end()
  }

  /// Looks for a signal, and waits while the program is suspended.
  func check() throws(Interrupted) {
    switch signals.wait(0) {
    case nil: return
    case .suspend:
      progress.end()
      signals.deliver(.suspend)
    case .interrupt:
      interruption = .interrupted
      throw Interrupted()
    case .terminate, .hangUp, .quit:
      interruption = .terminated
      throw Interrupted()
    }
  }

  func advance(by count: Int) {
    progress.advance(by: Int64(count))
  }
}

/// A sink that looks for signals before it hands on, and counts behind it.
struct WatchedSink<Target: ByteSink>: ByteSink {
  private(set) var target: Target
  private let watch: DeliveryWatch

  init(_ target: Target, watch: DeliveryWatch) {
    self.target = target
    self.watch = watch
  }

  mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
    try watch.check()
    try target.write(bytes)
    watch.advance(by: bytes.count)
  }
}
