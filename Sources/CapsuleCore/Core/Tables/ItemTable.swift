/// A table of items: which column is what, and the lines as they stand.
package struct ItemTable: Sendable {
  /// The columns that are left out although they have something in them, by their names.
  package let leftOut: [String]
  package var isLatin1: Bool { table.isLatin1 }
  private let table: CommaSeparated
  private let columns: [Place]
  /// The places in a line of what Homebox knows an item by.
  private let identities: [Int]

  /// The meaning of a column.
  private struct Place {
    let meaning: Meaning
    /// Whether a zero, a `false` and the first day of the calendar say nothing, as Homebox writes them.
    let passesOverZeros: Bool
  }

  private enum Meaning: Hashable {
    case field(ItemColumn)
    /// A fact for which an item has no place: a line of the notes, behind this label.
    case remark(String)

    var name: String {
      switch self {
      case .field(let column): column.name
      case .remark(let label): label
      }
    }
  }

  /// - Parameter map: the columns of other names, by the names that they have in the table.
  /// - Throws: `.refused` where the columns are none of items; the message leaves the name of the table open.
  package init(
    _ table: CommaSeparated, map: [(name: String, column: ItemColumn)]
  ) throws(Fault) {
    self.table = table
    let header: TableRow
    switch table.header {
    case nil:
      throw Self.refusal(
        ": the table is empty", "begin with a line of column names, such as 'name,value'")
    case .fault(let line, let fault)?:
      throw Self.refusal(":\(line): \(fault.message)", fault.hint)
    case .row(let row)?: header = row
    }
    let there = Set(header.cells.map { NameKey($0.trimmed) })
    for (name, _) in map where !there.contains(NameKey(name)) {
      throw Self.refusal(
        ": column not found: '\(name.shortened)'",
        "use a column name from the first line: --map COLUMN=FIELD")
    }
    let mapped = Dictionary(map.map { (NameKey($0.name), $0.column) }) { first, _ in first }
    var names: [Meaning: String] = [:]
    var places: [Int: Place] = [:]
    for (number, cell) in header.cells.enumerated() {
      let cell = cell.trimmed
      let place =
        (mapped[NameKey(cell)] ?? ItemColumn(name: cell)).map {
          Place(meaning: .field($0), passesOverZeros: false)
        } ?? Self.homebox(cell)
      guard let place else { continue }
      if let other = names.updateValue(cell, forKey: place.meaning) {
        throw Self.refusal(
          ": two columns for '\(place.meaning.name.shortened)': '\(other.shortened)' and '\(cell.shortened)'",
          "map one of them to another field, or rename one in the table")
      }
      places[number] = place
    }
    guard names[.field(.name)] != nil || names[.field(.id)] != nil else {
      throw Self.refusal(
        ": no name column found", "choose the name column: --map 'COLUMN=name'")
    }
    let order = places.keys.sorted()
    numbers = order
    columns = order.compactMap { places[$0] }
    identities = ["importref", "assetid"].compactMap { name in
      header.cells.firstIndex { $0.trimmed.behind("HB.").map { ItemColumn.bare($0) } == name }
    }
    leftOut = Self.leftOut(table, header.cells, besides: Set(order))
  }

  private static func refusal(_ words: Fault.Message, _ hint: String?) -> Fault {
    Fault(.refused, "\(open: .name)\(words)", hint: hint)
  }

  /// The places in a line of the columns that are taken.
  private let numbers: [Int]

  /// Returns the columns that are not taken and have something in them.
  private static func leftOut(
    _ table: CommaSeparated, _ names: [String], besides taken: Set<Int>
  ) -> [String] {
    // Homebox's own number of an item is none of the owner's.
    var empty = names.indices.filter {
      !taken.contains($0) && names[$0].trimmed.behind("HB.import_ref") != ""
    }
    var full: [Int] = []
    for case .row(let row) in table {
      if empty.isEmpty { break }
      full += empty.filter { !row.cells[$0].isEmpty }
      empty.removeAll { !row.cells[$0].isEmpty }
    }
    return full.sorted().map { names[$0].trimmed }
  }

  /// Reads the name of a column as Homebox writes it: `HB.purchase_price`, `HB.field.Colour`.
  private static func homebox(_ name: String) -> Place? {
    guard let rest = name.behind("HB.") else { return nil }
    if let field = rest.behind("field.") {
      return Place(meaning: .remark(field.onOneLine), passesOverZeros: false)
    }
    let column: ItemColumn
    switch ItemColumn.bare(rest) {
    case "name": column = .name
    case "description": column = .description
    case "quantity": column = .quantity
    case "purchaseprice": return Place(meaning: .field(.value), passesOverZeros: true)
    case "location": column = .location
    case "labels", "tags": column = .tags
    case "notes": column = .notes
    case "importref", "": return nil
    default:
      let words = rest.unicodeScalars.split { $0 == "_" || $0 == " " }.map(String.init)
        .joined(separator: " ").unicodeScalars
      guard let first = words.first else { return nil }
      let label = first.properties.uppercaseMapping + String(words.dropFirst())
      return Place(meaning: .remark(label), passesOverZeros: true)
    }
    return Place(meaning: .field(column), passesOverZeros: false)
  }

  /// A line with what it says of an item.
  struct Line {
    /// The physical line.
    let number: Int
    /// The texts of the columns that the table has.
    var cells: [ItemColumn: String] = [:]
    /// The facts that become lines of the notes, in their order; `nil` where the table has none.
    var remarks: [String]?
    /// What Homebox knows the item by; empty for nothing.
    var identity = ""
  }

  /// A line, or the reason why there is none.
  enum Entry {
    case line(Line)
    case fault(line: Int, TableFault)
  }

  /// The lines, in their order.
  var entries: some Sequence<Entry> {
    table.lazy.map { entry in
      switch entry {
      case .fault(let line, let fault): .fault(line: line, fault)
      case .row(let row): .line(line(row))
      }
    }
  }

  private func line(_ row: TableRow) -> Line {
    var line = Line(number: row.line)
    line.identity =
      identities.lazy.map { row.cells[$0].trimmed }.first { !Self.saysNothing($0) && !$0.isEmpty }
      ?? ""
    for (number, place) in zip(numbers, columns) {
      let cell = SpreadsheetText.bare(row.cells[number])
      let text = place.passesOverZeros && Self.saysNothing(cell) ? "" : cell
      switch place.meaning {
      case .field(let column): line.cells[column] = text
      case .remark(let label):
        let fact = text.onOneLine
        line.remarks = (line.remarks ?? []) + (fact.isEmpty ? [] : ["\(label): \(fact)"])
      }
    }
    return line
  }

  /// Whether a fact was never filled in.
  private static func saysNothing(_ text: String) -> Bool {
    let text = text.trimmed.lowercased()
    return ["0", "0.00", "false", "000-000"].contains(text) || text.behind("0001-01-01") != nil
  }
}

