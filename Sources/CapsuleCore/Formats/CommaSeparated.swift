/// A line of a table as RFC 4180 has it.
package struct TableRow: Hashable, Sendable {
  /// The physical line on which it begins, from 1: a field in quotes may hold breaks.
  package let line: Int
  package let cells: [String]

  package init(line: Int, cells: [String]) {
    self.line = line
    self.cells = cells
  }
}

/// The reason why a line of a table cannot be read.
package enum TableFault: Hashable, Sendable {
  /// A field in quotes has no end; all behind it is lost with it.
  case openQuote
  /// Something stands behind the end of a field in quotes, on this physical line.
  case behindQuote(line: Int)
  /// The line has another number of fields than the first.
  case count(Int, expected: Int)
  /// It has more bytes than can be read.
  case tooLarge(limit: Int)
  /// It has more fields than can be read.
  case tooWide(limit: Int)
  /// It and all that come after it are more than are read at once.
  case tooMany(limit: Int)
  /// It has bytes that are no text in UTF-8, although others of the table are.
  case notUTF8
  /// It has a NUL, which no text has.
  case null
}

/// A line of a table, or the reason why there is none.
package enum TableEntry: Hashable, Sendable {
  case row(TableRow)
  case fault(line: Int, TableFault)
}

/// A table of comma-separated values (RFC 4180), whose first line names its columns: the sequence of the
/// lines behind that.
///
/// Fields are separated by commas, or by semicolons or tabs where the first line has more of these, as
/// spreadsheets write them; a line `sep=;` before it says so, as Excel reads it. A table in UTF-16 is one
/// too. Lines end with CR LF, LF or CR; lines of nothing but separators are none. A field
/// in quotes is kept to the byte; of another one the white space at both ends is none of it. A table
/// without any text in UTF-8 but with letters is in Latin-1. Reading never fails: a line that cannot be read
/// is a fault, and reading goes on behind it, never inside of a field in quotes.
package struct CommaSeparated: Sequence, Sendable {
  /// The most bytes that a table may have.
  package static let byteLimit = 64 << 20
  /// The most lines that are read.
  package static let rowLimit = 100_000
  /// The most bytes of a line.
  package static let lineLimit = 1 << 20
  /// The most columns.
  package static let columnLimit = 16_384

  /// The first line; `nil` where there is none.
  package let header: TableEntry?
  /// Whether the letters outside of ASCII are read as Latin-1.
  package let isLatin1: Bool
  private let lines: Lines

  package init(_ bytes: [UInt8]) {
    let bytes = ContentText.inUTF8(bytes)
    let hasMark = bytes.starts(with: ContentText.mark)
    isLatin1 = !hasMark && Self.isLatin1(bytes)
    let start = hasMark ? 3 : 0
    let named = Self.namedSeparator(of: bytes[start...])
    var lines = Lines(
      bytes: bytes, position: start, separator: named ?? Self.separator(of: bytes[start...]),
      isLatin1: isLatin1)
    if named != nil { lines.passOverLine() }
    header = lines.next()
    if case .row(let row)? = header {
      lines.width = row.cells.count
    } else {
      lines.end()
    }
    self.lines = lines
  }

  package func makeIterator() -> Lines { lines }

  /// Returns a line of a table. A field is in quotes where it would be read otherwise without: by RFC 4180, and
  /// by programs that separate at semicolons or tabs too, or drop spaces at the ends.
  ///
  /// - Parameter isStrict: whether only RFC 4180 counts (section 2).
  package static func line(
    _ cells: [String], isStrict: Bool = false, end: String = "\r\n"
  ) -> [UInt8] {
    let special = Array((isStrict ? "\",\r\n" : "\",;\r\n\t").utf8)
    let fields = cells.map { cell in
      let isPlain =
        !cell.utf8.contains { special.contains($0) }
        && (isStrict || cell.trimmed.utf8.count == cell.utf8.count)
      return isPlain ? cell : "\"" + cell.parts(at: "\"").joined(separator: "\"\"") + "\""
    }
    return Array((fields.joined(separator: ",") + end).utf8)
  }

  /// Whether there are letters outside of ASCII, and none of them in UTF-8.
  private static func isLatin1(_ bytes: [UInt8]) -> Bool {
    if String(validating: bytes, as: UTF8.self) != nil { return false }
    var isASCII = true
    var place = bytes.startIndex
    while let start = bytes[place...].firstIndex(where: { $0 >= 0x80 }) {
      let end = bytes[start...].firstIndex { $0 < 0x80 } ?? bytes.endIndex
      if String(validating: bytes[start..<end], as: UTF8.self) != nil { return false }
      isASCII = false
      place = end
    }
    return !isASCII
  }

  /// Returns the separator that a first line `sep=;` names, in quotes or not; `nil` where there is none.
  private static func namedSeparator(of bytes: ArraySlice<UInt8>) -> UInt8? {
    let line = bytes.prefix { $0 != 0x0a && $0 != 0x0d }.filter { $0 != UInt8(ascii: "\"") }
    let end = line.dropFirst(4)
    guard line.prefix(4).map(\.asciiLowercased) == Array("sep=".utf8), end.count == 1,
      let separator = end.first, separator < 0x80
    else { return nil }
    return separator
  }

  /// Returns the character that separates most fields of the first line, outside of quotes.
  private static func separator(of bytes: ArraySlice<UInt8>) -> UInt8 {
    let separators = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09]
    var counts = [0, 0, 0]
    var (isQuoted, isBlank) = (false, true)
    for byte in bytes {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if isQuoted { continue }
      if byte == 0x0a || byte == 0x0d {
        if isBlank { continue }
        break
      }
      if let place = separators.firstIndex(of: byte) {
        counts[place] += 1
      } else if byte != 0x20 {
        isBlank = false
      }
    }
    let most = counts.indices.max { counts[$0] < counts[$1] || counts[$0] == counts[$1] && $0 > $1 }
    return separators[most ?? 0]
  }

  /// Goes through the lines of a table.
  package struct Lines: IteratorProtocol, Sendable {
    private let bytes: [UInt8]
    private var position: Int
    private let separator: UInt8
    private let isLatin1: Bool
    /// The number of fields that a line has to have; `nil` for any.
    fileprivate var width: Int?
    /// The number of the physical line that `position` is on.
    private var line = 1
    private var count = 0

    fileprivate init(bytes: [UInt8], position: Int, separator: UInt8, isLatin1: Bool) {
      (self.bytes, self.position) = (bytes, position)
      (self.separator, self.isLatin1) = (separator, isLatin1)
    }

    fileprivate mutating func end() { position = bytes.count }

    /// Goes behind a line whose fields do not matter.
    fileprivate mutating func passOverLine() {
      while position < bytes.count, !isBreak { position += 1 }
      if position < bytes.count { endLine() }
    }

    package mutating func next() -> TableEntry? {
      while position < bytes.count {
        guard let entry = nextLine() else { continue }
        // The first line is none of those that are counted.
        guard count <= CommaSeparated.rowLimit else {
          end()
          return .fault(line: entry.line, .tooMany(limit: CommaSeparated.rowLimit))
        }
        count += 1
        return entry
      }
      return nil
    }

    /// Takes a line; `nil` for one without anything in it.
    private mutating func nextLine() -> TableEntry? {
      let (first, start) = (line, position)
      var cells: [String] = []
      var (count, isBlank) = (0, true)
      var fault: TableFault?
      let limit = width ?? CommaSeparated.columnLimit
      while true {
        switch field() {
        case .text(let cell):
          count += 1
          isBlank = isBlank && cell.isEmpty
          if count <= limit { cells.append(cell) }
        case .fault(let found):
          fault = fault ?? found
          isBlank = false
        }
        if position - start > CommaSeparated.lineLimit {
          fault = .tooLarge(limit: CommaSeparated.lineLimit)
          passOver()
        }
        guard position < bytes.count, bytes[position] == separator else { break }
        position += 1
      }
      if position < bytes.count { endLine() }
      if isBlank, fault == nil { return nil }
      if let width, count != width { fault = fault ?? .count(count, expected: width) }
      if count > limit { fault = fault ?? .tooWide(limit: limit) }
      if let fault { return .fault(line: first, fault) }
      return .row(TableRow(line: first, cells: cells))
    }

    private var isBreak: Bool { bytes[position] == 0x0a || bytes[position] == 0x0d }

    /// Goes behind the break that stands at the position.
    private mutating func endLine() {
      if bytes[position] == 0x0d, position + 1 < bytes.count, bytes[position + 1] == 0x0a {
        position += 1
      }
      position += 1
      line += 1
    }

    /// Goes to the end of a line that is too long, from the end of one of its fields on.
    private mutating func passOver() {
      let separator = separator
      let (end, breaks) = bytes.withUnsafeBufferPointer { bytes in
        var (place, breaks) = (position, 0)
        var (isInQuotes, beginsField) = (false, false)
        while place < bytes.count {
          let byte = bytes[place]
          let isEnd = byte == 0x0a || byte == 0x0d
          if isEnd, !isInQuotes { break }
          if byte == 0x0a || isEnd && (place + 1 == bytes.count || bytes[place + 1] != 0x0a) {
            breaks += 1
          }
          let isOfField = byte == UInt8(ascii: "\"") && (isInQuotes || beginsField)
          if isOfField { isInQuotes.toggle() }
          // A second quote behind one that ends the field makes both a part of it.
          beginsField =
            !isInQuotes && (byte == separator || isOfField || beginsField && byte == 0x20)
          place += 1
        }
        return (place, breaks)
      }
      position = end
      line += breaks
    }

    private enum Field {
      case text(String)
      case fault(TableFault)
    }

    /// Takes a field, and stands at what ends it then, also where it is a fault.
    private mutating func field() -> Field {
      var start = position
      while start < bytes.count, bytes[start] == 0x20 { start += 1 }
      if start < bytes.count, bytes[start] == UInt8(ascii: "\"") {
        position = start + 1
        return quotedField()
      }
      start = position
      goToEndOfField()
      return text(bytes[start..<position], isTrimmed: true)
    }

    /// Takes a field behind its first quote.
    private mutating func quotedField() -> Field {
      var cell: [UInt8] = []
      while position < bytes.count {
        let byte = bytes[position]
        guard byte == UInt8(ascii: "\"") else {
          let start = position
          if isBreak { endLine() } else { goToQuoteOrBreak() }
          // The line is too long then, and what it says does not matter.
          if cell.count <= CommaSeparated.lineLimit { cell += bytes[start..<position] }
          continue
        }
        position += 1
        if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
          cell.append(byte)
          position += 1
          continue
        }
        while position < bytes.count, bytes[position] == 0x20 { position += 1 }
        guard position == bytes.count || bytes[position] == separator || isBreak else {
          while position < bytes.count, !isBreak { position += 1 }
          return .fault(.behindQuote(line: line))
        }
        return text(cell[...])
      }
      return .fault(.openQuote)
    }

    private mutating func goToEndOfField() {
      let separator = separator
      position = bytes.withUnsafeBufferPointer { bytes in
        var place = position
        while place < bytes.count, bytes[place] != separator, bytes[place] != 0x0a,
          bytes[place] != 0x0d
        {
          place += 1
        }
        return place
      }
    }

    private mutating func goToQuoteOrBreak() {
      position = bytes.withUnsafeBufferPointer { bytes in
        var place = position
        while place < bytes.count, bytes[place] != UInt8(ascii: "\""), bytes[place] != 0x0a,
          bytes[place] != 0x0d
        {
          place += 1
        }
        return place
      }
    }

    private func text(_ bytes: ArraySlice<UInt8>, isTrimmed: Bool = false) -> Field {
      // The line is too long then, and what it says does not matter.
      if bytes.count > CommaSeparated.lineLimit { return .text("") }
      if bytes.contains(0) { return .fault(.null) }
      let latin1 = isLatin1 ? ContentText.decode(bytes, charset: "ISO-8859-1") : nil
      guard let text = String(validating: bytes, as: UTF8.self) ?? latin1 else {
        return .fault(.notUTF8)
      }
      return .text(isTrimmed ? text.trimmed : text)
    }
  }
}

