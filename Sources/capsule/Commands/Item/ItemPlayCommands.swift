import CapsuleCore

/// `capsule item view`.
enum ItemViewCommand {
  static let media = OptionalOperand("MEDIA", .text, "A number, name or title; the first if none")

  static let command = Command(
    "item", "view", summary: "Show one of an item's media",
    discussion: """
      \(ViewCommand.onTerminal)

      Otherwise a copy is handed to `xdg-open`, or to `open` on macOS, and goes when the viewer has ended: pictures, \
      sounds, films, PDF and plain text. The bytes say what a file is, and the copy's name says the same: \
      `photo.png` that holds a JPEG becomes `photo.png.jpg`. A file of another kind might run, and is \
      refused: `capsule item extract` writes it.
      """,
    operands: [ItemOptions.reference, media], options: [ViewCommand.desktop],
    examples: [Example("capsule item view 'Gold ring' 1", "Look at a photo")],
    exitCodes: [.notFound, .damaged, .version, .refused]
  ) { invocation, session in
    let (store, file) = try find(invocation, media, session, lacking: "no media") { _ in true }
    return try session.view(
      AttachmentExtraction(session: session, store: store).shown(file), of: store,
      isOnDesktop: invocation[ViewCommand.desktop],
      otherwise: "write it with 'capsule item extract', for a program of your choice")
  }

  static func find(
    _ invocation: Invocation, _ media: OptionalOperand<String>, _ session: Session,
    lacking: String, where isWanted: (Attachment) -> Bool
  ) throws -> (Store, Attachment) {
    let reference = try invocation[ItemOptions.reference]
    let (store, record) = try session.requiredRecord(Item.self, reference, intact: true)
    let item = record.model
    if let word = invocation[media] {
      return (store, item.media[try item.mediaPlace(word)].file)
    }
    guard let found = item.media.first(where: { isWanted($0.file) }) else {
      throw Failure(
        .notFound, "'\(item.name)' has \(lacking)",
        hint: "'capsule item attach ITEM FILE' keeps a file with it")
    }
    return (store, found.file)
  }
}

/// `capsule item play`.
enum ItemPlayCommand {
  static let media = OptionalOperand(
    "MEDIA", .text, "A number, name or title; the first sound if none")

  static let command = Command(
    "item", "play", summary: "Play one of an item's sounds",
    discussion: """
      By the first of `ffplay`, `mpv`, `afplay` and `aplay` that is there. A file whose bytes are not a \
      sound or a film is refused.
      """,
    operands: [ItemOptions.reference, media],
    examples: [Example("capsule item play 'Gold ring'", "Hear its story")],
    exitCodes: [.notFound, .damaged, .version, .refused]
  ) { invocation, session in
    let (store, file) = try ItemViewCommand.find(
      invocation, media, session, lacking: "no sound and no film"
    ) {
      ShownFile.isPlayed($0.mediaType)
    }
    try session.play(AttachmentExtraction(session: session, store: store).shown(file), of: store)
    return .ok
  }
}

/// `capsule item record`.
enum ItemRecordCommand {
  static let command = Command(
    "item", "record", summary: "Record a story, and keep it with an item",
    discussion: "By the first of `arecord`, `sox` and `ffmpeg` that is there, as WAV.",
    operands: [ItemOptions.reference], options: [ItemAttachCommand.title, ContentOptions.seconds],
    outputs: .json,
    examples: [
      Example("capsule item record 'Gold ring' --seconds 120 --title 'Where it came from'", "Tell")
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = try invocation[ItemOptions.reference]
    let (store, _) = try session.requiredRecord(Item.self, reference, intact: true)
    let recording = try SoundRecording.make(
      session, seconds: invocation[ContentOptions.seconds], in: store)
    let item = try [recording].keeping(session) {
      try ItemAttachCommand.attach(
        [recording.path], title: invocation[ItemAttachCommand.title] ?? "", to: reference, store,
        session)
    }
    return try ItemAttachCommand.answer(item, added: 1, session)
  }
}
