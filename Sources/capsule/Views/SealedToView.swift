import CapsuleCore

extension SealedTo {
  /// For machine output.
  var members: JSONObject {
    [
      "role": .string(role.rawValue), "recipient": recipient.map { .string($0) } ?? .null,
      "trustees": trustees.map { .string($0.id.description) } ?? .null,
      "trusteesName": trustees.map { .string($0.name) } ?? .null,
    ]
  }

  /// The key in a few words.
  var words: String {
    let key = recipient.map { " " + RecipientText.shortened($0) } ?? ""
    let holders = trustees.map { "the trustees of '\($0.name)'" }
    return switch role {
    case .store: "the store's key"
    case .passphrase: "the passphrase"
    case .recipient: (holders ?? "the recipient") + key
    case .timelock: "the date, with a timelock"
    case .escrow: "the escrow " + (holders.map { $0 + key } ?? String(key.dropFirst()))
    case .recoveryCopy: "a recovery copy for " + (holders ?? "trustees") + key
    }
  }
}
