import CapsuleCore

/// `capsule create`.
enum CreateCommand {
  static let title = Parameter.optionalOperand(
    "TITLE", .text, "The title, at most 1 KiB; it is not encrypted")
  static let unlock = Parameter.option(
    "unlock", short: "u", value: "WHEN", .text, "When the capsule can be opened")
  static let notes = Parameter.option(
    "notes", value: "TEXT", .text, "Notes; they are not encrypted")
  static let tag = Parameter.options(
    "tag", value: "TAG", .text(completing: .tag), "A tag; it is not encrypted")
  static let empty = Parameter.flag("empty", "Create the capsule without contents")
  static let allowPast = Parameter.flag(
    "allow-past", "Allow an unlock time in the past, for imports")
  static let resume = Parameter.flag("resume", "Go on with the draft that you left")

  /// The options that make the lock.
  static let lockOptions: Parameters =
    PassphraseOptions.newOptions + [KeyOptions.recipient, KeyOptions.recipientsFile]
    + [TimelockOptions.timelock, TimelockOptions.escrow, TimelockOptions.chain]
    + [LockOptions.trustees, LockOptions.noTrustees, LockOptions.and]

  static let command = Command(
    "create", summary: "Create a capsule and seal its contents until a date",
    discussion: """
      The contents are sealed (encrypted) at once, in the standard age format, and stay sealed until the \
      unlock time. Several parts keep the order given. You can add more until the capsule is first \
      opened.

      If you give no contents, the command offers an editor on a terminal. Elsewhere that is an error, \
      and standard input is not read. `--empty` creates a capsule without contents.

      At a terminal, a text from the editor and a date that the command asked for are shown once more \
      before anything is sealed. You can still change everything there, or quit and keep the draft for a \
      day: `--resume` continues it. For 15 minutes after sealing (the setting `undoWindow`), `capsule \
      undo` gives you the draft again.

      The lock decides who can open the capsule:

      - Honor lock, the default: the key is kept in the store. It keeps honest people honest, and keeps \
      your words out of `grep`, search indexes and cloud previews. It does not protect them from anyone \
      who has the store.
      - `--passphrase`: only someone who knows the passphrase can open it, early too.
      - `--recipient`: only someone who has one of the identities (secret keys) can open it, early too.
      - `--timelock`: nobody can open it early, not even you or this program, as long as the drand \
      network keeps its secret. The lock needs what the network publishes at the unlock time. With a \
      passphrase or recipients as well, both are needed. The owner of an `--escrow` key can lift the \
      timelock at any time, but nothing else.
      - `--trustees`: any K of the N holders of a group (`capsule trustees make`) can open it together, \
      early too, by hand.

      Trustees work together with other locks:

      - With `--timelock`, the date opens the capsule for everyone, or the trustees open it before.
      - With `--timelock --and`, both the date and the trustees are needed.
      - With `--recipient`, the group is one more recipient.
      - With a passphrase, the group gets a recovery copy of the key. The copy replaces the passphrase, \
      but never the date.

      The setting `trustees` gives a recovery copy to each new capsule with a passphrase or an honor \
      lock. For any other lock, `create` reports that there is none. `--no-trustees` skips the copy.

      The title, notes, tags and dates are not encrypted, nor are the kinds and sizes of the contents. \
      File names, types, captions and texts are encrypted.
      """,
    operands: [title, ContentOptions.operand],
    options: [unlock] + ContentOptions.options + [empty, notes, tag, allowPast, resume]
      + lockOptions,
    outputs: .json,
    examples: [
      Example(
        "capsule create 'To Mia at 18' --unlock '15 June 2044' letter.txt photo.jpg",
        "Seal a letter and a photo until Mia turns 18"),
      Example(
        "capsule create 'To myself' --unlock 'in 3 months' --text 'It worked.'",
        "Write a short text to yourself"),
      Example(
        "capsule create 'Election bet' --unlock 2028-11-08 --timelock --text 'I said so.'",
        "Seal a bet that nobody can open early"),
      Example(
        "capsule create 'Summer 2026' --unlock 2030 photo.jpg --caption 'At the sea' --record",
        "Seal a photo with a caption, and a sound recording"),
      Example(
        "capsule create Accounts --unlock 2040 --trustees family accounts.pdf",
        "Let two of three trustees open a capsule together"),
      Example(
        "capsule create Will --unlock 2040 --timelock --trustees family will.pdf",
        "Seal a will until a date, or until the trustees open it"),
      Example(
        "capsule create Letters --unlock 2040 --timelock --trustees family --and letters.pdf",
        "Seal letters that need both the date and the trustees"),
      Example(
        "tar -c photos | capsule create Photos --unlock 2030 -",
        "Seal the output of another program"),
    ],
    exitCodes: [.notFound, .key, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    if invocation[resume] { return try goOn(invocation, session) }
    var invocation = invocation
    var isAsked = invocation[title] == nil
    let title = try invocation[title] ?? askTitle(session)
    if isAsked { invocation.set(Self.title, to: title) }
    try RecordFault.check(name: title, .title, of: .capsule)
    if try takeDate(&invocation, session) { isAsked = true }
    var plan = try ContentPlan(invocation)
    if try session.stores.existingQuietly() == nil { try session.stores.requireMayCreate() }
    guard session.ask.isInteractive, session.options.form == .text,
      isAsked || plan.isComposed || plan.isEmpty && !invocation[empty]
        || invocation[unlock] == nil, let draft = try plan.composed(invocation, title, session)
    else { return try seal(invocation, session) }
    var screen = ComposeScreen(session, draft.draft, files: draft.files)
    return try screen.run()
  }

  private static func askTitle(_ session: Session) throws -> String {
    let unanswered = Fault(UsageProblem.operandMissing(title.name, command: "create"))
    guard session.ask.isInteractive, session.options.form == .text else { throw unanswered }
    return try session.ask.until("Title? ", unanswered: unanswered) { title in
      try RecordFault.check(name: title, .title, of: .capsule)
      return title
    }
  }

  /// Takes the only content for the unlock time, where it reads as a date, names no file, and is meant so.
  ///
  /// - Returns: whether it was asked.
  private static func takeDate(
    _ invocation: inout Invocation, _ session: Session
  ) throws -> Bool {
    let words = invocation[ContentOptions.operand]
    guard invocation[unlock] == nil, words.count == 1, let path = words.first,
      let text = String(validating: path.bytes, as: UTF8.self),
      (try? session.host.files.statusIfPresent(path)) == nil,
      (try? session.dates.read(text, option: "--unlock")) != nil
    else { return false }
    let missing = Fault.usage(
      "no unlock time given", hint: "give the date by its option: --unlock \(text.shellWord)")
    guard session.ask.isInteractive, session.options.form == .text else { throw missing }
    let isDate = try session.ask.isYes(
      "Unlock the capsule at '\(text)'?", isYesByDefault: true, unanswered: missing,
      ended: .canceled())
    if isDate { invocation.take(ContentOptions.operand, as: unlock) }
    return true
  }

  /// Goes on with the draft that was left.
  private static func goOn(_ invocation: Invocation, _ session: Session) throws -> Answer {
    guard session.ask.isInteractive else {
      throw Fault.usage("'--resume' needs a terminal", hint: "name everything in the command")
    }
    // Before there is a store they lie beside those of the stores.
    let first = KeptDrafts(session, nil)
    first.sweep()
    let places =
      (try session.stores.existingQuietly().map { [KeptDrafts(session, $0)] } ?? []) + [first]
    let left = places.flatMap { drafts in
      drafts.left().map { (drafts: drafts, name: $0.name, draft: $0.draft) }
    }
    guard var chosen = left.first else {
      throw Fault(
        .notFound, "no draft is kept", hint: "a draft stays for a day, and goes with a logout")
    }
    if left.count > 1 {
      for (place, kept) in left.enumerated() {
        session.console.err.line("\(String(place + 1), .cyan)  \(kept.draft.title, .bold)")
      }
      try session.console.err.flush()
      chosen = try session.ask.until(
        "Which draft? Number: ",
        unanswered: .usage("no draft chosen", hint: "answer with its number")
      ) { answer in
        guard let number = Int(answer), left.indices.contains(number - 1) else {
          throw Fault.usage("there is no draft \(answer.shortened)", hint: "answer with its number")
        }
        return left[number - 1]
      }
    }
    var screen = ComposeScreen(session, chosen.draft, keptAt: (chosen.drafts, chosen.name))
    return try screen.run()
  }

  /// Seals a capsule of what the command line names.
  static func seal(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let title = invocation[title] ?? ""
    try RecordFault.check(name: title, .title, of: .capsule)
    // Everything that can be refused is looked at before a store is made.
    var plan = try ContentPlan(invocation)
    let isEmpty = invocation[empty]
    if isEmpty, !plan.isEmpty, !plan.isOnlyInput {
      throw Fault.usage(
        "'--empty' and contents cannot be given together", hint: "leave out one of the two")
    }
    if plan.isEmpty, !isEmpty, !session.ask.isInteractive { try offerEditor(&plan, session) }
    let known = try? session.stores.existingQuietly()
    // Before anybody types a passphrase or writes a letter.
    if let known {
      let isNew = known.trust.isNewToDevice
      let recipients = try known.trust.sealing().recipients
      if isNew {
        session.console.note(
          "First use of this store on this device. The key of the store is "
            + "\(recipients.joined(separator: ", ")).")
      }
    }
    let settings = session.stores.settings(of: known)
    let when = try unlockTime(invocation, settings, session)
    try ContentSealing.check(plan.files, limit: settings.maxFileSize, in: session.host.files)
    plan.warnOfEncodings(session)
    let lock = try LockOptions.request(
      invocation, until: when.instant, in: known, settings, session)
    if !isEmpty { try offerEditor(&plan, session) }
    // A store that is there refuses before anything is written; one that is not is made when there is
    // something to put into it, so that a failed editor leaves none.
    let present = try session.stores.existingQuietly() == nil ? nil : session.stores.forChange()
    let (sources, drafts, typed) = try plan.sources(session, in: present, allowsEmpty: isEmpty)
    let new = NewCapsule(
      title: title, notes: invocation[notes] ?? "", tags: invocation[tag],
      unlockAt: when.instant, unlockZone: when.zone.identifier, lock: lock, sources: sources)
    let isProven = !invocation[ContentOptions.noProof]
    let (capsule, sealedTo) = try drafts.keeping(session) {
      let store = try present ?? session.stores.forChange()
      let progress = session.console.progress("Sealing")
      defer { progress.end() }
      let capsule = try store.capsules.create(
        new, limit: settings.maxFileSize, now: session.now, isProven: isProven,
        progress: progress.update)
      session.stores.noteFirstUse(of: store)
      return (capsule, lock.sealedTo(own: store.header.identities.map(\.recipient)))
    }
    let draft = CapsuleDraft(
      title: title, unlock: session.dates.typed(when), options: invocation.draftOptions,
      parts: typed.compactMap { $0() })
    let kept = KeptDrafts.keep(draft, of: capsule.id, settings, session)
    return answer(
      capsule, when, sealedTo, isPostQuantum: settings.sealsPostQuantum, draft: kept, session)
  }

  static func offerEditor(_ plan: inout ContentPlan, _ session: Session) throws {
    try plan.offerEditor(
      session,
      otherwise:
        "name a file, use --text TEXT, or - for standard input; or create an empty capsule: --empty"
    )
  }

  private static func unlockTime(
    _ invocation: Invocation, _ settings: StoreSettings, _ session: Session
  ) throws -> When {
    func read(_ text: String) throws -> When {
      try session.dates.read(
        text, option: "--unlock", requiring: invocation[allowPast] ? .none : .notPast,
        defaultMinutes: settings.timeOfDayMinutes,
        pastHint: "create the capsule all the same: --allow-past")
    }
    if let text = invocation[unlock] { return try read(text) }
    return try session.ask.until(
      "Unlock when? ",
      unanswered: .usage(
        "no unlock time given",
        hint: "add one: --unlock 2036-06-15, or --unlock 'in 3 months'"), read: read)
  }

  private static func answer(
    _ capsule: Capsule, _ when: When, _ sealedTo: [SealedTo], isPostQuantum: Bool,
    draft until: Instant?, _ session: Session
  ) -> Answer {
    let view = CapsuleView(capsule.brief, in: session)
    session.console.note("Unlocks \(session.dates.echo(when, kept: capsule.dueAt))")
    session.console.note(StyledText("Sealed to \(SealedTo.words(sealedTo))."))
    if capsule.contents.isEmpty {
      session.console.note("The capsule is empty. Add something: capsule add")
    }
    let inside = capsule.lock.timelock.map(\.inner) ?? capsule.lock.kind
    if inside == .recipients, isPostQuantum, capsule.quantumStrength == .readable,
      let words = capsule.quantumWords
    {
      session.console.note(StyledText(words))
      if !sealedTo.contains(where: { $0.trustees != nil }) {
        session.console.note("Make a post-quantum key: capsule keygen --pq")
      }
    }
    if let until { KeptDrafts.note(until, session) }
    var members = view.members
    members["sealedTo"] = sealedTo.map(\.members).json
    return Answer(members, quiet: .id(capsule.id)) {
      $0.line("Sealed \(view.contentsText) in '\(capsule.title, .bold)' \(capsule.id.description)")
    }
  }
}

/// `capsule add`.
enum AddCommand {
  static let reference = Parameter.operand(
    "REF", .reference(.capsule), "An id, the start of one, or a title")

