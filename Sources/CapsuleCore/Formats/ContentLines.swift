/// One line of a file of vCards or of a calendar as its writer meant it: unfolded.
package struct ContentLine: Hashable, Sendable {
  /// The physical line on which it begins, from 1.
  package let number: Int
  /// The bytes without the end of the line; at most ``ContentLines/lineLimit`` bytes.
  package let bytes: [UInt8]
  /// Whether there was more than can be kept.
  let isCut: Bool

  package init(number: Int, bytes: [UInt8], isCut: Bool) {
    self.number = number
    self.bytes = bytes
    self.isCut = isCut
  }
}

/// Takes a file of vCards or a calendar apart into its lines (RFC 6350 §3.2, RFC 5545 §3.1, RFC 2425
/// §5.8.1: one grammar).
///
/// Lines end with CR LF, LF or CR, in any mixture. A line that begins with a space or a tab goes on
/// the one before, without that character, wherever the fold fell: in the middle of a character
/// too. Empty lines mean nothing. A quoted-printable value goes on after a soft break (`=` at the
/// end of a line), whose `=` is taken away. Every byte is looked at a fixed number of times.
package struct ContentLines {
  /// The most bytes of a line that are kept: a name, an address, a note; not a photo.
  static let lineLimit = 1 << 20

  private let bytes: [UInt8]
  private var position = 0
  /// The number of the physical line that was read last.
  private var number = 0

  /// A file in UTF-16 is made one in UTF-8.
  package init(_ bytes: [UInt8]) {
    self.bytes = ContentText.inUTF8(bytes)
  }

  /// Takes the next line that is not empty.
  package mutating func next() -> ContentLine? {
    skipEmptyLines()
    guard position < bytes.count else { return nil }
    var line = Unfolding()
    line.append(physicalLine())
    let start = number
    while true {
      if line.isSoftBroken, position < bytes.count {
        line.dropSoftBreak()
        if isEndOfComponent { break }
        let following = physicalLine()
        if following.isEmpty { break }
        line.append(line.isFold(following) ? following.dropFirst() : following)
        continue
      }
      skipEmptyLines()
      guard position < bytes.count, bytes[position] == 0x20 || bytes[position] == 0x09 else {
        break
      }
      line.append(physicalLine().dropFirst())
    }
    if line.isSoftBroken { line.dropSoftBreak() }
    return ContentLine(number: start, bytes: line.bytes, isCut: line.isCut)
  }

  /// Takes one physical line, without its end.
  private mutating func physicalLine() -> ArraySlice<UInt8> {
    // Files that were put behind one another bring their byte order marks.
    while bytes[position...].starts(with: ContentText.mark) { position += 3 }
    let start = position
    while position < bytes.count, bytes[position] != 0x0a, bytes[position] != 0x0d { position += 1 }
    let line = bytes[start..<position]
    endLine()
    return line
  }

  private mutating func endLine() {
    number += 1
    guard position < bytes.count else { return }
    if bytes[position] == 0x0d, position + 1 < bytes.count, bytes[position + 1] == 0x0a {
      position += 1
    }
    position += 1
  }

  private mutating func skipEmptyLines() {
    while position < bytes.count, bytes[position] == 0x0a || bytes[position] == 0x0d { endLine() }
  }

  /// Whether the next line is the end of a component, as `END:VCARD`, which no soft break may swallow.
  private var isEndOfComponent: Bool {
    let end = "END:V".utf8
    return bytes[position...].prefix(end.count).map(\.asciiUppercased).elementsEqual(end)
  }
}

/// A line while it is put together.
private struct Unfolding {
  private(set) var bytes: [UInt8] = []
  private(set) var isCut = false
  /// Whether the physical line that was appended last ends with `=`, white space behind it not
  /// counted.
  private var endsWithEquals = false
  private var isQuoted = false
  /// Whether the parameters are over, and if so, whether the value is quoted-printable.
  private var isQuotedPrintable: Bool?
  /// The place at which the value begins, once the parameters are over.
  private var valueStart = 0

