/// age recipients as records hold them: texts.
package enum RecipientText {
  /// Whether a text is a recipient that can be sealed to: `age1…` or `age1pq1…`.
  package static func isUsable(_ text: String) -> Bool {
    isX25519(text) || isHybrid(text)
  }

  /// Whether a text is an X25519 recipient: `age1…`, 62 characters.
  package static func isX25519(_ text: String) -> Bool {
    guard let (part, bytes) = Bech32.decode(text) else { return false }
    return part == "age" && bytes.count == X25519.byteCount
  }

  /// Whether a text is a post-quantum recipient: `age1pq1…`, 1959 characters.
  package static func isHybrid(_ text: String) -> Bool {
    guard isMarkedHybrid(text), let (_, bytes) = Bech32.decode(text) else { return false }
    return HybridKEM.PublicKey(bytes) != nil
  }

  /// Whether a text begins as post-quantum recipients do.
  package static func isMarkedHybrid(_ text: String) -> Bool {
    text.utf8.starts(with: "age1pq1".utf8)
  }

  /// Returns a recipient for messages and tables: a long one is cut to `age1pq1abcde…wxyz`.
  package static func shortened(_ text: String) -> String {
    // Scalars, not characters: whatever is given may be one endless character.
    let scalars = text.unicodeScalars
    guard text.utf8.count > 80, scalars.count > 16 else { return text }
    return String(scalars.prefix(12)) + "…" + String(scalars.suffix(4))
  }
}
