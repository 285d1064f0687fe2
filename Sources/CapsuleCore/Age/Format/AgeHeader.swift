/// The header of an age file: stanzas that each wrap the file key, and a MAC over them (C2SP
/// age.md, "Header").
package struct AgeHeader: Hashable, Sendable {
  /// The most bytes a header may have: room for some 20,000 recipients.
  ///
  /// The format sets no limit; these bound memory and time whatever is read.
  package static let maximumByteCount = 2 << 20
  /// The most stanzas a header may have.
  package static let maximumStanzaCount = 20_000
  /// The most bytes a line may have; the longest of a known kind has some 1,600.
  package static let maximumLineByteCount = 64 << 10

  /// The version line, without its line feed.
  package static let versionLine = Array("age-encryption.org/v1".utf8)

  /// The stanzas, at least one.
  package let stanzas: [Stanza]

  /// Whether it is sealed with a passphrase, and so with nothing else.
  package var asksForPassphrase: Bool { stanzas.contains { $0.kind == ScryptStanza.kind } }

  /// Refuses a passphrase that costs more than 2 to the limit, before anybody types it.
  ///
  /// - Throws: `.tooMuchWork`.
  package func requireWork(upTo limit: Int) throws(AgeFailure) {
    for stanza in stanzas where stanza.kind == ScryptStanza.kind {
      guard let workFactor = (try? ScryptStanza.parameters(stanza))?.workFactor, workFactor > limit
      else { continue }
      throw .tooMuchWork(workFactor: workFactor, limit: limit)
    }
  }

  /// The MAC as it was read, 32 bytes.
  let mac: [UInt8]
  /// The text that the MAC is over: the header up to and with `---`.
  let authenticated: [UInt8]

  init(stanzas: [Stanza], mac: [UInt8], authenticated: [UInt8]) {
    self.stanzas = stanzas
    self.mac = mac
    self.authenticated = authenticated
  }

  /// The header over some stanzas, with the MAC that the file key gives.
  package init(stanzas: [Stanza], fileKey: FileKey) {
    var text = Self.versionLine + [UInt8(ascii: "\n")]
    for stanza in stanzas { stanza.write(to: &text) }
    text.append(contentsOf: "---".utf8)
    self.init(
      stanzas: stanzas, mac: Self.authenticationCode(of: text, fileKey: fileKey),
      authenticated: text)
  }

  /// The header's bytes, the last line feed included.
  package var encoded: [UInt8] {
    authenticated + Array(" \(Base64.encode(mac, padded: false))\n".utf8)
  }

  /// Whether the file key was the one that the header was made with, and the header is as it was.
  package func isAuthentic(fileKey: FileKey) -> Bool {
    constantTimeEqual(mac, Self.authenticationCode(of: authenticated, fileKey: fileKey))
  }

  private static func authenticationCode(of text: [UInt8], fileKey: FileKey) -> [UInt8] {
    var key = fileKey.derive(salt: [], info: "header")
    defer { wipe(&key) }
    return HMACSHA256.authenticationCode(key: key, data: text)
  }
}
