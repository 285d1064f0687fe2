/// A person to whom something is left.
public struct Beneficiary: Hashable, Sendable {
  package var header = RecordHeader()
  /// The name, which several people may share.
  public var name = ""
  public var relationship = ""
  public var email = ""
  public var phone = ""
  /// Any other way to reach the person, in as many lines as it takes.
  public var contact = ""
  /// An age recipient to which deliveries can be sealed; empty for none.
  public var recipient = ""
  public var notes = ""
  /// The UID of the vCard that the person was imported from.
  public var cardUID: String?
  package private(set) var unknown: JSONObject = [:]

  /// The most bytes of the name, the relationship, the email address and the phone number each.
  package static let nameLimit = Capsule.titleLimit
  /// The most bytes of a vCard's UID.
  package static let cardUIDLimit = 1024
}

extension Beneficiary {
  package init(header: RecordHeader, name: String) {
    self.init()
    self.header = header
    self.name = name
  }

  // Addresses and numbers as people write them, not as an RFC allows them.

  /// Checks that a text is empty or can be an email address.
  package static func check(email text: String) throws(Fault) {
    guard text.isEmpty || isEmailAddress(text) else { throw .refused(.invalid(.email, text)) }
  }

  /// Checks that a text is empty or can be a phone number.
  package static func check(phone text: String) throws(Fault) {
    guard text.isEmpty || isPhoneNumber(text) else { throw .refused(.invalid(.phone, text)) }
  }

  /// Whether a text can be an email address: one `@` with something on both sides, no white space,
  /// no control and no invisible characters, at most ``nameLimit`` bytes. None begins with a hyphen, `|` or `/`:
  /// programs that carry mail have taken such for an option, a command and a file.
  package static func isEmailAddress(_ text: String) -> Bool {
    guard text.utf8.count <= nameLimit, let first = text.utf8.first, !"-|/".utf8.contains(first)
    else { return false }
    let parts = text.unicodeScalars.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return false }
    return text.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator, .surrogate,
        .unassigned:
        false
      default: true
      }
    }
  }

  /// Whether a text can be a phone number: ASCII digits, `+ - ( ) . /` and spaces, then perhaps an
  /// extension after `ext`, `ext.`, `extension`, `x` or `#`; at most 100 bytes.
  package static func isPhoneNumber(_ text: String) -> Bool {
    guard text.utf8.count <= 100 else { return false }
    let lower = text.lowercased()
    let number = lower.prefix { $0.isASCII && ($0.isNumber || "+-(). /".contains($0)) }
    guard number.contains(where: \.isNumber) else { return false }
    var rest = lower[number.endIndex...]
    if rest.isEmpty { return true }
    for word in ["extension", "ext.", "ext", "x", "#"] where rest.hasPrefix(word) {
      rest = rest.dropFirst(word.count)
      let digits = rest.drop { $0 == " " }
      return !digits.isEmpty && digits.allSatisfy { $0.isASCII && $0.isNumber }
    }
    return false
  }

  package var title: String { name }
}

extension Beneficiary: RecordModel {
  package static var kind: RecordKind { .beneficiary }
  package static var blank: Beneficiary { Beneficiary() }

  package mutating func walk<Walk: FieldWalk>(_ walk: inout Walk) throws(Walk.Failure) {
    try header.walk(&walk)
    try walk.field("name", &name, [.title, .searched, .answered], .siblings)
    try walk.optional("relationship", &relationship, [.listed, .searched, .answered], .siblings)
    try walk.optional("email", &email, [.listed, .searched, .answered], .siblings)
    try walk.optional("phone", &phone, [.listed, .searched, .answered], .siblings)
    try walk.optional("contact", &contact, [.listedCut, .searched, .answered], .siblings)
    try walk.optional("recipient", &recipient, [.listed, .answered], .siblings)
    try walk.optional("notes", &notes, [.listedCut, .searched, .answered], .siblings)
    try walk.optional("cardUID", &cardUID, [.listed, .answered], .siblings)
    walk.rest(&unknown)
    try walk.limit("name", name, to: Self.nameLimit)
    try walk.require(
      recipient.isEmpty || RecipientText.isUsable(recipient), "recipient", .invalid(recipient))
  }

  package func checkRules() throws(Fault) {
    try RecordFault.check(name: name, of: .beneficiary)
    try RecordFault.check(relationship, .relationship, limit: Self.nameLimit)
    try Self.check(email: email)
    try Self.check(phone: phone)
    try RecordFault.check(cardUID ?? "", .cardUID, limit: Self.cardUIDLimit)
  }

  package var twinKey: String? { cardUID }

  package var schemaNeeded: Int64 { RecipientText.isMarkedHybrid(recipient) ? 2 : 1 }
}

/// age recipients as records hold them: texts.
package enum RecipientText {
  /// Whether a text is a recipient that can be sealed to: `age1…` or `age1pq1…`.
  package static func isUsable(_ text: String) -> Bool {
    isX25519(text) || isHybrid(text)
  }

  /// Whether a text is an X25519 recipient: `age1…`, 62 characters.
  package static func isX25519(_ text: String) -> Bool {
    guard let (part, bytes) = Bech32.decode(text) else { return false }
    return part == "age" && bytes.count == X25519.byteCount
  }

  /// Whether a text is a post-quantum recipient: `age1pq1…`, 1959 characters.
  package static func isHybrid(_ text: String) -> Bool {
    guard isMarkedHybrid(text), let (_, bytes) = Bech32.decode(text) else { return false }
    return HybridKEM.PublicKey(bytes) != nil
  }

  /// Whether a text begins as post-quantum recipients do.
  package static func isMarkedHybrid(_ text: String) -> Bool {
    text.utf8.starts(with: "age1pq1".utf8)
  }

  /// Returns a recipient for messages and tables: a long one is cut to `age1pq1abcde…wxyz`.
  package static func shortened(_ text: String) -> String {
    // Scalars, not characters: whatever is given may be one endless character.
    let scalars = text.unicodeScalars
    guard text.utf8.count > 80, scalars.count > 16 else { return text }
    return String(scalars.prefix(12)) + "…" + String(scalars.suffix(4))
  }
}
