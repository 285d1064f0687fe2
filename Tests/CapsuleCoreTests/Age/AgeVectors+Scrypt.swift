import CapsuleAge
import RoomTestHelpers

/// The classes of vectors of the public testkit, by its names: what concerns passphrases.
extension AgeVector {
  static func scrypts() throws -> [AgeVector] {
    var vectors: [AgeVector] = []
    func add(
      _ name: String, _ expect: Outcome = .headerFailure, passphrase: String = "password",
      secretKeys: [[UInt8]] = [], _ edit: (inout AgeFileBuilder) throws -> Void
    ) throws {
      var file = AgeFileBuilder()
      file.version()
      try edit(&file)
      file.mac()
      file.payload()
      vectors.append(
        AgeVector(
          name: name, expect: expect, file: file.bytes,
          released: expect == .success ? Array("age".utf8) : [],
          secretKeys: secretKeys, passphrases: [passphrase]))
    }
    try add("scrypt", .success) { try $0.scrypt(workFactor: 10) }
    try add("scrypt_and_x25519", secretKeys: [AgeFileBuilder.secretKey]) { file in
      file.x25519()
      try file.scrypt()
    }
    try add("scrypt_and_x25519_first", secretKeys: [AgeFileBuilder.secretKey]) { file in
      try file.scrypt()
      file.x25519()
    }
    try add("scrypt_and_grease") { file in
      try file.scrypt()
      file.arguments("grease")
      file.body([])
    }
    try add("scrypt_double") { file in
      try file.scrypt()
      try file.scrypt("hunter2")
    }
    try add("scrypt_bad_tag", .noMatch) { file in
      try file.scrypt()
      var body = Base64.decode(file.unreadLine(), padded: false) ?? []
      body[body.count - 1] ^= 0xff
      file.body(body)
    }
    try add("scrypt_long_file_key") { file in
      file.fileKey = Array("A LONGER YELLOW SUBMARINE".utf8)
      try file.scrypt()
    }
    try add("scrypt_no_match", .noMatch, passphrase: "Password") { try $0.scrypt() }
    try add("scrypt_not_canonical_body") { file in
      try file.scrypt()
      let body = file.unreadLine()
      file.line(AgeFileBuilder.notCanonical(body))
    }
    try add("scrypt_salt_long") { try $0.scrypt(salt: $0.random(17)) }
    try add("scrypt_salt_short") { try $0.scrypt(salt: $0.random(15)) }

    // What stands in the argument line instead of `scrypt <salt> <work factor>`.
    let lines: [(String, Outcome, (String, String) -> String)] = [
      ("scrypt_extra_argument", .headerFailure, { "-> scrypt \($0) \($1) 10" }),
      ("scrypt_salt_missing", .headerFailure, { "-> scrypt \($1)" }),
      ("scrypt_salt_swap", .headerFailure, { "-> scrypt \($1) \($0)" }),
      (
        "scrypt_not_canonical_salt", .headerFailure,
        { "-> scrypt \(AgeFileBuilder.notCanonical($0)) \($1)" }
      ),
      ("scrypt_uppercase", .noMatch, { "-> Scrypt \($0) \($1)" }),
      ("scrypt_work_factor_23", .headerFailure, { salt, _ in "-> scrypt \(salt) 23" }),
      ("scrypt_work_factor_30", .headerFailure, { salt, _ in "-> scrypt \(salt) 30" }),
      ("scrypt_work_factor_hex", .headerFailure, { salt, _ in "-> scrypt \(salt) 0xa" }),
      ("scrypt_work_factor_leading_garbage", .headerFailure, { "-> scrypt \($0) a\($1)" }),
      ("scrypt_work_factor_trailing_garbage", .headerFailure, { "-> scrypt \($0) \($1)a" }),
      ("scrypt_work_factor_leading_plus", .headerFailure, { "-> scrypt \($0) +\($1)" }),
      ("scrypt_work_factor_leading_zero_decimal", .headerFailure, { "-> scrypt \($0) 0\($1)" }),
      (
        "scrypt_work_factor_leading_zero_octal", .headerFailure,
        { salt, _ in "-> scrypt \(salt) 04" }
      ),
      ("scrypt_work_factor_missing", .headerFailure, { salt, _ in "-> scrypt \(salt)" }),
      ("scrypt_work_factor_negative", .headerFailure, { "-> scrypt \($0) -\($1)" }),
      (
        "scrypt_work_factor_overflow", .headerFailure,
        { salt, _ in "-> scrypt \(salt) 18446744073709551620" }
      ),
      ("scrypt_work_factor_wrong", .noMatch, { salt, _ in "-> scrypt \(salt) 3" }),
      ("scrypt_work_factor_zero", .headerFailure, { salt, _ in "-> scrypt \(salt) 0" }),
    ]
    for (name, expect, line) in lines {
      try add(name, expect) { file in
        let salt = file.random(16)
        try file.scrypt(salt: salt)
        let body = file.unreadLine()
        _ = file.unreadLine()
        file.line(line(Base64.encode(salt, padded: false), "4"))
        file.line(body)
      }
    }
    return vectors
  }
}
