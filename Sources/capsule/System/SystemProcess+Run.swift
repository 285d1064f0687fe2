import CapsulePlatform

/// Running other programs by `posix_spawn(2)`.
enum SystemProcess {
  /// Runs a program to its end, or to the end of its time.
  ///
  /// - Throws: the refusal of the system to run it.
  @Sendable static func run(_ request: ProcessRequest) throws(SystemError) -> ProcessOutcome {
    let name = String(decoding: request.program, as: UTF8.self)
    var pipes = ProcessPipes()
    defer { pipes.close() }
    if request.input != nil { try pipes.open(.input) }
    if request.capturesOutput {
      try pipes.open(.output)
      if !request.showsMessages { try pipes.open(.errorOutput) }
    }
    let isLimited = request.timeLimit != nil
    // The signals that would end this program are held back only while the other one runs in a
    // group of its own, where the terminal's do not reach it, or while they are for the other one.
    let watch = isLimited || request.isForeground ? BlockedSignals() : nil
    defer { watch?.end() }
    let child = try ProcessSpawn.start(
      request, pipes: pipes, ownGroup: isLimited, action: "run '\(name)'")
    pipes.closeOtherEnds()
    request.whenStarted()
    return try wait(for: child, request, &pipes, watch)
  }

  private static func wait(
    for child: pid_t, _ request: ProcessRequest, _ pipes: inout ProcessPipes,
    _ watch: BlockedSignals?
  ) throws(SystemError) -> ProcessOutcome {
    let deadline = request.timeLimit.map { SystemClocks.monotonic() + $0 }
    var input = (request.input ?? [])[...]
    var pause: Int32 = 1
    var interruption: ExitCode?
    while true {
      let moved = pipes.move(&input, waiting: pause, limit: request.outputLimit)
      var status: Int32 = 0
      // Its status first, then what it wrote before: nothing of its output is lost.
      let ended = waitpid(child, &status, WNOHANG)
      if ended == child {
        _ = pipes.move(&input, waiting: 0, limit: request.outputLimit)
        if isLimited(request), request.endsGroup { kill(-child, SIGKILL) }
        var outcome = ProcessOutcome(
          end: end(status), output: pipes.output, errorOutput: pipes.errorOutput)
        if !isLimited(request), let watch { interruption = take(watch, nil) ?? interruption }
        outcome.interruption = interruption
        return outcome
      }
      if ended < 0, errno != EINTR { throw .last("wait for a program") }
      if let deadline, SystemClocks.monotonic() >= deadline {
        kill(-child, SIGKILL)
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        _ = pipes.move(&input, waiting: 0, limit: request.outputLimit)
        return ProcessOutcome(
          end: .timedOut, output: pipes.output, errorOutput: pipes.errorOutput)
      }
      if request.endsAtOutputLimit, pipes.output.count >= request.outputLimit {
        kill(isLimited(request) ? -child : child, SIGKILL)
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return ProcessOutcome(
          end: .signalled(SIGKILL), output: pipes.output, errorOutput: pipes.errorOutput)
      }
      if let watch, !isLimited(request) {
        interruption = take(watch, child) ?? interruption
      } else if let watch, let signal = watch.wait(0) {
        kill(-child, signal.number)
        let ended = signal == .suspend ? nil : endGroup(of: child)
        watch.deliver(signal)
        // The first process of a container lives on.
        if let ended {
          _ = pipes.move(&input, waiting: 0, limit: request.outputLimit)
          return ProcessOutcome(
            end: end(ended), output: pipes.output, errorOutput: pipes.errorOutput)
        }
        kill(-child, SIGCONT)
      }
      pause = moved ? 1 : min(pause * 2, 20)
    }
  }

  /// Gives a program that was asked to end two seconds for it, and ends what is left of its group then.
  ///
  /// - Returns: its status where it ended in that time.
  private static func endGroup(of child: pid_t) -> Int32? {
    let deadline = SystemClocks.monotonic() + 2_000_000_000
    defer { kill(-child, SIGKILL) }
    var status: Int32 = 0
    while SystemClocks.monotonic() < deadline {
      if waitpid(child, &status, WNOHANG) == child { return status }
      SystemClocks.pause(10_000_000)
    }
    return nil
  }

  private static func isLimited(_ request: ProcessRequest) -> Bool { request.timeLimit != nil }

  /// Takes the signals that came while another program has the terminal, which sends its own to
  /// both.
  ///
  /// - Returns: the code of the last one that would have ended this program; `nil` where none would.
  private static func take(_ watch: BlockedSignals, _ child: pid_t?) -> ExitCode? {
    var last: ExitCode?
    while let signal = watch.wait(0) {
      guard let code = signal.exitCode else {
        watch.deliver(signal)
        continue
      }
      if signal == .terminate || signal == .hangUp, let child { kill(child, signal.number) }
      watch.discard(signal)
      last = code
    }
    return last
  }

  private static func end(_ status: Int32) -> ProcessOutcome.End {
    let signal = status & 0x7f
    return signal == 0 ? .exited(status >> 8 & 0xff) : .signalled(signal)
  }
}
