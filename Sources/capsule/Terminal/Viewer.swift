import CapsuleCore

/// A file of the store that other programs show or play: they get a copy of their own, which goes when
/// they end.
struct ShownFile {
  /// The copy's name, one component of a path.
  let name: [UInt8]
  /// The MIME type that its record says. Whoever wrote the record chose it: nothing is handed over by it alone.
  let mediaType: String
  /// The size in bytes.
  let size: Int64
  /// Writes its bytes to a file that is not there yet.
  let write: (FilePath) throws -> Void
  /// Returns its bytes; `nil` where there are more than so many.
  let read: (Int64) throws -> [UInt8]?

  var displayName: String { String(decoding: name, as: UTF8.self) }

  var isPlayed: Bool { Self.isPlayed(mediaType) }

  /// Whether a type is a sound or a film.
  static func isPlayed(_ mediaType: String) -> Bool {
    ["audio/", "video/"].contains { mediaType.utf8.starts(with: $0.utf8) }
  }

  /// Whether the desktop may open a type: one that is only shown or played.
  fileprivate static func isShown(_ mediaType: String) -> Bool {
    isPlayed(mediaType) || TerminalPictures.isPicture(mediaType)
      || mediaType == "application/pdf" || mediaType == MediaType.plainText.description
  }

  /// The largest copy, in bytes, that lies in memory.
  private static let memoryLimit: Int64 = 64 << 20

  /// Makes the copy that another program gets, of a type that its bytes show, and under a name that says it:
  /// programs go by the one or the other.
  ///
  /// - Parameters:
  ///   - isWanted: whether a type may be handed over.
  ///   - hint: the other way to the file.
  fileprivate func copy(
    _ session: Session, _ store: Store, where isWanted: (String) -> Bool, otherwise hint: String?
  ) throws -> PrivateFile {
    var copy = try copy(session, store)
    do {
      let type = try copy.shownType()
      guard let type, isWanted(type.description), type != .plainText || isText else {
        throw Fault(
          .refused,
          "'\(displayName)' is not really \(mediaType), so no program opens it",
          hint: hint)
      }
      if type != MediaType(ofName: name), let suffix = MediaType.suffix(for: type.description) {
        try copy.rename(to: name + Array(".\(suffix)".utf8))
      }
      return copy
    } catch {
      copy.remove()
      throw error
    }
  }

  /// Whether name and record say that it is plain text. Much that runs is text too, and has a name of its own.
  fileprivate var isText: Bool {
    mediaType == MediaType.plainText.description && MediaType(ofName: name) == .plainText
  }

  private func copy(_ session: Session, _ store: Store) throws -> PrivateFile {
    func copy(isLarge: Bool) throws -> PrivateFile {
      let copy = try PrivateFile(named: name, as: .copy, session, isLarge: isLarge, in: store)
      do {
        try write(copy.path)
        return copy
      } catch {
        copy.remove()
        throw error
      }
    }
    if size > Self.memoryLimit { return try copy(isLarge: true) }
    do {
      return try copy(isLarge: false)
    } catch let fault as Fault
      where fault.condition == .noSpace || fault.condition == .quotaExceeded
    {
      return try copy(isLarge: true)
    }
  }
}

extension PrivateFile {
  /// The type that the file's bytes show.
  fileprivate func shownType() throws -> MediaType? {
    let head = try head(MediaType.headSize)
    return MediaType(
      shownBy: head, isWhole: head.count < MediaType.headSize, name: path.lastComponent)
  }
}

/// The programs that show, play and record files.
struct Viewer {
  let session: Session

  private var host: Host { session.host }

  /// Shows a picture on the terminal, where that can be; lets the desktop show any other file, and takes the
  /// copy away when the viewer has ended.
  ///
  /// - Parameters:
  ///   - isOnDesktop: whether the terminal is passed over.
  ///   - hint: the other way to see a file that might run.
  /// - Throws: `WorkSignals.Interrupted` for a signal that ended the waiting.
  func view(
    _ file: ShownFile, of store: Store, isOnDesktop: Bool, otherwise hint: String
  ) throws {
    if !isOnDesktop, TerminalPictures.isPicture(file.mediaType),
      file.size <= TerminalPictures.limit,
      let pictures = try TerminalPictures(
        session, session.stores.settings(of: store), isHalf: false),
      let bytes = try file.read(TerminalPictures.limit),
      try pictures.show(bytes, name: file.displayName)
    {
      return
    }
    guard ShownFile.isShown(file.mediaType),
      file.mediaType != MediaType.plainText.description || file.isText
    else {
      throw Fault(
        .refused,
        "'\(file.displayName)' (\(file.mediaType)) cannot be opened directly, because it might be a program",
        hint: hint)
    }
    let copy = try file.copy(session, store, where: ShownFile.isShown, otherwise: hint)
    defer { copy.remove() }
    let start = host.wallClock()
    let program: String
    do {
      program = try runFirst(
        [("xdg-open", []), ("open", ["-W"])], with: copy.path, to: "show '\(file.displayName)'",
        isQuiet: true
      ).program
    } catch var failure as Fault
      where session.console.out.isTerminal && TerminalPictures.isPicture(file.mediaType)
    {
      failure.hint = "'chafa' shows pictures on a terminal, where it is installed"
      throw failure
    }
    // `open -W` has waited for the viewer, and so has xdg-open where it took longer than to hand it over.
    if program == "open" || host.wallClock() - start > Self.handingOver { return }
    try waitForViewer(of: copy.path)
  }

