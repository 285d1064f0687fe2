import CapsuleCore

/// The last look before a capsule is sealed: what is in it, until when, and by which lock. Everything can still be
/// changed there, and nothing afterwards.
struct ComposeScreen {
  private let session: Session
  private var draft: CapsuleDraft
  /// The texts that lie in files of the editor, until they are sealed.
  private var files: [PrivateFile]
  /// Where it is kept, and by which name; `nil` while it is not.
  private var place: (drafts: KeptDrafts, name: String)?

  /// - Parameter place: where the draft is kept already.
  init(
    _ session: Session, _ draft: CapsuleDraft, files: [PrivateFile] = [],
    keptAt place: (drafts: KeptDrafts, name: String)? = nil
  ) {
    (self.session, self.draft, self.files, self.place) = (session, draft, files, place)
  }

  /// The question, with the answer that an empty line gives first.
  private static let question =
    "[Y]es, seal it, [e]dit, [t]itle, [d]ate, [a]dd a file, [l]ock, [q]uit and keep the draft: "

  /// Shows it until the capsule is sealed, or left.
  mutating func run() throws -> Answer {
    do {
      while true {
        // Whatever ends it from here on, what was typed is not lost.
        if keep() != nil { dropFiles() }
        if draft.unlock == nil {
          try askDate()
          _ = keep()
        }
        show()
        let answer = try word(Self.question).lowercased()
        switch answer.first {
        case nil, "y": if let answer = try seal() { return answer }
        case "e": try edit()
        case "t": try askTitle()
        case "d": try askDate()
        case "a": try addFile()
        case "l": try askLock()
        case "q": return try quit()
        default: session.console.note("Answer with one of the letters.")
        }
      }
    } catch {
      if let until = keep() {
        dropFiles()
        note(until)
      } else {
        for file in files { file.nameKept(session) }
      }
      throw error
    }
  }

  /// The words of an answer; the end of the input ends the screen.
  private func word(_ question: String) throws -> String {
    let answer = try session.ask.line(
      question, unanswered: .usage("no answer", hint: "name everything in the command"),
      ended: .canceled())
    return String(decoding: answer, as: UTF8.self).trimmed
  }

  private func show() {
    let err = session.console.err
    err.line()
    err.line("\("Title", .dim)    \(draft.title, .bold)")
    for (number, part) in draft.parts.enumerated() {
      err.line("\(number == 0 ? "Inside" : "      ", .dim)   \(words(of: part))")
    }
    if draft.parts.isEmpty { err.line("\("Inside", .dim)   nothing") }
    if let when = try? when() {
      let end = session.dates.text(when.instant)
      err.line("\("Unlocks", .dim)  \(end), \(session.dates.relative(when.instant))")
    }
    err.line("\("Lock", .dim)     \(lockWords)")
    try? err.flush()
  }

  private func words(of part: CapsuleDraft.Part) -> String {
    let caption = part.caption.map { " (\($0))" } ?? ""
    switch part {
    case .text(let text, _):
      let lines = text.split(whereSeparator: \.isNewline).count
      return "a text of \(String.counting(lines, "line")): '\(text.firstLine.prefix(40))'\(caption)"
    case .file(let path, _): return path.text + caption
    }
  }

  private func has(_ option: any ParameterDeclaration) -> Bool {
    let words = [Array("--\(option.name)".utf8), Array("--\(option.name)=".utf8)]
    return draft.options.contains { $0 == words[0] || $0.starts(with: words[1]) }
  }

  /// The lock in one plain sentence.
  private var lockWords: String {
    var ways: [String] = []
    if has(PassphraseOptions.ask) || has(PassphraseOptions.file) || has(PassphraseOptions.command)
      || has(PassphraseOptions.generate)
    {
      ways.append("a passphrase opens it, early too")
    }
    if has(KeyOptions.recipient) || has(KeyOptions.recipientsFile) {
      ways.append("the named keys open it, early too")
    }
    if has(TimelockOptions.timelock) {
      return ways.isEmpty
        ? "nobody can open it early, not even you"
        : "nobody can open it early; from the date on, it needs the key or passphrase as well"
    }
    if has(LockOptions.trustees) { ways.append("enough trustees together open it, early too") }
    return ways.isEmpty
      ? "the key is kept in the store: a promise to yourself" : ways.joined(separator: "; ")
  }

  private func when() throws -> When {
    let settings = session.stores.settings(of: try? session.stores.existingQuietly())
    return try session.dates.read(
      draft.unlock ?? "", option: "--unlock",
      requiring: has(CreateCommand.allowPast) ? .none : .notPast,
      defaultMinutes: settings.timeOfDayMinutes, pastHint: "choose a later time")
  }

