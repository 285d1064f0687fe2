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
