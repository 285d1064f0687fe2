import CapsuleCore

extension ItemImport.Problem {
  /// The reason why a line is wrong, behind its place.
  var words: String {
    switch self {
    case .table(let fault): fault.words
    case .noName: "it has no name"
    case .unknownID(let id): "no item has the id '\(id.shortened)', and it has no name"
    case .nameTaken(let name, let line?): "line \(line) has the name '\(name.shortened)' too"
    case .nameTaken(let name, nil): "another item has the name '\(name.shortened)'"
    case .severalOfName(let name): "several items have the name '\(name.shortened)'"
    case .repeated(let line): "line \(line) is of the same item"
    case .money(let column, let text, let problem):
      switch problem {
      case .form: "\(column.name) '\(text.shortened)' is no amount"
      case .unknownCurrency(let code):
        "\(column.name) '\(text.shortened)': '\(code.shortened)' is no currency of ISO 4217"
      case .tooFine(let currency):
        "\(column.name) '\(text.shortened)' has more digits behind the point than the "
          + "\(currency.exponent) of \(currency.code)"
      case .negative: "\(column.name) '\(text.shortened)' is less than nothing"
      case .tooLarge: "\(column.name) '\(text.shortened)' is more than can be kept"
      }
    case .noCurrency(let column, let text):
      "\(column.name) '\(text.shortened)' has no currency"
    case .quantity(let text):
      "quantity '\(text.shortened)' is no whole number from 1 to \(Item.quantityLimit)"
    case .file(let error): Failure(error).message
    case .fileTooLarge(let path, let limit):
      "'\(path.text)' is larger than \(ByteSize.text(limit)), the setting 'maxFileSize'"
    case .fileOutside(let path):
      "'\(path.text)' is outside the folders that this import takes files from"
    case .unreadable(let id): "the record '\(id)' of its item cannot be read"
    case .rule(let fault): Failure(fault).message
    }
  }

  var hint: String? {
    switch self {
    case .table(let fault): fault.hint
    case .money(_, let text, .form) where text.utf8.contains(UInt8(ascii: ",")):
      "a point stands before the cents, and nothing between the thousands: 'EUR 1200.50'"
    case .money: "give a currency and a number, as 'EUR 1200.50'"
    case .noCurrency: "name it once for all: '--currency EUR'"
    case .nameTaken: "names are unique; give the line another one, or the 'id' of its item"
    case .severalOfName: "give the line the 'id' of its item"
    case .fileOutside:
      "if you want the file in the store, name its folder: --files-from DIR"
    case .fileTooLarge: "'capsule settings set maxFileSize' allows more"
    case .unreadable: "'capsule verify' says what is damaged, 'capsule repair' mends what can be"
    case .noName, .unknownID, .repeated, .quantity, .file, .rule: nil
    }
  }
}

extension TableFault {
  fileprivate var words: String {
    switch self {
    case .openQuote: "a field in quotes has no end; all behind it is part of it"
    case .behindQuote(let line):
      "something stands behind the end of a field in quotes, on line \(line)"
    case .count(let count, let expected):
      "it has \(String.counting(count, "field", "fields")), and the first line has \(expected)"
    case .tooLarge(let limit): "it has more than \(ByteSize.text(Int64(limit)))"
    case .tooWide(let limit): "it has more than \(limit) columns"
    case .tooMany(let limit): "it comes after \(limit) others, and so does all behind it"
    case .notUTF8: "it has bytes that are no UTF-8, which the other lines are in"
    case .null: "it has a NUL character, which is no text"
    case .utf16: "it is in UTF-16"
    }
  }

  fileprivate var hint: String? {
    switch self {
    case .openQuote, .behindQuote: "a quote inside of a field in quotes is written twice"
    case .count: "a field with a comma in it stands in quotes"
    case .tooMany, .tooLarge: "import the table in parts"
    case .tooWide: "leave out the columns that items have no place for"
    case .notUTF8, .utf16, .null: "save the table as CSV in UTF-8"
    }
  }
}

extension ItemTable.HeaderProblem {
  func failure(of name: String) -> Failure {
    switch self {
    case .empty:
      Failure(
        .refused, "\(name): there is no line in it",
        hint: "the first line names the columns, as 'name,value'")
    case .table(let line, let fault):
      Failure(.refused, "\(name):\(line): \(fault.words)", hint: fault.hint)
    case .twice(let column, let first, let second):
      Failure(
        .refused,
        "\(name): the columns '\(first.shortened)' and '\(second.shortened)' are both '\(column.name.shortened)'",
        hint: "give one of them another name in the table")
    case .noName:
      Failure(
        .refused, "\(name): no column is the name",
        hint: "name the one that is: --map 'COLUMN=name'")
    case .noColumn(let column):
      Failure(
        .refused, "\(name): there is no column '\(column.shortened)'",
        hint: "'--map' takes the names of the first line")
    }
  }
}
