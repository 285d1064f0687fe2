import CapsuleCore

/// `capsule item attach`.
enum ItemAttachCommand {
  static let files = Parameter.operands("FILE", .path, minimum: 1, "A file to attach")
  static let title = Parameter.option(
    "title", value: "TITLE", .text, "A title for the attachment; only for one file")

  static let command = ItemKind.kind.mark(
    "attach", summary: "Attach photos, documents and recordings to an item",
    discussion: """
      Attachments are stored unencrypted. Files with the same bytes are stored once. The answer \
      shows the size of images (PNG, JPEG, GIF, WebP) and the length of recordings (WAV, MP3, \
      FLAC, M4A), if the header has it.
      """,
    operands: [files], options: [title],
    examples: [
      Example(
        "capsule item attach 'Gold ring' ring.jpg receipt.pdf", "Attach a photo and a receipt")
    ]
  ) { invocation, session in
    let reference = invocation[ItemKind.kind.reference]
    let paths = invocation[files]
    guard invocation[title] == nil || paths.count == 1 else {
      throw Fault.usage("'--title' needs a single file", hint: "attach the files one at a time")
    }
    let store = try session.stores.required(for: reference, among: [.item])
    let item = try attach(
      paths, title: invocation[title] ?? "", to: reference, store, session)
    return answer(item, added: paths.count, in: store, session)
  }

  /// Takes files in and names them in an item, all or none.
  static func attach(
    _ paths: [FilePath], title: String, to reference: String, _ store: Store, _ session: Session
  ) throws -> Item {
    try session.records.change(Item.self, reference, in: store) { blobs in
      try stage(paths, title: title, &blobs, store, session)
    } _: { (item: inout Item, media: [Media]) in
      item.media += media
    }.after
  }

  /// Takes files in, which no item names yet.
  ///
  /// - Parameter blobs: gets each that was taken in.
  static func stage(
    _ paths: [FilePath], title: String = "", _ blobs: inout [StagedBlob], _ store: Store,
    _ session: Session
  ) throws -> [Media] {
    let limit = session.stores.settings(of: store).maxFileSize
    return try paths.map { path in
      let staged = try store.blobs.stageAttachment(path, limit: limit)
      blobs.append(staged.blob)
      return Media(
        file: staged.attachment, title: title.trimmed, addedAt: session.now,
        facts: store.blobs.facts(of: staged.blob))
    }
  }

  static func answer(
    _ item: Item, added count: Int, in store: Store, _ session: Session
  ) -> Answer {
    ItemKind.kind.answer(item, in: store, session, quiet: .nothing) { out, _ in
      for (place, media) in item.media.enumerated().suffix(count) {
        let view = MediaView(media, number: place + 1, in: session)
        let facts = view.factsText.isEmpty ? "" : ", \(view.factsText)"
        out.line(
          "Attached '\(media.file.displayName, .bold)' as number \(String(place + 1)): \(media.file.mediaType), \(ByteSize.text(media.file.size))\(facts)"
        )
      }
    }
  }
}

/// `capsule item media`.
enum ItemMediaCommand {
  static let command = Command(
    "item", "media", summary: "List an item's attachments",
    operands: [ItemKind.kind.reference], options: [ListOptions.plain],
    outputs: [.json, .ndjson],
    examples: [
      Example("capsule item media 'Gold ring'", "See what is attached to the ring")
    ],
    exitCodes: [.notFound, .damaged, .version],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let reference = invocation[ItemKind.kind.reference]
    let (store, record) = try session.records.required(Item.self, reference)
    let views = record.model.media.enumerated().map { MediaView($1, number: $0 + 1, in: session) }
    return Answer(
      rows: views, ending: session.records.report(damageOf: record, in: store),
      columns: MediaView.columns(session), isPlain: invocation[ListOptions.plain], json: \.members
    )
    .noting(views.isEmpty ? "No attachments yet." : nil)
  }
}

