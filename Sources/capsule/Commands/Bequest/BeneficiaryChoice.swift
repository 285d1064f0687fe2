import CapsuleCore

/// Asks on the terminal who shall have something: somebody who is known, or somebody new.
struct BeneficiaryChoice {
  private let session: Session
  private let store: Store
  private let people: [(id: RecordID, name: String, relationship: String)]

  init(_ session: Session, _ store: Store) {
    self.session = session
    self.store = store
    var index = store.index(.beneficiary, now: session.now)
    var people: [(id: RecordID, name: String, relationship: String)] = []
    index.forEach(.ascending) { entry in
      if let summary = BeneficiarySummary(id: entry.id, encoded: entry.summary) {
        people.append((entry.id, summary.name, summary.relationship))
      }
      return true
    }
    self.people = people.sorted {
      let (one, other) = (NameKey($0.name).text, NameKey($1.name).text)
      return (one, $0.id) < (other, $1.id)
    }
  }

  /// - Parameter title: the title of the thing that somebody shall have.
  func ask(for title: String) throws -> RecordID {
    let unanswered = Failure.usage(
      "nobody is named to whom it shall go", hint: "name a beneficiary: '--to NAME'")
    guard session.ask.isPossible else { throw unanswered }
    for (position, person) in people.enumerated() {
      let relation = person.relationship.isEmpty ? "" : ", \(person.relationship)"
      session.console.err.line(
        "\(String(position + 1), .cyan)  \(person.name, .bold)\(relation, .dim)")
    }
    try session.console.err.flush()
    let question =
      people.isEmpty
      ? "Who shall have '\(title)'? Name: "
      : "Who shall have '\(title)'? A number, or another name: "
    let answer = try text(question, unanswered)
    guard !answer.isEmpty else { throw unanswered }
    if let number = Int(answer) {
      guard number > 0, number <= people.count else {
        throw Failure.usage(
          "there is no number \(number)", hint: "the numbers go to \(people.count)")
      }
      return people[number - 1].id
    }
    let key = NameKey(answer)
    let named = people.filter { NameKey($0.name) == key }
    if let only = named.first, named.count == 1 { return only.id }
    guard named.isEmpty else {
      throw Failure.ambiguous(
        answer, named.map { FoundRecord(kind: .beneficiary, id: $0.id, title: $0.name) })
    }
    return try add(answer, unanswered)
  }

  /// Makes a beneficiary on the spot.
  private func add(_ name: String, _ unanswered: Failure) throws -> RecordID {
    let isNew = try session.ask.isYes(
      "'\(name)' is not known yet. Add this person?", unanswered: unanswered)
    guard isNew else { throw Failure(.refused, "nothing was done", hint: nil) }
    let relationship = try text("Relationship (may stay empty): ", unanswered)
    var person = Beneficiary(header: try store.newHeader(now: session.now), name: name)
    person.relationship = relationship
    try store.insert(person)
    return person.id
  }

  private func text(_ question: String, _ unanswered: Failure) throws -> String {
    let answer = try session.ask.line(question, unanswered: unanswered)
    guard let text = String(validating: answer, as: UTF8.self) else {
      throw Failure.usage("the answer is not text in UTF-8")
    }
    guard text.utf8.count <= Beneficiary.nameLimit else {
      throw Failure.usage(
        "the answer has \(text.utf8.count) bytes; at most \(Beneficiary.nameLimit) can be kept")
    }
    return text.trimmed
  }
}
