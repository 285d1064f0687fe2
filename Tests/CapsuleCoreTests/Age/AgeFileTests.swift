import CapsuleAge
import RoomTestHelpers
import TestSupport
import Testing

@Suite struct AgeFileTests {
  private func seal(
    _ plaintext: [UInt8], to recipients: [any Recipient], armor: Bool = false
  ) throws -> [UInt8] {
    try AgeWriter(to: recipients, random: .system).seal(plaintext, armor: armor)
  }

  /// Sizes around a line of armor and around a chunk; large ones in armor take a debug build long.
  private static let files: [(size: Int, armor: Bool)] = {
    let sizes = [0, 1, 47, 48, 49, 65_535, 65_536, 65_537, 131_072]
    let inArmor = sizes.filter { TestScale.isFull || $0 < 100 || $0 == 65_537 }
    return sizes.map { ($0, false) } + inArmor.map { ($0, true) }
  }()

  @Test(arguments: files)
  func `a file of any size comes back, with and without armor`(size: Int, armor: Bool) throws {
    let identity = try AgeIdentity(isPostQuantum: false, random: .system)
    let file = try seal(testPattern(size), to: [identity.recipient], armor: armor)
    try expect(openAge(file, with: [identity]), is: testPattern(size))
  }

  @Test func `any of several recipients opens a file, and nobody else`() throws {
    let identities = try (0..<3).map { _ in try AgeIdentity(isPostQuantum: false, random: .system) }
    let file = try seal([1, 2, 3], to: identities.map(\.recipient), armor: true)
    let stranger = try AgeIdentity(isPostQuantum: false, random: .system)
    for identity in identities {
      try expect(openAge(file, with: [stranger, identity]), is: [1, 2, 3])
    }
    expect(failure { _ = try openAge(file, with: [stranger]) }, is: "no match")
    expect(failure { _ = try openAge(file, with: []) }, is: "no match")
  }

  @Test func `the right passphrase opens a file, and a wrong one is no match`() throws {
    let right = try require(Passphrase(SecretBytes(copying: Array("right".utf8))))
    let wrong = try require(Passphrase(SecretBytes(copying: Array("wrong".utf8))))
    let file = try seal([1, 2, 3], to: [ScryptRecipient(right, workFactor: 2)])
    let reader = try AgeReader(MemorySource(file))
    expect(reader.header.stanzas.map(\.kind), is: ["scrypt"])
    // Three tries at a terminal are three calls.
    expect(failure { _ = try reader.unlock(with: [ScryptIdentity(wrong)]) }, is: "no match")
    expect(failure { _ = try reader.unlock(with: [ScryptIdentity(wrong)]) }, is: "no match")
    try expect(openAge(file, with: [ScryptIdentity(wrong), ScryptIdentity(right)]), is: [1, 2, 3])
  }

  @Test func `a passphrase whose work is above the limit is refused, right or wrong`() throws {
    let right = try require(Passphrase(SecretBytes(copying: Array("right".utf8))))
    let wrong = try require(Passphrase(SecretBytes(copying: Array("wrong".utf8))))
    let file = try seal([1, 2, 3], to: [ScryptRecipient(right, workFactor: 3)])
    let reader = try AgeReader(MemorySource(file))
    for passphrase in [right, wrong] {
      expect(
        failure { _ = try reader.unlock(with: [ScryptIdentity(passphrase, upTo: 2)]) },
        is: "work of 3 above 2")
    }
    try expect(openAge(file, with: [ScryptIdentity(right, upTo: 3)]), is: [1, 2, 3])
    expect(failure { try reader.header.requireWork(upTo: 2) }, is: "work of 3 above 2")
    try reader.header.requireWork(upTo: 3)
  }

  @Test(arguments: [21, 22])
  func `without another limit nothing is computed above 2 to the 20`(workFactor: Int) throws {
    let passphrase = try require(Passphrase(SecretBytes(copying: [1])))
    let file =
      "age-encryption.org/v1\n-> scrypt AAAAAAAAAAAAAAAAAAAAAA \(workFactor)\n"
      + String(repeating: "A", count: 43) + "\n--- " + String(repeating: "A", count: 43) + "\n"
    let reader = try AgeReader(MemorySource(Array(file.utf8)))
    expect(
      failure { _ = try reader.unlock(with: [ScryptIdentity(passphrase)]) },
      is: "work of \(workFactor) above 20")
  }

  @Test func `files are made with a work factor of 18 unless it is said otherwise`() throws {
    expect(ScryptRecipient.defaultWorkFactor, is: 18)
    let passphrase = try require(Passphrase(SecretBytes(copying: [1])))
    let file = try seal([], to: [ScryptRecipient(passphrase, workFactor: 3)])
    let header = try AgeReader(MemorySource(file)).header
    expect(header.stanzas.map(\.arguments.last), is: ["3"])
  }

