import CapsuleCore

/// A beneficiary as lists and JSON show it.
struct BeneficiaryView: RecordView {
  let summary: Brief<Beneficiary>
  let problem: IndexProblem
  private let session: Session

  init(_ summary: Brief<Beneficiary>, problem: IndexProblem = .none, in session: Session) {
    self.summary = summary
    self.problem = problem
    self.session = session
  }

  var id: RecordID { summary.id }

  func writeMembers(to writer: inout some MemberWriter) {
    let instants = InstantFields(zone: session.zone)
    writer.member("cardUID", summary.record.cardUID)
    writer.member("contact", ifAny: summary.record.contact)
    instants.add(summary.record.createdAt, as: "createdAt", to: &writer)
    writer.member("email", ifAny: summary.record.email)
    writer.member("id", summary.id)
    writer.member("kind", "beneficiary")
    writer.member("name", summary.record.name)
    writer.member("notes", ifAny: summary.record.notes)
    writer.member("phone", ifAny: summary.record.phone)
    writer.member("problem", problem.jsonName)
    writer.member("recipient", ifAny: summary.record.recipient)
    writer.member("relationship", ifAny: summary.record.relationship)
    instants.add(summary.record.updatedAt, as: "updatedAt", to: &writer)
    writer.member("zone", session.localZone.label)
  }

  /// The members of the object with those that only the record has: long texts whole, and the
  /// revision.
  func members(of person: Beneficiary) -> JSONObject {
    var members = members
    members.member("contact", ifAny: person.contact)
    members.member("notes", ifAny: person.notes)
    members["revision"] = .integer(person.header.revision)
    return members
  }

  /// The name as lists show it.
  var nameText: StyledText {
    problem.mark ?? StyledText(summary.record.name, .bold)
  }

  /// The columns that a setting may add.
  static func moreColumns(_ session: Session) -> [RowColumn<BeneficiaryView>] {
    [RowColumn("CREATED") { session.dates.cell($0.summary.record.createdAt) }]
  }

  /// The columns of a list.
  static func columns(_ session: Session) -> [RowColumn<BeneficiaryView>] {
    [
      .id(session), .title("NAME") { $0.nameText },
      .text("RELATIONSHIP", flexible: true, detail: .tags) { $0.summary.record.relationship },
      .text("EMAIL", flexible: true, detail: .state) { $0.summary.record.email },
      .text("PHONE", flexible: true, detail: .contents) { $0.summary.record.phone },
    ]
  }
}

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
