import CapsuleCore

/// A text that is written in the user's editor.
///
/// It lies in the clear for that time. Its draft is removed when it is sealed, and kept and named when
/// something fails after words were written, or a signal comes.
struct EditorText {
  let text: String
  let draft: PrivateFile

  /// The name of a draft's file.
  static let name = Array("text.txt".utf8)

  /// The editor that the user's variables name, else `vi`; `nil` where there is no terminal, or one
  /// that cannot draw.
  static func editor(_ session: Session) -> String? {
    EditorChoice.command(session.environment, hasTerminal: session.ask.isPossible)
  }

  /// Opens the editor and reads what was written.
  ///
  /// - Parameters:
  ///   - beginning: the text of the draft before anything is written.
  ///   - store: the store, where there is one yet.
  static func write(
    _ session: Session, beginning: String = "", in store: Store?
  ) throws -> EditorText {
    guard session.options.takesInput else {
      throw Failure.usage("'--edit' needs the terminal", hint: "give the text with '-' or '--text'")
    }
    guard let editor = editor(session) else {
      throw Failure.usage(
        session.ask.isPossible
          ? "no editor is named, and the terminal is dumb" : "'--edit' needs the terminal",
        hint: "set EDITOR, or give the text with '-' or '--text'")
    }
    let files = session.host.files
    let draft = try PrivateFile(named: name, as: .draft, session, in: store)
    do {
      try files.withFile(draft.path, .createExclusive(mode: 0o600)) {
        file throws(FileSystemError) in
        try files.writeAll(file, Array(beginning.utf8))
      }
      let outcome = try run(editor, on: draft.path, session)
      return try read(draft, after: outcome, of: editor, beginning: beginning, session)
    } catch let kept as Kept {
      draft.nameKept(session)
      throw kept.cause
    } catch {
      draft.remove()
      throw error
    }
  }

  /// A failure after which the draft holds words that are nowhere else.
  private struct Kept: Error {
    let cause: any Error
  }

  private static func run(
    _ editor: String, on file: FilePath, _ session: Session
  ) throws(SystemError) -> ProcessOutcome {
    // The variable may hold arguments: the shell takes it apart, as git's does. The editor gets
    // the terminal even where this program's own streams are pipes.
    var line = "{ \(editor) \"$1\"; }"
    if session.ask.isPossible {
      if !session.host.input.isTerminal() { line += " </dev/tty" }
      if !session.console.out.isTerminal { line += " >/dev/tty" }
    } else if !session.console.out.isTerminal {
      line += " >&2"
    }
    var request = ProcessRequest.shell(Array(line.utf8), arguments: [file.bytes], input: nil)
    request.isForeground = true
    return try session.host.runProcess(request)
  }

  /// Returns the end that a signal makes, which came while the editor ran. Ctrl-C was for an editor that
  /// went on and ended well: Emacs gives up a command by it.
  private static func interruption(_ outcome: ProcessOutcome) -> WorkSignals.Interrupted? {
    guard let code = outcome.interruption, !(code == .interrupted && outcome.succeeded) else {
      return nil
    }
    return WorkSignals.Interrupted(code: code)
  }

  /// Reads the draft. One that the editor left as it was is nothing to keep, whatever happened.
  private static func read(
    _ draft: PrivateFile, after outcome: ProcessOutcome, of editor: String, beginning: String,
    _ session: Session
  ) throws -> EditorText {
    let interruption = interruption(outcome)
    let failed: any Error =
      interruption
      ?? Failure(
        .refused, "the editor '\(editor)' failed; nothing was made",
        hint: "set VISUAL or EDITOR to another one, or give the text with '-' or '--text'")
    // The terminal has written `^C` where the next words stand.
    if interruption != nil, session.console.err.isTerminal { session.console.err.line() }
    let bytes: [UInt8]
    do throws(FileSystemError) {
      bytes = try session.host.files.readFile(draft.path, limit: 1 << 26)
    } catch {
      if error.condition == .notFound { throw failed }
      throw Kept(cause: error)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Kept(
        cause: interruption
          ?? Failure(.refused, "the draft is not text in UTF-8", hint: "put it in as a file"))
    }
    let isBlank = text.unicodeScalars.allSatisfy(\.properties.isWhitespace)
    guard outcome.succeeded, interruption == nil else {
      if isBlank || text.utf8.elementsEqual(beginning.utf8) { throw failed }
      throw Kept(
        cause: interruption
          ?? Failure(
            .refused, "the editor '\(editor)' failed",
            hint: "put the draft in as a file when it is finished"))
    }
    if isBlank { throw Failure(.refused, "the draft is empty; nothing was made", hint: nil) }
    return EditorText(text: text, draft: draft)
  }
}
