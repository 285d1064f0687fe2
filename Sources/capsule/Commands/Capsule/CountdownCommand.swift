package import CapsuleCore

/// `capsule countdown`.
enum CountdownCommand {
  static let references = RepeatableOperand(
    "REF", .reference(.capsule), "An id, the start of one, or a title; the next to unlock if none")
  static let once = Flag("once", "Show it once and end")
  static let wait = Flag("wait", short: "w", "Wait without a word until it is unlocked, then end")
  static let at = Option("at", value: "WHEN", .text, "Show it once, as it will be at this time")

  static let command = Command(
    "countdown", summary: "Count down to the unlock time, live",
    discussion: """
      On a terminal the time left is drawn again each second, and counts up once the time has come. \
      Elsewhere, and with `--once`, it is shown once. `--json` is always an array; `--ndjson` gives \
      one object a second for each.
      """,
    operands: [references], options: [once, wait, at], outputs: [.json, .ndjson],
    examples: [
      Example("capsule countdown", "Watch the next one to unlock"),
      Example("capsule countdown Surprise --wait && capsule open Surprise", "Open it at its time"),
      Example("capsule countdown --once", "Tell the time left"),
    ],
    exitCodes: [.none, .notFound, .damaged, .version],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws(Failure) -> ExitCode {
    let references = invocation[references]
    let simulated = try invocation[at].map { text throws(Failure) in
      try session.when(text, option: "--at").instant
    }
    let records = try records(references, session)
    guard !records.isEmpty else {
      return try session.render(json: []) { _ in
        session.console.note("No capsule is locked.")
      }
    }
    let style = spanStyle(session)
    func line(_ record: StoredRecord<Capsule>, _ now: Instant) -> StyledText {
      let capsule = record.model
      let span = RelativeText.text(capsule.unlockAt, from: now, in: session.zone, style: style)
      let isLocked = now < capsule.unlockAt
      return "\(capsule.title, .bold)  \(span, isLocked ? .yellow : .green)"
    }
    if invocation[wait] {
      for record in records {
        guard let store = try session.existingStore() else { break }
        _ = try session.waitForUnlock(of: record, in: store)
      }
      return .ok
    }
    switch session.settings.form {
    case .ndjson where !invocation[once] && simulated == nil:
      return try session.everySecond { now throws(Failure) in
        for record in records {
          session.console.out.jsonLine(.object(object(record, now, session)))
        }
        try session.console.out.flush()
      }
    case .json, .ndjson:
      let now = simulated ?? session.now
      return try session.render(
        json: .array(records.map { .object(object($0, now, session)) })
      ) { _ in }
    case .text:
      guard session.canDrawLive, !invocation[once], simulated == nil else {
        let now = simulated ?? session.now
        return try session.render { out in
          for record in records { out.line(line(record, now)) }
        }
      }
      return try session.live { nanoseconds in
        records.map { line($0, Instant(seconds: nanoseconds / 1_000_000_000)) }
      }
    }
  }

  /// The capsules meant; without a word for any, the next to unlock.
  private static func records(
    _ references: [String], _ session: Session
  ) throws(Failure) -> [StoredRecord<Capsule>] {
    guard let first = references.first else {
      guard let store = try session.existingStore() else { return [] }
      var index = store.index(.capsule, now: session.now)
      var records: [StoredRecord<Capsule>] = []
      // The index may be late by an edit in place: what it says is looked at.
      for entry in index.entries(.ascending, from: session.now.seconds + 1, limit: 8) {
        guard records.isEmpty, let record = try? store.read(Capsule.self, entry.id) else {
          continue
        }
        records.append(record)
      }
      return records
    }
    let store = try session.requiredStore(for: first)
    var records: [StoredRecord<Capsule>] = []
    for reference in references { records.append(try session.capsule(reference, in: store)) }
    return records
  }

  private static func spanStyle(_ session: Session) -> SpanStyle {
    let settings = session.storeSettings(try? session.existingStoreQuietly())
    return settings.showsTenths ? .tenths : .full
  }

  private static func object(
    _ record: StoredRecord<Capsule>, _ now: Instant, _ session: Session
  ) -> JSONObject {
    CapsuleView(
      record.model.summary, problem: record.integrity == nil ? .none : .altered, in: session,
      at: now
    ).members
  }
}

extension Session {
  /// Runs at each turn of the second until a signal ends the program or the reader goes.
  package func everySecond(
    _ body: (Instant) throws(Failure) -> Void
  ) throws(Failure) -> ExitCode {
    while true {
      let now = host.wallClock()
      try body(Instant(seconds: now / 1_000_000_000))
      host.sleepUntil((now / 1_000_000_000 + 1) * 1_000_000_000)
    }
  }
}
