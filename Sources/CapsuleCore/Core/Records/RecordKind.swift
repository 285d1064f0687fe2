/// The kinds of records that a store holds, one folder each.
public enum RecordKind: String, CaseIterable, Hashable, Sendable, FieldText {
  case capsule
  case event
  case item
  case beneficiary
  case bequest
  case trustees

  /// The name of the kind's folder in the store.
  package var folder: String {
    switch self {
    case .capsule: "capsules"
    case .event: "events"
    case .item: "items"
    case .beneficiary: "beneficiaries"
    case .bequest: "bequests"
    case .trustees: "trustees"
    }
  }
}