  mutating func append(_ part: ArraySlice<UInt8>) {
    let room = ContentLines.lineLimit - bytes.count
    if part.count > room { isCut = true }
    let start = bytes.count
    bytes += part.prefix(room)
    endsWithEquals = part.last { $0 != 0x20 && $0 != 0x09 } == UInt8(ascii: "=")
    guard isQuotedPrintable == nil else { return }
    for place in start..<bytes.count {
      if bytes[place] == UInt8(ascii: "\"") { isQuoted.toggle() }
      guard bytes[place] == UInt8(ascii: ":"), !isQuoted else { continue }
      valueStart = place + 1
      let head = bytes[..<place].map(\.asciiUppercased)
      isQuotedPrintable = head.split(separator: UInt8(ascii: ";")).dropFirst().contains { word in
        ["QUOTED-PRINTABLE", "ENCODING=QUOTED-PRINTABLE", "ENCODING=Q"].contains {
          word.elementsEqual($0.utf8)
        }
      }
      return
    }
  }

  /// Whether it is quoted-printable and goes on with the next physical line, whatever that is.
  var isSoftBroken: Bool { isQuotedPrintable == true && !isCut && endsWithEquals }

  /// Whether the line behind a soft break is folded too: some programs do both, but only those that encode each
  /// space. Otherwise the space is one of the text.
  func isFold(_ line: ArraySlice<UInt8>) -> Bool {
    guard let first = line.first, first == 0x20 || first == 0x09 else { return false }
    return line.dropFirst().first == UInt8(ascii: "=") && !bytes[valueStart...].contains(0x20)
  }

  mutating func dropSoftBreak() {
    while bytes.last == 0x20 || bytes.last == 0x09 { bytes.removeLast() }
    bytes.removeLast()
    endsWithEquals = false
  }
}

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

extension ContentProperty {
  /// The character set that it names.
  package var charset: String? { parameters["CHARSET"]?.last }

  /// Decodes the whole value as one text, with `\n` between its lines; `nil` where its character set is not
  /// known.
  package func text(_ escapes: ContentText.Escapes) -> String? {
    decode(value[...], escapes)
  }

  /// Decodes the parts of a structured value, such as a name or an address (RFC 6350 §6.2.2).
  /// `nil` where its character set is not known.
  ///
  /// - Parameter joint: put between the elements of a part that is a list itself.
  package func components(
    _ escapes: ContentText.Escapes, joint: String
  ) -> [String]? {
    var components: [String] = []
    for part in Self.split(value[...], at: UInt8(ascii: ";")) {
      var elements: [String] = []
      let list = escapes == .full ? Self.split(part, at: UInt8(ascii: ",")) : [part]
      for element in list {
        guard let text = decode(element, escapes)?.trimmed else { return nil }
        if !text.isEmpty { elements.append(text) }
      }
      components.append(elements.joined(separator: joint))
    }
    return components
  }

  /// Decodes the texts of a list (RFC 5545 §3.1.1); `nil` where their character set is not known.
  package func list(_ escapes: ContentText.Escapes) -> [String]? {
    let texts = Self.split(value[...], at: UInt8(ascii: ",")).map { decode($0, escapes) }
    return texts.contains(nil) ? nil : texts.compactMap { $0 }
  }

  private func decode(
    _ bytes: ArraySlice<UInt8>, _ escapes: ContentText.Escapes
  ) -> String? {
    let plain: [UInt8]
    switch encoding {
    case .plain: plain = Array(bytes)
    case .quotedPrintable: plain = ContentText.decodeQuotedPrintable(bytes)
    case .base64:
      let digits = bytes.filter { $0 > 0x20 }
      plain = Base64.decode(digits, padded: true) ?? Base64.decode(digits, padded: false) ?? []
    }
    return ContentText.decode(plain[...], charset: charset)
      .map { ContentText.unescape($0, escapes).withPlainLineBreaks }
  }

  private static func split(_ bytes: ArraySlice<UInt8>, at separator: UInt8) -> [ArraySlice<UInt8>]
  {
    var parts: [ArraySlice<UInt8>] = []
    var start = bytes.startIndex
    var isEscaped = false
    for place in bytes.indices {
      if isEscaped {
        isEscaped = false
      } else if bytes[place] == UInt8(ascii: "\\") {
        isEscaped = true
      } else if bytes[place] == separator {
        parts.append(bytes[start..<place])
        start = place + 1
      }
    }
    parts.append(bytes[start...])
    return parts
  }
}

extension String {
  /// The text with `\n` for every kind of line break that a value can hold.
  fileprivate var withPlainLineBreaks: String {
    guard utf8.contains(0x0d) else { return self }
    return split(separator: "\r\n", omittingEmptySubsequences: false).joined(separator: "\n")
      .split(separator: "\r", omittingEmptySubsequences: false).joined(separator: "\n")
  }
}
