import CapsuleCore

/// `capsule draft describe`.
enum DraftDescribeCommand {
  static let include = RepeatableOption(
    "include", value: "PART", ValueType<DraftRequest.Inclusion>.choice,
    "Send your notes on the item, or its media, too")

  static let command = Command(
    "draft", "describe", summary: "Let a program draft what an item is, and is worth",
    discussion: Assistant.help + """
      \n
      In the editor, `Category:` and `Value:` may stand on the first lines; what follows is the description. \
      What is not there stays as it was.
      """,
    operands: [ItemOptions.reference],
    options: [Assistant.with, include, Assistant.dryRun, Assistant.timeLimit], outputs: .json,
    examples: [
      Example(
        "capsule draft describe 'Gold ring' --include media", "Let it look at the pictures"),
      Example("capsule draft describe 'Gold ring' --dry-run", "See what the program would get"),
    ],
    exitCodes: [.notFound, .damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let reference = try invocation[ItemOptions.reference]
    var (store, record) = try session.requiredRecord(Item.self, reference, intact: true)
    let inclusions = Set(invocation[include])
    let media = try inclusions.contains(.media) ? store.draftMedia(of: record.model) : []
    guard let media else {
      throw Failure(
        .refused,
        "the media of '\(record.model.name)' are more than \(ByteSize.text(Store.draftMediaLimit))",
        hint: "leave '--include media' out")
    }
    let request = DraftRequest.describe(record.model, media: media, including: inclusions)
    if invocation[Assistant.dryRun] { return try session.printRequest(request) }
    let draft = DraftDescription(try Assistant(invocation, session).ask(request).text)
    let question = "Edit it, and keep what you save for '\(record.model.name)'?"
    return try session.take(
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
      return try session.answer(item) { out, view in
        out.line("Kept it for '\(view.nameText)': \(item.id.description)")
      }
    }
  }
}
