import CapsuleCore

/// One glance at a store: the thing that was asked for, else the next, and some that follow.
struct StatusReport {
  /// The line that a bar shows.
  private(set) var line: String
  /// More lines, for a tooltip or a menu.
  private(set) var details: [String]
  /// The state for a bar's styles: `upcoming`, `today`, `overdue`, `elapsed`, `over`, `done`,
  /// `locked`, `unlocked`, `opened`, `none`, `error`.
  private(set) var state: String
  private(set) var color: EventColor?
  /// The summary that widgets share.
  private(set) var members: JSONObject
  private(set) var failure: Failure?
  private var title: StyledText = ""
  private var span = ""
  /// The line with the time in place of the span.
  private var lineWithTime = ""
  /// What is missing from it, behind a semicolon.
  private var remark = ""

  /// The number of things that are shown of those to come.
  private static let followers = 10

  init(failure: Failure, _ session: Session) {
    self.failure = failure
    line = "capsule: \(failure.message)"
    details = [failure.hint].compactMap { $0 }
    state = "error"
    title = StyledText(line)
    members = [
      "error": Self.member(failure),
      "subject": .null, "next": .null, "upcoming": [], "text": .string(line),
      "state": .string(state), "zone": .string(session.localZone.label),
    ]
    InstantFields(zone: session.zone).add(session.now, as: "generatedAt", to: &members)
  }

  /// The summary for a file, which is read long after it was written: it has times and no spans.
  var fileMembers: JSONObject {
    var members = members
    members["text"] = .string(lineWithTime)
    for name in ["next", "subject"] { members[name] = members[name].map(Self.withoutSpans) }
    members["upcoming"] = members["upcoming"]?.array.map { .array($0.map(Self.withoutSpans)) }
    return members
  }

  private static func withoutSpans(_ value: JSON) -> JSON {
    guard var members = value.object else { return value }
    for name in ["daysUntil", "secondsUntil", "secondsRemaining"] { members[name] = nil }
    return .object(members)
  }

  /// Whether bytes are a summary that this command wrote to a file.
  static func isSummary(_ bytes: [UInt8]) -> Bool {
    guard let value = try? JSON.parse(bytes), let generated = value["generatedAt"]?.string else {
      return false
    }
    return Instant(rfc3339: generated) != nil && value["upcoming"]?.array != nil
      && value["state"]?.string != nil && value["text"]?.string != nil
      && ["error", "next", "subject", "zone"].allSatisfy { value[$0] != nil }
  }

  /// The line where there is little room: how far away it is.
  var shortLine: String { span.isEmpty ? line : span }

  /// The line as a person sees it on a terminal.
  var styledLine: StyledText {
    let known: StyledText = span.isEmpty ? title : "\(title)  \(span, .yellow)"
    return known + StyledText(remark, .boldRed)
  }

  static func make(
    _ reference: String?, at text: String?, _ session: Session
  ) throws -> StatusReport {
    let now =
      try text.map { text in
        try session.dates.read(text, option: "--at").instant
      } ?? session.now
    let store = try session.stores.existing()
    let settings = session.stores.settings(of: store)
    let calendar = session.dates.calendar(settings)
    var upcoming: [Occurrence] = []
    let context = store.map {
      TimelineContext($0, now: session.now, asOf: now, calendar: calendar)
    }
    if let context {
      upcoming = Timeline(context)
        .occurrences(
          in: TimelineSpan(from: now, limit: followers, isOncePerRecord: true, by: .next))
    }
    var target: CountdownView?
    if let reference {
      guard let context else {
        throw Failure.notFound(reference, among: CountdownCommand.kinds)
      }
      let found = try session.records.find(
        reference, inTurn: CountdownCommand.turns, in: context.store)
      target = try CountdownView(to: found, in: context, session, at: now)
    }
    var report = StatusReport(target, upcoming, session, settings, at: now)
    if let gaps = context?.gaps, !gaps.isEmpty { report.note(gaps) }
    return report
  }

  /// Says in the line that records are missing from it.
  private mutating func note(_ gaps: TimelineGaps) {
    let failure =
      gaps.failures.first.map { Failure($0) }
      ?? Failure(
        .partial,
        gaps.problems == [.unreadable]
          ? "some records cannot be read" : "some records are not what was written",
        hint: "'capsule verify' says which")
    remark = "; \(failure.message)"
    line += remark
    lineWithTime += remark
    details += [failure.message, failure.hint].compactMap { $0 }
    members["text"] = .string(line)
    members["error"] = Self.member(failure)
  }

  private static func member(_ failure: Failure) -> JSON {
    .object([
      "kind": .string(failure.kind.rawValue), "message": .string(failure.message),
      "hint": failure.hint.map { .string($0) } ?? .null,
    ])
  }

  private init(
    _ target: CountdownView?, _ upcoming: [Occurrence], _ session: Session,
    _ settings: StoreSettings, at now: Instant
  ) {
    let views = upcoming.map { OccurrenceView($0, session, at: now) }
    let item = target.map { $0.members(at: now) }
    members = [
      "error": .null,
      "subject": item.map { .object($0) } ?? .null,
      "next": views.first.map { .object($0.members) } ?? .null,
      "upcoming": .array(views.map { .object($0.members) }),
      "zone": .string(session.localZone.label),
    ]
    InstantFields(zone: session.zone).add(now, as: "generatedAt", to: &members)
    details = upcoming.map { occurrence in
      "\(session.dates.text(occurrence.moment))  \(occurrence.title)"
        + (occurrence.isOverdue ? ", overdue" : "")
    }
    let shown = target.map { $0.countdown.occurrence(at: now) } ?? upcoming.first
    if let shown {
      let view = OccurrenceView(shown, session, at: now)
      span = view.words(session.dates.announced(shown.moment, at: now, settings)).plain
      state =
        switch view.state {
        case .overdue: "overdue"
        case .due, .begun: "today"
        case .ahead: shown.kind == .capsule ? "locked" : "upcoming"
        }
      color = shown.color
      title = StyledText(shown.title, color.titleStyle)
      line = "\(shown.title) \(span)"
      lineWithTime = "\(shown.title) \(view.words(session.dates.text(shown.moment)).plain)"
    } else if let target, let item {
      let moment = target.countdown.moment
      state = item["state"]?.string ?? "none"
      let mark = state == "over" || state == "done" ? "\(state), " : ""
      span = mark + session.dates.announced(moment, at: now, settings)
      let name = item["title"]?.string ?? ""
      color = item["color"]?.string.flatMap { EventColor($0) }
      title = StyledText(name, color.titleStyle)
      line = "\(name) \(span)"
      lineWithTime = "\(name) \(mark)\(session.dates.text(moment))"
    } else {
      line = "nothing ahead"
      lineWithTime = line
      title = StyledText(line)
      state = "none"
    }
    members["text"] = .string(line)
    members["state"] = .string(state)
  }
}
