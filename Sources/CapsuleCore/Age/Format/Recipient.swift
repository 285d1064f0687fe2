/// A key that a file can be sealed to: it wraps the file key in stanzas.
package protocol Recipient: Sendable {
  /// Whether the recipient must be the only one. Such a recipient promises that the file was made by
  /// someone who knows the passphrase, and keeps that promise only by standing alone.
  var standsAlone: Bool { get }
  /// The claim about a file that is sealed to it.
  var label: RecipientLabel { get }

  /// Wraps the file key.
  ///
  /// - Returns: one stanza or more.
  func wrap(_ fileKey: FileKey, random: RandomSource) throws(AgeFailure) -> [Stanza]
}

extension Recipient {
  package var standsAlone: Bool { false }
  package var label: RecipientLabel { .none }
}

/// The claim that a recipient makes about a file. It holds only where all recipients of the file make
/// it: the weakest of them opens it too (C2SP age.md, "Recipient labels").
package enum RecipientLabel: Hashable, Sendable {
  case none
  /// A quantum computer does not open the file.
  case postQuantum
  /// There is no claim: a recipient beside it lifts a timelock early, and does not need to be of
  /// its kind.
  case timelock
}

/// A key that can open a file: it finds its stanzas and unwraps the file key.
package protocol Identity: Sendable {
  /// Looks for a stanza of its own among all of a header's and unwraps it; stanzas of other kinds
  /// are passed over.
  func unwrap(_ stanzas: [Stanza]) -> Unwrapped
}

/// The result of an identity's search in a header's stanzas.
package enum Unwrapped: Sendable {
  /// One of them was for it.
  case fileKey(FileKey)
  /// None of them is for it.
  case noMatch
  /// One is for it, but only from that instant on.
  case tooEarly(until: Instant)
  /// One is for it, but nothing proved that the time has come; holds the reason.
  case unproven(any Error)
  /// One is of its kind, and breaks that kind's rules, or asks for more work or memory than there is.
  case failed(AgeFailure)
}

/// The one form in which all kinds of stanzas hold a file key: sealed with a key that is used once.
enum WrappedFileKey {
  /// 16 bytes of key and 16 of tag. Any other length is refused before anything is opened, so that
  /// nobody can try many keys with one body.
  static let byteCount = FileKey.byteCount + ChaCha20Poly1305.tagByteCount

  /// The nonce of a wrap key that seals one file key and nothing else.
  static let nonce = [UInt8](repeating: 0, count: ChaCha20Poly1305.nonceByteCount)

  /// Seals a file key.
  ///
  /// - Returns: the body of a stanza.
  static func seal(
    _ fileKey: FileKey, with wrapKey: SecretBytes, nonce: [UInt8] = nonce
  ) -> [UInt8] {
    var plaintext = fileKey.bytes.bytes
    defer { wipe(&plaintext) }
    return ChaCha20Poly1305(key: wrapKey).seal(plaintext, nonce: nonce)
  }

  /// Opens a body.
  ///
  /// - Returns: the file key; `nil` for another wrap key.
  static func open(
    _ body: [UInt8], with wrapKey: SecretBytes, nonce: [UInt8] = nonce
  ) -> FileKey? {
    guard var plaintext = ChaCha20Poly1305(key: wrapKey).open(body, nonce: nonce) else {
      return nil
    }
    return FileKey(SecretBytes(taking: &plaintext))
  }
}

/// One recipient stanza of an age header: the file key, wrapped for one recipient (C2SP age.md,
/// "Recipient stanza").
package struct Stanza: Hashable, Sendable {
  /// The words behind `->`, at least one, each of one or more bytes 0x21–0x7E; the first is the
  /// kind.
  package let arguments: [String]
  /// The decoded body; it may be empty.
  package let body: [UInt8]

  package init(arguments: [String], body: [UInt8]) {
    self.arguments = arguments
    self.body = body
  }

  /// The first argument: which kind of recipient the stanza is for.
  package var kind: String { arguments.first ?? "" }

  /// The columns of a body line; a stanza ends with the first line that is shorter.
  static let columns = 64
  /// The bytes that a full body line stands for.
  static let bytesPerLine = 48

  /// Appends the stanza as it stands in a header: its argument line, then its body lines, of which
  /// the last is short and may be empty.
  func write(to text: inout [UInt8]) {
    text.append(contentsOf: "->".utf8)
    for argument in arguments {
      text.append(UInt8(ascii: " "))
      text.append(contentsOf: argument.utf8)
    }
    text.append(UInt8(ascii: "\n"))
    var start = 0
    while true {
      let line = Array(body[start..<min(start + Self.bytesPerLine, body.count)])
      text.append(contentsOf: Base64.encode(line, padded: false).utf8)
      text.append(UInt8(ascii: "\n"))
      if line.count < Self.bytesPerLine { return }
      start += Self.bytesPerLine
    }
  }
}

/// The key that one age file is sealed with: 16 random bytes, used for that file only.
package struct FileKey: Sendable {
  package static let byteCount = 16

  /// The 16 bytes.
  package let bytes: SecretBytes

  /// A new key.
  package init(random: RandomSource) throws(Fault) {
    bytes = try SecretBytes(count: Self.byteCount) { buffer throws(Fault) in
      try random.fill(buffer)
    }
  }

  /// A key that was unwrapped; `nil` unless it is 16 bytes.
  package init?(_ bytes: SecretBytes) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  /// Derives 32 bytes for one use, which the caller wipes.
  func derive(salt: [UInt8], info: String) -> [UInt8] {
    var secret = bytes.bytes
    defer { wipe(&secret) }
    return HKDFSHA256.derive(secret: secret, salt: salt, info: Array(info.utf8), count: 32)
  }
}