extension Item {
  /// The place of one of the media by a word: its number, or its only name or title.
  func mediaPlace(_ word: String) throws -> Int {
    if let number = Int(word), number > 0, number <= media.count {
      return number - 1
    }
    let key = NameKey(word)
    let places = media.indices.filter {
      NameKey(media[$0].file.displayName) == key || NameKey(media[$0].title) == key
    }
    guard let place = places.first else {
      throw Fault(
        .notFound, "'\(name)' has no attachment '\(word)'",
        hint: "list the attachments: capsule item media ITEM")
    }
    guard places.count == 1 else {
      let numbers = places.map { String($0 + 1) }.joined(separator: ", ")
      throw Fault(
        .ambiguous, "several attachments match '\(word)': \(numbers)", hint: "use the number")
    }
    return place
  }
}

/// `capsule item extract`.
enum ItemExtractCommand {
  static let media = Parameter.operands(
    "MEDIA", .text, "A number, name or title; all attachments if omitted")
  static let output = Parameter.option(
    "output", short: "o", value: "DIR", .directoryOrOutput, otherwise: "the working directory",
    "Where to write the files; `-` writes one to standard output")
  static let force = Parameter.flag("force", "Replace existing files")

  static let command = Command(
    "item", "extract", summary: "Write an item's attachments to files",
    discussion: "The files are the same, byte for byte.",
    operands: [ItemKind.kind.reference, media], options: [output, force], outputs: .json,
    examples: [
      Example(
        "capsule item extract 'Gold ring' --output photos", "Save all attachments to a folder"),
      Example(
        "capsule item extract 'Gold ring' 1 --output - > ring.jpg",
        "Write one attachment to standard output"),
    ],
    exitCodes: [.notFound, .damaged, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let reference = invocation[ItemKind.kind.reference]
    let (store, record) = try session.records.required(Item.self, reference, intact: true)
    let item = record.model
    var places: [Int] = []
    for word in invocation[media] {
      let place = try item.mediaPlace(word)
      if !places.contains(place) { places.append(place) }
    }
    if invocation[media].isEmpty { places = Array(item.media.indices) }
    let extraction = AttachmentExtraction(session: session, store: store)
    let directory = invocation[output] ?? FilePath(".")
    if directory == FilePath("-") {
      guard !places.isEmpty else {
        throw Fault(
          .notFound, "'\(item.name)' has no attachments",
          hint: "attach a file: capsule item attach \(item.name.shellWord) FILE",
          details: ["id": item.id.json])
      }
      guard session.options.form == .text else {
        throw Fault.usage(
          "'--json' and '--output -' cannot be given together",
          hint: "leave out --json, or choose a directory: --output DIR")
      }
      guard places.count == 1 else {
        throw Fault.usage(
          "only one attachment can go to standard output", hint: "choose one by its number")
      }
      try extraction.send(item.media[places[0]].file)
      return .done
    }
    try session.host.files.requireOutsideStores(directory, and: store.layout.root)
    try session.host.files.createDirectories(directory)
    var names = ContentFileNames()
    let targets = places.map { place in
      (place, directory.appending(bytes: names.next(item.media[place].file, number: place + 1)))
    }
    if !invocation[force] {
      for (_, path) in targets { try extraction.requireFree(path) }
    }
    var written: [(view: MediaView, path: FilePath)] = []
    let signals = WorkSignals(
      session, "Writing", total: places.reduce(0) { $0.addingClamped(item.media[$1].file.size) })
    defer { signals.end() }
    for (place, path) in targets {
      do {
        try extraction.write(
          item.media[place].file, to: path, overwriting: invocation[force], watch: signals.pass)
      } catch {
        throw signals.cause(of: error)
      }
      written.append((MediaView(item.media[place], number: place + 1, in: session), path))
    }
    signals.endProgress()
    return Answer(rows: written, quiet: .nothing) { view, path in
      var members = view.members
      members["path"] = path.json
      return members
    } text: { out in
      for (view, path) in written {
        out.line("Wrote '\(path.text)', \(ByteSize.text(view.media.file.size))")
      }
    }
  }
}

/// `capsule item detach`.
enum ItemDetachCommand {
  static let media = Parameter.operands("MEDIA", .text, minimum: 1, "A number, name or title")

