import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

/// Files sealed to post-quantum recipients, right and wrong.
@Suite struct HybridFileTests {
  private static let seed = SHA256.hash(Array("the seed of the vectors".utf8))

  private static func identity(_ seed: [UInt8] = Self.seed) throws -> AgeIdentity {
    try AgeIdentity(Bech32.encode(hrp: "AGE-SECRET-KEY-PQ-", seed))
  }

  private static func encapsulation() throws -> (bytes: [UInt8], shared: SecretBytes) {
    let key = try require(HybridKEM.SecretKey(seed: SecretBytes(copying: seed)))
    let made = try require(
      key.publicKey.encapsulate(SecretBytes(copying: VectorFile.stream(1, 64))))
    return (made.encapsulation, made.shared)
  }

  /// The body of a stanza, from the primitives alone.
  private static func wrapped(_ fileKey: [UInt8], _ shared: SecretBytes) -> [UInt8] {
    let schedule = HPKE(shared: shared, info: Array("age-encryption.org/mlkem768x25519".utf8))
    return ChaCha20Poly1305(key: schedule.key).seal(fileKey, nonce: schedule.baseNonce)
  }

  /// A file of the text "age" with a header of lines and bodies.
  private static func file(
    _ header: (inout AgeFileBuilder) throws -> Void
  ) throws -> [UInt8] {
    var builder = AgeFileBuilder()
    builder.version()
    try header(&builder)
    builder.mac()
    builder.payload()
    return builder.bytes
  }

  private static func open(
    _ file: [UInt8], with identities: [any Identity]
  ) throws(AgeFailure) -> [UInt8] {
    var reader = try AgeReader(MemorySource(file))
    let key = try reader.unlock(with: identities)
    var sink = MemorySink()
    _ = try reader.open(with: key, to: &sink)
    return sink.bytes
  }

  private static func fault(_ file: [UInt8]) throws -> HeaderFault? {
    let identity = try identity()
    do throws(AgeFailure) {
      _ = try open(file, with: [identity])
    } catch {
      if case .header(let fault) = error { return fault }
    }
    return nil
  }

  private static func isNoMatch(_ body: () throws(AgeFailure) -> Void) -> Bool {
    do throws(AgeFailure) {
      try body()
    } catch {
      if case .noMatch = error { return true }
    }
    return false
  }

  @Test func `an identity and its recipient have the lengths of the format and read back`() throws {
    let identity = try Self.identity()
    expect(identity.secretText.count, is: 77)
    expect(identity.secretText.hasPrefix("AGE-SECRET-KEY-PQ-1"))
    expect(identity.recipient.description.count, is: 1959)
    expect(identity.recipient.description.hasPrefix("age1pq1"))
    try expect(AgeRecipient(identity.recipient.description), is: identity.recipient)
    try expect(AgeIdentity(identity.secretText).recipient, is: identity.recipient)
  }

  @Test func `a new identity is another each time`() throws {
    let one = try AgeIdentity(isPostQuantum: true, random: .system)
    let two = try AgeIdentity(isPostQuantum: true, random: .system)
    expect(one.recipient != two.recipient)
    expect(one.recipient.isPostQuantum)
  }

  @Test func `the plugin's form of a key is read, and written as age's own`() throws {
    let plugin = try AgeIdentity(Bech32.encode(hrp: "AGE-PLUGIN-PQ-", Self.seed))
    expect(plugin.secretText == (try Self.identity().secretText))
  }

  @Test func `a key file holds keys of both kinds`() throws {
    let classic = try AgeIdentity(isPostQuantum: false, random: .system)
    let hybrid = try Self.identity()
    let file = try IdentityFile(
      Array("# two\n\(hybrid.secretText)\r\n\(classic.secretText)\n".utf8))
    expect(file.identities.map(\.recipient), is: [hybrid.recipient, classic.recipient])
    let recipients = try RecipientsFile(
      Array("\(classic.recipient)\n\(hybrid.recipient)\n".utf8))
    expect(recipients.recipients, is: [classic.recipient, hybrid.recipient])
  }

  @Test func `a file to post-quantum recipients opens with each of them and nobody else`() throws {
    let identities = try (0..<2).map { _ in try AgeIdentity(isPostQuantum: true, random: .system) }
    let sealed = try AgeWriter(to: identities.map(\.recipient), random: .system)
      .seal(testPattern(1000), armor: false)
    for identity in identities {
      try expect(Self.open(sealed, with: [identity]), is: testPattern(1000))
    }
    let stranger = try Self.identity()
    expect(Self.isNoMatch { () throws(AgeFailure) in _ = try Self.open(sealed, with: [stranger]) })
  }

  @Test(arguments: [0, 1, 65_536, 65_537])
  func `a file to one recipient has the size that the format says`(count: Int) throws {
    let identity = try Self.identity()
    let sealed = try AgeWriter(to: [identity.recipient], random: .system)
      .seal([UInt8](repeating: 7, count: count), armor: false)
    expect(sealed.count, is: 1643 + count + 16 * max(1, (count + 65_535) / 65_536))
  }

  @Test func `a file made of the primitives opens`() throws {
    let (encapsulation, shared) = try Self.encapsulation()
    let file = try Self.file { builder in
      builder.arguments("mlkem768x25519", Base64.encode(encapsulation, padded: false))
      builder.body(Self.wrapped(builder.fileKey, shared))
    }
    try expect(Self.open(file, with: [try Self.identity()]), is: Array("age".utf8))
  }

