/// A passphrase: one or more bytes, taken as they are.
package struct Passphrase: Sendable {
  package let bytes: SecretBytes
  /// Begins what goes with the computation of a key, which takes a second or more; `nil` for nothing.
  package var watch: (@Sendable () -> (any DerivationWatch)?)?

  /// A passphrase of exactly these bytes; `nil` for none.
  package init?(_ bytes: SecretBytes) {
    guard bytes.count > 0 else { return nil }
    self.bytes = bytes
  }

  /// The passphrase in a file or in a program's output: all of it but one line end, LF or CRLF;
  /// `nil` when nothing is left.
  package init?(fileContents bytes: SecretBytes) {
    self.init(
      bytes.withUnsafeBytes { bytes in
        var count = bytes.count
        if count > 0, bytes[count - 1] == UInt8(ascii: "\n") {
          count -= 1
          if count > 0, bytes[count - 1] == UInt8(ascii: "\r") { count -= 1 }
        }
        return SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
      })
  }

  /// The number of words of a generated passphrase; each of them brings 10 bits.
  package static let generatedWordCount = 10

  /// Draws a passphrase of ten words out of ``WordList``, with a space between two: 100 bits.
  ///
  /// - Throws: ``RandomSource/Failure`` where the system gives no random bytes.
  package init(generatedBy random: RandomSource) throws(Fault) {
    var drawn = try random.bytes(2 * Self.generatedWordCount)
    defer { wipe(&drawn) }
    var text: [UInt8] = []
    // At most eight letters a word, so that no copy is left behind where the array grows.
    text.reserveCapacity(9 * Self.generatedWordCount)
    for place in stride(from: 0, to: drawn.count, by: 2) {
      if !text.isEmpty { text.append(UInt8(ascii: " ")) }
      // 1024 numbers of ten bits for 1024 words: each is as likely.
      let number = Int(drawn[place]) << 8 | Int(drawn[place + 1])
      text.append(contentsOf: WordList.words[number & 0x3ff].utf8)
    }
    bytes = SecretBytes(taking: &text)
  }
}

/// Something that goes with the computation of a passphrase's key.
package protocol DerivationWatch: Sendable {
  /// Called again and again while the key is computed.
  func pass()
  /// Called when the key is computed.
  func end()
}

/// A recipient that is everyone who knows a passphrase, and nobody else.
package struct ScryptRecipient: Sendable {
  /// The base-2 logarithm of the work factor that files are made with.
  package static let defaultWorkFactor = 18

  let passphrase: Passphrase
  let workFactor: Int

  /// A recipient whose stanza costs 2 to the `workFactor`, of 1 to 22 the nearest.
  package init(_ passphrase: Passphrase, workFactor: Int = defaultWorkFactor) {
    self.passphrase = passphrase
    self.workFactor = min(max(workFactor, 1), ScryptStanza.maximumWorkFactor)
  }
}

extension ScryptRecipient: Recipient {
  package var standsAlone: Bool { true }

  package func wrap(_ fileKey: FileKey, random: RandomSource) throws(AgeFailure) -> [Stanza] {
    let salt: [UInt8]
    do {
      salt = try random.bytes(ScryptStanza.saltByteCount)
    } catch {
      throw .random(error)
    }
    let key = try ScryptStanza.wrapKey(passphrase, .init(salt: salt, workFactor: workFactor))
    return [
      Stanza(
        arguments: [ScryptStanza.kind, Base64.encode(salt, padded: false), "\(workFactor)"],
        body: WrappedFileKey.seal(fileKey, with: key))
    ]
  }
}

/// An identity that opens with a passphrase.
package struct ScryptIdentity: Sendable {
  /// The highest work factor of a file that may come from somebody else: 1 GiB of memory for each try.
  package static let foreignLimit = 20
  /// The highest work factor of all: 4 GiB of memory.
  package static let highestLimit = ScryptStanza.maximumWorkFactor

  let passphrase: Passphrase
  private let limit: Int

  /// - Parameter limit: the highest work factor that is computed. A file's maker chooses its work; what this
  ///   store sealed may ask for the highest.
  package init(_ passphrase: Passphrase, upTo limit: Int = foreignLimit) {
    self.passphrase = passphrase
    self.limit = limit
  }
}

extension ScryptIdentity: Identity {
  package func unwrap(_ stanzas: [Stanza]) -> Unwrapped {
    guard let stanza = stanzas.first(where: { $0.kind == ScryptStanza.kind }) else {
      return .noMatch
    }
    do throws(AgeFailure) {
      try ScryptStanza.check(stanzas)
      let parameters = try ScryptStanza.parameters(stanza)
      guard parameters.workFactor <= limit else {
        throw .tooMuchWork(workFactor: parameters.workFactor, limit: limit)
      }
      let key = try ScryptStanza.wrapKey(passphrase, parameters)
      return WrappedFileKey.open(stanza.body, with: key).map { .fileKey($0) } ?? .noMatch
    } catch {
      return .failed(error)
    }
  }
}

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
  static func check(_ stanzas: [Stanza]) throws(AgeFailure) {
    for stanza in stanzas where stanza.kind == kind {
      guard stanzas.count == 1 else { throw .header(.scryptNotAlone) }
      _ = try parameters(stanza)
    }
  }

  /// Reads a stanza: three arguments, the second a salt of 16 bytes in canonical base64, the third
  /// digits without a leading zero and not above the maximum, and a body of the right length.
  static func parameters(_ stanza: Stanza) throws(AgeFailure) -> Parameters {
    guard stanza.arguments.count == 3,
      let salt = Base64.decode(stanza.arguments[1], padded: false),
      salt.count == saltByteCount
    else { throw .header(.stanza(kind: kind)) }
    let digits = stanza.arguments[2].utf8
    guard let first = digits.first, first != UInt8(ascii: "0"),
      digits.allSatisfy({ (0x30...0x39).contains($0) })
    else { throw .header(.stanza(kind: kind)) }
    guard digits.count <= 2, let workFactor = Int(stanza.arguments[2]),
      workFactor <= maximumWorkFactor
    else { throw .header(.workFactor) }
    guard stanza.body.count == WrappedFileKey.byteCount else {
      throw .header(.fileKeyLength(kind: kind))
    }
    return Parameters(salt: salt, workFactor: workFactor)
  }

  /// Derives the key that wraps the file key. It takes 2 to the `workFactor` KiB of memory.
  static func wrapKey(
    _ passphrase: Passphrase, _ parameters: Parameters
  ) throws(AgeFailure) -> SecretBytes {
    var password = passphrase.bytes.bytes
    defer { wipe(&password) }
    let watch = passphrase.watch?()
    defer { watch?.end() }
    var key = try Scrypt.derive(
      password: password,
      salt: Array("age-encryption.org/v1/scrypt".utf8) + parameters.salt,
      logN: parameters.workFactor, r: 8, p: 1, count: ChaCha20Poly1305.keyByteCount
    ) { watch?.pass() }
    return SecretBytes(taking: &key)
  }
}
