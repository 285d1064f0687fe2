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
    let code = try session.viewer.view(
      file, of: opened.store, isOnDesktop: invocation[desktop],
      otherwise: "write it with '--output DIR' of 'capsule open'")
    if code == .ok { OpenCommand.keepOpening(of: opened, now, session) }
    return code
  }

  /// Returns the word that names the content: the operand, or that of `--content`.
  static func word(
    _ operand: Parameter<String?>, _ invocation: Invocation
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
  static let content = Parameter.optionalOperand(
    "CONTENT", .text, "The number, id or name of a part; without it, the first sound or film")

  static let command = Command(
    "play", summary: "Play a sound or film of a capsule",
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
      word, of: opened, lacking: "no sound and no film"
    ) {
      ShownFile.isPlayed($0.mediaType)
    }
    try session.viewer.play(file, of: opened.store)
    OpenCommand.keepOpening(of: opened, now, session)
    return .ok
  }
}
