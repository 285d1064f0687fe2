import CapsuleCore

/// A group of trustees as lists and JSON show it.
struct TrusteeView: RecordView {
  let summary: TrusteeSummary
  let problem: IndexProblem
  private let session: Session

  init(_ summary: TrusteeSummary, problem: IndexProblem = .none, in session: Session) {
    self.summary = summary
    self.problem = problem
    self.session = session
  }

  var id: RecordID { summary.id }

  var isBlank: Bool { summary.shares.isEmpty }

  func writeMembers(to writer: inout some MemberWriter) {
    let instants = InstantFields(zone: session.zone)
    writer.member("confirmed", Int64(summary.confirmedCount))
    instants.add(summary.createdAt, as: "createdAt", to: &writer)
    writer.member("holders", summary.shares.map(\.holder))
    writer.member("id", summary.id)
    writer.member("identifier", Int64(summary.identifier))
    writer.member("kind", "trustees")
    writer.member("lost", Int64(summary.lostCount))
    writer.member("name", summary.name)
    writer.member("problem", problem.jsonName)
    writer.member("recipient", ifAny: summary.recipient)
    writer.member("threshold", Int64(summary.threshold))
    instants.add(summary.updatedAt, as: "updatedAt", to: &writer)
    writer.member("zone", session.localZone.label)
  }

  /// The members of the object with those that only the record has.
  func members(of group: TrusteeGroup) -> JSONObject {
    var members = members
    let instants = InstantFields(zone: session.zone)
    members["earlierIdentifiers"] = .array(group.earlierIdentifiers.map { .integer(Int64($0)) })
    members["replaced"] = .array(
      group.withFormer.dropFirst().map { former in
        var object = JSONObject()
        object.member("holders", former.shares.map(\.holder))
        object.member("identifier", Int64(former.identifier))
        object.member("recipient", former.recipient)
        instants.add(former.replacedAt, as: "replacedAt", to: &object)
        object.member("threshold", Int64(former.threshold))
        return .object(object)
      })
    members["revision"] = .integer(group.header.revision)
    members["shares"] = .array(
      group.shares.enumerated().map { place, share in
        var object = JSONObject()
        instants.add(share.confirmedAt, as: "confirmedAt", to: &object)
        object.member("digest", share.digest)
        object.member("holder", share.holder)
        instants.add(share.lostAt, as: "lostAt", to: &object)
        instants.add(share.madeAt, as: "madeAt", to: &object)
        object.member("number", Int64(place + 1))
        object.member("person", share.person?.description)
        return .object(object)
      })
    return members
  }

  /// The name as lists show it.
  var nameText: StyledText {
    problem.mark ?? StyledText(summary.name, .bold)
  }

  private var stateText: StyledText {
    let isFew = summary.confirmedCount < summary.confirmationsWanted
    let text = "\(summary.confirmedCount) of \(summary.shares.count)"
    return isFew ? StyledText(text, .yellow) : StyledText(text)
  }

  /// The columns of a list.
  static func columns(_ session: Session) -> [RowColumn<TrusteeView>] {
    [
      .id(session), RowColumn("NAME", flexible: true) { $0.nameText },
      .text("NEEDED") { "\($0.summary.threshold) of \($0.summary.shares.count)" },
      RowColumn("CONFIRMED") { $0.stateText },
      .text("LOST") { $0.summary.lostCount == 0 ? "" : String($0.summary.lostCount) },
      .text("HOLDERS", flexible: true) {
        $0.summary.shares.map(\.holder).joined(separator: ", ")
      },
    ]
  }
}
