import CapsuleAge
import RoomTestHelpers

/// The classes of vectors of the public testkit, by its names: what concerns X25519 stanzas.
extension AgeVector {
  static func x25519s() -> [AgeVector] {
    let other = SHA256.hash(Array("another secret key".utf8))
    // A point of order 8 whose encoding is not on the usual lists.
    let lowOrder: [UInt8] = [
      0x5f, 0x9c, 0x95, 0xbc, 0xa3, 0x50, 0x8c, 0x24, 0xb1, 0xd0, 0xb1, 0x55, 0x9c, 0x83, 0xef,
      0x5b, 0x04, 0x44, 0x5c, 0xc4, 0x58, 0x1c, 0x8e, 0x86, 0xd8, 0x22, 0x4e, 0xdd, 0xd0, 0x9f,
      0x11, 0xd7,
    ]
    return [
      header("x25519_bad_tag", .noMatch) { file in
        file.x25519()
        var body = Base64.decode(file.unreadLine(), padded: false) ?? []
        body[body.count - 1] ^= 0xff
        file.body(body)
      },
      header("x25519_extra_argument") { file in
        file.x25519()
        let body = file.unreadLine()
        let arguments = file.unreadLine()
        file.line(arguments + " 1234")
        file.line(body)
      },
      header("x25519_missing_argument") { file in
        file.x25519()
        let body = file.unreadLine()
        _ = file.unreadLine()
        file.arguments("X25519")
        file.line(body)
      },
      header("x25519_grease", .success) { file in
        file.arguments("grease")
        file.body([])
        file.x25519()
        file.arguments("grease")
        file.body([])
      },
      header("x25519_identity") { $0.x25519(share: [UInt8](repeating: 0, count: 32)) },
      header("x25519_low_order") { $0.x25519(share: lowOrder) },
      header("x25519_long_file_key") { file in
        file.fileKey = Array("A LONGER YELLOW SUBMARINE".utf8)
        file.x25519()
      },
      header("x25519_short_file_key") { file in
        file.fileKey = Array("YELLOW".utf8)
        file.x25519()
      },
      header("x25519_long_share") { file in
        file.x25519()
        let body = file.unreadLine()
        let share = file.unreadLine().dropFirst("-> X25519 ".count)
        let long = (Base64.decode(String(share), padded: false) ?? []) + [0]
        file.arguments("X25519", Base64.encode(long, padded: false))
        file.line(body)
      },
      header("x25519_short_share") { file in
        file.x25519()
        let body = file.unreadLine()
        let share = file.unreadLine().dropFirst("-> X25519 ".count)
        let short = (Base64.decode(String(share), padded: false) ?? []).dropLast()
        file.arguments("X25519", Base64.encode(Array(short), padded: false))
        file.line(body)
      },
      header("x25519_lowercase", .noMatch) { file in
        file.x25519()
        let body = file.unreadLine()
        let share = file.unreadLine().dropFirst("-> X25519 ".count)
        file.arguments("x25519", String(share))
        file.line(body)
      },
      header("x25519_multiple_recipients", .success) { file in
        file.x25519(other)
        file.x25519()
        file.x25519(other)
      },
      header("x25519_no_match", .noMatch) { $0.x25519(other) },
      header("x25519_not_canonical_body") { file in
        file.x25519()
        let body = file.unreadLine()
        file.line(AgeFileBuilder.notCanonical(body))
      },
      header("x25519_not_canonical_share") { file in
        file.x25519()
        let body = file.unreadLine()
        let arguments = file.unreadLine()
        file.line(AgeFileBuilder.notCanonical(arguments))
        file.line(body)
      },
      header("x25519_padded_share") { file in
        file.x25519()
        let body = file.unreadLine()
        let arguments = file.unreadLine()
        file.line(arguments + "=")
        file.line(body)
      },
      // A stanza of a known kind that breaks its rules refuses the file also where another fits.
      header("x25519_bad_stanza_behind_a_good_one") { file in
        file.x25519()
        file.arguments("X25519", "AAAA")
        file.body(file.random(32))
      },
      header("hybrid_no_match", .noMatch) { file in
        file.arguments("mlkem768x25519", Base64.encode(file.random(1120), padded: false))
        file.body(file.random(32))
      },
      header("hybrid_and_x25519", .success) { file in
        file.arguments("mlkem768x25519", Base64.encode(file.random(1120), padded: false))
        file.body(file.random(32))
        file.x25519()
      },
    ]
  }
}
