/// The transfer encodings of bodies (RFC 2045 §6): lines of at most 76 characters in ASCII.
package enum MailTransfer: String {
  case quotedPrintable = "quoted-printable"
  case base64

  private static let columns = 76

  /// Returns the encoding in which a text is shorter.
  static func forText(_ text: String) -> MailTransfer {
    let far = text.utf8.count { $0 >= 0x80 || $0 < 0x20 && $0 != 0x0a || $0 == UInt8(ascii: "=") }
    return far > text.utf8.count / 6 ? .base64 : .quotedPrintable
  }

  /// Appends a text whose lines end in line feeds.
  func append(_ text: String, to bytes: inout [UInt8], lineEnd: [UInt8]) {
    switch self {
    case .quotedPrintable: Self.quote(text, to: &bytes, lineEnd)
    case .base64:
      // A text has its line ends as mail has them before it is encoded (RFC 2045 §6.8).
      var lines: [UInt8] = []
      for byte in text.utf8 {
        if byte == 0x0a { lines.append(0x0d) }
        lines.append(byte)
      }
      Self.append(lines, to: &bytes, lineEnd: lineEnd)
    }
  }

  /// Appends bytes in base64.
  package static func append(_ data: [UInt8], to bytes: inout [UInt8], lineEnd: [UInt8]) {
    bytes.makeRoom(for: encodedCount(data.count, lineEnd: lineEnd))
    let size = columns / 4 * 3
    for start in stride(from: 0, to: data.count, by: size) {
      let end = min(data.count, start + size)
      bytes += Base64.encode(Array(data[start..<end]), padded: true).utf8
      bytes += lineEnd
    }
  }

  /// The bytes that so many become in base64, with the ends of their lines.
  static func encodedCount(_ count: Int, lineEnd: [UInt8]) -> Int {
    let digits = Base64.encodedCount(count, padded: true)
    return digits + (digits + columns - 1) / columns * lineEnd.count
  }

  /// Appends a text in quoted-printable. A line that begins as the lines between the messages of a
  /// mailbox do, or with a full stop, gets that letter encoded: nobody on the way changes it then.
  private static func quote(_ text: String, to bytes: inout [UInt8], _ lineEnd: [UInt8]) {
    var column = 0
    let text = Array(text.utf8)
    for (index, byte) in text.enumerated() {
      if byte == 0x0a {
        bytes += lineEnd
        column = 0
        continue
      }
      let isLast = index + 1 == text.count || text[index + 1] == 0x0a
      var isPlain =
        switch byte {
        case UInt8(ascii: "="): false
        case 0x20, 0x09: !isLast
        default: (0x21...0x7e).contains(byte)
        }
      let size = isPlain ? 1 : 3
      // One column stays for the mark of a line that goes on.
      if column + size > columns - 1 {
        bytes.append(UInt8(ascii: "="))
        bytes += lineEnd
        column = 0
      }
      if column == 0 {
        if byte == UInt8(ascii: ".") || text[index...].starts(with: "From ".utf8) {
          isPlain = false
        }
      }
      if isPlain {
        bytes.append(byte)
        column += 1
      } else {
        bytes.append(UInt8(ascii: "="))
        for digit in [byte >> 4, byte & 15] {
          bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
        }
        column += 3
      }
    }
    if column > 0 { bytes += lineEnd }
  }
}
