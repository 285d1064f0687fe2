/// A JSON number by its text (RFC 8259 §6), kept as it was written.
package struct JSONNumber: Hashable, Sendable {
  /// The text in the document, such as `1.50` or `-2e+3`: ASCII, in the grammar of RFC 8259.
  package let text: String

  /// A number from its text; `nil` for a text that is not one in the grammar.
  package init?(_ text: String) {
    guard let value = try? JSON.parse(Array(text.utf8)) else { return nil }
    switch value {
    case .integer, .number: break
    default: return nil
    }
    // The parser allows white space around a value.
    if text.utf8.contains(where: { $0 <= 0x20 }) { return nil }
    self.text = text
  }

  /// Text that the parser has found to be a number.
  package init(checked text: String) {
    self.text = text
  }
}
