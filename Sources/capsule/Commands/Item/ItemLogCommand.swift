import CapsuleCore

/// `capsule item log`.
enum ItemLogCommand {
  static let when = Parameter.option(
    "when", value: "WHEN", .text, otherwise: "now", formerly: "w", "When it happened")
  static let value = Parameter.option(
    "value", value: "N", .text, "A number for the entry, stored exactly")
  static let notes = Parameter.option("notes", value: "TEXT", .text, "Notes about the entry")
  static let replace = Parameter.option(
    "replace", value: "ENTRY", .integer(1...),
    "Correct the entry with this number in `item history`; what you leave out stays")

  static let command = Command(
    "item", "log", summary: "Log that something was done, now or earlier",
    discussion: """
      A new entry restarts a reminder that counts from the last entry. Times are in the past: \
      `--when friday` is last Friday.

      `--replace` corrects an entry. An empty value or empty notes remove them from the entry.
      """,
    operands: [ItemOptions.reference], options: [when, value, notes, replace], outputs: .json,
    examples: [
      Example("capsule item log 'Water filter'", "Log that the filter was changed just now"),
      Example(
        "capsule item log 'Water filter' --when yesterday --value 24.90 --notes 'Price in EUR'",
        "Log yesterday's change, with its price"),
      Example(
        "capsule item log 'Water filter' --replace 3 --value 19.90",
        "Correct the price of the third change"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = invocation[ItemOptions.reference]
    var at: Instant?
    if let text = invocation[when] {
      let when = try session.dates.read(
        text, option: "--when", preferring: .past, requiring: .notFuture)
      at = when.instant
      if !session.isQuiet { session.console.note("At \(session.dates.echo(when))") }
    }
    if let number = invocation[replace] {
      return try correct(number, of: reference, at: at, invocation, session)
    }
    let value = try invocation[value].map { text in
      try ItemOptions.decimal(text, option: "--value")
    }
    let entry = HistoryEntry(
      at: at ?? session.now, value: value, notes: invocation[notes] ?? "")
    let store = try session.stores.required(for: reference, among: [.item])
    let item = try session.records.change(Item.self, reference, in: store) { item in
      item.log(entry)
    }.after
    let settings = session.stores.settings(of: store)
    return try session.answers.changed(item) { out, view in
      out.line(
        "Logged '\(view.nameText)', "
          + StyledText(session.dates.relative(.instant(entry.at), at: session.now, settings)))
      if let dueAt = view.dueAt {
        session.console.note("Due again \(session.dates.text(dueAt)).")
      }
    }
  }
}

extension ItemLogCommand {
  /// Changes what is named of an entry, and shows what changed.
  private static func correct(
    _ number: Int, of reference: String, at: Instant?, _ invocation: Invocation, _ session: Session
  ) throws -> ExitCode {
    guard at != nil || invocation.has(value) || invocation.has(notes) else {
      throw Failure.usage(
        "nothing is named to be corrected", hint: "give '--when', '--value' or '--notes'")
    }
    let given = try invocation[value].map { text in
      text.isEmpty ? nil : try ItemOptions.decimal(text, option: "--value")
    }
    let store = try session.stores.required(for: reference, among: [.item])
    var changes: [FieldChange] = []
    var meant: HistoryEntry?
    var place = number
    let item = try session.records.change(Item.self, reference, in: store) { item in
      let before = try item.entry(number)
      // Another process may have changed the history meanwhile: then the number is another entry's.
      guard meant == nil || meant == before else {
        throw Failure(StoreError.changedMeanwhile(.item, item.id))
      }
      meant = before
      var entry = before
      if let at { entry.at = at }
      if let given { entry.value = given }
      if let text = invocation[notes] { entry.notes = text }
      item.replace(number - 1, with: entry)
      place = (item.history.lastIndex(of: entry) ?? number - 1) + 1
      changes = FieldChange.between(
        before, entry,
        [
          ("when", { session.dates.text($0.at) }), ("value", { $0.value?.description ?? "" }),
          ("notes", { $0.notes }),
        ])
    }.after
    return try session.answers.changed(item) { out, view in
      if changes.isEmpty { return session.console.note("Nothing changed.") }
      let now = place == number ? "" : ", which is entry \(place) now"
      out.line("Corrected entry \(number) of '\(view.nameText)'\(now)")
      for change in changes { out.line(change.line) }
    }
  }
}

extension Item {
  /// The entry of a number in the history.
  fileprivate func entry(_ number: Int) throws -> HistoryEntry {
    guard history.indices.contains(number - 1) else {
      throw Failure(
        .notFound, "'\(name)' has no entry \(max(1, number))",
        hint: "'capsule item history ITEM' lists them")
    }
    return history[number - 1]
  }
}

/// `capsule item unlog`.
enum ItemUnlogCommand {
  static let entry = Parameter.optionalOperand(
    "ENTRY", .integer(1...), "The entry's number in `item history`; the last entry if omitted")

  static let command = Command(
    "item", "unlog", summary: "Remove an entry from an item's history for good",
    operands: [ItemOptions.reference, entry], options: [DeleteCommand.yes], outputs: .json,
    examples: [
      Example(
        "capsule item unlog 'Water filter' --yes", "Remove an entry that was logged by mistake")
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = try invocation[ItemOptions.reference]
    var (store, record) = try session.records.required(Item.self, reference, intact: true)
    let history = record.model.history
    let number = invocation[entry] ?? history.count
    let taken = try record.model.entry(number)
    let value = taken.value.map { ", \($0)" } ?? ""
    let notes = taken.notes.isEmpty ? "" : ", '\(taken.notes.firstLine)'"
    try session.ask.confirm(
      "Take entry \(number) of '\(record.model.name)' away for good: "
        + "\(session.dates.text(taken.at))\(value)\(notes)?",
      unless: invocation[DeleteCommand.yes])
    record.model.unlog(number - 1)
    record = try store.update(record, now: session.now, forgetsOlder: true)
    return try session.answers.changed(record.model) { out, view in
      out.line("Took away \(session.dates.text(taken.at)) from '\(view.nameText)'")
    }
  }
}
