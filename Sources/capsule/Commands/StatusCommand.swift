import CapsuleCore

/// `capsule status`.
enum StatusCommand {
  static let reference = Parameter.optionalOperand(
    "REF", .reference(.dated), "An id, the start of one, or a title; without it, what comes next")
  static let format = Parameter.option(
    "format", value: "FORMAT", ValueType<StatusFormat>.choice, default: "text",
    "The format: a line of text, that of a status bar, or JSON")
  static let write = Parameter.option(
    "write", value: "FILE", .path,
    "Write the summary as JSON to a file; only an earlier summary is replaced")
  static let at = Parameter.option(
    "at", value: "WHEN", .text, "Show the status as it will be at this time")

  static let command = Command(
    "status", summary: "Show what is due and next, or one line for a status bar",
    discussion: """
      At a terminal, `capsule status` alone shows the same screen as `capsule`. With REF or an option, \
      and elsewhere, it prints one line, with titles escaped as the format requires. The line begins with \
      what can be opened now; then follows what is overdue or comes next. Problems appear in \
      the line too. The exit status is 0 even then, so that no bar hides the line. Only if the store is \
      missing, and the format is not that of a bar, it is 14.

      `--write` makes a file for widgets, which read it while this program does not run. The file has \
      times instead of durations, so it stays correct. A reader sees the old file or the new one, never \
      a part.

      - A file that is neither empty nor an earlier summary is kept, and the command exits with status \
      12.
      - If the file cannot be written, the command fails like any other command.
      """,
    operands: [reference], options: [format, write, at], outputs: .json,
    examples: [
      Example("capsule status --format waybar", "Show what comes next in Waybar"),
      Example(
        "capsule status --format tmux \"Mia's birthday\"", "Count down to a birthday in tmux"),
      Example("capsule status --format i3blocks", "Show what comes next in i3blocks"),
      Example("capsule status --write ~/.cache/capsule.json", "Write a file for a widget"),
    ],
    exitCodes: [.partial, .notFound, .damaged, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    if session.options.form == .text, session.console.out.isTerminal,
      !invocation.has(format), !invocation.has(write), !invocation.has(at),
      invocation[reference] == nil
    {
      return try StartCommand.show(session)
    }
    var report: StatusReport
    do {
      report = try StatusReport.make(invocation[reference], at: invocation[at], session)
    } catch {
      report = StatusReport(failure: Fault(error), session)
    }
    if let path = invocation[write] {
      try writeFile(report, to: path, session)
      return .done
    }
    let format = invocation[format]
    // A closed pipe is the bar's own affair.
    let isAway = report.failure?.code == .storeAway && !format.isOfBar
    return Answer(report.members, ending: isAway ? .away : .ok) { out in
      switch format {
      case .json: out.json(.object(report.members))
      case .text where out.isTerminal: out.line(report.styledLine)
      default: out.bytes(Array((format.text(of: report) + "\n").utf8))
      }
    }
  }

  /// Writes a report beside the file first, so that a reader sees the old summary or the new one.
  private static func writeFile(
    _ report: StatusReport, to path: FilePath, _ session: Session
  ) throws {
    guard path.bytes != Array("-".utf8) else {
      throw Fault.usage(
        "'--write' needs a file, not standard output", hint: "print the summary: --json")
    }
    if let failure = report.failure { throw failure }
    let bytes = JSON.object(report.fileMembers).encoded(.pretty)
    let files = session.host.files
    // The user named the link: what it leads to is written.
    let path = try files.resolvingLinks(path)
    let replaces = try isSummary(path, files)
    do {
      try files.writeBeside(path, replacing: replaces, random: session.host.random) {
        file in try bytes.withUnsafeBytes { try file.write($0) }
      }
    } catch let fault as Fault where fault.code == .exists {
      throw Fault.taken(path, hint: "give another name: only an earlier summary is replaced")
    }
  }

  /// Whether the file that is there may be replaced: it is empty or an earlier summary.
  private static func isSummary(_ path: FilePath, _ files: any FileSystem) throws -> Bool {
    guard try files.statusIfPresent(path) != nil else { return false }
    return try files.withFile(path, .readFollowingLinks(streams: false)) {
      file throws(Fault) in
      guard try files.status(file).size <= summaryLimit else { return false }
      let bytes = try files.readAll(file, limit: Int(summaryLimit))
      return bytes.isEmpty || StatusReport.isSummary(bytes)
    }
  }

  /// More bytes than a summary can have.
  private static let summaryLimit: Int64 = 1 << 20
}

/// The formats of a status: text, those of bars, JSON.
enum StatusFormat: String, CaseIterable, Sendable {
  case text, waybar, tmux, i3blocks, polybar, swiftbar, json

  /// Whether a status bar reads it, which hides the line of a command that fails.
  var isOfBar: Bool { self != .text && self != .json }

