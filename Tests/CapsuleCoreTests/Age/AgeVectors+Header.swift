import CapsuleAge
import RoomTestHelpers

/// The classes of vectors of the public testkit, by its names: what concerns the header's form.
extension AgeVector {
  static func headers() -> [AgeVector] {
    [
      AgeVector(name: "empty", expect: .headerFailure, file: []),
      AgeVector(
        name: "x25519", expect: .success, file: AgeFileBuilder.simple().bytes,
        released: Array("age".utf8)),
      header("version_unsupported") { $0.version("v1234") },
      raw("header_crlf", .headerFailure) { file in
        file.version()
        file.x25519()
        let text = file.bytes.flatMap { $0 == 0x0a ? [0x0d, 0x0a] : [$0] }
        file.bytes = text
        file.mac()
        file.bytes.removeLast()
        file.bytes += [0x0d, 0x0a]
        file.payload()
      },
    ] + macs() + stanzas()
  }

  private static func macs() -> [AgeVector] {
    [
      mac("hmac_bad", .macFailure) { line in
        var mac = Base64.decode(String(line.dropFirst(4)), padded: false) ?? []
        mac[0] ^= 1
        return "--- \(Base64.encode(mac, padded: false))"
      },
      mac("hmac_extra_space", .headerFailure) { "---  \($0.dropFirst(4))" },
      mac("hmac_garbage", .headerFailure) { $0 + "AAA" },
      mac("hmac_missing", .headerFailure) { _ in "---" },
      mac("hmac_no_space", .headerFailure) { "---\($0.dropFirst(4))" },
      mac("hmac_not_canonical", .headerFailure) { AgeFileBuilder.notCanonical($0) },
      mac("hmac_trailing_space", .headerFailure) { $0 + " " },
      mac("hmac_truncated", .headerFailure) { String($0.dropLast(1)) },
    ]
  }

  private static func stanzas() -> [AgeVector] {
    let text = "-> stanza AAAA"
    return [
      header("stanza_bad_start") { file in
        file.x25519()
        file.line("--> stanza")
        file.body([])
      },
      header("stanza_base64_padding") { file in
        file.x25519()
        file.arguments("stanza")
        file.line("QQ==")
      },
      header("stanza_empty_argument") { file in
        file.x25519()
        file.line("-> stanza  argument")
        file.body([])
      },
      header("stanza_empty_body", .success) { file in
        file.x25519()
        file.arguments("empty")
        file.body([])
      },
      header("stanza_empty_last_line", .success) { file in
        file.x25519()
        file.arguments("stanza")
        file.body([UInt8](repeating: 7, count: 48))
      },
      header("stanza_invalid_character") { file in
        file.x25519()
        file.line(text + " \u{e8}")
        file.body([])
      },
      header("stanza_long_line") { file in
        file.x25519()
        file.arguments("stanza")
        file.line(String(repeating: "A", count: 68))
      },
      header("stanza_missing_body") { file in
        file.x25519()
        file.arguments("empty")
      },
      header("stanza_missing_final_line") { file in
        file.x25519()
        file.arguments("stanza")
        file.line(String(repeating: "A", count: 64))
      },
      header("stanza_multiple_short_lines") { file in
        file.x25519()
        file.arguments("stanza")
        file.line("AAAA")
        file.line("AAAA")
      },
      header("stanza_no_arguments") { file in
        file.x25519()
        file.line("->")
        file.body([])
      },
      header("stanza_no_arguments_but_a_space") { file in
        file.x25519()
        file.line("-> ")
        file.body([])
      },
      header("stanza_not_canonical") { file in
        file.x25519()
        file.arguments("stanza")
        file.line("QR")
      },
      header("stanza_spurious_cr") { file in
        file.x25519()
        file.line(text + "\r")
        file.body([])
      },
      header("stanza_trailing_space") { file in
        file.x25519()
        file.line(text + " ")
        file.body([])
      },
      header("stanza_no_space") { file in
        file.x25519()
        file.line("->stanza")
        file.body([])
      },
      header("stanza_valid_characters", .success) { file in
        let all = (0x21...0x7e).map { String(UnicodeScalar(UInt8($0))) }.joined()
        file.arguments(all, all)
        file.body([])
        file.x25519()
      },
      header("no_stanzas") { _ in },
    ]
  }

  /// A file whose header is `edit`ed between its version line and its MAC.
  static func header(
    _ name: String, _ expect: Outcome = .headerFailure, _ edit: (inout AgeFileBuilder) -> Void
  ) -> AgeVector {
    raw(name, expect) { file in
      if name != "version_unsupported" { file.version() }
      edit(&file)
      file.mac()
      file.payload()
    }
  }

  static func raw(
    _ name: String, _ expect: Outcome, _ build: (inout AgeFileBuilder) -> Void
  ) -> AgeVector {
    var file = AgeFileBuilder()
    build(&file)
    return AgeVector(
      name: name, expect: expect, file: file.bytes,
      released: expect == .success ? Array("age".utf8) : [])
  }

  private static func mac(
    _ name: String, _ expect: Outcome, _ edit: (String) -> String
  ) -> AgeVector {
    raw(name, expect) { file in
      file.version()
      file.x25519()
      file.mac()
      let line = file.unreadLine()
      file.line(edit(line))
      file.payload()
    }
  }
}
