/// The reason why a file of keys cannot be used. Lines count from 1.
package enum KeyFileProblem: Hashable, Sendable {
  /// The line holds no key that can be used here.
  case line(Int, KeyFault)
  /// There is no key in the file.
  case empty
  /// The file is longer than `KeyLines.maximumByteCount`.
  case tooLong
  /// The file is an age file itself, sealed with a passphrase or to other keys.
  case sealed
}

/// The message leaves the name of the file open.
extension KeyFileProblem: FaultCause {
  package var code: Fault.Code { .key }

  package var message: Fault.Message {
    switch self {
    case .line(let line, let fault):
      "invalid key on line \(line) of '\(open: .name)': \(fault.words)"
    case .empty: "'\(open: .name)' has no key"
    case .tooLong: "'\(open: .name)' is too large for a file of keys"
    case .sealed: "'\(open: .name)' is encrypted"
    }
  }

  package var hint: String? { if case .line(_, let fault) = self { fault.hint } else { nil } }
}

/// The lines of a file of keys: empty lines and those that start with `#` mean nothing.
package enum KeyLines {
  /// The most bytes of a file of keys that are read.
  package static let maximumByteCount = 1 << 24

  /// Calls `body` for every line that should hold a key. Lines end with LF or CRLF.
  ///
  /// - Throws: the fault of the first bad line, or of the whole file.
  static func each(
    _ text: [UInt8], _ body: (ArraySlice<UInt8>) throws(KeyFault) -> Void
  ) throws(Fault) {
    guard text.count <= maximumByteCount else { throw Fault(KeyFileProblem.tooLong) }
    guard var decoded = ByteOrderMark.utf8(text) else { return try eachLine(text, body) }
    defer { wipe(&decoded) }
    try eachLine(decoded, body)
  }

  private static func eachLine(
    _ text: [UInt8], _ body: (ArraySlice<UInt8>) throws(KeyFault) -> Void
  ) throws(Fault) {
    if text.starts(with: AgeHeader.versionLine) || text.starts(with: Armor.begin) {
      throw Fault(KeyFileProblem.sealed)
    }
    var count = 0
    var number = 0
    // One line at a time: millions of empty ones must not cost memory.
    var rest = text[...]
    while !rest.isEmpty {
      number += 1
      let end = rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex
      var line = rest[..<end]
      rest = rest[end...].dropFirst()
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      if line.isEmpty || line.first == UInt8(ascii: "#") { continue }
      count += 1
      // No key is longer.
      guard line.count <= 8 << 10 else { throw Fault(KeyFileProblem.line(number, .malformed)) }
      do {
        try body(line)
      } catch {
        throw Fault(KeyFileProblem.line(number, error))
      }
    }
    if count == 0 { throw Fault(KeyFileProblem.empty) }
  }
}

/// A file of secret keys, as `age-keygen` writes it.
package struct IdentityFile: Sendable {
  /// The identities, in the file's order; at least one.
  package let identities: [AgeIdentity]

  /// Reads a file; one bad line refuses all of it.
  package init(_ text: [UInt8]) throws(Fault) {
    var identities: [AgeIdentity] = []
    try KeyLines.each(text) { line throws(KeyFault) in
      // Nothing wipes a text.
      var characters = Array(line)
      defer { wipe(&characters) }
      identities.append(try AgeIdentity(characters: characters))
    }
    self.identities = identities
  }

  /// Writes a file of one identity: some comments, each a line behind `# `, and the secret key. The caller
  /// wipes it.
  package static func text(_ identity: AgeIdentity, comments: [String]) -> [UInt8] {
    let head = comments.map { "# \($0)\n" }.joined()
    return identity.secretCharacters.withUnsafeBytes { key in
      var text: [UInt8] = []
      // No copy is left behind where the array grows.
      text.reserveCapacity(head.utf8.count + key.count + 1)
      text += head.utf8
      text += key
      text.append(UInt8(ascii: "\n"))
      return text
    }
  }
}

/// A file of recipients, one a line.
package struct RecipientsFile: Hashable, Sendable {
  /// The recipients, in the file's order; at least one.
  package let recipients: [AgeRecipient]

  /// Reads a file; one bad line refuses all of it.
  package init(_ text: [UInt8]) throws(Fault) {
    var recipients: [AgeRecipient] = []
    try KeyLines.each(text) { line throws(KeyFault) in
      // A key that is no text is none.
      guard let text = String(validating: line, as: UTF8.self) else { throw KeyFault.malformed }
      recipients.append(try AgeRecipient(text))
    }
    self.recipients = recipients
  }
}