  /// The texts in place of the characters that the bar would not show as they are.
  private var escapes: [Unicode.Scalar: String] {
    switch self {
    case .text, .i3blocks, .json: [:]
    // Waybar makes its text of Pango's markup.
    case .waybar: ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"]
    // `#` begins a format in tmux; `##` is a hash. strftime(3) looks at `%` too.
    case .tmux: ["#": "##", "%": "%%"]
    // `%{` begins a tag, which could run a command, and `%name%` a token; neither has an escape.
    case .polybar: ["%": "%\u{2060}"]
    // `|` begins parameters.
    case .swiftbar: ["|": "¦"]
    }
  }

  private func escaped(_ line: String) -> String {
    let escapes = escapes
    let text = SafeText.line(line).unicodeScalars.reduce(into: "") {
      $0 += escapes[$1] ?? String($1)
    }
    // `---` begins a menu in SwiftBar.
    let isMenu = self == .swiftbar && text.trimmed.unicodeScalars.first == "-"
    return isMenu ? "\u{2060}" + text : text
  }

  private static func json(_ members: JSONObject) -> String {
    String(decoding: JSON.object(members).encoded(.compact), as: UTF8.self)
  }

  /// Returns the report in the format, without the end of the last line.
  func text(of report: StatusReport) -> String {
    switch self {
    case .text, .tmux, .polybar: return escaped(report.line)
    case .json: return Self.json(report.members)
    case .waybar:
      func lines(_ text: String) -> JSON {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.map { escaped(String($0)) }.joined(separator: "\n").json
      }
      return Self.json([
        "text": lines(report.line), "tooltip": lines(report.details.joined(separator: "\n")),
        "class": report.state.json, "alt": report.state.json,
      ])
    case .i3blocks:
      // The whole text, a shorter one and a colour, a line each (i3blocks(1), "Format").
      return [escaped(report.line), escaped(report.shortLine), report.color?.hex]
        .compactMap(\.self).joined(separator: "\n")
    case .swiftbar:
      let color = report.color.map { " | color=\($0.hex)" } ?? ""
      return ([escaped(report.line) + color, "---"] + report.details.map(escaped))
        .joined(separator: "\n")
    }
  }
}

/// One glance at a store: the thing that was asked for, else what can be opened and the next, and some that follow.
struct StatusReport {
  /// The capsule that can be opened, and how many more can be; empty for none.
  private var openable = ""
  private static let openableWords = "can be opened"
  /// The thing behind it; empty for none.
  private var title: String
  /// How far away it is; empty where there is nothing.
  private var span = ""
  /// The time in place of the span.
  private var time = ""
  /// What is missing from the line, behind a semicolon.
  private var remark = ""
  /// More lines, for a tooltip or a menu.
  private(set) var details: [String] = []
  /// The state for a bar's styles: `upcoming`, `today`, `overdue`, `elapsed`, `over`, `done`,
  /// `locked`, `unlocked`, `opened`, `none`, `error`.
  private(set) var state: String
  private(set) var color: EventColor?
  private(set) var failure: Fault?
  /// The members of the summary but its text and state.
  private var facts: JSONObject

  /// The number of things that are shown of those to come.
  private static let followers = 10

  /// The line that a bar shows.
  var line: String { line(span) }

  /// The line where there is little room: how far away it is.
  var shortLine: String {
    !openable.isEmpty ? Self.openableWords : span.isEmpty ? line : span
  }

  /// The line as a person sees it on a terminal.
  var styledLine: StyledText {
    let known: StyledText =
      span.isEmpty
      ? StyledText(title) : "\(StyledText(title, color.titleStyle))  \(span, .yellow)"
    let first: StyledText =
      openable.isEmpty ? "" : "\(openable, .bold)\(known.isEmpty ? "" : "; ")"
    return first + known + StyledText(remark, .boldRed)
  }

  /// The summary that widgets share.
  var members: JSONObject {
    var members = facts
    members["text"] = line.json
    members["state"] = state.json
    return members
  }

  /// The summary for a file, which is read long after it was written: it has times and no spans.
  var fileMembers: JSONObject {
    var members = members
    members["text"] = line(time).json
    for name in ["next", "subject"] { members[name] = members[name].map(Self.withoutSpans) }
    for name in ["upcoming", "openable"] {
      members[name] = members[name]?.array.map { .array($0.map(Self.withoutSpans)) }
    }
    return members
  }

