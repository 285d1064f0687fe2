import CapsuleCore

/// The bequests of an item, a capsule or a person, as the `show` of that one has them.
struct BequestSection {
  private let views: [BequestView]
  private let isOfPerson: Bool

  init(of record: RecordReference, _ session: Session, _ store: Store) {
    views = BequestView.all(of: [record], in: store, session)
    isOfPerson = record.kind == .beneficiary
  }

  /// The member of the object.
  var json: JSON { .array(views.map { .object($0.members) }) }

  private static func heading(_ standing: BequestRow.Standing) -> String {
    switch standing {
    case .now: "Receives now"
    case .later: "Receives from a date"
    case .uponPassing: "Receives upon passing"
    case .sent: "Was sent"
    case .over: "Declined or revoked"
    }
  }

  /// Writes who receives it, or what the person receives when.
  func text(_ out: TextOutput) {
    if isOfPerson {
      for standing in BequestRow.Standing.allCases {
        list(Self.heading(standing), views.filter { $0.standing == standing }, out)
      }
    } else {
      list("Left to", views, out)
    }
  }

  private func list(_ heading: String, _ views: [BequestView], _ out: TextOutput) {
    guard !views.isEmpty else { return }
    out.line()
    out.line(StyledText(heading, .dim))
    for view in views {
      let other = isOfPerson ? view.subjectText : view.personText
      out.line(
        "  \(other)  \(view.ruleText)  \(view.stateText)  \(view.summary.id.description, .dim)")
    }
  }
}