  // MARK: Changes

  /// Seals it; a mistake in what was typed is shown, and can be put right.
  ///
  /// - Returns: `nil` where something is to be put right.
  private mutating func seal() throws -> Answer? {
    do {
      guard case .run(_, let invocation) = try Parser(.capsule).parse(draft.words) else {
        return nil
      }
      session.beginOperation("create")
      let answer = try CreateCommand.seal(invocation, session)
      dropFiles()
      if let place { place.drafts.remove(place.name) }
      return answer
    } catch let fault as Fault where [.usage, .notFound, .refused].contains(fault.kind) {
      guard fault.code != .canceled else { throw fault }
      session.console.report(fault)
      return nil
    }
  }

  private mutating func askTitle() throws {
    let title = try word("Title: ")
    do {
      try RecordFault.check(name: title, .title, of: .capsule)
      draft.title = title
    } catch {
      session.console.report(error)
    }
  }

  private mutating func askDate() throws {
    let former = draft.unlock
    while true {
      let text = try word("Unlock when? ")
      if text.isEmpty, former != nil { return }
      draft.unlock = text
      do {
        _ = try when()
        return
      } catch {
        draft.unlock = former
        session.console.report(error)
      }
    }
  }

  private mutating func edit() throws {
    let place = draft.parts.firstIndex { if case .text = $0 { true } else { false } }
    var beginning = ""
    if let place, case .text(let text, _) = draft.parts[place] { beginning = text }
    let store = try? session.stores.existingQuietly()
    do {
      let written = try EditorText.write(session, beginning: beginning, in: store)
      dropFiles()
      files = [written.draft]
      let part = CapsuleDraft.Part.text(
        written.text, caption: place.flatMap { draft.parts[$0].caption })
      if let place { draft.parts[place] = part } else { draft.parts.append(part) }
    } catch let fault as Fault where fault.code != .canceled {
      session.console.report(fault)
    }
  }

  private mutating func addFile() throws {
    let text = try word("File: ")
    guard !text.isEmpty else { return }
    let home = session.environment.text("HOME") ?? ""
    let path = try session.files.input(
      FilePath(text.hasPrefix("~/") ? home + text.dropFirst() : text))
    do {
      let settings = session.stores.settings(of: try? session.stores.existingQuietly())
      try ContentSealing.check(
        [ContentSource(.file(path))], limit: settings.maxFileSize, in: session.host.files)
      draft.parts.append(.file(path, caption: nil))
    } catch {
      session.console.report(error)
    }
  }

  /// Asks for one of the locks that need no further words; others are options of the command.
  private mutating func askLock() throws {
    let answer = try word(
      "Lock: [h]onor, the key is kept in the store; [p]assphrase; [t]imelock, nobody opens it early: "
    )
    let word: String?
    switch answer.lowercased().first {
    case "h": word = nil
    case "p": word = "--\(PassphraseOptions.ask.name)"
    case "t": word = "--\(TimelockOptions.timelock.name)"
    default: return
    }
    let locks = CreateCommand.lockOptions.map { Array("--\($0.name)".utf8) }
    draft.options.removeAll { option in
      locks.contains { option == $0 || option.starts(with: $0 + [UInt8(ascii: "=")]) }
    }
    if let word { draft.options.append(Array(word.utf8)) }
  }

  // MARK: Leaving

  /// Keeps what was typed, for `create --resume`; a courtesy.
  private mutating func keep() -> Instant? {
    if place == nil {
      let drafts = KeptDrafts(session, try? session.stores.existingQuietly())
      place = drafts.newName().map { (drafts, $0) }
    }
    return place.flatMap {
      $0.drafts.keep(draft, as: $0.name, seconds: KeptDrafts.unfinishedSeconds)
    }
  }

  private mutating func dropFiles() {
    for file in files { file.remove() }
    files = []
  }

  private func note(_ until: Instant) {
    session.console.note(
      "Nothing was sealed. Until \(session.dates.text(until)), go on with: capsule create --resume")
  }

  private mutating func quit() throws -> Answer {
    guard let until = keep() else {
      guard let file = files.first else {
        throw Fault(
          .refused, "nothing was sealed, and the draft cannot be kept",
          hint: "set XDG_RUNTIME_DIR to a directory that you own, with mode 0700")
      }
      let title = draft.title.shellWord
      throw Fault(
        .refused, "nothing was sealed",
        hint: "seal the draft later: capsule create \(title) \(file.path.text.shellWord)")
    }
    dropFiles()
    note(until)
    return .ended(.refused)
  }
}
