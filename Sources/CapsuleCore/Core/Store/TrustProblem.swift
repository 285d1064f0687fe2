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
    func value(_ text: String) -> String { text.isEmpty ? "nothing" : "'\(text)'" }
    return switch self {
    case .recipients(let now, let known):
      "the store seals to \(listed(now))"
        + (known.isEmpty
          ? ", and this device knows another key" : "; this device knows \(listed(known))")
    case .unprotected(let now, _):
      "the store had a passphrase and has none now; it seals to \(listed(now))"
    case .former(let now, let known):
      "the store's earlier keys are \(listed(now)); this device knows \(listed(known))"
    case .otherStore(let id, let known):
      "this is the store \(id), and this device knew the store \(known) here"
    case .trustees(let name, _, let now, let known):
      "the trustees of '\(name)' have another key: \(listed([now])); this device knows "
        + listed([known])
    case .otherGroup(let name, let id, _, let known):
      "'\(name)' is another group of trustees, \(id); this device knows \(known)"
    case .setting(let setting, let now, let known):
      "the setting '\(setting.key)' is \(value(now)); this device knows \(value(known))"
    case .person(let name, _, let now, let known):
      now.isEmpty
        ? "'\(name)' has no recipient any more; this device knows \(listed([known]))"
        : "'\(name)' has another recipient: \(listed([now])); this device knows "
          + (known.isEmpty ? "none" : listed([known]))
    case .otherPerson(let name, let id, _, let known):
      "'\(name)' is another person, \(id); this device knows \(known)"
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
