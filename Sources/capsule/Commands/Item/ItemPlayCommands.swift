import CapsuleCore

/// `capsule item view`.
enum ItemViewCommand {
  static let media = OptionalOperand("MEDIA", .text, "A number, name or title; the first if none")

  static let command = Command(
    "item", "view", summary: "Show one of an item's media on the desktop",
    discussion: "A copy is handed to `xdg-open`, or to `open` on macOS.",
    operands: [ItemArguments.reference, media],
    examples: [Example("capsule item view 'Gold ring' 1", "Look at a photo")],
    exitCodes: [.notFound, .damaged, .version]
  ) { invocation, session throws(Failure) in
    let (store, file) = try find(invocation, media, session) { _ in true }
    try AttachmentExtraction(session: session, store: store).view(file)
    return .ok
  }

  static func find(
    _ invocation: Invocation, _ media: OptionalOperand<String>, _ session: Session,
    where isWanted: (Attachment) -> Bool
  ) throws(Failure) -> (Store, Attachment) {
    let reference = try invocation[ItemArguments.reference]
    let store = try session.requiredStore(for: reference, among: [.item])
    let item = try session.item(reference, in: store).model
    if let word = invocation[media] {
      return (store, item.media[try item.mediaPlace(word)].file)
    }
    guard let found = item.media.first(where: { isWanted($0.file) }) else {
      throw Failure(
        .notFound, "'\(item.name)' has nothing of that kind",
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
    discussion: "By the first of `ffplay`, `mpv`, `afplay` and `aplay` that is there.",
    operands: [ItemArguments.reference, media],
    examples: [Example("capsule item play 'Gold ring'", "Hear its story")],
    exitCodes: [.notFound, .damaged, .version]
  ) { invocation, session throws(Failure) in
    let (store, file) = try ItemViewCommand.find(invocation, media, session) {
      $0.mediaType.hasPrefix("audio/") || $0.mediaType.hasPrefix("video/")
    }
    let copy = try session.temporaryPath(in: store, suffix: "")
    try AttachmentExtraction(session: session, store: store).write(
      file, to: copy, overwriting: false)
    defer { try? session.host.files.unlink(copy) }
    try session.runFirst(
      [
        ("ffplay", ["-nodisp", "-autoexit", "-loglevel", "error"]), ("mpv", ["--really-quiet"]),
        ("afplay", []), ("aplay", ["-q"]),
      ], with: copy, to: "play it")
    return .ok
  }
}

/// `capsule item record`.
enum ItemRecordCommand {
  static let seconds = Option(
    "seconds", value: "N", .integer(1...86_400), default: "until Ctrl-C", "Stop after so long")

  static let command = Command(
    "item", "record", summary: "Record a story, and keep it with an item",
    discussion: "By the first of `arecord`, `sox` and `ffmpeg` that is there, as WAV.",
    operands: [ItemArguments.reference], options: [ItemAttachCommand.title, seconds],
    outputs: .json,
    examples: [
      Example("capsule item record 'Gold ring' --seconds 120 --title 'Where it came from'", "Tell")
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws(Failure) -> ExitCode {
    let reference = try invocation[ItemArguments.reference]
    let store = try session.requiredStore(for: reference, among: [.item])
    _ = try session.intactItem(reference, in: store)
    let limit = invocation[seconds].map { [String($0)] } ?? []
    let day = session.zone.civil(at: session.now).date.description
    let copy = try session.temporaryPath(in: store, suffix: "-recorded-\(day).wav")
    defer { try? session.host.files.unlink(copy) }
    if !session.isQuiet { session.console.note("Recording; Ctrl-C ends it.") }
    try session.runFirst(
      [
        ("arecord", ["-q", "-f", "cd"] + (limit.isEmpty ? [] : ["-d"] + limit)),
        ("sox", ["-q", "-d"]),
        (
          "ffmpeg",
          ["-loglevel", "error", "-f", "alsa", "-i", "default"]
            + (limit.isEmpty ? [] : ["-t"] + limit)
        ),
      ], with: copy, to: "record it",
      after: ["sox": limit.isEmpty ? [] : ["trim", "0"] + limit])
    let item = try ItemAttachCommand.attach(
      [copy], title: invocation[ItemAttachCommand.title] ?? "", to: reference, store, session)
    return try ItemAttachCommand.tell(item, added: 1, session)
  }
}

extension Session {
  /// A path in the store's `tmp/` that nobody has.
  fileprivate func temporaryPath(in store: Store, suffix: String) throws(Failure) -> FilePath {
    do throws(StoreError) {
      try store.files.createDirectories(store.layout.temporary)
      return store.layout.temporary.appending(
        try store.environment.temporaryName() + suffix)
    } catch {
      throw Failure(error)
    }
  }

  /// Runs the first of some programs that is there, with a file as the last of its words.
  fileprivate func runFirst(
    _ programs: [(name: String, words: [String])], with file: FilePath, to purpose: String,
    after: [String: [String]] = [:]
  ) throws(Failure) {
    for program in programs {
      let words =
        program.words.map { Array($0.utf8) } + [file.bytes]
        + (after[program.name] ?? []).map { Array($0.utf8) }
      // Ctrl-C is for the program that runs: it ends, and this one goes on.
      let watch = host.watchSignals()
      var isInterrupted = false
      defer {
        while watch.wait(0) != nil {}
        watch.end()
      }
      do throws(SystemError) {
        let outcome = try host.runProcess(
          ProcessRequest(program: Array(program.name.utf8), arguments: words))
        while watch.wait(0) != nil { isInterrupted = true }
        guard outcome.succeeded || isInterrupted else {
          throw SystemError(code: 5, action: "\(purpose) with '\(program.name)'")
        }
        return
      } catch {
        guard error.isNotFound else { throw Failure(error) }
      }
    }
    let names = programs.map { "'\($0.name)'" }.joined(separator: ", ")
    throw Failure(
      .io, "none of \(names) is there to \(purpose) with", hint: "install one of them")
  }
}