  /// The time, in nanoseconds, in which a desktop hands a file to a viewer that has begun by then.
  private static var handingOver: Int64 { 5_000_000_000 }

  /// Waits while a process that was started with the file, or has it open, is there: some seconds at
  /// least, for a viewer that only begins.
  private func waitForViewer(of path: FilePath) throws {
    let watch = host.watchSignals()
    defer { watch.end() }
    let second: Int64 = 1_000_000_000
    var left = Self.handingOver
    var wasSeen = false
    while true {
      if let signal = watch.wait(0) {
        if let code = signal.exitCode { throw WorkSignals.Interrupted(code: code) }
        watch.deliver(signal)
      }
      let isSeen = host.isInUse(path.parent.lastComponent)
      if wasSeen, !isSeen { return }
      wasSeen = wasSeen || isSeen
      if !wasSeen, left <= 0 { return }
      host.wait(.max, second)
      left -= second
    }
  }

  /// Plays a file by the first of `ffplay`, `mpv`, `afplay` and `aplay` that is there.
  func play(_ file: ShownFile, of store: Store) throws {
    guard file.isPlayed else {
      throw Fault(
        .refused, "'\(file.displayName)' (\(file.mediaType)) is not a sound or a video",
        hint: "'capsule \(session.verb == "item play" ? "item view" : "view")' shows it")
    }
    let copy = try file.copy(session, store, where: ShownFile.isPlayed, otherwise: nil)
    defer { copy.remove() }
    _ = try runFirst(
      [
        ("ffplay", ["-nodisp", "-autoexit", "-loglevel", "error"]), ("mpv", ["--really-quiet"]),
        ("afplay", []), ("aplay", ["-q"]),
      ], with: copy.path, to: "play '\(file.displayName)'")
  }

  /// Runs the first of some programs that is there, with a file as the last of its words. Ctrl-C is
  /// for that program: it ends, and this one goes on.
  ///
  /// - Parameter isQuiet: whether its words are kept from the terminal: they are in the failure.
  /// - Returns: the program's name, and whether a signal came that would have ended this one.
  func runFirst(
    _ programs: [(name: String, words: [String])], with file: FilePath, to purpose: String,
    after: [String: [String]] = [:], isQuiet: Bool = false,
    whenStarted: @escaping @Sendable () -> Void = {}
  ) throws -> (program: String, wasInterrupted: Bool) {
    for program in programs {
      let words =
        program.words.map { Array($0.utf8) } + [file.bytes]
        + (after[program.name] ?? []).map { Array($0.utf8) }
      var request = ProcessRequest(program: Array(program.name.utf8), arguments: words)
      request.isForeground = true
      request.whenStarted = whenStarted
      if !isQuiet, host.input.isTerminal() { request.input = nil }
      if isQuiet {
        request.capturesOutput = true
        request.outputLimit = 1 << 16
      }
      let outcome: ProcessOutcome
      do {
        outcome = try host.runProcess(request)
      } catch {
        if error.isNoProgram { continue }
        throw error
      }
      // The terminal has written `^C` where the next words stand.
      if outcome.wasInterrupted, session.console.err.isTerminal { session.console.err.line() }
      guard outcome.succeeded || outcome.wasInterrupted else {
        throw Fault.failed(program.name, to: purpose, outcome)
      }
      return (program.name, outcome.wasInterrupted)
    }
    let names = programs.map { "'\($0.name)'" }.joined(separator: ", ")
    throw Fault(
      .io, "cannot \(purpose): none of \(names) is installed", hint: "install one of them")
  }
}

extension Fault {
  /// Another program did not do what it was to do.
  static func failed(
    _ program: String, to purpose: String, _ outcome: ProcessOutcome
  ) -> Fault {
    let end =
      switch outcome.end {
      case .exited(let code): "it exited with status \(code)"
      case .signalled(let number): "signal \(number) ended the program"
      case .timedOut: "it took too long"
      }
    let words =
      String(decoding: outcome.errorOutput, as: UTF8.self)
      .split(whereSeparator: \.isNewline).last.map { ": \($0)" } ?? ""
    return Fault(.io, "'\(program)' could not \(purpose): \(end)\(words)", hint: nil)
  }
}