/// An identity in five lines for paper, each with a check of its own, so that a wrong one is known when it is
/// typed back.
///
///     1  AGE-SECRET-KEY-1      C0DE
///     2  QPZR Y9X8 GF2T VDW0   1A2B
///
/// The first line is the beginning of the key; the others are its 58 characters behind that, sixteen a line.
/// A check is the first four digits of the SHA-256 of the number, a space and the line's characters without
/// spaces: `2 QPZRY9X8GF2TVDW0`.
package struct IdentityLines: Sendable {
  /// The lines' characters, without spaces.
  package let lines: [String]

  /// The characters of each line but the first.
  private static let counts = [16, 16, 16, 10]
  package static let count = 1 + counts.count
  /// The first lines of both kinds of key.
  private static let beginnings = ["AGE-SECRET-KEY-1", "AGE-SECRET-KEY-PQ-1"]

  package init(_ identity: AgeIdentity) {
    let text = identity.secretText
    let beginning = Self.beginnings.last { text.hasPrefix($0) } ?? ""
    var rest = text.utf8.dropFirst(beginning.utf8.count)
    var lines = [beginning]
    for count in Self.counts {
      lines.append(String(decoding: rest.prefix(count), as: UTF8.self))
      rest = rest.dropFirst(count)
    }
    self.lines = lines
  }

  /// The check of a line; numbers begin with 1.
  package static func check(_ line: String, _ number: Int) -> String {
    Hex.encode(Array(SHA256.hash(Array("\(number) \(line)".utf8)).prefix(2))).uppercased()
  }

  /// The characters of a line in groups of four.
  package static func grouped(_ line: String, _ number: Int) -> String {
    guard number > 1 else { return line }
    let characters = Array(line.utf8)
    return stride(from: 0, to: characters.count, by: 4).map {
      String(decoding: characters[$0..<min($0 + 4, characters.count)], as: UTF8.self)
    }
    .joined(separator: " ")
  }
}

/// The fault of a line as it was typed. Lines count from 1.
package enum IdentityLineProblem: Hashable, Sendable {
  /// It has the number of another line.
  case number(line: Int, found: Character)
  /// It has other than so many characters, a number and a check left out.
  case length(line: Int, expected: Int, found: Int)
  /// A character that is in no key.
  case character(line: Int, Character)
  /// The first line is not the beginning of a secret key.
  case beginning
  /// The check does not fit.
  case check(line: Int)
  /// Lines are missing.
  case missing(count: Int)
  /// The lines together are no key: one of those without a check is wrong.
  case whole
  /// A line of the text that is longer than any of the five, and no whole key.
  case key(line: Int)
  /// The text is longer than any page.
  case tooLong
}

extension IdentityLineProblem: FaultCause {
  package var code: Fault.Code { .key }

  package var message: Fault.Message {
    switch self {
    case .number(let line, let found):
      "expected line \(line), but the typed line begins with '\(found)'"
    case .length(let line, let expected, let found):
      "line \(line) needs \(expected) characters, or four more with the check; \(found) were typed"
    case .character(let line, let character):
      "invalid character '\(character)' on line \(line)"
    case .beginning: "line 1 is not 'AGE-SECRET-KEY-1' or 'AGE-SECRET-KEY-PQ-1'"
    case .check(let line): "line \(line) is wrong: its check does not match"
    case .missing(let count): "\(String.counting(count, "line is", "lines are")) missing"
    case .whole: "the lines do not make a key: one without a check is wrong"
    case .key(let line): "invalid key on line \(line)"
    case .tooLong: "the text is too long for a page of identities"
    }
  }

  package var hint: String? {
    switch self {
    case .number, .length, .character, .beginning, .check:
      "compare the line with the page, then type it again"
    case .missing: "type all five lines of an identity"
    case .whole: "type the lines with their checks"
    case .key: "compare the key with the page, or type its five lines"
    case .tooLong: nil
    }
  }
}

// Reading what was typed.
extension IdentityLines {
  /// The most bytes of a text; a page has some 4 KiB.
  package static let textLimit = 1 << 16

