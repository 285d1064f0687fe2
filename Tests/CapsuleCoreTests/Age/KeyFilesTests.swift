import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct KeyFilesTests {
  // The example keys of the specification.
  static let recipient = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"
  static let secret = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"

  @Test func `key files with a byte order mark or in UTF-16 are read`() throws {
    for text in [Self.secret + "\r\n", Self.secret] {
      let units = Array(text.utf16)
      let marked: [UInt8] = [0xef, 0xbb, 0xbf] + Array(text.utf8)
      let little: [UInt8] = [0xff, 0xfe] + units.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
      let big: [UInt8] = [0xfe, 0xff] + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
      // Some programs write no mark.
      for bytes in [marked, little, big, Array(little.dropFirst(2)), Array(big.dropFirst(2))] {
        expect(try IdentityFile(bytes).identities.map(\.secretText), is: [Self.secret])
      }
    }
    let recipients: [UInt8] = [0xef, 0xbb, 0xbf] + Array(Self.recipient.utf8)
    expect(try RecipientsFile(recipients).recipients.map(\.description), is: [Self.recipient])
  }

  @Test func `an identity and its recipient are written as others write them`() throws {
    let identity = try AgeIdentity(Self.secret)
    expect(identity.secretText, is: Self.secret)
    expect(identity.recipient.description, is: Self.recipient)
    try expect(AgeRecipient(Self.recipient), is: identity.recipient)
    let fresh = try AgeIdentity(isPostQuantum: false, random: .system)
    try expect(AgeIdentity(fresh.secretText).recipient, is: fresh.recipient)
    expect(fresh.secretText.count, is: 74)
    expect(fresh.recipient.description.count, is: 62)
  }

  static let refusedRecipients: [(String, KeyFault)] = [
    ("", .malformed), ("age", .malformed), ("age1", .malformed), ("hello", .malformed),
    (String(recipient.dropLast()), .malformed),
    (recipient + "q", .malformed),
    (recipient.uppercased(), .malformed),
    (recipient.replacing("z", with: "Z", maxReplacements: 1), .malformed),
    (" " + recipient, .malformed),
    (recipient.replacing("wj", with: "ww"), .malformed),
    // A key of 31 bytes, and one of 33, with right checksums.
    (Bech32.encode(hrp: "age", [UInt8](repeating: 1, count: 31)), .malformed),
    (Bech32.encode(hrp: "age", [UInt8](repeating: 1, count: 33)), .malformed),
    (Bech32.encode(hrp: "bge", [UInt8](repeating: 1, count: 32)), .malformed),
    // A post-quantum key of another length, and one with coefficients above the modulus.
    (Bech32.encode(hrp: "age1pq", [UInt8](repeating: 1, count: 1215)), .malformed),
    (Bech32.encode(hrp: "age1pq", [UInt8](repeating: 1, count: 1217)), .malformed),
    (Bech32.encode(hrp: "age1pq", [UInt8](repeating: 0xff, count: 1216)), .malformed),
    (Bech32.encode(hrp: "age1pq", [UInt8](repeating: 1, count: 32)), .malformed),
    (Bech32.encode(hrp: "age", [UInt8](repeating: 1, count: 1216)), .malformed),
    ("age1pq1qqqq", .malformed), ("age1pq1", .malformed),
    ("age1tag1qt8lw0ual6avlwmwatk888yqnmdamm7xfd0wak53ut6elz5c4swx2yqdj4e", .tagged),
    ("age1tagpq1m3e4", .tagged),
    ("age1yubikey1qwt50d05nh5vutpdzmlg5wn80xq5negm4uj9ghv0snvdd3yysf5yw3rhl3t", .plugin("yubikey")),
    ("age1se1qqqq", .plugin("se")), ("age11qqqq", .malformed),
    ("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA", .ssh),
    ("ssh-rsa AAAAB3NzaC1yc2E", .ssh), ("ssh-\u{301}rsa", .ssh),
    ("ecdsa-sha2-nistp256 AAAA", .ssh),
    ("sk-ssh-ed25519@openssh.com AAAA", .ssh),
    (secret, .secretKey),
    (Bech32.encode(hrp: "AGE-SECRET-KEY-PQ-", [UInt8](repeating: 1, count: 32)), .secretKey),
    (Bech32.encode(hrp: "AGE-PLUGIN-PQ-", [UInt8](repeating: 1, count: 32)), .secretKey),
  ]

  @Test(arguments: refusedRecipients)
  func `what is no recipient is refused, by name where it has one`(
    text: String, fault: KeyFault
  ) {
    expect(throws: fault) { try AgeRecipient(text) }
  }

  static let refusedIdentities: [(String, KeyFault)] = [
    ("", .malformed), ("AGE-SECRET-KEY-1", .malformed),
    (String(secret.dropLast()), .malformed),
    (secret.lowercased(), .malformed),
    (secret.replacing("G", with: "g", maxReplacements: 1), .malformed),
    (Bech32.encode(hrp: "AGE-SECRET-KEY-", [UInt8](repeating: 1, count: 31)), .malformed),
    (Bech32.encode(hrp: "AGE-SECRET-KEY-PQ-", [UInt8](repeating: 1, count: 31)), .malformed),
    (Bech32.encode(hrp: "AGE-PLUGIN-PQ-", [UInt8](repeating: 1, count: 33)), .malformed),
    (Bech32.encode(hrp: "age-secret-key-pq-", [UInt8](repeating: 1, count: 32)), .malformed),
    ("AGE-SECRET-KEY-PQ-1QQQQ", .malformed), ("AGE-PLUGIN-PQ-1QQQQ", .malformed),
    ("age1pq1qqqq", .recipient),
    ("AGE-PLUGIN-YUBIKEY-1QGGGG", .plugin("yubikey")),
    ("-----BEGIN OPENSSH PRIVATE KEY-----", .ssh),
    (recipient, .recipient),
  ]

  @Test(arguments: refusedIdentities)
  func `what is no identity is refused, by name where it has one`(
    text: String, fault: KeyFault
  ) {
    expect(throws: fault) { try AgeIdentity(text) }
  }

  @Test func `an identity file may hold comments and empty lines, and end its lines either way`()
    throws
  {
    let text = """
      # created: 2026-01-01T00:00:00Z
      # public key: \(Self.recipient)
      \(Self.secret)

      #AGE-SECRET-KEY-1 is not a key here
      \(Self.secret)
      """
    let expected = try AgeIdentity(Self.secret).recipient
    for text in [text, text + "\n", text.replacing("\n", with: "\r\n")] {
      let file = try IdentityFile(Array(text.utf8))
      expect(file.identities.map(\.recipient), is: [expected, expected])
    }
  }

  @Test func `an identity file is written with its comments and read again`() throws {
    let identity = try AgeIdentity(Self.secret)
    let text = IdentityFile.text(identity, comments: ["public key: \(identity.recipient)"])
    expect(
      String(decoding: text, as: UTF8.self), is: "# public key: \(Self.recipient)\n\(Self.secret)\n"
    )
    try expect(IdentityFile(text).identities.count, is: 1)
  }

  static let refusedFiles: [(String, KeyFileProblem)] = [
    ("", .empty), ("\n\n# nothing\n", .empty),
    ("# a\n\n\(secret)\noops\n", .line(4, .malformed)),
    (secret + " \n", .line(1, .malformed)),
    (" # indented\n" + secret, .line(1, .malformed)),
    ("\(secret)\nAGE-PLUGIN-SE-1QQQ\n", .line(2, .plugin("se"))),
    (recipient, .line(1, .recipient)),
    ("age-encryption.org/v1\n-> X25519", .sealed),
    ("-----BEGIN AGE ENCRYPTED FILE-----\n", .sealed),
    ("-----BEGIN OPENSSH PRIVATE KEY-----\n", .line(1, .ssh)),
    (secret + "\n" + String(repeating: "A", count: 9_000), .line(2, .malformed)),
  ]

  @Test(arguments: refusedFiles)
  func `one bad line refuses an identity file and is told by its number`(
    text: String, fault: KeyFileProblem
  ) {
    expect(throws: fault) { try IdentityFile(Array(text.utf8)) }
  }

  @Test(arguments: [
    ("", "'keys.txt' has no key", nil), ("age-encryption.org/v1\n", "'keys.txt' is encrypted", nil),
    (
      "# me\noops", "invalid key on line 2 of 'keys.txt': not a key, or mistyped",
      "check it: a recipient begins with age1, a secret key with AGE-SECRET-KEY-"
    ),
    (
      "age1tagpq1m3e4",
      "invalid key on line 1 of 'keys.txt': keys of hardware tokens are not supported",
      "use an age key, made by: capsule keygen"
    ),
    (
      "age1se1qqqq",
      "invalid key on line 1 of 'keys.txt': keys of the plugin 'se' are not supported",
      "use an age key, made by: capsule keygen"
    ),
    (
      secret, "invalid key on line 1 of 'keys.txt': this is a secret key",
      "print its recipient: capsule keygen --recipients FILE"
    ),
  ])
  func `a file of keys is refused with its name and a way out`(
    text: String, message: String, hint: String?
  ) {
    let fault = expect(throws: Fault.self) { try RecipientsFile(Array(text.utf8)) }
    expect(fault?.naming("keys.txt").description, is: message)
    expect(fault?.hint, is: hint)
    expect(fault?.code, is: .key)
  }

  @Test func `a recipient in the place of a secret key is named as such`() {
    let fault = expect(throws: Fault.self) { try IdentityFile(Array(Self.recipient.utf8)) }
    expect(
      fault?.naming("me").description,
      is: "invalid key on line 1 of 'me': this is a recipient, not a secret key")
    expect(fault?.hint, is: "use the file with the secret key")
  }

  @Test func `a line that is no text is refused by its number`() {
    expect(throws: KeyFileProblem.line(2, .malformed)) {
      try IdentityFile(Array("# x\n".utf8) + [0xff, 0xfe, 0x0a])
    }
    expect(throws: KeyFileProblem.tooLong) {
      try IdentityFile([UInt8](repeating: 0x0a, count: KeyLines.maximumByteCount + 1))
    }
  }

  @Test func `a recipients file holds one recipient a line`() throws {
    let other = try AgeIdentity(isPostQuantum: false, random: .system).recipient
    let text = "# friends\n\(Self.recipient)\r\n\n\(other)"
    try expect(
      RecipientsFile(Array(text.utf8)).recipients.map(\.description),
      is: [Self.recipient, other.description])
    expect(throws: KeyFileProblem.line(2, .ssh)) {
      try RecipientsFile(Array("\(Self.recipient)\nssh-rsa AAAA\n".utf8))
    }
    expect(throws: KeyFileProblem.line(1, .secretKey)) {
      try RecipientsFile(Array(Self.secret.utf8))
    }
  }

  @Test(arguments: [
    ("a", "a"), ("a\n", "a"), ("a\r\n", "a"), ("a\n\n", "a\n"), ("a ", "a "), ("\r", "\r"),
  ])
  func `one line end behind a passphrase in a file is dropped, and nothing else`(
    file: String, passphrase: String
  ) throws {
    let read = try require(Passphrase(fileContents: SecretBytes(copying: Array(file.utf8))))
    let meant = try require(Passphrase(SecretBytes(copying: Array(passphrase.utf8))))
    let sealed = try AgeWriter(to: [ScryptRecipient(read, workFactor: 1)], random: .system)
      .seal([], armor: false)
    _ = try AgeReader(MemorySource(sealed)).unlock(with: [ScryptIdentity(meant)])
  }

  @Test(arguments: ["", "\n", "\r\n"])
  func `an empty passphrase is none`(file: String) {
    expect(Passphrase(fileContents: SecretBytes(copying: Array(file.utf8))) == nil)
    expect(Passphrase(SecretBytes(copying: [])) == nil)
  }
}
