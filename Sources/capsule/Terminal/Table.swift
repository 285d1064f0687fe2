import CapsuleCore

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

  /// The same column, shown where it is empty as well.
  var kept: RowColumn {
    var head = head
    head.isKept = true
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

/// A table: its columns aligned on a terminal, separated by tabs elsewhere.
///
/// On a terminal no row is wider than it. A narrow one goes without details, as ``TableDetail`` has
/// them; where the titles have too little room even then, each row is a title with a line beneath.
/// Elsewhere nothing is cut, and no field holds a tab or the end of a line.
struct Table: Sendable {
  struct Column: Sendable {
    enum Alignment: Sendable { case leading, trailing }

    /// The room that a column takes.
    enum Room: Sendable {
      /// The room of its widest field.
      case exact
      /// The room of its widest field, or less where the row is too wide.
      case flexible
      /// The name of the thing: the last to be cut.
      case title
      /// A line of its own beneath the row.
      case beneath
    }

    var title: String
    var alignment: Alignment
    var room: Room
    /// The step at which a narrow terminal goes without it; `nil` for never.
    var detail: TableDetail?
    /// Whether its title stands before the field where a row is a title and lines beneath it.
    var isNamedBeneath = false
    /// Whether it is shown where no row has anything in it.
    var isKept = false

    init(
      _ title: String, _ alignment: Alignment = .leading, room: Room = .exact,
      detail: TableDetail? = nil
    ) {
      self.title = title
      self.alignment = alignment
      self.room = room
      self.detail = detail
    }

    init(_ title: String, _ alignment: Alignment = .leading, flexible: Bool) {
      self.init(title, alignment, room: flexible ? .flexible : .exact)
    }
  }

  let columns: [Column]
  private(set) var rows: [[StyledText]] = []
  /// Whether the titles are shown, on a terminal.
  var hasHeader: Bool
  /// The widest field of each column, in each form of a row.
  private var widths: [[Int]]
  /// Whether a row has anything in each column: people are not shown an empty one.
  private var isFilled: [Bool]

  init(_ columns: [Column], header: Bool = true) {
    self.columns = columns
    hasHeader = header
    isFilled = columns.map { $0.room == .title || $0.isKept }
    widths = columns.map {
      Array(repeating: header ? TextWidth.of($0.title) : 0, count: Form.allRows.count)
    }
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
    for (column, field) in fields.enumerated() where column < widths.count {
      guard columns[column].room != .beneath else { continue }
      let whole = field.width
      if whole > 0 { isFilled[column] = true }
      for form in Form.allRows.indices where whole > widths[column][form] {
        let width = field.hasDetails ? field.without(Form.allRows[form]).width : whole
        widths[column][form] = max(widths[column][form], width)
      }
    }
  }

  fileprivate static let gap = 2
  /// The cells that a title has at least, and any other text that can be cut, before a detail goes.
  private static let comfortable = 24
  /// The cells that such a text has at least before the state goes.
  private static let short = 12
  /// The least width of a flexible column.
  private static let narrowest = 8

  /// The form of the rows, and the width of each column in it.
  fileprivate struct Layout {
    let form: Form
    let widths: [Int]
  }

  /// Returns the layout in which each row takes at most so many columns.
  fileprivate func layout(_ available: Int) -> Layout {
    for form in Form.allRows {
      // A title is cut shorter before the state of the thing goes.
      let least = form.shows(.state) ? [Self.comfortable] : [Self.short, Self.comfortable]
      for least in least {
        let form = least == Self.short ? Form.rows(without: TableDetail.state.rawValue) : form
        if let widths = fitted(form, to: available, least: least) {
          return Layout(form: form, widths: widths)
        }
      }
    }
    if columns.contains(where: { $0.room == .title }) { return Layout(form: .stacked, widths: []) }
    let last = Form.rows(without: TableDetail.allCases.count)
    let widths = fitted(last, to: available, least: Self.narrowest, orNearly: true)
    return Layout(form: last, widths: widths ?? [])
  }

  /// Returns the widths of the columns that a form shows; `nil` where the row is wider than
  /// `available` although what can be cut has `least` cells.
  private func fitted(
    _ form: Form, to available: Int, least: Int, orNearly: Bool = false
  ) -> [Int]? {
    let number = Form.allRows.firstIndex(of: form) ?? 0
    var fitted = columns.indices.map { isShown($0, form) ? widths[$0][number] : 0 }
    let shown = columns.indices.filter { isShown($0, form) }
    var excess = fitted.reduce(0, +) + Self.gap * max(0, shown.count - 1) - available
    for room in [Column.Room.flexible, .title] {
      // The widest gives way first, so that several end up alike.
      while excess > 0 {
        let candidates = shown.filter { columns[$0].room == room && fitted[$0] > least }
        guard let widest = candidates.max(by: { fitted[$0] < fitted[$1] }) else { break }
        fitted[widest] -= 1
        excess -= 1
      }
    }
    return excess <= 0 || orNearly ? fitted : nil
  }

  fileprivate func isShown(_ column: Int, _ form: Form) -> Bool {
    isFilled[column] && columns[column].room != .beneath && form.shows(columns[column].detail)
  }
}

/// The details that a table leaves out on a narrow terminal: the first goes first.
enum TableDetail: Int, CaseIterable, Sendable {
  /// The weekday and the zone of a date.
  case weekdayAndZone
  case tags
  case contents
  case timeOfDay
  case state
}

extension Table {
  /// The form of a row on a terminal.
  enum Form: Hashable, Sendable {
    /// The row on one line, without the first so many details.
    case rows(without: Int)
    /// The title on a line, and the rest beneath it.
    case stacked

    static let allRows = (0...TableDetail.allCases.count).map { Form.rows(without: $0) }

    func shows(_ detail: TableDetail?) -> Bool {
      guard let detail else { return true }
      return switch self {
      case .rows(let count): detail.rawValue >= count
      case .stacked: detail == .state
      }
    }
  }

  /// Returns its lines, titles first, each no wider than `width`.
  func lines(width: Int) -> [StyledText] {
    let layout = layout(width)
    let header = hasHeader && !rows.isEmpty ? headerLines(layout, width) : []
    return header + rows.flatMap { lines(of: $0, layout, width) }
  }

  /// Returns the line of the titles; none where rows take several lines.
  fileprivate func headerLines(_ layout: Layout, _ available: Int) -> [StyledText] {
    guard layout.form != .stacked else { return [] }
    return [aligned(columns.map { StyledText($0.title, .dim) }, layout, available)]
  }

  /// Returns the lines of a row.
  fileprivate func lines(
    of row: [StyledText], _ layout: Layout, _ available: Int
  ) -> [StyledText] {
    let first =
      layout.form == .stacked ? stacked(row, available) : [aligned(row, layout, available)]
    let beneath = columns.indices.filter {
      columns[$0].room == .beneath && $0 < row.count && row[$0].width > 0
    }.map { "\(columns[$0].title.lowercased(), .dim) \(row[$0])" as StyledText }
    guard !beneath.isEmpty else { return first }
    return first + [(Self.indent + Self.joined(beneath)).cut(to: available)]
  }

  private static let indent: StyledText = "  "

  private static func joined(_ parts: [StyledText]) -> StyledText {
    parts.dropFirst().reduce(parts.first ?? "") { $0 + "  " + $1 }
  }

  /// Returns the title, and the other fields beneath it, on as few lines as hold them.
  private func stacked(_ row: [StyledText], _ available: Int) -> [StyledText] {
    var lines: [StyledText] = []
    var parts: [StyledText] = []
    for (index, field) in row.enumerated()
    where index < columns.count && isShown(index, .stacked) {
      let column = columns[index]
      let field = field.without(.stacked)
      if column.room == .title {
        lines.append(field.cut(to: available))
      } else if field.width > 0 {
        let named: StyledText = "\(column.title.lowercased(), .dim) \(field)"
        let hasRoom = Self.indent.width + named.width <= available
        parts.append(column.isNamedBeneath && hasRoom ? named : field)
      }
    }
    var line = StyledText()
    for part in parts {
      if line.width > 0, (line + "  " + part).width > available {
        lines.append(line.cut(to: available))
        line = StyledText()
      }
      line += (line.width > 0 ? "  " : Self.indent) + part
    }
    if line.width > 0 { lines.append(line.cut(to: available)) }
    return lines
  }

  private func aligned(_ row: [StyledText], _ layout: Layout, _ available: Int) -> StyledText {
    var text = StyledText()
    var owed = 0
    for (index, column) in columns.enumerated()
    where index < row.count && isShown(index, layout.form) {
      let width = layout.widths[index]
      let field = row[index].without(layout.form).cut(to: width)
      let space = max(0, width - field.width)
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
      for row in table.rows { line(tabbed: row) }
      return
    }
    for text in table.lines(width: width) { row(text) }
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
        line(tabbed: row)
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
    let layout = table.layout(width)
    for header in table.headerLines(layout, width) { row(header) }
    func show(_ fields: [StyledText]) -> Bool {
      for text in table.lines(of: fields, layout, width) { row(text) }
      return !isBroken
    }
    if count <= Self.keptRows {
      for fields in table.rows where !show(fields) { return }
    } else {
      each(show)
    }
  }

  /// The most rows of a long table that are kept.
  private static var keptRows: Int { 1000 }
}

/// The fields of one record, a line each, their values under one another; a long value goes on
/// beneath itself.
struct FieldSheet {
  let out: TextOutput
  /// The columns that names take.
  let width: Int

  init(_ out: TextOutput, width: Int) {
    self.out = out
    self.width = width
  }

  func field(_ name: String, _ value: StyledText) {
    let padding = String(repeating: " ", count: max(0, width - name.count))
    out.line("\(name, .dim)\(padding) \(value)", indent: width + 1)
  }

  func field(_ name: String, _ value: String) {
    field(name, StyledText(value))
  }

  /// Writes a field that has a value.
  func field(_ name: String, ifAny value: StyledText) {
    if value.width > 0 { field(name, value) }
  }

  /// Writes a field that has a value.
  func field(_ name: String, ifAny value: String) {
    field(name, ifAny: StyledText(value))
  }

  /// Writes a text of several lines below the fields, if there is one.
  func block(_ text: String) {
    guard !text.isEmpty else { return }
    out.line()
    out.letter(text)
  }
}
