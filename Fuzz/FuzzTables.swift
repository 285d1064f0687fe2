@testable import CapsuleCore

/// Whatever a table holds, it is read to its end, a line that is written is read back, and an item that
/// is imported can be written to a record.
func fuzzTables(_ input: [UInt8]) {
  let table = CommaSeparated(input)
  for case .row(let row) in table.prefix(200) {
    require(row.line >= 1, "a line has a number")
    let header = row.cells.map { _ in "x" }
    let again = CommaSeparated(CommaSeparated.line(header) + CommaSeparated.line(row.cells))
    guard case .row(let read)? = again.first(where: { _ in true }) else {
      return require(false, "a line that was written is one")
    }
    require(
      read.cells.map { Array($0.utf8) } == row.cells.map { Array($0.utf8) },
      "a line is read back as it was written")
    for cell in row.cells {
      let texts = TextList.texts(cell)
      require(TextList.texts(TextList.text(texts)) == texts, "a list is read back")
      let text = SpreadsheetText.bare(SpreadsheetText.guarded(cell))
      require(text.utf8.elementsEqual(cell.utf8), "a text that was guarded is read back")
    }
  }
  guard let items = try? ItemTable(table, map: []) else { return }
  let terms = ItemImport.Terms(
    currency: Currency("EUR"), directory: FilePath("/nowhere"), sources: [], fileLimit: 0,
    now: Instant(seconds: 1_800_000_000))
  let source = ItemImport(items, terms, POSIXFileSystem())
  guard let plan = try? ImportPlan(source, into: nil, now: terms.now) else {
    return require(false, "an import without a store does not fail")
  }
  for step in plan.steps {
    guard case .added(let item) = step.outcome else { continue }
    require(item.fault == nil, "an item breaks no rule")
    require((try? Item(fields: item.fields)) == item, "an item is read back as it was written")
  }
}
