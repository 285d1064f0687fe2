/// A message to one person, and its bytes (RFC 5322, RFC 2045 to 2047, RFC 2231): a text, and files
/// behind it.
///
/// Whatever its texts hold, no header has a control character, no line is longer than 998 characters, and
/// all of it is ASCII: any program that carries mail can carry it.
package struct MailMessage: Sendable {
  package var from: Mailbox
  package var to: Mailbox
  package var subject: String
  package var date: Instant
  /// The zone of the date.
  package var zone: ZoneRules
  /// The Message-ID, without its angle brackets.
  package var id: String
  /// The text, whose lines end in line feeds.
  package var text: String
  package var attachments: [MailAttachment]

  /// The ends of lines.
  package enum LineEnd: Sendable {
    /// The end that programs take on standard input.
    case lineFeed
    /// The end that lines have in mail itself, and in files of it.
    case network

    var bytes: [UInt8] { self == .lineFeed ? [0x0a] : [0x0d, 0x0a] }
  }

  package init(
    from: Mailbox, to: Mailbox, subject: String, date: Instant, zone: ZoneRules, id: String,
    text: String, attachments: [MailAttachment] = []
  ) {
    self.from = from
    self.to = to
    self.subject = subject
    self.date = date
    self.zone = zone
    self.id = id
    self.text = text
    self.attachments = attachments
  }

  /// The whole message.
  package func bytes(_ lineEnd: LineEnd) -> [UInt8] {
    let end = lineEnd.bytes
    var bytes: [UInt8] = []
    var header = MailHeader()
    header.add("Date", dateText)
    header.add("From", from)
    header.add("To", to)
    header.add("Subject", text: subject)
    header.add("Message-ID", "<\(id)>")
    header.add("Auto-Submitted", "auto-generated")
    header.add("MIME-Version", "1.0")
    guard !attachments.isEmpty else {
      appendText(header, to: &bytes, end)
      return bytes
    }
    // Neither encoding of a body ever holds `=_` (RFC 2045 §6.7): no body holds the boundary.
    let boundary = "=_" + Hex.encode(SHA256.hash(Array(id.utf8)).prefix(12))
    header.add("Content-Type", "multipart/mixed", ["boundary=\"\(boundary)\""])
    func put(_ text: String) {
      bytes += text.utf8
      bytes += end
    }
    header.lines.forEach(put)
    put("")
    put("--\(boundary)")
    appendText(MailHeader(), to: &bytes, end)
    for attachment in attachments {
      put("")
      put("--\(boundary)")
      attachment.append(to: &bytes, end)
    }
    put("")
    put("--\(boundary)--")
    return bytes
  }

  /// The most bytes that an attachment of a size takes.
  package static func byteCount(ofAttachment size: Int64, name: String) -> Int64 {
    let (room, isOver) = size.multipliedReportingOverflow(by: 3)
    guard !isOver else { return .max }
    // Base64 with the ends of its lines is at most 26/19 of the bytes; a header has the name, a byte as three.
    return room / 2 + 1024 + Int64(name.utf8.count) * 4
  }

  private func appendText(_ header: MailHeader, to bytes: inout [UInt8], _ end: [UInt8]) {
    var header = header
    let transfer = MailTransfer.forText(text)
    header.add("Content-Type", "text/plain; charset=utf-8")
    header.add("Content-Transfer-Encoding", transfer.rawValue)
    for line in header.lines {
      bytes += line.utf8
      bytes += end
    }
    bytes += end
    transfer.append(text, to: &bytes, lineEnd: end)
  }

  /// The date as RFC 5322 §3.3 has it: `Sat, 21 Nov 2026 09:00:00 +0100`.
  private var dateText: String {
    let offset = zone.offset(at: date).seconds
    // A local time of the past with seconds in its offset has no form in mail.
    let isWhole = offset % 60 == 0 && abs(offset) < 86_400
    let civil = isWhole ? zone.civil(at: date) : CivilDateTime(secondsAsUTC: date.seconds)
    let minutes = isWhole ? abs(offset) / 60 : 0
    let year = String(civil.date.year)
    let month = Month(rawValue: civil.date.month)?.shortName ?? ""
    return "\(civil.date.weekday.shortName), \(civil.date.day) \(month) "
      + String(repeating: "0", count: max(0, 4 - year.utf8.count)) + year
      + " \(civil.time.hour.twoDigits):\(civil.time.minute.twoDigits):\(civil.time.second.twoDigits) "
      + (isWhole && offset < 0 ? "-" : "+") + (minutes / 60).twoDigits + (minutes % 60).twoDigits
  }
}

