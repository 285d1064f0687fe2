import CapsuleCore

/// The options and operands by which contents are named, in `create` and `add`.
enum ContentOptions {
  static let operand = Parameter.operands(
    "CONTENT", .path, "A file to put in, or `-` for standard input")
  static let file = Parameter.options(
    "file", short: "f", value: "PATH", .path, "Put in a file, like a CONTENT operand")
  static let text = Parameter.options(
    "text", short: "t", value: "TEXT", .text,
    "Put in a text; it is visible in `ps` and in the shell's history")
  static let edit = Parameter.flag("edit", short: "e", "Write a text in `$VISUAL` or `$EDITOR`")
  static let record = Parameter.flag("record", "Record a sound and put it in")
  static let seconds = Parameter.option(
    "seconds", value: "N", .integer(1...86_400), otherwise: "until Ctrl-C",
    "Stop recording after this many seconds")
  static let caption = Parameter.options(
    "caption", value: "TEXT", .text, "Add a caption to the part before it; the caption is sealed")
  static let noProof = Parameter.flag(
    "no-proof", "Do not read each sealed file back to verify it")

  static let options: Parameters = [
    file, text, edit, record, seconds, caption, noProof,
  ]
}

/// The contents that a command line names, in their order, before any of them is read or written.
struct ContentPlan {
  fileprivate enum Origin {
    case file(FilePath)
    case text(String)
    case input
    case editor
    case recording
  }

  private var parts: [(origin: Origin, caption: String?)] = []
  private let seconds: Int?

  /// Whether nothing is named.
  var isEmpty: Bool { parts.isEmpty }

  /// Whether a text is written now, and nothing is read from standard input or recorded.
  var isComposed: Bool {
    parts.contains { $0.origin.isEditor }
      && !parts.contains { $0.origin.isInput || $0.origin.isRecording }
  }

  /// Makes a draft of what is named: what is written in the editor is written now.
  ///
  /// - Returns: the draft and the files of the editor; `nil` where something is read or recorded, which a draft
  ///   cannot hold.
  mutating func composed(
    _ invocation: Invocation, _ title: String, _ session: Session
  ) throws -> (draft: CapsuleDraft, files: [PrivateFile])? {
    guard !parts.contains(where: { $0.origin.isInput || $0.origin.isRecording }) else { return nil }
    if isEmpty, !invocation[CreateCommand.empty] { try CreateCommand.offerEditor(&self, session) }
    let store = try session.stores.existingQuietly()
    let (_, files, typed) = try sources(session, in: store)
    let draft = CapsuleDraft(
      title: title, unlock: invocation[CreateCommand.unlock], options: invocation.draftOptions,
      parts: typed.compactMap { $0() })
    return (draft, files)
  }

  /// Reads the words of a command line whose first operand is something else.
  ///
  /// - Throws: a failure of kind `usage`, for standard input named twice, and for a caption of nothing.
  init(_ invocation: Invocation) throws {
    seconds = invocation[ContentOptions.seconds]
    var captions: [(behind: Int, text: String)] = []
    var operands = 0
    for argument in invocation.arguments {
      switch argument {
      case .operand(let bytes):
        operands += 1
        if operands == 1 { continue }
        try append(bytes == Array("-".utf8) ? .input : .file(FilePath(bytes: bytes)))
      case .option(ContentOptions.file.name, let bytes):
        try append(.file(FilePath(bytes: bytes)))
      case .option(ContentOptions.text.name, let bytes):
        try append(.text(String(decoding: bytes, as: UTF8.self)))
      case .option(ContentOptions.caption.name, let bytes):
        captions.append((parts.count, String(decoding: bytes, as: UTF8.self).trimmed))
      case .flag(ContentOptions.edit.name): try append(.editor)
      case .flag(ContentOptions.record.name): try append(.recording)
      default: continue
      }
    }
    try attach(captions)
    guard seconds == nil || parts.contains(where: { $0.origin.isRecording }) else {
      throw Fault.usage("'--seconds' needs '--record'", hint: "add --record")
    }
  }

  private mutating func append(_ origin: Origin) throws {
    if origin.isInput, parts.contains(where: { $0.origin.isInput }) {
      throw Fault.usage("standard input can only be added once")
    }
    parts.append((origin, nil))
  }

  /// Gives each caption to the content before it; the caption of an only content may stand anywhere.
  private mutating func attach(_ captions: [(behind: Int, text: String)]) throws {
    for caption in captions {
      let place = parts.count == 1 ? 0 : caption.behind - 1
      guard parts.indices.contains(place) else {
        throw Fault.usage(
          "the caption '\(caption.text)' comes before any file",
          hint: "put a caption after its file: photo.jpg --caption 'At the sea'")
      }
      guard parts[place].caption == nil else {
        throw Fault.usage(
          "the part before '\(caption.text)' already has a caption",
          hint: "put each caption after its own file or text")
      }
      parts[place].caption = caption.text
    }
  }

