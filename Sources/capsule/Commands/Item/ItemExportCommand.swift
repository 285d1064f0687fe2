import CapsuleCore

/// `capsule item export`.
enum ItemExportCommand {
  enum Format: String, CaseIterable, Sendable { case csv }

  static let format = Parameter.operand("FORMAT", ValueType<Format>.choice, "The format: `csv`")

  static let command = Command(
    "item", "export", summary: "Export all items as a table (CSV)",
    discussion: """
      The table is in UTF-8 (RFC 4180), with a line for each item in the order in which they were \
      added. Its columns are \(ItemColumn.written.map { "`\($0.name)`" }.joined(separator: ", ")).

      `item import` reads the table again. An unchanged table changes nothing; a changed line \
      changes the item with its `id`.

      - Attachments, history and reminders are not in the table; `export archive` writes \
      everything.
      - A text that begins with `=`, `+`, `-`, `@`, a tab or a line break gets an apostrophe in \
      front. Otherwise a spreadsheet would read the text as a formula. `item import` removes the \
      apostrophe.
      - Numbers and amounts are written as they are.
      """,
    operands: [format], options: [ExportCalendarCommand.output],
    examples: [
      Example("capsule item export csv --output items.csv", "Export all items to a file")
    ],
    exitCodes: [.partial, .damaged, .version, .refused],
    run: run)

  static func run(_ invocation: Invocation, _ session: Session) throws -> ExitCode {
    _ = try invocation[format]
    let store = try session.stores.existing()
    var code = ExitCode.ok
    try session.files.export(to: invocation[ExportCalendarCommand.output], of: ("item", "items")) {
      sink in
      let (count, end) = try write(store, session, to: sink)
      code = end
      return count
    }
    return code
  }

  /// Writes the table in pieces that end with whole lines.
  ///
  /// - Returns: the number of items in it, and whether some cannot be read.
  private static func write(
    _ store: Store?, _ session: Session, to sink: ([UInt8]) throws -> Void
  ) throws -> (count: Int, code: ExitCode) {
    var piece = CommaSeparated.line(ItemColumn.written.map(\.name))
    var (count, code) = (0, ExitCode.ok)
    if let store {
      var index = store.index(.item, now: session.now)
      var ids: [RecordID] = []
      index.forEach(.ascending) { entry in
        ids.append(entry.id)
        return true
      }
      if session.records.warn(of: &index) { code = .partial }
      for id in ids {
        // One that cannot be read was named above.
        guard let item = try? store.read(Item.self, id).model else { continue }
        count += 1
        piece += CommaSeparated.line(item.tableCells)
        guard piece.count >= 65_536 else { continue }
        try sink(piece)
        piece.removeAll(keepingCapacity: true)
      }
    }
    try sink(piece)
    return (count, code)
  }
}
