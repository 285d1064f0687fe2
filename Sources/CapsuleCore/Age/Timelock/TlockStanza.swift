/// The stanza `tlock`: a round, the hash of its chain, and the file key sealed to the round's
/// signature, as `tle` and tlock-js write it.
package struct TlockStanza: Hashable, Sendable {
  package static let kind = "tlock"

  /// The round whose signature opens it, at least 1.
  package let round: UInt64
  /// The chain's hash, 64 lower-case hexadecimal digits where others made it rightly.
  package let chainHash: String
  /// U ‖ V ‖ W, 128 bytes.
  let ciphertext: [UInt8]

  init(round: UInt64, chainHash: String, ciphertext: [UInt8]) {
    self.round = round
    self.chainHash = chainHash
    self.ciphertext = ciphertext
  }

  /// Reads a stanza: a round in decimal digits without a leading zero, a hash, and 128 bytes; `nil`
  /// for a stanza of another kind.
  package init?(_ stanza: Stanza) throws(HeaderFault) {
    guard stanza.kind == Self.kind else { return nil }
    guard stanza.arguments.count == 3,
      let round = Self.round(stanza.arguments[1])
    else { throw .stanza(kind: Self.kind) }
    guard stanza.body.count == TlockIBE.byteCount else { throw .fileKeyLength(kind: Self.kind) }
    self.init(round: round, chainHash: stanza.arguments[2], ciphertext: stanza.body)
  }

  /// The stanza as it stands in a header.
  package var stanza: Stanza {
    Stanza(arguments: [Self.kind, String(round), chainHash], body: ciphertext)
  }

  /// Reads a round from its one canonical text.
  private static func round(_ text: String) -> UInt64? {
    guard let round = UInt64(text), round > 0, String(round) == text else { return nil }
    return round
  }
}
