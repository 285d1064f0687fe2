/// The reason why a vCard is skipped.
package struct VCardFault: Hashable, Sendable {
  /// The physical line on which the card begins, or the text outside of any.
  package let line: Int
  package let cause: Cause

  package enum Cause: Hashable, Sendable {
    /// The text belongs to no card.
    case noCard
    /// It has no `END:VCARD`: perhaps the file was cut off.
    case noEnd
    /// It names neither a person nor an organisation, and has no address or number.
    case noName
    /// It is a list of other cards.
    case group
    /// This line is no property.
    case notAProperty(line: Int)
    /// The property's text is in a character set that is not known.
    case charset(String, line: Int)
    /// A name or a UID has more bytes than can be kept.
    case tooLong(property: String, limit: Int)
    /// It has more text than can be kept.
    case tooLarge(limit: Int)
    /// It and all that come after it are more than are read at once.
    case tooMany(limit: Int)
  }
}

/// A file of vCards: versions 3.0 (RFC 2426) and 4.0 (RFC 6350), and 2.1 as programs write it.
///
/// Reading never fails: a card that cannot be read is a fault with its line, and reading goes on
/// with the next one. It takes time in proportion to the bytes. A card without `VERSION` is read as
/// one of 3.0. A nested card, an `AGENT`, is skipped, and so are photos, sounds and keys.
package struct ContactFile: Sendable {
  package enum Entry: Hashable, Sendable {
    case card(ContactCard)
    case fault(VCardFault)

    /// The physical line on which it begins.
    package var line: Int {
      switch self {
      case .card(let card): card.line
      case .fault(let fault): fault.line
      }
    }
  }

  /// The most bytes that a file may have.
  package static let byteLimit = 64 << 20

  /// The most cards, and faults, that are read.
  package static let entryLimit = 50_000

  /// The cards and faults in the file's order.
  package let entries: [Entry]

  package init(_ bytes: [UInt8]) {
    var lines = ContentLines(bytes)
    var reader = ContactReader()
    while let line = lines.next() {
      if reader.entries.count == Self.entryLimit {
        reader.stop(line.number)
        break
      }
      reader.read(line)
    }
    reader.finish()
    entries = reader.entries
  }
}

private struct ContactReader {
  private(set) var entries: [ContactFile.Entry] = []
  private var card: VCardProperties?
  /// The number of nested cards that are open.
  private var depth = 0
  /// Whether the line before was an `AGENT` whose card comes now.
  private var awaitsAgent = false
  private var isInBase64 = false
  /// Whether text outside of cards was reported already.
  private var hasReportedOutside = false

  mutating func read(_ line: ContentLine) {
    let isAgent = awaitsAgent
    awaitsAgent = false
    switch Marker(line.bytes) {
    case .begin:
      hasReportedOutside = false
      if card != nil, isAgent {
        depth += 1
        return
      }
      finish()
      card = VCardProperties(line: line.number)
    case .end:
      if depth > 0 {
        depth -= 1
      } else if let card {
        entries.append(card.entry)
        self.card = nil
      } else {
        readOutside(line)
      }
    case nil:
      if card == nil { readOutside(line) } else { readProperty(line) }
    }
    isInBase64 = isInBase64 && card != nil
  }

  /// Ends the input, or the card before the next one: a card that is open has no end.
  mutating func finish() {
    if let card { entries.append(.fault(VCardFault(line: card.line, cause: .noEnd))) }
    card = nil
    depth = 0
  }

  /// Ends before a line because there is too much.
  mutating func stop(_ line: Int) {
    let cause = VCardFault.Cause.tooMany(limit: ContactFile.entryLimit)
    entries.append(.fault(VCardFault(line: card?.line ?? line, cause: cause)))
    card = nil
  }

  private mutating func readOutside(_ line: ContentLine) {
    guard !hasReportedOutside, line.bytes.contains(where: { $0 > 0x20 }) else { return }
    hasReportedOutside = true
    entries.append(.fault(VCardFault(line: line.number, cause: .noCard)))
  }