  static let command = ItemKind.kind.mark(
    "detach", summary: "Remove attachments from an item for good",
    discussion: """
      Their bytes are removed too, unless another record has the same bytes. That includes records \
      in the trash.
      """,
    operands: [media], options: [DeleteCommand.yes],
    examples: [
      Example("capsule item detach 'Gold ring' 2 --yes", "Remove the second attachment")
    ]
  ) { invocation, session in
    let reference = invocation[ItemKind.kind.reference]
    var (store, record) = try session.records.required(Item.self, reference, intact: true)
    var places: Set<Int> = []
    for word in invocation[media] { places.insert(try record.model.mediaPlace(word)) }
    let taken = places.sorted().map { record.model.media[$0] }
    let names = taken.map { "'\($0.file.displayName)'" }.joined(separator: ", ")
    try session.ask.confirm("Delete \(names) for good?", unless: invocation[DeleteCommand.yes])
    for place in places.sorted(by: >) { record.model.media.remove(at: place) }
    record = try store.blobs.update(
      record, now: session.now, freeing: Set(taken.map(\.file.blob)))
    return ItemKind.kind.answer(record.model, in: store, session, quiet: .nothing) { out, _ in
      for media in taken { out.line("Took away '\(media.file.displayName, .bold)'") }
    }
  }
}

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
    operands: [ItemKind.kind.reference, media], options: [ViewCommand.desktop],
    examples: [
      Example("capsule item view 'Gold ring' 1", "Look at a photo")
    ],
    exitCodes: [.notFound, .damaged, .version, .refused]
  ) { invocation, session in
    let (store, file) = try find(invocation, media, session, lacking: "no media") { _ in true }
    try session.viewer.view(
      AttachmentExtraction(session: session, store: store).shown(file), of: store,
      isOnDesktop: invocation[ViewCommand.desktop],
      otherwise: "save the file, then open it with a program of your choice: capsule item extract")
    return .done
  }

  static func find(
    _ invocation: Invocation, _ media: Parameter<String?>, _ session: Session,
    lacking: String, where isWanted: (Attachment) -> Bool
  ) throws -> (Store, Attachment) {
    let reference = invocation[ItemKind.kind.reference]
    let (store, record) = try session.records.required(Item.self, reference, intact: true)
    let item = record.model
    if let word = invocation[media] {
      return (store, item.media[try item.mediaPlace(word)].file)
    }
    guard let found = item.media.first(where: { isWanted($0.file) }) else {
      throw Fault(
        .notFound, "'\(item.name)' has \(lacking)",
        hint: "attach a file: capsule item attach ITEM FILE")
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
    operands: [ItemKind.kind.reference, media],
    examples: [
      Example("capsule item play 'Gold ring'", "Hear the story of the ring")
    ],
    exitCodes: [.notFound, .damaged, .version, .refused]
  ) { invocation, session in
    let (store, file) = try ItemViewCommand.find(
      invocation, media, session, lacking: "no sound or video"
    ) {
      ShownFile.isPlayed($0.mediaType)
    }
    try session.viewer.play(
      AttachmentExtraction(session: session, store: store).shown(file), of: store)
    return .done
  }
}

/// `capsule item record`.
enum ItemRecordCommand {
  static let command = ItemKind.kind.mark(
    "record", summary: "Record a story, and attach it to an item",
    discussion: """
      The first of `arecord`, `sox` and `ffmpeg` that is installed records it as WAV.
      """,
    options: [ItemAttachCommand.title, ContentOptions.seconds],
    examples: [
      Example(
        "capsule item record 'Gold ring' --seconds 120 --title 'Where it came from'",
        "Tell where the ring came from")
    ]
  ) { invocation, session in
    let reference = invocation[ItemKind.kind.reference]
    let (store, _) = try session.records.required(Item.self, reference, intact: true)
    let recording = try SoundRecording.make(
      session, seconds: invocation[ContentOptions.seconds], in: store)
    let item = try [recording].keeping(session) {
      try ItemAttachCommand.attach(
        [recording.path], title: invocation[ItemAttachCommand.title] ?? "", to: reference, store,
        session)
    }
    return ItemAttachCommand.answer(item, added: 1, in: store, session)
  }
}