extension TableEntry {
  fileprivate var line: Int {
    switch self {
    case .row(let row): row.line
    case .fault(let line, _): line
    }
  }
}

/// A text in a cell of a table, as a spreadsheet leaves it alone.
///
/// Spreadsheets take a cell that begins with `=`, `+`, `-` or `@` for a formula, also in a table that came from
/// somebody else, and a formula can read files and send them away. An apostrophe before it makes the cell a text
/// to them. It is taken off again when a table is read, so that every text comes back as it was, one that begins
/// with an apostrophe too.
package enum SpreadsheetText {
  /// Returns the text as it is written: with an apostrophe before it where it could be a formula.
  package static func guarded(_ text: String) -> String {
    mayBeFormula(text) ? "'" + text : text
  }

  /// Returns the text that a cell stands for.
  package static func bare(_ cell: String) -> String {
    guard cell.utf8.first == apostrophe, mayBeFormula(cell) else { return cell }
    return String(Substring(cell.utf8.dropFirst()))
  }

  /// Whether a text begins with a sign of formulas, or with what some programs pass over before one, behind
  /// any number of apostrophes and spaces.
  private static func mayBeFormula(_ text: String) -> Bool {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "=", "+", "-", "@", "\u{ff1d}", "\u{ff0b}", "\u{ff0d}", "\u{ff20}", "\t", "\r", "\n":
        return true
      case "'": continue
      default: guard scalar.properties.isWhitespace else { return false }
      }
    }
    return false
  }

  private static let apostrophe = UInt8(ascii: "'")
}

