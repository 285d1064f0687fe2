import CapsuleCore

/// A table: its columns aligned on a terminal, separated by tabs elsewhere.
///
/// On a terminal no row is wider than it: the flexible column is cut with `…`. Elsewhere nothing is
/// cut, and no field holds a tab or the end of a line.
struct Table: Sendable {
  struct Column: Sendable {
    enum Alignment: Sendable { case leading, trailing }

    var title: String
    var alignment: Alignment
    /// Whether it gives way when the row is too wide.
    var isFlexible: Bool

    init(_ title: String, _ alignment: Alignment = .leading, flexible: Bool = false) {
      self.title = title
      self.alignment = alignment
      isFlexible = flexible
    }
  }

  let columns: [Column]
  private(set) var rows: [[StyledText]] = []
  /// Whether the titles are shown, on a terminal.
  var hasHeader: Bool
  private var widths: [Int]

  init(_ columns: [Column], header: Bool = true) {
    self.columns = columns
    hasHeader = header
    widths = columns.map { header ? TextWidth.of($0.title) : 0 }
  }

  /// Adds a row; fields that are missing are empty.
  mutating func row(_ fields: StyledText...) {
    append(fields)
  }

  /// Adds a row; fields that are missing are empty.
  mutating func append(_ fields: [StyledText]) {
    measure(fields)
    rows.append(fields)
  }

  /// Makes room for a row that is not kept.
  fileprivate mutating func measure(_ fields: [StyledText]) {
    for (index, field) in fields.enumerated() where index < widths.count {
      widths[index] = max(widths[index], field.width)
    }
  }

  fileprivate static let gap = 2
  /// The least width of a flexible column.
  private static let narrowest = 8

  /// Returns the width of each column when the whole may take so many.
  fileprivate func fittedWidths(_ available: Int) -> [Int] {
    var fitted = widths
    var excess = widths.reduce(0, +) + Self.gap * (widths.count - 1) - available
    // The widest flexible column gives way first, so that several end up alike.
    while excess > 0 {
      let candidates = columns.indices.filter {
        columns[$0].isFlexible && fitted[$0] > Self.narrowest
      }
      guard let widest = candidates.max(by: { fitted[$0] < fitted[$1] }) else { break }
      fitted[widest] -= 1
      excess -= 1
    }
    return fitted
  }
}

extension Table {
  /// Returns its lines, titles first, each no wider than `width`.
  func lines(width: Int) -> [StyledText] {
    let widths = fittedWidths(width)
    let titles = hasHeader && !rows.isEmpty ? [columns.map { StyledText($0.title, .dim) }] : []
    return (titles + rows).map { aligned($0, widths, width) }
  }

  fileprivate func aligned(_ row: [StyledText], _ widths: [Int], _ available: Int) -> StyledText {
    var text = StyledText()
    var owed = 0
    for (index, column) in columns.enumerated() where index < row.count {
      let field = row[index].cut(to: widths[index])
      let space = max(0, widths[index] - field.width)
      if column.alignment == .trailing { owed += space }
      // Spaces are written before the next field only: no line ends with any.
      if field.width > 0 {
        text += StyledText(String(repeating: " ", count: owed))
        text += field
        owed = 0
      }
      if column.alignment == .leading { owed += space }
      owed += Self.gap
    }
    return text.cut(to: available)
  }
}

extension TextOutput {
  /// Prints a table, as people (on a terminal) or programs (elsewhere) want it.
  ///
  /// - Parameter plain: whether it is for programs, also on a terminal.
  func table(_ table: Table, plain: Bool = false) {
    guard let width, !plain else {
      for row in table.rows { line(tabbed(row)) }
      return
    }
    for row in table.lines(width: width) { line(row) }
  }

  /// Prints a long table, whose rows are nowhere held whole.
  ///
  /// - Parameter each: hands over the rows in order, until its argument gives `false`; twice, where
  ///   the widths are to be known first and there are many.
  func table(
    _ columns: [Table.Column], plain: Bool = false, each: (([StyledText]) -> Bool) -> Void
  ) {
    guard let width, !plain else {
      return each { row in
        line(tabbed(row))
        return !isBroken
      }
    }
    var table = Table(columns)
    var count = 0
    each { row in
      // A list that fits into memory easily is asked for once.
      if count < Self.keptRows { table.append(row) } else { table.measure(row) }
      count += 1
      return true
    }
    if count == 0 { return }
    let widths = table.fittedWidths(width)
    line(table.aligned(columns.map { StyledText($0.title, .dim) }, widths, width))
    func show(_ row: [StyledText]) -> Bool {
      line(table.aligned(row, widths, width))
      return !isBroken
    }
    if count <= Self.keptRows {
      for row in table.rows where !show(row) { return }
    } else {
      each(show)
    }
  }

  /// How many rows of a long table are kept at most.
  private static var keptRows: Int { 1000 }

  private func tabbed(_ row: [StyledText]) -> StyledText {
    var text = StyledText()
    for (index, field) in row.enumerated() {
      if index > 0 { text += "\t" }
      text += field
    }
    return text
  }
}
