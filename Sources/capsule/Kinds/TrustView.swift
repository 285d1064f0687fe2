import CapsuleCore

extension TrustProblem {
  private var kind: String {
    switch self {
    case .recipients: "recipients"
    case .unprotected: "unprotected"
    case .former: "former"
    case .otherStore: "otherStore"
    case .trustees: "trustees"
    case .otherGroup: "otherGroup"
    case .setting: "setting"
    case .person: "person"
    case .otherPerson: "otherPerson"
    }
  }

  private var name: String? {
    switch self {
    case .recipients, .unprotected, .former, .otherStore: nil
    case .trustees(let name, _, _, _), .otherGroup(let name, _, _, _),
      .person(let name, _, _, _), .otherPerson(let name, _, _, _):
      name
    case .setting(let key, _, _): key.name
    }
  }

  /// What the store says and what this device knows, for machine output.
  var members: JSONObject {
    [
      "about": .string(kind), "name": name.map { .string($0) } ?? .null,
      "id": record.map { .string($0.id.description) } ?? .null,
      "now": .array(values.now.map { .string($0) }),
      "known": .array(values.known.map { .string($0) }),
    ]
  }
}