/// A list of texts in one cell of a table: `one; two`.
///
/// Spaces and tabs around a text are none of it. A backslash stands before a `;` or a backslash of a text;
/// `\s` is a space and `\t` a tab at its ends, and `\e` a text without characters.
package enum TextList {
  package static func text(_ texts: [String]) -> String {
    texts.map(escaped).joined(separator: "; ")
  }

  private static func escaped(_ text: String) -> String {
    guard !text.isEmpty else { return #"\e"# }
    let scalars = Array(text.unicodeScalars)
    let first = scalars.firstIndex { $0 != " " && $0 != "\t" } ?? scalars.endIndex
    let last = scalars.lastIndex { $0 != " " && $0 != "\t" } ?? scalars.startIndex
    var result = String.UnicodeScalarView()
    for (place, scalar) in scalars.enumerated() {
      let isAtEnd = place < first || place > last
      switch scalar {
      case "\\": result.append(contentsOf: #"\\"#.unicodeScalars)
      case ";": result.append(contentsOf: #"\;"#.unicodeScalars)
      case " " where isAtEnd: result.append(contentsOf: #"\s"#.unicodeScalars)
      case "\t" where isAtEnd: result.append(contentsOf: #"\t"#.unicodeScalars)
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  package static func texts(_ cell: String) -> [String] {
    var texts: [String] = []
    var text = String.UnicodeScalarView()
    // The part of the text that is more than the spaces at its end.
    var kept = text.endIndex
    var isNamed = false
    func close() {
      if isNamed { texts.append(String(text[..<kept])) }
      text = String.UnicodeScalarView()
      (kept, isNamed) = (text.endIndex, false)
    }
    func add(_ scalar: Unicode.Scalar) {
      text.append(scalar)
      (kept, isNamed) = (text.endIndex, true)
    }
    var rest = cell.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case ";": close()
      case " ", "\t":
        if isNamed { text.append(scalar) }
      case "\\":
        switch rest.first {
        case "\\", ";": rest.popFirst().map(add)
        case "s":
          rest.removeFirst()
          add(" ")
        case "t":
          rest.removeFirst()
          add("\t")
        case "e":
          rest.removeFirst()
          isNamed = true
        default: add(scalar)
        }
      default: add(scalar)
      }
    }
    close()
    return texts
  }
}

/// The reasons in words, and the ways out.
extension TableFault: FaultCause {
  package var code: Fault.Code { .partial }

  package var message: Fault.Message {
    switch self {
    case .openQuote: "a quoted field has no closing quote"
    case .behindQuote(let line):
      "text after a closing quote on line \(line)"
    case .count(let count, let expected):
      "\(String.counting(count, "field", "fields")) instead of \(expected)"
    case .tooLarge(let limit): "more than \(ByteSize.text(Int64(limit)))"
    case .tooWide(let limit): "more than \(limit) columns"
    case .tooMany(let limit): "more than \(limit) lines"
    case .notUTF8: "not UTF-8, unlike the other lines"
    case .null: "a NUL character"
    }
  }

  package var hint: String? {
    switch self {
    case .openQuote:
      "add the closing quote; double each quote inside a field: \"a \"\"small\"\" ring\""
    case .behindQuote: "double each quote inside a field: \"a \"\"small\"\" ring\""
    case .count(let count, let expected):
      count < expected
        ? "add the missing fields; an empty field still needs its comma"
        : "put a field that contains a comma in quotes"
    case .tooMany, .tooLarge: "import the table in parts"
    case .tooWide: "leave out columns that items do not have"
    case .notUTF8, .null: "save the table as CSV in UTF-8"
    }
  }
}
