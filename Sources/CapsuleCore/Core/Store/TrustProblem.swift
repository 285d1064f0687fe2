/// A difference between what a store says of whom it seals to and what this device knows.
public enum TrustProblem: Hashable, Sendable {
  /// The store seals to other recipients; `known` is empty where only a digest of it was kept.
  case recipients([String], known: [String])
  /// The store was protected with a passphrase, and says that it is not.
  case unprotected([String], known: [String])
  /// A protected store has other keys from the time before, to which its machines seal what they exchange.
  case former([String], known: [String])
  /// Another store is where this device knew one.
  case otherStore(RecordID, known: RecordID)
  /// A group of trustees has another recipient.
  case trustees(name: String, RecordID, recipient: String, known: String)
  /// Another group has the name of one that this device knows.
  case otherGroup(name: String, RecordID, recipient: String, known: RecordID)
  /// A setting that decides whom new capsules are sealed to, or how strongly, has another value; empty for none.
  case setting(Setting, String, known: String)
  /// A person has another recipient.
  case person(name: String, RecordID, recipient: String, known: String)
  /// Another person has the name of one whom this device knows.
  case otherPerson(name: String, RecordID, recipient: String, known: RecordID)
}

extension TrustProblem {
  /// The difference in one line; recipients that are too long for it are shortened.
  package var words: String {
    func listed(_ recipients: [String]) -> String {
      recipients.isEmpty
        ? "none" : recipients.map(RecipientText.shortened).joined(separator: ", ")
    }
    func value(_ text: String) -> String { text.isEmpty ? "not set" : "'\(text)'" }
    return switch self {
    case .recipients(let now, let known):
      "the key of the store changed: now \(listed(now)), before "
        + (known.isEmpty ? "another key" : listed(known))
    case .unprotected(let now, _):
      "the store no longer has a passphrase, and its key is now \(listed(now))"
    case .former(let now, let known):
      "the earlier keys of the store changed: now \(listed(now)), before \(listed(known))"
    case .otherStore(let id, let known):
      "this is a different store from the one that was here before: now \(id), before \(known)"
    case .trustees(let name, _, let now, let known):
      "the key of the trustees '\(name)' changed: now \(listed([now])), before \(listed([known]))"
    case .otherGroup(let name, let id, _, let known):
      "'\(name)' is a different group of trustees than before: now \(id), before \(known)"
    case .setting(let setting, let now, let known):
      "the setting '\(setting.key)' changed: now \(value(now)), before \(value(known))"
    case .person(let name, _, let now, let known):
      now.isEmpty
        ? "'\(name)' no longer has a recipient; before, it was \(listed([known]))"
        : "the recipient of '\(name)' changed: now \(listed([now])), before "
          + (known.isEmpty ? "none" : listed([known]))
    case .otherPerson(let name, let id, _, let known):
      "'\(name)' is a different person than before: now \(id), before \(known)"
    }
  }

  /// What the store says, and what this device knows; recipients whole.
  package var values: (now: [String], known: [String]) {
    switch self {
    case .recipients(let now, let known), .unprotected(let now, let known),
      .former(let now, let known):
      (now, known)
    case .trustees(_, _, let now, let known), .person(_, _, let now, let known): ([now], [known])
    case .setting(_, let now, let known): ([now], [known])
    case .otherGroup(_, let now, _, let known), .otherPerson(_, let now, _, let known),
      .otherStore(let now, let known):
      ([now.description], [known.description])
    }
  }

  /// The record that it is about.
  package var record: RecordReference? {
    switch self {
    case .recipients, .unprotected, .former, .otherStore, .setting: nil
    case .trustees(_, let id, _, _), .otherGroup(_, let id, _, _): RecordReference(.trustees, id)
    case .person(_, let id, _, _), .otherPerson(_, let id, _, _): RecordReference(.beneficiary, id)
    }
  }
}

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
  package var members: JSONObject {
    [
      "about": .string(kind), "name": name.map { .string($0) } ?? .null,
      "id": record.map { .string($0.id.description) } ?? .null,
      "now": .array(values.now.map { .string($0) }),
      "known": .array(values.known.map { .string($0) }),
    ]
  }
}