/// A file of a message.
package struct MailAttachment: Sendable {
  package let name: String
  /// The MIME type.
  package let mediaType: String
  package let bytes: [UInt8]

  package init(name: String, mediaType: String, bytes: [UInt8]) {
    self.name = name
    self.mediaType = mediaType
    self.bytes = bytes
  }

  func append(to output: inout [UInt8], _ end: [UInt8]) {
    var header = MailHeader()
    header.add("Content-Type", type)
    header.add("Content-Transfer-Encoding", MailTransfer.base64.rawValue)
    header.add("Content-Disposition", "attachment", Self.parameters(of: MailHeader.clean(name)))
    for line in header.lines {
      output += line.utf8
      output += end
    }
    output += end
    MailTransfer.append(bytes, to: &output, lineEnd: end)
  }

  /// The type, where it is one that may stand over bytes in base64 (RFC 2045 §6.4).
  private var type: String {
    let parts = mediaType.parts(at: "/")
    let isToken =
      parts.count == 2 && mediaType.utf8.count <= 127
      && parts.allSatisfy { part in
        !part.isEmpty
          && part.utf8.allSatisfy {
            $0.isASCIILetter || $0.isASCIIDigit || "!#$&-^_.+".utf8.contains($0)
          }
      }
    let whole = parts[0].lowercased()
    return isToken && whole != "message" && whole != "multipart"
      ? mediaType : "application/octet-stream"
  }

  /// The name: in ASCII, else as RFC 2231 §4 has it. Both forms at once are a defect to some readers.
  private static func parameters(of name: String) -> [String] {
    let isPlain = name.utf8.allSatisfy { (0x20...0x7e).contains($0) && $0 != 0x22 && $0 != 0x5c }
    if isPlain { return ["filename=\"\(name)\""] }
    var whole = ""
    for byte in name.utf8 {
      if byte.isASCIILetter || byte.isASCIIDigit || "-._~".utf8.contains(byte) {
        whole.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        whole += "%" + Hex.encode([byte]).uppercased()
      }
    }
    return ["filename*=utf-8''\(whole)"]
  }
}

/// An address that mail can be sent to, as programs that carry mail take it everywhere: dot-atoms in
/// ASCII (RFC 5322 §3.2.3, §3.4.1) within the limits of RFC 5321 §4.5.3.1.
///
/// Quoted local parts, comments and address literals are valid in mail and refused here: nobody's
/// address needs them, and many programs read them wrongly. So is a hyphen, `|` or `/` at the start: it has
/// been taken for an option, a command and a file.
package struct MailAddress: Hashable, Sendable {
  package let text: String
  /// The host, behind the `@`.
  package let domain: String

  /// The reason why a text is not an address that mail can be sent to.
  package enum Problem: Hashable, Sendable {
    /// It has characters beyond ASCII.
    case notASCII
    case form
  }

  package init(_ text: String) throws(Fault) {
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else { throw Fault(Problem.notASCII) }
    let parts = text.parts(at: "@")
    guard text.utf8.count <= 254, parts.count == 2, Self.isLocalPart(parts[0]),
      Self.isDomain(parts[1])
    else { throw Fault(Problem.form) }
    self.text = text
    domain = parts[1]
  }

  private static func isLocalPart(_ text: String) -> Bool {
    text.utf8.count <= 64 && text.utf8.first.map { !"-|/".utf8.contains($0) } ?? false
      && text.parts(at: ".").allSatisfy { atom in
        !atom.isEmpty && atom.utf8.allSatisfy(isAtomByte)
      }
  }

  private static func isDomain(_ text: String) -> Bool {
    text.utf8.count <= 253
      && text.parts(at: ".").allSatisfy { label in
        (1...63).contains(label.utf8.count) && label.utf8.first != UInt8(ascii: "-")
          && label.utf8.last != UInt8(ascii: "-")
          && label.utf8.allSatisfy {
            $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-")
          }
      }
  }

  /// Whether a byte is one of an atom: `atext` of RFC 5322 §3.2.3.
  static func isAtomByte(_ byte: UInt8) -> Bool {
    byte.isASCIILetter || byte.isASCIIDigit || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
  }
}

