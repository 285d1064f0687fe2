import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Tables of RFC 4180.
@Suite struct CommaSeparatedTests {
  private func lines(_ table: CommaSeparated) -> [[String]] {
    ([table.header].compactMap { $0 } + table).map { entry in
      switch entry {
      case .row(let row): row.cells
      case .fault(let line, let fault): ["\(line): \(fault)"]
      }
    }
  }

  @Test(
    arguments: [
      ("a,b\r\n1,2\r\n", [["a", "b"], ["1", "2"]]), ("a\n1", [["a"], ["1"]]),
      ("a\r1\r\r2", [["a"], ["1"], ["2"]]),
      ("a;b\n\"x,y\";z\n", [["a", "b"], ["x,y", "z"]]),
      ("a\tb\n1\t2\n", [["a", "b"], ["1", "2"]]),
      ("\u{feff}a,b\n , \" 2 \" \n", [["a", "b"], ["", " 2 "]]),
      ("a,b\n\"1\r\n\"\"2\"\"\",3", [["a", "b"], ["1\r\n\"2\"", "3"]]),
      ("a,b\n\"\",\n,,,\n1,\n", [["a", "b"], ["1", ""]]), ("", []), ("\n\n;;\n", []),
      (
        "a,b\n1\n1,2,3\n",
        [["a", "b"], ["2: count(1, expected: 2)"], ["3: count(3, expected: 2)"]]
      ),
      ("a\n\"x\"y\nz\n", [["a"], ["2: behindQuote(line: 2)"], ["z"]]),
      ("a,b\n\"x\n1\"y,2\n3,4\n", [["a", "b"], ["2: behindQuote(line: 3)"], ["3", "4"]]),
      ("a\nx\n\"y\nz\n", [["a"], ["x"], ["3: openQuote"]]),
      ("a\nx\u{0}y\nz\n", [["a"], ["2: null"], ["z"]]), ("\"a\n1\n", [["1: openQuote"]]),
    ])
  func `fields, quotes and ends of lines are those of RFC 4180`(text: String, expected: [[String]])
  {
    expect(lines(CommaSeparated(Array(text.utf8))), is: expected)
  }

  @Test func `a line knows where it begins, behind fields of several lines`() {
    let table = CommaSeparated(Array("a\n\"1\n2\r\n3\"\n4\n".utf8))
    expect(table.map { if case .row(let row) = $0 { row.line } else { 0 } }, is: [2, 5])
  }

  @Test func `what is written is read back to the byte`() {
    let cells = ["", " a", "b ", "c,d", "e\"f", "g\r\nh", "i;j", "k\tl", "\u{600},|", "=1", "\r"]
    let bytes = CommaSeparated.line(cells.map { _ in "x" }) + CommaSeparated.line(cells)
    let read = lines(CommaSeparated(bytes)).last ?? []
    expect(read.map { Array($0.utf8) }, is: cells.map { Array($0.utf8) })
  }

  @Test(
    arguments: [
      ([0x5a, 0x6f, 0xeb], "Zoë"), ([0x80, 0x5a, 0x6f, 0xeb], "€Zoë"),
      ([0xeb, 0x80], "ë€"),
    ] as [([UInt8], String)])
  func `a table without any text in UTF-8 is read as Latin-1`(bytes: [UInt8], text: String) {
    let table = CommaSeparated([0x6e, 0x0a] + bytes)
    expect(table.isLatin1)
    expect(lines(table), is: [["n"], [text]])
  }

  @Test func `bytes that are no UTF-8 are a fault where others are`() {
    let table = CommaSeparated(Array("n\nZoë\n".utf8) + [0xeb, 0x0a] + Array("x\n".utf8))
    expect(!table.isLatin1 && lines(table) == [["n"], ["Zoë"], ["3: notUTF8"], ["x"]])
  }

  @Test(arguments: [true, false], [true, false])
  func `UTF-16 is read, with a byte order mark or without`(isBig: Bool, hasMark: Bool) {
    let units = (hasMark ? [0xfeff] : []) + Array("n\tv\nZoë\t1\n".utf16)
    let bytes = units.flatMap { unit in
      isBig
        ? [UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit)]
        : [UInt8(truncatingIfNeeded: unit), UInt8(unit >> 8)]
    }
    expect(lines(CommaSeparated(bytes)), is: [["n", "v"], ["Zoë", "1"]])
  }

  @Test(arguments: ["sep=;", "SEP=;\r", "\"sep=;\"", "\u{feff}sep=;"])
  func `a line that names the separator is obeyed`(line: String) {
    let table = CommaSeparated(Array("\(line)\nname,a;value\nUhr;EUR 5\n".utf8))
    expect(lines(table), is: [["name,a", "value"], ["Uhr", "EUR 5"]])
  }

  @Test(arguments: ["sep=", "sep=;;", "sep=é", "sep"])
  func `a line that names no separator is the header`(line: String) {
    expect(
      lines(CommaSeparated(Array("\(line)\n1\n".utf8))).first?.first?.hasPrefix("sep"), is: true)
  }

  @Test(arguments: [",", "x", "\"\""])
  func `a line that is too long is passed over to its end`(part: String) {
    let size = CommaSeparated.lineLimit
    let long = String(repeating: part, count: size / part.utf8.count + 1)
    let table = CommaSeparated(Array("a\n\(long)\nb\n".utf8))
    expect(
      table.prefix(3).map { $0 }, is: [.fault(line: 2, .tooLarge(limit: size)), Self.row(3, "b")])
  }

  @Test func `breaks in quotes belong to a line that is too long`() {
    let size = CommaSeparated.lineLimit
    let long = String(repeating: ",", count: size + 1) + "\"x\n\"\"y\n\",\n"
    let table = CommaSeparated(Array("a\n\(long)b\n".utf8))
    expect(
      table.prefix(3).map { $0 }, is: [.fault(line: 2, .tooLarge(limit: size)), Self.row(5, "b")])
  }

  private static func row(_ line: Int, _ cells: String...) -> TableEntry {
    .row(TableRow(line: line, cells: cells))
  }

  @Test func `a table has so many columns, and says where there are more`() {
    let limit = CommaSeparated.columnLimit
    let wide = String(repeating: "a,", count: limit) + "a\n1"
    expect(lines(CommaSeparated(Array(wide.utf8))), is: [["1: tooWide(limit: \(limit))"]])
  }

  @Test(.enabled(if: TestScale.isFull))
  func `a table has so many lines, and says where there are more`() {
    let count = CommaSeparated.rowLimit
    let long = "a\n" + String(repeating: "1\n", count: count + 5)
    var (rows, last) = (0, TableEntry?.none)
    for entry in CommaSeparated(Array(long.utf8)) { (rows, last) = (rows + 1, entry) }
    expect(rows, is: count + 1)
    expect(last, is: .fault(line: count + 2, .tooMany(limit: count)))
  }

  @Test(
    arguments: [
      [], ["a"], ["a", "b"], [""], ["", ""], [" a "], ["a;b", #"c\"#], [#"\e"#], ["\t", " "],
      ["a  b"],
      [#"\s"#], [";"], ["\u{600}; x"],
    ])
  func `a list in a cell is read back as it was written`(texts: [String]) {
    expect(TextList.texts(TextList.text(texts)), is: texts)
  }
}
