/// A field of items, as tables and pages show it.
package struct ItemField: Sendable {
  package typealias Path<Value> = any WritableKeyPath<Item, Value> & Sendable

  /// The value of a field, and how a cell of a table holds it.
  enum Value: Sendable {
    /// A text without white space at its ends.
    case text(Path<String>)
    /// A text as it is.
    case verbatim(Path<String>)
    case texts(Path<[String]>)
    case date(Path<CivilDate?>)
    case money(Path<Money?>)
    case id, quantity
    /// Paths of files to be kept with the item, only in tables that are read.
    case files
  }

  /// The readers of a page about an item.
  enum Readers: Sendable {
    case owner
    case heirs
    /// Heirs only where values are asked for.
    case heirsWithValues
  }

  /// The name of the member of an item's JSON, and of the column of a table.
  package let name: String
  let value: Value
  /// The words before it in the list of facts on a page, and its readers there; `nil` for a field that is not in that
  /// list.
  let page: (label: String, readers: Readers)?

  init(_ name: String, _ value: Value, _ label: String? = nil, for readers: Readers = .owner) {
    (self.name, self.value) = (name, value)
    page = label.map { ($0, readers) }
  }

  /// The fields in the order in which tables and pages have them. A line of a table is refused for one fault: the
  /// last part is read first.
  static let parts: [[ItemField]] = [
    [
      ItemField("id", .id), ItemField("name", .text(\.name)),
      ItemField("description", .verbatim(\.description)),
      ItemField("category", .text(\.category), "Category", for: .heirs),
      ItemField("quantity", .quantity, "Quantity", for: .heirs),
    ],
    [
      ItemField("value", .money(\.value), "Value", for: .heirsWithValues),
      ItemField(
        "replacementValue", .money(\.replacementValue), "Replacement value", for: .heirsWithValues),
      ItemField("location", .text(\.location), "Location", for: .heirs),
      ItemField("tags", .texts(\.tags), "Tags", for: .heirs),
      ItemField("notes", .verbatim(\.notes)),
    ],
    [
      ItemField("price", .money(\.price), "Price"),
      ItemField("serial", .text(\.serial), "Serial number", for: .heirs),
    ],
    [
      ItemField("boughtOn", .date(\.boughtOn), "Bought on"),
      ItemField("boughtFrom", .text(\.boughtFrom), "Bought from"),
      ItemField("warrantyUntil", .date(\.warrantyUntil), "Warranty until", for: .heirs),
      ItemField("files", .files),
    ],
  ]

  /// The names of the columns that are read.
  package static let names = parts.joined().map(\.name)
  /// The names of those that are written: all but the files.
  package static let written = Array(names.dropLast())

  /// Returns the name that is meant by one in a header, whatever its case and the signs between its words.
  package static func name(_ text: String) -> String? {
    let word = bare(text)
    return names.first { bare($0) == word }
  }

  /// The letters of a name, small, without spaces and signs between its words.
  static func bare(_ name: String) -> String {
    String(
      String.UnicodeScalarView(
        name.lowercased().unicodeScalars.filter { !" _-.\u{a0}".unicodeScalars.contains($0) }))
  }

  /// Returns the text of the field on a page; empty where there is nothing to say.
  ///
  /// - Parameter isCounted: whether an amount is told for all pieces too.
  fileprivate func text(of item: Item, isCounted: Bool) -> String {
    switch value {
    case .text(let path), .verbatim(let path): item[keyPath: path]
    case .texts(let path): item[keyPath: path].joined(separator: ", ")
    case .date(let path): item[keyPath: path]?.inWords ?? ""
    case .money(let path):
      item[keyPath: path].map { isCounted ? item.worth($0) : $0.description } ?? ""
    case .quantity: item.quantity == 1 ? "" : String(item.quantity)
    case .id, .files: ""
    }
  }
}

extension Item {
  /// The item as a line of a table. Its texts are no formulas to a spreadsheet; its numbers are numbers.
  package var tableCells: [String] {
    ItemField.parts.joined().dropLast().map { field in
      switch field.value {
      case .text(let path), .verbatim(let path): SpreadsheetText.guarded(self[keyPath: path])
      case .texts(let path): SpreadsheetText.guarded(TextList.text(self[keyPath: path]))
      case .date(let path): self[keyPath: path]?.description ?? ""
      case .money(let path): self[keyPath: path]?.description ?? ""
      case .id: id.description
      case .quantity: String(quantity)
      case .files: ""
      }
    }
  }

  /// Returns the facts about the item that a page shows to some readers.
  func details(for readers: Set<ItemField.Readers>) -> [Gift.Detail] {
    let isCounted = readers.contains(.owner)
    return ItemField.parts.joined().compactMap { field in
      guard let page = field.page, readers.contains(page.readers) else { return nil }
      let text = field.text(of: self, isCounted: isCounted)
      return text.isEmpty ? nil : Gift.Detail(page.label, text)
    }
  }

  /// Returns an amount of one piece and of all: `3 × EUR 1,200.00 = EUR 3,600.00`.
  fileprivate func worth(_ money: Money) -> String {
    let all = money.grouped(times: quantity)
    return quantity > 1 ? "\(quantity) × \(money.grouped(times: 1)) = \(all)" : all
  }
}

extension Money {
  /// Returns the amount so many times, with its digits in groups: `EUR 1,200.00`.
  func grouped(times count: Int64) -> String {
    var sum = MoneySum(currency)
    sum.add(self, times: count)
    return sum.grouped
  }
}
