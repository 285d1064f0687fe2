import CapsuleCore

/// The program that helps with words, by `$XDG_CONFIG_HOME/capsule/assistant` or an option.
struct Assistant {
  let session: Session
  private let command: String
  /// The time limit in seconds.
  private let timeLimit: Int

  static let with = Parameter.option(
    "with", value: "COMMAND", .text, "The shell command to run, instead of the configured one")
  static let dryRun = Parameter.flag(
    "dry-run", short: "n", "Print what the program would get, and do not run it")
  static let timeLimit = Parameter.option(
    "time-limit", value: "SECONDS", .integer(1...86_400), default: "120",
    "How long the program may take")

  /// A part of the commands' discussion.
  static let help = """
    The program gets one JSON object on its input and answers with text. It can be any local model, or a \
    script; `contrib/assistants` has two. Configure it in `$XDG_CONFIG_HOME/capsule/assistant` with a \
    line `command = …`, or use `--with`.

    The program never gets the contents of capsules, keys or anybody's address. `--dry-run` prints what \
    it would get.

    You see the answer, and nothing is stored before you agree. Without a terminal, the answer is \
    printed and nothing is stored.
    """

  init(_ invocation: Invocation, _ session: Session) throws {
    self.session = session
    timeLimit = invocation[Self.timeLimit]
    if let command = invocation[Self.with], !command.trimmed.isEmpty {
      self.command = command
      return
    }
    let file = try ConfigurationFile("assistant", of: ["command"], session)
    guard let command = file["command"] else {
      throw Failure.usage(
        "no program is named that helps with words",
        hint: "name it with '--with COMMAND', or write 'command = …' into '\(file.path.text)'")
    }
    self.command = command
  }

  /// Asks, and takes what comes back as text. A program that fails, or answers with something else, is a
  /// failure, whatever it wrote.
  func ask(_ request: DraftRequest) throws -> DraftReply {
    if session.ask.isAtTerminal { session.console.note("Asking '\(command)'…") }
    var process = ProcessRequest.shell(
      Array(command.utf8), input: request.safeBytes, capturesOutput: true,
      timeLimit: Int64(timeLimit) * 1_000_000_000)
    process.outputLimit = DraftReply.limit + 1
    process.endsAtOutputLimit = true
    process.endsGroup = true
    let outcome = try session.host.runProcess(process)
    if outcome.output.count > DraftReply.limit { throw fault(.tooLong) }
    guard outcome.succeeded else { throw failure(outcome) }
    do throws(DraftReply.Fault) { return try DraftReply(outcome.output) } catch {
      throw fault(error)
    }
  }

  private func failure(_ outcome: ProcessOutcome) -> Failure {
    let (end, hint): (String, String?) =
      switch outcome.end {
      case .exited(126), .exited(127):
        (
          "there is no such program, or it cannot be run",
          "install it, or name another with '--with COMMAND'"
        )
      case .exited(let code): ("it ended with \(code)", nil)
      case .signalled(let number): ("signal \(number) ended it", nil)
      case .timedOut:
        (
          "it took longer than \(DurationUnit.second.text(timeLimit))",
          "'--time-limit SECONDS' gives it more"
        )
      }
    return Failure(
      .io, "'\(command)' drafted nothing: \(end)\(outcome.lastWords)", hint: hint)
  }

  private func fault(_ fault: DraftReply.Fault) -> Failure {
    let reason =
      switch fault {
      case .tooLong: "more than \(ByteSize.text(Int64(DraftReply.limit)))"
      case .notText: "something that is not text in UTF-8"
      case .empty: "no text"
      }
    return Failure(.refused, "'\(command)' answered with \(reason); nothing was kept", hint: nil)
  }
}

extension DraftRequest {
  /// The very bytes that the program gets, and that `--dry-run` prints: characters that turn or hide text on
  /// a terminal are escapes, which mean the same in JSON.
  fileprivate var safeBytes: [UInt8] { SafeText.json(bytes) }
}

// What is done with a draft.
extension Assistant {
  /// Prints the very bytes that the program would get.
  static func show(_ request: DraftRequest, _ session: Session) throws -> ExitCode {
    session.console.out.bytes(request.safeBytes)
    try session.console.out.flush()
    return .ok
  }

  /// Answers with a draft: shows it to a person, who edits it, and keeps what was saved; elsewhere prints
  /// it, and keeps nothing.
  ///
  /// - Parameters:
  ///   - answer: the answer for programs.
  ///   - keep: keeps the text. Where it fails, the text stays in a file that is named.
  static func take(
    _ session: Session, _ draft: String, as answer: JSONObject, question: String, in store: Store,
    keep: (String) throws -> ExitCode
  ) throws -> ExitCode {
    let canEdit = session.ask.isAtTerminal && EditorText.editor(session) != nil
    let code = try session.console.render(json: .object(answer)) { out in out.letter(draft) }
    guard session.ask.isAtTerminal else { return code }
    let unanswered = Failure(.refused, "nothing was kept", hint: nil)
    session.console.out.line()
    guard canEdit, try session.ask.isYes(question, isYesByDefault: true, unanswered: unanswered)
    else {
      session.console.note(
        canEdit ? "Nothing was kept." : "Nothing was kept: EDITOR names no editor.")
      return code
    }
    let written = try EditorText.write(session, beginning: draft + "\n", in: store)
    return try [written.draft].keeping(session) { try keep(written.text) }
  }
}
