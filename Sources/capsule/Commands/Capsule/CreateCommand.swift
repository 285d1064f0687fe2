import CapsuleCore

/// `capsule create`.
enum CreateCommand {
  static let title = Operand("TITLE", .text, "The title, at most 1 KiB; it stays readable")
  static let unlock = Option(
    "unlock", short: "u", value: "WHEN", .text, "The time from which it can be opened")
  static let notes = Option(
    "notes", value: "TEXT", .text, "Notes about it; they stay readable while it is locked")
  static let tag = RepeatableOption(
    "tag", value: "TAG", .text(completing: .tag), "A tag; it stays readable")
  static let empty = Flag("empty", "Make one that holds nothing yet")
  static let allowPast = Flag("allow-past", "Allow an unlock time in the past, for imports")

  static let command = Command(
    "create", summary: "Make a capsule and seal its contents",
    discussion: """
      The contents are sealed at once, with the standard age format, and stay sealed until the \
      unlock time. Several at once are kept in the order given, and more can be added until the \
      capsule is opened. Where nothing is named, a terminal is offered the editor; elsewhere that is an \
      error, and nothing is read from standard input. `--empty` makes one that holds nothing yet.

      Without an option for the lock it is an honor lock: the contents are sealed to the store's \
      own identity, which lies in the store. It keeps honest people honest, and keeps the words out \
      of `grep`, search indexers and cloud previews, and no more. With `--passphrase` only who knows \
      the passphrase can open it, with `--recipient` only who has one of the identities; both can do \
      so early. With `--timelock` nobody can, not even its owner or this program, as long as the \
      drand network keeps its secret: the lock is sealed to what the network will publish at the \
      unlock time. With a passphrase or recipients besides, both are needed. Whoever is named by \
      `--escrow` can lift the timelock, and only that, at any time.

      With `--trustees` any K of the N holders of a group (`capsule trustees make`) can open it \
      together, as a recipient could alone: early too, by hand. With `--timelock` besides the date \
      opens it to all, or the trustees do before; with `--timelock --and` both are needed, the date \
      and the trustees. Beside `--recipient` the group is one more recipient; beside a passphrase it \
      gets a spare of the key, in the place of the passphrase and never of the date. The setting \
      `trustees` gives every new capsule such a spare that asks for a passphrase or has an honor lock, \
      and says of any other that it has none; `--no-trustees` goes without.

      The title, notes, tags and dates stay readable, and so do the kinds and sizes of the contents. \
      File names, types, captions and texts are sealed.
      """,
    operands: [title, ContentOptions.operand],
    options: [unlock] + ContentOptions.options + [empty, notes, tag, allowPast]
      + PassphraseOptions.newOptions + [KeyOptions.recipient, KeyOptions.recipientsFile]
      + [TimelockOptions.timelock, TimelockOptions.escrow, TimelockOptions.chain]
      + [LockOptions.trustees, LockOptions.noTrustees, LockOptions.and],
    outputs: .json,
    examples: [
      Example(
        "capsule create 'To Mia at 18' --unlock '15 June 2036' letter.txt photo.jpg",
        "Seal a letter and a photo until a day"),
      Example("capsule create Note --unlock 'in 3 months' --text 'It worked.'", "Seal a text"),
      Example(
        "capsule create 'Election bet' --unlock 2028-11-08 --timelock --text 'I said so.'",
        "Seal a text that nobody can open early"),
      Example(
        "capsule create Summer --unlock 2030 photo.jpg --caption 'At the sea' --record",
        "Seal a photo with words to it, and a recording"),
      Example(
        "capsule create Accounts --unlock 2040 --trustees family accounts.pdf",
        "Let two of three people open it together"),
      Example(
        "capsule create Will --unlock 2040 --timelock --trustees family will.pdf",
        "The date opens it, or the trustees do"),
      Example(
        "capsule create Letters --unlock 2040 --timelock --trustees family --and letters.pdf",
        "Only the date and the trustees together open it"),
      Example("tar -c photos | capsule create Photos --unlock 2030 -", "Seal what a pipe brings"),
    ],
    exitCodes: [.notFound, .key, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let title = try invocation[title]
    try RecordFault.check(name: title, .title, of: .capsule)
    // Everything that can be refused is looked at before a store is made.
    var plan = try ContentPlan(invocation)
    let isEmpty = invocation[empty]
    if isEmpty, !plan.isEmpty {
      throw Failure.usage(
        "'--empty' contradicts the contents that are named", hint: "leave one of them out")
    }
    if plan.isEmpty, !isEmpty, !session.isInteractive { try offerEditor(&plan, session) }
    let text = try unlockText(invocation, session)
    let known = try? session.existingStoreQuietly()
    // Before anybody types a passphrase or writes a letter.
    if let known {
      let isNew = known.isNewToDevice
      let recipients = try known.vouchedSealing().recipients
      if isNew {
        session.console.note(
          "This device seals to this store for the first time. The store's key is "
            + "\(recipients.joined(separator: ", ")).")
      }
    }
    let settings = session.storeSettings(known)
    let when = try session.when(
      text, option: "--unlock", requiring: invocation[allowPast] ? .none : .notPast,
      defaultMinutes: settings.timeOfDayMinutes,
      pastHint: "'--allow-past' takes it all the same")
    try ContentSealing.check(plan.files, limit: settings.maxFileSize, in: session.host.files)
    let lock = try LockOptions.request(
      invocation, until: when.instant, in: known, settings, session)
    if !isEmpty { try offerEditor(&plan, session) }
    // A store that is there refuses before anything is written; one that is not is made when there is
    // something to put into it, so that a failed editor leaves none.
    let present = try session.existingStoreQuietly() == nil ? nil : session.storeForChange()
    let (sources, drafts) = try plan.sources(session, in: present)
    let new = NewCapsule(
      title: title, notes: invocation[notes] ?? "", tags: invocation[tag],
      unlockAt: when.instant, unlockZone: when.zone.identifier, lock: lock, sources: sources)
    let isProven = !invocation[ContentOptions.noProof]
    let (capsule, sealedTo) = try drafts.keeping(session) {
      let store = try present ?? session.storeForChange()
      let capsule = try session.sealing { progress throws(CapsuleError) in
        try store.createCapsule(
          new, limit: settings.maxFileSize, now: session.now, isProven: isProven,
          progress: progress)
      }
      session.noteFirstUse(of: store)
      return (capsule, lock.sealedTo(own: store.header.identities.map(\.recipient)))
    }
    return try answer(
      capsule, when, sealedTo, isPostQuantum: settings.sealsPostQuantum, session)
  }

  private static func offerEditor(_ plan: inout ContentPlan, _ session: Session) throws {
    try plan.offerEditor(
      session,
      otherwise:
        "name a file, pass '-' for standard input, or '--empty' to make one that holds nothing")
  }

  private static func unlockText(
    _ invocation: Invocation, _ session: Session
  ) throws -> String {
    if let text = invocation[unlock] { return text }
    let answer = try session.console.ask(
      "Unlock when? ",
      unanswered: .usage(
        "the unlock time is missing",
        hint: "give it: --unlock 2036-06-15, or --unlock 'in 3 months'"))
    guard let text = String(validating: answer, as: UTF8.self) else {
      throw Failure.usage("the unlock time is not text in UTF-8")
    }
    return text
  }

  private static func answer(
    _ capsule: Capsule, _ when: When, _ sealedTo: [SealedTo], isPostQuantum: Bool,
    _ session: Session
  ) throws -> ExitCode {
    let view = CapsuleView(capsule.summary, in: session)
    if !session.isQuiet {
      session.console.note("Unlocks \(session.echo(when, kept: capsule.dueAt))")
      session.console.note(
        StyledText("Sealed to \(SealedTo.words(sealedTo)).")
      )
      if capsule.contents.isEmpty {
        session.console.note("It holds nothing yet; 'capsule add' puts something in.")
      }
      let inside = capsule.lock.timelock.map(\.inner) ?? capsule.lock.kind
      if inside == .recipients, isPostQuantum, capsule.quantumStrength == .readable,
        let words = capsule.quantumWords
      {
        session.console.note(StyledText(words))
        session.console.note("'capsule keygen --pq' makes a key that withstands them.")
      }
    }
    var members = view.members
    members["sealedTo"] = .array(sealedTo.map { .object($0.members) })
    return try session.render(json: .object(members)) { out in
      if session.isQuiet {
        out.line("\(capsule.id.description)")
      } else {
        out.line(
          "Sealed \(view.contentsText) in '\(capsule.title, .bold)' \(capsule.id.description)")
      }
    }
  }
}
