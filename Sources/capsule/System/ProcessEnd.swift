import CapsulePlatform

/// The end of the program.
enum ProcessEnd {
  /// Ends with the code; a signal's code by the signal itself, so that the shell sees it.
  static func exit(_ code: ExitCode) -> Never {
    switch code {
    case .interrupted: raise(SIGINT)
    case .terminated: raise(SIGTERM)
    case .brokenPipe: raise(SIGPIPE)
    default: break
    }
    // _exit: nothing of the C library holds output of ours.
    _exit(Int32(code.rawValue))
  }

  private static func raise(_ number: Int32) {
    _ = signal(number, SIG_DFL)
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, number)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    kill(getpid(), number)
  }
}
