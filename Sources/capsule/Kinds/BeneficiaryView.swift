import CapsuleCore

/// A beneficiary as lists and JSON show it.
struct BeneficiaryView: RecordView {
  let summary: BeneficiarySummary
  let problem: IndexProblem
  private let session: Session

  init(_ summary: BeneficiarySummary, problem: IndexProblem = .none, in session: Session) {
    self.summary = summary
    self.problem = problem
    self.session = session
  }

  var id: RecordID { summary.id }

  func writeMembers(to writer: inout some MemberWriter) {
    let instants = InstantFields(zone: session.zone)
    writer.member("cardUID", summary.cardUID)
    writer.member("contact", ifAny: summary.contact)
    instants.add(summary.createdAt, as: "createdAt", to: &writer)
    writer.member("email", ifAny: summary.email)
    writer.member("id", summary.id)
    writer.member("kind", "beneficiary")
    writer.member("name", summary.name)
    writer.member("notes", ifAny: summary.notes)
    writer.member("phone", ifAny: summary.phone)
    writer.member("problem", problem.jsonName)
    writer.member("recipient", ifAny: summary.recipient)
    writer.member("relationship", ifAny: summary.relationship)
    instants.add(summary.updatedAt, as: "updatedAt", to: &writer)
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
    problem.mark ?? StyledText(summary.name, .bold)
  }

  /// The columns that a setting may add.
  static func moreColumns(_ session: Session) -> [RowColumn<BeneficiaryView>] {
    [RowColumn("CREATED") { session.dates.cell($0.summary.createdAt) }]
  }

  /// The columns of a list.
  static func columns(_ session: Session) -> [RowColumn<BeneficiaryView>] {
    [
      .id(session), .title("NAME") { $0.nameText },
      .text("RELATIONSHIP", flexible: true, detail: .tags) { $0.summary.relationship },
      .text("EMAIL", flexible: true, detail: .state) { $0.summary.email },
      .text("PHONE", flexible: true, detail: .contents) { $0.summary.phone },
    ]
  }
}
