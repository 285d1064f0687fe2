import CapsuleCore

/// `capsule item edit`.
enum ItemEditCommand {
  static let name = Parameter.option("name", value: "NAME", .text, "A new name")
  static let untag = Parameter.options("untag", value: "TAG", .text, "Remove a tag")

  private static let changes: Parameters = [name] + ItemOptions.all + [untag]

  static let command = Command(
    "item", "edit", summary: "Change an item",
    discussion: """
      Only the fields that you give change, and the answer lists the changes. An empty text \
      removes a description, notes, category, location or value. `--tag` adds to the tags that the \
      item has.
      """,
    operands: [ItemOptions.reference], options: changes, outputs: .json,
    examples: [
      Example(
        "capsule item edit 'Gold ring' --value 'EUR 1350' --location Safe",
        "Update the value and the location"),
      Example("capsule item edit 'Gold ring' --value ''", "Remove the value"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = invocation[ItemOptions.reference]
    try invocation.requireAny(of: changes, session)
    let store = try session.stores.required(for: reference, among: [.item])
    let change = try session.records.change(Item.self, reference, in: store) { item in
      if let text = invocation[name] {
        try ItemOptions.check(name: text.trimmed)
        item.name = text.trimmed
      }
      try ItemOptions.apply(invocation, to: &item)
      let untagged = invocation[untag].map { NameKey($0) }
      item.tags.removeAll { untagged.contains(NameKey($0)) }
    }
    let item = change.after
    let changes = FieldChange.between(change.before, item, fields)
    let view = ItemView(item.summary, in: session)
    return try session.answers.changed(
      view.members(of: item), item.id, view.nameText, with: changes)
  }

  /// The fields that people change, by name.
  static var fields: [(String, (Item) -> String)] {
    [
      ("name", { $0.name }), ("description", { $0.description }),
      ("notes", { $0.notes }),
      ("category", { $0.category }), ("value", { $0.value?.description ?? "" }),
      ("replacementValue", { $0.replacementValue?.description ?? "" }),
      ("quantity", { String($0.quantity) }), ("location", { $0.location }),
      ("tags", { $0.tags.joined(separator: ", ") }),
    ]
  }
}
