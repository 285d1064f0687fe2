import CapsuleCore

/// `capsule item add`.
enum ItemAddCommand {
  static let name = Operand("NAME", .text, "A name that no other item has, at most 1 KiB")

  static let command = Command(
    "item", "add", summary: "Keep a thing, or something that is done now and then",
    discussion: """
      Names are unique, whatever their case. Values are of one piece, of which there are \
      `--quantity`; totals count all of them. A value is a code of ISO 4217 and a number, in either \
      order: `EUR 1200`, `49.90 USD`. A point stands before the minor units, of which there are no \
      more than the currency has, and nothing between the thousands.
      """,
    operands: [name], options: ItemOptions.all, outputs: .json,
    examples: [
      Example(
        "capsule item add 'Gold ring' --category Jewellery --value 'EUR 1200'",
        "Keep an heirloom"),
      Example("capsule item add 'Water filter' --category Household", "Keep what is looked after"),
    ],
    exitCodes: [.damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let name = try invocation[name].trimmed
    try ItemOptions.check(name: name)
    var item = Item(
      header: RecordHeader(id: RecordID(high: 0, low: 0), createdAt: session.now), name: name)
    try ItemOptions.apply(invocation, to: &item)
    let store = try session.storeForChange()
    item.header = try store.newHeader(now: session.now)
    try store.insert(item)
    session.noteFirstUse(of: store)
    let view = ItemView(item.summary, in: session)
    return try session.answer(view.members(of: item), item.id) { out in
      out.line("Added '\(view.nameText)' \(item.id.description)")
    }
  }
}
