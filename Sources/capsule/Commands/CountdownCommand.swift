import CapsuleCore

/// `capsule countdown`.
enum CountdownCommand {
  static let references = Parameter.operands(
    "REF", .reference(.dated), "An id, the start of one, or a title; without it, what comes next")
  static let once = Parameter.flag("once", "Print the time left once and exit")
  static let wait = Parameter.flag(
    "wait", short: "w", "Wait silently until the time comes, then exit")
  static let all = Parameter.flag(
    "all", formerly: "a",
    "Show every capsule that is not open, and every event; on a terminal the list scrolls")
  static let at = Parameter.option(
    "at", value: "WHEN", .text, "Print the time left once, as it will be at this time")

  static let command = Command(
    "countdown", summary: "Count down to unlock times and events, live",
    discussion: """
      On a terminal, the time left is updated every second. After the time has come, it counts up. When \
      you count down to one capsule, the command then offers to open it. Press `q` to quit.

      `--all` fills the terminal: the soonest first, then the past. Scroll with the arrow keys, the page \
      keys, Home and End, or with `j`, `k`, space, `b`, `g` and `G`.

      - For an item, it counts down to the reminder; for a bequest, to its date.
      - A deadline that is not done by its time is shown as over.
      - With `--once`, or without a terminal, the time left is printed once.
      - `--json` always prints an array. `--ndjson` prints one object a second for each thing.
      """,
    operands: [references], options: [all, once, wait, at], outputs: [.json, .ndjson],
    examples: [
      Example("capsule countdown", "Watch what comes next"),
      Example(
        "capsule countdown 'To Mia at 18' --wait && capsule open 'To Mia at 18'",
        "Open a letter as soon as it unlocks"),
      Example("capsule countdown --once", "Print the time left"),
      Example("capsule countdown --all", "Watch all capsules and events"),
    ],
    exitCodes: [
      .partial, .locked, .notFound, .key, .damaged, .busy, .unproven, .version, .refused,
    ],
    run: run)

