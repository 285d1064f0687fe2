/// A message to one person, and its bytes (RFC 5322, RFC 2045 to 2047, RFC 2231): a text, and files
/// behind it.
///
/// Whatever its texts hold, no header has a control character, no line is longer than 998 characters, and
/// all of it is ASCII: any program that carries mail can carry it.
package struct MailMessage: Sendable {
  package var from: Mailbox
  package var to: Mailbox
  package var subject: String
  package var date: Instant
  /// The zone of the date.
  package var zone: ZoneRules
  /// The Message-ID, without its angle brackets.
  package var id: String
  /// The text, whose lines end in line feeds.
  package var text: String
  package var attachments: [MailAttachment]

  /// The ends of lines.
  package enum LineEnd: Sendable {
    /// The end that programs take on standard input.
    case lineFeed
    /// The end that lines have in mail itself, and in files of it.
    case network

    var bytes: [UInt8] { self == .lineFeed ? [0x0a] : [0x0d, 0x0a] }
  }

  package init(
    from: Mailbox, to: Mailbox, subject: String, date: Instant, zone: ZoneRules, id: String,
    text: String, attachments: [MailAttachment] = []
  ) {
    self.from = from
    self.to = to
    self.subject = subject
    self.date = date
    self.zone = zone
    self.id = id
    self.text = text
    self.attachments = attachments
  }

  /// The whole message.
  package func bytes(_ lineEnd: LineEnd) -> [UInt8] {
    let end = lineEnd.bytes
    var bytes: [UInt8] = []
    var header = MailHeader()
    header.add("Date", dateText)
    header.add("From", from)
    header.add("To", to)
    header.add("Subject", text: subject)
    header.add("Message-ID", "<\(id)>")
    header.add("Auto-Submitted", "auto-generated")
    header.add("MIME-Version", "1.0")
    guard !attachments.isEmpty else {
      appendText(header, to: &bytes, end)
      return bytes
    }
    // Neither encoding of a body ever holds `=_` (RFC 2045 §6.7): no body holds the boundary.
    let boundary = "=_" + Hex.encode(SHA256.hash(Array(id.utf8)).prefix(12))
    header.add("Content-Type", "multipart/mixed", ["boundary=\"\(boundary)\""])
    func put(_ text: String) {
      bytes += text.utf8
      bytes += end
    }
    header.lines.forEach(put)
    put("")
    put("--\(boundary)")
    appendText(MailHeader(), to: &bytes, end)
    for attachment in attachments {
      put("")
      put("--\(boundary)")
      attachment.append(to: &bytes, end)
    }
    put("")
    put("--\(boundary)--")
    return bytes
  }

  /// The most bytes that an attachment of a size takes.
  package static func byteCount(ofAttachment size: Int64, name: String) -> Int64 {
    let (room, isOver) = size.multipliedReportingOverflow(by: 3)
    guard !isOver else { return .max }
    // Base64 with the ends of its lines is at most 26/19 of the bytes; a header has the name twice.
    return room / 2 + 1024 + Int64(name.utf8.count) * 4
  }

  private func appendText(_ header: MailHeader, to bytes: inout [UInt8], _ end: [UInt8]) {
    var header = header
    let transfer = MailTransfer.forText(text)
    header.add("Content-Type", "text/plain; charset=utf-8")
    header.add("Content-Transfer-Encoding", transfer.rawValue)
    for line in header.lines {
      bytes += line.utf8
      bytes += end
    }
    bytes += end
    transfer.append(text, to: &bytes, lineEnd: end)
  }

  /// The date as RFC 5322 §3.3 has it: `Sat, 21 Nov 2026 09:00:00 +0100`.
  private var dateText: String {
    let offset = zone.offset(at: date).seconds
    // A local time of the past with seconds in its offset has no form in mail.
    let isWhole = offset % 60 == 0 && abs(offset) < 86_400
    let civil = isWhole ? zone.civil(at: date) : CivilDateTime(secondsAsUTC: date.seconds)
    let minutes = isWhole ? abs(offset) / 60 : 0
    let year = String(civil.date.year)
    let month = Month(rawValue: civil.date.month)?.shortName ?? ""
    return "\(civil.date.weekday.shortName), \(civil.date.day) \(month) "
      + String(repeating: "0", count: max(0, 4 - year.utf8.count)) + year
      + " \(civil.time.hour.twoDigits):\(civil.time.minute.twoDigits):\(civil.time.second.twoDigits) "
      + (isWhole && offset < 0 ? "-" : "+") + (minutes / 60).twoDigits + (minutes % 60).twoDigits
  }
}

/// A file of a message.
package struct MailAttachment: Sendable {
  package let name: String
  /// The MIME type.
  package let mediaType: String
  package let bytes: [UInt8]

  package init(name: String, mediaType: String, bytes: [UInt8]) {
    self.name = name
    self.mediaType = mediaType
    self.bytes = bytes
  }

  func append(to output: inout [UInt8], _ end: [UInt8]) {
    var header = MailHeader()
    header.add("Content-Type", type)
    header.add("Content-Transfer-Encoding", MailTransfer.base64.rawValue)
    header.add("Content-Disposition", "attachment", Self.parameters(of: MailHeader.clean(name)))
    for line in header.lines {
      output += line.utf8
      output += end
    }
    output += end
    MailTransfer.append(bytes, to: &output, lineEnd: end)
  }

  /// The type, where it is one that may stand over bytes in base64 (RFC 2045 §6.4).
  private var type: String {
    let parts = mediaType.parts(at: "/")
    let isToken =
      parts.count == 2 && mediaType.utf8.count <= 127
      && parts.allSatisfy { part in
        !part.isEmpty
          && part.utf8.allSatisfy {
            $0.isASCIILetter || $0.isASCIIDigit || "!#$&-^_.+".utf8.contains($0)
          }
      }
    let whole = parts[0].lowercased()
    return isToken && whole != "message" && whole != "multipart"
      ? mediaType : "application/octet-stream"
  }

  /// The name: in ASCII, and where that is not all of it, whole besides (RFC 2231 §4). Readers that know
  /// the latter take it.
  private static func parameters(of name: String) -> [String] {
    let isPlain = name.utf8.allSatisfy { (0x20...0x7e).contains($0) && $0 != 0x22 && $0 != 0x5c }
    if isPlain { return ["filename=\"\(name)\""] }
    var plain = ""
    for scalar in name.unicodeScalars {
      let isKept = (0x20...0x7e).contains(scalar.value) && scalar != "\"" && scalar != "\\"
      plain.unicodeScalars.append(isKept ? scalar : "_")
    }
    var whole = ""
    for byte in name.utf8 {
      if byte.isASCIILetter || byte.isASCIIDigit || "-._~".utf8.contains(byte) {
        whole.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        whole += "%" + Hex.encode([byte]).uppercased()
      }
    }
    return ["filename*=utf-8''\(whole)", "filename=\"\(plain)\""]
  }
}