/// A column of a table of items, by the name of the member of an item's JSON; in the order in which tables
/// are written.
package enum ItemColumn: String, CaseIterable, Sendable {
  case id, name, description, category, quantity, value, replacementValue, location, tags, notes
  case price, serial, boughtOn, boughtFrom, warrantyUntil
  /// Paths of files to be kept with the item, only in tables that are read.
  case files

  package static let written = allCases.filter { $0 != .files }

  /// The names that columns are given by.
  package static let names = allCases.map(\.name)

  package var name: String { rawValue }

  /// Reads a name as it stands in a header, whatever its case and the signs between its words.
  package init?(name: String) {
    let word = Self.bare(name)
    guard let column = Self.allCases.first(where: { Self.bare($0.name) == word }) else {
      return nil
    }
    self = column
  }

  /// The letters of a name, small, without spaces and signs between its words.
  static func bare(_ name: String) -> String {
    String(
      String.UnicodeScalarView(
        name.lowercased().unicodeScalars.filter { !" _-.\u{a0}".unicodeScalars.contains($0) }))
  }
}

extension Item {
  /// The item as a line of a table. Its texts are no formulas to a spreadsheet; its numbers are numbers.
  package var tableCells: [String] {
    ItemColumn.written.map { column in
      switch column {
      case .id: id.description
      case .name: SpreadsheetText.guarded(name)
      case .description: SpreadsheetText.guarded(description)
      case .category: SpreadsheetText.guarded(category)
      case .quantity: String(quantity)
      case .value: value?.description ?? ""
      case .replacementValue: replacementValue?.description ?? ""
      case .location: SpreadsheetText.guarded(location)
      case .tags: SpreadsheetText.guarded(TextList.text(tags))
      case .notes: SpreadsheetText.guarded(notes)
      case .price: price?.description ?? ""
      case .serial: SpreadsheetText.guarded(serial)
      case .boughtOn: boughtOn?.description ?? ""
      case .boughtFrom: SpreadsheetText.guarded(boughtFrom)
      case .warrantyUntil: warrantyUntil?.description ?? ""
      case .files: ""
      }
    }
  }
}
