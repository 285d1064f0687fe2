import CapsuleCore

/// `capsule open`.
enum OpenCommand {
  static let reference = Parameter.operand(
    "REF", .reference(.capsule), "An id, the start of one, or a title")
  static let output = Parameter.option(
    "output", short: "o", value: "DIR", .directory, "Save all contents in a directory")
  static let force = Parameter.flag("force", "Replace existing files")
  static let content = Parameter.option(
    "content", short: "c", value: "CONTENT", .text,
    "Print the bytes of one part, by its number, id or name")
  static let page = Parameter.flag(
    "page", "Make a page for a browser: in the folder of `--output`, or shown on the desktop")
  static let raw = Parameter.flag(
    "raw", "Show texts unchanged: long lines whole, with control characters")
  static let wait = Parameter.flag("wait", short: "w", "Wait for the unlock time, then open")

  /// The options by which a capsule is opened, whatever is done with its contents.
  static let keyOptions: Parameters = [
    wait, KeyOptions.identity, PassphraseOptions.file, PassphraseOptions.command,
    PassphraseOptions.maximumWorkFactor, TimelockOptions.beacon, TimelockOptions.trustedChain,
    ShareOptions.shares, ShareOptions.share,
  ]

  static let command = Command(
    "open", summary: "Open a capsule and show or save its contents",
    discussion: """
      On a terminal, `open` shows texts, text files and pictures in order. It lists other files, sounds \
      with their length. Anything longer than the screen goes through `$PAGER`, or else `less`; the \
      pictures follow it. Pictures take at most half of the screen, if the terminal can show them (see \
      `capsule help view` and the setting `pictures`).

      `--output` saves everything in a directory, each file with its name and time. No file is written \
      outside of the directory or over another. Elsewhere than on a terminal, a capsule with one part \
      prints exactly its bytes. For several parts, use `--content`, `--output` or `--json`.

      The first opening is recorded. After it, nothing can be added.

      A locked capsule is refused with exit status 4. Before the unlock time, only a change of the \
      machine's clock opens it, and for a timelock not even that. With `--wait`, a terminal shows the \
      time left until the capsule opens.

      `--page` makes a page for a browser, like the one that `capsule deliver` gives to people:

      - With `--output DIR`, the page is in that folder, which must be new or empty.
      - Without `--output`, the desktop shows the page from a private folder in `$XDG_RUNTIME_DIR`. \
      Press Enter to remove it. A browser from snap or flatpak may not read that folder and needs \
      `--output`.

      `--shares` lets trustees open the capsule from the unlock time on. They type their shares unseen, \
      one after another, or `--share` reads them. The key is never written. Before the unlock time, the \
      command exits with status 4 and prints how to open the capsule by hand.

      A timelock needs the beacon of its round. `open` takes it from the record, from `--beacon`, or \
      with `curl` from a drand relay. Every beacon is verified, then kept in the record.

      - If the beacon is not published yet, the exit status is 4.
      - If no beacon can be fetched, or the beacon is wrong, the exit status is 9.
      - Before the unlock time by the clock, only known chains count: quicknet, chains that \
      this device sealed a capsule to, and that of `--chain`. For any other chain the exit status is 9.
      """,
    operands: [reference],
    options: [output, page, force, content, raw] + keyOptions,
    outputs: .json,
    examples: [
      Example("capsule open 'To Mia at 18' --output mia", "Save all contents in a directory"),
      Example("capsule open 3f2a --content 2 > photo.jpg", "Save one photo"),
      Example("capsule open 'To Mia at 18' --page", "Read a capsule in a browser"),
      Example("capsule open 'To Mia at 18' --wait", "Open a capsule as soon as it unlocks"),
    ],
    exitCodes: exitCodes,
    run: run
  ).offering(ready)

  /// The most capsules that are offered.
  private static let offerLimit = 20