/// An address and the name of who reads there.
package struct Mailbox: Hashable, Sendable {
  /// The name; empty for none.
  package var name: String
  package let address: MailAddress

  package init(name: String, address: MailAddress) {
    self.name = name
    self.address = address
  }

  /// Reads `mia@example.org` or `Mia Berg <mia@example.org>`; quotes around the name are not of it.
  package init(_ text: String) throws(Fault) {
    let text = text.trimmed
    guard text.utf8.last == UInt8(ascii: ">"),
      let start = text.utf8.lastIndex(of: UInt8(ascii: "<"))
    else {
      self.init(name: "", address: try MailAddress(text))
      return
    }
    let address = text[text.index(after: start)...].dropLast()
    var name = String(text[..<start]).trimmed
    if name.utf8.count > 1, name.utf8.first == UInt8(ascii: "\""),
      name.utf8.last == UInt8(ascii: "\"")
    {
      name = String(name.dropFirst().dropLast())
    }
    self.init(name: name, address: try MailAddress(String(address)))
  }
}

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

/// The transfer encodings of bodies (RFC 2045 §6): lines of at most 76 characters in ASCII.
package enum MailTransfer: String {
  case quotedPrintable = "quoted-printable"
  case base64

  private static let columns = 76

  /// Returns the encoding in which a text is shorter.
  static func forText(_ text: String) -> MailTransfer {
    let far = text.utf8.count { $0 >= 0x80 || $0 < 0x20 && $0 != 0x0a || $0 == UInt8(ascii: "=") }
    return far > text.utf8.count / 6 ? .base64 : .quotedPrintable
  }

  /// Appends a text whose lines end in line feeds.
  func append(_ text: String, to bytes: inout [UInt8], lineEnd: [UInt8]) {
    switch self {
    case .quotedPrintable: Self.quote(text, to: &bytes, lineEnd)
    case .base64:
      // A text has its line ends as mail has them before it is encoded (RFC 2045 §6.8).
      var lines: [UInt8] = []
      for byte in text.utf8 {
        if byte == 0x0a { lines.append(0x0d) }
        lines.append(byte)
      }
      Self.append(lines, to: &bytes, lineEnd: lineEnd)
    }
  }

  /// Appends bytes in base64.
  package static func append(_ data: [UInt8], to bytes: inout [UInt8], lineEnd: [UInt8]) {
    bytes.makeRoom(for: encodedCount(data.count, lineEnd: lineEnd))
    let size = columns / 4 * 3
    for start in stride(from: 0, to: data.count, by: size) {
      let end = min(data.count, start + size)
      bytes += Base64.encode(Array(data[start..<end]), padded: true).utf8
      bytes += lineEnd
    }
  }

  /// The bytes that so many become in base64, with the ends of their lines.
  static func encodedCount(_ count: Int, lineEnd: [UInt8]) -> Int {
    let digits = Base64.encodedCount(count, padded: true)
    return digits + (digits + columns - 1) / columns * lineEnd.count
  }

  /// Appends a text in quoted-printable. A line that begins as the lines between the messages of a
  /// mailbox do, or with a full stop, gets that letter encoded: nobody on the way changes it then.
  private static func quote(_ text: String, to bytes: inout [UInt8], _ lineEnd: [UInt8]) {
    var column = 0
    let text = Array(text.utf8)
    for (index, byte) in text.enumerated() {
      if byte == 0x0a {
        bytes += lineEnd
        column = 0
        continue
      }
      let isLast = index + 1 == text.count || text[index + 1] == 0x0a
      var isPlain =
        switch byte {
        case UInt8(ascii: "="): false
        case 0x20, 0x09: !isLast
        default: (0x21...0x7e).contains(byte)
        }
      let size = isPlain ? 1 : 3
      // One column stays for the mark of a line that goes on.
      if column + size > columns - 1 {
        bytes.append(UInt8(ascii: "="))
        bytes += lineEnd
        column = 0
      }
      if column == 0 {
        if byte == UInt8(ascii: ".") || text[index...].starts(with: "From ".utf8) {
          isPlain = false
        }
      }
      if isPlain {
        bytes.append(byte)
        column += 1
      } else {
        bytes.append(UInt8(ascii: "="))
        for digit in [byte >> 4, byte & 15] {
          bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
        }
        column += 3
      }
    }
    if column > 0 { bytes += lineEnd }
  }
}

extension MailAddress.Problem: FaultCause {
  package var code: Fault.Code { .noAddress }
  package var message: Fault.Message { "invalid email address" }

  package var hint: String? {
    self == .notASCII
      ? "use ASCII only; write the domain in its 'xn--' form" : nil
  }
}
