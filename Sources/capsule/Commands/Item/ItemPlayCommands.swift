import CapsuleCore

/// `capsule item view`.
enum ItemViewCommand {
  static let media = OptionalOperand("MEDIA", .text, "A number, name or title; the first if none")

  static let command = Command(
    "item", "view", summary: "Show one of an item's media on the desktop",
    discussion: """
      A copy is handed to `xdg-open`, or to `open` on macOS: pictures, sounds, films, PDF and plain \
      text, where the name and the bytes say the same. A file of another kind might run: its copy is \
      only named, and stays for a day.
      """,
    operands: [ItemOptions.reference, media],
    examples: [Example("capsule item view 'Gold ring' 1", "Look at a photo")],
    exitCodes: [.notFound, .damaged, .version]
  ) { invocation, session in
    let (store, file) = try find(invocation, media, session) { _ in true }
    try AttachmentExtraction(session: session, store: store).view(file)
    return .ok
  }

  static func find(
    _ invocation: Invocation, _ media: OptionalOperand<String>, _ session: Session,
    where isWanted: (Attachment) -> Bool
  ) throws -> (Store, Attachment) {
    let reference = try invocation[ItemOptions.reference]
    let (store, record) = try session.requiredRecord(Item.self, reference, intact: true)
    let item = record.model
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
    operands: [ItemOptions.reference, media],
    examples: [Example("capsule item play 'Gold ring'", "Hear its story")],
    exitCodes: [.notFound, .damaged, .version]
  ) { invocation, session in
    let (store, file) = try ItemViewCommand.find(invocation, media, session) {
      $0.mediaType.hasPrefix("audio/") || $0.mediaType.hasPrefix("video/")
    }
    let copy = try AttachmentExtraction(session: session, store: store).copy(file)
    defer { copy.remove() }
    _ = try session.runFirst(
      [
        ("ffplay", ["-nodisp", "-autoexit", "-loglevel", "error"]), ("mpv", ["--really-quiet"]),
        ("afplay", []), ("aplay", ["-q"]),
      ], with: copy.path, to: "play '\(file.displayName)'")
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
    operands: [ItemOptions.reference], options: [ItemAttachCommand.title, seconds],
    outputs: .json,
    examples: [
      Example("capsule item record 'Gold ring' --seconds 120 --title 'Where it came from'", "Tell")
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = try invocation[ItemOptions.reference]
    let (store, _) = try session.requiredRecord(Item.self, reference, intact: true)
    let limit = invocation[seconds].map { [String($0)] } ?? []
    let local = session.zone.civil(at: session.now)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let time = [local.time.hour, local.time.minute, local.time.second].map(two).joined()
    let copy = try PrivateFile(
      named: Array("recorded-\(local.date.description)-\(time).wav".utf8), in: store)
    defer { copy.remove() }
    if !session.isQuiet { session.console.note("Recording; Ctrl-C ends it.") }
    let program = try session.runFirst(
      [
        ("arecord", ["-q", "-f", "cd"] + (limit.isEmpty ? [] : ["-d"] + limit)),
        ("sox", ["-q", "-d"]),
        (
          "ffmpeg",
          ["-nostdin", "-loglevel", "error"] + SoundInput.ffmpeg
            + (limit.isEmpty ? [] : ["-t"] + limit)
        ),
      ], with: copy.path, to: "record",
      after: ["sox": limit.isEmpty ? [] : ["trim", "0"] + limit])
    let recorded = try? session.host.files.statusIfPresent(copy.path)
    guard let recorded, recorded.size > 0 else {
      throw Failure(
        .io, "'\(program)' recorded nothing", hint: "is there a microphone, and is it free?")
    }
    let item = try ItemAttachCommand.attach(
      [copy.path], title: invocation[ItemAttachCommand.title] ?? "", to: reference, store, session)
    return try ItemAttachCommand.answer(item, added: 1, session)
  }
}

extension Session {
  /// Runs the first of some programs that is there, with a file as the last of its words. Ctrl-C is
  /// for that program: it ends, and this one goes on.
  ///
  /// - Returns: the program's name.
  fileprivate func runFirst(
    _ programs: [(name: String, words: [String])], with file: FilePath, to purpose: String,
    after: [String: [String]] = [:]
  ) throws -> String {
    for program in programs {
      let words =
        program.words.map { Array($0.utf8) } + [file.bytes]
        + (after[program.name] ?? []).map { Array($0.utf8) }
      var request = ProcessRequest(program: Array(program.name.utf8), arguments: words)
      request.isForeground = true
      let outcome: ProcessOutcome
      do throws(SystemError) {
        outcome = try host.runProcess(request)
      } catch {
        if error.isNotFound { continue }
        throw error
      }
      guard outcome.succeeded || outcome.wasInterrupted else {
        throw Failure.failed(program.name, to: purpose, outcome)
      }
      return program.name
    }
    let names = programs.map { "'\($0.name)'" }.joined(separator: ", ")
    throw Failure(
      .io, "none of \(names) is there to \(purpose) with", hint: "install one of them")
  }
}
