/// A table of items: which column is what, and the lines as they stand.
package struct ItemTable: Sendable {
  /// The columns that are left out although they have something in them, by their names.
  package let leftOut: [String]
  package var isLatin1: Bool { table.isLatin1 }
  private let table: CommaSeparated
  /// The columns that are taken, in their order.
  private let columns: [Place]
  /// The places in a line of what Homebox knows an item by.
  private let identities: [Int]

  /// The meaning of a column, and its place in a line.
  private struct Place {
    let number: Int
    let meaning: Meaning
    /// Whether a zero, a `false` and the first day of the calendar say nothing, as Homebox writes them.
    var passesOverZeros = false
  }

  private struct Meaning: Hashable {
    /// The name of an item's column, or the label of a remark.
    let name: String
    /// Whether it is a fact for which an item has no place: a line of the notes, behind its label.
    var isRemark = false
  }

  /// - Parameter map: the names of columns, by the names that they have in the table.
  /// - Throws: `.refused` where the columns are none of items; the message leaves the name of the table open.
  package init(
    _ table: CommaSeparated, map: [(name: String, column: String)]
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
    var places: [Place] = []
    for (number, cell) in header.cells.enumerated() {
      let cell = cell.trimmed
      let place =
        (mapped[NameKey(cell)] ?? ItemField.name(cell)).map {
          Place(number: number, meaning: Meaning(name: $0))
        } ?? Self.homebox(cell, at: number)
      guard let place else { continue }
      if let other = names.updateValue(cell, forKey: place.meaning) {
        throw Self.refusal(
          ": two columns for '\(place.meaning.name.shortened)': '\(other.shortened)' and '\(cell.shortened)'",
          "map one of them to another field, or rename one in the table")
      }
      places.append(place)
    }
    guard names[Meaning(name: "name")] != nil || names[Meaning(name: "id")] != nil else {
      throw Self.refusal(
        ": no name column found", "choose the name column: --map 'COLUMN=name'")
    }
    columns = places
    identities = ["importref", "assetid"].compactMap { name in
      header.cells.firstIndex { $0.trimmed.behind("HB.").map { ItemField.bare($0) } == name }
    }
    leftOut = Self.leftOut(table, header.cells, besides: Set(places.map(\.number)))
  }

  private static func refusal(_ words: Fault.Message, _ hint: String?) -> Fault {
    Fault(.refused, "\(open: .name)\(words)", hint: hint)
  }

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

  /// The columns of items by the names of those of Homebox.
  private static let homebox = [
    "name": "name", "description": "description", "quantity": "quantity",
    "purchaseprice": "value", "location": "location", "labels": "tags", "tags": "tags",
    "notes": "notes",
  ]

  /// Reads the name of a column as Homebox writes it: `HB.purchase_price`, `HB.field.Colour`.
  private static func homebox(_ name: String, at number: Int) -> Place? {
    guard let rest = name.behind("HB.") else { return nil }
    if let field = rest.behind("field.") {
      return Place(number: number, meaning: Meaning(name: field.onOneLine, isRemark: true))
    }
    let bare = ItemField.bare(rest)
    if let field = homebox[bare] {
      return Place(
        number: number, meaning: Meaning(name: field), passesOverZeros: bare == "purchaseprice")
    }
    let words = rest.unicodeScalars.split { $0 == "_" || $0 == " " }.map(String.init)
      .joined(separator: " ").unicodeScalars
    guard !["importref", ""].contains(bare), let first = words.first else { return nil }
    let label = first.properties.uppercaseMapping + String(words.dropFirst())
    return Place(
      number: number, meaning: Meaning(name: label, isRemark: true), passesOverZeros: true)
  }

  /// A line with what it says of an item.
  struct Line {
    /// The physical line.
    let number: Int
    /// The texts of the columns that the table has, by the names of the columns.
    var cells: [String: String] = [:]
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
    for place in columns {
      let cell = SpreadsheetText.bare(row.cells[place.number])
      let text = place.passesOverZeros && Self.saysNothing(cell) ? "" : cell
      if place.meaning.isRemark {
        let fact = text.onOneLine
        line.remarks =
          (line.remarks ?? []) + (fact.isEmpty ? [] : ["\(place.meaning.name): \(fact)"])
      } else {
        line.cells[place.meaning.name] = text
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