  /// The most characters of the first of the five lines, with a number and a check; a whole key has twice as
  /// many.
  private static let mostOfFirstLine = 32

  /// Reads identities from an identity file, from a page in plain text, or from lines as people type them:
  /// in capitals or not, with spaces or not, with or without numbers and checks. One wrong line refuses all.
  package static func read(_ text: String) throws(Fault) -> [AgeIdentity] {
    guard text.utf8.count <= textLimit else { throw Fault(IdentityLineProblem.tooLong) }
    var lines: [String] = []
    var identities: [AgeIdentity] = []
    var other: Int?
    for (place, line) in text.parts(at: "\n").map(\.trimmed).enumerated()
    where !line.isEmpty && line.utf8.first != UInt8(ascii: "#") {
      if lines.isEmpty {
        if let whole = try? AgeIdentity(line.uppercased()) {
          identities.append(whole)
          continue
        }
        let words = line.split(whereSeparator: \.isWhitespace)
        if words.joined().unicodeScalars.count > mostOfFirstLine {
          let isKey = words.count == 1 || words.joined().uppercased().hasPrefix("AGE-SECRET-KEY-")
          if isKey { throw Fault(IdentityLineProblem.key(line: place + 1)) }
          // A sentence of a mail that a whole key stands in.
          other = other ?? place + 1
          continue
        }
      }
      lines.append(try Self.line(lines.count + 1, of: line))
      guard lines.count == count else { continue }
      identities.append(try joined(lines))
      lines = []
    }
    if lines.isEmpty, identities.isEmpty, let other {
      throw Fault(IdentityLineProblem.key(line: other))
    }
    guard lines.isEmpty, !identities.isEmpty else {
      throw Fault(IdentityLineProblem.missing(count: count - lines.count))
    }
    return identities
  }

  /// Joins all lines to the identity.
  package static func joined(_ lines: [String]) throws(Fault) -> AgeIdentity {
    guard let identity = try? AgeIdentity(lines.joined()) else {
      throw Fault(IdentityLineProblem.whole)
    }
    return identity
  }

  /// Reads one line, of which the number is known.
  ///
  /// - Returns: its characters, as the key has them.
  package static func line(
    _ number: Int, of typed: String
  ) throws(Fault) -> String {
    var characters: [UInt8] = []
    for scalar in typed.unicodeScalars {
      switch scalar {
      case "0"..."9", "A"..."Z": characters.append(UInt8(ascii: scalar))
      case "a"..."z": characters.append(UInt8(ascii: scalar) - 32)
      case " ", "\t", "-", "\u{2013}", ".", ":", ")", "|", "\r", "\u{a0}": continue
      default: throw Fault(IdentityLineProblem.character(line: number, Character(scalar)))
      }
    }
    if number == 1 { return try beginning(characters) }
    let count = counts[number - 2]
    if characters.count == count + 1 || characters.count == count + 5 {
      let found = characters.removeFirst()
      guard found == UInt8(ascii: "0") + UInt8(number) else {
        throw Fault(
          IdentityLineProblem.number(line: number, found: Character(Unicode.Scalar(found))))
      }
    }
    guard characters.count == count || characters.count == count + 4 else {
      throw Fault(
        IdentityLineProblem.length(line: number, expected: count, found: characters.count))
    }
    let line = String(decoding: characters.prefix(count).map(digit), as: UTF8.self)
    try require(line, number, characters.dropFirst(count))
    return line
  }

  private static func beginning(
    _ typed: [UInt8]
  ) throws(Fault) -> String {
    for beginning in beginnings {
      let letters = beginning.utf8.filter { $0 != UInt8(ascii: "-") }
      for number in [[], [UInt8(ascii: "1")]] where typed.starts(with: number + letters) {
        let check = typed.dropFirst(number.count + letters.count)
        guard check.isEmpty || check.count == 4 else { continue }
        try require(beginning, 1, check)
        return beginning
      }
    }
    throw Fault(IdentityLineProblem.beginning)
  }

  private static func require(
    _ line: String, _ number: Int, _ typed: ArraySlice<UInt8>
  ) throws(Fault) {
    let check = typed.map { byte in
      switch byte {
      case UInt8(ascii: "O"): UInt8(ascii: "0")
      case UInt8(ascii: "I"), UInt8(ascii: "L"): UInt8(ascii: "1")
      default: byte
      }
    }
    guard check.isEmpty || check.elementsEqual(Self.check(line, number).utf8) else {
      throw Fault(IdentityLineProblem.check(line: number))
    }
  }

