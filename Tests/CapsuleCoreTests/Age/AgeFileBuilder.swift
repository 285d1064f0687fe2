import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

/// Writes age files line by line and chunk by chunk, right or wrong, from the primitives alone.
///
/// It is what the public vectors of the format (C2SP/CCTV) are built with, in our own words: nothing
/// of the code under test but the primitives is used.
struct AgeFileBuilder {
  var bytes: [UInt8] = []
  var fileKey = Array("YELLOW SUBMARINE".utf8)
  private var payloadKey: [UInt8] = []
  private var chunk: UInt8 = 0
  private var randomness: UInt8 = 0

  /// The secret key that files are made for, unless it is said otherwise.
  static let secretKey = SHA256.hash(Array("the secret key of the vectors".utf8))

  static let chunkByteCount = 65_536

  /// Bytes that look random and are the same in every run.
  mutating func random(_ count: Int) -> [UInt8] {
    randomness += 1
    var bytes: [UInt8] = []
    while bytes.count < count { bytes += SHA256.hash([randomness, UInt8(bytes.count / 32)]) }
    return Array(bytes.prefix(count))
  }

  mutating func line(_ text: String) {
    bytes += Array(text.utf8) + [0x0a]
  }

  mutating func version(_ version: String = "v1") {
    line("age-encryption.org/\(version)")
  }

  /// Takes back the last line.
  mutating func unreadLine() -> String {
    bytes.removeLast()
    let start = (bytes.lastIndex(of: 0x0a) ?? -1) + 1
    defer { bytes.removeSubrange(start...) }
    return String(decoding: bytes[start...], as: UTF8.self)
  }

  mutating func arguments(_ words: String...) {
    line((["->"] + words).joined(separator: " "))
  }

  /// Body lines: full ones, and a short one at the end.
  mutating func body(_ body: [UInt8]) {
    var rest = body[...]
    while true {
      let part = rest.prefix(48)
      line(Base64.encode(Array(part), padded: false))
      rest = rest.dropFirst(48)
      if part.count < 48 { return }
    }
  }

  func wrapped(key: [UInt8]) -> [UInt8] {
    ChaCha20Poly1305(key: key).seal(fileKey, nonce: [UInt8](repeating: 0, count: 12))
  }

  /// The stanza for a secret key: with `share`, as if the share's own secret were known.
  mutating func x25519(_ secretKey: [UInt8] = AgeFileBuilder.secretKey, share: [UInt8]? = nil) {
    let share = share ?? X25519.publicKey(secret: random(32))
    arguments("X25519", Base64.encode(share, padded: false))
    body(wrapped(key: Self.x25519Key(secretKey, share: share)))
  }

  static func x25519Key(_ secretKey: [UInt8], share: [UInt8]) -> [UInt8] {
    let shared =
      X25519.sharedSecret(secret: secretKey, publicKey: share) ?? [UInt8](repeating: 0, count: 32)
    return HKDFSHA256.derive(
      secret: shared, salt: share + X25519.publicKey(secret: secretKey),
      info: Array("age-encryption.org/v1/X25519".utf8), count: 32)
  }

  mutating func scrypt(
    _ passphrase: String = "password", workFactor: Int = 4, salt: [UInt8]? = nil
  ) throws {
    let salt = salt ?? random(16)
    arguments("scrypt", Base64.encode(salt, padded: false), "\(workFactor)")
    let key = try Scrypt.derive(
      password: Array(passphrase.utf8), salt: Array("age-encryption.org/v1/scrypt".utf8) + salt,
      logN: workFactor, r: 8, p: 1, count: 32)
    body(wrapped(key: key))
  }

  mutating func mac() {
    let key = HKDFSHA256.derive(
      secret: fileKey, salt: [], info: Array("header".utf8), count: 32)
    let mac = HMACSHA256.authenticationCode(key: key, data: bytes + Array("---".utf8))
    line("--- \(Base64.encode(mac, padded: false))")
  }

  mutating func nonce() {
    let nonce = random(16)
    payloadKey = HKDFSHA256.derive(
      secret: fileKey, salt: nonce, info: Array("payload".utf8), count: 32)
    bytes += nonce
  }

  mutating func chunk(_ plaintext: [UInt8], last: Bool = false) {
    var nonce = [UInt8](repeating: 0, count: 12)
    nonce[10] = chunk
    nonce[11] = last ? 1 : 0
    bytes += ChaCha20Poly1305(key: payloadKey).seal(plaintext, nonce: nonce)
    chunk += 1
  }

  mutating func payload(_ text: String = "age") {
    nonce()
    chunk(Array(text.utf8), last: true)
  }

  static func full(_ byte: UInt8) -> [UInt8] {
    [UInt8](repeating: byte, count: chunkByteCount)
  }

  /// A whole file for one X25519 recipient.
  static func simple(_ text: String = "age") -> AgeFileBuilder {
    var file = AgeFileBuilder()
    file.version()
    file.x25519()
    file.mac()
    file.payload(text)
    return file
  }

  /// The next text that is no longer canonical base64 of the same bytes.
  static func notCanonical(_ text: String) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    guard let last = text.last, let index = alphabet.firstIndex(of: last) else { return text }
    return text.dropLast() + String(alphabet[index + 1])
  }
}

/// One file, and what opening it must come to.
struct AgeVector: Sendable, CustomTestStringConvertible {
  enum Outcome: String, Sendable {
    case success
    case noMatch = "no match"
    case headerFailure = "header failure"
    case macFailure = "HMAC failure"
    case payloadFailure = "payload failure"
    case armorFailure = "armor failure"
  }

  let name: String
  let expect: Outcome
  let file: [UInt8]
  /// The plaintext that is released, whole or up to the damage.
  var released: [UInt8] = []
  var isArmored = false
  var secretKeys = [AgeFileBuilder.secretKey]
  var passphrases: [String] = []

  var testDescription: String { name }

  func identities() -> [any Identity] {
    secretKeys.compactMap { AgeIdentity(seed: SecretBytes(copying: $0), isPostQuantum: false) }
      + passphrases.compactMap { passphrase in
        Passphrase(SecretBytes(copying: Array(passphrase.utf8))).map { ScryptIdentity($0) }
      }
  }

  /// Opens the file and says what came of it, and out of it.
  func open(_ source: any ByteSource, threads: Int = 2) throws -> (Outcome, released: [UInt8]) {
    var sink = MemorySink()
    do throws(AgeFailure) {
      var reader = try AgeReader(source, encoding: isArmored ? .armor : .binary)
      let key = try reader.unlock(with: identities())
      let count = try reader.open(with: key, to: &sink, threads: threads)
      TestSupport.expect(count, is: UInt64(sink.bytes.count))
      return (.success, sink.bytes)
    } catch {
      switch error {
      case .header: return (.headerFailure, sink.bytes)
      case .headerMAC: return (.macFailure, sink.bytes)
      case .payload: return (.payloadFailure, sink.bytes)
      case .armor: return (.armorFailure, sink.bytes)
      case .noMatch: return (.noMatch, sink.bytes)
      default: throw error
      }
    }
  }
}

/// A source that gives a few bytes at a time.
struct TrickleSource: ByteSource {
  private var source: MemorySource
  private let step: Int

  init(_ bytes: [UInt8], step: Int) {
    source = MemorySource(bytes)
    self.step = step
  }

  mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(step)))
  }
}
