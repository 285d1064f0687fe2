import CapsuleAge
import RoomTestHelpers

/// The classes of vectors of the public testkit, by its names: what concerns armor.
extension AgeVector {
  static let begin = "-----BEGIN AGE ENCRYPTED FILE-----"
  static let end = "-----END AGE ENCRYPTED FILE-----"

  static func armors() throws -> [AgeVector] {
    let lines = armorLines(AgeFileBuilder.simple().bytes)
    func armor(
      _ name: String, _ expect: Outcome = .armorFailure, of lines: [String]? = nil,
      _ edit: (inout [String]) -> Void
    ) -> AgeVector {
      var text = [begin] + (lines ?? armorLines(AgeFileBuilder.simple().bytes)) + [end, ""]
      edit(&text)
      return AgeVector(
        name: name, expect: expect, file: Array(text.joined(separator: "\n").utf8),
        released: expect == .success ? Array("age".utf8) : [], isArmored: true)
    }
    // A file of whole lines, and one whose last line ends with two padding characters.
    let whole = try sized { $0.isMultiple(of: 48) }
    let twoPadded = try sized { $0 % 48 % 3 == 1 }
    let twoPaddedLines = armorLines(twoPadded.bytes)
    var scrypt = AgeFileBuilder()
    scrypt.version()
    try scrypt.scrypt()
    scrypt.mac()
    scrypt.payload()
    var long = AgeFileBuilder()
    long.version()
    long.x25519()
    long.mac()
    long.nonce()
    long.chunk(AgeFileBuilder.full(0), last: true)
    long.bytes += long.random(20)
    return [
      armor("armor", .success) { _ in },
      AgeVector(
        name: "armor_scrypt", expect: .success, file: armored(scrypt.bytes),
        released: Array("age".utf8), isArmored: true, secretKeys: [], passphrases: ["password"]),
      AgeVector(
        name: "armor_no_match", expect: .noMatch, file: armored(AgeFileBuilder.simple().bytes),
        isArmored: true, secretKeys: [SHA256.hash([1])]),
      AgeVector(
        name: "armor_garbage_encoded", expect: .payloadFailure, file: armored(long.bytes),
        released: AgeFileBuilder.full(0), isArmored: true),
      AgeVector(
        name: "armor_full_last_line", expect: .success, file: armored(whole.bytes),
        released: [UInt8](repeating: 0x61, count: whole.count), isArmored: true),
      AgeVector(
        name: "armor_crlf", expect: .success,
        file: armored(AgeFileBuilder.simple().bytes).flatMap { $0 == 0x0a ? [0x0d, 0x0a] : [$0] },
        released: Array("age".utf8), isArmored: true),
      armor("armor_empty", .headerFailure, of: []) { _ in },
      armor("armor_empty_file") { $0 = [] },
      armor("armor_only_white_space") { $0 = ["", " ", "\t"] },
      armor("armor_empty_last_line", of: armorLines(whole.bytes)) {
        $0.insert("", at: $0.count - 2)
      },
      armor("armor_empty_line_begin") { $0.insert("", at: 1) },
      armor("armor_empty_line_end") { $0.insert("", at: $0.count - 2) },
      armor("armor_eol_between_padding", of: twoPaddedLines) { text in
        let last = text[text.count - 3]
        text[text.count - 3] = String(last.dropLast())
        text.insert("=", at: text.count - 2)
      },
      armor("armor_garbage_leading") { $0.insert("garbage", at: 0) },
      armor("armor_garbage_trailing") { $0[$0.count - 1] = "garbage\n" },
      armor("armor_garbage_behind_white_space") { $0[$0.count - 1] = "\n \n-" },
      armor("armor_header_crlf", .headerFailure, of: headerCRLF()) { _ in },
      armor("armor_headers") {
        $0.insert(contentsOf: ["Headers: are", "Not: allowed", ""], at: 1)
      },
      armor("armor_invalid_character_header") { text in
        text[1] = String(text[1].prefix(4)) + "*" + text[1].dropFirst(5)
      },
      armor("armor_invalid_character_payload") { text in
        let last = text.count - 3
        text[last] = "*" + text[last].dropFirst()
      },
      armor("armor_long_line") { text in
        text[1] += text[2].prefix(4)
        text[2] = String(text[2].dropFirst(4))
      },
      armor("armor_very_long_line") { $0[1] += String(repeating: "A", count: 10_000) },
      armor("armor_short_line") { text in
        text.insert(String(text[1].prefix(16)), at: 1)
        text[2] = String(text[2].dropFirst(16))
      },
      armor("armor_lowercase") { text in
        text[0] = "-----begin age encrypted file-----"
        text[text.count - 2] = "-----end age encrypted file-----"
      },
      armor("armor_no_end_line") { $0.remove(at: $0.count - 2) },
      armor("armor_cut_in_end_line") {
        $0[$0.count - 2] = "-----END AGE"; $0.removeLast()
      },
      armor("armor_no_eol", .success) { $0.removeLast() },
      armor("armor_no_padding") { text in
        text[text.count - 3] = text[text.count - 3].filter { $0 != "=" }
      },
      armor("armor_not_canonical", of: twoPaddedLines) { text in
        let digits = text[text.count - 3].dropLast(2)
        text[text.count - 3] = AgeFileBuilder.notCanonical(String(digits)) + "=="
      },
      armor("armor_pgp_checksum") { $0.insert("=AAAA", at: $0.count - 2) },
      armor("armor_whitespace_begin") { $0[0] = "----- BEGIN AGE ENCRYPTED FILE -----" },
      armor("armor_whitespace_end") { $0[$0.count - 2] = "----- END AGE ENCRYPTED FILE -----" },
      armor("armor_whitespace_eol") { $0[1] += " " },
      armor("armor_whitespace_last_line") { $0[$0.count - 3] += " " },
      armor("armor_whitespace_line_start") { $0[1] = " " + $0[1] },
      armor("armor_whitespace_outside", .success) { text in
        text.insert("\n\r   \t", at: 0)
        text.append("\n\r   \t\n")
      },
      armor("armor_spurious_cr") { $0[1] += "\r\r" },
      armor("armor_wrong_type") { text in
        text[0] = "-----BEGIN AGE FILE-----"
        text[text.count - 2] = "-----END AGE FILE-----"
      },
      armor("armor_wrong_end") { $0[$0.count - 2] = "-----END AGE FILE-----" },
      armor("armor_two_files") { text in text += [begin] + lines + [end, ""] },
    ]
  }

  /// The lines of an armor, without its begin and end.
  static func armorLines(_ bytes: [UInt8]) -> [String] {
    stride(from: 0, to: bytes.count, by: 48).map { start in
      Base64.encode(Array(bytes[start..<min(start + 48, bytes.count)]), padded: true)
    }
  }

  static func armored(_ bytes: [UInt8]) -> [UInt8] {
    Array(([begin] + armorLines(bytes) + [end, ""]).joined(separator: "\n").utf8)
  }

  /// A file of as many letters as it takes for its size to be what is wanted.
  private static func sized(
    _ fits: (Int) -> Bool
  ) throws -> (bytes: [UInt8], count: Int) {
    for count in 0..<96 {
      let file = AgeFileBuilder.simple(String(repeating: "a", count: count))
      if fits(file.bytes.count) { return (file.bytes, count) }
    }
    throw NoSuchFile()
  }

  private struct NoSuchFile: Error {}

  private static func headerCRLF() -> [String] {
    var file = AgeFileBuilder()
    file.version()
    file.x25519()
    file.bytes = file.bytes.flatMap { $0 == 0x0a ? [0x0d, 0x0a] : [$0] }
    file.mac()
    file.payload()
    return armorLines(file.bytes)
  }
}
