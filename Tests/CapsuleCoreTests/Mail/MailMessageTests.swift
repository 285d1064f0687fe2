import TestSupport
import Testing

@testable import CapsuleCore
@testable import CoreTestHelpers

/// Messages as bytes; `Scripts/check-mail` reads them with Python's `email`.
@Suite struct MailMessageTests {
  private static func message(
    from: String = "Anna Berg <anna@example.org>", name: String = "Mia",
    subject: String = "A letter",
    text: String = "Dear Mia\n", attachments: [MailAttachment] = [],
    zone: ZoneRules = ZoneRules(offset: 3600)
  ) throws -> MailMessage {
    MailMessage(
      from: try Mailbox(from), to: Mailbox(name: name, address: try MailAddress("mia@example.org")),
      subject: subject, date: Instant(seconds: 1_700_000_000), zone: zone, id: "ab@example.org",
      text: text, attachments: attachments)
  }

  private static func lines(_ message: MailMessage) -> [String] {
    String(decoding: message.bytes(.lineFeed), as: UTF8.self).parts(at: "\n")
  }

  /// The lines of the header.
  private static func header(_ message: MailMessage) -> [String] {
    Array(lines(message).prefix { !$0.isEmpty })
  }

  /// The body, behind the header.
  private static func body(_ message: MailMessage) -> [String] {
    Array(lines(message).drop { !$0.isEmpty }.dropFirst())
  }

  @Test func `a letter in ASCII is a message that a person can read as it stands`() throws {
    expect(
      Self.lines(try Self.message()),
      is: [
        "Date: Tue, 14 Nov 2023 23:13:20 +0100", "From: Anna Berg <anna@example.org>",
        "To: Mia <mia@example.org>", "Subject: A letter", "Message-ID: <ab@example.org>",
        "Auto-Submitted: auto-generated", "MIME-Version: 1.0",
        "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: quoted-printable",
        "", "Dear Mia", "",
      ])
  }

  @Test func `on the network every line ends in CR LF`() throws {
    let file = MailAttachment(name: "a.bin", mediaType: "image/png", bytes: [UInt8](0...255))
    for message in [try Self.message(), try Self.message(text: "д\n", attachments: [file])] {
      let bytes = message.bytes(.network)
      for (index, byte) in bytes.enumerated() where byte == 0x0a || byte == 0x0d {
        expect(byte == 0x0a ? bytes[index - 1] == 0x0d : bytes[index + 1] == 0x0a)
      }
      expect(bytes.filter { $0 != 0x0d }, is: message.bytes(.lineFeed))
    }
  }

  @Test(arguments: [
    "Mia\r\nBcc: eve@example.org", "Mia\u{0}\u{7}\u{1b}[31m", "Mia \u{202e}gro.live\u{202c}",
    "\"Mia\" <eve@example.org>", "--", "-f", "\u{600}|", String(repeating: "ä", count: 512),
    String(repeating: "a", count: 1024), "=?utf-8?Q?eve?=", "e\u{301}\u{1f469}\u{200d}\u{1f467}",
    "a,b;c@d:e(f)", "\\\"",
  ])
  func `whatever words a header has, it is short lines of ASCII without a control character`(
    words: String
  ) throws {
    let header = Self.header(try Self.message(name: words, subject: words))
    for line in header {
      expect(
        line.utf8.count <= 78 && line.utf8.allSatisfy { (0x20...0x7e).contains($0) }, "\(line)")
    }
    let names = header.filter { !$0.hasPrefix(" ") }.map { $0.parts(at: ":")[0] }
    expect(
      names,
      is: [
        "Date", "From", "To", "Subject", "Message-ID", "Auto-Submitted", "MIME-Version",
        "Content-Type", "Content-Transfer-Encoding",
      ])
    expect(header.contains { $0.hasSuffix("<mia@example.org>") })
  }

  @Test func `an encoded word holds whole characters, and is of at most 75`() throws {
    let title = String(repeating: "€", count: 200)
    let subject = Self.header(try Self.message(subject: title)).drop { !$0.hasPrefix("Subject") }
      .prefix { $0.hasPrefix("Subject") || $0.hasPrefix(" ") }
    var text = ""
    for line in subject {
      let word = try require(line.parts(at: " ").last)
      expect(word.utf8.count <= 75 && line.utf8.count <= 76)
      let digits = String(word.dropFirst(10).dropLast(2))
      let bytes = try require(Base64.decode(digits, padded: true))
      text += try require(String(validating: bytes, as: UTF8.self))
    }
    expect(text == title && subject.count > 1)
  }