  private func line(_ end: String) -> String {
    [openable, end.isEmpty ? title : "\(title) \(end)"].filter { !$0.isEmpty }
      .joined(separator: "; ") + remark
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

  /// A report of nothing.
  private init(_ title: String, state: String, _ session: Session, at now: Instant) {
    (self.title, self.state) = (title, state)
    facts = session.object(
      ["error": .null, "subject": .null, "next": .null, "openable": [], "upcoming": []],
      at: ["generatedAt": now])
  }

  init(failure: Fault, _ session: Session) {
    self.init("capsule: \(failure.description)", state: "error", session, at: session.now)
    self.failure = failure
    details = [failure.hint].compactMap(\.self)
    facts["error"] = Self.member(failure)
  }

  static func make(
    _ reference: String?, at text: String?, _ session: Session
  ) throws -> StatusReport {
    let now =
      try text.map { try session.dates.read($0, option: "--at").instant } ?? session.now
    let store = try session.stores.expected()
    let settings = session.stores.settings(of: store)
    let context = store.map {
      TimelineContext(
        $0, now: session.now, asOf: now, calendar: session.dates.calendar(settings))
    }
    let span = TimelineSpan(from: now, limit: followers, isOncePerRecord: true, by: .next)
    let upcoming = context.map { Timeline($0).occurrences(in: span) } ?? []
    var target: CountdownView?
    if let reference {
      guard let context else {
        throw Fault.noSuchRecord(reference, among: CountdownCommand.kinds)
      }
      let found = try session.records.find(
        reference, inTurn: CountdownCommand.turns, in: context.store)
      target = try CountdownView(to: found, in: context, session, at: now)
    }
    var report = StatusReport("nothing ahead", state: "none", session, at: now)
    report.show(target, upcoming, session, settings, at: now)
    if let store, target == nil {
      report.show(
        openable: store.queries.openable(followers + 1, at: now, now: session.now), session, at: now
      )
    }
    if let gaps = context?.gaps, !gaps.isEmpty { report.note(gaps) }
    if store == nil { report.details = ["no store at '\(try session.stores.path().text)'"] }
    return report
  }

  private mutating func show(
    _ target: CountdownView?, _ upcoming: [Occurrence], _ session: Session,
    _ settings: StoreSettings, at now: Instant
  ) {
    let views = upcoming.map { JSON.object(OccurrenceView($0, session, at: now).members) }
    let item = target.map { $0.members(at: now) }
    facts["subject"] = item.json
    facts["next"] = views.first ?? .null
    facts["upcoming"] = .array(views)
    details = upcoming.map { occurrence in
      "\(session.dates.text(occurrence.moment))  \(occurrence.title)"
        + (occurrence.isOverdue ? ", overdue" : "")
    }
    if let shown = target.map({ $0.countdown.occurrence(at: now) }) ?? upcoming.first {
      let view = OccurrenceView(shown, session, at: now)
      (title, color) = (shown.title, shown.color)
      span = view.words(session.dates.announced(shown.moment, at: now, settings)).plain
      time = view.words(session.dates.text(shown.moment)).plain
      state =
        switch view.state {
        case .overdue: "overdue"
        case .due, .begun: "today"
        case .ahead: shown.kind == .capsule ? "locked" : "upcoming"
        }
    } else if let moment = target?.countdown.moment, let item {
      title = item["title"]?.string ?? ""
      color = item["color"]?.string.flatMap { EventColor($0) }
      state = item["state"]?.string ?? "none"
      let mark = state == "over" || state == "done" ? "\(state), " : ""
      span = mark + session.dates.announced(moment, at: now, settings)
      time = mark + session.dates.text(moment)
    }
  }

  /// Begins with what can be opened.
  private mutating func show(
    openable capsules: [Brief<Capsule>], _ session: Session, at now: Instant
  ) {
    guard let first = capsules.first else { return }
    let (shown, more) = (capsules.prefix(Self.followers), capsules.count - 1)
    let others = more == 0 ? "" : more < Self.followers ? " (\(more) more)" : " (\(more) or more)"
    openable = "\(first.record.title) \(Self.openableWords)" + others
    if state == "none" { title = "" }
    (state, color) = ("unlocked", nil)
    facts["openable"] = .array(
      shown.map { .object(CapsuleView($0, in: session, at: now).members) })
    details =
      shown.map { "\(session.dates.text($0.digest.unlockAt))  \($0.record.title), unlocked" }
      + details
  }

  /// Says in the line that records are missing from it.
  private mutating func note(_ gaps: TimelineGaps) {
    let failure =
      gaps.failures.first.map { Fault($0) }
      ?? Fault(
        .partial,
        gaps.problems.isEmpty
          ? "some records are only in iCloud, not on this machine"
          : gaps.problems == [.unreadable]
            ? "some records cannot be read" : "some records are damaged",
        hint: "list the damage: capsule verify")
    remark = "; \(failure.description)"
    details += [failure.description, failure.hint].compactMap(\.self)
    facts["error"] = Self.member(failure)
  }

  private static func member(_ failure: Fault) -> JSON {
    [
      "kind": failure.kind.rawValue.json, "message": failure.description.json,
      "hint": failure.hint.json,
    ]
  }
}
