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

  static func words(_ keys: [SealedTo]) -> String {
    let isAlone = keys.count { $0.role == .store } == 1
    return keys.map { $0.words(isAlone: isAlone) }.joined(separator: "; ")
  }

  /// The key in a few words.
  ///
  /// - Parameter isAlone: whether the store has one key.
  func words(isAlone: Bool) -> String {
    let key = recipient.map { " " + RecipientText.shortened($0) } ?? ""
    let holders = trustees.map { "the trustees of '\($0.name)'" }
    return switch role {
    case .store: isAlone ? "the store's key" : "the store's key" + key
    case .passphrase: "the passphrase"
    case .recipient: (holders ?? "the recipient") + key
    case .timelock: "the date, with a timelock"
    case .escrow: "the escrow " + (holders.map { $0 + key } ?? String(key.dropFirst()))
    case .recoveryCopy: "a recovery copy for " + (holders ?? "trustees") + key
    }
  }
}
