import CapsuleCore

/// `capsule view`.
enum ViewCommand {
  static let content = OptionalOperand(
    "CONTENT", .text, "A number, id or name; the first content if none")

  static let wanted = Option(
    "content", short: "c", value: "CONTENT", .text, "The content, by its number, id or name")
  static let desktop = Flag("desktop", "Show it on the desktop, also where the terminal can")

  /// The way of pictures to a terminal, for help.
  static let onTerminal = """
    On a terminal a picture is shown there, where that can be: the terminal is asked, and draws it itself \
    (iTerm2 any picture, kitty PNG), or the program in `~/.config/capsule/pictures` does, as in \
    `command = timg -`, else `chafa`. They get the picture on standard input, and its room as `COLUMNS` and \
    `LINES`; no file is written. Inside tmux and screen this is off; \
    `capsule settings set pictures always` asks for it.
    """

  static let command = Command(
    "view", summary: "Show one content of a capsule",
    discussion: """
      The capsule is opened as `capsule open` does it. \(onTerminal)

      Otherwise a copy of the content is handed to `xdg-open`, or to \
      `open` on macOS, and goes when the viewer has ended: pictures, sounds, films, PDF and plain text. \
      The bytes say what a file is, and the copy's name says the same: `photo.png` that holds a JPEG \
      becomes `photo.png.jpg`. A file of another kind might run, and is refused: \
      `capsule open --output` writes it.
      """,
    operands: [OpenCommand.reference, content],
    options: [wanted, desktop] + OpenCommand.keyOptions,
    examples: [Example("capsule view 'To Mia at 18' photo.jpg", "Look at a photo")],
    exitCodes: OpenCommand.exitCodes
  ) { invocation, session in
    let word = try word(content, invocation)
    let (opened, now) = try OpenCommand.open(invocation, session)
    let file = try shown(word, of: opened, lacking: "nothing") { _ in true }
    let code = try session.view(
      file, of: opened.store, isOnDesktop: invocation[desktop],
      otherwise: "write it with '--output DIR' of 'capsule open'")
    if code == .ok { OpenCommand.keepOpening(of: opened, now, session) }
    return code
  }

  /// Returns the word that names the content: the operand, or that of `--content`.
  static func word(
    _ operand: OptionalOperand<String>, _ invocation: Invocation
  ) throws -> String? {
    if invocation[operand] != nil, invocation[wanted] != nil {
      throw Failure.usage(
        "the content is named twice", hint: "name it behind the capsule, or with '--content'")
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
      throw Failure(
        .notFound, "'\(opened.capsule.title)' holds \(lacking)",
        hint: "'capsule open REF' shows what it holds")
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
  static let content = OptionalOperand(
    "CONTENT", .text, "A number, id or name; the first sound or film if none")

  static let command = Command(
    "play", summary: "Play one content of a capsule",
    discussion: """
      The capsule is opened as `capsule open` does it. The content is played by the first of `ffplay`, \
      `mpv`, `afplay` and `aplay` that is there. A content whose bytes are not a sound or a film is \
      refused.
      """,
    operands: [OpenCommand.reference, content],
    options: [ViewCommand.wanted] + OpenCommand.keyOptions,
    examples: [Example("capsule play 'To Mia at 18'", "Hear the recording")],
    exitCodes: OpenCommand.exitCodes
  ) { invocation, session in
    let word = try ViewCommand.word(content, invocation)
    let (opened, now) = try OpenCommand.open(invocation, session)
    let file = try ViewCommand.shown(
      word, of: opened, lacking: "no sound and no film"
    ) {
      ShownFile.isPlayed($0.mediaType)
    }
    try session.play(file, of: opened.store)
    OpenCommand.keepOpening(of: opened, now, session)
    return .ok
  }
}
