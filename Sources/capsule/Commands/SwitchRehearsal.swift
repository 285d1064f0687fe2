import CapsuleCore

/// What the switch will do until a time if its owner never checks in, and `capsule check` runs all the
/// while: nothing is written, sent or announced.
struct SwitchRehearsal {
  private let session: Session
  private let end: Instant
  /// The messages, each with the time from which a check sends it.
  private var messages: [(at: Instant, notice: Notice)] = []
  private var watch: SilenceWatch?

  /// - Parameter store: `nil` where there is none.
  init(
    _ store: Store?, _ settings: StoreSettings, until end: Instant, _ session: Session
  ) throws {
    self.session = session
    self.end = end
    guard let store,
      let silence = try SilenceCheck(store, settings, at: session.now, now: session.now)
    else { return }
    let notices = SwitchNotices(silence, session)
    var log =
      try store.stateDirectory.map {
        try Ledger.read(of: store, in: $0, now: session.now).silence
      } ?? SilenceLog()
    var time = session.now
    while true {
      let check = silence.checked(at: time)
      let pending = check.pending(log)
      if let look = check.owedLook(log) { log.add(look) }
      for message in pending {
        messages.append((time, notices.notice(of: message)))
        log.add(message.note(at: time))
      }
      let watch = check.watch(log)
      self.watch = watch
      guard time < end, watch.state != .ended, watch.state != .silent || !pending.isEmpty else {
        break
      }
      time = min(end, next(after: time, watch, silence.terms))
    }
  }

  /// Returns the time of the next look: that of the next state, or a little later while people are told.
  private func next(
    after time: Instant, _ watch: SilenceWatch, _ terms: SilenceSwitch
  ) -> Instant {
    if ![.warned, .grace, .silent].contains(watch.state), let next = watch.next?.at, next > time {
      return next
    }
    let grace = terms.grace.added(to: time, in: .utc)?.instant.seconds(since: time) ?? 0
    return time.adding(seconds: max(60, min(3600, grace / 16)))
  }

  func answer(isExitCodeAsked: Bool) -> Answer {
    let isWanted = watch?.isCheckInWanted ?? false
    return Answer(members, ending: isExitCodeAsked && !isWanted ? .none : .ok) { write(to: $0) }
  }

  private func write(to out: TextOutput) {
    guard let watch else { return out.line("The switch is off.") }
    for (time, notice) in messages {
      let to = notice.letter.map { $0.address.isEmpty ? "you" : "\($0.name) <\($0.address)>" }
      out.line("\(session.dates.text(time), .dim)  to \(to ?? "you"): \(notice.title, .bold)")
      for paragraph in notice.letter?.paragraphs ?? [] { out.line("  \(paragraph)", indent: 2) }
      out.line()
    }
    if messages.isEmpty { out.line("No message will be sent by then.") }
    out.line("On \(session.dates.text(end)), if you never check in: \(watch.state.rawValue)")
  }

  private var members: JSONObject {
    session.object(
      [
        "kind": "switch", "state": (watch?.state.rawValue ?? "off").json,
        "messages": .array(
          messages.map { time, notice in
            .object(session.inner(notice.members(), at: ["at": time]))
          }),
      ], at: ["at": end])
  }
}
