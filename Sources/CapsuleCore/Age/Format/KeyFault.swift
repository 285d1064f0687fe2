/// The reason why a line is not a key that can be used here. It never holds the line: that may be a
/// secret.
package enum KeyFault: Error, Hashable {
  /// It is no key, or one with an error in it.
  case malformed
  /// A key of a hardware token: `age1tag1…`, `age1tagpq1…`.
  case tagged
  /// A key of the plugin of this name: `age1name1…`, `AGE-PLUGIN-NAME-1…`.
  case plugin(String)
  /// An SSH key.
  case ssh
  /// A secret key where a recipient belongs.
  case secretKey
  /// A recipient where a secret key belongs.
  case recipient

  /// The reason why a text is not a recipient.
  init(recipient text: String) {
    self = Self.otherKind(text) ?? .malformed
  }

  /// The reason why some characters are not an identity; those that are no text are none of any kind.
  init(identity characters: [UInt8]) {
    self =
      String(validating: characters, as: UTF8.self).map { KeyFault(identity: $0) } ?? .malformed
  }

  /// The reason why a text is not an identity.
  init(identity text: String) {
    let isRecipient = text.utf8.starts(with: "age1".utf8)
    self = Self.otherKind(text) ?? (isRecipient ? .recipient : .malformed)
  }

  private static func otherKind(_ text: String) -> KeyFault? {
    let starts = ["ssh-", "ecdsa-sha2-", "sk-", "-----BEGIN "]
    if starts.contains(where: { text.utf8.starts(with: $0.utf8) }) { return .ssh }
    // The part before the last 1 names the kind, whether or not the rest is in order.
    guard let separator = text.utf8.lastIndex(of: UInt8(ascii: "1")) else { return nil }
    let part = text.utf8[..<separator].map(\.asciiLowercased)
    guard part.allSatisfy({ (33...126).contains($0) }) else { return nil }
    let name = String(decoding: part, as: UTF8.self)
    switch name {
    case "age-secret-key-", "age-secret-key-pq-", "age-plugin-pq-":
      return isSecretKey(text) ? .secretKey : nil
    case "age1pq": return nil
    case "age1tag", "age1tagpq": return .tagged
    default: break
    }
    if name.hasPrefix("age1"), name.count > 4 { return .plugin(String(name.dropFirst(4))) }
    if name.hasPrefix("age-plugin-"), name.count > 12, name.hasSuffix("-") {
      return .plugin(String(name.dropFirst(11).dropLast()))
    }
    return nil
  }

  /// Whether it is a secret key without an error, so that it is in the wrong place rather than
  /// mistyped.
  private static func isSecretKey(_ text: String) -> Bool {
    guard var bytes = Bech32.decode(text)?.bytes else { return false }
    defer { wipe(&bytes) }
    let starts = ["AGE-SECRET-KEY-1", "AGE-SECRET-KEY-PQ-1", "AGE-PLUGIN-PQ-1"]
    return starts.contains { text.utf8.starts(with: $0.utf8) } && bytes.count == X25519.byteCount
  }
}
