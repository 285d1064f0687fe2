/// The stanza `scrypt`: a salt and a work factor, and the file key sealed with a key from a passphrase
/// (C2SP age.md, "The scrypt recipient type").
package enum ScryptStanza {
  package static let kind = "scrypt"
  static let saltByteCount = 16
  /// The highest base-2 logarithm of the work factor that is computed: 4 GiB of memory.
  static let maximumWorkFactor = 22

  /// The parameters in a stanza.
  struct Parameters: Hashable {
    let salt: [UInt8]
    /// The base-2 logarithm of N.
    let workFactor: Int
  }

  /// Checks every stanza of this kind, and that there is no other stanza beside one.
  static func check(_ stanzas: [Stanza]) throws(HeaderFault) {
    for stanza in stanzas where stanza.kind == kind {
      guard stanzas.count == 1 else { throw .scryptNotAlone }
      _ = try parameters(stanza)
    }
  }

  /// Reads a stanza: three arguments, the second a salt of 16 bytes in canonical base64, the third
  /// digits without a leading zero and not above the maximum, and a body of the right length.
  static func parameters(_ stanza: Stanza) throws(HeaderFault) -> Parameters {
    guard stanza.arguments.count == 3,
      let salt = Base64.decode(stanza.arguments[1], padded: false),
      salt.count == saltByteCount
    else { throw .stanza(kind: kind) }
    let digits = stanza.arguments[2].utf8
    guard let first = digits.first, first != UInt8(ascii: "0"),
      digits.allSatisfy({ (0x30...0x39).contains($0) })
    else { throw .stanza(kind: kind) }
    guard digits.count <= 2, let workFactor = Int(stanza.arguments[2]),
      workFactor <= maximumWorkFactor
    else { throw .workFactor }
    guard stanza.body.count == WrappedFileKey.byteCount else { throw .fileKeyLength(kind: kind) }
    return Parameters(salt: salt, workFactor: workFactor)
  }

  /// Derives the key that wraps the file key. It takes 2 to the `workFactor` KiB of memory.
  static func wrapKey(
    _ passphrase: Passphrase, _ parameters: Parameters
  ) throws(Scrypt.OutOfMemory) -> SecretBytes {
    var password = passphrase.bytes.bytes
    defer { wipe(&password) }
    var key = try Scrypt.derive(
      password: password,
      salt: Array("age-encryption.org/v1/scrypt".utf8) + parameters.salt,
      logN: parameters.workFactor, r: 8, p: 1, count: ChaCha20Poly1305.keyByteCount)
    return SecretBytes(taking: &key)
  }
}