  private mutating func readProperty(_ line: ContentLine) {
    guard let property = ContentProperty(line) else {
      // Some programs do not fold the lines of a photo.
      if isInBase64, line.bytes.allSatisfy(\.isBase64) { return }
      guard line.bytes.contains(where: { $0 > 0x20 }) else { return }
      if depth == 0 { card?.fail(.notAProperty(line: line.number)) }
      return
    }
    isInBase64 = property.encoding == .base64
    if property.name == "AGENT" {
      awaitsAgent = property.value.allSatisfy { $0 <= 0x20 }
      if Marker(property.value) == .begin { depth += 1 }
    }
    if depth == 0 { card?.add(property) }
  }
}

/// The line that begins or ends a card.
private enum Marker {
  case begin, end

  init?(_ bytes: [UInt8]) {
    guard bytes.count < 40 else { return nil }
    let words = String(decoding: bytes.filter { $0 > 0x20 }.map(\.asciiUppercased), as: UTF8.self)
    switch words {
    case "BEGIN:VCARD": self = .begin
    case "END:VCARD": self = .end
    default: return nil
    }
  }
}

/// The properties of a card that are asked for, as they are gathered.
struct VCardProperties {
  /// The most bytes of text that a card may have, all its properties together.
  static let byteLimit = 1 << 20

  let line: Int
  private(set) var escapes = ContentText.Escapes.full
  private(set) var all: [ContentProperty] = []
  private var fault: VCardFault.Cause?
  private var byteCount = 0

  init(line: Int) { self.line = line }

  mutating func fail(_ cause: VCardFault.Cause) {
    if fault == nil { fault = cause }
  }

  mutating func add(_ property: ContentProperty) {
    if property.name == "VERSION" {
      if property.value.starts(with: "2.".utf8) { escapes = .old }
      return
    }
    guard fault == nil, ContactCard.properties.contains(property.name) else { return }
    // A key in its binary form is none of ours.
    if property.name == "KEY", property.encoding == .base64 { return }
    byteCount += property.size + 100
    guard !property.isCut, byteCount <= Self.byteLimit else {
      return fail(.tooLarge(limit: Self.byteLimit))
    }
    all.append(property)
  }

  /// The card that the properties make, or why they make none.
  var entry: ContactFile.Entry {
    if let fault { return .fault(VCardFault(line: line, cause: fault)) }
    do {
      return .card(try ContactCard(self))
    } catch {
      return .fault(VCardFault(line: line, cause: error.cause as? VCardFault.Cause ?? .noCard))
    }
  }
}

extension UInt8 {
  fileprivate var isBase64: Bool {
    isASCIILetter || isASCIIDigit || "+/= ".utf8.contains(self)
  }
}

/// The words stand behind "the card on line 3 is skipped:".
extension VCardFault.Cause: FaultCause {
  package var code: Fault.Code { .partial }

  package var message: Fault.Message {
    switch self {
    case .noCard: "not part of a vCard"
    case .noEnd: "END:VCARD is missing"
    case .noName: "no name of a person or an organization"
    case .group: "a group, not a person"
    case .notAProperty(let line): "line \(line) is not a vCard property"
    case .charset(let name, let line):
      "line \(line) has the unknown character set '\(name)'"
    case .tooLong(let property, let limit): "\(property) has more than \(limit) bytes"
    case .tooLarge(let limit): "more than \(limit) bytes of text"
    case .tooMany(let limit): "more than \(limit) cards"
    }
  }

  package var hint: String? {
    switch self {
    case .noCard: "use a file of vCards, which begin with BEGIN:VCARD"
    case .noEnd: "export the file again; it may be incomplete"
    case .group: nil
    case .noName: "add a name in the program that exported the file"
    case .notAProperty: "write a property as a name, a colon and a value"
    case .charset: "save the file in UTF-8"
    case .tooLong, .tooLarge: "shorten the text in the program that exported the file"
    case .tooMany: "import the file in parts"
    }
  }
}
