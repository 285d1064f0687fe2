import CapsuleCore

/// `capsule countdown`.
enum CountdownCommand {
  static let references = RepeatableOperand(
    "REF", .reference(.record), "An id, the start of one, or a title; what comes next if none")
  static let once = Flag("once", "Show it once and end")
  static let wait = Flag(
    "wait", short: "w", "Wait without a word until the time has come, then end")
  static let at = Option("at", value: "WHEN", .text, "Show it once, as it will be at this time")

  static let command = Command(
    "countdown", summary: "Count down to unlock times and events, live",
    discussion: """
      On a terminal the time left is drawn again each second, and counts up once the time has come. \
      A deadline that was not met is over then. Elsewhere, and with `--once`, it is shown once. `--json` is always an array; `--ndjson` gives \
      one object a second for each.
      """,
    operands: [references], options: [once, wait, at], outputs: [.json, .ndjson],
    examples: [
      Example("capsule countdown", "Watch what comes next"),
      Example("capsule countdown Surprise --wait && capsule open Surprise", "Open it at its time"),
      Example("capsule countdown --once", "Tell the time left"),
    ],
    exitCodes: [.none, .notFound, .damaged, .version],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let references = invocation[references]
    let simulated = try invocation[at].map { text in
      try session.when(text, option: "--at").instant
    }
    let start = simulated ?? session.now
    let targets =
      references.isEmpty
      ? try CountdownTarget.next(session, at: start)
      : try CountdownTarget.find(references, session, at: start)
    guard !targets.isEmpty else {
      return try session.render(json: []) { _ in
        session.console.note("Nothing is to come: no capsule is locked, and no event is ahead.")
      }
    }
    let style = spanStyle(session)
    func lines(_ now: Instant) -> [StyledText] {
      targets.map { $0.line(at: now, style: style, in: session.zone) }
    }
    if invocation[wait] {
      for target in targets { try waitFor(target, session) }
      return .ok
    }
    switch session.options.form {
    case .ndjson where !invocation[once] && simulated == nil:
      return try session.everySecond { now in
        for target in targets { session.console.out.jsonLine(.object(target.members(now))) }
        try session.console.out.flush()
      }
    case .json, .ndjson:
      return try session.render(
        json: .array(targets.map { .object($0.members(start)) })
      ) { _ in }
    case .text:
      guard session.canDrawLive, !invocation[once], simulated == nil else {
        return try session.render { out in
          for line in lines(start) { out.line(line) }
        }
      }
      return try session.live(lines)
    }
  }

  /// Waits until the time of it has come.
  private static func waitFor(
    _ target: CountdownTarget, _ session: Session
  ) throws {
    guard target.kind == .capsule else {
      let time = target.moment.start(in: session.zone)
      while session.currentTime < time {
        session.host.sleepUntil(time.nanoseconds)
      }
      return
    }
    guard let store = try session.existingStore() else { return }
    let record = try store.read(Capsule.self, target.id)
    _ = try session.waitForUnlock(of: record, in: store)
  }

  private static func spanStyle(_ session: Session) -> SpanStyle {
    let settings = session.storeSettings(try? session.existingStoreQuietly())
    return settings.showsTenths ? .tenths : .full
  }
}

extension Session {
  /// Runs at each turn of the second until a signal ends the program or the reader goes.
  func everySecond(
    _ body: (Instant) throws -> Void
  ) throws -> ExitCode {
    while true {
      let now = currentTime
      try body(now)
      host.sleepUntil(now.adding(seconds: 1).nanoseconds)
    }
  }
}