  /// Returns the capsules whose time has come and that nobody opened, from the last that unlocked; those that
  /// were opened where there are no others.
  private static func ready(in store: Store, _ session: Session) throws -> [FoundRecord] {
    for state in [CapsuleState.unlocked, .opened] {
      var query = CapsuleQuery(now: session.now)
      query.states = [state]
      var found: [FoundRecord] = []
      store.queries.forEachReadable(query, now: session.now) { row in
        let title = row.summary.record.title
        found.append(FoundRecord(kind: .capsule, id: row.summary.id, title: title))
      }
      if !found.isEmpty { return Array(found.prefix(offerLimit)) }
    }
    throw Fault(
      .notFound, "no capsule can be opened yet", hint: "see what comes next: capsule countdown")
  }

  static let exitCodes: [ExitCode] = [
    .partial, .locked, .notFound, .key, .damaged, .busy, .unproven, .version, .refused,
  ]

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    try invocation.refuse(content, with: [output])
    if let directory = invocation[output], let store = try session.stores.existingQuietly() {
      try session.host.files.requireOutsideStores(directory, and: store.layout.root)
    }
    guard !invocation[page] else { return try makePage(invocation, session) }
    let (opened, now) = try open(invocation, session)
    let isText = session.options.form == .text
    let contents = OpenAnswer(session: session, opened: opened, now: now)
    let answer: Answer
    if let wanted = invocation[content] {
      answer = try contents.bytes(of: wanted, isRaw: invocation[raw])
    } else if let directory = invocation[output] {
      answer = try contents.extracted(to: directory, overwriting: invocation[force])
    } else if !isText {
      answer = try contents.json(written: nil)
    } else if session.console.out.isTerminal {
      answer = try contents.shown(isRaw: invocation[raw])
    } else {
      answer = try contents.piped()
    }
    // The object says what was kept, and was kept before it was written.
    guard isText || invocation.has(content) else { return answer }
    return answer.then { code in
      if code == .ok { keepOpening(of: opened, now, session) }
      return code
    }
  }

  private static func makePage(_ invocation: Invocation, _ session: Session) throws -> Answer {
    for other in [content, force, raw] as Parameters { try invocation.refuse(other, with: [page]) }
    let show = invocation[output] == nil ? try OpenPage.requireTerminal(session) : nil
    let (opened, now) = try open(invocation, session)
    let page = OpenPage(session: session, opened: opened, now: now)
    return try invocation[output].map(page.make) ?? show.map(page.show) ?? .done
  }

  /// Opens the capsule that is named, after its time has come where that is waited for.
  ///
  /// - Returns: the opened capsule, and the time at which it was.
  static func open(
    _ invocation: Invocation, _ session: Session
  ) throws -> (opened: OpenedCapsule, now: Instant) {
    let reference = invocation[reference]
    let store = try session.stores.required(for: reference)
    let waits = invocation[wait]
    var record = try session.records.one(Capsule.self, reference, in: store)
    let keys = InteractiveKeys(
      session: session, invocation: invocation,
      question: "Passphrase of '\(record.model.title)': ",
      refusalOfShares: .ofShares(for: record.model, in: store))
    let beacons = BeaconSearch(session: session, invocation: invocation, waits: waits)
    let chains = try TimelockOptions.named(invocation, session)
    do {
      var opening = try CapsuleOpening(record, in: store, trusting: chains)
      // A kept beacon may prove that the time has come though the clock does not say so.
      if waits, (opening.provenTime?.instant ?? .earliest) < record.model.unlockAt {
        record = try session.waiting.forUnlock(of: record, in: store)
        opening = try CapsuleOpening(record, in: store, after: opening)
      }
      let now = waits ? session.currentTime : session.now
      return (try opening.open(with: keys, beacons: beacons, now: now), now)
    } catch let error as Fault {
      var failure = Fault(error, opening: record.model, in: store, session)
      if failure.kind == .locked, ShareOptions.isGiven(invocation) {
        let lines = record.model.stepsByHand(in: store)
        failure.details["byHand"] = lines.json
        for line in lines { session.console.note(StyledText(line)) }
      }
      throw failure
    }
  }

  /// Keeps the first opening; where that cannot be written, it says so and opens all the same.
  ///
  /// - Returns: the capsule as its record says it from now on.
  @discardableResult
  static func keepOpening(
    of opened: OpenedCapsule, _ now: Instant, _ session: Session
  ) -> Capsule {
    var (isFirst, capsule) = (opened.capsule.openedAt == nil, opened.capsule)
    do {
      (isFirst, capsule) = try opened.keepOpening(now: now)
    } catch {
      session.console.warning(
        "could not save that the capsule was opened: \(Fault(error).message(in: session.zone))",
        hint: "make the store writable, then open the capsule again")
    }
    if isFirst {
      session.console.note(
        "Opened for the first time; \(session.dates.sealed(capsule.createdAt, at: now)).")
    }
    return capsule
  }
}

