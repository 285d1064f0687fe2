import CapsuleCore

/// Announces what became due: by a command, by a notice on the desktop.
struct Announcer {
  let session: Session
  /// The shell command to run for each; `nil` for none.
  let command: String?
  let notifies: Bool
  /// The time limit for each program, in seconds.
  let timeLimit: Int

  /// Whether anything more is done than to print.
  var runsPrograms: Bool { command != nil || notifies }

  /// Runs the command and shows the notice, where they were asked for.
  ///
  /// - Throws: the failure of a program: the thing is not announced then.
  func announce(_ notice: Notice) throws {
    if let command { try run(command, notice) }
    if notifies { try notify(notice) }
  }

  private func run(_ command: String, _ notice: Notice) throws {
    // The command prints after everything that was printed so far.
    try session.console.out.flush()
    let input = JSON.object(notice.members()).encoded(.compact) + Array("\n".utf8)
    var request = ProcessRequest.shell(
      Array(command.utf8),
      environment: [
        "CAPSULE_ID": Array(notice.id.utf8),
        "CAPSULE_TITLE": Array(SafeText.line(notice.title).utf8),
        "CAPSULE_KIND": Array(notice.kind.utf8),
        "CAPSULE_TO": Array(Self.operand(notice.letter?.address ?? "").utf8),
        "CAPSULE_MESSAGE": Array(SafeText.line(notice.letter?.message ?? notice.text.plain).utf8),
      ],
      input: input, timeLimit: nanoseconds)
    request.sendsOutputToErrors = session.options.form != .text
    let outcome = try session.host.runProcess(request)
    try expectSuccess(outcome, of: "the command of '--exec'", notice)
  }

  /// Returns an address, or nothing where a program would take it for an option.
  private static func operand(_ address: String) -> String {
    address.utf8.first == UInt8(ascii: "-") ? "" : address
  }

  private func notify(_ notice: Notice) throws {
    let title = Array(SafeText.line(notice.title).utf8)
    let body = Array(notice.text.plain.utf8.filter { $0 != 0 })
    let requests = [
      ProcessRequest(
        program: Array("notify-send".utf8),
        arguments: [Array("--app-name=capsule".utf8), Array("--".utf8), title, Self.markup(body)],
        input: [], capturesOutput: true, timeLimit: nanoseconds),
      // The words are operands of the script, never part of it.
      ProcessRequest(
        program: Array("osascript".utf8),
        arguments: [
          Array("-e".utf8),
          Array(
            "on run {t, b}\ndisplay notification b with title t\nend run".utf8), title, body,
        ],
        input: [], capturesOutput: true, timeLimit: nanoseconds),
    ]
    for request in requests {
      let name = "'\(String(decoding: request.program, as: UTF8.self))'"
      let outcome: ProcessOutcome
      do throws(SystemError) {
        outcome = try session.host.runProcess(request)
      } catch {
        if error.isNotFound { continue }
        throw failure("\(name) cannot be run", ": \(error.reason)", notice)
      }
      return try expectSuccess(outcome, of: name, notice)
    }
    throw Failure(
      .partial, "there is neither 'notify-send' nor 'osascript' to notify with",
      hint: "install libnotify's tools, or use '--exec COMMAND'", details: Self.details(notice))
  }

  /// Returns a text as the body of a notice, which the desktop reads as markup (Desktop Notifications
  /// Specification 1.2, section 5): links and images of a title are not shown as such.
  private static func markup(_ text: [UInt8]) -> [UInt8] {
    text.flatMap { byte in
      switch byte {
      case UInt8(ascii: "&"): Array("&amp;".utf8)
      case UInt8(ascii: "<"): Array("&lt;".utf8)
      case UInt8(ascii: ">"): Array("&gt;".utf8)
      default: [byte]
      }
    }
  }

  private func expectSuccess(
    _ outcome: ProcessOutcome, of what: String, _ notice: Notice
  ) throws {
    let end: String
    switch outcome.end {
    case .exited(0): return
    case .exited(let code): end = "exited with \(code)"
    case .signalled(let signal): end = "was ended by signal \(signal)"
    case .timedOut: end = "took longer than \(DurationUnit.second.text(timeLimit))"
    }
    throw failure("\(what) \(end)", outcome.lastWords, notice)
  }

  /// Returns the failure of a program.
  ///
  /// - Parameters:
  ///   - end: the program and how it ended.
  ///   - reason: the reason behind `: `; empty where none is known.
  private func failure(_ end: String, _ reason: String, _ notice: Notice) -> Failure {
    Failure(
      .partial, "\(end) for '\(notice.title)'\(reason)",
      hint: "it is announced again at the next check",
      details: Self.details(notice))
  }

  private static func details(_ notice: Notice) -> JSONObject {
    ["id": notice.id.isEmpty ? .null : .string(notice.id)]
  }

  private var nanoseconds: Int64 { Int64(timeLimit) * 1_000_000_000 }
}
