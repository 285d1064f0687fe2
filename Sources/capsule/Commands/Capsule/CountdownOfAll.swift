import CapsuleCore

/// `capsule countdown --all`: every capsule that is not open, and every event.
struct CountdownOfAll {
  let session: Session
  let store: Store
  let settings: StoreSettings
  let style: SpanStyle

  /// The most seconds that a list may be old: changes by other commands are seen after that.
  private static let maximumAge: Int64 = 5

  /// Shows it on the whole terminal, live, or writes it as the options say.
  ///
  /// - Parameter isOnce: whether it is only for the time `start`.
  func answer(isOnce: Bool, at start: Instant) throws -> ExitCode {
    let calendar = session.dates.calendar(settings)
    var capsules = store.index(.capsule, now: session.now)
    var events = store.index(.event, now: session.now)
    func look(_ now: Instant) -> [CountdownView] {
      Countdown.all(capsules: &capsules, events: &events, at: now, calendar)
        .map { CountdownView($0, session) }
    }
    var views = look(start)
    var looked = start
    /// Takes in what other commands changed.
    func renew(_ now: Instant) -> Bool {
      if (0..<Self.maximumAge).contains(now.seconds(since: looked)) { return false }
      capsules = store.index(.capsule, now: now)
      events = store.index(.event, now: now)
      looked = now
      return true
    }
    var isPartial = session.records.warn(of: &capsules, ListRemarks(noun: "capsules"))
    isPartial = session.records.warn(of: &events, ListRemarks(noun: "events")) || isPartial
    let code = isPartial ? ExitCode.partial : .ok
    switch session.options.form {
    case .ndjson where !isOnce:
      return try session.live.everySecond { now in
        _ = renew(now)
        views = look(now)
        for view in views { session.console.out.jsonLine(.object(view.members(at: now))) }
        try session.console.out.flush()
      }
    case .json, .ndjson:
      return try session.console.render(
        ending: code, json: .array(views.map { .object($0.members(at: start)) })
      ) { _ in }
    case .text: break
    }
    guard session.live.canScroll, !isOnce else {
      return try session.console.render(ending: code) { out in
        if views.isEmpty { session.console.note("There is no capsule and no event yet.") }
        for view in views { out.row(view.line(at: start, style: style, width: out.width)) }
      }
    }
    return try session.live.scroll { now in
      if renew(now) { views = look(now) }
      return ScrollingRows(count: views.count) { views[$0].row(at: now, style: style) }
    }
  }
}