extension Capsule {
  /// The lines by which trustees open it without this program's gate; a sentence where they cannot.
  fileprivate func stepsByHand(in store: Store) -> [String] {
    let (who, field, inner): (String, String, String)
    switch lock.trusteeCopy {
    case .spare: (who, field, inner) = ("Trustees", "spare", "")
    case .key: (who, field, inner) = ("Trustees that it is sealed to", "key", "")
    case .escrow(nil): (who, field, inner) = ("Trustees that are its escrow", "key", "")
    case .escrow(.passphrase?):
      (who, field, inner) = ("Trustees that are its escrow", "key", " | age -d")
    case .escrow:
      (who, field, inner) = ("Trustees that are its escrow", "key", " | age -d -i identity.txt")
    case nil:
      return [
        lock.timelock == nil
          ? "It is not sealed to trustees."
          : "Its timelock opens to nobody before its date, to trustees neither."
      ]
    }
    return [
      "\(who) can open it by hand before:", "  capsule trustees combine -o group.txt",
      "  record='\(store.layout.record(.capsule, id).text.quotedForShell)'",
      "  jq -r .lock.\(field) \"$record\" | age -d -i group.txt\(inner) > key.txt",
      "With key.txt every content opens, as docs/how-to/open-without-capsule.md says.",
    ]
  }
}

/// The answer of `open`: bytes, files, JSON, or the contents shown.
struct OpenAnswer {
  let session: Session
  let opened: OpenedCapsule
  let now: Instant

  private var capsule: Capsule { opened.capsule }

  /// Exactly the bytes of one content, by its number, id or name.
  func bytes(of wanted: String, isRaw: Bool) throws -> Answer {
    try bytes(at: try opened.place(of: wanted), isRaw: isRaw)
  }

  private func bytes(at position: Int, isRaw: Bool) throws -> Answer {
    let details = opened.details[position]
    let out = session.console.out
    if out.isTerminal {
      guard let text = try opened.readableText(at: position) else {
        throw Fault(
          .refused, "refusing to write a file (\(details.mediaType)) to the terminal",
          hint: "redirect the output, or choose a directory: --output DIR")
      }
      if !isRaw {
        return Answer { write(text, of: details, to: $0) }.paged()
      }
    }
    let progress = session.console.progress("Opening", total: details.size)
    defer { progress.end() }
    var sink = OutputSink(out)
    try opened.write(capsule.contents[position], details, to: &sink) { progress.advance(by: $0) }
    try out.flush()
    return .done
  }

  /// Writes the bytes of the only content, without a terminal and without a choice.
  func piped() throws -> Answer {
    switch capsule.contents.count {
    case 0:
      session.console.note("'\(capsule.title)' is empty.")
      return .done
    case 1: return try bytes(at: 0, isRaw: true)
    default:
      throw Fault.usage(
        "'\(capsule.title)' has \(String.counting(capsule.contents.count, "content")), but the output "
          + "is not a terminal",
        hint: "choose one: --content N; or all: --output DIR, or --json")
    }
  }

