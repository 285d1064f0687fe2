/// A column of a table of items.
package enum ItemColumn: Hashable, Sendable {
  case id, name, description, category, quantity, value, replacementValue, location, tags, notes
  /// Paths of files to be kept with the item.
  case files
  /// A fact for which an item has no place: a line of the notes, behind this label.
  case remark(String)

  /// The columns of a table that is written, in its order.
  package static let written: [ItemColumn] = [
    .id, .name, .description, .category, .quantity, .value, .replacementValue, .location, .tags,
    .notes,
  ]

  private static let named = written + [.files]

  /// The names that columns are given by.
  package static let names = named.map(\.name)

  /// The name of the column, and of the member of an item's JSON.
  package var name: String {
    switch self {
    case .id: "id"
    case .name: "name"
    case .description: "description"
    case .category: "category"
    case .quantity: "quantity"
    case .value: "value"
    case .replacementValue: "replacementValue"
    case .location: "location"
    case .tags: "tags"
    case .notes: "notes"
    case .files: "files"
    case .remark(let label): label
    }
  }

  /// Reads a name as it stands in a header, whatever its case and the signs between its words.
  package init?(name: String) {
    let word = Self.bare(name)
    guard let column = Self.named.first(where: { Self.bare($0.name) == word }) else { return nil }
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
      case .files, .remark: ""
      }
    }
  }
}
