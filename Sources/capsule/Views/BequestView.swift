import CapsuleCore

/// What is seen of a bequest in lists and wherever one is told: as JSON and as text.
struct BequestView {
  let summary: BequestSummary
  let problem: IndexProblem
  /// The title of the item or capsule; `nil` where it is gone.
  let subjectTitle: String?
  /// The beneficiary's name; `nil` where the person is gone.
  let personName: String?
  /// From when on the beneficiary may have it; `nil` while that is not known.
  let accessibleAt: Instant?
  private let session: Session

  init(
    _ summary: BequestSummary, problem: IndexProblem = .none, names: RecordNames,
    passing: Passing?, in session: Session
  ) {
    self.summary = summary
    self.problem = problem
    self.session = session
    subjectTitle = names.live(summary.subject)
    personName = names.live(RecordReference(.beneficiary, summary.beneficiary))
    accessibleAt = summary.accessible(passing: passing?.at)
  }

  /// Whether the beneficiary may have it now, or has it; not what was declined or revoked.
  var isAccessible: Bool {
    guard let accessibleAt, accessibleAt <= session.now else { return false }
    return summary.state != .declined && summary.state != .revoked
  }

  /// What is left to whom.
  var title: String { "\(subjectTitle ?? "?") to \(personName ?? "?")" }

  /// The members of the object, for all commands that tell of a bequest.
  var members: JSONObject {
    let instants = InstantFields(zone: session.zone)
    var members: JSONObject = [
      "id": .string(summary.id.description),
      "kind": "bequest",
      "subject": .object([
        "id": .string(summary.subject.id.description),
        "kind": .string(summary.subject.kind.rawValue),
        "title": subjectTitle.map { .string($0) } ?? .null,
      ]),
      "beneficiary": .object([
        "id": .string(summary.beneficiary.description),
        "name": personName.map { .string($0) } ?? .null,
      ]),
      "access": .string(summary.access.name.rawValue),
      "isAccessible": .bool(isAccessible),
      "hasMessage": .bool(summary.hasMessage),
      "state": .string(summary.state.rawValue),
      "zone": .string(session.localZone.label),
      "problem": problem == .none ? .null : .string(problem.words),
    ]
    instants.add(summary.access.date, as: "accessAt", to: &members)
    instants.add(accessibleAt, as: "accessibleAt", to: &members)
    instants.add(summary.stateSince, as: "stateAt", to: &members)
    instants.add(summary.createdAt, as: "createdAt", to: &members)
    instants.add(summary.updatedAt, as: "updatedAt", to: &members)
    return members
  }

  /// The rule in words: `immediately`, `from Sun 15 Jun 2036 00:00 CEST`, `upon passing`.
  var ruleText: String {
    switch summary.access {
    case .immediate: "immediately"
    case .afterDate(let date): "from \(session.dateTime(date))"
    case .uponPassing: "upon passing"
    }
  }

  /// The state as lists show it.
  var stateText: StyledText {
    let word = summary.state.words
    return switch summary.state {
    case .notSent where isAccessible: StyledText("\(word), accessible", .yellow)
    case .notSent: StyledText(word)
    case .sent: StyledText(word, .cyan)
    case .accepted: StyledText(word, .green)
    case .declined, .revoked: StyledText(word, .dim)
    }
  }

  var subjectText: StyledText {
    subjectTitle.map { StyledText($0, .bold) } ?? StyledText("gone", .boldRed)
  }

  var personText: StyledText {
    personName.map { StyledText($0) } ?? StyledText("gone", .boldRed)
  }
}

extension Session {
  /// The bequests that name a record, as far as they can be read, in the order in which they were
  /// made.
  func bequests(of record: RecordReference, in store: Store) -> [BequestView] {
    var index = store.index(.bequest, now: now)
    let names = RecordNames(store, now: now)
    let passing = storeSettings(store).passing
    var found: [BequestView] = []
    index.forEach(.ascending) { entry in
      if let summary = BequestSummary(id: entry.id, encoded: entry.summary),
        summary.references.contains(record)
      {
        found.append(
          BequestView(
            summary, problem: entry.problem, names: names, passing: passing, in: self))
      }
      return true
    }
    return found
  }
}
