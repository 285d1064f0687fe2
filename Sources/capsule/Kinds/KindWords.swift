import CapsuleCore

extension RecordKind {
  /// The word for several.
  var plural: String { self == .beneficiary ? "beneficiaries" : word + "s" }

  /// The word for one of them, with its article.
  var wordWithArticle: String {
    switch self {
    case .event, .item: "an \(word)"
    case .capsule, .beneficiary, .bequest, .trustees: "a \(word)"
    }
  }

  /// The word for several, as a heading.
  var heading: String {
    switch self {
    case .capsule: "Capsules"
    case .event: "Events"
    case .item: "Items"
    case .beneficiary: "People"
    case .bequest: "Bequests"
    case .trustees: "Trustee groups"
    }
  }

  /// Returns the command of the kind that does what another command does; the one that shows it where
  /// there is none.
  func command(like verb: String) -> String {
    let last = verb.split(separator: " ").last.map(String.init) ?? ""
    let own = ["delete", "edit", "show"].contains(last) ? last : "show"
    return self == .capsule ? "capsule \(own)" : "capsule \(rawValue) \(own)"
  }
}
