import CapsuleCore

/// `capsule item add`.
enum ItemAddCommand {
  static let name = Parameter.operand("NAME", .text, "The item's name, unique, at most 1 KiB")

  static let command = Command(
    "item", "add", summary: "Add an item that you own or look after",
    discussion: """
      Each name is unique; upper and lower case are the same. A value is the worth of one piece, \
      and totals multiply it by `--quantity`.

      Write a value as a currency code of ISO 4217 and a number, in either order: `EUR 1200`, \
      `49.90 USD`. Use a decimal point, and no thousands separator. The number can have as many \
      decimals as its currency.
      """,
    operands: [name], options: ItemOptions.all, outputs: .json,
    examples: [
      Example(
        "capsule item add 'Gold ring' --category Jewelry --value 'EUR 1200'", "Add an heirloom"),
      Example(
        "capsule item add 'Water filter' --category Household",
        "Add something that needs regular care"),
    ],
    exitCodes: [.damaged, .busy, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    let name = invocation[name].trimmed
    try ItemOptions.check(name: name)
    var item = Item(
      header: RecordHeader(id: RecordID(high: 0, low: 0), createdAt: session.now), name: name)
    try ItemOptions.apply(invocation, to: &item)
    let store = try session.stores.forChange()
    item.header = try store.newHeader(now: session.now)
    try store.insert(item)
    session.stores.noteFirstUse(of: store)
    let view = ItemView(item.summary, in: session)
    return try session.answers.changed(view.members(of: item), item.id) { out in
      out.line("Added '\(view.nameText)' \(item.id.description)")
    }
  }
}
