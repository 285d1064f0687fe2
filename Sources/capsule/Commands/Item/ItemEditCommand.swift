import CapsuleCore

/// `capsule item edit`.
enum ItemEditCommand {
  static let name = Option("name", value: "NAME", .text, "Give it another name")
  static let untag = RepeatableOption("untag", value: "TAG", .text, "Take a tag away")

  private static let changes: [any OptionDeclaration] = [name] + ItemOptions.all + [untag]

  static let command = Command(
    "item", "edit", summary: "Change an item, and show what changed",
    discussion: """
      What is not named stays. An empty text takes a description, category, location or value \
      away; a tag is added to those there are.
      """,
    operands: [ItemOptions.reference], options: changes, outputs: .json,
    examples: [
      Example("capsule item edit 'Gold ring' --value 'EUR 1350' --location Safe", "Change two"),
      Example("capsule item edit 'Gold ring' --value ''", "Take its value away"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = try invocation[ItemOptions.reference]
    guard changes.contains(where: { invocation.has($0) }) else {
      throw Failure.usage(
        "nothing is named to be changed", hint: "'capsule help item edit' shows what can be")
    }
    let store = try session.requiredStore(for: reference, among: [.item])
    var record = try session.intactItem(reference, in: store)
    let before = record.model
    if let text = invocation[name] {
      try ItemOptions.check(name: text.trimmed)
      record.model.name = text.trimmed
    }
    try ItemOptions.apply(invocation, to: &record.model)
    record.model.tags.removeAll { invocation[untag].contains($0) }
    let changes = FieldChange.between(before, record.model, fields)
    if changes.isEmpty {
      session.console.note("Nothing changed.")
    } else {
      record = try store.update(record, now: session.now)
    }
    let view = ItemView(record.model.summary, in: session)
    var members = ItemShowCommand.members(record.model, view, session)
    members["changes"] = .array(changes.map { .object($0.members) })
    return try session.render(json: .object(members)) { out in
      if session.isQuiet {
        out.line("\(record.model.id.description)")
        return
      }
      if changes.isEmpty { return }
      out.line("Changed \(view.nameText) \(record.model.id.description)")
      for change in changes { out.line(change.line) }
    }
  }

  /// What people change, by the name of the field.
  private static var fields: [(String, (Item) -> String)] {
    [
      ("name", { $0.name }), ("description", { $0.description }),
      ("category", { $0.category }), ("value", { $0.value?.description ?? "" }),
      ("replacementValue", { $0.replacementValue?.description ?? "" }),
      ("quantity", { String($0.quantity) }), ("location", { $0.location }),
      ("tags", { $0.tags.joined(separator: ", ") }),
    ]
  }
}
