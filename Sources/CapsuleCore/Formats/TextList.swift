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
