import CapsuleCore

/// `capsule item log`.
enum ItemLogCommand {
  static let when = Option(
    "when", short: "w", value: "WHEN", .text, default: "now", "When it happened")
  static let value = Option("value", value: "N", .text, "A number that belongs to it, kept exactly")
  static let notes = Option("notes", value: "TEXT", .text, "Notes about it")

  static let command = Command(
    "item", "log", summary: "Say that it happened, now or before",
    discussion: """
      The past is meant: `--when friday` is the last one. A reminder that counts from the last \
      entry starts anew.
      """,
    operands: [ItemOptions.reference], options: [when, value, notes], outputs: .json,
    examples: [
      Example("capsule item log 'Water filter'", "It was done just now"),
      Example("capsule item log Weight --value 71.4 --when yesterday", "Note a number"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = try invocation[ItemOptions.reference]
    var at = session.now
    if let text = invocation[when] {
      let when = try session.when(
        text, option: "--when", preferring: .past, requiring: .notFuture)
      at = when.instant
      if !session.isQuiet { session.console.note("At \(session.echo(when))") }
    }
    let value = try invocation[value].map { text in
      try ItemOptions.decimal(text, option: "--value")
    }
    let entry = HistoryEntry(at: at, value: value, notes: invocation[notes] ?? "")
    let store = try session.requiredStore(for: reference, among: [.item])
    let item = try session.change(Item.self, reference, in: store) { item, _ in item.log(entry) }
    let settings = session.storeSettings(store)
    return try session.answer(item) { out, view in
      out.line(
        "Logged '\(view.nameText)', \(session.relative(.instant(at), at: session.now, settings))")
      if let dueAt = view.dueAt {
        session.console.note("Due again \(session.dateTime(dueAt)).")
      }
    }
  }
}

/// `capsule item unlog`.
enum ItemUnlogCommand {
  static let entry = OptionalOperand(
    "ENTRY", .integer(1...), "The entry's number in `item history`; the last one if none")

  static let command = Command(
    "item", "unlog", summary: "Take an entry out of a history, for good",
    operands: [ItemOptions.reference, entry], options: [DeleteCommand.yes], outputs: .json,
    examples: [Example("capsule item unlog 'Water filter' --yes", "It did not happen after all")],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = try invocation[ItemOptions.reference]
    var (store, record) = try session.requiredRecord(Item.self, reference, intact: true)
    let history = record.model.history
    let number = invocation[entry] ?? history.count
    guard (1...max(1, history.count)).contains(number), !history.isEmpty else {
      throw Failure(
        .notFound, "'\(record.model.name)' has no entry \(max(1, number))",
        hint: "'capsule item history ITEM' lists them")
    }
    let taken = history[number - 1]
    try session.confirm(
      "Take the entry of \(session.dateTime(taken.at)) away for good?",
      unless: invocation[DeleteCommand.yes])
    record.model.unlog(number - 1)
    record = try store.update(record, now: session.now, forgetsOlder: true)
    return try session.answer(record.model) { out, view in
      out.line("Took away \(session.dateTime(taken.at)) from '\(view.nameText)'")
    }
  }
}