  @Test func `lines that mail programs change are encoded`() throws {
    let body = Self.body(try Self.message(text: "From me\n.\n..a\n>From\nend \nx = y\n"))
    expect(
      body, is: ["=46rom me", "=2E", "=2E.a", ">From", "end=20", "x =3D y", ""])
  }

  @Test func `a line of any length becomes lines of 76`() throws {
    let body = Self.body(try Self.message(text: String(repeating: "a", count: 100_000) + "\n"))
    expect(body.allSatisfy { $0.utf8.count <= 76 })
    expect(
      body.map { $0.hasSuffix("=") ? String($0.dropLast()) : $0 }.joined().utf8.count, is: 100_000)
  }

  @Test func `a text that is mostly beyond ASCII goes in base64, with the line ends of mail`()
    throws
  {
    let message = try Self.message(text: "Привет\nМия\n")
    expect(Self.header(message).contains("Content-Transfer-Encoding: base64"))
    let bytes = Base64.decode(Self.body(message).joined(), padded: true)
    expect(bytes, is: Array("Привет\r\nМия\r\n".utf8))
  }

  @Test func `a file's name is in ASCII, or else in the form of RFC 2231 alone`() throws {
    func disposition(_ name: String) throws -> [String] {
      let file = MailAttachment(name: name, mediaType: "image/jpeg", bytes: [1])
      let lines = Self.lines(try Self.message(attachments: [file]))
      return Array(
        lines.drop { !$0.hasPrefix("Content-Disposition") }.prefix { !$0.isEmpty }.dropFirst())
    }
    try expect(disposition("ring.jpg"), is: [" filename=\"ring.jpg\""])
    try expect(
      disposition("Mütze \"a\".jpg"),
      is: [" filename*=utf-8''M%C3%BCtze%20%22a%22.jpg"])
  }

  @Test(arguments: ["message/rfc822", "multipart/mixed", "image/jp\r\neg", "image", "", "a/b/c"])
  func `a type that may not stand over base64, or is none, becomes that of any bytes`(type: String)
    throws
  {
    let file = MailAttachment(name: "a", mediaType: type, bytes: [1])
    let lines = Self.lines(try Self.message(attachments: [file]))
    expect(lines.contains("Content-Type: application/octet-stream"))
  }

  @Test func `a local time with seconds in its offset is told in UTC`() throws {
    let header = Self.header(try Self.message(zone: ZoneRules(offset: 3601)))
    expect(header[0], is: "Date: Tue, 14 Nov 2023 22:13:20 +0000")
    expect(
      Self.header(try Self.message(zone: ZoneRules(offset: -12_600)))[0],
      is: "Date: Tue, 14 Nov 2023 18:43:20 -0330")
  }

  @Test(arguments: [
    "mia@example.org", "m.i+a@a-b.example", "x-@example.org", "o'neil|x@example.org", "a@localhost",
  ])
  func `an address that mail can be sent to is taken`(text: String) throws {
    try expect(MailAddress(text).text, is: text)
  }

  @Test(arguments: [
    "", "mia", "@example.org", "mia@", "mia@a@b", "mia@exa mple.org",
    "mia@example.org\r\nBcc: x@y.z",
    "\"mia\"@example.org", "<mia@example.org>", ".mia@example.org", "mia.@example.org",
    "mi..a@example.org", "mia@-example.org", "mia@example-.org", "mia@[127.0.0.1]",
    "mia@example.org.",
    "mia@example..org", "mia\u{0}@example.org", "mia,eve@example.org",
    "\(String(repeating: "a", count: 65))@example.org", "-x@example.org", "|sh@example.org",
    "/tmp/x@example.org",
  ])
  func `an address that programs read in several ways is refused`(text: String) {
    expect(throws: MailAddress.Problem.form) { try MailAddress(text) }
  }

  @Test(arguments: ["mia@bücher.example", "müller@example.org", "mia@\u{202e}example.org"])
  func `an address beyond ASCII is refused as that`(text: String) {
    expect(throws: MailAddress.Problem.notASCII) { try MailAddress(text) }
  }

  @Test func `a mailbox is an address, or a name before it`() throws {
    try expect(Mailbox(" anna@example.org ").name, is: "")
    try expect(Mailbox("\"Berg, Anna\" <anna@example.org>").name, is: "Berg, Anna")
    try expect(Mailbox("Anna <anna@example.org>").address.domain, is: "example.org")
    expect(throws: MailAddress.Problem.form) { try Mailbox("Anna <>") }
  }
}
