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

  static let command = Command(
    "edit", summary: "Change a capsule's title, notes, tags or unlock time",
    discussion: """
      The unlock time can only move later. Whoever could move it earlier could open the capsule \
      early; it is sealed inside the lock too, so that a change by hand is noticed.
      """,
    operands: [reference], options: [title, notes, tag, untag, unlock], outputs: .json,
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
    var record = try session.capsule(reference, in: store)
    try store.requireIntact(record)
    let before = record.model
    if let title = invocation[title] {
      try RecordFault.check(name: title, .title, of: .capsule)
      record.model.title = title
    }
    if let notes = invocation[notes] { record.model.notes = notes }
    let untagged = invocation[untag].map { NameKey($0) }
    record.model.tags = (before.tags + invocation[tag]).unique.filter {
      !untagged.contains(NameKey($0))
    }
    if let text = invocation[unlock] { try move(&record.model, to: text, session, store) }
    guard record.model != before else {
      session.console.note("Nothing changed.")
      return try tell(before, session)
    }
    let capsule = try store.update(record, now: session.now).model
    return try tell(capsule, session)
  }

  private static func move(
    _ capsule: inout Capsule, to text: String, _ session: Session, _ store: Store
  ) throws {
    let minutes = session.storeSettings(store).timeOfDayMinutes
    let when = try session.when(text, option: "--unlock", defaultMinutes: minutes)
    guard when.instant >= capsule.unlockAt else {
      throw Failure(
        .refused,
        "the unlock time cannot move earlier: it is \(session.dateTime(capsule.unlockAt)), "
          + "and \(session.dateTime(when.instant)) is before",
        hint: "a capsule opens no earlier than it was promised; only later",
        details: ["unlockAt": .string(capsule.unlockAt.rfc3339)])
    }
    capsule.unlockAt = when.instant
    capsule.unlockZone = when.zone.identifier
    session.console.note("Unlocks \(StyledText(session.echo(when)))")
  }

  private static func tell(_ capsule: Capsule, _ session: Session) throws -> ExitCode {
    let view = CapsuleView(capsule.summary, in: session)
    return try session.render(json: .object(ShowCommand.members(capsule, view, session))) { out in
      if session.isQuiet {
        out.line("\(capsule.id.description)")
      } else {
        out.line("Changed '\(capsule.title, .bold)' \(capsule.id.description)")
      }
    }
  }
}
