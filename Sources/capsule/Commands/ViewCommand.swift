import CapsuleCore

/// `capsule view`.
enum ViewCommand {
  static let content = Parameter.optionalOperand(
    "CONTENT", .text, "The number, id or name of a part; without it, the first")

  static let wanted = Parameter.option(
    "content", short: "c", value: "CONTENT", .text, "The part, by its number, id or name")
  static let desktop = Parameter.flag(
    "desktop", "Show it on the desktop, even if the terminal can show it")

  /// The way of pictures to a terminal, for help.
  static let onTerminal = """
    A terminal shows the picture itself if it can: iTerm2 any picture, kitty PNG. For other terminals, \
    `~/.config/capsule/pictures` sets a program that draws, as in `command = timg -`; without that file, \
    `chafa` draws. The program gets the picture on standard input and its room in `COLUMNS` and `LINES`; \
    no file is written. Inside tmux and screen no picture is shown, unless you run `capsule settings set \
    pictures always`.
    """

  static let command = Command(
    "view", summary: "Show one part of a capsule, such as a photo",
    discussion: """
      The command opens the capsule like `capsule open`. \(onTerminal)

      If the terminal cannot show the part, `xdg-open`, or `open` on macOS, shows a copy, which is \
      removed when the viewer ends. This works for pictures, sounds, films, PDF and plain text.

      - The bytes decide what a file is, and the copy's name agrees: a `photo.png` that is a JPEG \
      becomes `photo.png.jpg`.
      - A file of another kind might be a program, and is refused. Save it with `capsule open --output`.
      """,
    operands: [OpenCommand.reference, content],
    options: [wanted, desktop] + OpenCommand.keyOptions,
    examples: [Example("capsule view 'To Mia at 18' photo.jpg", "Look at a photo")],
    exitCodes: OpenCommand.exitCodes
  ) { invocation, session in
    let word = try word(content, invocation)
    let (opened, now) = try OpenCommand.open(invocation, session)
    let file = try shown(word, of: opened, lacking: "nothing") { _ in true }
    try session.viewer.view(
      file, of: opened.store, isOnDesktop: invocation[desktop],
      otherwise: "save the file instead: capsule open \(opened.capsule.id) --output DIR")
    OpenCommand.keepOpening(of: opened, now, session)
    return .done
  }

  /// Returns the word that names the content: the operand, or that of `--content`.
  static func word(
    _ operand: Parameter<String?>, _ invocation: Invocation
  ) throws -> String? {
    if invocation[operand] != nil, invocation[wanted] != nil {
      throw Fault.usage(
        "the part is given twice", hint: "give it after the capsule or with --content, not both")
    }
    return invocation[operand] ?? invocation[wanted]
  }

  /// Finds the content that is named, or the first that is wanted.
  static func shown(
    _ word: String?, of opened: OpenedCapsule, lacking: String,
    where isWanted: (ContentDetails) -> Bool
  ) throws -> ShownFile {
    let place = try word.map(opened.place) ?? opened.details.firstIndex(where: isWanted)
    guard let place else {
      throw Fault(
        .notFound, "'\(opened.capsule.title)' has \(lacking)",
        hint: "list the parts: capsule show REF")
    }
    var names = ContentFileNames()
    let details = opened.details[place]
    return ShownFile(
      name: names.next(details, number: place + 1), mediaType: details.mediaType,
      size: details.size,
      write: { path in try opened.write(contentAt: place, to: path) },
      read: { limit in try opened.bytes(at: place, limit: limit) })
  }
}

/// `capsule play`.
enum PlayCommand {
  static let content = Parameter.optionalOperand(
    "CONTENT", .text, "The number, id or name of a part; without it, the first sound or video")

  static let command = Command(
    "play", summary: "Play a sound or video of a capsule",
    discussion: """
      The command opens the capsule like `capsule open`. It plays the part with `ffplay`, `mpv`, \
      `afplay` or `aplay`: the first of them that is installed. A part whose bytes are not a sound or a \
      film is refused.
      """,
    operands: [OpenCommand.reference, content],
    options: [ViewCommand.wanted] + OpenCommand.keyOptions,
    examples: [Example("capsule play 'To Mia at 18'", "Listen to a recording")],
    exitCodes: OpenCommand.exitCodes
  ) { invocation, session in
    let word = try ViewCommand.word(content, invocation)
    let (opened, now) = try OpenCommand.open(invocation, session)
    let file = try ViewCommand.shown(
      word, of: opened, lacking: "no sound or video"
    ) {
      ShownFile.isPlayed($0.mediaType)
    }
    try session.viewer.play(file, of: opened.store)
    OpenCommand.keepOpening(of: opened, now, session)
    return .done
  }
}

