import CapsuleCore

/// A bequest as lists and JSON show it.
struct BequestView: RecordView {
  private let row: BequestRow
  private let session: Session

  init(_ row: BequestRow, in session: Session) {
    self.row = row
    self.session = session
  }

  init(
    _ summary: BequestSummary, problem: IndexProblem = .none, names: RecordNames,
    passing: Passing?, in session: Session
  ) {
    self.init(
      BequestRow(summary, problem: problem, names: names, passing: passing, at: session.now),
      in: session)
  }

  var id: RecordID { row.summary.id }
  var summary: BequestSummary { row.summary }
  var problem: IndexProblem { row.problem }
  var subjectTitle: String? { row.subjectTitle }
  var personName: String? { row.personName }
  var accessibleAt: Instant? { row.accessibleAt }
  var isAccessible: Bool { row.isAccessible }
  var standing: BequestRow.Standing { row.standing }
  var title: String { row.title }

  func writeMembers(to writer: inout some MemberWriter) {
    let instants = InstantFields(zone: session.zone)
    writer.member("access", summary.access.name.rawValue)
    instants.add(summary.access.date, as: "accessAt", to: &writer)
    instants.add(accessibleAt, as: "accessibleAt", to: &writer)
    writer.object("beneficiary") { writer in
      writer.member("id", summary.beneficiary)
      writer.member("name", personName)
    }
    instants.add(summary.createdAt, as: "createdAt", to: &writer)
    writer.member("hasMessage", summary.hasMessage)
    writer.member("id", summary.id)
    writer.member("isAccessible", isAccessible)
    writer.member("kind", "bequest")
    writer.member("problem", problem.jsonName)
    writer.member("state", summary.state.rawValue)
    instants.add(summary.stateSince, as: "stateAt", to: &writer)
    writer.object("subject") { writer in
      writer.member("id", summary.subject.id)
      writer.member("kind", summary.subject.kind.rawValue)
      writer.member("title", subjectTitle)
    }
    instants.add(summary.updatedAt, as: "updatedAt", to: &writer)
    writer.member("zone", session.localZone.label)
  }

  /// The members of the object with those that only the record has.
  func members(of bequest: Bequest) -> JSONObject {
    let instants = InstantFields(zone: session.zone)
    var members = members
    members["message"] = .string(bequest.message)
    members["revision"] = .integer(bequest.header.revision)
    members["delivery"] = .array(
      bequest.delivery.map { change in
        var object: JSONObject = [
          "state": .string(change.state.rawValue), "notes": .string(change.notes),
        ]
        instants.add(change.at, as: "at", to: &object)
        return .object(object)
      })
    return members
  }

  /// The rule in words: `immediately`, `from Sun 15 Jun 2036 00:00 CEST`, `upon passing`.
  var ruleText: String {
    switch summary.access {
    case .immediate: "immediately"
    case .afterDate(let date): "from \(session.dates.text(date))"
    case .uponPassing: "upon passing"
    }
  }

  /// The rule as lists show it.
  private var ruleCell: StyledText {
    guard case .afterDate(let date) = summary.access else { return StyledText(ruleText) }
    return "from " + session.dates.cell(date)
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

  /// The columns that a setting may add.
  static func moreColumns(_ session: Session) -> [RowColumn<BequestView>] {
    [RowColumn("CREATED") { session.dates.cell($0.summary.createdAt) }]
  }

  /// The columns of a list.
  static func columns(_ session: Session) -> [RowColumn<BequestView>] {
    [
      .id(session), .title("WHAT") { $0.subjectText },
      RowColumn("TO", flexible: true) { $0.personText }, RowColumn("ACCESS") { $0.ruleCell },
      RowColumn("STATE", detail: .state) { $0.stateText },
    ]
  }
}

extension BequestView {
  /// The bequests that name one of some records, as far as they can be read, in the order in which they were
  /// made.
  static func all(
    of records: Set<RecordReference>, in store: Store, _ session: Session
  ) -> [BequestView] {
    var query = BequestQuery(passing: session.stores.settings(of: store).passing, now: session.now)
    query.named = records
    var index = store.index(.bequest, now: session.now)
    var found: [BequestView] = []
    query.forEach(in: &index, of: store) { row in
      found.append(BequestView(row, in: session))
      return true
    }
    return found
  }
}
