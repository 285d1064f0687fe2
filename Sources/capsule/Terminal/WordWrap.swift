import CapsuleCore

/// Breaks lines at words, for a terminal of so many columns.
///
/// Line breaks replace the spaces and tabs between two words; all other spaces stay. A word that is wider than
/// the terminal stays whole and starts at the margin, so that paths and ids can be copied. A command or an
/// option in quotes, and a command that ends a hint, stay on one line where one line holds them.
enum WordWrap {
  /// The most columns of a line of a letter.
  static let letterColumns = 76

  /// Returns the lines of a text without line feeds, each as its indent and the UTF-8 bytes of the text that
  /// follow.
  ///
  /// - Parameters:
  ///   - start: the number of bytes before the first word, which stay before it.
  ///   - rest: the indent of every line but the first. Where it takes half of a line, it is two spaces; where
  ///     only a narrower one leaves room for the first word, that one.
  static func lines(
    of text: [UInt8], from start: Int = 0, columns: Int, rest: [UInt8]
  ) -> [(indent: [UInt8], bytes: Range<Int>)] {
    let isDeep = column(after: rest, from: 0) * 2 >= columns
    let indent = isDeep ? Array(rest.prefix(2)) : rest
    let indentColumns = column(after: indent, from: 0)
    let beginning = text[..<start] + text[start...].prefix(while: isSpace)
    let startColumn = column(after: beginning, from: 0)
    let words = joined(
      words(of: text, from: start), in: text, columns: columns - max(startColumn, indentColumns))
    guard let first = words.first else { return [([], 0..<text.count)] }
    var lines: [(indent: [UInt8], bytes: Range<Int>)] = []
    var line: (indent: [UInt8], bytes: Range<Int>) = ([], 0..<first.bytes.upperBound)
    var column = startColumn + first.columns
    for word in words.dropFirst() {
      let gap = text[line.bytes.upperBound..<word.bytes.lowerBound]
      let end = self.column(after: gap, from: column) + word.columns
      if end <= columns {
        line.bytes = line.bytes.lowerBound..<word.bytes.upperBound
        column = end
      } else {
        lines.append(line)
        let room = max(0, columns - word.columns)
        let isIndented = indentColumns <= room
        line = (isIndented ? indent : spaces(min(room, indentColumns)), word.bytes)
        column = (isIndented ? indentColumns : line.indent.count) + word.columns
      }
    }
    // Spaces at the end stay where they take no line of their own.
    if self.column(after: text[line.bytes.upperBound...], from: column) <= columns {
      line.bytes = line.bytes.lowerBound..<text.count
    }
    return lines + [line]
  }

