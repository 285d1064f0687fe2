import CapsuleCore

/// The blocks of a discussion: paragraphs, lists, and lines that are shown as they stand.
///
/// An empty line ends a block; a line that starts with `- ` begins an item of a list; lines that start with
/// two spaces stand as they are; words in backquotes are code.
enum ProseBlock: Hashable, Sendable {
  case paragraph(String)
  case list([String])
  case verbatim([String])

  /// Reads a discussion.
  static func blocks(of text: String) -> [ProseBlock] {
    var blocks: [ProseBlock] = []
    var words: [Substring] = []
    var items: [String] = []
    var lines: [String] = []
    func end() {
      if !words.isEmpty { blocks.append(.paragraph(words.joined(separator: " "))) }
      if !items.isEmpty { blocks.append(.list(items)) }
      if !lines.isEmpty { blocks.append(.verbatim(lines)) }
      words = []
      items = []
      lines = []
    }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("  ") {
        if !words.isEmpty || !items.isEmpty { end() }
        lines.append(String(line.dropFirst(2)))
      } else if line.hasPrefix("- ") {
        if !words.isEmpty || !lines.isEmpty { end() }
        items.append(String(line.dropFirst(2)))
      } else if line.isEmpty {
        end()
      } else if let last = items.indices.last {
        items[last] += " " + line
      } else {
        if !lines.isEmpty { end() }
        words.append(line)
      }
    }
    end()
    return blocks
  }

  /// Breaks a paragraph into lines of at most so many columns, at spaces outside of code.
  static func wrap(_ text: String, columns: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in words(of: text) {
      if !line.isEmpty, TextWidth.of(line) + 1 + width(word) > columns {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? word : " " + word
    }
    if !line.isEmpty { lines.append(line) }
    return lines
  }

  private static func width(_ word: String) -> Int {
    TextWidth.of(word.filter { $0 != "`" })
  }

  /// Returns the words of a text; code with spaces is one.
  private static func words(of text: String) -> [String] {
    var words: [String] = []
    var word = ""
    var isCode = false
    for character in text {
      if character == "`" { isCode.toggle() }
      if character == " ", !isCode {
        if !word.isEmpty { words.append(word) }
        word = ""
      } else {
        word.append(character)
      }
    }
    if !word.isEmpty { words.append(word) }
    return words
  }

  /// Returns the pieces of a text, each code or not.
  static func pieces(of text: String) -> [(text: String, isCode: Bool)] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .map { (String($0.element), !$0.offset.isMultiple(of: 2)) }
      .filter { !$0.text.isEmpty }
  }
}