  /// Everything into a directory.
  func extracted(to directory: FilePath, overwriting: Bool) throws -> Answer {
    let signals = WorkSignals(
      session, "Opening", total: opened.details.reduce(0) { $0.addingClamped($1.size) })
    defer { signals.end() }
    let results = try opened.extract(
      into: directory, overwriting: overwriting, watch: signals.pass)
    var code = ExitCode.ok
    let written = results.map { result -> ExtractedContent? in
      switch result {
      case .success(let content): return content
      case .failure(let error):
        code = ExitCode.worst(code, session.console.report(error))
        return nil
      }
    }
    signals.endProgress()
    guard session.options.form == .text else { return try json(written: written, code: code) }
    return Answer(
      ending: code,
      quiet: .only { out in for case let file? in written { out.row("\(file.path.text)") } }
    ) { out in
      for case (let position, let file?) in written.enumerated() {
        let size = ByteSize.text(opened.details[position].size)
        out.line("\(file.path.text)  \(size, .dim)")
      }
    }
  }

  /// Writes all of it for a program: texts inline, files by name, type, size and digest. The opening is kept
  /// first, where nothing failed: the object has the revision that it leaves.
  ///
  /// - Parameter page: the path of the page that was made of it.
  func json(
    written: [ExtractedContent?]?, page: FilePath? = nil, code: ExitCode = .ok
  ) throws -> Answer {
    let items = try capsule.contents.enumerated().map { position, content in
      let details = opened.details[position]
      return session.inner(
        [
          "number": (position + 1).json, "id": content.id.json,
          "kind": content.kind.rawValue.json, "sealedSize": content.sealedSize.json,
          "name": String(decoding: details.name, as: UTF8.self).jsonIfAny,
          "mediaType": details.mediaType.json, "size": details.size.json,
          "caption": details.caption.json, "text": details.text.json,
          "modifiedAt": details.modified.json,
          "path": (written?[position]?.path.text).json,
          "sha256": Hex.encode(try digest(position, written)).json,
        ], at: ["addedAt": content.addedAt])
    }
    let kept = code == .ok ? OpenCommand.keepOpening(of: opened, now, session) : capsule
    let view = CapsuleView(kept.brief, in: session, at: now)
    var members = view.members(of: kept)
    members["items"] = items.json
    if let page { members["page"] = page.text.json }
    members["state"] = CapsuleState.opened.rawValue.json
    InstantFields(zone: session.zone).add(kept.openedAt ?? now, as: "openedAt", to: &members)
    return Answer(members, ending: code)
  }

  private func digest(
    _ position: Int, _ written: [ExtractedContent?]?
  ) throws -> [UInt8] {
    if let written = written?[position] { return written.digest }
    return try opened.digest(of: capsule.contents[position], opened.details[position])
  }

  /// The part of a content that is shown as text; both are `nil` for other files.
  private struct Shown {
    var text: String?
    /// The length of a sound.
    var length: String?
  }

  /// Shows it to a person: the title, how long it waited, the texts and text files, pictures where
  /// the terminal shows them, and the other files by name.
  ///
  /// A file that cannot be read is named; the others are shown all the same.
  func shown(isRaw: Bool) throws -> Answer {
    var code = ExitCode.ok
    var contents: [Shown] = []
    for position in opened.details.indices {
      var content = Shown()
      do {
        content.text = try opened.readableText(at: position, isExact: isRaw)
        content.length = try length(position)
      } catch {
        code = ExitCode.worst(code, session.console.report(error))
      }
      contents.append(content)
    }
    let pictures = try pictures(isRaw: isRaw)
    let isPaged = try session.pager.show(isRaw: isRaw) { out in
      try write(contents, isRaw: isRaw, to: out) { position in
        // A text that is measured, or goes to the pager, has no pictures.
        if out === session.console.out { try show(position, by: pictures, &code) }
      }
    }
    if isPaged, pictures != nil {
      for position in opened.details.indices where isPicture(position) {
        heading(position, nil).map { session.console.out.line($0) }
        try show(position, by: pictures, &code)
      }
      try session.console.out.flush()
    }
    if contents.contains(where: { $0.text == nil }) {
      session.console.note("Save the files: --output DIR; or print one: --content N.")
    }
    return .ended(code)
  }

