import CapsuleCore

/// A file in the clear for another program, which writes, shows, plays or records it: in a 0700 folder of
/// its own.
///
/// The folder lies in `$XDG_RUNTIME_DIR`, which is memory, where that is the user's own and nobody else can
/// enter it (XDG Base Directory Specification); else in the store's `tmp/`, from where what a killed
/// program left goes after a day; before there is a store, near its place.
struct PrivateFile {
  /// The use that is made of it, which its folder's name says.
  enum Use: String {
    case draft, copy, recording
  }

  private(set) var path: FilePath
  private let use: Use
  private let directory: FilePath
  private let files: any FileSystem

  /// Makes the folder.
  ///
  /// - Parameters:
  ///   - name: the file's, one component of a path.
  ///   - store: the store, where there is one yet.
  ///   - isLarge: whether it is too much for memory: it lies in the store then.
  init(
    named name: [UInt8], as use: Use, _ session: Session, isLarge: Bool = false,
    in store: Store?
  ) throws {
    self.use = use
    files = session.host.files
    let folder = "capsule-\(use.rawValue)-" + (try session.stores.environment.temporaryName())
    let runtime = isLarge ? nil : Self.makeDirectory(folder, use, session)
    directory =
      try runtime ?? store.map { try Self.makeDirectory(folder, in: $0) }
      ?? Self.makeDirectory(folder, session)
    path = directory.appending(bytes: name)
  }

  private static func makeDirectory(_ name: String, _ use: Use, _ session: Session) -> FilePath? {
    guard let runtime = session.places.runtime else { return nil }
    let files = session.host.files
    let directory = runtime.appending(name)
    if let status = try? files.statusFollowingLinks(runtime), status.kind == .directory,
      status.mode & 0o077 == 0, (try? files.createDirectory(directory, mode: 0o700)) != nil
    {
      // A folder just made is the user's, so one of another owner lies in somebody else's.
      if (try? files.status(directory))?.owner == status.owner { return directory }
      try? files.removeDirectory(directory)
    }
    session.console.warning(
      "'\(runtime.text)' (XDG_RUNTIME_DIR) is not private to you, so the "
        + "\(use.rawValue) is kept in the store")
    return nil
  }

  private static func makeDirectory(_ name: String, in store: Store) throws -> FilePath {
    try store.files.createDirectories(store.layout.temporary)
    let directory = store.layout.temporary.appending(name)
    try store.files.createDirectory(directory, mode: 0o700)
    return directory
  }

  /// Makes the folder where the store is to be, in the nearest directory above that is there and the
  /// user's own: no store is made for it.
  private static func makeDirectory(_ name: String, _ session: Session) throws -> FilePath {
    let files = session.host.files
    var place = try session.stores.path()
    while place.parent != place {
      place = place.parent
      guard let status = try? files.statusFollowingLinks(place), status.kind == .directory else {
        continue
      }
      guard status.owner == session.host.user() else { break }
      let directory = place.appending("." + name)
      try files.createDirectory(directory, mode: 0o700)
      return directory
    }
    throw Fault(
      .refused, "no private directory available",
      hint: "set XDG_RUNTIME_DIR to a directory that only you can use")
  }

  /// The first bytes of the file.
  func head(_ count: Int) throws(Fault) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    defer { buffer.deallocate() }
    let read = try files.withFile(path, .read) { file throws(Fault) in
      try files.read(file, at: 0, into: buffer)
    }
    return Array(buffer.prefix(read))
  }

  /// Gives the file another name.
  mutating func rename(to name: [UInt8]) throws {
    let renamed = directory.appending(bytes: name)
    try files.rename(path, to: renamed)
    path = renamed
  }

  /// Removes the folder with all that is in it: editors leave backups beside their file.
  func remove() {
    files.removeTree(directory)
  }

  /// Says where it is kept, after the work that it was for failed.
  func nameKept(_ session: Session) {
    session.console.warning("the \(use.rawValue) is kept in '\(path.text)'")
  }
}