  /// Lets a person at the terminal write a text where nothing is named; elsewhere nothing is read, so
  /// that the list that a loop reads stays whole.
  ///
  /// - Throws: a failure of kind `usage` where nothing is named, and none is to be written.
  mutating func offerEditor(_ session: Session, otherwise hint: String) throws {
    guard isEmpty else { return }
    let refusal = Fault.usage("no contents given", hint: hint)
    guard session.ask.isInteractive, EditorText.editor(session) != nil,
      try session.ask.isYes(
        "Nothing is named to be put in. Write a text in the editor?", isYesByDefault: true,
        unanswered: refusal)
    else { throw refusal }
    parts.append((.editor, nil))
  }

  /// A program before the pipe that failed leaves nothing to seal.
  private static let emptyInput = Fault(
    .refused, "standard input is empty; nothing was sealed",
    hint: "check the program before the pipe; or create an empty capsule: --empty")

  /// Whether standard input is the only part.
  var isOnlyInput: Bool { parts.count == 1 && parts[0].origin.isInput }

  /// Warns of letters that are not in UTF-8: they are sealed as files, which no letter has in its text.
  func warnOfEncodings(_ session: Session) {
    for part in parts {
      guard case .file(let path) = part.origin, path.isNamedAsText,
        (try? session.host.files.statusFollowingLinks(path))?.kind == .regular,
        let head = try? session.files.head(of: path, count: 1 << 16),
        let encoding = OldEncoding.name(ofTextBeginningWith: head)
      else { continue }
      session.console.warning(
        "'\(path.text)' is in \(encoding), not in UTF-8: it is sealed as a file, and its text is neither "
          + "shown nor part of a letter",
        hint: "convert it first: iconv -f \(encoding) -t UTF-8 \(path.text.shellWord)",
        details: ["path": path.text.json])
    }
  }

  /// The files that are named, to be looked at before anything is made.
  var files: [ContentSource] {
    parts.compactMap { part in
      if case .file(let path) = part.origin { ContentSource(.file(path)) } else { nil }
    }
  }

  /// Makes the sources: what is written in the editor or recorded is made now.
  ///
  /// - Parameters:
  ///   - store: the store, where there is one yet.
  ///   - allowsEmpty: whether standard input may have nothing.
  /// - Returns: the sources; the drafts, which are to be removed when all is sealed; and what a draft of the capsule
  ///   keeps of each, asked for when it was read.
  func sources(
    _ session: Session, in store: Store?, allowsEmpty: Bool = false
  ) throws -> (
    sources: [ContentSource], drafts: [PrivateFile], typed: [() -> CapsuleDraft.Part?]
  ) {
    var sources: [ContentSource] = []
    var typed: [() -> CapsuleDraft.Part?] = []
    var drafts: [PrivateFile] = []
    do {
      for (origin, caption) in parts {
        let caption = caption.flatMap { $0.isEmpty ? nil : $0 }
        switch origin {
        case .file(let path):
          sources.append(ContentSource(.file(path), caption: caption))
          typed.append { .file(path, caption: caption) }
        case .text(let text):
          sources.append(ContentSource(.text(text), caption: caption))
          typed.append { .text(text, caption: caption) }
        case .input:
          let input = RememberingSource(try session.files.standardInput())
          guard try allowsEmpty || !input.isEmpty() else { throw Self.emptyInput }
          sources.append(ContentSource(.stream(input, name: []), caption: caption))
          typed.append { input.text.map { .text($0, caption: caption) } }
        case .editor:
          let written = try EditorText.write(session, in: store)
          drafts.append(written.draft)
          sources.append(ContentSource(.text(written.text), caption: caption))
          typed.append { .text(written.text, caption: caption) }
        case .recording:
          let recording = try SoundRecording.make(session, seconds: seconds, in: store)
          drafts.append(recording)
          sources.append(ContentSource(.file(recording.path), caption: caption))
        }
      }
    } catch {
      for draft in drafts { draft.nameKept(session) }
      throw error
    }
    return (sources, drafts, typed)
  }
}

extension ContentPlan.Origin {
  fileprivate var isInput: Bool {
    if case .input = self { true } else { false }
  }

  fileprivate var isEditor: Bool {
    if case .editor = self { true } else { false }
  }

  fileprivate var isRecording: Bool {
    if case .recording = self { true } else { false }
  }
}

extension FilePath {
  /// Whether the name is that of a letter: without a suffix, or with one of plain text.
  fileprivate var isNamedAsText: Bool {
    let name = String(decoding: lastComponent.map(\.asciiLowercased), as: UTF8.self)
    return !name.utf8.contains(UInt8(ascii: "."))
      || [".txt", ".text", ".md"].contains { name.hasSuffix($0) }
  }
}
