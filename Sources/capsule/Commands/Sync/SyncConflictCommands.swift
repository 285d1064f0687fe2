import CapsuleCore

/// `capsule sync conflicts` and `capsule sync resolve`.
enum SyncConflictCommands {
  static let conflicts = Command(
    "sync", "conflicts", summary: "List fields that two devices changed",
    discussion: """
      Each conflict is a field of a record that two devices changed without knowing of each other. The list \
      has the value that is shown and the other values, with the numbers for `capsule sync resolve --take`.

      You need not resolve conflicts. Editing the field replaces only the value that is shown.
      """,
    options: SyncRunCommand.storeOptions, outputs: .json,
    examples: [Example("capsule sync conflicts", "List all conflicts")],
    exitCodes: [.key, .busy, .version]
  ) { invocation, session in
    let store = try session.sync.storeIfPresent(invocation)
    let all =
      try store.map { store in
        try session.sync.look(in: store) { work throws(SyncError) in try work.conflicts() }
      } ?? []
    return try session.console.render(
      list: all, json: { .object($0.members) }
    ) { out in
      for conflict in all {
        out.line("\(conflict.words, .bold)")
        out.line("  shown: \(text(conflict.shown))")
        for (number, other) in conflict.others.enumerated() {
          out.line("  \(number + 1): \(text(other))")
        }
      }
      if all.isEmpty, !session.isQuiet { out.line("There are no conflicts.") }
    }
  }

  private static func text(_ value: JSON?) -> String {
    guard let value else { return "(nothing)" }
    return value.string ?? String(decoding: value.encoded(.compact), as: UTF8.self)
  }

  static let reference = Parameter.operand(
    "REF", .text, "A record: an id, the start of one, a title or a name; or 'settings'")
  static let field = Parameter.option(
    "field", value: "FIELD", .text, "Resolve only this field of the record")
  static let take = Parameter.option(
    "take", value: "N", .integer(1...), "Choose the other value with this number")

  static let resolve = Command(
    "sync", "resolve", summary: "Resolve a conflict by choosing a value",
    discussion: """
      Without `--take`, the value that is shown stays and the others are dropped. The devices that wrote them \
      still have them as versions.

      If another device broke a rule, `sync` keeps this device's record and reports it as waiting. `resolve` \
      makes the other devices take the unlock time, lock, contents, delivery, or shares that are here.
      """,
    operands: [reference], options: [field, take] + SyncRunCommand.storeOptions, outputs: .json,
    examples: [
      Example("capsule sync resolve 'Gold ring'", "Keep the values that are shown"),
      Example(
        "capsule sync resolve 'Gold ring' --field description --take 1",
        "Choose the other description"),
    ],
    exitCodes: [.partial, .notFound, .key, .damaged, .busy, .version]
  ) { invocation, session in
    let store = try session.sync.store(invocation)
    let subject = try subject(try invocation[reference], in: store, session)
    let number = invocation[take] ?? 0
    if number > 0, invocation[field] == nil {
      throw Failure.usage("'--take' goes with '--field'", hint: "name the part: '--field notes'")
    }
    let all = try session.sync.look(in: store) { work throws(SyncError) in try work.conflicts() }
    let name = invocation[field]
    let meant = all.filter { $0.subject == subject && (name == nil || $0.field == name) }
    if number > 0, let first = meant.first {
      guard meant.count == 1 else {
        throw Failure.usage(
          "several elements of '\(first.field)' have conflicts",
          hint: "edit the record, or resolve it without '--take'")
      }
      guard number <= first.others.count else {
        throw Failure.usage(
          "there is no value \(number)",
          hint: "'capsule sync conflicts' lists \(String.counting(first.others.count, "other"))")
      }
    }
    // Without a conflict, what a rule holds back may wait.
    let key = meant.first?.key
    let (resolved, hold, insists) =
      name != nil && key == nil
      ? ([], nil, false)
      : try session.sync.work(in: store) { work throws(SyncError) in
        try work.resolve(subject, field: name == nil ? nil : key, choice: number)
      }
    if let hold {
      throw Failure(
        .partial,
        "'\(meant.first?.title ?? subject.text)' was not changed: "
          + hold.words(of: subject))
    }
    guard insists || !resolved.isEmpty else {
      throw Failure(
        .notFound, name.map { "'\($0)' has no conflict" } ?? "there is no conflict to resolve",
        hint: "'capsule sync conflicts' lists what there is")
    }
    return try session.console.render(list: resolved, json: { .object($0.members) }) { out in
      guard !session.isQuiet else { return }
      for conflict in resolved { out.line("Resolved: \(conflict.words)") }
      if insists {
        out.line("From the next sync on, the other machines take what is here: \(subject.text)")
      }
    }
  }

  private static func subject(
    _ word: String, in store: Store, _ session: Session
  ) throws -> SyncSubject {
    if word == "settings" { return .settings }
    let found = try session.records.find(word, among: RecordKind.allCases, in: store)
    return .record(RecordReference(found.kind, found.id))
  }
}