  /// The kinds that can be counted down to, each looked at where those before have not got the word.
  static let turns: [[RecordKind]] = [[.capsule], [.event], [.item, .bequest]]
  static let kinds = turns.flatMap(\.self)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let references = invocation[references]
    try invocation.refuse(all, with: [self.references])
    try invocation.refuse(wait, with: [all, once, at])
    let simulated = try session.dates.read(at, invocation)
    let start = simulated ?? session.now
    let store =
      try references.first.map { try session.stores.required(for: $0, among: kinds) }
      ?? session.stores.existing()
    let settings = session.stores.settings(of: store)
    let style: SpanStyle = session.answers.inUse(settings).showsTenths ? .tenths : .full
    if invocation[all], let store {
      return try CountdownOfAll(session: session, store: store, settings: settings, style: style)
        .answer(isOnce: invocation[once] || simulated != nil, at: start)
    }
    let views = try store.map { store in
      try targets(references, session, store, settings, at: start)
    }
    guard let store, let views, !views.isEmpty else {
      return .empty().noting(
        "Nothing to count down to: no capsule is locked, and no event is in the future.")
    }
    if invocation[wait] {
      for view in views { try waitFor(view.countdown, from: start, session, store) }
      return .done
    }
    switch session.options.form {
    case .ndjson where !invocation[once] && simulated == nil:
      try session.live.everySecond { now in views.map { $0.members(at: now) } }
    case .text where session.live.isPossible && !invocation[once] && simulated == nil:
      if views.count == 1, case .capsule(let summary) = views[0].countdown.subject,
        session.ask.isPossible
      {
        return try offer(summary.id, views[0], style, store, invocation, session)
      }
      try session.live.draw(quit: {}) { now in
        views.map { $0.line(at: now, style: style, width: session.live.columns) }
      }
      return .done
    default:
      return Answer(rows: views, json: { $0.members(at: start) }) { out in
        for view in views { out.row(view.line(at: start, style: style, width: out.width)) }
      }
    }
  }

  /// Counts down to one capsule, and offers to open it when its time has come.
  private static func offer(
    _ id: RecordID, _ view: CountdownView, _ style: SpanStyle, _ store: Store,
    _ invocation: Invocation, _ session: Session
  ) throws -> Answer {
    var view = view
    var isAsked = view.countdown.state(at: session.currentTime) == .elapsed
    while true {
      var isOver = false
      try session.live.draw(quit: { isOver = true }) { now in
        let hasCome = view.countdown.state(at: now) == .elapsed
        if hasCome, !isAsked { return nil }
        return [view.line(at: now, style: style, width: session.live.columns)]
      }
      if isOver { return .done }
      // Somebody may have moved it later meanwhile.
      let now = session.currentTime
      let capsule = try store.read(Capsule.self, id).model
      view = CountdownView(Countdown(capsule.brief, view.countdown.calendar), session)
      guard view.countdown.state(at: now) == .elapsed else { continue }
      isAsked = true
      let out = session.console.out
      out.row(view.line(at: now, style: style, width: out.width))
      let isWanted = try session.ask.isYes(
        "Open '\(capsule.title)' now?", isYesByDefault: true,
        unanswered: Fault(.refused, "nothing was opened", hint: nil))
      if isWanted { return try open(id, invocation.table, session) }
    }
  }

  /// Opens a capsule as `capsule open` does, at the time that it is by now.
  private static func open(
    _ id: RecordID, _ table: CommandTable, _ session: Session
  ) throws -> Answer {
    let words = ["open", "--wait", id.description].map { Array($0.utf8) }
    guard case .run(let command, let invocation) = try Parser(table).parse(words) else {
      throw Fault.internal("the command 'open' is missing")
    }
    return try command.run(invocation, session)
  }

  /// Finds what is counted down to: what the words mean, or what comes next.
  private static func targets(
    _ references: [String], _ session: Session, _ store: Store, _ settings: StoreSettings,
    at now: Instant
  ) throws -> [CountdownView] {
    let calendar = session.dates.calendar(settings)
    let context = TimelineContext(store, now: session.now, calendar: calendar)
    if references.isEmpty {
      let next = Countdown.next(context, at: now)
      _ = session.records.warn(of: context.gaps)
      return [next].compactMap { $0 }.map { CountdownView($0, session) }
    }
    return try session.records.find(references, inTurn: turns, in: store)
      .map { try CountdownView(to: $0, in: context, session, at: now) }
  }

  /// Waits until the time of it has come, which may be changed meanwhile.
  private static func waitFor(
    _ countdown: Countdown, from start: Instant, _ session: Session, _ store: Store
  ) throws {
    let record = countdown.record
    let found = FoundRecord(kind: record.kind, id: record.id, title: record.title)
    var time = countdown.moment.start(in: session.zone)
    try session.waiting.until({ time }) {
      let context = TimelineContext(
        store, now: session.currentTime, calendar: countdown.calendar)
      time = try CountdownView(to: found, in: context, session, at: start)
        .countdown.moment.start(in: session.zone)
    }
  }
}

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
  func answer(isOnce: Bool, at start: Instant) throws -> Answer {
    let calendar = session.dates.calendar(settings)
    var capsules = store.index.open(.capsule, now: session.now)
    var events = store.index.open(.event, now: session.now)
    func look(_ now: Instant) -> [CountdownView] {
      Countdown.all(capsules: &capsules, events: &events, at: now, calendar)
        .map { CountdownView($0, session) }
    }
    var views = look(start)
    var looked = start
    /// Takes in what other commands changed.
    func renew(_ now: Instant) -> Bool {
      if (0..<Self.maximumAge).contains(now.seconds(since: looked)) { return false }
      capsules = store.index.open(.capsule, now: now)
      events = store.index.open(.event, now: now)
      looked = now
      return true
    }
    var isPartial = session.records.warn(of: &capsules, ListRemarks(noun: "capsules"))
    isPartial = session.records.warn(of: &events, ListRemarks(noun: "events")) || isPartial
    let code = isPartial ? ExitCode.partial : .ok
    switch session.options.form {
    case .ndjson where !isOnce:
      try session.live.everySecond { now in
        _ = renew(now)
        views = look(now)
        return views.map { $0.members(at: now) }
      }
    case .text where session.live.canScroll && !isOnce:
      try session.live.scroll { now in
        if renew(now) { views = look(now) }
        return ScrollingRows(count: views.count) { views[$0].row(at: now, style: style) }
      }
      return .done
    default:
      return Answer(rows: views, ending: code, json: { $0.members(at: start) }) { [views] out in
        for view in views { out.row(view.line(at: start, style: style, width: out.width)) }
      }
      .noting(views.isEmpty ? "There is no capsule and no event yet." : nil)
    }
  }
}
