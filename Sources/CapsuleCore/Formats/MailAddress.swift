/// An address that mail can be sent to, as programs that carry mail take it everywhere: dot-atoms in
/// ASCII (RFC 5322 §3.2.3, §3.4.1) within the limits of RFC 5321 §4.5.3.1.
///
/// Quoted local parts, comments and address literals are valid in mail and refused here: nobody's
/// address needs them, and many programs read them wrongly. So is a hyphen, `|` or `/` at the start: it has
/// been taken for an option, a command and a file.
package struct MailAddress: Hashable, Sendable {
  package let text: String
  /// The host, behind the `@`.
  package let domain: String

  /// The reason why a text is not an address that mail can be sent to.
  package enum Fault: Error, Hashable, Sendable {
    /// It has characters beyond ASCII.
    case notASCII
    case form
  }

  package init(_ text: String) throws(Fault) {
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else { throw .notASCII }
    let parts = text.parts(at: "@")
    guard text.utf8.count <= 254, parts.count == 2, Self.isLocalPart(parts[0]),
      Self.isDomain(parts[1])
    else { throw .form }
    self.text = text
    domain = parts[1]
  }

  private static func isLocalPart(_ text: String) -> Bool {
    text.utf8.count <= 64 && text.utf8.first.map { !"-|/".utf8.contains($0) } ?? false
      && text.parts(at: ".").allSatisfy { atom in
        !atom.isEmpty && atom.utf8.allSatisfy(isAtomByte)
      }
  }

  private static func isDomain(_ text: String) -> Bool {
    text.utf8.count <= 253
      && text.parts(at: ".").allSatisfy { label in
        (1...63).contains(label.utf8.count) && label.utf8.first != UInt8(ascii: "-")
          && label.utf8.last != UInt8(ascii: "-")
          && label.utf8.allSatisfy {
            $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-")
          }
      }
  }

  /// Whether a byte is one of an atom: `atext` of RFC 5322 §3.2.3.
  static func isAtomByte(_ byte: UInt8) -> Bool {
    byte.isASCIILetter || byte.isASCIIDigit || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
  }
}

/// An address and the name of who reads there.
package struct Mailbox: Hashable, Sendable {
  /// The name; empty for none.
  package var name: String
  package let address: MailAddress

  package init(name: String, address: MailAddress) {
    self.name = name
    self.address = address
  }

  /// Reads `mia@example.org` or `Mia Berg <mia@example.org>`; quotes around the name are not of it.
  package init(_ text: String) throws(MailAddress.Fault) {
    let text = text.trimmed
    guard text.utf8.last == UInt8(ascii: ">"),
      let start = text.utf8.lastIndex(of: UInt8(ascii: "<"))
    else {
      self.init(name: "", address: try MailAddress(text))
      return
    }
    let address = text[text.index(after: start)...].dropLast()
    var name = String(text[..<start]).trimmed
    if name.utf8.count > 1, name.utf8.first == UInt8(ascii: "\""),
      name.utf8.last == UInt8(ascii: "\"")
    {
      name = String(name.dropFirst().dropLast())
    }
    self.init(name: name, address: try MailAddress(String(address)))
  }
}
