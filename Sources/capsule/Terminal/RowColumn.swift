/// A column of a table, and what a row has in it.
struct RowColumn<Row> {
  let head: Table.Column
  let cell: (Row) -> StyledText

  /// The name by which a setting names it.
  var name: String { head.title.lowercased() }

  init(
    _ title: String, _ alignment: Table.Column.Alignment = .leading, flexible: Bool = false,
    detail: TableDetail? = nil, _ cell: @escaping (Row) -> StyledText
  ) {
    head = Table.Column(
      title, alignment, room: flexible ? .flexible : .exact, detail: detail)
    self.cell = cell
  }

  /// The same column, with its title before the field where a row is a title and lines beneath it.
  var namedBeneath: RowColumn {
    var head = head
    head.isNamedBeneath = true
    return RowColumn(head, cell)
  }

  /// The same column, on the row itself.
  var inRow: RowColumn {
    guard head.room == .beneath else { return self }
    return RowColumn(Table.Column(head.title, room: .flexible), cell)
  }

  private init(_ head: Table.Column, _ cell: @escaping (Row) -> StyledText) {
    self.head = head
    self.cell = cell
  }

  /// The column of what a row is known by.
  static func title(_ title: String, _ cell: @escaping (Row) -> StyledText) -> RowColumn {
    RowColumn(Table.Column(title, room: .title), cell)
  }

  /// A text that stands on a line of its own beneath the row.
  static func beneath(_ title: String, _ text: @escaping (Row) -> String) -> RowColumn {
    RowColumn(Table.Column(title, room: .beneath)) { StyledText(text($0)) }
  }

  /// A column of plain text.
  static func text(
    _ title: String, _ alignment: Table.Column.Alignment = .leading, flexible: Bool = false,
    detail: TableDetail? = nil, _ text: @escaping (Row) -> String
  ) -> RowColumn {
    RowColumn(title, alignment, flexible: flexible, detail: detail) { StyledText(text($0)) }
  }
}

extension Table {
  /// A table of some rows.
  init<Row>(_ columns: [RowColumn<Row>], _ rows: some Sequence<Row>) {
    self.init(columns.map(\.head))
    for row in rows { append(columns.map { $0.cell(row) }) }
  }
}

extension Sequence<String> {
  /// The texts with a comma between each two; empty ones are left out.
  // Hot: most rows of a list have some. `joined` takes twice as long for few.
  var listed: String {
    var text = ""
    for part in self where !part.isEmpty {
      if !text.isEmpty { text += ", " }
      text += part
    }
    return text
  }
}

extension String {
  /// The first line, for a cell.
  var firstLine: String {
    split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
  }
}