  /// A character of a key. Four letters and digits are in none, and are read as what they look like.
  private static func digit(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "O"): UInt8(ascii: "0")
    case UInt8(ascii: "I"), UInt8(ascii: "1"): UInt8(ascii: "L")
    case UInt8(ascii: "B"): UInt8(ascii: "8")
    default: byte
    }
  }
}

/// The reason why a line is not a key that can be used here. It never holds the line: that may be a
/// secret.
package enum KeyFault: Error, Hashable {
  /// It is no key, or one with an error in it.
  case malformed
  /// A key of a hardware token: `age1tag1…`, `age1tagpq1…`.
  case tagged
  /// A key of the plugin of this name: `age1name1…`, `AGE-PLUGIN-NAME-1…`.
  case plugin(String)
  case ssh
  /// A secret key where a recipient belongs.
  case secretKey
  /// A recipient where a secret key belongs.
  case recipient

  /// The reason why a text is not a recipient.
  init(recipient text: String) {
    self = Self.otherKind(text) ?? .malformed
  }

  /// The reason why some characters are not an identity; those that are no text are none of any kind.
  init(identity characters: [UInt8]) {
    self =
      String(validating: characters, as: UTF8.self).map { KeyFault(identity: $0) } ?? .malformed
  }

  /// The reason why a text is not an identity.
  init(identity text: String) {
    let isRecipient = text.utf8.starts(with: "age1".utf8)
    self = Self.otherKind(text) ?? (isRecipient ? .recipient : .malformed)
  }

  private static func otherKind(_ text: String) -> KeyFault? {
    let starts = ["ssh-", "ecdsa-sha2-", "sk-", "-----BEGIN "]
    if starts.contains(where: { text.utf8.starts(with: $0.utf8) }) { return .ssh }
    // The part before the last 1 names the kind, whether or not the rest is in order.
    guard let separator = text.utf8.lastIndex(of: UInt8(ascii: "1")) else { return nil }
    let part = text.utf8[..<separator].map(\.asciiLowercased)
    guard part.allSatisfy({ (33...126).contains($0) }) else { return nil }
    let name = String(decoding: part, as: UTF8.self)
    switch name {
    case "age-secret-key-", "age-secret-key-pq-", "age-plugin-pq-":
      return isSecretKey(text) ? .secretKey : nil
    case "age1pq": return nil
    case "age1tag", "age1tagpq": return .tagged
    default: break
    }
    if name.hasPrefix("age1"), name.count > 4 { return .plugin(String(name.dropFirst(4))) }
    if name.hasPrefix("age-plugin-"), name.count > 12, name.hasSuffix("-") {
      return .plugin(String(name.dropFirst(11).dropLast()))
    }
    return nil
  }

  /// Whether it is a secret key without an error, so that it is in the wrong place rather than
  /// mistyped.
  private static func isSecretKey(_ text: String) -> Bool {
    guard var bytes = Bech32.decode(text)?.bytes else { return false }
    defer { wipe(&bytes) }
    let starts = ["AGE-SECRET-KEY-1", "AGE-SECRET-KEY-PQ-1", "AGE-PLUGIN-PQ-1"]
    return starts.contains { text.utf8.starts(with: $0.utf8) } && bytes.count == X25519.byteCount
  }
}

extension KeyFault {
  /// The fault of a key in words.
  package var words: String {
    switch self {
    case .malformed: "not a key, or mistyped"
    case .tagged: "keys of hardware tokens are not supported"
    case .plugin(let name): "keys of the plugin '\(name)' are not supported"
    case .ssh: "SSH keys are not supported"
    case .secretKey: "this is a secret key"
    case .recipient: "this is a recipient, not a secret key"
    }
  }

  package var hint: String {
    switch self {
    case .malformed:
      "check it: a recipient begins with age1, a secret key with AGE-SECRET-KEY-"
    case .tagged, .plugin, .ssh:
      "use an age key, made by: capsule keygen"
    case .secretKey:
      "print its recipient: capsule keygen --recipients FILE"
    case .recipient: "use the file with the secret key"
    }
  }
}
