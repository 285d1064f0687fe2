import CapsuleCore

/// A text that is written in the user's editor.
///
/// It lies in the clear for that time: in a 0700 directory of its own in `$XDG_RUNTIME_DIR`, which is
/// memory, else in the store's `tmp/`. It is removed when it is sealed, and kept and named when
/// something fails.
struct EditorText {
  let text: String
  private let directory: FilePath
  private let file: FilePath
  private let files: any FileSystem

  /// Opens the editor and reads what was written.
  ///
  /// - Parameter beginning: the text of the draft before anything is written.
  static func write(
    _ session: Session, store: Store, beginning: String = ""
  ) throws -> EditorText {
    guard let editor = EditorChoice.command(session.environment) else {
      throw Failure.usage(
        "no editor is named, and the terminal is dumb",
        hint: "set EDITOR, or give the text with '-' or '--text'")
    }
    guard session.options.takesInput else {
      throw Failure.usage("'--edit' needs the terminal", hint: "give the text with '-' or '--text'")
    }
    let files = session.host.files
    let directory = try makeDirectory(session, store)
    let file = directory.appending("text.txt")
    try files.withFile(file, .createExclusive(mode: 0o600)) { draft throws(FileSystemError) in
      try files.writeAll(draft, Array(beginning.utf8))
    }
    let outcome: ProcessOutcome
    do throws(SystemError) {
      // The variable may hold arguments: the shell takes it apart, as git's does. The editor gets
      // the terminal even where this program's own streams are pipes.
      var line = "{ \(editor) \"$1\"; }"
      if session.console.canAsk {
        if !session.host.input.isTerminal() { line += " </dev/tty" }
        if !session.console.out.isTerminal { line += " >/dev/tty" }
      } else if !session.console.out.isTerminal {
        line += " >&2"
      }
      outcome = try session.host.runProcess(.shell(Array(line.utf8), arguments: [file.bytes]))
    } catch {
      files.removeTree(directory)
      throw error
    }
    let bytes: [UInt8]
    do throws(FileSystemError) {
      bytes = try files.readFile(file, limit: 1 << 26)
    } catch {
      session.console.warning("the draft is kept in '\(file.text)'")
      throw error
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Failure(
        .refused, "the draft is not text in UTF-8; it is kept in '\(file.text)'",
        hint: "put it in as a file")
    }
    let draft = EditorText(text: text, directory: directory, file: file, files: files)
    guard outcome.succeeded else {
      throw Failure(
        .refused, "the editor '\(editor)' failed; the draft is kept in '\(file.text)'",
        hint: "put it in as a file when it is finished")
    }
    guard !draft.text.allSatisfy(\.isWhitespace) else {
      draft.remove()
      throw Failure(.refused, "the draft is empty; nothing was made", hint: nil)
    }
    return draft
  }

  /// Makes the folder of the draft: in the runtime directory where that is the user's own and nobody
  /// else can enter it (XDG Base Directory Specification), else in the store.
  private static func makeDirectory(_ session: Session, _ store: Store) throws -> FilePath {
    let files = session.host.files
    let name = "capsule-draft-" + (try store.environment.temporaryName())
    if let runtime = session.places.runtime {
      let directory = runtime.appending(name)
      if let status = try? files.statusFollowingLinks(runtime), status.kind == .directory,
        status.mode & 0o077 == 0, (try? files.createDirectory(directory, mode: 0o700)) != nil
      {
        // A folder just made is the user's, so one of another owner lies in somebody else's.
        if (try? files.status(directory))?.owner == status.owner { return directory }
        try? files.removeDirectory(directory)
      }
      session.console.warning(
        "'\(runtime.text)', which XDG_RUNTIME_DIR names, is not a directory of yours alone; the draft "
          + "lies in the store")
    }
    try files.createDirectories(store.layout.temporary)
    let directory = store.layout.temporary.appending(name)
    try files.createDirectory(directory, mode: 0o700)
    return directory
  }

  /// Removes it, once it is sealed.
  func remove() {
    // Editors leave backups beside their file, and folders with more of it.
    files.removeTree(directory)
  }

  /// Runs a body that seals it: the draft is removed afterwards, or kept and named.
  func keeping<Value>(
    _ session: Session, _ body: () throws -> Value
  ) throws -> Value {
    do {
      let value = try body()
      remove()
      return value
    } catch {
      session.console.warning("the draft is kept in '\(file.text)'")
      throw error
    }
  }
}
