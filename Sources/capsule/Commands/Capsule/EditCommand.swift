import CapsuleCore

/// `capsule edit`.
enum EditCommand {
  static let reference = Operand(
    "REF", .reference(.capsule), "An id, the start of one, or a title")
  static let title = Option("title", value: "TITLE", .text, "Give it another title")
  static let notes = Option("notes", value: "TEXT", .text, "Give it other notes")
  static let tag = RepeatableOption(
    "tag", value: "TAG", .text(completing: .tag), "Add a tag")
  static let untag = RepeatableOption(
    "untag", value: "TAG", .text(completing: .tag), "Take a tag away")
  static let unlock = Option(
    "unlock", short: "u", value: "WHEN", .text, "Move the unlock time later, never earlier")
  static let lockAgain = Flag(
    "lock-again", "Let a later unlock time lock a capsule that was opened")

  static let command = Command(
    "edit", summary: "Change a capsule's title, notes, tags or unlock time",
    discussion: """
      The unlock time can only move later. Whoever could move it earlier could open the capsule \
      early; it is sealed inside the lock too, so that a change by hand is noticed. Because it cannot be \
      undone, a later time is asked about on a terminal; `--yes` answers.

      A capsule that was opened is locked again only with `--lock-again`. It stays one that was opened: \
      nothing can be added to it.
      """,
    operands: [reference],
    options: [title, notes, tag, untag, unlock, lockAgain, DeleteCommand.yes], outputs: .json,
    examples: [
      Example("capsule edit 3f2a --title 'To Mia at 21' --unlock 2039-06-15", "Wait longer"),
      Example("capsule edit 3f2a --tag family --untag draft", "Change the tags"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = try invocation[reference]
    let options: [any OptionDeclaration] = [title, notes, tag, untag, unlock]
    guard options.contains(where: { invocation.has($0) }) else {
      throw Failure.usage(
        "nothing is named to be changed", hint: "'capsule help edit' shows what can be")
    }
    let store = try session.requiredStore(for: reference)
    let record = try session.capsule(reference, in: store)
    var change = CapsuleChange()
    change.title = invocation[title]
    if let title = change.title { try RecordFault.check(name: title, .title, of: .capsule) }
    change.notes = invocation[notes]
    change.addedTags = invocation[tag]
    change.removedTags = invocation[untag]
    let when = try invocation[unlock].map { text in
      try session.when(
        text, option: "--unlock", defaultMinutes: session.storeSettings(store).timeOfDayMinutes)
    }
    change.unlock = when.map { ($0.instant, $0.zone.identifier) }
    change.locksAgain = invocation[lockAgain]
    let before = session.dateTime(record.model.unlockAt)
    let capsule: Capsule
    do {
      try change.requireAllowed(on: record.model)
      if let when, when.instant > record.model.unlockAt {
        session.console.note("Unlocks \(before) → \(session.echo(when))")
        try confirm(
          record.model, from: before, to: session.dateTime(when.instant), invocation, session)
      }
      capsule = try store.change(record, change, now: session.now)
    } catch {
      guard case .forbidden(.neverEarlier(let from, let to), _) = Self.storeError(error) else {
        throw error
      }
      throw Failure.neverEarlier(session.dateTime(from), session.dateTime(to), from)
    }
    return try tell(capsule, isChanged: capsule.revision != record.model.revision, session)
  }

  /// Asks before an unlock time moves, which nothing undoes, where somebody sits at the terminal.
  private static func confirm(
    _ capsule: Capsule, from old: String, to new: String, _ invocation: Invocation,
    _ session: Session
  ) throws {
    guard !invocation[DeleteCommand.yes], session.isInteractive else { return }
    let action =
      capsule.openedAt == nil
      ? "Lock '\(capsule.title)'" : "Lock the opened '\(capsule.title)' again"
    try session.confirm(
      "\(action) until \(new) instead of \(old)? It cannot be undone.", unless: false)
  }

  private static func storeError(_ error: any Error) -> StoreError? {
    if case .store(let error)? = error as? CapsuleError { return error }
    return error as? StoreError
  }

  private static func tell(
    _ capsule: Capsule, isChanged: Bool, _ session: Session
  ) throws -> ExitCode {
    let view = CapsuleView(capsule.summary, in: session)
    if !isChanged { session.console.note("Nothing changed.") }
    return try session.render(json: .object(ShowCommand.members(capsule, view, session))) { out in
      if session.isQuiet {
        out.line("\(capsule.id.description)")
      } else if isChanged {
        out.line("Changed '\(capsule.title, .bold)' \(capsule.id.description)")
      }
    }
  }
}