/// `capsule open --page`: the contents as a page for a browser.
struct OpenPage {
  let session: Session
  let opened: OpenedCapsule
  let now: Instant

  /// Returns the terminal that showing a page takes, before anything is opened.
  static func requireTerminal(_ session: Session) throws -> any Terminal {
    guard session.options.form == .text, session.ask.isPossible,
      let terminal = session.host.terminal()
    else {
      throw Fault.usage(
        "'--page' needs a terminal, because it waits for Enter",
        hint: "write the page to a directory: --output DIR")
    }
    return terminal
  }

  /// Makes the page in a folder that is new or empty.
  func make(at folder: FilePath) throws -> Answer {
    for path in opened.partialPages(beside: folder) {
      session.console.warning(
        "'\(path.text)' is from an interrupted or running command, and is not encrypted",
        hint: "remove it if no 'open --page' is running", details: ["path": path.json])
    }
    try write(to: folder)
    let index = folder.withoutEndingSlash.appending("index.html")
    guard session.options.form == .text else {
      return try OpenAnswer(session: session, opened: opened, now: now)
        .json(written: nil, page: index)
    }
    OpenCommand.keepOpening(of: opened, now, session)
    return Answer(quiet: .only { $0.line("\(index.text)") }) {
      $0.line("Made the page of '\(opened.capsule.title, .bold)': \(index.text)")
    }
  }

  /// Shows the page by the desktop until Enter is pressed, and removes it then, or at a signal.
  func show(at terminal: any Terminal) throws -> Answer {
    // From here on no signal ends the program before the folder is gone.
    let signals = session.host.watchSignals()
    defer { signals.end() }
    let folder = try PrivateFile(
      named: Array("page".utf8), as: .copy, session, isLarge: opened.byteCount > 64 << 20,
      in: opened.store)
    defer { folder.remove() }
    try write(to: folder.path)
    let index = folder.path.appending("index.html")
    session.console.err.line("The page is '\(index.text)'. Press Enter to remove it.")
    try session.console.err.flush()
    do {
      let shown = try session.viewer.runFirst(
        [("xdg-open", []), ("open", [])], with: index, to: "show the page", isQuiet: true)
      if shown.wasInterrupted { return .ended(.interrupted) }
    } catch {
      var failure = Fault(error)
      failure.hint = "make it in a folder, and open that with a browser: '--output DIR'"
      throw failure
    }
    OpenCommand.keepOpening(of: opened, now, session)
    try waitForEnter(at: terminal, signals)
    return .done
  }

  /// - Throws: `WorkSignals.Interrupted` for a signal that ended it.
  private func write(to folder: FilePath) throws {
    let owner = session.stores.settings(of: opened.store).owner
    let signals = WorkSignals(session, "Opening", total: opened.byteCount)
    defer { signals.end() }
    do {
      try opened.makePage(
        at: folder, owner: owner, now: now, zone: session.zone, watch: signals.pass)
    } catch let taken as Fault where taken.code == .exists {
      throw Fault.folderTaken(taken.takenPath)
    }
  }

  /// - Throws: `WorkSignals.Interrupted` for a signal that ends the program.
  private func waitForEnter(at terminal: any Terminal, _ signals: any SignalWatch) throws {
    let keys = try terminal.keys()
    defer { keys.end() }
    while true {
      if let signal = signals.wait(0) {
        if let code = signal.exitCode { throw WorkSignals.Interrupted(code: code) }
        keys.pause()
        signals.deliver(signal)
        keys.resume()
      }
      // Without a terminal any more nobody can press Enter.
      guard let typed = keys.read(200_000_000) else { return }
      if typed.contains(0x0a) || typed.contains(0x0d) { return }
    }
  }
}

extension Fault {
  /// Something is in the place of a folder that was to be made.
  static func folderTaken(_ path: FilePath) -> Fault {
    Fault(
      .refused, "'\(path.text)' already exists and is not empty; nothing was written",
      hint: "choose a new or empty directory: --output DIR", details: ["path": path.text.json])
  }
}