  @Test func `a passphrase stands alone, and nobody is not a recipient`() throws {
    let passphrase = try require(Passphrase(SecretBytes(copying: [1])))
    let scrypt = ScryptRecipient(passphrase, workFactor: 1)
    let key = try AgeIdentity(isPostQuantum: false, random: .system).recipient
    let alone = "recipients passphraseNotAlone"
    expect(failure { _ = try seal([], to: [scrypt, key]) }, is: alone)
    expect(failure { _ = try seal([], to: [scrypt, scrypt]) }, is: alone)
    expect(failure { _ = try seal([], to: []) }, is: "recipients none")
    let lowOrder = try require(AgeRecipient(.x25519, publicKey: [UInt8](repeating: 0, count: 32)))
    expect(failure { _ = try seal([], to: [key, lowOrder]) }, is: "recipients lowOrder")
  }

  @Test func `a header that could not be read again is not written`() throws {
    struct Wordy: Recipient {
      var standsAlone: Bool { false }
      func wrap(_ fileKey: FileKey, random: RandomSource) throws(AgeFailure) -> [Stanza] {
        [Stanza(arguments: ["wordy"], body: [UInt8](repeating: 0, count: 2 << 20))]
      }
    }
    expect(failure { _ = try seal([], to: [Wordy()]) }, is: "recipients tooMany")
  }

  @Test func `no two files share a file key, a nonce or a share`() throws {
    let recipient = try AgeIdentity(isPostQuantum: false, random: .system).recipient
    let files = try (0..<20).map { _ in try seal([], to: [recipient]) }
    let shares = try files.map { try AgeReader(MemorySource($0)).header.stanzas[0].arguments[1] }
    expect(Set(shares).count, is: 20)
    expect(Set(files.map { $0.suffix(32) }).count, is: 20)
  }

  @Test func `without randomness nothing is made`() throws {
    let none = RandomSource { _ throws(Fault) in throw .random(5) }
    let recipient = try AgeIdentity(isPostQuantum: false, random: .system).recipient
    let failed = failure { _ = try AgeWriter(to: [recipient], random: none) }
    expect(failed?.hasPrefix("random"), is: true)
  }

  @Test func `an identity that must wait is told before one that does not fit`() throws {
    struct Waiting: Identity {
      let result: Unwrapped
      func unwrap(_ stanzas: [Stanza]) -> Unwrapped { result }
    }
    struct Offline: Error {}
    let identity = try AgeIdentity(isPostQuantum: false, random: .system)
    let file = try seal([7], to: [identity.recipient])
    let stranger = try AgeIdentity(isPostQuantum: false, random: .system)
    let early = Waiting(result: .tooEarly(until: Instant(seconds: 9)))
    let offline = Waiting(result: .unproven(Offline()))
    let damaged = Waiting(result: .failed(.header(.timelock)))
    expect(
      failure { _ = try openAge(file, with: [offline, early, stranger]) }, is: "too early until 9")
    expect(failure { _ = try openAge(file, with: [stranger, offline]) }, is: "unproven: Offline()")
    expect(failure { _ = try openAge(file, with: [damaged, identity]) }, is: "header timelock")
    try expect(openAge(file, with: [early, offline, identity]), is: [7])
  }

  @Test func `an armor that an editor saved as UTF-16 is read, and none with other letters`() throws
  {
    let identity = try AgeIdentity(isPostQuantum: false, random: .system)
    let text = String(
      decoding: try seal(testPattern(100), to: [identity.recipient], armor: true), as: UTF8.self)
    func files(_ text: String) -> [[UInt8]] {
      let units = Array(text.utf16)
      return [
        [0xff, 0xfe] + units.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] },
        [0xfe, 0xff] + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] },
      ]
    }
    for file in files(text) { try expect(openAge(file, with: [identity]), is: testPattern(100)) }
    for file in files(text.replacing("AGE", with: "\u{141}GE")) {
      expect(failure { _ = try openAge(file, with: [identity]) }, is: "armor begin(line: 1)")
    }
    for file in files(text) {
      expect(
        failure { _ = try openAge(Array(file.dropLast(60)), with: [identity]) },
        is: "armor truncated")
    }
  }

  @Test func `a flipped bit anywhere in a file never goes unnoticed`() throws {
    let identity = try require(
      AgeIdentity(seed: SecretBytes(copying: AgeFileBuilder.secretKey), isPostQuantum: false))
    let file = AgeFileBuilder.simple().bytes
    for index in file.indices {
      var damaged = file
      damaged[index] ^= 1 << UInt8(index % 8)
      expect(failure { _ = try openAge(damaged, with: [identity]) } != nil, "byte \(index)")
    }
  }

  @Test func `a file cut anywhere, or with a byte behind it, never passes`() throws {
    let identity = try require(
      AgeIdentity(seed: SecretBytes(copying: AgeFileBuilder.secretKey), isPostQuantum: false))
    let file = AgeFileBuilder.simple().bytes
    for count in file.indices {
      let cut = Array(file[..<count])
      expect(failure { _ = try openAge(cut, with: [identity]) } != nil, "\(count) bytes")
    }
    for byte in [0, 0x0a, 0x20, 0xff] as [UInt8] {
      expect(failure { _ = try openAge(file + [byte], with: [identity]) }, is: "payload chunk(0)")
    }
  }
}
