import CapsulePlatform

/// Signals that are blocked and polled between short waits: no handler, no state outside.
///
/// One may begin and end within another: what was blocked before stays so. A signal that this program was
/// started to ignore, as under `nohup`, is none of them: blocked it would stay pending, as one that came.
struct BlockedSignals: SignalWatch {
  private let watched: [WatchedSignal]
  private let before: sigset_t

  init() {
    watched = WatchedSignal.allCases.filter { !Self.isIgnored($0) }
    before = Self.change(SIG_BLOCK, watched)
  }

  func wait(_ nanoseconds: Int64) -> WatchedSignal? {
    let deadline = SystemClocks.monotonic() + nanoseconds
    while true {
      if let signal = pending() { return signal }
      let left = deadline - SystemClocks.monotonic()
      if left <= 0 { return nil }
      SystemClocks.pause(min(left, 50_000_000))
    }
  }

  /// Whether nobody held the signal back before this watch began.
  func isOwn(_ signal: WatchedSignal) -> Bool {
    var set = before
    return sigismember(&set, signal.number) == 0
  }

  func deliver(_ signal: WatchedSignal) {
    Self.change(SIG_UNBLOCK, [signal])
    Self.change(SIG_BLOCK, [signal])
  }

  /// Takes a signal that waits, as if it had been handled.
  func discard(_ signal: WatchedSignal) {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, signal.number)
    var number: Int32 = 0
    sigwait(&set, &number)
  }

  func end() {
    var set = before
    pthread_sigmask(SIG_SETMASK, &set, nil)
  }

  private func pending() -> WatchedSignal? {
    var set = sigset_t()
    guard sigpending(&set) == 0 else { return nil }
    return watched.first { sigismember(&set, $0.number) == 1 }
  }

  private static func isIgnored(_ signal: WatchedSignal) -> Bool {
    var action = sigaction()
    guard sigaction(signal.number, nil, &action) == 0 else { return false }
    #if canImport(Darwin)
      let handler = action.__sigaction_u.__sa_handler
    #elseif canImport(Glibc)
      let handler = action.__sigaction_handler.sa_handler
    #else
      let handler = action.__sa_handler.sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// - Returns: the signals that were blocked before.
  @discardableResult
  private static func change(_ how: Int32, _ signals: [WatchedSignal]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal.number) }
    var before = sigset_t()
    sigemptyset(&before)
    pthread_sigmask(how, &set, &before)
    return before
  }
}

extension WatchedSignal {
  var number: Int32 {
    switch self {
    case .interrupt: SIGINT
    case .terminate: SIGTERM
    case .hangUp: SIGHUP
    case .quit: SIGQUIT
    case .suspend: SIGTSTP
    }
  }
}