  /// The way to show pictures; `nil` where there are none, or they are not shown.
  private func pictures(isRaw: Bool) throws -> TerminalPictures? {
    guard !isRaw, opened.details.indices.contains(where: isPicture) else { return nil }
    return try TerminalPictures(session, session.stores.settings(of: opened.store), isHalf: true)
  }

  private func isPicture(_ position: Int) -> Bool {
    let details = opened.details[position]
    return TerminalPictures.isPicture(details.mediaType) && details.size <= TerminalPictures.limit
  }

  /// Shows a content that is a picture. One that cannot be read is reported, and the others are shown all
  /// the same.
  private func show(
    _ position: Int, by pictures: TerminalPictures?, _ code: inout ExitCode
  ) throws {
    guard let pictures, isPicture(position) else { return }
    let picture: [UInt8]?
    do {
      picture = try opened.bytes(at: position, limit: TerminalPictures.limit)
    } catch {
      code = ExitCode.worst(code, session.console.report(error))
      return
    }
    if let picture { _ = try pictures.show(picture, name: opened.details[position].nameText) }
  }

  /// The most bytes of a sound whose length is looked for.
  private static let soundLimit: Int64 = 64 << 20

  /// The length of a sound, as its header has it; `nil` where it has none.
  private func length(_ position: Int) throws(Fault) -> String? {
    guard opened.details[position].mediaType.utf8.starts(with: "audio/".utf8),
      let bytes = try opened.bytes(at: position, limit: Self.soundLimit)
    else { return nil }
    let text = MediaProbe(bytes).facts().lengthText
    return text.isEmpty ? nil : text
  }

  private func write(
    _ contents: [Shown], isRaw: Bool, to out: TextOutput, picture: (Int) throws -> Void
  ) rethrows {
    out.line("\(capsule.title, .bold)")
    let sealed = session.dates.ago(capsule.createdAt, at: now).map { ", \($0)" } ?? ""
    out.line(
      "Sealed \(session.dates.text(capsule.createdAt))\(sealed); unlocked \(session.dates.text(capsule.dueAt))."
    )
    if !capsule.notes.isEmpty {
      out.line()
      out.letter(capsule.notes)
    }
    for (position, content) in contents.enumerated() {
      out.line()
      if let heading = heading(position, content.length) { out.line(heading) }
      if let text = content.text {
        if isRaw {
          out.bytes(Array(text.utf8))
        } else {
          write(text, of: opened.details[position], to: out)
        }
      }
      try picture(position)
    }
  }

  /// Writes a text: the lines of a letter are broken at words on a terminal, those of a table or a program's
  /// source are not.
  private func write(_ text: String, of details: ContentDetails, to out: TextOutput) {
    let type = MediaType(details.mediaType)
    if details.text != nil || type == .plainText || type.description == "text/markdown" {
      out.letter(text)
    } else {
      out.block(text)
    }
  }

  /// The line above a content: its number, name, length and caption. A text without these stands alone.
  private func heading(_ position: Int, _ length: String?) -> StyledText? {
    let (details, number) = (opened.details[position], String(position + 1))
    let caption = details.caption.map { "  \($0)" as StyledText } ?? ""
    if details.text != nil, details.name.isEmpty {
      return details.caption.map { "\(number, .dim)  \($0)" }
    }
    let name = details.name.isEmpty ? "(no name)" : details.nameText
    let facts = ByteSize.text(details.size) + (length.map { "  \($0)" } ?? "")
    return "\(number, .dim)  \(name, .bold)  \(details.mediaType, .dim)  \(facts)\(caption)"
  }
}
