import CapsuleCore

/// `capsule draft describe`.
enum DraftDescribeCommand {
  static let include = Parameter.options(
    "include", value: "PART", ValueType<DraftRequest.Inclusion>.choice,
    "Also send your notes on the item, or its attachments")

  static let command = Command(
    "draft", "describe", summary: "Let a program draft an item's description and value",
    discussion: Assistant.help + """
      \n
      You edit the draft; only the text that you save is stored. Its first lines may be `Category:` and \
      `Value:`, and the rest is the description. A part that you leave out stays unchanged.
      """,
    operands: [ItemOptions.reference],
    options: [Assistant.with, include, Assistant.dryRun, Assistant.timeLimit], outputs: .json,
    examples: [
      Example(
        "capsule draft describe 'Gold ring' --include media", "Draft from the pictures of an item"),
      Example("capsule draft describe 'Gold ring' --dry-run", "See what the program would get"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = try invocation[ItemOptions.reference]
    var (store, record) = try session.records.required(Item.self, reference, intact: true)
    let inclusions = Set(invocation[include])
    let media = try inclusions.contains(.media) ? store.draftMedia(of: record.model) : []
    guard let media else {
      throw Failure(
        .refused,
        "the media of '\(record.model.name)' are more than \(ByteSize.text(Store.draftMediaLimit))",
        hint: "leave '--include media' out")
    }
    let request = DraftRequest.describe(record.model, media: media, including: inclusions)
    if invocation[Assistant.dryRun] { return try Assistant.show(request, session) }
    let draft = DraftDescription(try Assistant(invocation, session).ask(request).text)
    let question = "Edit it, and keep what you save for '\(record.model.name)'?"
    return try Assistant.take(
      session,
      draft.text,
      as: [
        "item": .string(record.model.id.description), "category": .string(draft.category),
        "description": .string(draft.description), "value": .string(draft.value),
      ], question: question, in: store
    ) { text in
      let kept = DraftDescription(text)
      if !kept.description.isEmpty { record.model.description = kept.description }
      if !kept.category.isEmpty { record.model.category = kept.category.onOneLine }
      if !kept.value.isEmpty {
        record.model.value = try ItemOptions.money(kept.value, option: "Value:")
      }
      let item = try store.update(record, now: session.now).model
      return try session.answers.changed(item) { out, view in
        out.line("Kept it for '\(view.nameText)': \(item.id.description)")
      }
    }
  }
}
