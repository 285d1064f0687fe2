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
}

extension Beneficiary: RecordModel {
  package static var kind: RecordKind { .beneficiary }
  package static var blank: Beneficiary { Beneficiary() }

  package mutating func code<Coder: FieldCoder>(with coder: inout Coder) throws(Coder.Failure) {
    try header.code(with: &coder)
    try coder.field("name", &name)
    try coder.optional("relationship", &relationship)
    try coder.optional("email", &email)
    try coder.optional("phone", &phone)
    try coder.optional("contact", &contact)
    try coder.optional("recipient", &recipient)
    try coder.optional("notes", &notes)
    try coder.optional("cardUID", &cardUID)
    coder.rest(&unknown)
    try coder.limit("name", name, to: Self.nameLimit)
    guard recipient.isEmpty || RecipientText.isUsable(recipient) else {
      return try coder.refuse("recipient", .invalid(recipient))
    }
  }

  package func checkRules() throws(RecordFault) {
    try RecordFault.check(name: name, of: .beneficiary)
    try RecordFault.check(relationship, .relationship, limit: Self.nameLimit)
    try Self.check(email: email)
    try Self.check(phone: phone)
    try RecordFault.check(cardUID ?? "", .cardUID, limit: Self.cardUIDLimit)
  }

  package var twinKey: String? { cardUID }

  package var schemaNeeded: Int64 { RecipientText.isMarkedHybrid(recipient) ? 2 : 1 }
}