extension [PrivateFile] {
  /// Runs a body that seals them: they are removed afterwards, or kept and named.
  func keeping<Value>(_ session: Session, _ body: () throws -> Value) throws -> Value {
    do {
      let value = try body()
      for file in self { file.remove() }
      return value
    } catch {
      for file in self { file.nameKept(session) }
      throw error
    }
  }
}

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
    command(session.environment, hasTerminal: session.ask.isPossible)
  }

  /// Returns the command line of the editor, as git-var(1) has it: VISUAL before EDITOR where the terminal can draw, then
  /// `vi`; `nil` where none is named and no terminal is there that can draw. One that is named may be
  /// a script, which needs none.
  static func command(_ environment: EnvironmentVariables, hasTerminal: Bool) -> String? {
    let terminal = environment.text("TERM") ?? ""
    let canDraw = !terminal.isEmpty && terminal != "dumb"
    let names = canDraw ? ["VISUAL", "EDITOR"] : ["EDITOR", "VISUAL"]
    let named = names.lazy.compactMap { environment.text($0) }.first { !$0.trimmed.isEmpty }
    return named ?? (canDraw && hasTerminal ? "vi" : nil)
  }

  /// Opens the editor and reads what was written.
  ///
  /// - Parameters:
  ///   - beginning: the text of the draft before anything is written.
  ///   - store: the store, where there is one yet.
  ///   - end: what is said of a failure.
  ///   - way: the other way to give the text, for hints.
  static func write(
    _ session: Session, beginning: String = "", in store: Store?,
    otherwise end: String = "nothing was sealed",
    or way: String = "use --text TEXT, or - for standard input"
  ) throws -> EditorText {
    guard session.options.takesInput else {
      throw Fault.usage(
        "'--edit' needs a terminal", hint: "use --text TEXT, or - for standard input")
    }
    guard let editor = editor(session) else {
      throw Fault.usage(
        session.ask.isPossible
          ? "no editor is set, and the terminal cannot run one"
          : "no editor is set, and there is no terminal to run one",
        hint: "set VISUAL or EDITOR, or \(way)")
    }
    let files = session.host.files
    let draft = try PrivateFile(named: name, as: .draft, session, in: store)
    var holdsWords = false
    do {
      try files.withFile(draft.path, .createExclusive(mode: 0o600)) {
        file throws(Fault) in
        try files.writeAll(file, Array(beginning.utf8))
      }
      let clock = session.host.monotonicClock
      let start = clock()
      let outcome = try run(editor, on: draft.path, session)
      let isQuick = clock() - start < quickLimit
      return try read(
        draft, after: outcome, of: editor, beginning: beginning, isQuick: isQuick,
        holdsWords: &holdsWords, otherwise: end, or: way, session)
    } catch {
      // The draft may hold words that are nowhere else.
      if holdsWords { draft.nameKept(session) } else { draft.remove() }
      throw error
    }
  }

  /// The nanoseconds within which nobody writes: an editor that ends sooner left its window to another process.
  private static let quickLimit: Int64 = 1_000_000_000

  private static func run(
    _ editor: String, on file: FilePath, _ session: Session
  ) throws(Fault) -> ProcessOutcome {
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
    isQuick: Bool, holdsWords: inout Bool, otherwise end: String, or way: String,
    _ session: Session
  ) throws -> EditorText {
    let interruption = interruption(outcome)
    let failed: any Error =
      interruption
      ?? Fault(
        .refused, "the editor '\(editor)' failed; \(end)",
        hint: "set VISUAL or EDITOR to another editor, or \(way)")
    // The terminal has written `^C` where the next words stand.
    if interruption != nil, session.console.err.isTerminal { session.console.err.line() }
    let bytes: [UInt8]
    do {
      bytes = try session.host.files.readFile(draft.path, limit: 1 << 26)
    } catch {
      if error.condition == .notFound { throw failed }
      holdsWords = true
      throw error
    }
    holdsWords = true
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw interruption
        ?? Fault(
          .refused, "the draft is not text in UTF-8",
          hint: "save the draft in UTF-8, then use it as a file")
    }
    let isBlank = text.unicodeScalars.allSatisfy(\.properties.isWhitespace)
    guard outcome.succeeded, interruption == nil else {
      holdsWords = !isBlank && !text.utf8.elementsEqual(beginning.utf8)
      guard holdsWords else { throw failed }
      throw interruption
        ?? Fault(
          .refused, "the editor '\(editor)' failed",
          hint: "finish the draft in another editor, then use it as a file")
    }
    holdsWords = !isBlank || isQuick
    if isBlank {
      let ended = isQuick ? "the editor '\(editor)' ended at once, and " : ""
      throw Fault(
        .refused, "\(ended)the draft is empty; \(end)",
        hint: isQuick
          ? "let the editor wait until you close the file, as in: VISUAL='code --wait'" : nil)
    }
    return EditorText(text: text, draft: draft)
  }
}

/// A sound that another program records from the microphone.
enum SoundRecording {
  /// The words of ffmpeg for the default microphone.
  #if canImport(Darwin)
    private static let ffmpegInput = ["-f", "avfoundation", "-i", ":0"]
  #else
    private static let ffmpegInput = ["-f", "alsa", "-i", "default"]
  #endif

  /// Records into a file of its own: by the first of `arecord`, `sox` and `ffmpeg` that is there, as WAV.
  ///
  /// - Parameters:
  ///   - seconds: the length of the recording; until Ctrl-C if `nil`.
  ///   - store: the store, where there is one yet.
  static func make(
    _ session: Session, seconds: Int?, in store: Store?
  ) throws -> PrivateFile {
    let limit = seconds.map { [String($0)] } ?? []
    let local = session.zone.civil(at: session.now)
    let time = [local.time.hour, local.time.minute, local.time.second].map(\.twoDigits).joined()
    let file = try PrivateFile(
      named: Array("recorded-\(local.date.description)-\(time).wav".utf8), as: .recording, session,
      in: store)
    let isSaid = session.console.showsNotes
    let errorOutput = session.host.errorOutput
    do {
      let program = try session.viewer.runFirst(
        [
          ("arecord", ["-q", "-f", "cd"] + (limit.isEmpty ? [] : ["-d"] + limit)),
          ("sox", ["-q", "-d"]),
          (
            "ffmpeg",
            ["-nostdin", "-loglevel", "error"] + ffmpegInput
              + (limit.isEmpty ? [] : ["-t"] + limit)
          ),
        ], with: file.path, to: "record",
        after: ["sox": limit.isEmpty ? [] : ["trim", "0"] + limit],
        whenStarted: {
          guard isSaid else { return }
          // The recording goes on even if this line cannot be written.
          Array("Recording; Ctrl-C ends it.\n".utf8).withUnsafeBytes { try? errorOutput.write($0) }
        }
      ).program
      let recorded = try? session.host.files.statusIfPresent(file.path)
      guard let recorded, recorded.size > 0 else {
        throw Fault(
          .io, "'\(program)' recorded nothing",
          hint: "check that a microphone is connected and not in use")
      }
      return file
    } catch {
      file.remove()
      throw error
    }
  }
}