  static let acceptRecipient = Parameter.flag(
    "accept-recipient",
    "Seal to the recipient in the record, even if this device knows another")

  static let command = Command(
    "add", summary: "Add files or texts to a capsule",
    discussion: """
      The new parts are sealed (encrypted) at once, to the capsule's own recipient. The capsule stays \
      closed, and you need no passphrase.

      - After the first opening, nothing can be added.
      - This machine remembers the recipient of each capsule that it created or added to. If the record \
      now has another recipient, somebody may have inserted their own. `add` then refuses with exit \
      status 7.
      """,
    operands: [reference, ContentOptions.operand],
    options: ContentOptions.options + [acceptRecipient],
    outputs: .json,
    examples: [
      Example("capsule add 'To Mia at 18' drawing.png", "Add a drawing to a letter"),
      Example("capsule add 3f2a --edit", "Write one more text in the editor"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let reference = invocation[reference]
    var plan = try ContentPlan(invocation)
    try plan.offerEditor(
      session, otherwise: "name a file, or give '--text TEXT', '--edit', or '-' for standard input")
    let store = try session.stores.required(for: reference)
    let record = try session.records.one(Capsule.self, reference, in: store)
    try record.model.requireUnopened()
    let settings = session.stores.settings(of: store)
    plan.warnOfEncodings(session)
    let (sources, drafts, typed) = try plan.sources(session, in: store)
    let accepts = invocation[acceptRecipient]
    let isProven = !invocation[ContentOptions.noProof]
    let capsule = try drafts.keeping(session) {
      let progress = session.console.progress("Sealing")
      defer { progress.end() }
      return try store.capsules.add(
        sources, to: record, limit: settings.maxFileSize, now: session.now,
        acceptsRecipient: accepts, isProven: isProven, progress: progress.update)
    }
    let draft = CapsuleDraft(
      title: capsule.title, unlock: nil, options: [], parts: typed.compactMap { $0() })
    if let until = KeptDrafts.keep(draft, of: capsule.id, settings, session) {
      KeptDrafts.note(until, session)
    }
    let view = CapsuleView(capsule.brief, in: session)
    return Answer(view.members(of: capsule), quiet: .id(capsule.id)) {
      $0.line(
        "Added \(String.counting(sources.count, "content")) to '\(capsule.title, .bold)', which holds \(view.contentsText) now: \(capsule.id.description)"
      )
    }
  }
}

extension Invocation {
  /// The words of a command line that a draft of its capsule keeps, besides the title, the date and the contents.
  var draftOptions: [[UInt8]] {
    let kept =
      (CreateCommand.lockOptions + [
        CreateCommand.notes, CreateCommand.tag, CreateCommand.allowPast, ContentOptions.noProof,
      ]).map(\.name)
    return arguments.compactMap { argument in
      switch argument {
      case .flag(let name) where kept.contains(name): Array("--\(name)".utf8)
      case .option(let name, let value) where kept.contains(name):
        Array("--\(name)=".utf8) + value
      default: nil
      }
    }
  }
}
