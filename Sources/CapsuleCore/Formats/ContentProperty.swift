/// One property of a vCard or a calendar: `item1.EMAIL;TYPE=home:zoe@example.org` (RFC 6350 §3.3),
/// `DTSTART;TZID=Europe/Paris:20360615T090000` (RFC 5545 §3.1).
package struct ContentProperty: Hashable, Sendable {
  /// The physical line on which it begins.
  package let line: Int
  /// The group's name in capitals; empty for none.
  package let group: String
  /// The property's name in capitals.
  package let name: String
  /// The values by their parameter's name in capitals; those of a name that stands twice together.
  /// A word without a name, as vCard 2.1 has them, is a value of `TYPE` or `ENCODING`.
  package let parameters: [String: [String]]
  /// The value as it stands in the file.
  package let value: [UInt8]
  /// Whether there was more than can be kept.
  package let isCut: Bool
  /// The size of the whole line, in bytes.
  package let size: Int

  /// Reads a line; `nil` for a line of no property.
  package init?(_ line: ContentLine) {
    guard
      let head = Head(line.bytes, honoringQuotes: true) ?? Head(line.bytes, honoringQuotes: false)
    else { return nil }
    self.line = line.number
    isCut = line.isCut
    size = line.bytes.count
    let names = head.name.split(separator: ".", omittingEmptySubsequences: false)
    group = names.dropLast().joined(separator: ".")
    name = names.last.map(String.init) ?? ""
    guard !name.isEmpty else { return nil }
    parameters = head.parameters
    value = Array(line.bytes[head.end...])
  }

  /// The kinds of address or number that it is, in lower case: `home`, `cell`, `pref`.
  package var types: [String] {
    (parameters["TYPE"] ?? []).flatMap { $0.utf8.split(separator: UInt8(ascii: ",")) }.map {
      String(Substring($0)).lowercased().trimmed
    }
  }

  /// Whether it is the number of a fax; some programs write `homefax`.
  package var isFax: Bool { types.contains { $0.utf8.suffix(3).elementsEqual("fax".utf8) } }

  /// Its place in the order of preference: 1 to 100, where the lowest is preferred; 101 for none.
  package var preference: Int {
    if let number = parameters["PREF"]?.first.flatMap({ Int($0) }), (1...100).contains(number) {
      return number
    }
    return types.contains("pref") ? 1 : 101
  }

  package enum Encoding { case plain, quotedPrintable, base64 }

  package var encoding: Encoding {
    switch parameters["ENCODING"]?.last?.uppercased() {
    case "QUOTED-PRINTABLE", "Q": .quotedPrintable
    case "BASE64", "B": .base64
    default: .plain
    }
  }
}

/// The part of a line before a property's value.
private struct Head {
  /// The property's name with its group, in capitals.
  var name = ""
  var parameters: [String: [String]] = [:]
  /// The place at which the value begins.
  var end = 0

  /// - Parameter honoringQuotes: whether text in quotes is one value; some programs write a single
  ///   quote, with which the line would have no end.
  init?(_ bytes: [UInt8], honoringQuotes: Bool) {
    var scanner = HeadScanner(bytes: bytes, honorsQuotes: honoringQuotes)
    let name = scanner.token(until: ";:")
    guard !name.isEmpty, name.allSatisfy(\.isNameByte) else { return nil }
    self.name = String(decoding: name.map(\.asciiUppercased), as: UTF8.self)
    while scanner.take(";") {
      let word = scanner.token(until: "=;:,")
      guard scanner.take("=") else {
        while scanner.take(",") { _ = scanner.token(until: ",;:") }
        add(word: Self.text(word))
        continue
      }
      let key = Self.text(word).uppercased().trimmed
      repeat {
        parameters[key, default: []].append(Self.unescape(Self.text(scanner.token(until: ",;:"))))
      } while scanner.take(",")
    }
    guard scanner.take(":"), scanner.isWhole else { return nil }
    end = scanner.position
  }

  private mutating func add(word: String) {
    if word.isEmpty { return }
    switch word.uppercased() {
    case "QUOTED-PRINTABLE", "BASE64", "B", "Q", "8BIT", "7BIT":
      parameters["ENCODING", default: []].append(word)
    case "INLINE", "URL", "CONTENT-ID": parameters["VALUE", default: []].append(word)
    default: parameters["TYPE", default: []].append(word)
    }
  }

  private static func text(_ bytes: [UInt8]) -> String {
    ContentText.decode(bytes[...], charset: nil) ?? ""
  }

  /// Replaces the carets of RFC 6868 by the characters that they stand for.
  private static func unescape(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "^")) else { return text }
    var result = ""
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      guard scalar == "^", let next = rest.first else {
        result.unicodeScalars.append(scalar)
        continue
      }
      switch next {
      case "n": result += "\n"
      case "'": result += "\""
      case "^": result += "^"
      default:
        result += "^"
        continue
      }
      rest.removeFirst()
    }
    return result
  }
}

private struct HeadScanner {
  let bytes: [UInt8]
  let honorsQuotes: Bool
  var position = 0
  /// `false` once a quote was not closed.
  var isWhole = true

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  /// Takes the bytes up to one of the characters, or to the end, without quotes.
  mutating func token(until stops: StaticString) -> [UInt8] {
    let ends = stops.withUTF8Buffer { Array($0) }
    var token: [UInt8] = []
    var isQuoted = false
    while position < bytes.count {
      let byte = bytes[position]
      if honorsQuotes, byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
        position += 1
        continue
      }
      if !isQuoted, ends.contains(byte) { return token }
      token.append(byte)
      position += 1
    }
    if isQuoted { isWhole = false }
    return token
  }
}

extension UInt8 {
  /// Whether it can stand in the name of a property or a group; a few programs write `_` and `/`.
  fileprivate var isNameByte: Bool {
    isASCIILetter || isASCIIDigit || "-._/".utf8.contains(self)
  }
}
