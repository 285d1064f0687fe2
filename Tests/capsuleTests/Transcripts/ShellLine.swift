import TestSupport

/// A line as a shell reads it: variables, commands with `|` between them, and at most one file to read, one to
/// write, and one for errors. Anything else that a shell knows is refused, so that no line means something else here.
struct ShellLine {
  /// What `"$@"`, `"$1"` and `"$NAME"` stand for in the line of another program.
  struct Parameters {
    var words: [String]
    var variables: [String: String]
  }

  private(set) var variables: [(name: String, value: String)] = []
  private(set) var commands: [[String]] = [[]]
  private(set) var input: String?
  private(set) var output: String?
  /// Whether what is printed comes after what the file holds.
  private(set) var appends = false
  /// The file for what all commands write to standard error.
  private(set) var errors: String?
  /// Stands for an unquoted `*`.
  static let star: Character = "\u{e000}"

  /// - Throws: ``TestFault`` where a shell would understand more than this.
  init(_ line: String, _ parameters: Parameters? = nil) throws {
    var scanner = Scanner(rest: Array(line)[...], parameters: parameters)
    while let token = try scanner.next() {
      switch token {
      case .word(let word):
        if commands == [[]], let (name, value) = Self.assignment(word) {
          variables.append((name, value))
        } else {
          commands[commands.count - 1].append(word)
        }
      case .words(let words): commands[commands.count - 1] += words
      case .pipe: commands.append([])
      case .less:
        try Self.require(input == nil, "one file is read at most")
        input = try scanner.file()
      case .greater(let appends):
        try Self.require(output == nil, "one file is written at most")
        output = try scanner.file()
        self.appends = appends
      case .errors: errors = try scanner.file()
      }
    }
    try Self.require(!commands.contains([]), "a command is missing")
  }

  static func assignment(_ word: String) -> (name: String, value: String)? {
    guard let sign = word.firstIndex(of: "=") else { return nil }
    let name = word[..<sign]
    let isName =
      !name.isEmpty && name.first?.isNumber == false
      && name.allSatisfy { $0 == "_" || $0.isASCII && ($0.isLetter || $0.isNumber) }
    return isName ? (String(name), String(word[word.index(after: sign)...])) : nil
  }

  /// The bytes of a text with the escapes of `printf`.
  static func unescaped(_ text: String) throws -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\\"):
        let escape = rest.popFirst().map { Character(Unicode.Scalar($0)) }
        switch escape {
        case "n": bytes.append(10)
        case "r": bytes.append(13)
        case "t": bytes.append(9)
        case "\\": bytes.append(UInt8(ascii: "\\"))
        case "'": bytes.append(UInt8(ascii: "'"))
        case "x":
          guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
            throw TestFault("\\x has two digits")
          }
          rest = rest.dropFirst(2)
          bytes.append(value)
        default: throw TestFault("this \\ is not known here")
        }
      default: bytes.append(byte)
      }
    }
    return bytes
  }

  private static func require(_ condition: Bool, _ message: String) throws {
    if !condition { throw TestFault(message) }
  }

  private enum Token {
    case word(String), words([String]), pipe, less, errors, greater(appends: Bool)
  }

  private struct Scanner {
    var rest: ArraySlice<Character>
    let parameters: Parameters?

    mutating func next() throws -> Token? {
      rest = rest.drop { $0 == " " }
      guard let first = rest.first else { return nil }
      switch first {
      case "|": rest.removeFirst(); return .pipe
      case "<": rest.removeFirst(); return .less
      case ">":
        rest.removeFirst()
        let appends = rest.first == ">"
        if appends { rest.removeFirst() }
        return .greater(appends: appends)
      case "2" where rest.dropFirst().first == ">": rest.removeFirst(2); return .errors
      case "\"" where rest.starts(with: "\"$@\""):
        guard let parameters else { break }
        rest.removeFirst(4)
        return .words(parameters.words)
      case "~", "#":
        throw TestFault("an unquoted \(first) at the start of a word is not known here")
      default: break
      }
      return .word(try word())
    }

    mutating func file() throws -> String {
      guard case .word(let name)? = try next() else { throw TestFault("a file's name is missing") }
      return name
    }

    private mutating func word() throws -> String {
      var word = ""
      while let character = rest.first, !" |<>".contains(character) {
        rest.removeFirst()
        switch character {
        case "'":
          guard let end = rest.firstIndex(of: "'") else { throw TestFault("a ' is not closed") }
          word += String(rest[..<end])
          rest = rest[(end + 1)...]
        case "\"": word += try quoted()
        case "$" where rest.first == "'":
          rest.removeFirst()
          word += try escaped()
        case "\\":
          guard let escaped = rest.popFirst() else { throw TestFault("a \\ is the last") }
          word.append(escaped)
        case "*": word.append(ShellLine.star)
        case "$", "`", "?", "[", "&", ";", "(", ")":
          throw TestFault("an unquoted \(character) is not known here")
        default: word.append(character)
        }
      }
      return word
    }

    /// The text of `$'…'`, whose escapes are those of `printf`.
    private mutating func escaped() throws -> String {
      var text = ""
      while let character = rest.popFirst() {
        if character == "'" {
          guard let word = String(validating: try ShellLine.unescaped(text), as: UTF8.self) else {
            throw TestFault("a word is not UTF-8")
          }
          return word
        }
        text.append(character)
        if character == "\\", let next = rest.popFirst() { text.append(next) }
      }
      throw TestFault("a ' is not closed")
    }

    private mutating func parameter() throws -> String {
      let name = String(rest.prefix { $0 == "_" || $0.isASCII && ($0.isLetter || $0.isNumber) })
      rest.removeFirst(name.count)
      guard let parameters, !name.isEmpty else { throw TestFault("a $ has no name") }
      guard let number = Int(name) else { return parameters.variables[name] ?? "" }
      return parameters.words.indices.contains(number - 1) ? parameters.words[number - 1] : ""
    }

    private mutating func quoted() throws -> String {
      var word = ""
      while let character = rest.popFirst() {
        switch character {
        case "\"": return word
        case "$" where parameters != nil: word += try parameter()
        case "$", "`": throw TestFault("a \(character) in double quotes is not known here")
        case "\\":
          guard let next = rest.first, "\\\"$`".contains(next) else {
            word.append(character)
            continue
          }
          rest.removeFirst()
          word.append(next)
        default: word.append(character)
        }
      }
      throw TestFault("a \" is not closed")
    }
  }
}