  /// Returns a letter with lines of at most 76 columns: its own line breaks stay, and the lines that continue
  /// another one have its indent, or begin below the text of an item of a list.
  static func letter(_ text: String, columns: Int) -> String {
    let columns = min(columns, letterColumns)
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    // No character takes more columns than bytes, but for a tab.
    if lines.allSatisfy({ $0.count <= columns && !$0.contains(tab) }) { return text }
    var result: [UInt8] = []
    result.reserveCapacity(text.utf8.count + text.utf8.count / 16)
    for (place, line) in lines.enumerated() {
      if place > 0 { result.append(UInt8(ascii: "\n")) }
      let bytes = Array(line)
      let space = bytes.prefix(while: isSpace)
      let marker = listMarker(bytes[space.count...])
      for (number, part) in self.lines(
        of: bytes, from: space.count + marker, columns: columns, rest: space + spaces(marker)
      ).enumerated() {
        if number > 0 { result.append(UInt8(ascii: "\n")) }
        result += part.indent
        result += bytes[part.bytes]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Returns the bytes of `- `, `* `, `1. ` and the like at the beginning of a line, each of one column.
  private static func listMarker(_ line: ArraySlice<UInt8>) -> Int {
    let digits = line.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
    let rest = line.dropFirst(digits)
    let marks = digits == 0 ? "-*" : ".)"
    guard digits < 4, let mark = rest.first, marks.utf8.contains(mark) else { return 0 }
    let spaces = rest.dropFirst().prefix { $0 == space }.count
    return (1...3).contains(spaces) ? digits + 1 + spaces : 0
  }

  /// Returns a question on as many lines as it takes. Its spaces at the end stay.
  static func question(_ text: String, columns: Int) -> String {
    let bytes = Array(text.utf8)
    let end = bytes.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? 0
    var result: [UInt8] = []
    let lines = lines(of: Array(bytes[..<end]), columns: columns, rest: spaces(2))
    for (number, line) in lines.enumerated() {
      if number > 0 { result.append(UInt8(ascii: "\n")) }
      result += line.indent + bytes[line.bytes]
    }
    return String(decoding: result + bytes[end...], as: UTF8.self)
  }

  // MARK: Words

  private struct Word {
    var bytes: Range<Int>
    var columns: Int
  }

  private static let space = UInt8(ascii: " ")
  private static let tab = UInt8(ascii: "\t")

  private static func isSpace(_ byte: UInt8) -> Bool { byte == space || byte == tab }

  static func spaces(_ count: Int) -> [UInt8] {
    Array(repeating: space, count: count)
  }

  /// Returns the column after spaces and tabs. Tabs lead to every eighth column.
  private static func column(after gap: some Sequence<UInt8>, from start: Int) -> Int {
    gap.reduce(start) { $1 == tab ? ($0 / 8 + 1) * 8 : $0 + 1 }
  }

  private static func columns(of bytes: ArraySlice<UInt8>) -> Int {
    bytes.allSatisfy { $0 < 0x80 }
      ? bytes.count : TextWidth.of(String(decoding: bytes, as: UTF8.self))
  }

  /// Returns the words of a text, which spaces and tabs separate.
  private static func words(of text: [UInt8], from start: Int) -> [Word] {
    var words: [Word] = []
    var place = start
    while place < text.count {
      guard !isSpace(text[place]) else {
        place += 1
        continue
      }
      let end = text[place...].firstIndex(where: isSpace) ?? text.count
      words.append(Word(bytes: place..<end, columns: columns(of: text[place..<end])))
      place = end
    }
    return words
  }

  /// Returns the words, where each command, option or path to be copied is one word if it fits on a line.
  private static func joined(_ words: [Word], in text: [UInt8], columns: Int) -> [Word] {
    var result: [Word] = []
    var place = 0
    while place < words.count {
      var word = words[place]
      let previous = place > 0 ? text[words[place - 1].bytes] : []
      if let isLast = endOfCopied(text[word.bytes], after: previous) {
        var end = place
        var whole = word
        while !isLast(text[words[end].bytes]), end + 1 < words.count, whole.columns <= columns {
          end += 1
          let next = words[end]
          let gap = text[whole.bytes.upperBound..<next.bytes.lowerBound]
          whole.bytes = whole.bytes.lowerBound..<next.bytes.upperBound
          whole.columns = column(after: gap, from: whole.columns) + next.columns
        }
        if whole.columns <= columns, end > place,
          isLast(text[words[end].bytes]) || !isQuoted(word, text),
          // The width of a tab depends on where it is.
          !text[whole.bytes].contains(tab)
        {
          word = whole
          place = end
        }
      }
      result.append(word)
      place += 1
    }
    return result
  }

  private static let quote = UInt8(ascii: "'")
  private static let stops = Array(".,:;!?)".utf8)

  private static func isQuoted(_ word: Word, _ text: [UInt8]) -> Bool {
    text[word.bytes.lowerBound] == quote
  }

  /// Returns the test for the last word of what begins with a word and is to be copied; `nil` where nothing
  /// does: a command, an option or a path in quotes, or a command or an option after a colon.
  private static func endOfCopied(
    _ word: ArraySlice<UInt8>, after previous: ArraySlice<UInt8>
  ) -> ((ArraySlice<UInt8>) -> Bool)? {
    let inner = word.dropFirst()
    if word.first == quote,
      inner.elementsEqual("capsule".utf8) || inner.first == UInt8(ascii: "-")
        || inner.contains(UInt8(ascii: "/"))
    {
      return { ending in
        let bare = ending.prefix(
          through: ending.lastIndex { !stops.contains($0) } ?? ending.startIndex)
        return bare.last == quote && bare.count > 1
      }
    }
    let isCommand = word.elementsEqual("capsule".utf8) || word.starts(with: "--".utf8)
    if isCommand, previous.last == UInt8(ascii: ":") {
      return { [UInt8(ascii: ";"), UInt8(ascii: ",")].contains($0.last) }
    }
    return nil
  }
}
