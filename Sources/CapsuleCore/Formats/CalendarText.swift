/// The text of an iCalendar object (RFC 5545).
package enum CalendarText {
  /// The property of a deadline that was met: only tasks have `COMPLETED` (RFC 5545, 3.8.2.1).
  package static let doneProperty = "X-CAPSULE-DONE"
  /// The property that names the zone of an event whose start is written in UTC, for it comes once.
  package static let zoneProperty = "X-CAPSULE-ZONE"

  /// Returns a date as `20360615`.
  package static func basic(_ date: CivilDate) -> String {
    text(date.description, without: "-")
  }

  /// Returns a local date and time as `20360615T090000`.
  package static func basic(_ time: CivilDateTime) -> String {
    "\(basic(time.date))T\(text(time.time.description, without: ":"))"
  }

  /// Returns an instant as `20360615T070000Z`.
  package static func utc(_ instant: Instant) -> String {
    basic(ZoneRules.utc.civil(at: instant)) + "Z"
  }

  /// Returns an offset from UTC as `+0200`.
  package static func offset(_ seconds: Int) -> String {
    text(ZoneRules.offsetText(seconds), without: ":")
  }

  private static func text(_ text: String, without scalar: Unicode.Scalar) -> String {
    String(text.unicodeScalars.filter { $0 != scalar })
  }

  /// Returns a zone's identifier as a label that stands in a parameter and in a property without
  /// quotes or escapes: `Europe/Paris`, `+0545`, `EST5EDT-M3.2.0-M11.1.0`.
  static func label(_ identifier: String) -> String {
    var label = ""
    for scalar in identifier.unicodeScalars where scalar != ":" {
      let byte = UInt8(truncatingIfNeeded: scalar.isASCII ? scalar.value : 0)
      let isPlain = byte.isASCIILetter || byte.isASCIIDigit || "/_+-.".utf8.contains(byte)
      label.unicodeScalars.append(isPlain ? scalar : "-")
    }
    return label
  }

  /// Returns a value of type TEXT (3.3.11) without control characters, which it cannot hold.
  package static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case ";": escaped += "\\;"
      case ",": escaped += "\\,"
      case "\n": escaped += "\\n"
      case "\t": escaped.unicodeScalars.append(scalar)
      case _ where scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value): continue
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// Returns content lines in lines of at most 75 octets, cut between characters of UTF-8 (3.1).
  package static func folded(_ lines: [String]) -> [UInt8] { lines.flatMap(folded) }

  private static func folded(_ line: String) -> [UInt8] {
    let bytes = Array(line.utf8)
    var folded: [UInt8] = []
    var start = 0
    var room = 75
    while bytes.count - start > room {
      var end = start + room
      while end > start, bytes[end] & 0xc0 == 0x80 { end -= 1 }
      folded += bytes[start..<end] + [0x0d, 0x0a, 0x20]
      start = end
      room = 74
    }
    return folded + bytes[start...] + [0x0d, 0x0a]
  }
}
