/// The encryption of a secret before it is shared: a Feistel network of four rounds of PBKDF2 with
/// HMAC-SHA256 (SLIP-0039, "Encryption of the master secret").
enum ShareCipher {
  /// The greatest exponent that is worked off: 2¹⁰ times 10,000 iterations.
  static let greatestExponent = 10

  static func encrypt(_ secret: SecretBytes, passphrase: [UInt8], _ common: Share.Common)
    -> SecretBytes
  {
    run(secret, passphrase: passphrase, common, rounds: [0, 1, 2, 3])
  }

  static func decrypt(_ secret: SecretBytes, passphrase: [UInt8], _ common: Share.Common)
    -> SecretBytes
  {
    run(secret, passphrase: passphrase, common, rounds: [3, 2, 1, 0])
  }

  private static func run(
    _ secret: SecretBytes, passphrase: [UInt8], _ common: Share.Common, rounds: [UInt8]
  ) -> SecretBytes {
    precondition(secret.count.isMultiple(of: 2) && common.exponent <= greatestExponent)
    let half = secret.count / 2
    var left = secret.withUnsafeBytes { [UInt8]($0[..<half]) }
    var right = secret.withUnsafeBytes { [UInt8]($0[half...]) }
    let salt =
      common.isExtendable
      ? []
      : Array("shamir".utf8) + [UInt8(common.identifier >> 8), UInt8(common.identifier & 0xff)]
    for round in rounds {
      var password = [round] + passphrase
      var salted = salt + right
      var code = PBKDF2.derive(
        password: password, salt: salted, iterations: 2500 << common.exponent, count: half)
      for index in 0..<half { code[index] ^= left[index] }
      wipe(&left)
      left = right
      right = code
      wipe(&password)
      wipe(&salted)
    }
    defer {
      wipe(&left)
      wipe(&right)
    }
    return SecretBytes(count: secret.count) { result in
      UnsafeMutableRawBufferPointer(rebasing: result[..<half]).copyBytes(from: right)
      UnsafeMutableRawBufferPointer(rebasing: result[half...]).copyBytes(from: left)
    }
  }
}
