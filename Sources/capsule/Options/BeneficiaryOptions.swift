import CapsuleCore

/// The options by which a person is described, in `beneficiary add` and `beneficiary edit`.
enum BeneficiaryOptions {
  static let reference = Operand(
    "BENEFICIARY", .reference(.beneficiary), "An id, the start of one, or a name")
  static let relationship = Option(
    "relationship", value: "WORD", .text, "What the person is to you, as 'daughter'")
  static let email = Option("email", value: "ADDRESS", .text, "An email address")
  static let phone = Option("phone", value: "NUMBER", .text, "A phone number")
  static let contact = Option("contact", value: "TEXT", .text, "Any other way to reach the person")
  static let recipient = Option(
    "recipient", value: "RECIPIENT", .text,
    "The person's age recipient (`age1…`), to seal deliveries to")
  static let notes = Option("notes", value: "TEXT", .text, "Anything else to know")

  static let all: [any OptionDeclaration] = [
    relationship, email, phone, contact, recipient, notes,
  ]

  /// A name that can be kept, without white space at its ends.
  static func name(_ text: String) throws -> String {
    let name = text.trimmed
    guard !name.isEmpty else {
      throw Failure.usage(
        "the name is empty", hint: "give the person's name, at most 1 KiB of text")
    }
    try checkLength(name, of: "the name")
    return name
  }

  /// Puts what was given into a person; an empty text takes a field away.
  static func apply(_ invocation: Invocation, to person: inout Beneficiary) throws {
    if let text = invocation[relationship]?.trimmed {
      try checkLength(text, of: "the relationship")
      person.relationship = text
    }
    if let text = invocation[email]?.trimmed {
      guard text.isEmpty || Beneficiary.isEmailAddress(text) else {
        throw Failure.usage(
          "'\(text)' is no email address",
          hint: "give one with one @, something before and after it, and no spaces, as "
            + "'zoe@example.org', or '' for none; anything else goes into '--contact'")
      }
      person.email = text
    }
    if let text = invocation[phone]?.trimmed {
      guard text.isEmpty || Beneficiary.isPhoneNumber(text) else {
        throw Failure.usage(
          "'\(text)' is no phone number",
          hint: "give digits with + - ( ) . / and spaces, and an extension at most, as "
            + "'+33 6 12 34 56 78' or '555-0100 ext. 12', or '' for none; "
            + "anything else goes into '--contact'")
      }
      person.phone = text
    }
    if let text = invocation[contact] { person.contact = text.trimmed }
    if let text = invocation[recipient]?.trimmed { person.recipient = try checked(recipient: text) }
    if let text = invocation[notes] { person.notes = text.trimmed }
  }

  private static func checked(recipient text: String) throws -> String {
    if text.isEmpty { return "" }
    do throws(KeyFault) {
      return try X25519Recipient(text).description
    } catch {
      throw Failure.usage("'\(text)' is no recipient: \(error.words)", hint: error.hint)
    }
  }

  private static func checkLength(_ text: String, of field: String) throws {
    guard text.utf8.count <= Beneficiary.nameLimit else {
      throw Failure.usage(
        "\(field) has \(text.utf8.count) bytes; at most \(Beneficiary.nameLimit) can be kept")
    }
  }
}