  @Test func `a mixed file that another program made opens with either key`() throws {
    let (encapsulation, shared) = try Self.encapsulation()
    let classic = try require(
      AgeIdentity(seed: SecretBytes(copying: AgeFileBuilder.secretKey), isPostQuantum: false))
    let file = try Self.file { builder in
      builder.x25519()
      builder.arguments("mlkem768x25519", Base64.encode(encapsulation, padded: false))
      builder.body(Self.wrapped(builder.fileKey, shared))
    }
    try expect(Self.open(file, with: [classic]), is: Array("age".utf8))
    try expect(Self.open(file, with: [try Self.identity()]), is: Array("age".utf8))
  }

  static let badArguments: [(String, @Sendable ([UInt8]) -> [String])] = [
    ("none", { _ in [] }),
    ("two", { [Base64.encode($0, padded: false), "1"] }),
    ("padded", { [Base64.encode($0, padded: true)] }),
    ("short", { [Base64.encode(Array($0.dropLast()), padded: false)] }),
    ("long", { [Base64.encode($0 + [0], padded: false)] }),
    ("no digit", { ["*" + Base64.encode($0, padded: false).dropFirst()] }),
    (
      "bits left over",
      { bytes in
        // 1120 bytes are 1494 digits, and the last of them has four bits that must be zero.
        let text = Base64.encode(bytes, padded: false)
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        let last = digits.firstIndex(of: text.last ?? "A") ?? 0
        return [text.dropLast() + String(digits[last | 1])]
      }
    ),
  ]

  @Test(arguments: Self.badArguments.indices)
  func `a stanza with other arguments is damaged`(place: Int) throws {
    let (encapsulation, shared) = try Self.encapsulation()
    let (name, make) = Self.badArguments[place]
    let file = try Self.file { builder in
      let words = ["->", "mlkem768x25519"] + make(encapsulation)
      builder.line(words.joined(separator: " "))
      builder.body(Self.wrapped(builder.fileKey, shared))
    }
    try expect(Self.fault(file), is: .stanza(kind: "mlkem768x25519"), "\(name)")
  }

  @Test(arguments: [0, 31, 33, 64])
  func `a stanza whose body has another length is damaged`(count: Int) throws {
    let (encapsulation, _) = try Self.encapsulation()
    let file = try Self.file { builder in
      builder.arguments("mlkem768x25519", Base64.encode(encapsulation, padded: false))
      builder.body([UInt8](repeating: 1, count: count))
    }
    try expect(Self.fault(file), is: .fileKeyLength(kind: "mlkem768x25519"))
  }

  @Test func `a share that is nobody's is damaged`() throws {
    let (encapsulation, shared) = try Self.encapsulation()
    let file = try Self.file { builder in
      let zero = encapsulation.dropLast(32) + [UInt8](repeating: 0, count: 32)
      builder.arguments("mlkem768x25519", Base64.encode(Array(zero), padded: false))
      builder.body(Self.wrapped(builder.fileKey, shared))
    }
    try expect(Self.fault(file), is: .lowOrderShare)
  }

  @Test(arguments: [0, 1087, 1088, 1119])
  func `a changed encapsulation is for nobody`(place: Int) throws {
    let (encapsulation, shared) = try Self.encapsulation()
    let file = try Self.file { builder in
      var changed = encapsulation
      changed[place] ^= 1
      builder.arguments("mlkem768x25519", Base64.encode(changed, padded: false))
      builder.body(Self.wrapped(builder.fileKey, shared))
    }
    let identity = try Self.identity()
    expect(Self.isNoMatch { () throws(AgeFailure) in _ = try Self.open(file, with: [identity]) })
  }

  @Test func `recipients of both kinds are refused together, and it is said which are which`()
    throws
  {
    let hybrid = try Self.identity().recipient
    let classic = try AgeIdentity(isPostQuantum: false, random: .system).recipient
    func fault(_ recipients: [any Recipient]) -> RecipientsFault? {
      do { try AgeWriter.check(recipients) } catch {
        if case .recipients(let fault) = error { return fault }
      }
      return nil
    }
    let expected = RecipientsFault.mixed(
      postQuantum: [hybrid.description], others: [classic.description])
    expect(fault([classic, hybrid]), is: expected)
    let passphrase = try require(Passphrase(SecretBytes(copying: [0x61])))
    expect(
      fault([hybrid, ScryptRecipient(passphrase, workFactor: 1)]), is: .passphraseNotAlone)
  }

  @Test func `beside a timelock anybody may lift it`() throws {
    let hybrid = try Self.identity().recipient
    let classic = try AgeIdentity(isPostQuantum: false, random: .system).recipient
    let timelock = TlockRecipient(chain: .quicknet, round: 1000)
    expect(throws: Never.self) { try AgeWriter.check([timelock, hybrid, classic]) }
  }

  @Test func `a recipient whose X25519 half is nobody's is refused when it is sealed to`() throws {
    let key = try require(HybridKEM.SecretKey(seed: SecretBytes(copying: Self.seed)))
    let bytes = key.publicKey.bytes.dropLast(32) + [UInt8](repeating: 0, count: 32)
    let recipient = try AgeRecipient(Bech32.encode(hrp: "age1pq", Array(bytes)))
    expect(throws: AgeFailure.self) { try AgeWriter(to: [recipient], random: .system) }
  }
}
