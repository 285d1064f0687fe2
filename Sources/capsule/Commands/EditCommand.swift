import CapsuleCore

/// `capsule edit`.
enum EditCommand {
  static let reference = Parameter.operand(
    "REF", .reference(.capsule), "An id, the start of one, or a title")
  static let title = Parameter.option("title", value: "TITLE", .text, "Change the title")
  static let notes = Parameter.option("notes", value: "TEXT", .text, "Replace the notes")
  static let tag = Parameter.options(
    "tag", value: "TAG", .text(completing: .tag), "Add a tag")
  static let untag = Parameter.options(
    "untag", value: "TAG", .text(completing: .tag), "Remove a tag")
  static let unlock = Parameter.option(
    "unlock", short: "u", value: "WHEN", .text, "Move the unlock time later, never earlier")
  static let trustees = Parameter.option(
    "trustees", value: "TRUSTEES", .reference(.trustees),
    "Give this group a recovery copy of the key (passphrase and honor locks only)")
  static let noTrustees = Parameter.flag("no-trustees", "Remove the recovery copy for trustees")
  static let lockAgain = Parameter.flag(
    "lock-again", "Let a later unlock time lock an opened capsule again")

  static let command = Command(
    "edit", summary: "Change a capsule's title, notes, tags, date or trustees",
    discussion: """
      \(EditSheet.help)

      `--unlock` moves the unlock time later. That cannot be undone, so the command asks first on a \
      terminal; `--yes` answers.

      `--trustees` gives a trustee group a recovery copy of the capsule's key. Any K of its N trustees \
      can then open the capsule: instead of the passphrase, or, with an honor lock, without the store. \
      The date stays the same, and the capsule is not opened.

      Limits of the unlock time:

      - It never moves earlier: anyone who could do that could open the capsule early. The time is \
      sealed inside the lock too, so that a change by hand is noticed.
      - A capsule that was opened is locked again only with `--lock-again`. Nothing can be added to it.

      Limits of the recovery copy:

      - The command needs the capsule's key. It has the key of an honor lock; otherwise it asks for the \
      passphrase. A timelock with a passphrase also needs an escrow's `--identity`, or the beacon.
      - A capsule that is sealed to recipients, or that only its date opens, cannot have a recovery \
      copy.
      - A new group replaces the earlier group. Copies of the capsule that were made before stay open to \
      the earlier group.
      - `--no-trustees` removes the recovery copy. Backups, remotes and other devices keep earlier \
      versions of the capsule, and trustees can still open those.
      """,
    operands: [reference],
    options: [
      title, notes, tag, untag, unlock, trustees, noTrustees, lockAgain, DeleteCommand.yes,
    ]
      + [
        KeyOptions.identity, PassphraseOptions.file, PassphraseOptions.command,
        PassphraseOptions.maximumWorkFactor, TimelockOptions.beacon,
      ], outputs: .json,
    examples: [
      Example(
        "capsule edit 'To Mia at 18' --title 'To Mia at 21' --unlock 2047-06-15",
        "Keep a letter closed for three more years"),
      Example("capsule edit 3f2a --tag family --untag draft", "Replace one tag by another"),
      Example(
        "capsule edit 'To Mia at 18' --trustees family", "Let the trustees open it if you cannot"),
    ],
    exitCodes: [
      .locked, .notFound, .key, .damaged, .busy, .unproven, .version, .refused,
    ],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> Answer {
    try invocation.changing(
      reference, by: [title, notes, tag, untag, unlock, trustees, noTrustees], session
    ) {
      let (store, record) = try session.records.required(Capsule.self, invocation[reference])
      let capsule = record.model
      return (
        store, capsule.id,
        [
          .init(title, .value(capsule.title)), .init(notes, .value(capsule.notes)),
          .init(tag, .words(capsule.tags, removing: untag)),
          .init(unlock, .value(session.dates.written(capsule.unlockAt))),
        ]
      )
    } _: {
      try change($0, session)
    }
  }

  private static func change(_ invocation: Invocation, _ session: Session) throws -> Answer {
    let reference = invocation[reference]
    try invocation.refuse(noTrustees, with: [trustees])
    let store = try session.stores.required(for: reference)
    let record = try session.records.one(Capsule.self, reference, in: store)
    var change = CapsuleChange()
    change.title = invocation[title]
    if let title = change.title { try RecordFault.check(name: title, .title, of: .capsule) }
    change.notes = invocation[notes]
    change.addedTags = invocation[tag]
    change.removedTags = invocation[untag]
    let when = try invocation[unlock].map { text in
      try session.dates.read(
        text, option: "--unlock",
        defaultMinutes: session.stores.settings(of: store).timeOfDayMinutes)
    }
    change.unlock = when.map { ($0.instant, $0.zone.identifier) }
    change.locksAgain = invocation[lockAgain]
    change.dropsSpare = invocation[noTrustees]
    let before = session.dates.text(record.model.dueAt)
    let group = try invocation[trustees].map {
      try session.records.one(TrusteeGroup.self, $0, in: store, intact: true).model
    }
    let capsule: Capsule
    do {
      try change.requireAllowed(on: record.model)
      if let group {
        change.spare = try spare(of: record, for: group, invocation, in: store, session)
      }
      if let when, when.instant > record.model.unlockAt {
        var later = record.model
        later.unlockAt = when.instant
        session.console.note("Unlocks \(before) → \(session.dates.echo(when, kept: later.dueAt))")
        try confirm(
          record.model, from: before, to: session.dates.text(later.dueAt), invocation, session)
      }
      capsule = try store.capsules.change(record, change, now: session.now)
    } catch {
      guard case .neverEarlier(let from, let to)? = (error as? Fault)?.rule else {
        throw error
      }
      throw Fault.neverEarlier(session.dates.text(from), session.dates.text(to), from)
    }
    if change.dropsSpare, record.model.lock.usableSpare != nil {
      session.console.note("The trustees no longer have a recovery copy of this capsule.")
    }
    if let group {
      session.console.note(
        "Any \(group.threshold) of the \(group.shares.count) trustees of '\(group.name)' can open it "
          + "too.")
    }
    return CapsuleKind.kind.answer(
      capsule, isChanged: capsule.revision != record.model.revision, in: store, session
    ) { out, view in
      out.line("Changed '\(capsule.title, .bold)' \(capsule.id.description)")
    }
  }

  /// Makes the spare of a capsule's key; nothing is opened for it.
  private static func spare(
    of record: StoredRecord<Capsule>, for group: TrusteeGroup, _ invocation: Invocation,
    in store: Store, _ session: Session
  ) throws -> TrusteeSpare {
    if group.leftCount < group.threshold { session.records.warn(of: group) }
    let keys = InteractiveKeys(
      session: session, invocation: invocation,
      question: "Passphrase of '\(record.model.title)': ")
    let trustees = try store.trust.vouched(group)
    do {
      var opening = try CapsuleOpening(record, in: store)
      return try opening.spare(
        to: trustees, with: keys,
        beacons: BeaconSearch(session: session, invocation: invocation))
    } catch {
      throw Fault(error, opening: record.model, in: store, session)
    }
  }

  /// Asks before an unlock time moves, which nothing undoes, where somebody sits at the terminal.
  private static func confirm(
    _ capsule: Capsule, from old: String, to new: String, _ invocation: Invocation,
    _ session: Session
  ) throws {
    guard !invocation[DeleteCommand.yes], session.ask.isInteractive else { return }
    let action =
      capsule.openedAt == nil
      ? "Lock '\(capsule.title)'" : "Lock the opened '\(capsule.title)' again"
    try session.ask.confirm(
      "\(action) until \(new) instead of \(old)? This cannot be undone.", unless: false)
  }
}
