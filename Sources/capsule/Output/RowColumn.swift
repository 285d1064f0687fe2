/// A column of a table, and what a row has in it.
struct RowColumn<Row> {
  let head: Table.Column
  let cell: (Row) -> StyledText

  init(
    _ title: String, _ alignment: Table.Column.Alignment = .leading, flexible: Bool = false,
    _ cell: @escaping (Row) -> StyledText
  ) {
    head = Table.Column(title, alignment, flexible: flexible)
    self.cell = cell
  }

  /// A column of plain text.
  static func text(
    _ title: String, _ alignment: Table.Column.Alignment = .leading, flexible: Bool = false,
    _ text: @escaping (Row) -> String
  ) -> RowColumn {
    RowColumn(title, alignment, flexible: flexible) { StyledText(text($0)) }
  }
}

extension Table {
  /// A table of some rows.
  init<Row>(_ columns: [RowColumn<Row>], _ rows: some Sequence<Row>) {
    self.init(columns.map(\.head))
    for row in rows { append(columns.map { $0.cell(row) }) }
  }
}

extension String {
  /// The first line, for a cell.
  var firstLine: String {
    split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
  }
}
