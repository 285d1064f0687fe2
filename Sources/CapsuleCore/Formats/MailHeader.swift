/// Header fields of a message (RFC 5322 §2.2): one line each that is folded, in ASCII.
package struct MailHeader {
  /// The lines, without their ends.
  private(set) var lines: [String] = []

  /// The columns that a folded line keeps within (RFC 5322 §2.1.1; RFC 2047 §2 for encoded words).
  private static let columns = 76

  /// Adds a field whose value is the program's own: ASCII, and short.
  mutating func add(_ name: String, _ value: String) {
    lines.append("\(name): \(value)")
  }

  /// Adds a field of parameters, each on a line of its own.
  mutating func add(_ name: String, _ value: String, _ parameters: [String]) {
    lines.append("\(name): \(value)" + (parameters.isEmpty ? "" : ";"))
    for (index, parameter) in parameters.enumerated() {
      lines.append(" " + parameter + (index + 1 < parameters.count ? ";" : ""))
    }
  }

  /// Adds a field of words that people wrote.
  mutating func add(_ name: String, text: String) {
    write("\(name):", words(Self.clean(text), after: name.utf8.count + 1))
  }

  /// Adds a field with an address, and the name before it.
  mutating func add(_ name: String, _ mailbox: Mailbox) {
    let person = Self.clean(mailbox.name)
    var words: [String] = []
    if !person.isEmpty {
      words = Self.phrase(person).map { [$0] } ?? encoded(person, after: name.utf8.count + 1)
    }
    write("\(name):", words + ["<\(mailbox.address.text)>"])
  }

  /// Returns a text on one line, without what acts on a terminal or turns the direction of a line.
  package static func clean(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x00...0x1f, 0x7f...0x9f, 0x2028, 0x2029: scalars.append(" ")
      case 0x61c, 0x200e...0x200f, 0x202a...0x202e, 0x2066...0x2069: break
      default: scalars.append(scalar)
      }
    }
    return String(scalars).onOneLine
  }

  /// Puts words on lines, a space before each.
  private mutating func write(_ start: String, _ words: [String]) {
    var line = start
    for word in words {
      if line.utf8.count + 1 + word.utf8.count > Self.columns, line != start {
        lines.append(line)
        line = ""
      }
      line += " " + word
    }
    lines.append(line)
  }

  /// Returns the words of a text as they are, where they can stand so, else encoded.
  private func words(_ text: String, after column: Int) -> [String] {
    let words = text.parts(at: " ")
    let isPlain =
      words.allSatisfy { $0.utf8.count <= 60 && $0.utf8.allSatisfy { (0x21...0x7e).contains($0) } }
      && !words.contains { $0.hasPrefix("=?") }
    return isPlain ? words : encoded(text, after: column)
  }

  /// Returns a name as a phrase (RFC 5322 §3.2.5); `nil` where it is to be encoded.
  private static func phrase(_ name: String) -> String? {
    guard name.utf8.count <= 60, name.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) else {
      return nil
    }
    let isPlain = name.parts(at: " ").allSatisfy { word in
      word.utf8.allSatisfy(MailAddress.isAtomByte) && !word.hasPrefix("=?")
    }
    if isPlain { return name }
    guard !name.utf8.contains(UInt8(ascii: "=")) else { return nil }
    var quoted = "\""
    for scalar in name.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { quoted += "\\" }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted + "\""
  }

  /// Returns a text as encoded words (RFC 2047), none of which ends within a character.
  ///
  /// - Parameter column: the column behind the field's name and colon.
  private func encoded(_ text: String, after column: Int) -> [String] {
    var words: [String] = []
    var bytes: [UInt8] = []
    var room = Self.room(after: column)
    func word() -> String { "=?utf-8?B?\(Base64.encode(bytes, padded: true))?=" }
    for scalar in text.unicodeScalars {
      let more = Array(String(scalar).utf8)
      if bytes.count + more.count > room, !bytes.isEmpty {
        words.append(word())
        bytes = []
        room = Self.room(after: 0)
      }
      bytes += more
    }
    if !bytes.isEmpty { words.append(word()) }
    return words
  }

  /// The bytes that an encoded word of a line can hold; an encoded word is of at most 75 characters.
  private static func room(after column: Int) -> Int {
    max(1, (columns - column - 1 - "=?utf-8?B??=".utf8.count) / 4) * 3
  }
}
