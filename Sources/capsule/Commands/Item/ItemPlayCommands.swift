import CapsuleCore

/// `capsule item view`.
enum ItemViewCommand {
  static let media = Parameter.optionalOperand(
    "MEDIA", .text, "A number, name or title; the first attachment if omitted")

  static let command = Command(
    "item", "view", summary: "View one of an item's attachments",
    discussion: """
      \(ViewCommand.onTerminal)

      Otherwise a copy is opened with `xdg-open`, or `open` on macOS, and removed when the viewer \
      ends. This works for pictures, recordings, films, PDF and plain text.

      - The bytes decide the type, and the copy's name follows: a JPEG called `photo.png` becomes \
      `photo.png.jpg`.
      - Other types are refused, because the file might run as a program. `capsule item extract` \
      writes it.
      """,
    operands: [ItemOptions.reference, media], options: [ViewCommand.desktop],
    examples: [
      Example("capsule item view 'Gold ring' 1", "Look at a photo")
    ],
    exitCodes: [.notFound, .damaged, .version, .refused]
  ) { invocation, session in
    let (store, file) = try find(invocation, media, session, lacking: "no media") { _ in true }
    return try session.viewer.view(
      AttachmentExtraction(session: session, store: store).shown(file), of: store,
      isOnDesktop: invocation[ViewCommand.desktop],
      otherwise: "write it with 'capsule item extract', for a program of your choice")
  }

  static func find(
    _ invocation: Invocation, _ media: Parameter<String?>, _ session: Session,
    lacking: String, where isWanted: (Attachment) -> Bool
  ) throws -> (Store, Attachment) {
    let reference = try invocation[ItemOptions.reference]
    let (store, record) = try session.records.required(Item.self, reference, intact: true)
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
  static let media = Parameter.optionalOperand(
    "MEDIA", .text, "A number, name or title; the first recording or film if omitted")

  static let command = Command(
    "item", "play", summary: "Play a recording that is attached to an item",
    discussion: """
      The first of `ffplay`, `mpv`, `afplay` and `aplay` that is installed plays it. A file whose \
      bytes are not a recording or a film is refused.
      """,
    operands: [ItemOptions.reference, media],
    examples: [
      Example("capsule item play 'Gold ring'", "Hear the story of the ring")
    ],
    exitCodes: [.notFound, .damaged, .version, .refused]
  ) { invocation, session in
    let (store, file) = try ItemViewCommand.find(
      invocation, media, session, lacking: "no sound and no film"
    ) {
      ShownFile.isPlayed($0.mediaType)
    }
    try session.viewer.play(
      AttachmentExtraction(session: session, store: store).shown(file), of: store)
    return .ok
  }
}

/// `capsule item record`.
enum ItemRecordCommand {
  static let command = Command(
    "item", "record", summary: "Record a story, and attach it to an item",
    discussion: """
      The first of `arecord`, `sox` and `ffmpeg` that is installed records it as WAV.
      """,
    operands: [ItemOptions.reference], options: [ItemAttachCommand.title, ContentOptions.seconds],
    outputs: .json,
    examples: [
      Example(
        "capsule item record 'Gold ring' --seconds 120 --title 'Where it came from'",
        "Tell where the ring came from")
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = try invocation[ItemOptions.reference]
    let (store, _) = try session.records.required(Item.self, reference, intact: true)
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
