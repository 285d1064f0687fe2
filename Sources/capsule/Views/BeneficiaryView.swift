import CapsuleCore

/// What is seen of a beneficiary in lists and wherever one is told: as JSON and as text.
struct BeneficiaryView {
  let summary: BeneficiarySummary
  /// What is wrong with its record.
  let problem: IndexProblem
  private let session: Session

  init(
    _ summary: BeneficiarySummary, problem: IndexProblem = .none, in session: Session
  ) {
    self.summary = summary
    self.problem = problem
    self.session = session
  }

  /// The members of the object, for all commands that tell of a beneficiary.
  var members: JSONObject {
    func text(_ value: String) -> JSON { value.isEmpty ? .null : .string(value) }
    var members: JSONObject = [
      "id": .string(summary.id.description),
      "kind": "beneficiary",
      "name": .string(summary.name),
      "relationship": text(summary.relationship),
      "email": text(summary.email),
      "phone": text(summary.phone),
      "contact": text(summary.contact),
      "recipient": text(summary.recipient),
      "notes": text(summary.notes),
      "cardUID": summary.cardUID.map { .string($0) } ?? .null,
      "zone": .string(session.localZone.label),
      "problem": problem == .none ? .null : .string(problem.words),
    ]
    let instants = InstantFields(zone: session.zone)
    instants.add(summary.createdAt, as: "createdAt", to: &members)
    instants.add(summary.updatedAt, as: "updatedAt", to: &members)
    return members
  }

  /// The same with what only the record tells: long texts whole, and the revision.
  func members(of person: Beneficiary) -> JSONObject {
    var members = members
    members["contact"] = person.contact.isEmpty ? .null : .string(person.contact)
    members["notes"] = person.notes.isEmpty ? .null : .string(person.notes)
    members["revision"] = .integer(person.header.revision)
    return members
  }

  /// The name as lists show it.
  var nameText: StyledText {
    problem == .none ? StyledText(summary.name, .bold) : StyledText("damaged", .boldRed)
  }
}
