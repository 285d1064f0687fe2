import CapsuleCore

/// The options by which a person is described, in `beneficiary add` and `beneficiary edit`.
enum BeneficiaryOptions {
  static let reference = Parameter.operand(
    "BENEFICIARY", .reference(.beneficiary), "An id, the start of one, or a name")
  static let relationship = Parameter.option(
    "relationship", value: "WORD", .text, "What the person is to you, such as 'daughter'")
  static let email = Parameter.option("email", value: "ADDRESS", .text, "An email address")
  static let phone = Parameter.option("phone", value: "NUMBER", .text, "A phone number")
  static let contact = Parameter.option(
    "contact", value: "TEXT", .text, "Any other way to reach the person")
  static let recipient = Parameter.option(
    "recipient", value: "RECIPIENT", .text,
    "The person's age recipient (a public key: `age1…`, `age1pq1…`), to seal deliveries")
  static let notes = Parameter.option("notes", value: "TEXT", .text, "Notes about the person")

  static let all: Parameters = [
    relationship, email, phone, contact, recipient, notes,
  ]

  /// A name that can be kept, without white space at its ends.
  static func name(_ text: String) throws -> String {
    let name = text.trimmed
    try RecordFault.check(name: name, of: .beneficiary)
    return name
  }

  /// Puts what was given into a person; an empty text takes a field away.
  static func apply(_ invocation: Invocation, to person: inout Beneficiary) throws {
    if let text = invocation[relationship]?.trimmed {
      try RecordFault.check(text, .relationship, limit: Beneficiary.nameLimit)
      person.relationship = text
    }
    if let text = invocation[email]?.trimmed {
      try Beneficiary.check(email: text)
      person.email = text
    }
    if let text = invocation[phone]?.trimmed {
      try Beneficiary.check(phone: text)
      person.phone = text
    }
    if let text = invocation[contact] { person.contact = text.trimmed }
    if let text = invocation[recipient]?.trimmed { person.recipient = try checked(recipient: text) }
    if let text = invocation[notes] { person.notes = text.trimmed }
  }

  private static func checked(recipient text: String) throws -> String {
    if text.isEmpty { return "" }
    return try AgeRecipient(named: text).description
  }
}
