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
      and elsewhere, it prints one line, with titles escaped as the format requires. Problems appear in \
      the line too. The exit status is 0 even then, so that no bar hides the line.

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

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
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
      return .ok
    }
    let format: StatusFormat =
      session.options.form == .text ? invocation[format] : .json
    switch format {
    case .json: session.console.out.json(.object(report.members))
    case .text where session.console.out.isTerminal: session.console.out.line(report.styledLine)
    default:
      session.console.out.bytes(Array((format.text(of: report) + "\n").utf8))
    }
    // A closed pipe is the bar's own affair.
    try session.console.out.flush()
    return .ok
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

  /// Returns the report in the format, without the end of the last line.
  func text(of report: StatusReport) -> String {
    switch self {
    case .text: return SafeText.line(report.line)
    case .json:
      return String(decoding: JSON.object(report.members).encoded(.compact), as: UTF8.self)
    case .waybar:
      let object: JSONObject = [
        "text": .string(Self.pango(report.line)),
        "tooltip": .string(Self.pango(report.details.joined(separator: "\n"))),
        "class": .string(report.state), "alt": .string(report.state),
      ]
      return String(decoding: JSON.object(object).encoded(.compact), as: UTF8.self)
    case .tmux:
      // `#` begins a format in tmux; `##` is a hash. strftime(3) looks at `%` too.
      return SafeText.line(report.line).replacing(["#": "##", "%": "%%"])
    case .i3blocks:
      // The whole text, a shorter one and a colour, a line each (i3blocks(1), "Format").
      return [SafeText.line(report.line), SafeText.line(report.shortLine), report.color?.hex]
        .compactMap(\.self).joined(separator: "\n")
    case .polybar:
      // `%{` begins a tag, which could run a command, and `%name%` a token; neither has an escape.
      return SafeText.line(report.line).replacing(["%": "%\u{2060}"])
    case .swiftbar:
      let color = report.color.map { " | color=\($0.hex)" } ?? ""
      let lines = report.details.map { Self.swiftbar($0) }
      return ([Self.swiftbar(report.line) + color, "---"] + lines).joined(separator: "\n")
    }
  }

  /// Returns a text in Pango's markup, of which Waybar makes its text.
  private static func pango(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      SafeText.line(String(line)).replacing([
        "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;",
      ])
    }.joined(separator: "\n")
  }

  /// Returns a line for SwiftBar, where `|` begins parameters and `---` a menu.
  private static func swiftbar(_ text: String) -> String {
    let line = SafeText.line(text).replacing(["|": "¦"])
    return line.trimmed.unicodeScalars.first == "-" ? "\u{2060}" + line : line
  }
}

extension String {
  /// Returns the text with some of its scalars replaced.
  fileprivate func replacing(_ texts: [Unicode.Scalar: String]) -> String {
    unicodeScalars.reduce(into: "") { text, scalar in
      if let other = texts[scalar] {
        text += other
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
  }
}

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
  private(set) var failure: Fault?
  private var title: StyledText = ""
  private var span = ""
  /// The line with the time in place of the span.
  private var lineWithTime = ""
  /// What is missing from it, behind a semicolon.
  private var remark = ""

  /// The number of things that are shown of those to come.
  private static let followers = 10

  init(failure: Fault, _ session: Session) {
    self.failure = failure
    line = "capsule: \(failure.description)"
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
        throw Fault.noSuchRecord(reference, among: CountdownCommand.kinds)
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
      gaps.failures.first.map { Fault($0) }
      ?? Fault(
        .partial,
        gaps.problems == [.unreadable]
          ? "some records cannot be read" : "some records are damaged",
        hint: "list the damage: capsule verify")
    remark = "; \(failure.description)"
    line += remark
    lineWithTime += remark
    details += [failure.description, failure.hint].compactMap { $0 }
    members["text"] = .string(line)
    members["error"] = Self.member(failure)
  }

  private static func member(_ failure: Fault) -> JSON {
    .object([
      "kind": .string(failure.kind.rawValue), "message": .string(failure.description),
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
