import CapsuleCore

/// `capsule view`.
enum ViewCommand {
  static let content = OptionalOperand(
    "CONTENT", .text, "A number, id or name; the first content if none")

  static let command = Command(
    "view", summary: "Show one content of a capsule on the desktop",
    discussion: """
      The capsule is opened as `capsule open` does it. A copy of the content is handed to `xdg-open`, or to \
      `open` on macOS, and goes when the viewer has ended: pictures, sounds, films, PDF and plain text, \
      where the name and the bytes say the same. A file of another kind might run, and is refused: \
      `capsule open --output` writes it.
      """,
    operands: [OpenCommand.reference, content], options: OpenCommand.keyOptions,
    examples: [Example("capsule view 'To Mia at 18' photo.jpg", "Look at a photo")],
    exitCodes: OpenCommand.exitCodes
  ) { invocation, session in
    let (opened, now) = try OpenCommand.open(invocation, session)
    let file = try shown(invocation[content], of: opened, lacking: "nothing") { _ in true }
    let code = try session.view(
      file, of: opened.store, otherwise: "write it with '--output DIR' of 'capsule open'")
    if code == .ok { OpenCommand.keepOpening(of: opened, now, session) }
    return code
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
      size: details.size
    ) { path in
      try opened.write(contentAt: place, to: path)
    }
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
      `mpv`, `afplay` and `aplay` that is there.
      """,
    operands: [OpenCommand.reference, content], options: OpenCommand.keyOptions,
    examples: [Example("capsule play 'To Mia at 18'", "Hear the recording")],
    exitCodes: OpenCommand.exitCodes
  ) { invocation, session in
    let (opened, now) = try OpenCommand.open(invocation, session)
    let file = try ViewCommand.shown(
      invocation[content], of: opened, lacking: "no sound and no film"
    ) {
      ShownFile.isPlayed($0.mediaType)
    }
    try session.play(file, of: opened.store)
    OpenCommand.keepOpening(of: opened, now, session)
    return .ok
  }
}
